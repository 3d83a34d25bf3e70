"""Tensor submits and results: camera, tile index, section table (wire.md 6.4.2, 6.4.3)."""

from __future__ import annotations

import struct

import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import InvalidProtocolCombination, NonZeroReservedField, WireError


def cut(source: bytes) -> wire.DataPlaneBody:
    packet = wire.parse_packet(source)
    if packet.message_type == wire.MessageType.FRAME_SUBMIT:
        return wire.frame_submit_body(packet)
    return wire.result_push_body(packet)


def refused(source: bytes, rule: str | None = None, kind: type[WireError] = InvalidProtocolCombination) -> None:
    for wrap in (bytes, bytearray):
        packet = wire.parse_packet(wrap(source))
        with pytest.raises(kind) as caught:
            wire.check_body(packet)
        assert type(caught.value) is kind
        assert rule is None or caught.value.rule == data.rule_text(rule)
        with pytest.raises(kind):
            cut(wrap(source))


def table(*sections: bytes, tile_count: int = 2, **more) -> bytes:
    return raw.tensor_submit(tile_count=tile_count, sections=sections, **more)


def test_dense_tensor():
    body = cut(raw.tensor_submit(tile_count=3, tile_base_id=7))
    assert bytes(body.camera) == b"camera"
    assert body.camera.readonly
    assert tuple(body.tile_ids) == (7, 8, 9)
    assert [block.object_kind for block, _ in body.objects] == [1, 2, 3]
    (section,) = body.sections
    assert type(section.descriptor) is wire.TensorSectionDescriptor
    assert section.descriptor.role_id == 1
    assert section.codec_ids == ()
    assert section.lengths == (2, 2, 2)
    assert [bytes(payload) for payload in section.payloads] == [b"ab"] * 3
    assert all(isinstance(payload, memoryview) and payload.readonly for payload in section.payloads)


def test_camera_may_be_empty_or_absent():
    assert bytes(cut(raw.tensor_submit(camera=b"")).camera) == b""
    objects = raw.inline_object(2) + raw.inline_object(3, raw.section(1, [b"ab"] * 3))
    assert cut(raw.tensor_submit(objects=objects, camera=b"")).camera is None


@pytest.mark.parametrize("lie", [0, 5, 7, raw.U32_MAX])
def test_camera_bytes_say_the_length(lie):
    refused(raw.tensor_submit(camera_bytes=lie), "camera_length")


def test_camera_bytes_without_a_camera():
    objects = raw.inline_object(2) + raw.inline_object(3, raw.section(1, [b"ab"] * 3))
    refused(raw.tensor_submit(objects=objects, camera=b"", camera_bytes=1), "camera_length")


def test_camera_bytes_of_a_referenced_camera_are_zero():
    objects = raw.inline_object(2) + raw.inline_object(3, raw.section(1, [b"ab"] * 3))
    parts = {"objects": objects, "references": raw.reference(1), "camera": b"", "submit_mode": 2, "object_ref_mask": 1}
    body = cut(raw.tensor_submit(**parts))
    assert body.camera is None
    refused(raw.tensor_submit(**parts, camera_bytes=6), "camera_length")


INDEX_CASES = [
    (1, struct.pack("<3H", 9, 3, 9), (9, 3, 9)),
    (1, struct.pack("<3H", 0, 65535, 0), (0, 65535, 0)),
    (2, struct.pack("<3H", 4, 1, 250), (4, 5, 255)),
    (2, struct.pack("<3H", 0, 1, 65534), (0, 1, 65535)),
    (3, bytes([0b00010010, 0b10000000]), (1, 4, 15)),
]


@pytest.mark.parametrize(("mode", "index", "expected"), INDEX_CASES)
def test_tile_index_modes(mode, index, expected):
    assert tuple(cut(raw.tensor_submit(tile_index_mode=mode, index=index)).tile_ids) == expected


