"""`build_message`: whole messages, judged at every stage a receiver has (wire.md section 1)."""

from __future__ import annotations

import pytest
from wirekit import data, raw
from wirekit.cases import ACCEPTED, CASES, SENDER_CASES

from nnrp_wire import wire
from nnrp_wire.errors import DeclaredLengthMismatch, FieldOutOfRange, FrameTooLarge, UnknownMessageType, WireError

MESSAGES = data.table()["messages"]
DATA_PLANE = ("frame_submit", "result_push")
BUILDABLE = [name for name in MESSAGES if name not in DATA_PLANE]
ROUTING = {"session_id": 5, "frame_id": 6, "flags": 1, "view_id": 7, "route_id": 8, "trace_id": 9}


def code(name: str) -> wire.MessageType:
    return wire.MessageType[name.upper()]


def length_fields(name: str) -> list[str]:
    if name == "close":
        return []
    return [part["length_field"] for part in MESSAGES[name]["body"]]


def expected(name: str, fields: dict, tails: list[bytes], **routing: int) -> bytes:
    layout = MESSAGES[name]["metadata"]
    lengths = dict(zip(length_fields(name), map(len, tails), strict=True))
    metadata = raw.layout(layout, {**fields, **lengths}) if layout else b""
    return raw.packet(name, metadata, b"".join(tails), **{"session_id": 0, "frame_id": 0, **routing})


def test_the_cases_name_every_message_with_metadata():
    assert set(ACCEPTED) == {name for name in BUILDABLE if MESSAGES[name]["metadata"]}
    assert len(BUILDABLE) == 49


@pytest.mark.parametrize("name", BUILDABLE)
def test_every_message_with_its_tails(name):
    """Lengths are filled in from the tails; the result passes every stage."""
    fields = ACCEPTED.get(name, {})
    tails = [bytes([65 + number]) * (3 + number) for number in range(len(length_fields(name)))]
    given = fields if MESSAGES[name]["metadata"] else None
    made = wire.build_message(code(name), given, *tails, **ROUTING)
    assert made == expected(name, fields, tails, **ROUTING)
    packet = wire.parse_packet(made)
    wire.check_message(packet, strict=True)
    wire.check_body(packet)
    assert list(map(bytes, wire.message_tails(packet).values()))[: len(tails)] == tails


@pytest.mark.parametrize("name", BUILDABLE)
def test_every_message_without_tails(name):
    fields = ACCEPTED.get(name, {})
    given = fields if MESSAGES[name]["metadata"] else None
    made = wire.build_message(int(code(name)), given, session_id=5)
    assert made == expected(name, fields, [b""] * len(length_fields(name)), session_id=5)


@pytest.mark.parametrize("name", ACCEPTED)
def test_metadata_as_a_view(name):
    """A view says its lengths itself: they must be those of the tails."""
    view_class = wire.VIEWS[MESSAGES[name]["metadata"]]
    tails = [b"abc"] * len(length_fields(name))
    lengths = dict.fromkeys(length_fields(name), 3)
    view = view_class.build(**ACCEPTED[name], **lengths)
    assert wire.build_message(code(name), view, *tails, session_id=5) == expected(
        name, ACCEPTED[name], tails, session_id=5
    )
    if tails:
        with pytest.raises(DeclaredLengthMismatch):
            wire.build_message(code(name), view, *tails[:-1], session_id=5)
        with pytest.raises(DeclaredLengthMismatch):
            wire.build_message(code(name), view, *tails[:-1], b"four", session_id=5)


@pytest.mark.parametrize("name", [name for name in ACCEPTED if length_fields(name)])
def test_lengths_that_are_given_and_lie(name):
    field = length_fields(name)[0]
    with pytest.raises(DeclaredLengthMismatch) as caught:
        wire.build_message(code(name), {**ACCEPTED[name], field: 4}, b"abc", session_id=5)
    assert caught.value.stage is wire.Stage.BODY


