"""Every message as a whole packet through both codecs, and the small codings inside bodies."""

from __future__ import annotations

from functools import partial
from typing import Any

import interop_peer as peer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from interop_values import length_fields, metadata, routing, tails, valid
from nnrp import core, runtime
from nnrp.core.messages import control
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError

few = settings(max_examples=25)
DATA_PLANE = {"frame_submit", "result_push"}  # test_nnrp_py_bodies.py
MESSAGES = [name for name in data.table()["messages"] if name not in DATA_PLANE]
HEADER = ("session_id", "frame_id", "flags", "view_id", "route_id", "trace_id")

Route = dict[str, int]


def peer_packet(message: str, meta: bytes, body: bytes, route: Route) -> bytes:
    """The packet as the peer builds it."""
    built = core.NnrpPacket.build(
        version_major=1,
        wire_format=core.WireFormat.CURRENT,
        msg_type=core.MessageType[message.upper()],
        metadata=meta,
        body=body,
        **{**route, "flags": core.HeaderFlags(route["flags"])},
    )
    return built.pack()


def received(source: bytes) -> wire.Packet:
    """The packet as a strict receiver takes it off a stream."""
    reader = wire.PacketReader()
    reader.feed(source)
    packet = reader.next_packet()
    assert packet is not None
    assert reader.buffered_bytes == 0
    wire.check_message(packet, strict=True)
    wire.check_body(packet)
    return packet


def routed(header: Any) -> Route:
    return {name: int(getattr(header, name)) for name in HEADER}


@pytest.mark.parametrize("message", MESSAGES)
def test_message(message: str) -> None:
    layout = data.table()["messages"][message]["metadata"]
    kind = wire.MessageType(data.message_code(message))

    @few
    @given(metadata(message), tails(message), routing)
    def check(values: dict[str, int], parts: list[bytes], route: Route) -> None:
        if message == "flow_update" and values["scope_kind"] == 0:
            route = {**route, "session_id": 0}
        source = wire.build_message(kind, values or None, *parts, **route)
        body = b"".join(parts)

        theirs = core.NnrpPacket.unpack(source)
        assert routed(theirs.header) == route
        assert theirs.header.msg_type.name == message.upper() == kind.name
        assert (len(theirs.metadata), theirs.body) == (raw.size(layout) if layout else 0, body)
        assert theirs.pack() == source
        frame = runtime.decode_websocket_binary_frame(source)
        assert runtime.encode_websocket_binary_frame(frame.header, frame.metadata, frame.body) == source

        packet = received(source)
        meta = theirs.metadata
        if layout in peer.CODECS:
            found = peer.fields(layout, peer.CODECS[layout].unpack(meta))
            assert {name: packet.metadata.as_dict()[name] for name in found} == found
            meta = peer.constructed(layout, packet.metadata.as_dict()).pack()

        built = peer_packet(message, meta, body, route)
        assert built == source
        back = received(built)
        assert back == packet
        assert [bytes(part) for part in wire.message_tails(back).values()] == parts
        for name, part in zip(length_fields(message), parts, strict=False):
            assert getattr(back.metadata, name) == len(part)

    check()


def declared(message: str) -> Any:
    """The peer's reader of metadata together with its tail, for the messages it has one for."""
    kind = core.MessageType[message.upper()]
    if kind in runtime._RUNTIME_CONTROL_TYPES:
        return partial(runtime.decode_runtime_control_metadata, kind)
    if kind in runtime._RUNTIME_OBJECT_TYPES:
        return partial(runtime.decode_runtime_object_metadata, kind)
    return None


WITH_TAIL = [message for message in MESSAGES if declared(message)]


def test_the_peer_reads_the_tails_of_these() -> None:
    assert len(WITH_TAIL) == 26


@pytest.mark.parametrize("message", WITH_TAIL)
def test_declared_tails(message: str) -> None:
    decode = declared(message)

    @few
    @given(metadata(message), tails(message))
    def check(values: dict[str, int], parts: list[bytes]) -> None:
        kind = wire.MessageType(data.message_code(message))
        packet = wire.parse_packet(wire.build_message(kind, values, *parts, session_id=1, frame_id=1))
        assert decode(bytes(packet.metadata_bytes) + bytes(packet.body)).tail == b"".join(parts)
        if not parts:
            return
        # One byte more or less than declared is refused by both.
        longer = peer_packet(message, bytes(packet.metadata_bytes), bytes(packet.body) + b"!", routed(packet.header))
        with pytest.raises(WireError):
            wire.check_body(wire.parse_packet(longer))
        with pytest.raises(ValueError, match="declared tail length"):
            decode(bytes(packet.metadata_bytes) + bytes(packet.body) + b"!")

    check()


