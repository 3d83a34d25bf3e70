"""parse_message: layout, message and body stage in one call (wire.md section 1), equal to the calls it stands for."""

from __future__ import annotations

import pytest
from wirekit import data

from nnrp_wire import wire


def one_by_one(source, strict=False):
    packet = wire.parse_packet(source)
    wire.check_message(packet, strict=strict)
    wire.check_body(packet)
    return packet


def outcome(call, *arguments, **options):
    try:
        return call(*arguments, **options).to_bytes()
    except wire.WireError as error:
        return type(error), str(error), error.stage, error.offset


def sources():
    return [
        bytes.fromhex(vector["hex"])
        for vector in data.vectors()
        if vector["kind"] in ("packet", "body", "flow_routing")
    ]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("wrap", [bytes, bytearray])
def test_same_as_the_three_calls(wrap, strict):
    seen = set()
    for source in sources():
        single, together = (outcome(call, wrap(source), strict=strict) for call in (one_by_one, wire.parse_message))
        assert single == together, source.hex()
        seen.add(type(together))
    assert seen == {bytes, tuple}, "both accepted and refused packets"


def test_regions_are_judged_once():
    packet = wire.parse_message(wire.build_frame_submit(b"{}", session_id=1, frame_id=1, operation_id=1))
    body = wire.frame_submit_body(packet)
    assert body is wire.frame_submit_body(packet)
    assert bytes(body.payload()) == bytes(body.payload(-1)) == b"{}"
    for index in (1, -2):
        with pytest.raises(IndexError):
            body.payload(index)


def test_changing_memory_is_asked_once():
    """What was judged stays what is handed out, also when the source changes afterwards (docs/architecture.md)."""
    source = bytearray(wire.build_frame_submit(b"abc", session_id=1, frame_id=1, operation_id=1))
    packet = wire.parse_message(source)
    at = source.index(b"abc") - wire.TypedPayloadDescriptor.size
    source[at : at + wire.TypedPayloadDescriptor.size] = b"\xff" * wire.TypedPayloadDescriptor.size
    body = wire.frame_submit_body(packet)
    assert body.typed_payloads[0][0].length == 3
    assert bytes(body.payload(0)) == b"abc"


def test_position_limit_and_sender_stage():
    ping = wire.build_message(wire.MessageType.PING, session_id=5)
    assert wire.parse_message(b"xx" + ping, 2).session_id == 5
    with pytest.raises(wire.FrameTooLarge):
        wire.parse_message(ping, max_packet_bytes=39)
    stale = wire.build_packet(
        wire.MessageType.RESULT_PUSH, wire.ResultPush.build(result_class=2), session_id=1, frame_id=1
    )
    assert wire.parse_message(stale).metadata.result_class is wire.ResultClass.STALE_REUSE
    with pytest.raises(wire.InvalidProtocolCombination) as caught:
        wire.parse_message(stale, strict=True)
    assert caught.value.stage is wire.Stage.SENDER


@pytest.mark.parametrize("payloads", [b"{}", [b"{}"], ()], ids=["one", "list", "none"])
def test_an_unknown_tile_index_mode_is_refused_on_every_path(payloads):
    """wire.md section 1: an encoder reports the class that the decoder would, whichever way the packet is built."""
    with pytest.raises(wire.UnknownEnumValue):
        wire.build_frame_submit(payloads, session_id=1, frame_id=1, operation_id=1, tile_index_mode=72)
