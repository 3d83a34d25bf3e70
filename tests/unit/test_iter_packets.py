"""Back-to-back packets of one buffer."""

from __future__ import annotations

import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import FrameTooLarge, InvalidMagic, MessageLengthOverflow, PacketLengthMismatch, SourceTooShort

SOURCES = list(data.packets().values())
STREAM = b"".join(SOURCES)


def test_every_packet_of_a_buffer_in_order():
    assert [packet.to_bytes() for packet in wire.iter_packets(STREAM)] == SOURCES


@pytest.mark.parametrize("wrap", [bytearray, memoryview])
def test_other_buffers(wrap):
    assert [packet.to_bytes() for packet in wire.iter_packets(wrap(STREAM))] == SOURCES


def test_empty_buffer_has_no_packets():
    assert list(wire.iter_packets(b"")) == []
    assert list(wire.iter_packets(STREAM, len(STREAM))) == []


def test_position():
    first = len(SOURCES[0])
    assert [packet.to_bytes() for packet in wire.iter_packets(STREAM, first)] == SOURCES[1:]


def test_it_is_an_iterator_that_reads_as_it_goes():
    found = wire.iter_packets(SOURCES[0] + b"garbage" * 10)
    assert iter(found) is found
    assert next(found).to_bytes() == SOURCES[0]
    with pytest.raises(InvalidMagic):
        next(found)


def test_after_an_error_the_iterator_is_at_its_end_or_repeats_the_error():
    """A buffer that broke framing cannot be resynchronised (wire.md section 2): nothing more comes out of it."""
    found = wire.iter_packets(b"garbage" * 10)
    with pytest.raises(InvalidMagic):
        next(found)
    with pytest.raises((StopIteration, InvalidMagic)):
        next(found)


def test_incomplete_rest():
    whole = SOURCES[0]
    for rest in (1, 39):
        found = wire.iter_packets(whole + whole[:rest])
        next(found)
        with pytest.raises(SourceTooShort):
            next(found)
    for rest in (40, len(whole) - 1):
        found = wire.iter_packets(whole + whole[:rest])
        next(found)
        with pytest.raises(PacketLengthMismatch) as caught:
            next(found)
        assert (caught.value.expected, caught.value.found) == (len(whole), rest)


def test_limit_is_looked_at_before_the_rest():
    huge = raw.packet("close", body_len=1 << 30)
    with pytest.raises(FrameTooLarge):
        list(wire.iter_packets(huge))
    with pytest.raises(FrameTooLarge):
        list(wire.iter_packets(STREAM, max_packet_bytes=60))
    with pytest.raises(MessageLengthOverflow):
        list(wire.iter_packets(raw.packet("close", meta_len=1, body_len=raw.U32_MAX)))


def test_many_small_packets():
    ping = data.plain_messages()["ping"]
    count = 0
    for packet in wire.iter_packets(ping * 20_000):
        count += packet.message_type == wire.MessageType.PING
    assert count == 20_000
