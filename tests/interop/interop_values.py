"""Valid values for every layout: what both codecs accept, drawn from the table and adjusted to its combined rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from wirekit import data, raw

Values = dict[str, Any]


def _integers(field: dict[str, Any]) -> st.SearchStrategy[int]:
    bits = 8 * field["size"]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if field["type"].startswith("i") else (0, (1 << bits) - 1)
    return st.one_of(st.sampled_from([0, 1, high, high - 1, low]), st.integers(low, high))


def _members(kind: str, name: str) -> list[int]:
    return [int(value) for value in data.table()[kind][name]["values"]]


def _valid_alone(field: dict[str, Any]) -> st.SearchStrategy[Any]:
    """A value that the field's own rule accepts."""
    if "const" in field:
        return st.just(field["const"].encode() if field["type"] == "bytes" else field["const"])
    if field.get("reserved") or field["name"] in ("object_flags", "body_flags"):
        return st.just(0)
    if "enum" in field:
        return st.sampled_from(_members("enums", field["enum"]))
    if "mask" in field:
        known = int(data.table()["masks"][field["mask"]]["known_mask"], 0)
        return st.integers(0, known).map(known.__and__)
    if "registry_enum" in field:
        return st.sampled_from(_members("enums", field["registry_enum"]))
    return _integers(field)


def _client_hello(v: Values) -> None:
    v["min_version_major"] %= 2
    v["max_version_major"] = max(1, v["max_version_major"])
    v["supported_wire_format_bitmap"] |= 1
    v["supported_profile_bitmap"] |= 2
    v["supported_payload_kind_bitmap"] |= 16


def _migrate(v: Values) -> None:
    v["old_transport_id"] = v["old_transport_id"] or 1
    v["new_transport_id"] = v["new_transport_id"] or 2


def _error(v: Values) -> None:
    v["is_fatal"] %= 2


def _progress(v: Values) -> None:
    if v["percent_x100"] != 0xFFFF:
        v["percent_x100"] %= 10001


def _no_tensor(layout: str, v: Values) -> None:
    if not v["payload_kind_bitmap"] & 1:
        for field in raw.fields(layout):
            if field.get("group") == "tensor":
                v[field["name"]] = 0


def _frame_submit(v: Values) -> None:
    v["operation_id"] = v["operation_id"] or 1
    _no_tensor("frame_submit", v)


def _result_push(v: Values) -> None:
    """The consistent choices of wire.md section 6.2."""
    v["reused_frame_id"] = 0
    stale, partial = v["result_class"] == 2 or v["result_flags"] & 1, v["result_class"] == 1 or v["result_flags"] & 4
    if stale:
        v["reused_frame_id"] = 9
        v["result_class"], v["result_flags"] = (1, 5) if partial else (2, 1)
    elif partial:
        v["result_class"], v["result_flags"] = 1, 4
    if partial and v["payload_kind_bitmap"] & 1:
        v["tile_count"] = v["tile_count"] or 1
        v["dropped_tile_count"] = max(1, v["dropped_tile_count"] % v["tile_count"])
    else:
        v["dropped_tile_count"] = 0
    v["covered_tile_count"] = v["tile_count"] - v["dropped_tile_count"]
    _no_tensor("result_push", v)


def _prelude(v: Values) -> None:
    for name, size in (
        ("object_reference_bytes", 24),
        ("typed_payload_descriptor_bytes", 24),
        ("extension_descriptor_bytes", 16),
    ):
        v[name] -= v[name] % size


def _section(v: Values) -> None:
    v["codec_table_bytes"] = (v["codec_table_bytes"] or 1) if v["section_flags"] & 1 else 0
    v["payload_stride_bytes"] = (v["payload_stride_bytes"] or 8) if v["section_flags"] & 2 else 0
    v["length_table_bytes"] -= v["length_table_bytes"] % 4


def _flow(v: Values) -> None:
    scope = v["scope_kind"]
    v["backpressure_level"] %= 3
    v["connection_credit"] *= scope == 0
    v["session_credit"] *= scope == 1
    v["operation_credit"] *= scope == 2
    v["operation_id"] = (v["operation_id"] or 1) if scope == 2 else 0
    v["retry_after_ms"] *= bool(v["flow_flags"] & 2)


def _invalidate(v: Values) -> None:
    scope = v["invalidate_scope"]
    v["cache_namespace"] *= scope != 0
    v["cache_key_hi"] *= scope > 1
    v["cache_key_lo"] *= scope == 3
    if scope == 2:
        v["cache_key_hi"] &= 0xFFFFFFFF


def _loss(name: str) -> Callable[[Values], None]:
    def adjust(v: Values) -> None:
        v[name] %= 4

    return adjust


def _capabilities(name: str) -> Callable[[Values], None]:
    def adjust(v: Values) -> None:
        v[name] = 0

    return adjust


