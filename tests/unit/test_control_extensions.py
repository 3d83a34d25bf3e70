"""Control extension blocks (wire.md section 9)."""

from __future__ import annotations

import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import (
    DeclaredLengthMismatch,
    InvalidProtocolCombination,
    NonZeroReservedField,
    ReservedBitsSet,
    UnknownEnumValue,
    WireError,
)

TYPES = {row["ext_type"]: name for name, row in data.table()["layouts"].items() if "ext_type" in row}


def entry(ext_type: int, value: bytes = b"", **header: int) -> bytes:
    head = raw.layout("control_extension_entry_header", {"ext_type": ext_type, "ext_len": len(value), **header})
    return raw.pad8(head + value)


def refusal(block: bytes, kind: type[WireError] = InvalidProtocolCombination) -> str:
    """The rule that a block breaks, the same over bytes and over memory that can change."""
    rules = set()
    for wrap in (bytes, bytearray):
        with pytest.raises(kind) as caught:
            wire.control_extensions(wrap(block))
        rules.add(data.broken_rule(caught.value))
    (rule,) = rules
    return rule


def test_the_six_known_types():
    assert sorted(TYPES) == [0x0101, 0x0102, 0x0103, 0x0104, 0x0105, 0x0106]


def test_empty_block():
    assert wire.control_extensions(b"") == ()


@pytest.mark.parametrize("ext_type", TYPES)
def test_known_value_is_a_view(ext_type):
    for value in data.layout_seeds()[TYPES[ext_type]]:
        ((header, view),) = wire.control_extensions(entry(ext_type, value, ext_flags=1))
        assert type(header) is wire.ControlExtensionEntryHeader
        assert header.ext_type == ext_type
        assert header.ext_flags == wire.ControlExtensionFlags.CRITICAL
        assert type(view) is wire.VIEWS[TYPES[ext_type]]
        assert bytes(view) == value


def test_several_entries_and_padding():
    block = (
        entry(0x4000, b"abc")
        + entry(0x0103, raw.layout("hello_ext_loss_tolerance"))
        + entry(0x8001)
        + entry(0xC000, b"12345678")
    )
    found = wire.control_extensions(block)
    assert [header.ext_type for header, _ in found] == [0x4000, 0x0103, 0x8001, 0xC000]
    assert [bytes(value) for _, value in found] == [b"abc", bytes(8), b"", b"12345678"]
    assert isinstance(found[0][1], memoryview)
    assert found[0][1].readonly
    assert wire.control_extensions(bytearray(block)) == found


@pytest.mark.parametrize("ext_type", TYPES)
@pytest.mark.parametrize("length", [0, 7, 9, 16])
def test_known_value_of_another_length(ext_type, length):
    assert refusal(entry(ext_type, bytes(length)), DeclaredLengthMismatch) == "control_extension_length"


def test_unknown_type():
    """Not critical: passed on as bytes. Critical: an error."""
    ((header, value),) = wire.control_extensions(entry(0x0107, b"x"))
    assert (header.ext_type, bytes(value)) == (0x0107, b"x")
    assert refusal(entry(0x0107, b"x", ext_flags=1)) == "control_extension_critical"


@pytest.mark.parametrize("size", range(1, 8))
def test_truncated_header(size):
    assert refusal(entry(0x4000, b"x") + entry(0x4000)[:size]) == "control_extension_fits_block"


def test_truncated_value_or_pad():
    whole = entry(0x4000, b"123456789")
    for size in range(8, len(whole)):
        assert refusal(whole[:size]) == "control_extension_fits_block"


@pytest.mark.parametrize("length", [9, 0x7FFFFFFF, 0xFFFFFFF1, 0xFFFFFFF8, raw.U32_MAX])
def test_length_that_lies(length):
    assert refusal(entry(0x4000, b"12345678", ext_len=length)) == "control_extension_fits_block"


@pytest.mark.parametrize("size", range(1, 8))
def test_every_pad_byte_is_zero(size):
    whole = entry(0x4000, b"x" * size)
    for at in range(8 + size, len(whole)):
        assert refusal(raw.patch(whole, at, 1, 1)) == "control_extension_padding_is_zero"


def test_layout_rules_of_header_and_value():
    with pytest.raises(ReservedBitsSet):
        wire.control_extensions(entry(0x4000, b"x", ext_flags=2))
    with pytest.raises(NonZeroReservedField):
        wire.control_extensions(entry(0x0103, raw.layout("hello_ext_loss_tolerance", reserved1=1)))
    with pytest.raises(UnknownEnumValue):
        wire.control_extensions(entry(0x0101, raw.layout("hello_ext_transport_policy", preferred_transport_id=9)))


def test_out_of_a_hello():
    block = entry(0x0105, raw.layout("hello_ext_payload_capabilities", payload_kind_bitmap=0x12))
    metadata = raw.read("client_hello", data.layout_seeds()["client_hello"][0])
    metadata.update(auth_bytes=3, control_extension_bytes=len(block))
    packet = wire.parse_packet(raw.packet("client_hello", raw.layout("client_hello", metadata), b"key" + block))
    ((_, value),) = wire.control_extensions(wire.message_tails(packet)["control_extension_block"])
    assert value.payload_kind_bitmap == 0x12


def test_strided_block_is_refused():
    with pytest.raises(BufferError):
        wire.control_extensions(memoryview(entry(0x4000) * 2)[::2])
