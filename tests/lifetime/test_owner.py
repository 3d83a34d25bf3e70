"""A view keeps its owner alive: drop the source first, then read (pysimdjson #53 and its kind)."""

from __future__ import annotations

import gc
import pickle

import pytest
from wirekit import data, memory, raw

from nnrp_wire import wire

SUBMIT = raw.typed_submit([b"first payload", b"second payload"])
TENSOR = raw.tensor_submit(tile_index_mode=1, index=b"\x05\0\x06\0\x07\0")


def churn() -> None:
    """Make freed memory somebody else's: collect, then fill every size class around a packet's."""
    gc.collect()
    for size in (16, 32, 48, 64, 80, 96, 112, 128, 256, 300, 512, 1024, 4096):
        _ = [bytes([0xEE]) * size for _ in range(200)]
        _ = [bytearray(b"\xee" * size) for _ in range(200)]


def fresh(source: bytes, wrap) -> object:
    """A new object with the same bytes, that nobody else holds."""
    return wrap(bytearray(source))


PARTS = {
    "header": lambda packet: packet.header,
    "metadata": lambda packet: packet.metadata,
    "metadata_bytes": lambda packet: packet.metadata_bytes,
    "body": lambda packet: packet.body,
    "body slice": lambda packet: packet.body[10:20][2:5],
    "prelude": lambda packet: wire.frame_submit_body(packet).prelude,
    "descriptor": lambda packet: wire.frame_submit_body(packet).typed_payloads[1][0],
    "payload": lambda packet: wire.frame_submit_body(packet).typed_payloads[1][1],
    "payload slice": lambda packet: wire.frame_submit_body(packet).typed_payloads[1][1][7:][:3],
    "buffer of a view": lambda packet: memoryview(packet.metadata),
}


def viewed(data) -> memoryview:
    return memoryview(bytes(data))


@pytest.mark.parametrize("wrap", [bytes, bytearray, viewed])
@pytest.mark.parametrize("part", PARTS)
def test_part_outlives_everything_it_came_from(part, wrap):
    source = fresh(SUBMIT, wrap)
    packet = wire.parse_packet(source)
    kept = PARTS[part](packet)
    expected = bytes(kept)
    del source, packet
    churn()
    assert bytes(kept) == expected
    assert expected


@pytest.mark.parametrize("wrap", [bytes, bytearray])
def test_sequences_outlive_their_body(wrap):
    packet = wire.parse_packet(fresh(SUBMIT, wrap))
    payloads = wire.frame_submit_body(packet).typed_payloads
    walk = iter(payloads)
    first = next(walk)
    del packet, payloads
    churn()
    assert bytes(first[1]) == b"first payload"
    assert bytes(next(walk)[1]) == b"second payload"
    with pytest.raises(StopIteration):
        next(walk)


@pytest.mark.parametrize("wrap", [bytes, bytearray])
def test_tensor_parts_outlive_their_body(wrap):
    body = wire.frame_submit_body(wire.parse_packet(fresh(TENSOR, wrap)))
    (section,) = body.sections
    camera, ids = body.camera, body.tile_ids
    objects = list(body.objects)
    del body
    churn()
    assert bytes(camera) == b"camera"
    assert tuple(ids) == (5, 6, 7)
    assert section.lengths == (2, 2, 2)
    payloads = section.payloads
    del section
    churn()
    assert [bytes(payload) for payload in payloads] == [b"ab"] * 3
    assert [block.object_kind for block, _ in objects] == [1, 2, 3]


@pytest.mark.parametrize("wrap", [bytes, bytearray])
def test_tails_outlive_their_packet(wrap):
    source = raw.packet("error", raw.layout("error", diagnostic_bytes=4), b"text")
    tail = wire.message_tails(wire.parse_packet(fresh(source, wrap)))["diagnostic"]
    churn()
    assert bytes(tail) == b"text"


@pytest.mark.parametrize("wrap", [bytes, bytearray])
def test_packets_outlive_their_iterator(wrap):
    stream = b"".join(data.packets().values())
    walk = wire.iter_packets(fresh(stream, wrap))
    packets = list(walk)
    del walk
    churn()
    assert b"".join(packet.to_bytes() for packet in packets) == stream


def test_iterator_outlives_its_buffer():
    stream = bytes(bytearray(SUBMIT * 3))
    walk = wire.iter_packets(stream)
    del stream
    churn()
    assert [packet.to_bytes() for packet in walk] == [SUBMIT] * 3


@pytest.mark.parametrize("name", data.table()["layouts"])
def test_layout_view_outlives_its_source(name):
    source = data.layout_seeds()[name][-1]
    view = wire.VIEWS[name].parse(bytes(bytearray(b"x" * 50 + source)), 50)
    copied = view.copy()
    window = memoryview(view)
    churn()
    assert bytes(view) == bytes(copied) == bytes(window) == source
    del view
    churn()
    assert bytes(window) == source


