"""Each builder comes in three kinds that say the same: bytes, into a caller's buffer, a short list of buffers."""

from __future__ import annotations

import array
import os
import socket

import numpy as np
import pytest
from wirekit import memory, raw

from nnrp_wire import wire
from nnrp_wire.errors import DestinationTooShort, InvalidProtocolCombination

PLACE = {"session_id": 5, "frame_id": 6}
LARGE = bytes(range(256)) * 256  # 64 KiB, above the copy threshold
SECTIONS = [wire.Section(1, [b"a", LARGE]), wire.Section(2, [b"xy", b"z"], stride=4)]
CAMERA = wire.ObjectReferenceBlock.build(object_kind=1)

# builder name -> (arguments, options)
CASES = {
    "packet": ("build_packet", (0x05, None, b"small"), {}),
    "large packet": ("build_packet", (0x19, wire.TransportProbe.build(probe_payload_bytes=len(LARGE)), LARGE), PLACE),
    "message": ("build_message", (0x06, {"error_code": 1}, b"diagnostic"), PLACE),
    "message with large tails": ("build_message", (0x45, {"object_id": 1}, LARGE, LARGE[1:]), PLACE),
    "message without tails": ("build_message", (0x20,), {}),
    "submit": ("build_frame_submit", (wire.TypedPayload(b"{}"),), {**PLACE, "operation_id": 7}),
    "large submit": ("build_frame_submit", (wire.TypedPayload(LARGE),), {**PLACE, "operation_id": 7, "frame_class": 2}),
    "large submit of many": (
        "build_frame_submit",
        ([wire.TypedPayload(b"a"), wire.TypedPayload(LARGE), wire.TypedPayload(b"b", 64)],),
        {**PLACE, "operation_id": 7},
    ),
    "large submit of everything": (
        "build_frame_submit",
        ([wire.TypedPayload(b"a"), wire.TypedPayload(LARGE)],),
        {
            **PLACE,
            "operation_id": 7,
            "tensor": wire.Tensor(tile_ids=[4, 2], sections=SECTIONS),
            "objects": [(7, LARGE[3:])],
            "references": [CAMERA],
            "extensions": [wire.Extension(LARGE[5:], 1), wire.Extension(b"x", 2)],
        },
    ),
    "empty submit": ("build_frame_submit", (), {**PLACE, "operation_id": 7}),
    "result": ("build_result_push", (wire.TypedPayload(b"{}"),), PLACE),
    "large result": ("build_result_push", (wire.TypedPayload(LARGE),), {**PLACE, "status_code": 200}),
    "empty result": ("build_result_push", (), PLACE),
    "partial": ("build_partial_result", (b"event",), {**PLACE, "operation_id": 7, "result_sequence": 1}),
    "large partial": ("build_partial_result", (LARGE,), {**PLACE, "operation_id": 7, "result_sequence": 1}),
}
each = pytest.mark.parametrize("name", CASES)


def made(name: str) -> bytes:
    builder, arguments, options = CASES[name]
    return getattr(wire, builder)(*arguments, **options)


def into(name: str, target, pos: int) -> int:
    builder, arguments, options = CASES[name]
    return getattr(wire, f"{builder}_into")(target, pos, *arguments, **options)


def listed(name: str) -> list[bytes | memoryview]:
    builder, arguments, options = CASES[name]
    return getattr(wire, f"{builder}_buffers")(*arguments, **options)


@each
def test_bytes_are_whole_packets(name):
    packet = wire.parse_packet(made(name))
    wire.check_message(packet, strict=True)
    wire.check_body(packet)


@each
@pytest.mark.parametrize("lead", [0, 7])
def test_into_writes_the_same_bytes(name, lead):
    expected = made(name)
    target = bytearray(b"\xee" * (lead + len(expected) + 3))
    assert into(name, target, lead) == lead + len(expected)
    assert target == b"\xee" * lead + expected + b"\xee" * 3
    target.extend(b"the export was given back")


@each
def test_into_exactly_enough_room(name):
    expected = made(name)
    target = np.zeros(len(expected), dtype=np.uint8)
    assert into(name, target, 0) == len(expected)
    assert target.tobytes() == expected


@each
def test_into_too_little_room(name):
    expected = made(name)
    for room in (len(expected) - 1, 39, 0):
        target = bytearray(b"\xee" * room)
        with pytest.raises(DestinationTooShort) as caught:
            into(name, target, 0)
        assert target == b"\xee" * room, "an untouched destination"
        assert (caught.value.expected, caught.value.found) == (len(expected), room)
    with pytest.raises(DestinationTooShort):
        into(name, bytearray(len(expected)), 1)


@each
def test_into_needs_writable_memory(name):
    for target in (bytes(100_000), memoryview(bytearray(400_000))[::2]):
        with pytest.raises(BufferError):
            into(name, target, 0)
    with pytest.raises(TypeError):
        into(name, "text", 0)
    with pytest.raises((ValueError, DestinationTooShort)):
        into(name, bytearray(400_000), -1)