BAD_INDEX_CASES = [
    (0, b"\0\0", "tile_dense_range_is_empty"),
    (1, struct.pack("<2H", 1, 2), "tile_u16_length"),  # two of three tiles
    (1, struct.pack("<4H", 1, 2, 3, 4), "tile_u16_length"),
    (1, struct.pack("<3H", 1, 2, 3)[:5], "tile_u16_length"),
    (2, struct.pack("<2H", 1, 2), "tile_u16_length"),
    (2, struct.pack("<3H", 4, 0, 1), "tile_delta_ascends"),
    (2, struct.pack("<3H", 65535, 1, 1), "tile_id_fits_u16"),
    (3, bytes([0b00000110]), "tile_count_matches"),  # two bits
    (3, bytes([0b00011110]), "tile_count_matches"),  # four bits
    (3, bytes([0b00000111, 0]), "tile_bitset_last_byte"),
    (3, b"", "tile_count_matches"),
]


@pytest.mark.parametrize(("mode", "index", "rule"), BAD_INDEX_CASES)
def test_tile_index_breaches(mode, index, rule):
    refused(raw.tensor_submit(tile_index_mode=mode, index=index), rule)


def test_index_bytes_say_the_length():
    index = struct.pack("<3H", 1, 2, 3)
    for lie in (0, 4, 5, 7, 8, raw.U32_MAX):
        refused(raw.tensor_submit(tile_index_mode=1, index=index, tile_index_bytes=lie), "tile_index_length")
    refused(raw.tensor_submit(tile_index_bytes=2), "tile_index_length")


def test_dense_range_fits_u32():
    last = raw.U32_MAX
    body = cut(raw.tensor_submit(tile_count=3, tile_base_id=last - 2))
    assert tuple(body.tile_ids) == (last - 2, last - 1, last)
    refused(raw.tensor_submit(tile_count=3, tile_base_id=last - 1), "tile_dense_range_fits_u32")


def test_65535_tiles():
    count = 65535
    body = cut(raw.tensor_submit(tile_count=count, sections=[raw.section(1, [b"x"] * count)]))
    assert len(body.tile_ids) == count
    assert body.tile_ids[-1] == count - 1
    assert len(body.sections[0].lengths) == count


def test_a_referenced_index_leaves_the_tiles_unknown():
    objects = raw.inline_object(1, b"camera") + raw.inline_object(3, raw.section(1, [b"ab"] * 3))
    parts = {"objects": objects, "references": raw.reference(2), "submit_mode": 2, "object_ref_mask": 2}
    body = cut(raw.tensor_submit(**parts, tile_index_mode=1))
    assert body.tile_ids is None
    assert len(body.sections) == 1


def test_section_count_needs_a_table():
    objects = raw.inline_object(1, b"camera") + raw.inline_object(2)
    refused(raw.tensor_submit(objects=objects), "section_table_present")
    cut(raw.tensor_submit(objects=objects, section_count=0))
    body = cut(raw.tensor_submit(objects=objects, references=raw.reference(3), submit_mode=2, object_ref_mask=4))
    assert len(body.sections) == 0


def test_several_sections_with_codec_tables_and_strides():
    sections = [
        raw.section(1, [b"a", b"bcd"], codec_ids=b"\x01\x02"),
        raw.section(5, [b"xy", b"z"], stride=4),
        raw.section(9, [b"", b""]),
    ]
    found = cut(table(*sections)).sections
    assert [one.descriptor.role_id for one in found] == [1, 5, 9]
    assert [one.codec_ids for one in found] == [(1, 2), (), ()]
    assert [one.lengths for one in found] == [(1, 3), (2, 1), (0, 0)]
    assert [[bytes(payload) for payload in one.payloads] for one in found] == [
        [b"a", b"bcd"],
        [b"xy", b"z"],
        [b"", b""],
    ]


def test_a_tile_may_fill_its_stride():
    (section,) = cut(table(raw.section(1, [b"abcd", b"abc"], stride=4))).sections
    assert [bytes(payload) for payload in section.payloads] == [b"abcd", b"abc"]


def test_sections_of_no_tiles():
    """Nothing but descriptors: the last one ends exactly where the table ends."""
    found = cut(table(raw.section(1, []), raw.section(2, []), tile_count=0)).sections
    assert [(one.descriptor.role_id, one.lengths, one.payloads) for one in found] == [(1, (), ()), (2, (), ())]


