"""Exports of mutable memory are given back, on every path: the owner can grow again."""

from __future__ import annotations

import gc

import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError

SUBMIT = raw.typed_submit([b"payload"])
PING = data.plain_messages()["ping"]


def grows(source: bytearray) -> bool:
    try:
        source.extend(b"x" * 100_000)
    except BufferError:
        return False
    return True


HOLDERS = {
    "body": lambda packet: packet.body,
    "body slice": lambda packet: packet.body[2:9],
    "regions": wire.frame_submit_body,
    "payloads": lambda packet: wire.frame_submit_body(packet).typed_payloads,
    "payload": lambda packet: wire.frame_submit_body(packet).typed_payloads[0][1],
    "packet": lambda packet: packet,
}


@pytest.mark.parametrize("name", HOLDERS)
def test_what_views_payload_memory_pins_it(name):
    """A resize under a living view is refused, never a dangling view; when the view is gone it works."""
    source = bytearray(SUBMIT)
    holder = HOLDERS[name](wire.parse_packet(source))
    assert not grows(source)
    assert bytes(source) == SUBMIT
    del holder
    assert grows(source)


FREE = {
    "header": lambda packet: packet.header,
    "metadata": lambda packet: packet.metadata,
    "metadata_bytes": lambda packet: packet.metadata_bytes,
    "prelude": lambda packet: wire.frame_submit_body(packet).prelude,
    "descriptor": lambda packet: wire.frame_submit_body(packet).typed_payloads[0][0],
    "copy": lambda packet: packet.copy(),
    "bytes": lambda packet: packet.to_bytes(),
}


@pytest.mark.parametrize("name", FREE)
def test_what_was_copied_pins_nothing(name):
    source = bytearray(SUBMIT)
    kept = FREE[name](wire.parse_packet(source))
    assert grows(source)
    assert bytes(kept)


@pytest.mark.parametrize("name", data.table()["layouts"])
def test_layout_views_pin_nothing(name):
    view_class, seed = wire.VIEWS[name], data.layout_seeds()[name][0]
    source = bytearray(seed)
    view = view_class.parse(source)
    assert grows(source)
    assert bytes(view) == seed
    target = bytearray(len(seed))
    view_class.build_into(target, 0, **raw.read(name, seed))
    assert grows(target)


def test_several_views_each_hold_on():
    source = bytearray(SUBMIT)
    packet = wire.parse_packet(source)
    first, second = packet.body, packet.body
    del packet
    assert not grows(source)
    del first
    assert not grows(source)
    del second
    assert grows(source)


def test_released_memoryview_gives_back():
    source = bytearray(SUBMIT)
    body = wire.parse_packet(source).body
    body.release()
    assert grows(source)
    with pytest.raises(ValueError, match="released"):
        bytes(body)


def test_context_manager_gives_back():
    source = bytearray(SUBMIT)
    with wire.frame_submit_body(wire.parse_packet(source)).typed_payloads[0][1] as payload:
        assert bytes(payload) == b"payload"
        assert not grows(source)
    assert grows(source)


