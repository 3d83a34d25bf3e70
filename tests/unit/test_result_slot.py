"""`ResultSlot`: the place of one operation's results, and their end."""

from __future__ import annotations

import pytest
from wirekit import raw

from nnrp_wire import wire
from nnrp_wire.errors import FieldOutOfRange, InvalidProtocolCombination, NnrpError, SlotFinished, WireError


def slot(**options: int) -> wire.ResultSlot:
    return wire.ResultSlot(5, 7, 6, **options)


def strictly(source: bytes) -> wire.Packet:
    packet = wire.parse_packet(source)
    wire.check_message(packet, strict=True)
    wire.check_body(packet)
    assert (packet.session_id, packet.frame_id) == (5, 6)
    return packet


TERMINALS = {
    "result_push": lambda one: one.result_push(wire.TypedPayload(b"{}")),
    "empty result_push": lambda one: one.result_push(),
    "result_drop": lambda one: one.result_drop(),
    "result_drop_reason": lambda one: one.result_drop_reason(wire.DropReasonCode.BACKPRESSURE, b"too slow"),
}


def test_partial_results_count_up():
    one = slot(trace_id=9)
    for sequence in (1, 2, 3):
        packet = strictly(one.partial_result(b"event"))
        assert packet.message_type is wire.MessageType.PARTIAL_RESULT
        assert packet.metadata.operation_id == 7
        assert packet.metadata.result_sequence == sequence
        assert packet.trace_id == 9
        assert bytes(packet.body) == b"event"
    assert one.finished is False


def test_first_sequence_can_be_given():
    assert strictly(slot(next_sequence=41).partial_result(b"x")).metadata.result_sequence == 41


def test_result_push():
    packet = strictly(slot(trace_id=9).result_push(wire.TypedPayload(b"{}")))
    assert packet.message_type is wire.MessageType.RESULT_PUSH
    assert packet.trace_id == 9
    assert packet.to_bytes() == wire.build_result_push(wire.TypedPayload(b"{}"), session_id=5, frame_id=6, trace_id=9)


def test_result_push_takes_the_options_of_its_builder():
    packet = strictly(slot().result_push([wire.TypedPayload(b"a"), wire.TypedPayload(b"b")], status_code=200))
    assert packet.metadata.status_code == 200
    assert len(wire.result_push_body(packet).typed_payloads) == 2


def test_result_drop():
    assert slot().result_drop() == raw.packet("result_drop", session_id=5, frame_id=6)


def test_result_drop_reason():
    packet = strictly(slot().result_drop_reason(wire.DropReasonCode.BACKPRESSURE, b"too slow"))
    assert packet.message_type is wire.MessageType.RESULT_DROP_REASON
    assert packet.metadata.operation_id == 7
    assert packet.metadata.drop_reason_code is wire.DropReasonCode.BACKPRESSURE
    assert bytes(wire.message_tails(packet)["diagnostic"]) == b"too slow"
    assert strictly(slot().result_drop_reason(0x8001)).metadata.diagnostic_bytes == 0


@pytest.mark.parametrize("name", TERMINALS)
@pytest.mark.parametrize("partials", [0, 2])
def test_nothing_follows_the_terminal(name, partials):
    one = slot()
    for _ in range(partials):
        one.partial_result(b"x")
    assert one.finished is False
    assert type(TERMINALS[name](one)) is bytes
    assert one.finished is True
    for again in (*TERMINALS.values(), lambda one: one.partial_result(b"late")):
        with pytest.raises(SlotFinished):
            again(one)
    assert one.finished is True


def test_a_refused_packet_leaves_the_slot_as_it_was():
    one = slot()
    one.partial_result(b"x")
    for call, kind in [
        (lambda: one.partial_result(b""), InvalidProtocolCombination),
        (lambda: one.partial_result("text"), TypeError),
        (lambda: one.result_push(result_class=2), InvalidProtocolCombination),
        (lambda: one.result_push(wire.TypedPayload(b"x", 2)), InvalidProtocolCombination),
        (lambda: one.result_push(no_such_option=1), TypeError),
        (lambda: one.result_drop_reason(0), InvalidProtocolCombination),
        (lambda: one.result_drop_reason(1 << 16), FieldOutOfRange),
        (lambda: one.result_drop_reason(1, "text"), TypeError),
    ]:
        with pytest.raises(kind):
            call()
        assert one.finished is False
    assert strictly(one.partial_result(b"y")).metadata.result_sequence == 2, "no number was lost"


def test_a_caller_cannot_redirect_the_results():
    for name in ("session_id", "frame_id", "operation_id"):
        with pytest.raises(TypeError):
            slot().result_push(wire.TypedPayload(b"x"), **{name: 9})


def test_attributes_are_read_only():
    one = slot(next_sequence=3, trace_id=4)
    assert (one.session_id, one.operation_id, one.frame_id) == (5, 7, 6)
    assert (one.next_sequence, one.trace_id) == (3, 4)
    for name in ("session_id", "operation_id", "frame_id", "next_sequence", "finished"):
        with pytest.raises(AttributeError):
            setattr(one, name, 1)


@pytest.mark.parametrize("arguments", [(-1, 1, 1), (1 << 32, 1, 1), (1, 1 << 64, 1), (1, -1, 1), (1, 1, 1 << 32)])
def test_numbers_that_fit_no_field(arguments):
    with pytest.raises(FieldOutOfRange):
        wire.ResultSlot(*arguments)


def test_an_operation_has_a_number():
    """Operation 0 is refused when the slot is made or when it is first used."""
    with pytest.raises((WireError, FieldOutOfRange)):
        wire.ResultSlot(5, 0, 6).partial_result(b"x")


def test_wrong_arguments():
    with pytest.raises(TypeError):
        wire.ResultSlot(5, 7)
    with pytest.raises(TypeError):
        wire.ResultSlot("5", 7, 6)
    with pytest.raises(TypeError):
        wire.ResultSlot(session_id=5, operation_id=7, frame_id=6)


def test_sequence_numbers_never_start_over():
    """After the last u64 comes an error, not 0."""
    one = slot(next_sequence=(1 << 64) - 1)
    try:
        packet = strictly(one.partial_result(b"last"))
    except NnrpError:
        return
    assert packet.metadata.result_sequence == (1 << 64) - 1
    with pytest.raises(NnrpError):
        one.partial_result(b"past the end")
    strictly(one.result_push())


def test_repr():
    one = slot()
    assert "ResultSlot" in repr(one)
    one.result_drop()
    assert "finished" in repr(one)
