"""The wire: packets, typed metadata, body regions, a stream reader and builders (floor 1 of docs/architecture.md).

Memory rules: a view keeps its source alive and never changes. Over `bytes` nothing is copied. From any other buffer,
header, metadata and descriptors are copied before they are checked; payloads are viewed, and the buffer stays exported
(a bytearray cannot be resized, an mmap not closed) until the last view of it is gone; `copy()` or `bytes()` detach.
Views are not to be pickled, and a view of memory that can change is not to be hashed.

Threads: views, packets and module functions may be shared between threads. A PacketReader and a ResultSlot belong to
one thread at a time.
"""

from __future__ import annotations

from .. import errors as _errors
from ..errors import *
from . import _enums_generated, _layouts_generated
from ._batch import (
    columns,
    columns_at,
    dtype,
    metadata_columns,
    scan,
    section_array,
    tile_arrays,
    tile_id_array,
)
from ._builders import (
    build_frame_submit_buffers,
    build_frame_submit_into,
    build_message,
    build_message_buffers,
    build_message_into,
    build_packet,
    build_packet_buffers,
    build_packet_into,
    build_partial_result_buffers,
    build_partial_result_into,
    build_recovery_ticket,
    build_result_push_buffers,
    build_result_push_into,
)
from ._codec import (
    COPY_THRESHOLD_BYTES,
    DEFAULT_MAX_PACKET_BYTES,
    DataPlaneBody,
    LayoutView,
    Packet,
    PacketReader,
    ResultSlot,
    TensorSection,
    TypedPayload,
    build_frame_submit,
    build_partial_result,
    build_result_push,
    capability_entries,
    check_body,
    check_message,
    check_pair,
    control_extensions,
    extension_region,
    frame_submit_body,
    is_utf8,
    iter_packets,
    message_tails,
    parse_header,
    parse_message,
    parse_packet,
    parse_recovery_ticket,
    patch_header,
    payload_kind_bitmap,
    payload_kinds,
    reference_region,
    result_push_body,
    tile_index_decode,
    tile_index_encode,
    typed_region,
)
from ._enums_generated import *
from ._layouts_generated import *

# Dataclasses that few programs need: loaded when first asked for, as importing dataclasses takes as long as the rest.
_LATE = {
    "Extension": "_tensor",
    "FieldInfo": "_tables",
    "RuleInfo": "_tables",
    "Section": "_tensor",
    "Tensor": "_tensor",
}


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f".{_LATE[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})


LAYOUTS = tuple(VIEWS)
"""The names of all layouts."""

__all__ = [
    *_errors.__all__,
    *_enums_generated.__all__,
    *_layouts_generated.__all__,
    "COPY_THRESHOLD_BYTES",
    "DEFAULT_MAX_PACKET_BYTES",
    "LAYOUTS",
    "DataPlaneBody",
    "Extension",
    "FieldInfo",
    "LayoutView",
    "Packet",
    "PacketReader",
    "ResultSlot",
    "RuleInfo",
    "Section",
    "Tensor",
    "TensorSection",
    "TypedPayload",
    "build_frame_submit",
    "build_frame_submit_buffers",
    "build_frame_submit_into",
    "build_message",
    "build_message_buffers",
    "build_message_into",
    "build_packet",
    "build_packet_buffers",
    "build_packet_into",
    "build_partial_result",
    "build_partial_result_buffers",
    "build_partial_result_into",
    "build_recovery_ticket",
    "build_result_push",
    "build_result_push_buffers",
    "build_result_push_into",
    "capability_entries",
    "check_body",
    "check_message",
    "check_pair",
    "columns",
    "columns_at",
    "control_extensions",
    "dtype",
    "extension_region",
    "frame_submit_body",
    "is_utf8",
    "iter_packets",
    "message_tails",
    "metadata_columns",
    "parse_header",
    "parse_message",
    "parse_packet",
    "parse_recovery_ticket",
    "patch_header",
    "payload_kind_bitmap",
    "payload_kinds",
    "reference_region",
    "result_push_body",
    "scan",
    "section_array",
    "tile_arrays",
    "tile_id_array",
    "tile_index_decode",
    "tile_index_encode",
    "typed_region",
]
__all__.sort()
