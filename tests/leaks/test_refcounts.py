"""Reference counts of owners are what they were, after good calls, after refused ones, and after views are gone."""

from __future__ import annotations

import gc
import sys

import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import NnrpError

SUBMIT = raw.typed_submit([b"payload", b"other"])
PING = data.plain_messages()["ping"]


def balanced(source, call) -> None:
    """Call many times; the source's count must not move."""
    for _ in range(3):
        call(source)
    gc.collect()
    before = sys.getrefcount(source)
    for _ in range(200):
        call(source)
    gc.collect()
    assert sys.getrefcount(source) == before


def attempt(call, *arguments) -> None:
    try:
        call(*arguments)
    except (NnrpError, TypeError, ValueError, BufferError, IndexError):
        return


def read_all(source) -> None:
    packet = wire.parse_packet(source)
    body = wire.frame_submit_body(packet)
    for one, payload in body.typed_payloads:
        bytes(payload[1:]), one.as_dict(), hash(one)
    _ = (packet.header, packet.metadata, packet.metadata_bytes, packet.body, packet.copy(), packet.to_bytes())
    _ = (repr(packet), repr(body), packet == packet, body.prelude, body.typed_payloads[-1])


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview])
@pytest.mark.parametrize(
    "call",
    [
        read_all,
        wire.parse_header,
        wire.parse_packet,
        lambda source: list(wire.iter_packets(source)),
        wire.scan,
        wire.is_utf8,
        lambda source: wire.PacketReader().feed(source),
        lambda source: wire.FrameSubmit.parse(source, 40),
        lambda source: attempt(wire.parse_packet, source, 1),
        lambda source: attempt(wire.SessionOpen.parse, source),
        lambda source: attempt(wire.parse_recovery_ticket, source),
        lambda source: attempt(wire.control_extensions, source),
        lambda source: attempt(wire.typed_region, source, source, 16, 1),
        lambda source: attempt(wire.reference_region, source, 1, 1),
        lambda source: attempt(wire.tile_index_decode, 1, source, 1),
        lambda source: wire.build_packet(0x05, None, source),
        lambda source: wire.build_partial_result(source, session_id=1, frame_id=1, operation_id=1, result_sequence=1),
        lambda source: wire.build_frame_submit(wire.TypedPayload(source), session_id=1, frame_id=1, operation_id=1),
        lambda source: wire.build_frame_submit_buffers(
            wire.TypedPayload(source), session_id=1, frame_id=1, operation_id=1
        ),
        lambda source: attempt(wire.build_packet, 0x99, None, source),
        lambda source: attempt(wire.build_frame_submit, wire.TypedPayload(source, 3)),
        lambda source: attempt(wire.patch_header, source, 0),
    ],
)
def test_source(wrap, call):
    balanced(wrap(bytes(bytearray(SUBMIT))), call)


def test_view_holds_exactly_its_owner():
    source = bytes(bytearray(SUBMIT))
    before = sys.getrefcount(source)
    packet = wire.parse_packet(source)
    assert sys.getrefcount(source) > before
    parts = [packet.header, packet.metadata, packet.body, wire.frame_submit_body(packet)]
    del packet, parts
    assert sys.getrefcount(source) == before


def test_chunks_of_a_reader():
    source = bytes(bytearray(SUBMIT))
    before = sys.getrefcount(source)
    reader = wire.PacketReader()
    for _ in range(50):
        reader.feed(source)
    packets = list(reader)
    assert len(packets) == 50
    del packets
    reader.feed(PING)
    list(reader)
    assert sys.getrefcount(source) == before, "a reader lets go of chunks it has handed out"
    for _ in range(5):
        reader.feed(source)
    del reader
    assert sys.getrefcount(source) == before, "and of chunks nobody asked for"
    reader = wire.PacketReader()
    reader.feed(source)
    reader.feed(b"X" * 60)
    with pytest.raises(NnrpError):
        list(reader)
    assert sys.getrefcount(source) == before, "and of everything once the stream is broken"


def test_metadata_and_enum_members():
    view = wire.parse_packet(PING).header
    member = view.message_type
    before = sys.getrefcount(member)
    for _ in range(1000):
        _ = view.message_type, view.flags
    del _
    assert sys.getrefcount(member) <= before + 1


@pytest.mark.parametrize("name", data.table()["layouts"])
def test_values_given_to_builders(name):
    view_class = wire.VIEWS[name]
    values = raw.read(name, data.layout_seeds()[name][0])
    field = next(one["name"] for one in raw.fields(name) if one["type"] in ("u32", "u64", "u16", "u8"))
    number = int("7" * 40)
    before = sys.getrefcount(number)
    for _ in range(100):
        attempt(lambda: view_class.build(**{**values, field: number}))
    gc.collect()
    assert sys.getrefcount(number) == before


def test_none_and_types_stay_balanced():
    """Classes are shared by all instances: a lost or stolen count shows after many."""
    classes = [wire.Packet, wire.PacketReader, *wire.VIEWS.values()]
    gc.collect()
    before = [sys.getrefcount(kind) for kind in classes]
    for _ in range(300):
        read_all(SUBMIT)
        for name, seeds in data.layout_seeds().items():
            view = wire.VIEWS[name].parse(seeds[0])
            view.copy()
            view.replace()
        wire.PacketReader()
    del view
    gc.collect()
    after = [sys.getrefcount(kind) for kind in classes]
    moved = [new - old for new, old in zip(after, before, strict=True)]
    assert max(map(abs, moved)) < 20, moved
