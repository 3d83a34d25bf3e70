"""`check_pair`: answers that must fit their request (wire.md 5.2, 5.4, 5.10)."""

from __future__ import annotations

import pytest
from wirekit import raw

from nnrp_wire import wire
from nnrp_wire.errors import NnrpError, WireError

OFFER = {
    "min_version_major": 1,
    "max_version_major": 2,
    "supported_wire_format_bitmap": 0b101,
    "supported_profile_bitmap": 0b0011,
    "supported_payload_kind_bitmap": 0x72,
    "supported_codec_bitmap": 0b0101,
    "supported_compression_bitmap": 0b1001,
    "supported_dtype_bitmap": 0b0110,
    "supported_layout_bitmap": 0b0001,
    "cache_digest_bitmap": 0x8001,
    "cache_object_bitmap": 0x0101,
}
OPEN = {"resume_token_bytes": 4, "session_flags": 1, "requested_session_id": 2}
RESUMED = {
    "session_id": 1,
    "session_status": 3,
    "session_flags_ack": 1,
    "resume_window_ms": 9,
    "resume_token_bytes": 4,
}
MOVE = {"old_transport_id": 1, "new_transport_id": 2, "last_result_frame_id": 10}


def packet(message: str, fields: dict) -> wire.Packet:
    return wire.parse_packet(raw.packet(message, raw.layout(message, fields)))


def outcome(request: str, asked: dict, answer: str, given: dict) -> str:
    try:
        result = wire.check_pair(packet(request, asked), packet(answer, given))
    except WireError as error:
        assert error.stage is wire.Stage.PAIR
        assert error.layout == answer
        return error.error_class
    assert result is None
    return "ok"


def hello(**given: int) -> str:
    return outcome("client_hello", OFFER, "server_hello_ack", {"selected_version_major": 1, **given})


def test_hello_ack_that_takes_everything_offered():
    everything = {
        "selected_version_major": 2,
        "selected_wire_format": 2,
        "accepted_profile_bitmap": 0b0011,
        "accepted_payload_kind_bitmap": 0x72,
        "accepted_codec_bitmap": 0b0101,
        "accepted_compression_bitmap": 0b1001,
        "accepted_dtype_bitmap": 0b0110,
        "accepted_layout_bitmap": 0b0001,
        "cache_digest_bitmap": 0x8001,
        "cache_object_bitmap": 0x0101,
    }
    assert hello(**everything) == "ok"
    assert hello() == "ok", "an empty acceptance is a subset of everything"


@pytest.mark.parametrize("version", [0, 3, 255])
def test_selected_version_outside_the_window(version):
    assert hello(selected_version_major=version) == "invalid_protocol_combination"


@pytest.mark.parametrize("number", [1, 3, 15, 16, 31, 32, 63, 64, 255])
def test_wire_format_that_was_not_offered(number):
    """Bit n of a u16: numbers of 16 and above can never be offered, and shift nothing out of range."""
    assert hello(selected_wire_format=number) == "invalid_protocol_combination"


@pytest.mark.parametrize(
    ("field", "bit"),
    [
        ("accepted_profile_bitmap", 0b0100),
        ("accepted_payload_kind_bitmap", 0x01),
        ("accepted_codec_bitmap", 0b0010),
        ("accepted_compression_bitmap", 0b0010),
        ("accepted_dtype_bitmap", 0b0001),
        ("accepted_layout_bitmap", 0b0010),
        ("cache_digest_bitmap", 0x4000),
        ("cache_object_bitmap", 0x0010),
        ("cache_digest_bitmap", 0x10000),
        ("cache_object_bitmap", 0x80000000),
        ("accepted_profile_bitmap", 0x80000000),
    ],
)
def test_accepted_bit_that_was_not_offered(field, bit):
    """The u16 cache bitmaps of the hello are compared with the u32 fields of the ack (5.2)."""
    assert hello(**{field: bit}) == "invalid_protocol_combination"


def test_resumed_needs_a_token_in_the_request():
    assert outcome("session_open", OPEN, "session_open_ack", RESUMED) == "ok"
    assert outcome("session_open", {}, "session_open_ack", RESUMED) == "invalid_protocol_combination"
    assert outcome("session_open", {}, "session_open_ack", {"session_id": 1}) == "ok"
    assert outcome("session_open", OPEN, "session_open_ack", {"session_status": 1}) == "ok"


def test_migrate_transports_must_differ():
    same = {**MOVE, "new_transport_id": 1}
    answer = {"resume_from_frame_id": 10}
    assert outcome("session_migrate", MOVE, "session_migrate_ack", answer) == "ok"
    assert outcome("session_migrate", same, "session_migrate_ack", answer) == "invalid_protocol_combination"


@pytest.mark.parametrize(
    ("last", "resume", "expected"),
    [
        (10, 10, "ok"),
        (10, 11, "ok"),
        (10, 9, "invalid_protocol_combination"),
        ((1 << 64) - 1, (1 << 64) - 1, "ok"),
        ((1 << 64) - 1, 1 << 63, "invalid_protocol_combination"),
        (0, 0, "ok"),
    ],
)
def test_migrate_resumes_no_earlier_than_the_last_result(last, resume, expected):
    move = {**MOVE, "last_result_frame_id": last}
    assert outcome("session_migrate", move, "session_migrate_ack", {"resume_from_frame_id": resume}) == expected


def test_packets_that_are_no_pair():
    """Asking about two packets that do not belong together is refused, whatever is in them."""
    ping = wire.parse_packet(raw.packet("ping"))
    opened, ack = packet("session_open", OPEN), packet("session_open_ack", RESUMED)
    for request, answer in [(ping, ack), (opened, ping), (ack, opened), (ping, ping), (opened, opened)]:
        with pytest.raises((NnrpError, TypeError)):
            wire.check_pair(request, answer)


def test_arguments_are_packets():
    opened = packet("session_open", OPEN)
    with pytest.raises(TypeError):
        wire.check_pair(opened, opened.to_bytes())
    with pytest.raises(TypeError):
        wire.check_pair(None, opened)
