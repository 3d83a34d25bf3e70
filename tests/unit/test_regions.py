"""`typed_region` and `reference_region` on their own, in the order of their rules (wire.md 6.4.4, 6.4.5)."""

from __future__ import annotations

import itertools

import pytest
from wirekit import data, memory, raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError


def outcome(call, *arguments) -> str:
    try:
        call(*arguments)
    except WireError as error:
        assert error.stage is wire.Stage.BODY
        return data.broken_rule(error)
    return "ok"


def descriptor(**fields: int) -> bytes:
    return raw.layout("typed_payload_descriptor", {"payload_kind": 16, **fields})


# (descriptors, frames, bitmap, count, outcome): the broken rule, or the error class where the rule is a layout's.
TYPED = [
    (descriptor(length=2), b"{}", 16, 1, "ok"),
    (descriptor(length=2), b"{}", 0x90, 1, "typed_bitmap_is_known"),
    (descriptor(length=2), b"{}", 0xFFFFFFFF, 0, "typed_bitmap_is_known"),
    (descriptor(length=2), b"{}", 16, 2, "typed_descriptor_bytes"),
    (descriptor(length=2), b"{}", 16, 0, "typed_descriptor_bytes"),
    (descriptor(length=2) + b"x", b"{}", 16, 1, "typed_descriptor_bytes"),
    (b"", b"{}", 16, 0, "typed_regions_empty"),
    (b"", b"", 0x7F, 0, "ok"),
    (descriptor(length=2, reserved0=1), b"{}", 16, 1, "non_zero_reserved_field"),
    (descriptor(length=2, payload_kind=3), b"{}", 16, 1, "unknown_enum_value"),
    (descriptor(length=2, payload_kind=0), b"{}", 16, 1, "unknown_enum_value"),
    (descriptor(length=2, descriptor_flags=0x10), b"{}", 16, 1, "reserved_bits_set"),
    (descriptor(length=2, payload_kind=1), b"{}", 1, 1, "typed_kind_not_tensor"),
    (descriptor(length=2, profile_id=1), b"{}", 16, 1, "typed_profile_not_tensor"),
    (descriptor(length=2, payload_kind=2), b"{}", 2, 1, "typed_token_profile"),
    (descriptor(length=2, payload_kind=2, profile_id=3), b"{}", 2, 1, "typed_token_profile"),
    (descriptor(length=2, payload_kind=2, profile_id=2), b"{}", 2, 1, "ok"),
    (descriptor(length=2, profile_id=2), b"{}", 16, 1, "ok"),
    (descriptor(length=2, profile_id=0xFFFF), b"{}", 16, 1, "ok"),
    (descriptor(length=2, offset=1), b"{}x", 16, 1, "typed_frames_are_packed"),
    (descriptor(length=2) + descriptor(offset=1, length=1), b"{}", 16, 2, "typed_frames_are_packed"),
    (descriptor(length=1) + descriptor(offset=2), b"{}", 16, 2, "typed_frames_are_packed"),
    (descriptor(length=3), b"{}", 16, 1, "typed_end_inside_region"),
    (descriptor(length=2) + descriptor(offset=2, length=1), b"{}", 16, 2, "typed_end_inside_region"),
    (descriptor(length=raw.U32_MAX), b"{}", 16, 1, "typed_end_inside_region"),
    (descriptor(length=1), b"{}", 16, 1, "typed_frames_fill_region"),
    (descriptor(length=2) + descriptor(offset=2, length=raw.U32_MAX), b"{}", 16, 2, "typed_end_fits_u32"),
    (descriptor(length=2) + descriptor(offset=2, length=raw.U32_MAX - 1), b"{}", 16, 2, "typed_end_fits_u32"),
    (descriptor(length=2) + descriptor(offset=2, length=raw.U32_MAX - 2), b"{}", 16, 2, "typed_end_inside_region"),
    (descriptor(length=2), b"{}", 32, 1, "typed_kinds_match_bitmap"),
    (descriptor(length=2), b"{}", 48, 1, "typed_kinds_match_bitmap"),
    (descriptor(length=2), b"{}", 0, 1, "typed_kinds_match_bitmap"),
    (descriptor(length=2), b"{}", 17, 1, "ok"),
    (descriptor(), b"", 16, 1, "ok"),
]