REFUSED = {
    "header": (wire.parse_header, b"X" * 40),
    "short header": (wire.parse_header, b"NNRP"),
    "packet header": (wire.parse_packet, b"X" * 60),
    "packet length": (wire.parse_packet, SUBMIT + b"x"),
    "packet overflow": (wire.parse_packet, raw.packet("ping", meta_len=raw.U32_MAX, body_len=1)),
    "packet limit": (lambda source: wire.parse_packet(source, max_packet_bytes=50), SUBMIT),
    "metadata": (wire.parse_packet, raw.packet("session_open", raw.layout("session_open", reserved0=1))),
    "short metadata": (wire.parse_packet, raw.packet("session_open", b"short")),
    "layout": (wire.SessionOpen.parse, raw.layout("session_open", reserved0=1)),
    "iterator": (lambda source: list(wire.iter_packets(source)), PING + b"X" * 40),
    "cut iterator": (lambda source: list(wire.iter_packets(source)), PING + PING[:39]),
    "message": (
        lambda source: wire.check_message(wire.parse_packet(source)),
        raw.packet("partial_result", raw.layout("partial_result"), b"abc"),
    ),
    "tails": (lambda source: wire.check_body(wire.parse_packet(source)), raw.packet("ping", b"", b"body")),
    "tails by name": (lambda source: wire.message_tails(wire.parse_packet(source)), raw.packet("ping", b"", b"body")),
    "prelude": (lambda source: wire.frame_submit_body(wire.parse_packet(source)), raw.submit(b"x" * 40)),
    "descriptors": (
        lambda source: wire.frame_submit_body(wire.parse_packet(source)),
        raw.patch(SUBMIT, 112 + 32 + 14, 1, 2),
    ),
    "objects": (
        lambda source: wire.frame_submit_body(wire.parse_packet(source)),
        raw.submit(raw.body(objects=raw.inline_object(7, b"12345678") + raw.inline_object(99))),
    ),
    "sections": (
        lambda source: wire.frame_submit_body(wire.parse_packet(source)),
        raw.tensor_submit(sections=[raw.section(1, [b"ab"] * 3), raw.section(1, [b"ab"] * 3)]),
    ),
    "recovery": (wire.parse_recovery_ticket, b"NRTK" + bytes(40)),
    "control": (wire.control_extensions, b"\x01\x01\0\0\x09\0\0\0" + bytes(16)),
    "typed region": (lambda source: wire.typed_region(source, source, 16, 5), b"x" * 24),
    "references": (lambda source: wire.reference_region(source, 1, 1), b"\xff" * 24),
    "tile index": (lambda source: wire.tile_index_decode(1, source, 9), b"x"),
    "scan": (wire.scan, PING + b"X" * 40),
    "patch": (lambda source: wire.patch_header(source, session_id=1), b"X" * 40),
    "patch value": (lambda source: wire.patch_header(source, flags=0x40), PING),
    "capabilities": (
        lambda source: wire.capability_entries(wire.parse_packet(source)),
        raw.packet("capability_negotiation", raw.layout("capability", capability_count=1, body_bytes=1), b"x"),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_keep_no_export(name):
    """Even while the error and its traceback live (C-03, exception_path)."""
    call, source = REFUSED[name]
    kept = []
    buffer = bytearray(source)
    try:
        call(buffer)
    except WireError as error:
        kept.append(error)
    assert kept, "refused"
    gc.collect()
    assert kept[0].__traceback__ is not None
    assert grows(buffer)


def test_a_reader_never_pins_what_it_was_fed():
    for chunk in (SUBMIT, SUBMIT[:20], PING + SUBMIT[:60], b"X" * 60):
        source = bytearray(chunk)
        reader = wire.PacketReader()
        try:
            reader.feed(source)
            packets = list(reader)
        except WireError:
            packets = []
        assert grows(source)
        assert [packet.to_bytes() for packet in packets] in ([], [PING], [SUBMIT])


def test_destinations_are_given_back():
    target = bytearray(16)
    with pytest.raises(WireError):
        wire.TransportProbeAck.build_into(target, 0, reserved0=1)
    with pytest.raises(WireError):
        wire.TransportProbeAck.build_into(target, 1)
    with pytest.raises(TypeError):
        wire.TransportProbeAck.build_into(target, 0, nothing=1)
    with pytest.raises(ValueError, match="probe_id"):
        wire.TransportProbeAck.build_into(target, 0, probe_id=-1)
    assert grows(target)


def test_an_iterator_pins_its_buffer_until_it_is_gone():
    source = bytearray(PING * 2)
    walk = wire.iter_packets(source)
    next(walk)
    assert not grows(source)
    del walk
    assert grows(source)


def test_scan_and_utf8_pin_nothing():
    source = bytearray(PING * 2)
    rows = wire.scan(source)
    assert wire.is_utf8(source) in (True, False)
    assert grows(source)
    assert len(rows) == 2
