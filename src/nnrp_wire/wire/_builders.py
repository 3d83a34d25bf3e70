"""The builders that come in three kinds: bytes, into a caller's buffer, and a short list of buffers."""

from __future__ import annotations

from collections.abc import Mapping

from . import _assembly, _codec

TYPE_CHECKING = False  # as in _errors_base.py
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Buffer, Unpack

    from ._codec import LayoutView
    from ._options import FrameSubmitOptions, PartialResultOptions, Payloads, ResultPushOptions, Routing

__all__ = [
    "build_frame_submit_buffers",
    "build_frame_submit_into",
    "build_message",
    "build_message_buffers",
    "build_message_into",
    "build_packet",
    "build_packet_buffers",
    "build_packet_into",
    "build_partial_result_buffers",
    "build_partial_result_into",
    "build_recovery_ticket",
    "build_result_push_buffers",
    "build_result_push_into",
]

build_recovery_ticket = _assembly.recovery_ticket


def build_packet(
    message_type: int, metadata: LayoutView | Buffer | None = None, body: Buffer = b"", /, **routing: Unpack[Routing]
) -> bytes:
    """Header, metadata and body as given, judged at the layout stage only (wire.md section 1).

    metadata is a view, or bytes that are kept as they are, surplus included. routing: session_id, frame_id, flags,
    view_id, route_id, trace_id, max_packet_bytes. Raises what parse_packet would raise for the packet.
    """
    return _assembly.joined(_assembly.packet_parts(message_type, metadata, body, **routing))


def build_packet_into(
    buf: Buffer, pos: int, message_type: int, metadata: LayoutView | Buffer | None = None, body: Buffer = b"", /,
    **routing: Unpack[Routing],
) -> int:  # fmt: skip
    """build_packet into buf[pos:]; returns the position behind the packet. buf is untouched by a failure.

    Raises DestinationTooShort too, and BufferError for a read-only buffer.
    """
    return _codec.copy_into(buf, pos, _assembly.packet_parts(message_type, metadata, body, **routing))


def build_packet_buffers(
    message_type: int, metadata: LayoutView | Buffer | None = None, body: Buffer = b"", /, **routing: Unpack[Routing]
) -> list[bytes | memoryview]:
    """build_packet as buffers for writelines: a body above COPY_THRESHOLD_BYTES is not copied."""
    return _assembly.buffers(_assembly.packet_parts(message_type, metadata, body, **routing))


def build_message(
    message_type: int,
    metadata: LayoutView | Mapping[str, Any] | None = None,
    /,
    *tails: Buffer,
    **routing: Unpack[Routing],
) -> bytes:
    """A whole message: layout, message, sender and body stage hold (wire.md section 1).

    metadata is a view or a mapping of fields, in which the lengths of the tails need not stand. tails are the declared
    parts of the body in the order of the catalogue (wire.md section 4), missing ones empty. routing as in build_packet.
    FRAME_SUBMIT and RESULT_PUSH have builders of their own.

    Raises what a strict receiver would raise, UnknownMessageType included; FieldOutOfRange; TypeError for a data-plane
    message, for more tails than the message has and for an unknown field.
    """
    return _assembly.joined(_assembly.message_parts(message_type, metadata, tails, **routing))


def build_message_into(
    buf: Buffer, pos: int, message_type: int, metadata: LayoutView | Mapping[str, Any] | None = None, /,
    *tails: Buffer, **routing: Unpack[Routing],
) -> int:  # fmt: skip
    """build_message into buf[pos:]; returns the position behind the packet. buf is untouched by a failure.

    Raises DestinationTooShort too, and BufferError for a read-only buffer.
    """
    return _codec.copy_into(buf, pos, _assembly.message_parts(message_type, metadata, tails, **routing))


def build_message_buffers(
    message_type: int,
    metadata: LayoutView | Mapping[str, Any] | None = None,
    /,
    *tails: Buffer,
    **routing: Unpack[Routing],
) -> list[bytes | memoryview]:
    """build_message as buffers for writelines: a tail above COPY_THRESHOLD_BYTES is not copied."""
    return _assembly.buffers(_assembly.message_parts(message_type, metadata, tails, **routing))


def _parts(build: Any, content: Payloads | Buffer, options: Mapping[str, Any]) -> list[Buffer]:
    """What a builder of the codec joins; `_finish` is between these two modules, so its signature hides it."""
    parts: list[Buffer] = build(content, **options, _finish=list)
    return parts


def build_frame_submit_into(
    buf: Buffer, pos: int, payloads: Payloads = (), /, **options: Unpack[FrameSubmitOptions]
) -> int:
    """build_frame_submit into buf[pos:]; returns the position behind the packet. buf is untouched by a failure.

    Raises DestinationTooShort too, and BufferError for a read-only buffer.
    """
    return _codec.copy_into(buf, pos, _parts(_codec.build_frame_submit, payloads, options))


def build_frame_submit_buffers(
    payloads: Payloads = (), /, **options: Unpack[FrameSubmitOptions]
) -> list[bytes | memoryview]:
    """build_frame_submit as buffers for writelines: a payload above COPY_THRESHOLD_BYTES is not copied."""
    return _assembly.buffers(_parts(_codec.build_frame_submit, payloads, options))


def build_result_push_into(
    buf: Buffer, pos: int, payloads: Payloads = (), /, **options: Unpack[ResultPushOptions]
) -> int:
    """build_result_push into buf[pos:]; returns the position behind the packet. buf is untouched by a failure.

    Raises DestinationTooShort too, and BufferError for a read-only buffer.
    """
    return _codec.copy_into(buf, pos, _parts(_codec.build_result_push, payloads, options))


def build_result_push_buffers(
    payloads: Payloads = (), /, **options: Unpack[ResultPushOptions]
) -> list[bytes | memoryview]:
    """build_result_push as buffers for writelines: a payload above COPY_THRESHOLD_BYTES is not copied."""
    return _assembly.buffers(_parts(_codec.build_result_push, payloads, options))


def build_partial_result_into(
    buf: Buffer, pos: int, body: Buffer = b"", /, **options: Unpack[PartialResultOptions]
) -> int:
    """build_partial_result into buf[pos:]; returns the position behind the packet. buf is untouched by a failure.

    Raises DestinationTooShort too, and BufferError for a read-only buffer.
    """
    return _codec.copy_into(buf, pos, _parts(_codec.build_partial_result, body, options))


def build_partial_result_buffers(
    body: Buffer = b"", /, **options: Unpack[PartialResultOptions]
) -> list[bytes | memoryview]:
    """build_partial_result as buffers for writelines: a body above COPY_THRESHOLD_BYTES is not copied."""
    return _assembly.buffers(_parts(_codec.build_partial_result, body, options))
