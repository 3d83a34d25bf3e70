"""A message that the protocol does not have, for tests of what an entry more in the table takes."""

from __future__ import annotations

from typing import Any


def add_greeting(raw: dict[str, Any], hot: bool = False) -> None:
    """GREETING: a layout with one field of each awkward kind, its message and the message's name."""
    raw["masks"]["greeting_flags"] = {"wire_type": "u64", "known_mask": "0x3", "bits": {"0x1": "loud", "0x2": "long"}}
    raw["enums"]["message_type"]["values"]["90"] = "greeting"
    raw["layouts"]["greeting"] = {
        "size": 32,
        "kind": "metadata",
        "hot": hot,
        "messages": ["greeting"],
        "fields": [
            {"name": "flags", "offset": 0, "size": 8, "type": "u64", "mask": "greeting_flags"},
            {"name": "asked", "offset": 8, "size": 8, "type": "u64"},
            {"name": "given", "offset": 16, "size": 8, "type": "u64"},
            {"name": "mood", "offset": 24, "size": 2, "type": "u16"},
            {"name": "warmth", "offset": 26, "size": 2, "type": "i16"},
            {"name": "text_bytes", "offset": 28, "size": 4, "type": "u32", "declares": "text", "unit": "bytes"},
        ],
        "checks": [
            {
                "check": "length >= size",
                "error": "source_too_short",
                "stage": "layout",
                "rule": {"op": "min_size", "size": 32},
            },
            {
                "check": "flags within mask",
                "error": "reserved_bits_set",
                "stage": "layout",
                "rule": {"op": "mask", "field": "flags", "mask": "greeting_flags"},
            },
            {
                "check": "given is part of asked",
                "error": "invalid_protocol_combination",
                "stage": "layout",
                "rule": {"op": "subset_of", "field": "given", "other": "asked"},
            },
            {
                "check": "mood is 2..5 or private",
                "error": "unknown_enum_value",
                "stage": "layout",
                "rule": {"op": "range", "field": "mood", "min": 2, "max": 5, "or_from": "0x8000"},
            },
        ],
    }
    raw["messages"]["greeting"] = {
        "code": "0x5a",
        "metadata": "greeting",
        "metadata_len": 32,
        "directions": ["client_to_server"],
        "delivery": "role_method",
        "session_id": "session",
        "frame_id": "0",
        "body": [{"name": "text", "length_field": "text_bytes"}],
        "meta_len_rule": "exact",
    }
