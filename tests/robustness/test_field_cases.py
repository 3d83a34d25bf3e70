"""Field cases C-01, C-02 and C-03: what went wrong in other parsers, asked of this one."""

from __future__ import annotations

import array
import gc

import numpy as np
import pytest
from wirekit import data, memory, raw
from wirekit.lying import VARIANTS

from nnrp_wire import wire
from nnrp_wire.errors import FrameTooLarge, SourceTooShort, WireError

SUBMIT = raw.typed_submit([b'{"schema_version":"openai-compatible/1"}'])
HEADER = SUBMIT[:40]
PING = data.plain_messages()["ping"]


# C-01: declared lengths that lie.


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("wrap", [bytes, bytearray])
def test_c01_from_a_stream(name, wrap):
    source, expected = VARIANTS[name]
    reader = wire.PacketReader()
    with pytest.raises(WireError) as caught:
        reader.feed(wrap(source))
        packet = reader.next_packet()
        assert packet is not None, "a length that lies is not waited for"
        wire.check_body(packet)
    assert caught.value.error_class == expected


@pytest.mark.parametrize("name", ["desc_wrap", "desc_one_past", "prelude_wrap", "hdr_sum_wrap"])
def test_c01_from_a_buffer(name):
    source, expected = VARIANTS[name]
    with pytest.raises(WireError) as caught:
        wire.frame_submit_body(wire.parse_packet(source))
    assert caught.value.error_class == expected


def test_c01_limit_before_reading_more():
    source, _ = VARIANTS["hdr_over_limit"]
    reader = wire.PacketReader()
    with pytest.raises(FrameTooLarge) as caught:
        reader.feed(source)
        reader.next_packet()
    assert caught.value.found == 40 + 72 + 0xFFFFFEB8
    assert caught.value.expected == 64 << 20


def test_c01_a_buffer_cannot_hold_what_its_header_claims():
    """In one buffer the bytes are all there, so the claim is simply not what is present (wire.md section 2)."""
    with pytest.raises(WireError) as caught:
        wire.parse_packet(VARIANTS["hdr_over_limit"][0])
    assert caught.value.error_class == "packet_length_mismatch"


def test_c01_drip():
    """64 connections that promise 60 MiB each and send 1 KiB: memory follows what arrived."""
    body_len = 60 << 20
    start = raw.packet("frame_submit", raw.layout("frame_submit", operation_id=1), body_len=body_len)
    memory.settle()
    before = memory.resident_bytes()
    readers = [wire.PacketReader() for _ in range(64)]
    for reader in readers:
        reader.feed(start)
        assert reader.next_packet() is None
        reader.feed(bytes(1024))
        assert reader.next_packet() is None
    assert memory.resident_bytes() - before < 16 << 20
    assert all(reader.buffered_bytes == len(start) + 1024 for reader in readers)


# C-02: views that are not one flat run of bytes.


def refused_or_same(view, call):
    """BufferError or TypeError before a byte is looked at, or the result of `bytes(view)`."""
    expected = call(bytes(view))
    try:
        found = call(view)
    except (BufferError, TypeError):
        return
    assert found == expected


def test_c02_strided():
    buffer = bytearray(80)
    buffer[::2] = HEADER
    buffer[1::2] = PING
    with pytest.raises(BufferError):
        wire.parse_header(memoryview(buffer)[::2])


def test_c02_reversed():
    with pytest.raises(BufferError):
        wire.parse_header(memoryview(HEADER[::-1])[::-1])


def test_c02_wide_items():
    """40 bytes are 40 bytes, whatever `len` says: 10 items of 4 are not a short source."""
    wide = memoryview(HEADER).cast("I")
    assert len(wide) == 10
    refused_or_same(wide, wire.parse_header)
    refused_or_same(array.array("Q", HEADER), wire.parse_header)
    refused_or_same(memoryview(SUBMIT + bytes(-len(SUBMIT) % 8)).cast("Q"), wire.parse_header)


def test_c02_two_dimensions():
    refused_or_same(memoryview(HEADER).cast("B", shape=[5, 8]), wire.parse_header)


def test_c02_fortran_order():
    """Logical bytes differ from memory order: refused, never read in memory order."""
    array_f = np.frombuffer(HEADER, "u1").reshape(5, 8).copy(order="F")
    with pytest.raises(BufferError):
        wire.parse_header(array_f)
    array_c = np.frombuffer(HEADER, "u1").reshape(5, 8).copy(order="C")
    refused_or_same(array_c, wire.parse_header)


@pytest.mark.parametrize(
    "call",
    [
        wire.parse_header,
        wire.parse_packet,
        lambda view: list(wire.iter_packets(view)),
        lambda view: wire.PacketReader().feed(view),
        wire.is_utf8,
        wire.control_extensions,
        wire.parse_recovery_ticket,
        wire.scan,
        wire.TransportProbe.parse,
        lambda view: wire.typed_region(view, b"", 0, 0),
        lambda view: wire.reference_region(view, 0, 0),
        lambda view: wire.tile_index_decode(1, view, 1),
    ],
)
def test_c02_every_entry_refuses_strided_input(call):
    for view in (
        memoryview(SUBMIT * 2)[::2],
        memoryview(SUBMIT)[::-1],
        np.frombuffer(SUBMIT * 2, "u1")[::2],
        np.frombuffer((SUBMIT * 2)[:80], "u1").reshape(8, 10).T,
    ):
        with pytest.raises(BufferError):
            call(view)