def test_small_results_outlive_their_arguments():
    descriptors, frames = raw.typed([b"payload"])
    found = wire.typed_region(bytes(bytearray(descriptors)), bytes(bytearray(frames)), 16, 1)
    blocks = wire.reference_region(bytearray(raw.reference(1)), 1, 1)
    prefix, token = wire.parse_recovery_ticket(wire.build_recovery_ticket(b"token", session_id=1, resume_window_ms=1))
    extension = raw.layout("control_extension_entry_header", ext_type=0x4000, ext_len=8) + b"12345678"
    ((header, value),) = wire.control_extensions(bytearray(extension))
    del descriptors, frames, extension
    churn()
    assert bytes(found[0][1]) == b"payload"
    assert blocks[0].cache_key_lo == 9
    assert bytes(token) == b"token"
    assert prefix.session_id == 1
    assert bytes(value) == b"12345678"
    assert header.ext_type == 0x4000


def test_copy_lets_a_large_source_go():
    large = bytes(64 << 20)
    source = SUBMIT + large
    memory.settle()
    packet = next(iter(wire.iter_packets(source))).copy()
    header = wire.parse_header(source).copy()
    before = memory.resident_bytes()
    del source, large
    memory.settle()
    assert before - memory.resident_bytes() > 32 << 20
    assert packet.to_bytes() == SUBMIT
    assert header.session_id == 1


def test_memoryview_over_bytes_counts_as_bytes():
    """Immutable memory behind a memoryview is viewed and hashed like the bytes it is."""
    packet = wire.parse_packet(memoryview(SUBMIT))
    assert memory.address_of(packet.body) == memory.address_of(SUBMIT) + 112
    assert memory.address_of(packet.metadata) == memory.address_of(SUBMIT) + 40
    hash(packet)
    hash(packet.body)
    inner = memoryview(b"--" + SUBMIT + b"--")[2:-2]
    assert memory.address_of(wire.parse_packet(inner).body) == memory.address_of(inner) + 112


def test_views_of_views():
    """Memory we handed out goes in again: still zero copy, still the same owner."""
    inner = raw.typed_submit([b"inner payload"])
    outer = wire.parse_packet(raw.typed_submit([inner]))
    payload = wire.frame_submit_body(outer).typed_payloads[0][1]
    packet = wire.parse_packet(payload)
    assert memory.address_of(packet.body) == memory.address_of(payload) + 112
    del outer, payload
    churn()
    found = wire.frame_submit_body(packet).typed_payloads[0][1]
    assert bytes(found) == b"inner payload"
    hash(packet)


@pytest.mark.parametrize("wrap", [bytes, bytearray])
def test_hash_of_windows_follows_the_memory(wrap):
    """Memory that can change refuses to be hashed; immutable memory hashes like its bytes."""
    packet = wire.parse_packet(fresh(SUBMIT, wrap))
    payload = wire.frame_submit_body(packet).typed_payloads[0][1]
    if wrap is bytes:
        assert hash(payload) == hash(b"first payload")
        assert hash(packet.body) == hash(SUBMIT[112:])
    else:
        for window in (packet.body, payload, payload[2:4], packet.body[1:]):
            with pytest.raises(TypeError):
                hash(window)
    assert hash(packet.metadata_bytes) == hash(SUBMIT[40:112]), "metadata was copied, so it cannot change"


def test_nothing_that_holds_memory_can_be_pickled():
    packet = wire.parse_packet(SUBMIT)
    body = wire.frame_submit_body(packet)
    reader = wire.PacketReader()
    for thing in (packet, packet.header, body, body.typed_payloads, packet.body, reader, wire.iter_packets(SUBMIT)):
        with pytest.raises(TypeError):
            pickle.dumps(thing)


def test_no_cycles():
    """Views are freed at once, without the collector."""
    gc.collect()
    gc.disable()
    try:
        for _ in range(50):
            packet = wire.parse_packet(bytes(bytearray(SUBMIT)))
            body = wire.frame_submit_body(packet)
            _ = (packet.header, packet.metadata, packet.body, list(body.typed_payloads), repr(packet), hash(packet))
            source = bytearray(SUBMIT)
            moving = wire.parse_packet(source)
            inner = wire.frame_submit_body(moving)
            _ = list(inner.typed_payloads)
            del packet, body, moving, inner, _
            source.extend(b"free without a collection")
        gc.enable()
        assert gc.collect() < 50, "no views wait for the collector"
    finally:
        gc.enable()