_ADJUST: dict[str, Callable[[Values], None]] = {
    "client_hello": _client_hello,
    "session_migrate": _migrate,
    "error": _error,
    "progress": _progress,
    "frame_submit": _frame_submit,
    "result_push": _result_push,
    "body_region_prelude": _prelude,
    "tensor_section_descriptor": _section,
    "flow_update": _flow,
    "cache_invalidate": _invalidate,
    "hello_ext_loss_tolerance": _loss("session_loss_tolerance"),
    "hello_ext_loss_tolerance_ack": _loss("accepted_loss_tolerance"),
    "hello_ext_payload_capabilities": _capabilities("critical_extension_frame_bitmap"),
    "hello_ext_payload_capabilities_ack": _capabilities("accepted_critical_extension_frame_bitmap"),
}


def valid(layout: str) -> st.SearchStrategy[Values]:
    """Values of a whole layout that both codecs accept."""

    def adjusted(values: Values) -> Values:
        _ADJUST.get(layout, lambda v: None)(values)
        return values

    return st.fixed_dictionaries({field["name"]: _valid_alone(field) for field in raw.fields(layout)}).map(adjusted)


def _any(field: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Mostly valid, so that one broken rule is seen alone, and now and then anything."""
    if field["type"] == "bytes":
        return st.sampled_from([field["const"].encode()] * 9 + [b"XXXX"])
    alone = _valid_alone(field)
    return st.one_of(alone, alone, alone, _integers(field), st.integers(0, 4))


def arbitrary(layout: str) -> st.SearchStrategy[Values]:
    """Values of a layout, rules broken or not: one or two changes to valid ones, or all at once."""
    every = {field["name"]: _any(field) for field in raw.fields(layout)}
    few = st.dictionaries(st.sampled_from(sorted(every)), st.none(), min_size=1, max_size=2).flatmap(
        lambda names: st.fixed_dictionaries({name: every[name] for name in names})
    )
    changed = st.tuples(valid(layout), few).map(lambda pair: {**pair[0], **pair[1]})
    return st.one_of(changed, changed, st.fixed_dictionaries(every))


# Whole messages: what the message and the sender stage ask beyond the layout.


def _resume(v: Values) -> None:
    v["session_flags"] |= 1
    v["requested_session_id"] = v["requested_session_id"] or 3


def _opened(v: Values) -> None:
    v["session_status"], v["session_flags_ack"], v["session_id"] = 0, 0, v["session_id"] or 1


def _role(v: Values) -> None:
    v["source_role"] %= 8


def _dropped(v: Values) -> None:
    _role(v)
    v["operation_id"] = v["operation_id"] or 1
    v["drop_reason_code"] = v["drop_reason_code"] or 1


def _nonzero(*names: str) -> Callable[[Values], None]:
    def adjust(v: Values) -> None:
        for name in names:
            v[name] = v[name] or 1

    return adjust


def _pressed(v: Values) -> None:
    v["pressure_level"] = v["pressure_level"] % 3 + 1


_ADJUST_MESSAGE: dict[str, Callable[[Values], None]] = {
    "session_open": _resume,
    "session_open_ack": _opened,
    "cancel": _role,
    "abort": _role,
    "deadline": _nonzero("deadline_unix_ms"),
    "expire_at": _nonzero("deadline_unix_ms"),
    "progress": _nonzero("operation_id"),
    "partial_result": _nonzero("operation_id", "object_id"),
    "backpressure": _pressed,
    "trace_context": _nonzero("trace_id", "span_id"),
    "result_drop_reason": _dropped,
}


def metadata(message: str) -> st.SearchStrategy[Values]:
    """Valid metadata of a message, without the lengths of its tails."""
    layout = data.table()["messages"][message]["metadata"]
    if layout is None:
        return st.just({})
    lengths = length_fields(message)

    def adjusted(values: Values) -> Values:
        _ADJUST_MESSAGE.get(message, lambda v: None)(values)
        return {name: value for name, value in values.items() if name not in lengths}

    return valid(layout).map(adjusted)


def length_fields(message: str) -> list[str]:
    body = data.table()["messages"][message]["body"]
    return [part["length_field"] for part in body if part["length_field"] != "body_len"]


def tails(message: str) -> st.SearchStrategy[list[bytes]]:
    """One byte string for each part of the body."""
    parts = [st.binary(max_size=40)] * len(data.table()["messages"][message]["body"])
    return st.tuples(*parts).map(list)


routing = st.fixed_dictionaries(
    {
        "session_id": st.integers(1, 0xFFFFFFFF),
        "frame_id": st.integers(1, 0xFFFFFFFF),
        "flags": st.integers(0, 0x3F),
        "view_id": st.integers(0, 0xFFFF),
        "route_id": st.integers(0, 0xFFFF),
        "trace_id": st.integers(0, 0xFFFFFFFFFFFFFFFF),
    }
)
"""Header fields of a message inside a session."""