def test_c02_builder_parts():
    """Builders take what a view shows, and declare its bytes, not its items."""
    text = b"s-t-r-i-d-e-d-"

    def build(payload) -> bytes:
        return wire.build_frame_submit(wire.TypedPayload(payload), session_id=1, frame_id=1, operation_id=1)

    refused_or_same(memoryview(text)[::2], build)
    refused_or_same(memoryview(text)[::-1], build)
    wide = array.array("I", [1, 2, 3])
    refused_or_same(memoryview(wide), build)
    found = wire.parse_packet(build(bytes(wide)))
    assert wire.frame_submit_body(found).typed_payloads[0][0].length == 12

    def partial(payload) -> bytes:
        return wire.build_partial_result(payload, session_id=1, frame_id=1, operation_id=1, result_sequence=1)

    refused_or_same(memoryview(text)[::2], partial)
    refused_or_same(memoryview(wide), partial)

    def whole(payload) -> bytes:
        return wire.build_packet(wire.MessageType.CLOSE, None, payload)

    refused_or_same(memoryview(text)[::2], whole)
    refused_or_same(memoryview(wide), whole)


def test_c02_empty_tail():
    with pytest.raises(SourceTooShort):
        wire.parse_header(memoryview(HEADER)[40:])
    with pytest.raises(SourceTooShort):
        wire.parse_header(bytearray())
    packet = wire.parse_packet(memoryview(raw.typed_submit([b""])))
    assert bytes(wire.frame_submit_body(packet).typed_payloads[0][1]) == b""
    assert wire.typed_region(*raw.typed([b""]), 16, 1)[0][1].nbytes == 0


# C-03: views that outlive their source.


def churn() -> None:
    """Allocate and fill 50 MiB, so that freed memory is somebody else's."""
    for fill in range(50):
        bytes([fill]) * (1 << 20)
    _ = [bytearray([fill]) * 256 for fill in range(256) for _ in range(40)]


@pytest.mark.parametrize("wrap", [bytes, bytearray])
def test_c03_source_dropped(wrap):
    source = wrap(SUBMIT)
    packet = wire.parse_packet(source)
    view = wire.frame_submit_body(packet).typed_payloads[0][1]
    kept = bytes(view)
    del source, packet
    gc.collect()
    churn()
    assert bytes(view) == kept == b'{"schema_version":"openai-compatible/1"}'


def test_c03_source_resized():
    source = bytearray(SUBMIT)
    packet = wire.parse_packet(source)
    view = wire.frame_submit_body(packet).typed_payloads[0][1]
    kept = bytes(view)
    try:
        source.extend(b"x" * 10**7)
    except BufferError:
        assert len(source) == len(SUBMIT)
    assert bytes(view) == kept
    assert bytes(packet.body)[-len(kept) :] == kept


def test_c03_export_released():
    source = bytearray(SUBMIT)
    packet = wire.parse_packet(source)
    body = wire.frame_submit_body(packet)
    payloads = body.typed_payloads
    view = payloads[0][1]
    window, metadata, header = packet.body, packet.metadata, packet.header
    del packet, body, payloads, view, window, metadata, header
    gc.collect()
    source.extend(b"x" * 10**7)
    assert len(source) == len(SUBMIT) + 10**7


def test_c03_live_connection():
    """The payload view of submit 1 stays as it is while a thousand more arrive, one of them 4 MiB."""
    first = raw.typed_submit([b"first payload"])
    small = raw.typed_submit([b"x" * 200])
    large = raw.typed_submit([b"y" * (4 << 20)])
    reader, seen, kept = wire.PacketReader(), 0, None
    memory.settle()
    before = memory.resident_bytes()
    stream = [first, *([small] * 499), large, *([small] * 500)]
    chunk = bytearray()
    for source in stream:
        chunk += source
        while len(chunk) >= 1 << 16 or (source is stream[-1] and chunk):
            reader.feed(bytes(chunk[: 1 << 16]))
            del chunk[: 1 << 16]
            for packet in reader:
                seen += 1
                payload = wire.frame_submit_body(packet).typed_payloads[0][1]
                if kept is None:
                    kept = payload
    reader.feed(bytes(chunk))
    seen += sum(1 for _ in reader)
    assert seen == 1001
    assert bytes(kept) == b"first payload"
    assert memory.resident_bytes() - before < 48 << 20


def test_c03_exception_path():
    """A parse that fails after the buffer was acquired keeps no export, even while the traceback lives."""
    descriptors, frames = raw.typed([b"{}"])
    broken = raw.patch(descriptors, 14, 5, 2)
    source = bytearray(
        raw.submit(raw.body(descriptors=broken, frames=frames), payload_kind_bitmap=16, payload_frame_count=1)
    )
    packet = wire.parse_packet(source)
    with pytest.raises(WireError) as caught:
        wire.frame_submit_body(packet)
    error = caught.value
    del packet
    assert error.__traceback__ is not None
    gc.collect()
    source.extend(b"x" * 10**6)

    source = bytearray(SUBMIT[:-1])
    with pytest.raises(WireError) as caught:
        wire.parse_packet(source)
    assert caught.value.__traceback__ is not None
    source.extend(b"x" * 10**6)
