"""The stream splitter (wire.md section 2, "Reader algorithm on a stream")."""

from __future__ import annotations

import gc
import sys

import pytest
from wirekit import data, memory, raw

from nnrp_wire import wire
from nnrp_wire.errors import (
    FrameTooLarge,
    InvalidMagic,
    MessageLengthOverflow,
    NonZeroReservedField,
    ReaderOverrun,
    UnknownMessageType,
    WireError,
)

SOURCES = list(data.packets().values())
STREAM = b"".join(SOURCES)
SUBMIT = raw.typed_submit([b'{"a":1}'])
PING = data.plain_messages()["ping"]


def drained(reader: wire.PacketReader) -> list[bytes]:
    return [packet.to_bytes() for packet in reader]


def fed(chunks, **limits) -> list[bytes]:
    """Everything that comes out when each chunk is drained before the next."""
    reader, found = wire.PacketReader(**limits), []
    for chunk in chunks:
        reader.feed(chunk)
        found += drained(reader)
    assert reader.error is None
    return found


def test_whole_stream_in_one_chunk():
    assert fed([STREAM]) == SOURCES


def test_one_packet_per_chunk():
    assert fed(SOURCES) == SOURCES


def test_byte_by_byte():
    assert fed(STREAM[at : at + 1] for at in range(len(STREAM))) == SOURCES


def test_everything_fed_before_anything_is_taken():
    reader = wire.PacketReader()
    for at in range(0, len(STREAM), 97):
        reader.feed(STREAM[at : at + 97])
    assert drained(reader) == SOURCES
    assert reader.buffered_bytes == 0


@pytest.mark.parametrize("size", [2, 3, 7, 39, 40, 41, 64, 112, 1000, 4096])
def test_chunks_of_one_size(size):
    assert fed(STREAM[at : at + size] for at in range(0, len(STREAM), size)) == SOURCES


def test_every_split_point_of_a_short_stream():
    """Whole input and input in two pieces give the same packets, wherever the cut is."""
    sources = [PING, SUBMIT, data.packets()["packet.control.close"], PING]
    stream = b"".join(sources)
    for cut in range(len(stream) + 1):
        assert fed([stream[:cut], stream[cut:]]) == sources, cut


def test_every_pair_of_split_points_around_one_packet():
    stream = SUBMIT + PING
    for first in range(0, len(stream) + 1, 3):
        for second in range(first, len(stream) + 1, 7):
            assert fed([stream[:first], stream[first:second], stream[second:]]) == [SUBMIT, PING]


@pytest.mark.parametrize("wrap", [bytearray, memoryview, lambda chunk: memoryview(bytearray(chunk))])
def test_chunks_of_other_types(wrap):
    assert fed(wrap(STREAM[at : at + 50]) for at in range(0, len(STREAM), 50)) == SOURCES


def test_a_mutable_chunk_is_copied_so_its_owner_may_reuse_it():
    reader, buffer, found = wire.PacketReader(), bytearray(64), []
    for at in range(0, len(STREAM), 64):
        part = STREAM[at : at + 64]
        buffer[: len(part)] = part
        reader.feed(memoryview(buffer)[: len(part)])
        buffer[:] = b"\xff" * 64
        found += list(reader)
    buffer.extend(b"not locked")
    assert [packet.to_bytes() for packet in found] == SOURCES
    assert len({*found}) == len(set(SOURCES)), "packets of a stream own their bytes, so they hash"


def test_packets_inside_one_chunk_are_views_of_it():
    reader = wire.PacketReader()
    reader.feed(STREAM)
    start = memory.address_of(STREAM)
    at = 0
    for packet, source in zip(reader, SOURCES, strict=True):
        if packet.body_len:
            assert memory.address_of(packet.body) == start + at + 40 + packet.meta_len
        at += len(source)


def test_a_packet_across_chunks_is_joined_once():
    """The middle chunks of a large packet are not copied again with each further chunk."""
    big = raw.packet("close", b"", bytes(range(256)) * 4096)
    reader = wire.PacketReader()
    for at in range(0, len(big), 1 << 16):
        reader.feed(big[at : at + (1 << 16)])
    (packet,) = list(reader)
    assert packet.to_bytes() == big


