"""nnrp-wire: the NNRP/1 (Preview4) binary protocol, strict and without copies.

This module re-exports what users of the wire need daily; the whole codec is `nnrp_wire.wire`, all exceptions are in
`nnrp_wire.errors`.
"""

from __future__ import annotations

from .errors import NnrpError, UsageError, WireError
from .wire import (
    MessageType,
    Packet,
    PacketReader,
    PayloadKind,
    ResultSlot,
    Stage,
    TypedPayload,
    build_frame_submit,
    build_message,
    build_packet,
    build_partial_result,
    build_result_push,
    check_body,
    check_message,
    frame_submit_body,
    iter_packets,
    message_tails,
    parse_header,
    parse_message,
    parse_packet,
    patch_header,
    result_push_body,
)

__version__ = "0.1.0"

__all__ = [
    "MessageType",
    "NnrpError",
    "Packet",
    "PacketReader",
    "PayloadKind",
    "ResultSlot",
    "Stage",
    "TypedPayload",
    "UsageError",
    "WireError",
    "__version__",
    "build_frame_submit",
    "build_message",
    "build_packet",
    "build_partial_result",
    "build_result_push",
    "check_body",
    "check_message",
    "frame_submit_body",
    "iter_packets",
    "message_tails",
    "parse_header",
    "parse_message",
    "parse_packet",
    "patch_header",
    "result_push_body",
]