@each
def test_buffers_are_the_same_bytes(name):
    parts = listed(name)
    assert isinstance(parts, list)
    assert b"".join(parts) == made(name)
    for part in parts:
        assert isinstance(part, (bytes, memoryview))
        if isinstance(part, memoryview):
            assert (part.format, part.ndim, part.itemsize) == ("B", 1, 1)
        assert len(part) > 0


@each
def test_the_list_is_short(name):
    """Small parts are joined with their neighbours: one more buffer than twice the large ones at most."""
    parts = listed(name)
    large = [part for part in parts if len(part) > wire.COPY_THRESHOLD_BYTES]
    assert len(parts) <= 2 * len(large) + 1


@pytest.mark.parametrize("name", [name for name in CASES if "large" in name])
def test_large_payloads_are_handed_on_as_they_are(name):
    assert any(part is LARGE for part in listed(name))


@pytest.mark.parametrize(
    "payload", [bytearray(LARGE), memoryview(LARGE), np.frombuffer(LARGE, dtype=np.uint32), array.array("H", LARGE)]
)
def test_large_payloads_of_other_kinds_are_not_copied(payload):
    parts = wire.build_frame_submit_buffers(wire.TypedPayload(payload), **PLACE, operation_id=7)
    (handed,) = [part for part in parts if len(part) > wire.COPY_THRESHOLD_BYTES]
    assert memory.address_of(handed) == memory.address_of(memoryview(payload).cast("B"))
    assert bytes(handed) == LARGE
    assert b"".join(parts) == wire.build_frame_submit(wire.TypedPayload(LARGE), **PLACE, operation_id=7)


ODD_TYPES = [np.dtype([("a", "<u2"), ("b", ">u4")]), np.dtype(">u4"), np.dtype("<f8"), np.dtype("?")]


@pytest.mark.parametrize("kind", ODD_TYPES, ids=str)
def test_large_payloads_of_odd_item_types(kind):
    """Records, big-endian numbers and truth values are contiguous bytes like any other."""
    payload = np.frombuffer(LARGE[:60_000], dtype=kind)
    expected = raw.packet("close", b"", LARGE[:60_000], session_id=0, frame_id=0)
    assert wire.build_packet(0x05, None, payload) == expected
    assert b"".join(wire.build_packet_buffers(0x05, None, payload)) == expected
    target = bytearray(len(expected))
    assert wire.build_packet_into(target, 0, 0x05, None, payload) == len(expected)
    assert target == expected


@pytest.mark.parametrize("delta", [-1, 0, 1])
def test_copy_threshold(delta):
    """At the threshold a payload is joined, above it it is handed on."""
    payload = bytes(wire.COPY_THRESHOLD_BYTES + delta)
    parts = wire.build_partial_result_buffers(payload, **PLACE, operation_id=7, result_sequence=1)
    assert any(part is payload for part in parts) is (delta > 0)
    assert len(parts) == (2 if delta > 0 else 1)


@pytest.mark.parametrize("kind", ["", "_into", "_buffers"])
def test_every_kind_refuses_the_same(kind):
    lead = (bytearray(100_000), 0) if kind == "_into" else ()
    with pytest.raises(InvalidProtocolCombination):
        getattr(wire, f"build_frame_submit{kind}")(*lead, wire.TypedPayload(b"x"), **PLACE, operation_id=0)
    with pytest.raises(InvalidProtocolCombination):
        getattr(wire, f"build_frame_submit{kind}")(*lead, wire.TypedPayload(b"x", 2), **PLACE, operation_id=1)
    with pytest.raises(InvalidProtocolCombination):
        getattr(wire, f"build_result_push{kind}")(*lead, result_class=2, **PLACE)
    with pytest.raises(InvalidProtocolCombination):
        getattr(wire, f"build_partial_result{kind}")(*lead, b"", **PLACE, operation_id=1, result_sequence=1)
    with pytest.raises(InvalidProtocolCombination):
        getattr(wire, f"build_message{kind}")(*lead, 0x38, {"operation_id": 1})
    with pytest.raises(wire.UnknownMessageType):
        getattr(wire, f"build_packet{kind}")(*lead, 0x7F)
    if kind == "_into":
        assert lead[0] == bytes(100_000), "nothing is written when something is refused"


@pytest.mark.skipif(not hasattr(os, "writev"), reason="this system has no gathered write")
def test_buffers_go_to_writelines():
    """What the list is for: one gathered write."""
    parts = listed("large submit of everything")
    left, right = socket.socketpair()
    with left, right:
        left.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        right.settimeout(10)
        sent = os.writev(left.fileno(), parts)
        received = bytearray()
        while len(received) < sent:
            received += right.recv(1 << 20)
    assert bytes(received) == made("large submit of everything")[:sent]