def test_stride_filler_belongs_to_no_payload():
    (section,) = cut(table(raw.section(1, [b"ab", b"c"], stride=8))).sections
    assert section.descriptor.payload_bytes == 16
    assert [bytes(payload) for payload in section.payloads] == [b"ab", b"c"]


BAD_SECTIONS = [
    ([raw.section(5, [b"a"] * 2), raw.section(5, [b"a"] * 2)], "section_role_order"),
    ([raw.section(5, [b"a"] * 2), raw.section(4, [b"a"] * 2)], "section_role_order"),
    ([raw.section(1, [b"a"] * 3)], "section_length_table"),  # three for two tiles
    ([raw.section(1, [b"a"] * 1)], "section_length_table"),
    ([raw.section(1, [b"a", b"b"], length_table_bytes=raw.U32_MAX - 3)], "section_length_table"),
    ([raw.section(1, [b"a", b"b"], codec_ids=b"\x01")], "section_codec_table"),
    ([raw.section(1, [b"a", b"b"], codec_ids=b"\x01\x02\x03")], "section_codec_table"),
    ([raw.section(1, [b"a", b"b"], codec_table_bytes=raw.U32_MAX, section_flags=1)], "section_codec_table"),
    ([raw.section(1, [b"a", b"b"], lengths=[1, 2])], "section_lengths_add_up"),
    ([raw.section(1, [b"a", b"b"], lengths=[1, 0])], "section_lengths_add_up"),
    ([raw.section(1, [b"a", b"b"], lengths=[raw.U32_MAX, 3])], "section_lengths_add_up"),  # right after wrapping
    ([raw.section(1, [b"ab", b"c"], stride=1, payload=b"ac")], "section_tile_within_stride"),
    ([raw.section(1, [b"ab", b"c"], stride=4, lengths=[5, 1])], "section_tile_within_stride"),
    ([raw.section(1, [b"ab", b"c"], stride=4, payload=b"ab\0\0c\0\0")], "section_stride_total"),
    ([raw.section(1, [b"ab", b"c"], stride=4, payload=b"ab\0\0c\0\0\0\0")], "section_stride_total"),
    (
        [raw.section(1, [b"a", b"b"], payload=b"", payload_stride_bytes=1 << 31, section_flags=2)],
        "section_stride_total",
    ),
    ([raw.section(1, [b"ab", b"c"], stride=4, payload=b"ab\0\1c\0\0\0")], "section_stride_filler_is_zero"),
    ([raw.section(1, [b"ab", b"c"], stride=4, payload=b"ab\1\0c\0\0\0")], "section_stride_filler_is_zero"),
    ([raw.section(1, [b"ab", b"c"], stride=4, payload=b"ab\0\0c\0\0\1")], "section_stride_filler_is_zero"),
    ([raw.section(1, [b"a", b"b"], payload_bytes=3)], "section_fits_table"),
    ([raw.section(1, [b"a", b"b"], payload_bytes=raw.U32_MAX)], "section_fits_table"),
    ([raw.section(1, [b"a", b"b"], section_flags=4)], None),  # rules of the descriptor's own layout
    ([raw.section(1, [b"a", b"b"], section_flags=1)], None),
    ([raw.section(1, [b"a", b"b"], section_flags=2)], None),
    ([raw.section(1, [b"a", b"b"], payload_stride_bytes=1)], None),
    ([raw.section(1, [b"a", b"b"], length_table_bytes=9)], None),
]


@pytest.mark.parametrize(("sections", "rule"), BAD_SECTIONS)
def test_section_breaches(sections, rule):
    refused(table(*sections), rule)


def test_section_reserved_field():
    refused(table(raw.section(1, [b"a", b"b"], reserved=1)), kind=NonZeroReservedField)


@pytest.mark.parametrize("size", range(32))
def test_section_descriptor_cut_short(size):
    """As when nothing is left for it (vector more.body.tensor_section_count_high): the section is not in its table."""
    refused(table(raw.section(1, [b"a", b"b"])[:size]), "section_fits_table")