BUILDERS = {
    "frame_cancel": core.build_frame_cancel_packet,
    "result_drop": core.build_result_drop_packet,
    "ping": core.build_ping_packet,
    "pong": core.build_pong_packet,
    "flow_update": core.build_flow_update_packet,
    "result_hint": core.build_result_hint_packet,
    "transport_probe": core.build_transport_probe_packet,
    "transport_probe_ack": core.build_transport_probe_ack_packet,
    "session_migrate": core.build_session_migrate_packet,
    "session_migrate_ack": core.build_session_migrate_ack_packet,
}
WITHOUT_FRAME = {name for name in BUILDERS if name not in ("frame_cancel", "result_drop", "result_hint")}
WITH_VIEW = {"frame_cancel", "result_drop"}


@pytest.mark.parametrize("message", BUILDERS)
def test_the_peers_own_builder(message: str) -> None:
    layout = data.table()["messages"][message]["metadata"]
    kind = wire.MessageType(data.message_code(message))

    @few
    @given(metadata(message), tails(message), routing)
    def check(values: dict[str, int], parts: list[bytes], route: Route) -> None:
        if message in WITHOUT_FRAME:
            route = {**route, "frame_id": 0}
        if message not in WITH_VIEW:
            route = {**route, "view_id": 0}
        if message == "flow_update" and values["scope_kind"] == 0:
            route = {**route, "session_id": 0}
        arguments: dict[str, Any] = {name: value for name, value in route.items() if value or name == "session_id"}
        arguments["flags"] = core.HeaderFlags(route["flags"])
        source = wire.build_message(kind, values or None, *parts, **route)
        if layout:
            arguments["metadata"] = peer.constructed(layout, wire.parse_packet(source).metadata.as_dict())
        if parts:
            [arguments["body"]] = parts
        assert BUILDERS[message](**arguments).pack() == source

    check()


@few
@given(
    st.lists(st.sampled_from(["ping", "partial_result", "result_drop_reason", "credit_update"]), max_size=6), st.data()
)
def test_packets_back_to_back(names: list[str], drawn: st.DataObject) -> None:
    """A batch of the peer and a stream of ours are the same bytes."""
    made = []
    for name in names:
        kind = wire.MessageType(data.message_code(name))
        made.append(
            wire.build_message(kind, drawn.draw(metadata(name)) or None, *drawn.draw(tails(name)), session_id=1)
        )
    stream = b"".join(made)
    frames = runtime.decode_websocket_binary_frame_batch(stream)
    again = [runtime.encode_websocket_binary_frame(one.header, one.metadata, one.body) for one in frames]
    assert again == made
    reader, found, rest = wire.PacketReader(), [], b"".join(again)
    while rest:
        cut = drawn.draw(st.integers(1, len(rest)))
        reader.feed(rest[:cut])
        found += [packet.to_bytes() for packet in reader]
        rest = rest[cut:]
    assert found == made


# Control extension blocks (wire.md section 9).

HELLO_VALUES = {
    0x0101: "hello_ext_transport_policy",
    0x0102: "hello_ext_transport_policy_ack",
    0x0103: "hello_ext_loss_tolerance",
    0x0104: "hello_ext_loss_tolerance_ack",
    0x0105: "hello_ext_payload_capabilities",
    0x0106: "hello_ext_payload_capabilities_ack",
}

free_entry = st.tuples(st.integers(0x200, 0xFFFF), st.just(0), st.binary(max_size=20))
hello_entry = st.sampled_from(sorted(HELLO_VALUES)).flatmap(
    lambda kind: st.tuples(
        st.just(kind),
        st.sampled_from([0, 1]),
        valid(HELLO_VALUES[kind]).map(lambda values: raw.layout(HELLO_VALUES[kind], values)),
    )
)


@given(st.lists(st.one_of(free_entry, hello_entry), max_size=6))
def test_control_extensions(entries: list[tuple[int, int, bytes]]) -> None:
    block = core.pack_control_extension_block(
        core.ControlExtensionEntry(kind, core.ControlExtensionFlags(flags), value) for kind, flags, value in entries
    )
    ours = [
        (int(header.ext_type), int(header.ext_flags), bytes(value)) for header, value in wire.control_extensions(block)
    ]
    theirs = [(one.ext_type, int(one.ext_flags), one.payload) for one in core.unpack_control_extension_block(block)]
    assert ours == theirs == entries
    known = core.unpack_control_extension_block(block, known_types=HELLO_VALUES.keys())
    assert len(known) == sum(kind in HELLO_VALUES for kind, _, _ in entries)
    for header, value in wire.control_extensions(block):
        if header.ext_type in HELLO_VALUES:
            assert value.layout_name == HELLO_VALUES[header.ext_type]


