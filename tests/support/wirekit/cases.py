"""Cases of the per-message rules: what a receiver must say of them and what a builder must refuse.

Sections are those of wire.md.
"""

from __future__ import annotations

COMBINATION = "invalid_protocol_combination"

# (message, fields, header, outcome), one line or two per rule of sections 5 to 7.
CASES: list[tuple[str, dict[str, int], dict[str, int], str]] = [
    # 5.3 SESSION_OPEN
    ("session_open", {}, {}, "ok"),
    ("session_open", {"resume_token_bytes": 8, "session_flags": 1, "requested_session_id": 3}, {}, "ok"),
    ("session_open", {"resume_token_bytes": 8, "session_flags": 0, "requested_session_id": 3}, {}, COMBINATION),
    ("session_open", {"resume_token_bytes": 8, "session_flags": 14, "requested_session_id": 3}, {}, COMBINATION),
    ("session_open", {"resume_token_bytes": 8, "session_flags": 1}, {}, COMBINATION),
    # 5.4 SESSION_OPEN_ACK
    ("session_open_ack", {"session_id": 1}, {}, "ok"),
    ("session_open_ack", {"session_id": 0}, {}, COMBINATION),
    ("session_open_ack", {"session_status": 1}, {}, "ok"),
    ("session_open_ack", {"session_status": 2, "session_id": 5}, {}, "ok"),  # a sender rule, see below
    (
        "session_open_ack",
        {"session_id": 1, "session_flags_ack": 1, "resume_window_ms": 9, "resume_token_bytes": 4},
        {},
        "ok",
    ),
    ("session_open_ack", {"session_id": 1, "session_flags_ack": 1, "resume_token_bytes": 4}, {}, COMBINATION),
    ("session_open_ack", {"session_id": 1, "session_flags_ack": 1, "resume_window_ms": 9}, {}, COMBINATION),
    ("session_open_ack", {"session_id": 1, "session_status": 3}, {}, COMBINATION),
    (
        "session_open_ack",
        {
            "session_id": 1,
            "session_status": 3,
            "session_flags_ack": 1,
            "resume_window_ms": 9,
            "resume_token_bytes": 4,
            "session_error_code": 0x10001,
        },
        {},
        COMBINATION,
    ),
    (
        "session_open_ack",
        {
            "session_id": 1,
            "session_status": 3,
            "session_flags_ack": 1,
            "resume_window_ms": 9,
            "resume_token_bytes": 4,
        },
        {},
        "ok",
    ),
    (
        "session_open_ack",
        {
            "session_id": 0,
            "session_status": 3,
            "session_flags_ack": 1,
            "resume_window_ms": 9,
            "resume_token_bytes": 4,
        },
        {},
        COMBINATION,
    ),
    # 5.14 FLOW_UPDATE, more than the flow_routing vectors say
    ("flow_update", {"scope_kind": 0}, {"session_id": 0}, "ok"),
    ("flow_update", {"scope_kind": 0}, {"session_id": 1}, COMBINATION),
    ("flow_update", {"scope_kind": 0, "session_credit": 1}, {"session_id": 0}, COMBINATION),
    ("flow_update", {"scope_kind": 0, "operation_credit": 1}, {"session_id": 0}, COMBINATION),
    ("flow_update", {"scope_kind": 0, "operation_id": 1}, {"session_id": 0}, COMBINATION),
    ("flow_update", {"scope_kind": 1}, {"session_id": 1}, "ok"),
    ("flow_update", {"scope_kind": 1}, {"session_id": 0}, COMBINATION),
    ("flow_update", {"scope_kind": 1, "connection_credit": 1}, {"session_id": 1}, COMBINATION),
    ("flow_update", {"scope_kind": 1, "operation_credit": 1}, {"session_id": 1}, COMBINATION),
    ("flow_update", {"scope_kind": 1, "operation_id": 1}, {"session_id": 1}, COMBINATION),
    ("flow_update", {"scope_kind": 2, "operation_id": 1}, {"session_id": 1}, "ok"),
    ("flow_update", {"scope_kind": 2, "operation_id": 1}, {"session_id": 0}, COMBINATION),
    ("flow_update", {"scope_kind": 2}, {"session_id": 1}, COMBINATION),
    ("flow_update", {"scope_kind": 1, "retry_after_ms": 1}, {"session_id": 1}, COMBINATION),
    ("flow_update", {"scope_kind": 1, "retry_after_ms": 1, "flow_flags": 2}, {"session_id": 1}, "ok"),
    ("flow_update", {"scope_kind": 1, "flow_flags": 2}, {"session_id": 1}, "ok"),
    # 6.1 FRAME_SUBMIT
    ("frame_submit", {"operation_id": 1}, {}, "ok"),
    ("frame_submit", {"operation_id": 1, "object_ref_mask": 0x10, "submit_mode": 1}, {}, "reserved_bits_set"),
    ("frame_submit", {"operation_id": 1, "object_ref_mask": 0x10}, {}, "reserved_bits_set"),
    ("frame_submit", {"operation_id": 1, "object_ref_mask": 1}, {}, COMBINATION),
    ("frame_submit", {"operation_id": 1, "submit_mode": 1}, {}, COMBINATION),
    ("frame_submit", {"operation_id": 1, "submit_mode": 2}, {}, COMBINATION),
    ("frame_submit", {"operation_id": 1, "submit_mode": 1, "object_ref_mask": 15}, {}, "ok"),
    ("frame_submit", {"operation_id": 1, "submit_mode": 2, "object_ref_mask": 8}, {}, "ok"),
    # 7 CANCEL, ABORT and RESULT_DROP_REASON: roles 0..7 and 0x80..0xff
    ("cancel", {"source_role": 7}, {}, "ok"),
    ("cancel", {"source_role": 8}, {}, "unknown_enum_value"),
    ("abort", {"source_role": 0x7F}, {}, "unknown_enum_value"),
    ("abort", {"source_role": 0x80}, {}, "ok"),
    ("cancel", {"source_role": 0xFF, "reason_code": 0xFFFF}, {}, "ok"),
    ("result_drop_reason", {"operation_id": 1, "drop_reason_code": 1, "source_role": 7}, {}, "ok"),
    ("result_drop_reason", {"operation_id": 1, "drop_reason_code": 1, "source_role": 8}, {}, "unknown_enum_value"),
    ("result_drop_reason", {"operation_id": 0, "drop_reason_code": 1}, {}, COMBINATION),
    ("result_drop_reason", {"operation_id": 1, "drop_reason_code": 0}, {}, COMBINATION),
    # 7 DEADLINE, EXPIRE_AT; PRIORITY_UPDATE needs no deadline
    ("priority_update", {}, {}, "ok"),
    ("deadline", {}, {}, COMBINATION),
    ("expire_at", {}, {}, COMBINATION),
    ("deadline", {"deadline_unix_ms": 1}, {}, "ok"),
    ("expire_at", {"deadline_unix_ms": 1 << 63}, {}, "ok"),
    # 7 PROGRESS
    ("progress", {"operation_id": 0}, {}, COMBINATION),
    ("progress", {"operation_id": 1, "percent_x100": 10000}, {}, "ok"),
    ("progress", {"operation_id": 1, "percent_x100": 65535}, {}, "ok"),
    # 7 PARTIAL_RESULT
    ("partial_result", {"operation_id": 1, "body_bytes": 1}, {}, "ok"),
    ("partial_result", {"operation_id": 0, "body_bytes": 1}, {}, COMBINATION),
    ("partial_result", {"operation_id": 1, "body_bytes": 1, "flags": 2}, {}, COMBINATION),
    ("partial_result", {"operation_id": 1, "body_bytes": 1, "flags": 2, "object_id": 4}, {}, "ok"),
    ("partial_result", {"operation_id": 1, "object_id": 4}, {}, "ok"),
    ("partial_result", {"operation_id": 1}, {}, COMBINATION),
    # 7 BACKPRESSURE; CREDIT_UPDATE shares the layout and not the rule
    ("backpressure", {"pressure_level": 0}, {}, COMBINATION),
    ("backpressure", {"pressure_level": 3}, {}, "ok"),
    ("backpressure", {"pressure_level": 4}, {}, "unknown_enum_value"),
    ("credit_update", {"pressure_level": 0}, {}, "ok"),
    ("credit_update", {"pressure_level": 9}, {}, "ok"),
    # 7 TRACE_CONTEXT
    ("trace_context", {"trace_id": 1, "span_id": 1}, {}, "ok"),
    ("trace_context", {"trace_id": 0, "span_id": 1}, {}, COMBINATION),
    ("trace_context", {"trace_id": 1, "span_id": 0}, {}, COMBINATION),
]

