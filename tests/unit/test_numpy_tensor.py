"""Tensor sections and tile ids as numpy arrays over the packet's own memory (wire.md 6.4.2, 6.4.3)."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from wirekit import raw

from nnrp_wire import wire
from nnrp_wire.errors import UsageError

KINDS = {0: "<f2", 1: "<f4", 4: "i1", 5: "u1", 6: "<i2", 7: "<u2"}
DENSE, RAW, DELTA, BITSET = wire.TileIndexMode


def sections_of(*sections: bytes, tile_count: int = 2, wrap=bytes, **more) -> tuple[wire.TensorSection, ...]:
    packet = wire.parse_packet(wrap(raw.tensor_submit(tile_count=tile_count, sections=sections, **more)))
    return wire.frame_submit_body(packet).sections


def section_of(payloads, wrap=bytes, **more) -> wire.TensorSection:
    (section,) = sections_of(raw.section(1, payloads, **more), tile_count=len(payloads), wrap=wrap)
    return section


def body_of(mode: int, ids, wrap=bytes, base: int = 0) -> wire.DataPlaneBody:
    index = wire.tile_index_encode(mode, ids, base)
    sections = [raw.section(1, [b""] * len(ids))]
    packet = raw.tensor_submit(
        tile_count=len(ids), tile_index_mode=mode, index=index, tile_base_id=base, sections=sections
    )
    return wire.frame_submit_body(wire.parse_packet(wrap(packet)))


def test_the_registry_is_covered_but_for_fp8():
    """A new dtype_id with a numpy type must not be forgotten here."""
    assert set(wire.TensorDtype) - set(KINDS) == {wire.TensorDtype.FP8_E4M3, wire.TensorDtype.FP8_E5M2}


class TestTiles:
    @pytest.mark.parametrize("wrap", [bytes, bytearray])
    @pytest.mark.parametrize("dtype_id", KINDS)
    def test_every_element_type(self, dtype_id, wrap):
        values = np.array([[1, 2, 3], [4, 5, 100]], KINDS[dtype_id])
        section = section_of([row.tobytes() for row in values], wrap, dtype_id=dtype_id, element_count_per_tile=3)
        tiles = wire.tile_arrays(section)
        assert all(tile.dtype == KINDS[dtype_id] for tile in tiles)
        assert [tile.tolist() for tile in tiles] == values.tolist()
        whole = wire.section_array(section)
        assert (whole.dtype, whole.shape) == (np.dtype(KINDS[dtype_id]), (2, 3))
        assert np.array_equal(whole, values)

    def test_they_view_the_packet(self):
        source = raw.tensor_submit(tile_count=2, sections=[raw.section(1, [b"ab", b"cd"], dtype_id=5)])
        (section,) = wire.frame_submit_body(wire.parse_packet(source)).sections
        memory = np.frombuffer(source, "u1")
        for array in (*wire.tile_arrays(section), wire.section_array(section)):
            assert np.shares_memory(array, memory)
            assert not array.flags.writeable
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.flags.writeable = True

    def test_over_memory_that_changes_they_show_the_change_and_pin_it(self):
        source = bytearray(raw.tensor_submit(tile_count=2, sections=[raw.section(1, [b"ab", b"cd"], dtype_id=5)]))
        tiles = wire.tile_arrays(wire.frame_submit_body(wire.parse_packet(source)).sections[0])
        at = source.index(b"abcd")
        source[at : at + 4] = b"WXYZ"
        assert [tile.tobytes() for tile in tiles] == [b"WX", b"YZ"]
        with pytest.raises(BufferError):
            source.extend(b"x")
        del tiles
        source.extend(b"x")

    @pytest.mark.parametrize("call", [lambda section: wire.tile_arrays(section)[1], wire.section_array])
    @pytest.mark.parametrize("wrap", [bytes, bytearray, lambda source: memoryview(bytes(source))])
    def test_they_keep_the_packet_alive(self, call, wrap):
        tiles = [bytes([7]) * 3000, bytes([8]) * 3000]
        array = call(section_of(tiles, lambda source: wrap(bytearray(source)), dtype_id=5))
        part = array[..., 10:20]
        expected = part.copy()
        del array
        gc.collect()
        _ = [b"\xee" * size for size in (3000, 6000, 6300, 6500) for _ in range(100)]
        assert np.array_equal(part, expected)

    def test_tiles_of_different_lengths(self):
        section = section_of([b"abcd", b"", b"ef"], dtype_id=7)
        assert [tile.tobytes() for tile in wire.tile_arrays(section)] == [b"abcd", b"", b"ef"]
        with pytest.raises(UsageError, match=r"differ in length; use tile_arrays\(\)"):
            wire.section_array(section)

    @pytest.mark.parametrize("stride", [4, 6, 7, 8])
    def test_filler_is_stepped_over(self, stride):
        section = section_of([b"\x01\0\x02\0", b"\x03\0\x04\0"], dtype_id=7, stride=stride)
        assert [tile.tolist() for tile in wire.tile_arrays(section)] == [[1, 2], [3, 4]]
        whole = wire.section_array(section)
        assert whole.tolist() == [[1, 2], [3, 4]]
        assert whole.strides == (stride, 2)
        assert not whole.flags.owndata

    def test_strides_of_different_lengths(self):
        section = section_of([b"\x01\0\x02\0", b"", b"\x03\0"], dtype_id=7, stride=4)
        assert [tile.tolist() for tile in wire.tile_arrays(section)] == [[1, 2], [], [3]]

    def test_elements_need_no_alignment(self):
        """Tables in front of a payload have any length; numpy reads what is not aligned."""
        sections = sections_of(
            raw.section(1, [b"abc"], dtype_id=5), raw.section(2, [np.float32(1.5).tobytes()], dtype_id=1), tile_count=1
        )
        assert wire.section_array(sections[1]).tolist() == [[1.5]]
        mixed = section_of([np.float32([1, 2]).tobytes()] * 3, dtype_id=1, codec_ids=b"\0\0\1")
        assert wire.section_array(mixed).tolist() == [[1, 2]] * 3

    def test_no_tiles(self):
        section = section_of([], dtype_id=1, element_count_per_tile=6)
        assert wire.tile_arrays(section) == ()
        assert wire.section_array(section).shape == (0, 6)
        empty = section_of([b"", b""], dtype_id=1)
        assert [tile.shape for tile in wire.tile_arrays(empty)] == [(0,), (0,)]
        assert wire.section_array(empty).shape == (2, 0)

    @pytest.mark.parametrize("dtype_id", [2, 3, 8, 255])
    def test_what_numpy_has_no_type_for(self, dtype_id):
        section = section_of([b"ab", b"cd"], dtype_id=dtype_id)
        for call in (wire.tile_arrays, wire.section_array):
            with pytest.raises(UsageError, match=r"numpy has no type for dtype_id .*; give element_type"):
                call(section)
            assert np.asarray(call(section, element_type="u1")).tobytes() == b"abcd"

    def test_an_element_type_of_ones_own_goes_before_the_packets(self):
        section = section_of([b"\x01\x02\x03\x04"], dtype_id=5)
        assert wire.section_array(section, element_type=">u2").tolist() == [[0x102, 0x304]]
        pairs = wire.section_array(section, element_type=[("low", "u1"), ("high", "u1")])
        assert pairs["high"].tolist() == [[2, 4]]

    @pytest.mark.parametrize("kind", ["O", "S0", "V0", [("a", "O")]])
    def test_what_is_no_element_type(self, kind):
        with pytest.raises(TypeError, match="no type of elements"):
            wire.tile_arrays(section_of([b"ab"]), element_type=kind)

    def test_encoded_tiles_are_no_elements(self):
        """No rule of the wire ties a tile's length to its elements: a codec may stand between. No array then."""
        cut = section_of([b"ab", b"abc"], dtype_id=7)
        packed = section_of([b"abcd", b"ab"], dtype_id=7, element_count_per_tile=2)
        for call in (wire.tile_arrays, wire.section_array):
            with pytest.raises(UsageError, match=r"^tile 1 has 3 bytes, which are not whole elements of uint16$"):
                call(cut)
            with pytest.raises(UsageError, match=r"^tile 1 has 2 bytes, which are not 2 elements of uint16$"):
                call(packed)
        assert [bytes(payload) for payload in packed.payloads] == [b"abcd", b"ab"]

    def test_a_huge_element_count_does_not_wrap(self):
        section = section_of([b"\0" * 4], dtype_id=1, element_count_per_tile=(1 << 30) + 1)
        with pytest.raises(UsageError, match="not 1073741825 elements"):
            wire.tile_arrays(section)

    def test_only_sections(self):
        for call in (wire.tile_arrays, wire.section_array):
            with pytest.raises((TypeError, AttributeError)):
                call(b"abc")

    def test_many_tiles(self):
        count = 65535
        section = section_of([number.to_bytes(2, "little") for number in range(count)], dtype_id=7)
        assert np.array_equal(wire.section_array(section)[:, 0], np.arange(count))

    def test_sections_of_a_result(self):
        values = np.arange(6, dtype="<f4").reshape(2, 3)
        tensor = wire.Tensor(sections=[wire.Section(1, list(values), dtype_id=1)], tile_count=2)
        pushed = wire.build_result_push(tensor=tensor, session_id=1, frame_id=1)
        (section,) = wire.result_push_body(wire.parse_packet(pushed)).sections
        assert np.array_equal(wire.section_array(section), values)


