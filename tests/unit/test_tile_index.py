"""The four tile-index codings, both ways (wire.md 6.4.2)."""

from __future__ import annotations

import random
import struct

import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import InvalidProtocolCombination, WireError

DENSE, RAW, DELTA, BITSET = wire.TileIndexMode


def u16s(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}H", *values)


GOOD = [
    # (mode, ids, base, bytes)
    (DENSE, (), 0, b""),
    (DENSE, (7, 8, 9), 7, b""),
    (DENSE, (raw.U32_MAX,), raw.U32_MAX, b""),
    (RAW, (), 0, b""),
    (RAW, (9, 3, 9), 0, u16s(9, 3, 9)),
    (RAW, (65535, 0), 0, u16s(65535, 0)),
    (DELTA, (), 0, b""),
    (DELTA, (0,), 0, u16s(0)),
    (DELTA, (4, 5, 255), 0, u16s(4, 1, 250)),
    (DELTA, (0, 65535), 0, u16s(0, 65535)),
    (DELTA, (65535,), 0, u16s(65535)),
    (BITSET, (), 0, b""),
    (BITSET, (0,), 0, b"\x01"),
    (BITSET, (7,), 0, b"\x80"),
    (BITSET, (8,), 0, b"\x00\x01"),
    (BITSET, (1, 4, 15), 0, b"\x12\x80"),
    (BITSET, (65535,), 0, bytes(8191) + b"\x80"),
]


@pytest.mark.parametrize(("mode", "ids", "base", "coded"), GOOD)
def test_both_ways(mode, ids, base, coded):
    assert wire.tile_index_encode(mode, ids, base) == coded
    assert tuple(wire.tile_index_decode(mode, coded, len(ids), base)) == ids
    assert tuple(wire.tile_index_decode(mode, bytearray(coded), len(ids), base)) == ids
    assert wire.tile_index_encode(int(mode), list(ids), base) == coded, "a list and a plain number do as well"


def test_dense_decodes_to_a_range_without_listing_it():
    found = wire.tile_index_decode(DENSE, b"", 65535, 1 << 31)
    assert found == range(1 << 31, (1 << 31) + 65535)


def test_encoded_bytes_are_bytes():
    for mode in wire.TileIndexMode:
        assert type(wire.tile_index_encode(mode, (1, 2), 1)) is bytes


BAD_DECODE = [
    (DENSE, b"\0", 0, 0, "tile_dense_range_is_empty"),
    (DENSE, b"\0\0", 1, 0, "tile_dense_range_is_empty"),
    (DENSE, b"", 2, raw.U32_MAX, "tile_dense_range_fits_u32"),
    (RAW, u16s(1), 2, 0, "tile_u16_length"),
    (RAW, u16s(1, 2), 1, 0, "tile_u16_length"),
    (RAW, b"\1", 1, 0, "tile_u16_length"),
    (RAW, b"\1", 0, 0, "tile_u16_length"),
    (DELTA, u16s(4, 0), 2, 0, "tile_delta_ascends"),
    (DELTA, u16s(4, 1, 0, 1), 4, 0, "tile_delta_ascends"),
    (DELTA, u16s(65535, 1), 2, 0, "tile_id_fits_u16"),
    (DELTA, u16s(1, 65535), 2, 0, "tile_id_fits_u16"),
    (DELTA, u16s(1), 2, 0, "tile_u16_length"),
    (DELTA, b"\1\0\1", 1, 0, "tile_u16_length"),
    (BITSET, b"\x01", 0, 0, "tile_count_matches"),
    (BITSET, b"\x01", 2, 0, "tile_count_matches"),
    (BITSET, b"\x03", 1, 0, "tile_count_matches"),
    (BITSET, b"\x01\x00", 1, 0, "tile_bitset_last_byte"),
    (BITSET, b"\x00", 0, 0, "tile_bitset_last_byte"),
    (BITSET, b"", 1, 0, "tile_count_matches"),
    (BITSET, bytes(8192) + b"\x01", 1, 0, "tile_id_fits_u16"),  # id 65536
]


@pytest.mark.parametrize(("mode", "coded", "count", "base", "rule"), BAD_DECODE)
def test_decode_refuses(mode, coded, count, base, rule):
    with pytest.raises(InvalidProtocolCombination) as caught:
        wire.tile_index_decode(mode, coded, count, base)
    assert data.broken_rule(caught.value) == rule


BAD_ENCODE = [
    (DENSE, (7, 9), 7, None),
    (DENSE, (7, 8), 6, None),
    (DENSE, (8, 7), 7, None),
    (RAW, (65536,), 0, "tile_id_fits_u16"),
    (DELTA, (4, 4), 0, "tile_delta_ascends"),
    (DELTA, (5, 4), 0, "tile_delta_ascends"),
    (DELTA, (0, 65536), 0, "tile_id_fits_u16"),
    (DELTA, (65536,), 0, "tile_id_fits_u16"),
    (BITSET, (4, 4), 0, "tile_bitset_ascends"),
    (BITSET, (5, 4), 0, "tile_bitset_ascends"),
    (BITSET, (65536,), 0, "tile_id_fits_u16"),
]


@pytest.mark.parametrize(("mode", "ids", "base", "rule"), BAD_ENCODE)
def test_encode_refuses_what_the_coding_cannot_say(mode, ids, base, rule):
    with pytest.raises(InvalidProtocolCombination) as caught:
        wire.tile_index_encode(mode, ids, base)
    assert rule in (None, data.broken_rule(caught.value))


@pytest.mark.parametrize("bad", [(-1,), (1 << 32,), (1 << 70,)])
@pytest.mark.parametrize("mode", list(wire.TileIndexMode))
def test_ids_outside_every_coding(mode, bad):
    with pytest.raises((WireError, wire.FieldOutOfRange)):
        wire.tile_index_encode(mode, bad, 0)


@pytest.mark.parametrize("bad", ["12", (1.5,), (None,), 5])
def test_ids_of_another_type(bad):
    with pytest.raises(TypeError):
        wire.tile_index_encode(RAW, bad)


@pytest.mark.parametrize("mode", [4, 255, -1])
def test_unknown_mode(mode):
    with pytest.raises(ValueError, match=r"."):
        wire.tile_index_encode(mode, (1,))
    with pytest.raises(ValueError, match=r"."):
        wire.tile_index_decode(mode, b"\1\0", 1)


def test_random_ascending_ids_in_every_coding():
    chosen = random.Random(6)
    for _ in range(200):
        ids = tuple(sorted(chosen.sample(range(65536), chosen.randrange(0, 300))))
        for mode in (RAW, DELTA, BITSET):
            coded = wire.tile_index_encode(mode, ids)
            assert tuple(wire.tile_index_decode(mode, coded, len(ids))) == ids
            for wrong in (len(ids) + 1, len(ids) - 1):
                if wrong >= 0:
                    with pytest.raises(WireError):
                        wire.tile_index_decode(mode, coded, wrong)


def test_every_bitset_of_two_bytes():
    """All 65 536, with every count: exactly one count is right, and only without a last byte of 0."""
    for number in range(0, 65536, 7):
        coded = number.to_bytes(2, "little")
        ids = tuple(bit for bit in range(16) if number >> bit & 1)
        if coded[1] == 0:
            with pytest.raises(InvalidProtocolCombination):
                wire.tile_index_decode(BITSET, coded, len(ids))
        else:
            assert tuple(wire.tile_index_decode(BITSET, coded, len(ids))) == ids