# The sender stage: (message, fields, whether a sender may say it). A receiver accepts all of them unless strict.
SENDER_CASES: list[tuple[str, dict[str, int], bool]] = [
    # 5.4
    ("session_open_ack", {"session_status": 1, "session_id": 5}, False),
    ("session_open_ack", {"session_status": 2, "session_id": 5}, False),
    ("session_open_ack", {"session_status": 1, "session_id": 0}, True),
    # 6.2, the table of consistent choices
    ("result_push", {}, True),
    ("result_push", {"result_class": 1, "result_flags": 4}, True),
    ("result_push", {"result_class": 2, "result_flags": 1, "reused_frame_id": 9}, True),
    ("result_push", {"result_class": 1, "result_flags": 5, "reused_frame_id": 9}, True),
    ("result_push", {"result_class": 3, "result_flags": 2}, True),
    ("result_push", {"result_class": 3}, True),
    ("result_push", {"payload_kind_bitmap": 1, "tile_count": 3, "covered_tile_count": 3}, True),
    (
        "result_push",
        {
            "payload_kind_bitmap": 1,
            "result_class": 1,
            "result_flags": 4,
            "tile_count": 3,
            "covered_tile_count": 2,
            "dropped_tile_count": 1,
        },
        True,
    ),
    # breaches
    ("result_push", {"result_class": 2}, False),
    ("result_push", {"result_flags": 1}, False),
    ("result_push", {"reused_frame_id": 9}, False),
    ("result_push", {"result_class": 2, "result_flags": 4, "reused_frame_id": 9}, False),
    ("result_push", {"result_class": 1, "result_flags": 1, "reused_frame_id": 9}, False),
    (
        "result_push",
        {"payload_kind_bitmap": 1, "result_class": 1, "result_flags": 4, "tile_count": 3, "covered_tile_count": 3},
        False,
    ),
    (
        "result_push",
        {
            "payload_kind_bitmap": 1,
            "result_class": 1,
            "result_flags": 4,
            "tile_count": 3,
            "covered_tile_count": 1,
            "dropped_tile_count": 1,
        },
        False,
    ),
]

