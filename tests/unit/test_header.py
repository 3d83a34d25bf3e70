"""The common header and the order of its checks (wire.md section 3)."""

from __future__ import annotations

import itertools

import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import SourceTooShort, WireError

GOOD = raw.layout(
    "common_header",
    message_type=0x10,
    flags=0x21,
    meta_len=0x01020304,
    body_len=0x05060708,
    session_id=0x11223344,
    frame_id=0x55667788,
    view_id=0x99AA,
    route_id=0xBBCC,
    trace_id=0x0102030405060708,
)

# One breach for each check, in the order in which section 3 lists them.
BREACHES = [
    ("invalid_magic", lambda data: b"nnrp" + data[4:]),
    ("unsupported_version_major", lambda data: raw.patch(data, 4, 2, 1)),
    ("unsupported_wire_format", lambda data: raw.patch(data, 5, 1, 1)),
    ("invalid_header_length", lambda data: raw.patch(data, 7, 39, 1)),
    ("reserved_bits_set", lambda data: raw.patch(data, 8, 0x40, 4)),
    ("unknown_message_type", lambda data: raw.patch(data, 6, 0, 1)),
]


def refusal(source) -> str:
    with pytest.raises(WireError) as caught:
        wire.parse_header(source)
    return caught.value.error_class


def test_reads_every_field():
    header = wire.parse_header(GOOD)
    assert header.as_dict() == raw.read("common_header", GOOD)
    assert bytes(header) == GOOD
    assert type(header) is wire.CommonHeader
    assert header == wire.CommonHeader.parse(GOOD)


def test_bytes_after_the_header_do_not_matter():
    assert wire.parse_header(GOOD + b"\xff" * 9) == wire.parse_header(GOOD)
    assert wire.parse_header(b"\xff" * 9 + GOOD, 9) == wire.parse_header(GOOD)


@pytest.mark.parametrize("size", range(40))
def test_short_comes_before_everything_else(size):
    for source in (GOOD[:size], b"\xff" * size, bytes(size)):
        assert refusal(source) == "source_too_short"


@pytest.mark.parametrize("count", range(1, len(BREACHES) + 1))
def test_the_first_breach_wins(count):
    """Every combination of breaches reports the one that section 3 names first."""
    for chosen in itertools.combinations(range(len(BREACHES)), count):
        source = GOOD
        for index in chosen:
            source = BREACHES[index][1](source)
        assert refusal(source) == BREACHES[chosen[0]][0], chosen


@pytest.mark.parametrize("code", range(256))
def test_exactly_the_assigned_message_types_pass(code):
    source = raw.patch(GOOD, 6, code, 1)
    assigned = {data.message_code(name) for name in data.table()["messages"]}
    if code in assigned:
        assert wire.parse_header(source).message_type == code
    else:
        assert refusal(source) == "unknown_message_type"


@pytest.mark.parametrize("bit", range(32))
def test_exactly_six_flag_bits_pass(bit):
    source = raw.patch(GOOD, 8, 1 << bit, 4)
    if bit < 6:
        assert wire.parse_header(source).flags == 1 << bit
    else:
        assert refusal(source) == "reserved_bits_set"


def test_every_combination_of_the_six_flags_is_accepted():
    for flags in range(64):
        assert wire.parse_header(raw.patch(GOOD, 8, flags, 4)).flags == flags


@pytest.mark.parametrize("code", [value for value in range(256) if value != 40])
def test_header_length_is_forty(code):
    assert refusal(raw.patch(GOOD, 7, code, 1)) == "invalid_header_length"


def test_a_header_is_parsed_whatever_its_lengths_claim():
    """Lengths are the packet's business (section 2), not the header layout's."""
    header = wire.parse_header(raw.packet("ping", meta_len=raw.U32_MAX, body_len=raw.U32_MAX))
    assert (header.meta_len, header.body_len) == (raw.U32_MAX, raw.U32_MAX)


def test_build_fills_in_the_constants():
    header = wire.CommonHeader.build(message_type=wire.MessageType.PING, session_id=5)
    assert bytes(header) == raw.layout("common_header", message_type=0x20, session_id=5)


def test_build_refuses_other_constants_with_the_class_of_the_check():
    cases = {
        "invalid_magic": {"magic": b"nnrp"},
        "unsupported_version_major": {"version_major": 2},
        "unsupported_wire_format": {"wire_format": 1},
        "invalid_header_length": {"header_len": 41},
        "reserved_bits_set": {"flags": 0x40},
        "unknown_message_type": {"message_type": 0},
    }
    for name, fields in cases.items():
        with pytest.raises(WireError) as caught:
            wire.CommonHeader.build(**{"message_type": 0x20, **fields})
        assert caught.value.error_class == name
    with pytest.raises(WireError) as caught:
        wire.CommonHeader.build(message_type=0, flags=0x40, header_len=41)
    assert caught.value.error_class == "invalid_header_length", "the encoder keeps the decoder's order"


@pytest.mark.parametrize("magic", [b"NNR", b"NNRPP", b""])
def test_a_magic_of_another_length_does_not_fit_its_field(magic):
    with pytest.raises((TypeError, wire.FieldOutOfRange)):
        wire.CommonHeader.build(message_type=0x20, magic=magic)


@pytest.mark.parametrize("wrap", [bytearray, memoryview, lambda data: memoryview(bytearray(data))])
def test_every_contiguous_buffer_is_read(wrap):
    assert wire.parse_header(wrap(GOOD)) == wire.parse_header(GOOD)


def test_subclass_of_bytes():
    class Chunk(bytes):
        pass

    assert wire.parse_header(Chunk(GOOD)) == wire.parse_header(GOOD)


def test_short_error_counts_from_the_position():
    with pytest.raises(SourceTooShort) as caught:
        wire.parse_header(GOOD, 1)
    assert (caught.value.expected, caught.value.found) == (40, 39)
