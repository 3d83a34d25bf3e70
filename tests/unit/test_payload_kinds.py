"""Payload kinds as a bitmap, both ways (wire.md section 11)."""

from __future__ import annotations

import pytest

from nnrp_wire import wire
from nnrp_wire.errors import ReservedBitsSet


def test_every_bitmap_both_ways():
    for bitmap in range(0x80):
        kinds = wire.payload_kinds(bitmap)
        assert isinstance(kinds, tuple)
        assert all(isinstance(kind, wire.PayloadKind) for kind in kinds)
        assert [int(kind) for kind in kinds] == [1 << bit for bit in range(7) if bitmap >> bit & 1]
        assert wire.payload_kind_bitmap(kinds) == bitmap


def test_bitmap_is_a_flag_value():
    bitmap = wire.payload_kind_bitmap([wire.PayloadKind.TENSOR, wire.PayloadKind.TOOL_DELTA])
    assert isinstance(bitmap, wire.PayloadKindBitmap)
    assert bitmap == wire.PayloadKindBitmap.TENSOR | wire.PayloadKindBitmap.TOOL_DELTA
    assert wire.payload_kind_bitmap([]) == 0
    assert wire.payload_kind_bitmap([16, 16]) == 16


@pytest.mark.parametrize("bitmap", [0x80, 0xFF, 0xFFFFFFFF])
def test_unknown_bits(bitmap):
    with pytest.raises(ReservedBitsSet):
        wire.payload_kinds(bitmap)


@pytest.mark.parametrize("bitmap", [-1, 1 << 32])
def test_numbers_outside_the_field(bitmap):
    with pytest.raises((ReservedBitsSet, wire.FieldOutOfRange)):
        wire.payload_kinds(bitmap)


@pytest.mark.parametrize("kind", [0, 3, 128, -1])
def test_unknown_kinds(kind):
    """0 or several bits are no kind."""
    with pytest.raises(ValueError, match=r"."):
        wire.payload_kind_bitmap([kind])


def test_types():
    with pytest.raises(TypeError):
        wire.payload_kinds("16")
    with pytest.raises(TypeError):
        wire.payload_kind_bitmap(16)
    with pytest.raises((TypeError, ValueError)):
        wire.payload_kind_bitmap(["tensor"])