# For each message the fields that make its metadata acceptable at every stage, lengths of tails aside.
ACCEPTED: dict[str, dict[str, int]] = {
    "client_hello": {
        "min_version_major": 1,
        "max_version_major": 1,
        "supported_wire_format_bitmap": 1,
        "supported_profile_bitmap": 3,
        "supported_payload_kind_bitmap": 0x73,
    },
    "server_hello_ack": {"selected_version_major": 1},
    "session_open": {"profile_id": 2, "session_flags": 1, "requested_session_id": 3},
    "session_open_ack": {"session_id": 1},
    "session_patch": {"patch_mask": 1},
    "session_patch_ack": {"applied_patch_mask": 1},
    "error": {"error_code": 1, "is_fatal": 1},
    "session_close": {},
    "session_close_ack": {},
    "cache_put": {"object_kind": 1},
    "cache_ack": {},
    "cache_invalidate": {},
    "flow_update": {"scope_kind": 1, "session_credit": 4, "flow_flags": 1},
    "result_hint": {},
    "transport_probe": {"probe_id": 7},
    "transport_probe_ack": {"probe_id": 7},
    "session_migrate": {"old_transport_id": 1, "new_transport_id": 2},
    "session_migrate_ack": {},
    "cancel": {"operation_id": 1},
    "abort": {"operation_id": 1},
    "priority_update": {"operation_id": 1, "priority_delta": -3},
    "deadline": {"operation_id": 1, "deadline_unix_ms": 1},
    "expire_at": {"operation_id": 1, "deadline_unix_ms": 1},
    "supersede": {"old_operation_id": 1, "new_operation_id": 2},
    "budget_update": {"operation_id": 1},
    "progress": {"operation_id": 1, "percent_x100": 65535},
    "partial_result": {"operation_id": 1, "object_id": 9},
    "backpressure": {"pressure_level": 1},
    "credit_update": {"credit_window": 8},
    "capability_negotiation": {},
    "degrade_profile": {},
    "route_hint": {},
    "execution_hint": {},
    "trace_context": {"trace_id": 1, "span_id": 2},
    "result_drop_reason": {"operation_id": 1, "drop_reason_code": 1},
    "object_declare": {"object_id": 1},
    "object_ref": {"object_id": 1, "offset": 5, "length": 6},
    "object_release": {"object_id": 1},
    "object_patch": {"object_id": 1},
    "object_delta": {"object_id": 1},
    "cache_reference": {},
    "cache_miss": {},
    "error_recoverable": {},
    "retry_after": {},
}