@pytest.mark.parametrize(("region", "frames", "bitmap", "count", "expected"), TYPED)
def test_typed_rule(region, frames, bitmap, count, expected):
    assert outcome(wire.typed_region, region, frames, bitmap, count) == expected
    assert outcome(wire.typed_region, bytearray(region), bytearray(frames), bitmap, count) == expected


def test_typed_rules_in_their_order():
    """Bitmap, region length, count 0, every descriptor's own class, then the walk."""
    broken = descriptor(length=9, reserved0=1, payload_kind=99)
    assert outcome(wire.typed_region, broken, b"{}", 0x80, 5) == "typed_bitmap_is_known"
    assert outcome(wire.typed_region, broken, b"{}", 16, 5) == "typed_descriptor_bytes"
    assert outcome(wire.typed_region, broken, b"{}", 16, 1) == "non_zero_reserved_field"
    walk_first = descriptor(offset=5, length=1) + descriptor(payload_kind=99)
    assert outcome(wire.typed_region, walk_first, b"{}", 16, 2) == "unknown_enum_value"
    # In the walk the offset rule comes before the sum (C-01, desc_wrap).
    wrapped = descriptor(offset=0xFFFFFFF0, length=0x20)
    assert outcome(wire.typed_region, wrapped, b"x" * 16, 16, 1) == "typed_frames_are_packed"


@pytest.mark.parametrize("kinds", list(itertools.combinations([2, 4, 8, 16, 32, 64], 3)))
def test_kinds_must_be_the_bitmap(kinds):
    region, frames = raw.typed([b"x"] * 3, kinds)
    union = sum(kinds)
    for bitmap in range(128):
        expected = "ok" if bitmap & ~1 == union else "typed_kinds_match_bitmap"
        assert outcome(wire.typed_region, region, frames, bitmap, 3) == expected


def test_typed_payloads_are_views():
    region, frames = raw.typed([b"abc", b"de"])
    found = wire.typed_region(region, frames, 16, 2)
    assert len(found) == 2
    assert memory.address_of(found[1][1]) == memory.address_of(frames) + 3
    assert found[1][1].readonly


@pytest.mark.parametrize("arguments", [(16, -1), (16, 65536), (-1, 1), (1 << 40, 1)])
def test_numbers_no_packet_can_hold(arguments):
    region, frames = raw.typed([b"abc"])
    with pytest.raises((ValueError, OverflowError)):
        wire.typed_region(region, frames, *arguments)


REFERENCES = [
    # (kinds, mode, mask, outcome), in the order of the six rules of 6.4.4
    ([], 0, 0, "ok"),
    ([], 1, 0x10, "reference_mask_is_known"),
    ([10], 1, 0x10, "reference_mask_is_known"),
    ([10], 1, 0, "unknown_enum_value"),
    ([0], 0, 0, "unknown_enum_value"),
    ([], 0, 1, "reference_mode"),
    ([], 1, 0, "reference_mode"),
    ([], 2, 0, "reference_mode"),
    ([2, 1], 1, 0, "reference_mode"),
    ([7], 0, 0, "ok"),
    ([1], 0, 0, "reference_slot_listed"),
    ([1, 2, 3, 6], 1, 0xF, "ok"),
    ([1, 3, 2], 1, 0x7, "reference_slot_order"),
    ([6, 6], 2, 0x8, "reference_slot_order"),
    ([2], 1, 0x1, "reference_slot_listed"),
    ([1], 1, 0x3, "reference_mask_exact"),
    ([], 1, 0x1, "reference_mask_exact"),
    ([7], 1, 0x1, "reference_mask_exact"),
    ([4, 1, 5, 2, 7, 8, 9], 2, 0x3, "ok"),
]