class TestTileIds:
    @pytest.mark.parametrize("wrap", [bytes, bytearray])
    @pytest.mark.parametrize(
        ("mode", "ids", "base"),
        [
            (RAW, [9, 3, 9, 65535], 0),
            (RAW, [], 0),
            (DELTA, [4, 5, 255, 65535], 0),
            (DELTA, [0], 0),
            (DELTA, [], 0),
            (BITSET, [1, 4, 15, 16, 65535], 0),
            (BITSET, [], 0),
            (DENSE, [7, 8, 9], 7),
            (DENSE, [raw.U32_MAX - 1, raw.U32_MAX], raw.U32_MAX - 1),
            (DENSE, [], 0),
        ],
    )
    def test_every_coding(self, mode, ids, base, wrap):
        body = body_of(mode, ids, wrap, base)
        array = wire.tile_id_array(body)
        assert array.tolist() == list(body.tile_ids) == ids
        assert array.dtype == ("<u4" if mode == DENSE else "<u2")
        assert array.ndim == 1
        assert not array.flags.writeable

    def test_raw_ids_view_the_packet(self):
        source = raw.tensor_submit(tile_index_mode=RAW, index=b"\x05\0\x06\0\x07\0")
        array = wire.tile_id_array(wire.frame_submit_body(wire.parse_packet(source)))
        assert np.shares_memory(array, np.frombuffer(source, "u1"))
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True

    def test_raw_ids_of_memory_that_changes_are_those_that_were_checked(self):
        source = bytearray(raw.tensor_submit(tile_index_mode=RAW, index=b"\x05\0\x06\0\x07\0"))
        body = wire.frame_submit_body(wire.parse_packet(source))
        array = wire.tile_id_array(body)
        source[:] = bytes(len(source))
        assert array.tolist() == list(body.tile_ids) == [5, 6, 7]

    def test_they_keep_the_packet_alive(self):
        array = wire.tile_id_array(body_of(RAW, list(range(500)), lambda source: bytes(bytearray(source))))[100:110]
        gc.collect()
        _ = [b"\xee" * size for size in (1000, 3000, 3200, 3300) for _ in range(100)]
        assert array.tolist() == list(range(100, 110))

    def test_none_where_there_are_no_known_ids(self):
        assert wire.tile_id_array(wire.frame_submit_body(wire.parse_packet(raw.typed_submit([b"x"])))) is None
        objects = raw.inline_object(1, b"camera") + raw.inline_object(3, raw.section(1, [b"ab"] * 3))
        absent = raw.tensor_submit(objects=objects, tile_index_mode=RAW)
        body = wire.frame_submit_body(wire.parse_packet(absent))
        assert body.tile_ids is None
        assert wire.tile_id_array(body) is None

    def test_of_a_result(self):
        tensor = wire.Tensor(tile_ids=[5, 9], sections=[wire.Section(1, [b"a", b"b"])])
        pushed = wire.build_result_push(tensor=tensor, session_id=1, frame_id=1)
        assert wire.tile_id_array(wire.result_push_body(wire.parse_packet(pushed))).tolist() == [5, 9]

    def test_only_bodies(self):
        with pytest.raises(TypeError):
            wire.tile_id_array(None)
        with pytest.raises(TypeError):
            wire.tile_id_array(b"abc")
