"""What type checkers make of the public names. Never run: test_typing.py has mypy read it, strictly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer, assert_type

import nnrp_wire
from nnrp_wire import errors, wire


def packets(data: bytes) -> None:
    packet = wire.parse_packet(data, 0, max_packet_bytes=1024)
    assert_type(packet, wire.Packet)
    assert_type(nnrp_wire.parse_packet(bytearray(data)), wire.Packet)
    assert_type(packet.header, wire.CommonHeader)
    assert_type(packet.message_type, wire.MessageType)
    assert_type(packet.flags, wire.HeaderFlags)
    assert_type(packet.trace_id, int)
    assert_type(packet.body, memoryview)
    assert_type(packet.metadata, wire.LayoutView | None)
    assert_type(packet.copy().to_bytes(), bytes)
    assert_type(bytes(packet), bytes)
    assert_type(wire.message_tails(packet), dict[str, memoryview])
    assert_type(wire.capability_entries(packet), tuple[str, ...])
    if isinstance(packet.metadata, wire.FrameSubmit):
        assert_type(packet.metadata.operation_id, int)
    match packet.metadata:
        case wire.PartialResult(operation_id, sequence):
            assert_type(operation_id, int)
            assert_type(sequence, int)
        case wire.SessionOpenAck() as answer:
            assert_type(answer.session_status, wire.SessionStatus)


def streams(data: bytes) -> None:
    found = wire.iter_packets(data)
    assert_type(found.position, int)
    assert_type(next(found), wire.Packet)
    reader = wire.PacketReader(max_packet_bytes=1024, max_buffered_chunks=4)
    reader.feed(memoryview(data))
    assert_type(reader.next_packet(), wire.Packet | None)
    assert_type(reader.error, str | None)
    both: list[Iterator[wire.Packet]] = [reader, found]
    for packets_of_one in both:
        for packet in packets_of_one:
            assert_type(packet, wire.Packet)


def views(data: bytes, writable: bytearray) -> None:
    hello = wire.ClientHello.parse(data, 8)
    assert_type(hello, wire.ClientHello)
    assert_type(hello.replace(requested_session_id=1), wire.ClientHello)
    assert_type(hello.degrade_policy, wire.DegradePolicy | int)
    assert_type(hello.supported_profile_bitmap, int)
    assert_type(hello.copy(), wire.ClientHello)
    assert_type(hello.as_dict(), dict[str, int | bytes])
    assert_type(wire.ClientHello.build_into(writable, 0, min_version_major=1), int)
    assert_type(wire.CommonHeader.parse(data).magic, bytes)
    assert_type(wire.Scheduling.build(priority_delta=-1), wire.Scheduling)
    assert_type(wire.VIEWS["client_hello"].size, int)
    assert_type(wire.LAYOUTS, tuple[str, ...])
    assert_type(wire.ClientHello.fields, tuple[wire.FieldInfo, ...])
    assert_type(wire.ClientHello.rules, tuple[wire.RuleInfo, ...])
    assert_type(wire.ClientHello.messages, tuple[wire.MessageType, ...])
    buffer: Buffer = hello
    assert_type(memoryview(buffer), memoryview)


def bodies(packet: wire.Packet) -> None:
    body = wire.frame_submit_body(packet)
    assert_type(body, wire.DataPlaneBody)
    assert_type(body.prelude, wire.BodyRegionPrelude | None)
    assert_type(body.objects, tuple[tuple[wire.InlineObjectBlockHeader, memoryview], ...])
    assert_type(body.references, Sequence[wire.ObjectReferenceBlock])
    assert_type(body.typed_payloads, Sequence[tuple[wire.TypedPayloadDescriptor, memoryview]])
    assert_type(body.extensions, Sequence[tuple[wire.ExtensionFrameDescriptor, memoryview]])
    assert_type(body.tile_ids, tuple[int, ...] | range | None)
    for section in body.sections:
        assert_type(section.descriptor.dtype_id, wire.TensorDtype | int)
        assert_type(section.payloads, tuple[memoryview, ...])
        assert_type(wire.tile_arrays(section), tuple[npt.NDArray[Any], ...])
        assert_type(wire.section_array(section, element_type="u1"), npt.NDArray[Any])
    assert_type(wire.tile_id_array(body), npt.NDArray[Any] | None)
    again = wire.build_frame_submit(body.typed_payloads, session_id=1, frame_id=1, operation_id=1)
    assert_type(again, bytes)


def builders(writable: bytearray, payload: Buffer) -> None:
    place: dict[str, int] = {"session_id": 1, "frame_id": 2}
    event = wire.TypedPayload(payload, wire.PayloadKind.TOKEN_CHUNK, stream_semantics=wire.StreamSemantics.APPEND)
    tensor = wire.Tensor(sections=[wire.Section(1, [payload])], camera=payload)
    extension = wire.Extension(payload, extension_kind=1)
    assert_type(wire.build_packet(wire.MessageType.PING, **place), bytes)
    assert_type(wire.build_message(0x10, {"operation_id": 1}, b"why", session_id=1), bytes)
    assert_type(wire.build_message_buffers(0x10, None, payload, trace_id=1), list[bytes | memoryview])
    assert_type(wire.build_frame_submit(b"{}", session_id=1, frame_id=1, operation_id=1), bytes)
    assert_type(
        wire.build_frame_submit_into(
            writable, 0, [event, b"{}"], session_id=1, frame_id=1, operation_id=1, tensor=tensor, extensions=[extension]
        ),
        int,
    )
    assert_type(wire.build_result_push_buffers(event, session_id=1, frame_id=1), list[bytes | memoryview])
    assert_type(wire.build_recovery_ticket(payload, session_id=1), bytes)
    slot = wire.ResultSlot(1, 2, 3, next_sequence=4)
    assert_type(slot.partial_result(payload, object_id=1), bytes)
    assert_type(slot.result_push(event, result_flags=wire.ResultFlags.PARTIAL, covered_tile_count=None), bytes)
    assert_type(slot.result_drop_reason(wire.DropReasonCode.DEADLINE_EXPIRED, b"late"), bytes)
    assert_type(slot.finished, bool)


def small_codings(data: bytes) -> None:
    assert_type(wire.payload_kinds(3), tuple[wire.PayloadKind, ...])
    assert_type(wire.payload_kind_bitmap([wire.PayloadKind.TENSOR]), wire.PayloadKindBitmap)
    assert_type(wire.tile_index_decode(wire.TileIndexMode.BITSET, data, 8), tuple[int, ...] | range)
    assert_type(wire.tile_index_encode(wire.TileIndexMode.RAW_U16, range(4)), bytes)
    assert_type(wire.parse_recovery_ticket(data), tuple[wire.RecoveryTicketPrefix, memoryview])
    for entry, value in wire.control_extensions(data):
        assert_type(entry, wire.ControlExtensionEntryHeader)
        assert_type(value, wire.LayoutView | memoryview)
    assert_type(wire.dtype(wire.ClientHello), np.dtype[np.void])
    assert_type(wire.scan(data), npt.NDArray[Any])
    assert_type(wire.columns("ping", data, count=3), npt.NDArray[Any])
    assert_type(wire.columns_at(wire.FrameSubmit, data, [0, 72]), npt.NDArray[Any])
    assert_type(wire.metadata_columns(wire.FrameSubmit, data, wire.scan(data)), npt.NDArray[Any])


def failures(data: bytes) -> None:
    try:
        wire.parse_header(data)
    except errors.SourceTooShort as error:
        assert_type(error.stage, wire.Stage | None)
        assert_type(error.layout, str | None)
        assert_type(error.offset, int)
        assert_type(error.error_class, str)
    except nnrp_wire.WireError as error:
        assert_type(error.rows, npt.NDArray[Any] | None)
    except wire.FieldOutOfRange as error:
        assert_type(error.maximum, int)