@pytest.mark.parametrize(("kinds", "mode", "mask", "expected"), REFERENCES)
def test_reference_rule(kinds, mode, mask, expected):
    region = b"".join(raw.reference(kind) for kind in kinds)
    assert outcome(wire.reference_region, region, mode, mask) == expected
    if expected == "ok":
        assert [block.object_kind for block in wire.reference_region(region, mode, mask)] == kinds


def test_reference_region_length_comes_first():
    assert outcome(wire.reference_region, raw.reference(10)[:23], 1, 0x10) == "reference_region_multiple"


def test_reference_flags():
    assert outcome(wire.reference_region, raw.reference(1, ref_flags=1), 1, 1) == "non_zero_reserved_field"


def test_every_set_of_standard_references_needs_exactly_its_mask():
    slots = {1: 1, 2: 2, 3: 4, 6: 8}
    for size in range(5):
        for kinds in itertools.combinations(slots, size):
            region = b"".join(raw.reference(kind) for kind in kinds)
            own = sum(slots[kind] for kind in kinds)
            for mask in range(16):
                for mode in (0, 1, 2):
                    fits = mask == own and (mask == 0) == (mode == 0)
                    assert (outcome(wire.reference_region, region, mode, mask) == "ok") is fits


EXTENSIONS = [
    # (descriptors, payloads, outcome), the rules of section 9
    (b"", b"", "ok"),
    (raw.extension(1, 0, 3), b"abc", "ok"),
    (raw.extension(1, 0, 0) + raw.extension(0xFFFF, 0, 3), b"abc", "ok"),
    (raw.extension(1, 0, 3)[:15], b"abc", "prelude_extension_multiple"),
    (raw.extension(1, 0, 3, reserved0=1), b"abc", "non_zero_reserved_field"),
    (raw.extension(1, 0, 3, extension_flags=2), b"abc", "reserved_bits_set"),
    (raw.extension(1, 5, 3) + raw.extension(1, 0, 0, reserved0=1), b"abc", "non_zero_reserved_field"),
    (raw.extension(1, 1, 2), b"abc", "extension_payloads_are_packed"),
    (raw.extension(1, 0, 2) + raw.extension(1, 1, 2), b"abc", "extension_payloads_are_packed"),
    (raw.extension(1, 0, 4), b"abc", "extension_end_inside_region"),
    (raw.extension(1, 0, raw.U32_MAX), b"abc", "extension_end_inside_region"),
    (raw.extension(1, 0, 1) + raw.extension(1, 1, raw.U32_MAX - 1), b"abc", "extension_end_inside_region"),
    (raw.extension(1, 0, 1) + raw.extension(1, 1, raw.U32_MAX), b"abc", "extension_end_fits_u32"),
    (raw.extension(1, 0, 2), b"abc", "extension_payloads_fill_region"),
    (b"", b"abc", "extension_payloads_fill_region"),
]


@pytest.mark.parametrize(("region", "payloads", "expected"), EXTENSIONS)
def test_extension_rule(region, payloads, expected):
    assert outcome(wire.extension_region, region, payloads) == expected
    assert outcome(wire.extension_region, bytearray(region), bytearray(payloads)) == expected


def test_extension_payloads_are_views():
    region = raw.extension(1, 0, 3) + raw.extension(2, 3, 2)
    found = wire.extension_region(region, b"abcde")
    assert [(one.extension_kind, bytes(payload)) for one, payload in found] == [(1, b"abc"), (2, b"de")]
    assert found[1][1].readonly


def test_strided_regions_are_refused():
    region, frames = raw.typed([b"abc"])
    with pytest.raises(BufferError):
        wire.typed_region(memoryview(region * 2)[::2], frames, 16, 1)
    with pytest.raises(BufferError):
        wire.typed_region(region, memoryview(frames * 2)[::2], 16, 1)
    with pytest.raises(BufferError):
        wire.reference_region(memoryview(raw.reference(1) * 2)[::2], 1, 1)