def test_empty_chunks_change_nothing():
    reader = wire.PacketReader()
    for chunk in (b"", PING[:10], b"", bytearray(), PING[10:], b""):
        reader.feed(chunk)
    assert drained(reader) == [PING]


def test_counters():
    reader = wire.PacketReader()
    assert (reader.buffered_bytes, reader.offset, reader.error) == (0, 0, None)
    reader.feed(PING + SUBMIT[:50])
    assert reader.buffered_bytes == len(PING) + 50
    assert reader.next_packet().to_bytes() == PING
    assert (reader.buffered_bytes, reader.offset) == (50, 40)
    assert reader.next_packet() is None
    assert (reader.buffered_bytes, reader.offset) == (50, 40)
    reader.feed(SUBMIT[50:])
    assert reader.next_packet().to_bytes() == SUBMIT
    assert (reader.buffered_bytes, reader.offset) == (0, 40 + len(SUBMIT))
    assert reader.next_packet() is None


def test_counters_are_read_only():
    reader = wire.PacketReader()
    for name in ("buffered_bytes", "offset", "error"):
        with pytest.raises(AttributeError):
            setattr(reader, name, 1)


def test_feed_returns_nothing_and_iteration_resumes():
    reader = wire.PacketReader()
    assert reader.feed(PING) is None
    assert drained(reader) == [PING]
    assert drained(reader) == []
    reader.feed(PING)
    assert drained(reader) == [PING]


def test_feeding_while_iterating():
    reader, found = wire.PacketReader(), []
    reader.feed(PING)
    for packet in reader:
        found.append(packet.to_bytes())
        if len(found) < 5:
            reader.feed(SUBMIT)
    assert found == [PING] + [SUBMIT] * 4


@pytest.mark.parametrize(
    ("broken", "kind"),
    [
        (b"HTTP/1.1 200 OK\r\n" + bytes(40), InvalidMagic),
        (raw.patch(PING, 6, 0x7F, 1), UnknownMessageType),
        (raw.packet("ping", meta_len=raw.U32_MAX, body_len=1), MessageLengthOverflow),
        (raw.packet("ping", body_len=1 << 30), FrameTooLarge),
        (raw.packet("session_open", raw.layout("session_open", reserved0=1)), NonZeroReservedField),
    ],
)
def test_an_error_is_a_state(broken, kind):
    """Packets before it come out; then every later call reports the same error (wire.md 2: not resynchronisable)."""
    reader = wire.PacketReader()
    found = []
    with pytest.raises(kind) as first:
        reader.feed(SUBMIT + PING + broken + PING)
        found.extend(packet.to_bytes() for packet in reader)
    assert found == [SUBMIT, PING]
    assert reader.error == kind.__name__
    assert reader.offset == len(SUBMIT) + len(PING)
    for _ in range(3):
        for call in (lambda: reader.feed(PING), reader.next_packet, lambda: list(reader), lambda: reader.feed(b"")):
            with pytest.raises(kind) as again:
                call()
            assert str(again.value) == str(first.value)
            assert again.value.offset == first.value.offset
    assert reader.error == kind.__name__


def test_an_error_state_keeps_no_packet_bytes_growing():
    reader = wire.PacketReader()
    with pytest.raises(WireError):
        reader.feed(bytes(40))
        reader.next_packet()
    before = reader.buffered_bytes
    for _ in range(100):
        with pytest.raises(WireError):
            reader.feed(bytes(10_000))
    assert reader.buffered_bytes <= before


def test_a_broken_start_is_refused_as_soon_as_the_header_is_there():
    """Not after the body that the broken header claims."""
    reader = wire.PacketReader()
    source = raw.packet("ping", flags=0x40, body_len=1000)
    reader.feed(source[:39])
    assert reader.next_packet() is None
    with pytest.raises(WireError) as caught:
        reader.feed(source[39:40])
        reader.next_packet()
    assert caught.value.error_class == "reserved_bits_set"


