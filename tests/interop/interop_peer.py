"""The Python codecs of nnrp-py, layout by layout, and where they are known to differ from the wire.

A difference is a row of wire.md section 12, table "Python peer codecs", or one of its rows W-1 to W-9. The model built
from them is exact: `predicted` says of any bytes whether the peer takes them.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from wirekit import data, oracle

if sys.version_info < (3, 11):
    pytest.skip("nnrp-py, the peer of these tests, has no build for Python 3.10", allow_module_level=True)
pytest.importorskip("nnrp", reason="nnrp-py, the peer of these tests, is not installed")

from nnrp import schema
from nnrp.core import NnrpHeader
from nnrp.core.messages import control
from nnrp.core.messages import data as plane
from nnrp.runtime import types as runtime

Values = Mapping[str, Any]

NO_PYTHON_CODEC = {
    # section 12, last row of the table
    "session_open_ack",
    "session_close_ack",
    # a local record, which the peer keeps in its native part
    "recovery_ticket_prefix",
    # the peer reads whole entries only: see the control extension tests
    "control_extension_entry_header",
}

CODECS: dict[str, type[Any]] = {
    "common_header": NnrpHeader,
    "client_hello": control.ClientHelloMetadata,
    "server_hello_ack": control.ServerHelloAckMetadata,
    "session_open": control.SessionOpenMetadata,
    "session_close": runtime.SessionCloseMetadata,
    "session_patch": control.SessionPatchMetadata,
    "session_patch_ack": control.SessionPatchAckMetadata,
    "transport_probe": control.TransportProbeMetadata,
    "transport_probe_ack": control.TransportProbeAckMetadata,
    "session_migrate": control.SessionMigrateMetadata,
    "session_migrate_ack": control.SessionMigrateAckMetadata,
    "error": control.ErrorMetadata,
    "flow_update": control.FlowUpdateMetadata,
    "result_hint": control.ResultHintMetadata,
    "frame_submit": plane.FrameSubmitMetadata,
    "result_push": plane.ResultPushMetadata,
    "body_region_prelude": plane.BodyRegionPrelude,
    "inline_object_block_header": plane.InlineObjectBlockHeader,
    "tensor_section_descriptor": plane.TensorSectionDesc,
    "object_reference_block": plane.ObjectReferenceBlock,
    "typed_payload_descriptor": schema.TypedPayloadDescriptor,
    "schema_descriptor_header": schema.SchemaDescriptorHeader,
    "extension_frame_descriptor": plane.ExtensionFrameDescriptor,
    "control_request": runtime.ControlRequestMetadata,
    "scheduling": runtime.SchedulingMetadata,
    "supersede": runtime.SupersedeMetadata,
    "budget": runtime.BudgetMetadata,
    "progress": runtime.ProgressMetadata,
    "partial_result": runtime.PartialResultMetadata,
    "pressure": runtime.PressureMetadata,
    "capability": runtime.CapabilityMetadata,
    "route_hint": runtime.RouteHintMetadata,
    "trace_context": runtime.TraceContextMetadata,
    "result_drop_reason": runtime.ResultDropReasonMetadata,
    "recoverable_error": runtime.RecoverableErrorMetadata,
    "retry_after": runtime.RetryAfterMetadata,
    "object_descriptor": runtime.ObjectDescriptorMetadata,
    "object_reference": runtime.ObjectReferenceMetadata,
    "object_release": runtime.ObjectReleaseMetadata,
    "object_delta": runtime.ObjectDeltaMetadata,
    "cache_reference": runtime.CacheReferenceMetadata,
    "cache_miss": runtime.CacheMissMetadata,
    "cache_put": control.CachePutMetadata,
    "cache_ack": control.CacheAckMetadata,
    "cache_invalidate": control.CacheInvalidateMetadata,
    "hello_ext_transport_policy": control.ClientHelloTransportPolicyExtension,
    "hello_ext_transport_policy_ack": control.ServerHelloAckTransportPolicyExtension,
    "hello_ext_loss_tolerance": control.ClientHelloLossToleranceExtension,
    "hello_ext_loss_tolerance_ack": control.ServerHelloAckLossToleranceExtension,
    "hello_ext_payload_capabilities": control.ClientHelloPayloadCapabilitiesExtension,
    "hello_ext_payload_capabilities_ack": control.ServerHelloAckPayloadCapabilitiesExtension,
    "tensor_profile_patch_block": control.TensorProfilePatchBlock,
    "tensor_profile_patch_ack_block": control.TensorProfilePatchAckBlock,
}

# Fields that the peer calls otherwise. What it has no attribute for at all it reads as, and writes as, a constant.
RENAMED: dict[str, dict[str, str]] = {
    "common_header": {"message_type": "msg_type"},
    "transport_probe_ack": {"reserved0": "reserved"},
    "tensor_section_descriptor": {"section_flags": "flags"},
    "flow_update": {"flow_flags": "flags"},
}


@dataclass(frozen=True)
class Accepts:
    """The peer takes what breaks these checks of the table; the wire refuses it."""

    layout: str
    says: str
    checks: tuple[str, ...]
    examples: tuple[Values, ...]
    """One per check and more: changes to an accepted value that break it."""


@dataclass(frozen=True)
class Rejects:
    """The peer refuses these accepted values; the wire takes them."""

    layout: str
    says: str
    when: Callable[[Values], bool]
    examples: tuple[Values, ...] = field(default=())


def _stale(v: Values) -> bool:
    return v["result_class"] == 2 or bool(v["result_flags"] & 1)


def _partial(v: Values) -> bool:
    return v["result_class"] == 1 or bool(v["result_flags"] & 4)


def _flow_scope(v: Values) -> bool:
    foreign = {
        0: ("session_credit", "operation_credit", "operation_id"),
        1: ("connection_credit", "operation_credit", "operation_id"),
        2: ("connection_credit", "session_credit"),
    }[v["scope_kind"]]
    return any(v[name] for name in foreign) or (v["scope_kind"] == 2 and not v["operation_id"])


TENSOR = {"payload_kind_bitmap": 1, "result_class": 0, "result_flags": 0, "reused_frame_id": 0}

ACCEPTS: list[Accepts] = [
    Accepts(
        "common_header",
        "accepts another version_major; accepts flags outside 0x3f",
        ("version_major == 1", "flags within mask"),
        ({"version_major": 2}, {"version_major": 0}, {"flags": 0x40}, {"flags": 0xFFFFFFFF}),
    ),
    Accepts(
        "client_hello",
        "accepts an inverted version window, a window without 1, wire format bitmap without bit 0, zero profile or "
        "payload kind bitmap",
        (
            "min_version_major <= max_version_major",
            "1 inside [min,max]",
            "supported_wire_format_bitmap bit 0 set",
            "supported_profile_bitmap != 0",
            "supported_payload_kind_bitmap != 0",
        ),
        (
            {"min_version_major": 2, "max_version_major": 1},
            {"min_version_major": 2, "max_version_major": 3},
            {"min_version_major": 0, "max_version_major": 0},
            {"supported_wire_format_bitmap": 2},
            {"supported_profile_bitmap": 0},
            {"supported_payload_kind_bitmap": 0},
        ),
    ),
    Accepts(
        "server_hello_ack",
        "accepts reserved0 ≠ 0 and server_flags outside the mask",
        ("reserved0 == 0", "server_flags within mask"),
        ({"reserved0": 1}, {"server_flags": 2}, {"server_flags": 0x80000000}),
    ),
    Accepts(
        "session_patch",
        "accept reserved0 ≠ 0 and patch masks outside 0x7f",
        ("reserved0 == 0", "patch_mask within mask"),
        ({"reserved0": 1}, {"patch_mask": 0x80}),
    ),
    Accepts(
        "session_patch_ack",
        "accept reserved0 ≠ 0 and patch masks outside 0x7f",
        ("reserved0 == 0", "applied_patch_mask within mask", "rejected_patch_mask within mask"),
        ({"reserved0": 1}, {"applied_patch_mask": 0x80}, {"rejected_patch_mask": 0xFFFFFFFF}),
    ),
    Accepts("transport_probe_ack", "accepts reserved0 ≠ 0", ("reserved0 == 0",), ({"reserved0": 1},)),
    Accepts(
        "error",
        "accepts is_fatal other than 0/1",
        ("is_fatal in {0,1}",),
        ({"is_fatal": 2}, {"is_fatal": 0xFFFFFFFF}),
    ),
    Accepts("control_request", "accepts flags outside 0x3", ("flags within mask",), ({"flags": 4}, {"flags": 0xFF})),
    Accepts(
        "recoverable_error",
        "accepts an unknown error_scope",
        ("error_scope is a known value",),
        ({"error_scope": 3}, {"error_scope": 0xFFFFFFFF}),
    ),
    Accepts(
        "frame_submit",
        "accepts non-zero reserved0..4",
        tuple(f"reserved{n} == 0" for n in range(5)),
        tuple({f"reserved{n}": 1} for n in range(5)),
    ),
    Accepts(
        "result_push",
        "accepts non-zero reserved0..5",
        tuple(f"reserved{n} == 0" for n in range(6)),
        tuple({f"reserved{n}": 1} for n in range(6)),
    ),
    Accepts(
        "tensor_section_descriptor",
        "accepts unknown flags, reserved ≠ 0, mixed/stride flags that disagree with their byte counts; and "
        "length_table_bytes that is no multiple of 4, which it checks with the tables",
        (
            "reserved == 0",
            "section_flags within mask",
            "codec_table_bytes != 0 exactly when mixed_codec",
            "payload_stride_bytes != 0 exactly when fixed_stride",
            "length_table_bytes % 4 == 0",
        ),
        (
            {"reserved": 1},
            {"section_flags": 4, "codec_table_bytes": 0, "payload_stride_bytes": 0},
            {"section_flags": 1, "codec_table_bytes": 0, "payload_stride_bytes": 0},
            {"section_flags": 0, "codec_table_bytes": 3, "payload_stride_bytes": 0},
            {"section_flags": 2, "codec_table_bytes": 0, "payload_stride_bytes": 0},
            {"section_flags": 0, "codec_table_bytes": 0, "payload_stride_bytes": 8},
            {"length_table_bytes": 6},
        ),
    ),
    Accepts(
        "flow_update",
        "accepts reserved bytes ≠ 0",
        ("reserved0 == 0", "reserved1 == 0"),
        ({"reserved0": 1}, {"reserved1": 0xFFFF}),
    ),
    # The two below stand in no row of section 12.
    Accepts(
        "hello_ext_transport_policy",
        "accepts reserved0 ≠ 0 and reserved1 ≠ 0",
        ("reserved0 == 0", "reserved1 == 0"),
        ({"reserved0": 1}, {"reserved1": 1}),
    ),
    Accepts("hello_ext_transport_policy_ack", "accepts reserved0 ≠ 0", ("reserved0 == 0",), ({"reserved0": 1},)),
]

REJECTS: list[Rejects] = [
    Rejects(
        "result_push",
        "rejects stale_reuse / stale flag / reused_frame_id that do not agree",
        lambda v: _stale(v) != (v["reused_frame_id"] != 0),
        (
            {"result_class": 2, "result_flags": 1, "reused_frame_id": 0},
            {"result_class": 0, "result_flags": 1, "reused_frame_id": 0},
            {"result_class": 0, "result_flags": 0, "reused_frame_id": 7},
        ),
    ),
    Rejects(
        "result_push",
        "W-1: enforces the rules of partial results",
        lambda v: bool(v["payload_kind_bitmap"] & 1) and _partial(v) and v["dropped_tile_count"] == 0,
        ({**TENSOR, "result_class": 1, "tile_count": 0, "covered_tile_count": 0, "dropped_tile_count": 0},),
    ),
    Rejects(
        "result_push",
        "W-2: covered + dropped = tile_count for every tensor result",
        lambda v: (
            bool(v["payload_kind_bitmap"] & 1) and v["covered_tile_count"] + v["dropped_tile_count"] != v["tile_count"]
        ),
        (
            {**TENSOR, "tile_count": 3, "covered_tile_count": 2, "dropped_tile_count": 0},
            {**TENSOR, "tile_count": 3, "covered_tile_count": 3, "dropped_tile_count": 1},
        ),
    ),
    Rejects(
        "body_region_prelude",
        "rejects typed_payload_descriptor_bytes not a multiple of 24",
        lambda v: v["typed_payload_descriptor_bytes"] % 24 != 0,
        ({"typed_payload_descriptor_bytes": 25}, {"typed_payload_descriptor_bytes": 16}),
    ),
    Rejects(
        "body_region_prelude",
        "W-3: multiples of 16 for extensions are checked in the prelude",
        lambda v: v["extension_descriptor_bytes"] % 16 != 0,
        ({"extension_descriptor_bytes": 24},),
    ),
    Rejects(
        "flow_update",
        "applies the scope and retry rules inside the codec; operation scope additionally needs connection and session "
        "credit 0 (W-7)",
        lambda v: _flow_scope(v) or (v["retry_after_ms"] != 0 and not v["flow_flags"] & 2),
        (
            {"scope_kind": 0, "connection_credit": 1, "session_credit": 1},
            {"scope_kind": 1, "connection_credit": 1, "session_credit": 1},
            {"scope_kind": 2, "operation_id": 0, "connection_credit": 0, "session_credit": 0},
            {"scope_kind": 2, "operation_id": 5, "connection_credit": 1, "session_credit": 0},
            {"scope_kind": 2, "operation_id": 5, "connection_credit": 0, "session_credit": 1},
            {"retry_after_ms": 5, "flow_flags": 1},
        ),
    ),
    Rejects(
        "flow_update",
        "W-6: backpressure level paused is absent in the peer's enum",
        lambda v: v["backpressure_level"] == 3,
        ({"backpressure_level": 3},),
    ),
    Rejects(
        "tensor_section_descriptor",
        "W-8: tensor dtype, layout, scale ids are closed enums in the peer",
        lambda v: v["dtype_id"] > 7 or v["layout_id"] > 1 or v["scale_policy"] > 2,
        ({"dtype_id": 8}, {"layout_id": 2}, {"scale_policy": 3}, {"dtype_id": 255}),
    ),
    # The rest stands in no row of section 12.
    Rejects(
        "hello_ext_transport_policy",
        "rejects an unknown transport policy: a closed enum in the peer",
        lambda v: v["transport_policy"] > 8,
        ({"transport_policy": 9},),
    ),
    Rejects(
        "hello_ext_transport_policy_ack",
        "rejects unknown transport policies: a closed enum in the peer",
        lambda v: v["transport_policy"] > 8 or v["accepted_transport_policy"] > 8,
        ({"transport_policy": 9}, {"accepted_transport_policy": 255}),
    ),
    Rejects(
        "hello_ext_loss_tolerance",
        "rejects 255, inherit the session's: absent in the peer's enum",
        lambda v: v["session_loss_tolerance"] == 255,
        ({"session_loss_tolerance": 255},),
    ),
    Rejects(
        "hello_ext_loss_tolerance_ack",
        "rejects 255, inherit the session's: absent in the peer's enum",
        lambda v: v["accepted_loss_tolerance"] == 255,
        ({"accepted_loss_tolerance": 255},),
    ),
]


@cache
def _made_by_the_peer(layout: str) -> list[oracle.Holds]:
    """The layout checks of the table that the peer makes too."""
    skipped = {check for row in ACCEPTS if row.layout == layout for check in row.checks}
    listed = [check for check in data.table()["layouts"][layout]["checks"] if check["stage"] == "layout"]
    assert skipped <= {check["check"] for check in listed}
    return [
        oracle.reading(check["rule"], layout)
        for check in listed
        if check["check"] not in skipped and check["rule"]["op"] != "min_size"
    ]


def predicted(layout: str, values: Values) -> bool:
    """Whether the peer takes a layout with these values."""
    return all(holds(values) for holds in _made_by_the_peer(layout)) and not narrower(layout, values)


def narrower(layout: str, values: Values) -> bool:
    """Whether the peer refuses values that the wire accepts."""
    return any(row.when(values) for row in REJECTS if row.layout == layout)


def takes(layout: str, source: bytes) -> bool:
    try:
        CODECS[layout].unpack(source)
    except ValueError:
        return False
    return True


def fields(layout: str, decoded: Any) -> dict[str, Any]:
    """The peer's attributes under the names of the table; what it has no attribute for is left out."""
    found = {member.name: getattr(decoded, member.name) for member in dataclasses.fields(decoded)}
    for ours, theirs in RENAMED.get(layout, {}).items():
        found[ours] = found.pop(theirs)
    return found


def constructed(layout: str, values: Values) -> Any:
    """The peer's own object for these values, by its constructor, members where it wants members."""
    codec, renamed = CODECS[layout], RENAMED.get(layout, {})
    arguments = {}
    for ours, value in values.items():
        theirs = renamed.get(ours, ours)
        kind = KINDS.get((layout, ours))
        if any(member.name == theirs for member in dataclasses.fields(codec)):
            arguments[theirs] = kind(value) if kind else value
    return codec(**arguments)


# Where the peer compares members by identity, or calls methods of theirs, a plain number will not do.
KINDS: dict[tuple[str, str], Callable[[int], Any]] = {
    ("flow_update", "scope_kind"): control.FlowUpdateScopeKind,
    ("flow_update", "flow_flags"): control.FlowUpdateFlags,
    ("frame_submit", "input_profile"): plane.InputProfile,
}