@pytest.mark.parametrize(
    ("count", "rule"),
    [(0, None), (1, "section_table_is_full"), (3, "section_fits_table"), (65535, "section_fits_table")],
)
def test_section_count_is_the_number_of_sections(count, rule):
    sections = [raw.section(1, [b"a"] * 2), raw.section(2, [b"a"] * 2)]
    refused(table(*sections, section_count=count), rule)


def test_filler_between_sections_is_zero():
    first = raw.section(1, [b"a", b"b"])
    joined = raw.section_table(first, raw.section(2, [b"a", b"b"]))
    assert len(first) % 8 == 2
    good = raw.inline_object(1, b"camera") + raw.inline_object(2) + raw.inline_object(3, joined)
    cut(raw.tensor_submit(tile_count=2, objects=good, section_count=2))
    for at in range(len(first), len(first) + 6):
        broken = raw.patch(joined, at, 1, 1)
        bad = raw.inline_object(1, b"camera") + raw.inline_object(2) + raw.inline_object(3, broken)
        refused(raw.tensor_submit(tile_count=2, objects=bad, section_count=2), "section_filler_is_zero")


def test_nothing_stands_after_the_last_section():
    section = raw.section(1, [b"a", b"b"])
    for rest in (b"\0", bytes(6), b"x"):
        objects = raw.inline_object(1, b"camera") + raw.inline_object(2) + raw.inline_object(3, section + rest)
        refused(raw.tensor_submit(tile_count=2, objects=objects, section_count=1), "section_table_is_full")


def test_open_bytes_of_a_descriptor():
    """codec, dtype, layout and scale ids are open bytes (W-8)."""
    section = raw.section(1, [b"a", b"b"], codec_id=255, dtype_id=254, layout_id=253, scale_policy=252)
    found = cut(table(section)).sections[0].descriptor
    assert (found.codec_id, found.dtype_id, found.layout_id, found.scale_policy) == (255, 254, 253, 252)


def test_tensor_and_typed_together():
    descriptors, frames = raw.typed([b'{"a":1}'])
    objects = raw.inline_object(1, b"camera") + raw.inline_object(2) + raw.inline_object(3, raw.section(1, [b"ab"] * 3))
    source = raw.submit(
        raw.body(objects=objects, descriptors=descriptors, frames=frames),
        payload_kind_bitmap=17,
        payload_frame_count=1,
        tile_count=3,
        section_count=1,
        camera_bytes=6,
    )
    body = cut(source)
    assert bytes(body.typed_payloads[0][1]) == b'{"a":1}'
    assert tuple(body.tile_ids) == (0, 1, 2)


# RESULT_PUSH has no tile index mode: raw_u16 when there are index bytes, else dense (6.2).


def tensor_result(objects: bytes, **metadata: int) -> bytes:
    values = {"payload_kind_bitmap": 1, "tile_count": 2, "covered_tile_count": 2, "section_count": 1, **metadata}
    return raw.result(raw.body(objects=objects), **values)


def test_result_tiles():
    section = raw.inline_object(3, raw.section(1, [b"a", b"b"]))
    dense = cut(tensor_result(section, tile_base_id=10))
    assert tuple(dense.tile_ids) == (10, 11)
    index = raw.inline_object(2, struct.pack("<2H", 5, 6))
    listed = cut(tensor_result(index + section, tile_index_bytes=4))
    assert tuple(listed.tile_ids) == (5, 6)
    refused(tensor_result(index + section, tile_index_bytes=2))
    refused(tensor_result(raw.inline_object(2, b"\x01\0") + section, tile_index_bytes=2))
    refused(tensor_result(section, tile_base_id=raw.U32_MAX))


def test_result_has_no_camera_bytes():
    """A camera in a result has no declared length; whatever the answer, it is one of the documented ones."""
    section = raw.inline_object(3, raw.section(1, [b"a", b"b"]))
    try:
        body = cut(tensor_result(raw.inline_object(1, b"camera") + section))
    except WireError as error:
        assert error.stage is wire.Stage.BODY
    else:
        assert len(body.objects) == 2