@pytest.mark.parametrize("delta", [-1, 0, 1])
def test_packet_limit(delta):
    limit = len(SUBMIT) + delta
    reader = wire.PacketReader(max_packet_bytes=limit)
    if delta < 0:
        with pytest.raises(FrameTooLarge) as caught:
            reader.feed(SUBMIT[:40])
            reader.next_packet()
        assert (caught.value.expected, caught.value.found) == (limit, len(SUBMIT))
    else:
        reader.feed(SUBMIT)
        assert drained(reader) == [SUBMIT]


def test_overflow_comes_before_the_limit():
    reader = wire.PacketReader(max_packet_bytes=100)
    with pytest.raises(MessageLengthOverflow):
        reader.feed(raw.packet("ping", meta_len=raw.U32_MAX, body_len=raw.U32_MAX))
        reader.next_packet()


def test_default_limit_is_64_mib():
    reader = wire.PacketReader()
    reader.feed(raw.packet("close", body_len=(64 << 20) - 40))
    assert reader.next_packet() is None
    with pytest.raises(FrameTooLarge):
        other = wire.PacketReader()
        other.feed(raw.packet("close", body_len=(64 << 20) - 39))
        other.next_packet()


def test_buffered_bytes_limit():
    """Feeding on without taking packets out is our caller's fault: no wire error, and nothing is lost."""
    reader = wire.PacketReader(max_packet_bytes=200, max_buffered_bytes=200)
    reader.feed(PING * 5)
    with pytest.raises(ReaderOverrun):
        reader.feed(b"x")
    assert reader.buffered_bytes == 200
    assert reader.error is None
    assert drained(reader) == [PING] * 5
    reader.feed(PING)
    assert drained(reader) == [PING]


def test_buffered_chunks_limit():
    reader = wire.PacketReader(max_buffered_chunks=4)
    for _ in range(4):
        reader.feed(PING)
    with pytest.raises(ReaderOverrun):
        reader.feed(PING)
    assert drained(reader) == [PING] * 4
    for _ in range(4):
        reader.feed(PING)
    assert drained(reader) == [PING] * 4


def test_small_chunks_that_are_drained_never_overrun():
    """A slow peer that sends single bytes meets no count limit as long as somebody iterates."""
    big = raw.packet("close", b"", bytes(3000))
    found = fed((big[at : at + 1] for at in range(len(big))), max_buffered_chunks=16)
    assert found == [big]


def test_limits_are_keyword_only_numbers():
    with pytest.raises(TypeError):
        wire.PacketReader(100)
    with pytest.raises(TypeError):
        wire.PacketReader(max_packet_bytes="64 MiB")
    with pytest.raises(TypeError):
        wire.PacketReader(no_such_limit=1)


def test_many_tiny_packets_of_one_chunk_do_not_add_up_to_a_large_reader():
    reader = wire.PacketReader()
    reader.feed(PING * 10_000)
    count = sum(1 for _ in reader)
    assert count == 10_000
    assert reader.buffered_bytes == 0


def test_a_reader_lets_go_of_the_chunks_it_handed_out():
    reader = wire.PacketReader()
    chunk = bytes(bytearray(PING))
    before = sys.getrefcount(chunk)
    reader.feed(chunk)
    (packet,) = list(reader)
    detached = packet.header.copy()
    del packet
    assert drained(reader) == []
    assert sys.getrefcount(chunk) == before
    assert bytes(detached) == PING


def test_a_packet_outlives_its_reader():
    reader = wire.PacketReader()
    for at in range(0, len(SUBMIT), 10):
        reader.feed(SUBMIT[at : at + 10])
    packet = reader.next_packet()
    del reader
    gc.collect()
    _ = [bytes([fill]) * 4096 for fill in range(256)]
    assert packet.to_bytes() == SUBMIT


def test_repr_names_the_state():
    reader = wire.PacketReader()
    assert "PacketReader" in repr(reader)
    with pytest.raises(WireError):
        reader.feed(bytes(40))
        reader.next_packet()
    assert "PacketReader" in repr(reader)


def test_strided_chunks_are_refused_and_leave_the_reader_as_it_was():
    reader = wire.PacketReader()
    reader.feed(PING[:20])
    with pytest.raises(BufferError):
        reader.feed(memoryview(bytes(80))[::2])
    assert reader.error is None
    reader.feed(PING[20:])
    assert drained(reader) == [PING]
