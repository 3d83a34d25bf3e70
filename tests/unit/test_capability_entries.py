"""Capability entries of CAPABILITY_NEGOTIATION and DEGRADE_PROFILE (wire.md section 7)."""

from __future__ import annotations

import struct

import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import DeclaredLengthMismatch, InvalidProtocolCombination, NnrpError

TOKENS = [token for group in data.table()["capabilities"].values() for token in group]


def coded(*tokens: bytes) -> bytes:
    return b"".join(struct.pack("<H", len(token)) + token for token in tokens)


def packet(body: bytes, count: int, message: str = "capability_negotiation", **fields: int) -> wire.Packet:
    values = {"capability_count": count, "body_bytes": len(body), **fields}
    return wire.parse_packet(raw.packet(message, raw.layout("capability", values), body))


@pytest.mark.parametrize("message", ["capability_negotiation", "degrade_profile"])
def test_tokens(message):
    body = coded(*(token.encode() for token in TOKENS))
    assert wire.capability_entries(packet(body, len(TOKENS), message)) == tuple(TOKENS)


def test_empty():
    assert wire.capability_entries(packet(b"", 0)) == ()
    assert wire.capability_entries(packet(coded(b"", "größer".encode()), 2)) == ("", "größer")
    assert wire.capability_entries(packet(coded(b"last is empty", b""), 2)) == ("last is empty", "")


@pytest.mark.parametrize(
    ("body", "count", "rule"),
    [
        (coded(b"a"), 0, "capability_count_matches"),
        (coded(b"a"), 2, "capability_count_matches"),
        (b"", 1, "capability_count_matches"),
        (b"\x01", 1, "capability_entry_fits_body"),
        (b"\x02\x00a", 1, "capability_entry_fits_body"),
        (b"\xff\xffa", 1, "capability_entry_fits_body"),
        (coded(b"a") + b"\x00", 1, "capability_count_matches"),
        (coded(b"\xff"), 1, "capability_entry_is_utf8"),
        (coded(b"\xed\xa0\x80"), 1, "capability_entry_is_utf8"),
        (b"free bytes of an older peer", 1, "capability_entry_fits_body"),
    ],
)
def test_bodies_that_are_no_entries(body, count, rule):
    """Reading them is refused; the packet itself is not (section 7)."""
    made = packet(body, count)
    wire.check_message(made)
    wire.check_body(made)
    with pytest.raises(InvalidProtocolCombination) as caught:
        wire.capability_entries(made)
    assert data.broken_rule(caught.value) == rule


def test_declared_body_comes_first():
    with pytest.raises(DeclaredLengthMismatch):
        wire.capability_entries(packet(coded(b"a"), 1, body_bytes=9))


def test_other_messages_have_none():
    with pytest.raises((NnrpError, TypeError)):
        wire.capability_entries(wire.parse_packet(data.plain_messages()["ping"]))
