"""Declared tails: `message_tails` and `check_body` of the messages without a data-plane body (wire.md section 2)."""

from __future__ import annotations

import pytest
from wirekit import data, memory, raw

from nnrp_wire import wire
from nnrp_wire.errors import DeclaredLengthMismatch

MESSAGES = data.table()["messages"]
TAILED = [name for name, row in MESSAGES.items() if row["body"] and row["body"][0]["length_field"] != "body_len"]
TAILLESS = [name for name, row in MESSAGES.items() if not row["body"]]


def tailed(name: str, tails: list[bytes], body: bytes | None = None) -> wire.Packet:
    """A packet whose metadata declares the tails, over any body."""
    layout = MESSAGES[name]["metadata"]
    values = raw.read(layout, data.layout_seeds()[layout][0])
    for part, tail in zip(MESSAGES[name]["body"], tails, strict=True):
        values[part["length_field"]] = len(tail)
    return wire.parse_packet(raw.packet(name, raw.layout(layout, values), b"".join(tails) if body is None else body))


def refused(packet: wire.Packet) -> DeclaredLengthMismatch:
    with pytest.raises(DeclaredLengthMismatch) as listed:
        wire.message_tails(packet)
    with pytest.raises(DeclaredLengthMismatch) as checked:
        wire.check_body(packet)
    assert data.broken_rule(listed.value) == data.broken_rule(checked.value) == "tails_fill_body"
    assert str(listed.value) == str(checked.value)
    return listed.value


def test_the_catalogue_has_tails():
    assert len(TAILED) == 29
    assert len(TAILLESS) == 19
    assert len(MESSAGES) - len(TAILED) - len(TAILLESS) == 3  # CLOSE, FRAME_SUBMIT, RESULT_PUSH


@pytest.mark.parametrize("name", TAILED)
def test_tails_in_the_order_of_the_catalogue(name):
    parts = [part["name"] for part in MESSAGES[name]["body"]]
    tails = [bytes([65 + number]) * (3 + 2 * number) for number in range(len(parts))]
    packet = tailed(name, tails)
    found = wire.message_tails(packet)
    assert list(found) == parts
    assert [bytes(tail) for tail in found.values()] == tails
    wire.check_body(packet)


@pytest.mark.parametrize("name", TAILED)
def test_each_tail_may_be_empty(name):
    count = len(MESSAGES[name]["body"])
    for filled in range(-1, count):
        tails = [b"tail" if number == filled else b"" for number in range(count)]
        packet = tailed(name, tails)
        assert [bytes(tail) for tail in wire.message_tails(packet).values()] == tails
        wire.check_body(packet)


@pytest.mark.parametrize("name", TAILED)
def test_tails_must_fill_the_body_exactly(name):
    count = len(MESSAGES[name]["body"])
    tails = [b"abc"] * count
    whole = b"".join(tails)
    for body in (whole[:-1], whole + b"x", b"", whole * 2):
        error = refused(tailed(name, tails, body))
        assert (error.expected, error.found) == (len(whole), len(body))
    assert refused(tailed(name, [b""] * count, b"x")).found == 1


@pytest.mark.parametrize("name", [name for name in TAILED if len(MESSAGES[name]["body"]) > 1])
def test_tail_lengths_that_wrap_u32(name):
    """A sum that comes out right only after wrapping is not right."""
    layout = MESSAGES[name]["metadata"]
    values = raw.read(layout, data.layout_seeds()[layout][0])
    fields = [part["length_field"] for part in MESSAGES[name]["body"]]
    values.update(dict.fromkeys(fields, 0))
    values[fields[0]] = 1 << 31
    values[fields[1]] = (1 << 31) + 4
    refused(wire.parse_packet(raw.packet(name, raw.layout(layout, values), b"four")))
    values[fields[0]] = raw.U32_MAX
    values[fields[1]] = raw.U32_MAX
    refused(wire.parse_packet(raw.packet(name, raw.layout(layout, values), b"")))


@pytest.mark.parametrize("name", TAILLESS)
def test_messages_without_tails_have_no_body(name):
    layout = MESSAGES[name]["metadata"]
    metadata = data.layout_seeds()[layout][0] if layout else b""
    packet = wire.parse_packet(raw.packet(name, metadata))
    assert wire.message_tails(packet) == {}
    wire.check_body(packet)
    error = refused(wire.parse_packet(raw.packet(name, metadata, b"body")))
    assert (error.expected, error.found) == (0, 4)


def test_close_takes_any_body():
    """5.12: an optional opaque body."""
    for body in (b"", b"bye"):
        packet = wire.parse_packet(raw.packet("close", b"", body))
        wire.check_body(packet)
        assert {name: bytes(tail) for name, tail in wire.message_tails(packet).items()} == {"opaque": body}


def test_tails_are_readonly_views_of_the_packet():
    source = raw.packet("error", raw.layout("error", diagnostic_bytes=4), b"text")
    tail = wire.message_tails(wire.parse_packet(source))["diagnostic"]
    assert isinstance(tail, memoryview)
    assert tail.readonly
    assert memory.address_of(tail) == memory.address_of(source) + 72


def test_surplus_metadata_does_not_shift_the_tails():
    metadata = raw.layout("transport_probe", probe_payload_bytes=4) + b"surplus"
    packet = wire.parse_packet(raw.packet("transport_probe", metadata, b"data"))
    assert bytes(wire.message_tails(packet)["probe_payload"]) == b"data"
    wire.check_body(packet)


def test_extension_stands_before_the_delta():
    """OBJECT_PATCH and OBJECT_DELTA: extension first, then delta (section 8)."""
    for name in ("object_patch", "object_delta"):
        packet = wire.parse_packet(
            raw.packet(name, raw.layout("object_delta", delta_bytes=3, metadata_bytes=2), b"eeddd")
        )
        tails = wire.message_tails(packet)
        assert bytes(tails["extension"]) == b"ee"
        assert bytes(tails["delta"]) == b"ddd"


def test_capability_bodies_are_not_read_by_the_body_stage():
    """A receiver must not fail the session on a capability body it cannot read (section 7)."""
    packet = wire.parse_packet(
        raw.packet("capability_negotiation", raw.layout("capability", capability_count=3, body_bytes=2), b"\xff\xff")
    )
    wire.check_body(packet)
