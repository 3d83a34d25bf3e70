"""For any field values at all: the builder, the decoder and the table say the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wirekit import data, oracle, raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError

LAYOUTS = list(data.table()["layouts"])

# Per layout and message: there are many of them, and each has few rules.
few = settings(max_examples=40)


def values_of(field: dict) -> st.SearchStrategy:
    """Small numbers, known members, single bits and the ends of the range: where rules change their mind."""
    if field["type"] == "bytes":
        return st.sampled_from([field["const"].encode(), b"XXXX"])
    bits = 8 * field["size"]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if field["type"].startswith("i") else (0, (1 << bits) - 1)
    interesting = [value for value in (0, 1, 2, 3, 4, 24, 255, 256, low, high, high - 1) if low <= value <= high]
    if "const" in field:
        interesting += [field["const"]] * 5
    if field.get("reserved"):
        return st.sampled_from([0] * 20 + [1, high])
    return st.one_of(st.sampled_from(interesting), st.integers(low, high), st.sampled_from([0, 1]))


def field_values(name: str) -> st.SearchStrategy:
    return st.fixed_dictionaries({field["name"]: values_of(field) for field in raw.fields(name)})


@pytest.mark.parametrize("name", LAYOUTS)
def test_builder_decoder_and_table_agree(name):
    view_class = wire.VIEWS[name]

    @few
    @given(field_values(name))
    def check(values):
        packed = raw.layout(name, values)
        expected = oracle.layout_error(name, packed)
        try:
            parsed = view_class.parse(packed)
        except WireError as error:
            assert error.error_class == expected
            with pytest.raises(type(error)) as built:
                view_class.build(**values)
            assert built.value.error_class == expected
            assert built.value.field == error.field
            assert built.value.rule == error.rule
            return
        assert expected is None
        assert parsed.as_dict() == values
        built = view_class.build(**values)
        assert bytes(built) == packed
        assert built == parsed
        assert hash(built) == hash(parsed)
        assert view_class.parse(bytearray(packed)) == parsed
        assert parsed.copy() == parsed

    check()


@pytest.mark.parametrize("name", LAYOUTS)
def test_replace_is_build_with_other_values(name):
    view_class = wire.VIEWS[name]
    seeds = data.layout_seeds()[name]

    @few
    @given(st.sampled_from(seeds), field_values(name), st.data())
    def check(source, values, chosen):
        picked = chosen.draw(st.sets(st.sampled_from(list(values)), max_size=3))
        changes = {field: values[field] for field in picked}
        packed = raw.layout(name, {**raw.read(name, source), **changes})
        expected = oracle.layout_error(name, packed)
        view = view_class.parse(source)
        try:
            replaced = view.replace(**changes)
        except WireError as error:
            assert error.error_class == expected
        else:
            assert expected is None
            assert bytes(replaced) == packed
        assert bytes(view) == source

    check()


@given(st.binary(min_size=40, max_size=40))
def test_header_soup(source):
    expected = oracle.layout_error("common_header", source)
    try:
        assert bytes(wire.parse_header(source)) == source
    except WireError as error:
        assert error.error_class == expected
    else:
        assert expected is None


MESSAGES = [name for name, row in data.table()["messages"].items() if row["metadata"]]


@pytest.mark.parametrize("name", MESSAGES)
def test_message_and_sender_stage_agree_with_the_table(name):
    layout = data.table()["messages"][name]["metadata"]

    @few
    @given(field_values(layout), st.sampled_from([0, 1, 7]), st.sampled_from([b"", b"surplus"]))
    def check(values, session_id, surplus):
        source = raw.packet(name, raw.layout(layout, values) + surplus, b"body", session_id=session_id)
        if oracle.packet_error(source) is not None:
            return
        packet = wire.parse_packet(source)
        for strict, stages in ((False, ("message",)), (True, ("message", "sender"))):
            expected = next((found for stage in stages if (found := oracle.rule_error(source, stage))), None)
            try:
                wire.check_message(packet, strict=strict)
            except WireError as error:
                assert error.error_class == expected
            else:
                assert expected is None

    check()


PAIRS = {
    "server_hello_ack": "client_hello",
    "session_open_ack": "session_open",
    "session_migrate_ack": "session_migrate",
}


@pytest.mark.parametrize("answer", PAIRS)
def test_pair_stage_agrees_with_the_table(answer):
    request = PAIRS[answer]

    @few
    @given(field_values(request), field_values(answer))
    def check(asked, given_values):
        asking = raw.packet(request, raw.layout(request, asked))
        answering = raw.packet(answer, raw.layout(answer, given_values))
        if oracle.packet_error(asking) or oracle.packet_error(answering):
            return
        expected = oracle.rule_error(answering, "pair", request=asked)
        try:
            wire.check_pair(wire.parse_packet(asking), wire.parse_packet(answering))
        except WireError as error:
            assert error.error_class == expected
        else:
            assert expected is None

    check()
