"""Any bytes at all: a result or one of the documented errors, and the same over every kind of memory."""

from __future__ import annotations

import contextlib
import itertools

from hypothesis import given
from hypothesis import strategies as st
from wirekit import data, oracle, raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError

SOURCES = [*data.packets().values(), *(bytes.fromhex(row["hex"]) for row in data.vectors("body"))]
bytes_of_any_kind = st.binary(max_size=300)


@st.composite
def spoiled(draw) -> bytes:
    """A good packet with a few bytes overwritten, cut out, put in, or moved; its lengths sometimes put right."""
    source = bytearray(draw(st.sampled_from(SOURCES)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(source)))
        piece = draw(st.binary(max_size=9))
        how = draw(st.sampled_from(["overwrite", "insert", "delete", "word"]))
        if how == "overwrite":
            source[at : at + len(piece)] = piece
        elif how == "insert":
            source[at:at] = piece
        elif how == "delete":
            del source[at : at + len(piece)]
        else:
            word = draw(st.sampled_from([0, 1, 24, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFF]))
            source[at : at + 4] = word.to_bytes(4, "little")
    if draw(st.booleans()) and len(source) >= 40:
        meta_len = min(int.from_bytes(source[12:16], "little"), len(source) - 40)
        source[12:16] = meta_len.to_bytes(4, "little")
        source[16:20] = (len(source) - 40 - meta_len).to_bytes(4, "little")
    return bytes(source)


def everything(source) -> list[object]:
    """All that can be asked of a packet, as plain values; errors as their class and place."""
    found: list[object] = []

    def ask(call, *arguments):
        try:
            answer = call(*arguments)
        except WireError as error:
            found.append((error.error_class, error.layout, error.field, error.rule, error.stage))
            return None
        return answer

    packet = ask(wire.parse_packet, source)
    if packet is None:
        return found
    found.append((packet.to_bytes(), packet.header.as_dict(), packet.metadata and packet.metadata.as_dict()))
    ask(wire.check_message, packet)
    ask(lambda: wire.check_message(packet, strict=True))
    ask(wire.check_body, packet)
    if packet.message_type in (0x10, 0x12):
        cut = wire.frame_submit_body if packet.message_type == 0x10 else wire.result_push_body
        body = ask(cut, packet)
        if body is not None:
            parts = (body.objects, body.typed_payloads, body.extensions)
            found += [[(one.as_dict(), bytes(payload)) for one, payload in part] for part in parts]
            found.append([block.as_dict() for block in body.references])
            found.append(tuple(body.tile_ids or ()))
            found.append(body.camera and bytes(body.camera))
            found += [
                (one.descriptor.as_dict(), one.codec_ids, one.lengths, [bytes(payload) for payload in one.payloads])
                for one in body.sections
            ]
    else:
        tails = ask(wire.message_tails, packet)
        if tails is not None:
            found.append({name: bytes(tail) for name, tail in tails.items()})
    if packet.message_type in (0x3B, 0x3C):
        found.append(ask(wire.capability_entries, packet))
    return found


@given(spoiled())
def test_spoiled_packets(source):
    over_bytes = everything(source)
    assert everything(bytearray(source)) == over_bytes
    assert everything(memoryview(source)) == over_bytes
    expected = oracle.packet_error(source)
    if expected is None:
        assert over_bytes[0][0] == source
    else:
        assert over_bytes[0][0] == expected


@given(bytes_of_any_kind)
def test_soup_everywhere(source):
    for call in (
        wire.parse_packet,
        wire.parse_recovery_ticket,
        wire.control_extensions,
        wire.scan,
        lambda soup: list(wire.iter_packets(soup)),
        lambda soup: wire.typed_region(soup, b"", 0, len(soup) // 24),
        lambda soup: wire.typed_region(soup[:24], soup[24:], 16, 1),
        lambda soup: wire.reference_region(soup, 1, 1),
        lambda soup: wire.tile_index_decode(3, soup, len(soup)),
        *(view_class.parse for view_class in wire.VIEWS.values()),
    ):
        for wrap in (bytes, bytearray):
            with contextlib.suppress(WireError):
                call(wrap(source))


@given(bytes_of_any_kind)
def test_bodies_of_soup(soup):
    """Soup behind a good header and metadata."""
    for message in ("frame_submit", "result_push"):
        for counts in ({}, {"payload_kind_bitmap": 16, "payload_frame_count": 1}):
            values = {**({"operation_id": 1} if message == "frame_submit" else {}), **counts}
            everything(raw.packet(message, raw.layout(message, values), soup))


@given(bytes_of_any_kind, st.lists(st.integers(1, 60), max_size=12))
def test_streams_of_soup(soup, sizes):
    """Whatever arrives in whatever pieces: packets, waiting, or one error that stays."""
    reader, at, broken = wire.PacketReader(), 0, None
    for size in [*sizes, len(soup)]:
        try:
            reader.feed(soup[at : at + size])
            for packet in reader:
                packet.to_bytes()
        except WireError as error:
            assert broken is None or broken == str(error)
            broken = str(error)
        else:
            assert broken is None
        at += size
    assert (reader.error is None) is (broken is None)


@given(st.lists(st.sampled_from(SOURCES), max_size=6), st.lists(st.integers(0, 500), max_size=20))
def test_chunking_does_not_matter(sources, cuts):
    stream = b"".join(sources)
    places = sorted({0, len(stream), *(cut for cut in cuts if cut <= len(stream))})
    reader, found = wire.PacketReader(), []
    for first, last in itertools.pairwise(places):
        reader.feed(stream[first:last])
        found += [packet.to_bytes() for packet in reader]
    assert found == sources