def as_built(name: str, fields: dict, **routing: int) -> str:
    """The error class a whole-message builder gives, with tails of the lengths that the fields state."""
    tails = [bytes(fields.get(field, 0)) for field in length_fields(name)]
    try:
        made = wire.build_message(code(name), fields, *tails, **{"session_id": 1, "frame_id": 1, **routing})
    except WireError as error:
        return error.error_class
    wire.check_message(wire.parse_packet(made), strict=True)
    return "ok"


@pytest.mark.parametrize(("message", "fields", "header", "outcome"), [c for c in CASES if c[0] not in DATA_PLANE])
def test_message_rules(message, fields, header, outcome):
    """The encoder refuses what the decoder refuses at the same stage."""
    if (message, fields) == ("session_open_ack", {"session_status": 2, "session_id": 5}):
        outcome = "invalid_protocol_combination"  # accepted on receipt, and no sender may say it
    assert as_built(message, fields, **header) == outcome


@pytest.mark.parametrize(("message", "fields", "clean"), [c for c in SENDER_CASES if c[0] not in DATA_PLANE])
def test_sender_rules(message, fields, clean):
    assert as_built(message, fields) == ("ok" if clean else "invalid_protocol_combination")


@pytest.mark.parametrize(
    "row",
    [row for row in data.vectors("layout", ok=False) if "fields" in row],
    ids=lambda row: row["id"],
)
def test_layout_rules(row):
    names = [name for name in BUILDABLE if MESSAGES[name]["metadata"] == row["layout"]]
    for name in names:
        with pytest.raises(WireError) as caught:
            wire.build_message(code(name), row["fields"], session_id=1)
        assert caught.value.error_class == row["expect"]


def test_close_takes_any_body():
    assert wire.build_message(wire.MessageType.CLOSE, None, b"bye") == raw.packet(
        "close", b"", b"bye", session_id=0, frame_id=0
    )


def test_more_tails_than_the_message_has():
    with pytest.raises(TypeError):
        wire.build_message(wire.MessageType.PING, None, b"body")
    with pytest.raises(TypeError):
        wire.build_message(wire.MessageType.ERROR, ACCEPTED["error"], b"one", b"two")


def test_metadata_of_another_kind():
    with pytest.raises(TypeError):
        wire.build_message(wire.MessageType.ERROR, wire.TransportProbe.build())
    with pytest.raises(TypeError):
        wire.build_message(wire.MessageType.PING, {"session_id": 1})
    with pytest.raises(TypeError, match="no_such_field"):
        wire.build_message(wire.MessageType.ERROR, {"no_such_field": 1})
    with pytest.raises(FieldOutOfRange):
        wire.build_message(wire.MessageType.ERROR, {"error_code": -1})


def test_metadata_left_out_is_the_plain_one():
    """All fields 0, judged like any other."""
    assert wire.build_message(wire.MessageType.SESSION_CLOSE, session_id=5) == expected(
        "session_close", {}, [], session_id=5
    )
    with pytest.raises(WireError):
        wire.build_message(wire.MessageType.PARTIAL_RESULT, session_id=5)


@pytest.mark.parametrize("name", DATA_PLANE)
def test_data_plane_messages_have_builders_of_their_own(name):
    with pytest.raises(TypeError):
        wire.build_message(code(name), {"operation_id": 1} if name == "frame_submit" else {})


def test_unknown_type():
    with pytest.raises((UnknownMessageType, ValueError)):
        wire.build_message(0x7F)


def test_limit():
    with pytest.raises(FrameTooLarge):
        wire.build_message(wire.MessageType.ERROR, ACCEPTED["error"], bytes(100), max_packet_bytes=171)
    made = wire.build_message(wire.MessageType.ERROR, ACCEPTED["error"], bytes(100), max_packet_bytes=172)
    assert len(made) == 172


def test_tails_of_any_buffer():
    for wrap in (bytearray, memoryview):
        assert wire.build_message(wire.MessageType.ERROR, ACCEPTED["error"], wrap(b"text")) == expected(
            "error", ACCEPTED["error"], [b"text"]
        )
    with pytest.raises(BufferError):
        wire.build_message(wire.MessageType.ERROR, ACCEPTED["error"], memoryview(b"text")[::2])
    with pytest.raises(TypeError):
        wire.build_message(wire.MessageType.ERROR, ACCEPTED["error"], "text")