def extension(kind: int, value: bytes, flags: int = 0, length: int | None = None) -> bytes:
    stated = len(value) if length is None else length
    return raw.layout("control_extension_entry_header", ext_type=kind, ext_flags=flags, ext_len=stated) + value


@pytest.mark.parametrize(
    ("block", "refused", "taken"),
    [
        (b"\0" * 7, "invalid_protocol_combination", False),
        (extension(0x300, b"", flags=1), "invalid_protocol_combination", False),  # critical, of an unknown type
        (extension(0x300, b"", length=1), "invalid_protocol_combination", False),
        (extension(0x300, b"abc"), "invalid_protocol_combination", False),
        (extension(0x300, b"abc") + b"\0\0\0\0\1", "invalid_protocol_combination", False),
        # The peer keeps flags it does not know, and leaves the length of a value to who reads the value.
        (extension(0x300, b"", flags=2), "reserved_bits_set", True),
        (extension(0x101, b"\0" * 16), "declared_length_mismatch", True),
    ],
)
def test_refused_control_extensions(block: bytes, refused: str, taken: bool) -> None:
    with pytest.raises(WireError) as error:
        wire.control_extensions(block)
    assert error.value.error_class == refused
    if taken:
        assert core.unpack_control_extension_block(block, known_types=HELLO_VALUES.keys() | {0x300})
    else:
        with pytest.raises(ValueError, match="control extension"):
            core.unpack_control_extension_block(block, known_types=HELLO_VALUES.keys())


@pytest.mark.parametrize("answer", [False, True])
def test_session_patch_body(answer: bool) -> None:
    message = "session_patch_ack" if answer else "session_patch"
    layout = "tensor_profile_patch_ack_block" if answer else "tensor_profile_patch_block"
    unpack = control.unpack_session_patch_ack_body if answer else control.unpack_session_patch_body
    length = "profile_patch_ack_bytes" if answer else "profile_patch_bytes"

    @few
    @given(metadata(message), valid(layout))
    def check(values: dict[str, int], block: dict[str, int]) -> None:
        kind = wire.MessageType(data.message_code(message))
        packet = wire.parse_packet(
            wire.build_message(kind, values, bytes(wire.VIEWS[layout].build(**block)), session_id=1)
        )
        theirs = unpack(bytes(packet.body), **{length: getattr(packet.metadata, length)})
        assert peer.fields(layout, theirs) == block
        [part] = wire.message_tails(packet).values()
        assert wire.VIEWS[layout].parse(bytes(part)).as_dict() == block

    check()


# Tile indices (wire.md section 6.4.2).

ascending = st.lists(st.integers(0, 3000), max_size=12, unique=True).map(sorted)


@given(st.sampled_from(list(core.TileIndexMode)), ascending, st.integers(0, 60000))
def test_tile_index(mode: core.TileIndexMode, ids: list[int], base: int) -> None:
    if mode is core.TileIndexMode.DENSE_RANGE:
        ids = list(range(base, base + len(ids)))
    coded = core.pack_tile_index_block(ids, mode=mode, tile_base_id=base)
    assert wire.tile_index_encode(int(mode), ids, base) == coded
    assert list(wire.tile_index_decode(int(mode), coded, len(ids), base)) == ids
    assert list(core.unpack_tile_index_block(coded, mode=mode, tile_count=len(ids), tile_base_id=base)) == ids


@given(st.lists(st.integers(0, 0xFFFF), max_size=12))
def test_raw_tile_index_keeps_any_order(ids: list[int]) -> None:
    coded = core.pack_tile_index_block(ids, mode=core.TileIndexMode.RAW_U16)
    assert wire.tile_index_encode(1, ids) == coded
    assert list(wire.tile_index_decode(1, coded, len(ids))) == ids


@pytest.mark.parametrize(
    ("mode", "coded", "count"),
    [
        (2, b"\x05\x00\x00\x00", 2),  # a difference of 0
        (2, b"\xff\xff\x01\x00", 2),  # a running id above 65535
        (3, b"\x01\x00", 1),  # a last byte of 0
    ],
)
def test_tile_indices_that_only_the_peer_reads(mode: int, coded: bytes, count: int) -> None:
    """wire.md section 6.4.2, details; no row of section 12 says that the peer is more generous here."""
    assert len(core.unpack_tile_index_block(coded, mode=core.TileIndexMode(mode), tile_count=count)) == count
    with pytest.raises(WireError) as refused:
        wire.tile_index_decode(mode, coded, count)
    assert refused.value.error_class == "invalid_protocol_combination"
