"""`check_message`: the rules of one message over header and metadata, and its exact meta_len."""

from __future__ import annotations

import pytest
from wirekit import data, oracle, raw
from wirekit.cases import CASES, COMBINATION, SENDER_CASES

from nnrp_wire import wire
from nnrp_wire.errors import InvalidProtocolCombination, ReservedBitsSet, UnexpectedMessage, UnknownEnumValue, WireError

MESSAGES = data.table()["messages"]
TOLERANT = {"server_hello_ack", "session_open", "session_open_ack", "session_close", "transport_probe"}


def check(message: str, fields: dict, *, strict: bool = False, **header: int) -> str:
    layout = MESSAGES[message]["metadata"]
    packet = wire.parse_packet(raw.packet(message, raw.layout(layout, fields), b"", **header))
    try:
        wire.check_message(packet, strict=strict)
    except WireError as error:
        assert error.stage in ((wire.Stage.MESSAGE, wire.Stage.SENDER) if strict else (wire.Stage.MESSAGE,))
        return error.error_class
    return "ok"


@pytest.mark.parametrize(
    ("message", "fields", "header", "expected"), CASES, ids=[f"{c[0]}-{number}" for number, c in enumerate(CASES)]
)
def test_rule(message, fields, header, expected):
    assert check(message, fields, **header) == expected


def test_every_rule_of_the_stage_has_a_refused_and_an_accepted_case():
    """Each message-stage rule of the table is broken by some case alone, and kept by another: none is untested."""
    for layout, row in data.table()["layouts"].items():
        rules = [one for one in row["checks"] if one["stage"] == "message" and one["rule"]["op"] != "message_is"]
        cases = [case for case in CASES if MESSAGES[case[0]]["metadata"] == layout]
        for rule in rules:
            verdicts = set()
            for message, fields, header, _ in cases:
                if message not in rule.get("messages", [message]):
                    continue
                values = raw.read(layout, raw.layout(layout, fields))
                facts = oracle.facts(layout, values, {"session_id": 1, **header})
                verdicts.add(oracle.reading(rule["rule"], layout)(facts))
            assert verdicts == {True, False}, f"{layout}: {rule['check']}"


def test_message_stage_holds_only_what_the_table_says():
    """Session ids, frame ids and directions are for the session engine: captures of peers that differ pass here."""
    for session_id in (0, 1, raw.U32_MAX):
        for frame_id in (0, 1, raw.U32_MAX):
            for name, source in data.plain_messages().items():
                if name in ("flow_update", "backpressure"):
                    continue
                head = {**raw.read("common_header", source), "session_id": session_id, "frame_id": frame_id}
                wire.check_message(wire.parse_packet(raw.layout("common_header", head) + source[40:]))


@pytest.mark.parametrize("name", MESSAGES)
def test_exact_meta_len(name):
    """Surplus metadata is refused at the message stage, unless the message is one of the five tolerant ones."""
    layout = MESSAGES[name]["metadata"]
    accepted = {
        "partial_result": {"operation_id": 1, "body_bytes": 1},
        "backpressure": {"pressure_level": 1},
        "flow_update": {"scope_kind": 1},
    }
    metadata = data.layout_seeds()[layout][0] if layout else b""
    if layout and name in accepted:
        metadata = raw.layout(layout, accepted[name])
    for surplus in (1, 8):
        packet = wire.parse_packet(raw.packet(name, metadata + bytes(surplus)))
        if name in TOLERANT:
            wire.check_message(packet)
            continue
        kind = InvalidProtocolCombination if name == "close" else UnexpectedMessage  # 5.12 names its own class
        with pytest.raises(kind) as caught:
            wire.check_message(packet)
        assert data.broken_rule(caught.value) == ("close_meta_len_is_zero" if name == "close" else "meta_len_is_exact")
        assert caught.value.found == len(metadata) + surplus


def test_the_five_tolerant_messages_are_the_ones_of_the_catalogue():
    assert {name for name, row in MESSAGES.items() if row["meta_len_rule"] == "at_least"} == TOLERANT


def test_meta_len_comes_before_the_rules():
    broken = raw.packet("partial_result", raw.layout("partial_result") + b"?")
    with pytest.raises(UnexpectedMessage):
        wire.check_message(wire.parse_packet(broken))


def test_rules_in_their_order():
    """Several breaches of one message: the first of the table wins."""
    source = raw.packet("frame_submit", raw.layout("frame_submit", operation_id=1, object_ref_mask=0x11))
    with pytest.raises(ReservedBitsSet):
        wire.check_message(wire.parse_packet(source))
    source = raw.packet("result_drop_reason", raw.layout("result_drop_reason", source_role=9))
    with pytest.raises(InvalidProtocolCombination) as caught:
        wire.check_message(wire.parse_packet(source))
    assert caught.value.field == "operation_id"
    source = raw.packet("backpressure", raw.layout("pressure", pressure_level=4))
    with pytest.raises(UnknownEnumValue) as caught:
        wire.check_message(wire.parse_packet(source))
    assert (caught.value.field, caught.value.found) == ("pressure_level", 4)


def test_accepted_returns_nothing():
    assert wire.check_message(wire.parse_packet(data.plain_messages()["ping"])) is None
    assert wire.check_message(wire.parse_packet(data.plain_messages()["ping"]), strict=True) is None


def test_strict_is_keyword_only():
    with pytest.raises(TypeError):
        wire.check_message(wire.parse_packet(data.plain_messages()["ping"]), True)


def test_packets_over_mutable_memory_are_checked_on_their_copy():
    source = bytearray(raw.packet("partial_result", raw.layout("partial_result", operation_id=1, body_bytes=1)))
    packet = wire.parse_packet(source)
    source[40:48] = bytes(8)
    wire.check_message(packet)


# The sender stage: a receiver accepts the breach, and refuses it only in strict mode (section 1).


@pytest.mark.parametrize(("message", "fields", "clean"), SENDER_CASES)
def test_sender_rule(message, fields, clean):
    assert check(message, fields) == "ok", "deployed receivers do not refuse it"
    assert check(message, fields, strict=True) == ("ok" if clean else COMBINATION)


def test_strict_still_runs_the_message_stage_first():
    packet = wire.parse_packet(
        raw.packet("session_open_ack", raw.layout("session_open_ack", session_id=0, session_status=0))
    )
    with pytest.raises(InvalidProtocolCombination) as caught:
        wire.check_message(packet, strict=True)
    assert caught.value.stage is wire.Stage.MESSAGE
