"""`build_packet`: what it is given, judged at the layout stage only (wire.md section 1)."""

from __future__ import annotations

import pytest
from wirekit import data, oracle, raw

from nnrp_wire import wire
from nnrp_wire.errors import (
    FieldOutOfRange,
    FrameTooLarge,
    NonZeroReservedField,
    ReservedBitsSet,
    SourceTooShort,
    UnknownMessageType,
    WireError,
)

ROUTING = {
    "session_id": 0x11223344,
    "frame_id": 0x55667788,
    "flags": 0x21,
    "view_id": 0x99AA,
    "route_id": 0xBBCC,
    "trace_id": 0x0102030405060708,
}


def metadata_of(name: str) -> bytes:
    layout = data.table()["messages"][name]["metadata"]
    return data.layout_seeds()[layout][-1] if layout else b""


@pytest.mark.parametrize("name", data.table()["messages"])
def test_every_message(name):
    metadata = metadata_of(name)
    expected = raw.packet(name, metadata, b"body", **ROUTING)
    code = wire.MessageType[name.upper()]
    assert wire.build_packet(code, metadata, b"body", **ROUTING) == expected
    assert wire.build_packet(int(code), bytearray(metadata), bytearray(b"body"), **ROUTING) == expected
    if metadata:
        view = wire.VIEWS[data.table()["messages"][name]["metadata"]].parse(metadata)
        assert wire.build_packet(code, view, memoryview(b"body"), **ROUTING) == expected
    else:
        assert wire.build_packet(code, None, b"body", **ROUTING) == expected
    assert type(wire.build_packet(code, metadata)) is bytes


def test_routing_is_zero_by_default():
    assert wire.build_packet(0x20) == raw.packet("ping", session_id=0, frame_id=0)


@pytest.mark.parametrize("name", data.table()["messages"])
def test_surplus_metadata_is_kept(name):
    metadata = metadata_of(name) + b"surplus"
    assert wire.build_packet(wire.MessageType[name.upper()], metadata, b"body") == raw.packet(
        name, metadata, b"body", session_id=0, frame_id=0
    )


@pytest.mark.parametrize("row", data.vectors("packet", "flow_routing", "body"), ids=lambda row: row["id"])
def test_refuses_exactly_what_the_packet_parser_refuses(row):
    """Type, flags, metadata: whatever the layout stage says of the packet, the builder says of its parts."""
    source = bytes.fromhex(row["hex"])
    if len(source) < 40:
        return
    head = raw.read("common_header", source)
    split = min(40 + head["meta_len"], len(source))
    metadata, body = source[40:split], source[split:]
    routing = {name: head[name] for name in ROUTING}
    truthful = raw.packet(head["message_type"], metadata, body, **routing)
    try:
        made = wire.build_packet(head["message_type"], metadata, body, **routing)
    except WireError as error:
        assert error.error_class == oracle.packet_error(truthful)
    else:
        assert oracle.packet_error(truthful) is None
        assert made == truthful


def test_rules_of_later_stages_do_not_matter():
    """The public suite sends result bodies without regions, and this is how."""
    made = wire.build_packet(wire.MessageType.RESULT_PUSH, wire.ResultPush.build(), b'{"not":"regions"}')
    packet = wire.parse_packet(made)
    assert bytes(packet.body) == b'{"not":"regions"}'
    wire.build_packet(wire.MessageType.PARTIAL_RESULT, wire.PartialResult.build(), b"")
    wire.build_packet(wire.MessageType.ERROR, wire.Error.build(diagnostic_bytes=7), b"")
    wire.build_packet(wire.MessageType.RESULT_PUSH, wire.ResultPush.build(result_class=2), b"")


def test_breaches():
    with pytest.raises(UnknownMessageType):
        wire.build_packet(0x7F)
    with pytest.raises(ReservedBitsSet):
        wire.build_packet(0x20, flags=0x40)
    with pytest.raises(SourceTooShort) as caught:
        wire.build_packet(0x07, bytes(47))
    assert caught.value.layout == "session_open"
    with pytest.raises(SourceTooShort):
        wire.build_packet(0x07)
    with pytest.raises(NonZeroReservedField) as caught:
        wire.build_packet(0x07, raw.layout("session_open", reserved0=1))
    assert caught.value.field == "reserved0"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("session_id", 1 << 32),
        ("session_id", -1),
        ("frame_id", 1 << 32),
        ("flags", 1 << 32),
        ("view_id", 1 << 16),
        ("route_id", 1 << 16),
        ("trace_id", 1 << 64),
        ("trace_id", -1),
    ],
)
def test_routing_out_of_range(name, value):
    with pytest.raises(FieldOutOfRange, match=name):
        wire.build_packet(0x20, **{name: value})


@pytest.mark.parametrize("code", [-1, 256, 1 << 40])
def test_message_type_out_of_range(code):
    with pytest.raises(FieldOutOfRange):
        wire.build_packet(code)


@pytest.mark.parametrize("arguments", [("ping",), (0x20, 5), (0x20, None, "text"), (0x20, None, None), ()])
def test_wrong_types(arguments):
    with pytest.raises(TypeError):
        wire.build_packet(*arguments)


def test_unknown_options():
    with pytest.raises(TypeError):
        wire.build_packet(0x20, None, b"", no_such_option=1)
    with pytest.raises(TypeError):
        wire.build_packet(0x20, None, b"", 1)


def test_limit():
    """Writers check the same limit before writing (section 2)."""
    body = bytes(1000)
    assert len(wire.build_packet(0x05, None, body, max_packet_bytes=1040)) == 1040
    with pytest.raises(FrameTooLarge):
        wire.build_packet(0x05, None, body, max_packet_bytes=1039)
    with pytest.raises(FrameTooLarge):
        wire.build_packet(0x05, None, bytes((64 << 20) - 39))


def test_strided_parts_are_refused():
    with pytest.raises(BufferError):
        wire.build_packet(0x05, None, memoryview(b"abcd")[::2])
    with pytest.raises(BufferError):
        wire.build_packet(0x05, memoryview(bytes(80))[::2])
