"""What a `Packet` offers."""

from __future__ import annotations

import copy
import pickle

import pytest
from wirekit import data, memory, raw

from nnrp_wire import wire

METADATA = raw.layout("cache_put", cache_namespace=3, object_kind=4, cache_key_lo=5, object_bytes=6, flags=1)
SOURCE = raw.packet(
    "cache_put",
    METADATA,
    b"object",
    flags=0x21,
    session_id=7,
    frame_id=8,
    view_id=9,
    route_id=10,
    trace_id=0x1122334455667788,
)


def test_header_fields():
    packet = wire.parse_packet(SOURCE)
    assert packet.header == wire.parse_header(SOURCE)
    assert packet.message_type is wire.MessageType.CACHE_PUT
    assert packet.flags == wire.HeaderFlags.ACK_REQUIRED | wire.HeaderFlags.KEYFRAME
    assert isinstance(packet.flags, wire.HeaderFlags)
    assert (packet.meta_len, packet.body_len) == (40, 6)
    assert (packet.session_id, packet.frame_id) == (7, 8)
    assert (packet.view_id, packet.route_id) == (9, 10)
    assert packet.trace_id == 0x1122334455667788


def test_parts():
    packet = wire.parse_packet(SOURCE)
    assert type(packet.metadata) is wire.CachePut
    assert packet.metadata.cache_namespace == 3
    assert bytes(packet.metadata_bytes) == METADATA
    assert bytes(packet.body) == b"object"
    assert packet.to_bytes() == SOURCE
    assert type(packet.to_bytes()) is bytes
    assert len(packet) == len(SOURCE)


@pytest.mark.parametrize("wrap", [bytes, bytearray])
def test_windows_are_readonly_byte_views(wrap):
    packet = wire.parse_packet(wrap(SOURCE))
    for window in (packet.body, packet.metadata_bytes):
        assert isinstance(window, memoryview)
        assert window.readonly
        assert (window.format, window.ndim, window.itemsize) == ("B", 1, 1)
        with pytest.raises(TypeError):
            window[0] = 1


def test_over_bytes_nothing_is_copied():
    packet = wire.parse_packet(SOURCE)
    start = memory.address_of(SOURCE)
    assert memory.address_of(packet.body) == start + 80
    assert memory.address_of(packet.metadata_bytes) == start + 40
    assert memory.address_of(packet.metadata) == start + 40


def test_over_mutable_memory_only_the_body_is_a_view():
    source = bytearray(SOURCE)
    packet = wire.parse_packet(source)
    source[:] = b"\xff" * len(source)
    assert packet.header == wire.parse_header(SOURCE)
    assert bytes(packet.metadata_bytes) == METADATA
    assert packet.metadata == wire.CachePut.parse(METADATA)
    assert bytes(packet.body) == b"\xff" * 6
    assert packet.to_bytes() == SOURCE[:80] + b"\xff" * 6


def test_empty_body_and_metadata():
    packet = wire.parse_packet(data.plain_messages()["ping"])
    assert bytes(packet.body) == b""
    assert bytes(packet.metadata_bytes) == b""
    assert packet.metadata is None
    assert packet.body.nbytes == 0


def test_equality_and_hash():
    one, other = wire.parse_packet(SOURCE), wire.parse_packet(b"x" + SOURCE, 1)
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other}) == 1
    assert one != wire.parse_packet(raw.patch(SOURCE, 20, 1, 4))
    assert one != SOURCE
    assert one == wire.parse_packet(bytearray(SOURCE)), "content decides, not where it lies"


def test_a_packet_over_mutable_memory_refuses_to_be_hashed():
    packet = wire.parse_packet(bytearray(SOURCE))
    with pytest.raises(TypeError):
        hash(packet)
    with pytest.raises(TypeError):
        hash(wire.parse_packet(memoryview(bytearray(SOURCE))))
    assert hash(packet.copy()) == hash(wire.parse_packet(SOURCE))
    hash(packet.header)
    hash(packet.metadata)


def test_a_packet_over_readonly_memory_of_bytes_is_hashable():
    assert hash(wire.parse_packet(memoryview(SOURCE))) == hash(wire.parse_packet(SOURCE))


def test_copy_is_detached():
    source = bytearray(SOURCE)
    packet = wire.parse_packet(source).copy()
    source[:] = bytes(len(source))
    source.extend(b"free to grow")
    assert packet.to_bytes() == SOURCE
    assert type(packet) is wire.Packet


def test_repr_is_short_and_never_dumps_the_payload():
    packet = wire.parse_packet(raw.packet("close", b"", b"secret" * 1000))
    text = repr(packet)
    assert "CLOSE" in text
    assert "secret" not in text
    assert len(text) < 300


def test_pickling_is_refused():
    packet = wire.parse_packet(SOURCE)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match=r"(?i)pickle"):
            pickle.dumps(packet, protocol)
    for duplicate in (copy.copy, copy.deepcopy):
        try:
            made = duplicate(packet)
        except TypeError:
            continue
        assert made == packet


def test_parts_are_read_only_attributes():
    packet = wire.parse_packet(SOURCE)
    for name in ("header", "message_type", "flags", "session_id", "metadata", "metadata_bytes", "body"):
        with pytest.raises(AttributeError):
            setattr(packet, name, None)


def test_metadata_matches_by_pattern():
    match wire.parse_packet(SOURCE).metadata:
        case wire.CachePut(object_kind=wire.CacheObjectKind.CODEC_TABLE, object_bytes=size):
            assert size == 6
        case _:
            pytest.fail("did not match")
