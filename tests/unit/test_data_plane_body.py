"""Bodies of FRAME_SUBMIT and RESULT_PUSH: prelude, inline objects, references, extensions (wire.md 6.4)."""

from __future__ import annotations

import pytest
from wirekit import data, memory, raw

from nnrp_wire import wire
from nnrp_wire.errors import (
    InvalidProtocolCombination,
    MessageLengthOverflow,
    NnrpError,
    NonZeroReservedField,
    ReservedBitsSet,
    SourceTooShort,
    UnknownEnumValue,
    WireError,
)

BITMAP = {"payload_kind_bitmap": 16, "payload_frame_count": 1}
PLAIN = {"payload_kind_bitmap": 0, "payload_frame_count": 0}
DESCRIPTORS, FRAMES = raw.typed([b'{"a":1}'])


def cut(source: bytes, wrap=bytes) -> wire.DataPlaneBody:
    packet = wire.parse_packet(wrap(source))
    if packet.message_type == wire.MessageType.FRAME_SUBMIT:
        return wire.frame_submit_body(packet)
    return wire.result_push_body(packet)


def refused(kind: type[WireError], source: bytes, rule: str | None = None) -> WireError:
    """Refused by the body function and by `check_body`, over bytes and over mutable memory, as the same error."""
    texts = set()
    for wrap in (bytes, bytearray):
        packet = wire.parse_packet(wrap(source))
        with pytest.raises(kind) as caught:
            wire.check_body(packet)
        texts.add(str(caught.value))
        with pytest.raises(kind) as caught:
            cut(source, wrap)
        texts.add(str(caught.value))
        assert type(caught.value) is kind
        assert caught.value.stage is wire.Stage.BODY
        assert caught.value.rule
        assert rule is None or caught.value.rule == data.rule_text(rule)
        assert 0 <= caught.value.offset <= len(source)
    assert len(texts) == 1
    return caught.value


# Prelude.


@pytest.mark.parametrize("size", range(32))
def test_submit_needs_a_prelude(size):
    refused(SourceTooShort, raw.submit(raw.body()[:size]))


@pytest.mark.parametrize("size", range(1, 32))
def test_result_body_is_empty_or_has_a_prelude(size):
    refused(SourceTooShort, raw.result(raw.body()[:size]))


def test_empty_result():
    body = cut(raw.result(b""))
    assert body.prelude is None
    assert len(body.objects) == len(body.references) == len(body.typed_payloads) == len(body.extensions) == 0
    assert body.camera is None
    assert not body.tile_ids
    assert len(body.sections) == 0


@pytest.mark.parametrize(
    "fields", [{"payload_kind_bitmap": 16}, {"payload_frame_count": 1}, {**BITMAP}, {"payload_kind_bitmap": 1}]
)
def test_empty_result_declares_nothing(fields):
    refused(InvalidProtocolCombination, raw.result(b"", **fields), "empty_result_declares_nothing")


def test_prelude_is_a_view():
    body = cut(raw.typed_submit([b"{}"]))
    assert type(body.prelude) is wire.BodyRegionPrelude
    assert body.prelude.as_dict() == {
        "inline_object_bytes": 0,
        "object_reference_bytes": 0,
        "typed_payload_descriptor_bytes": 24,
        "typed_payload_frame_bytes": 2,
        "extension_descriptor_bytes": 0,
        "extension_payload_bytes": 0,
        "body_flags": 0,
        "reserved": 0,
    }


@pytest.mark.parametrize("field", ["body_flags", "reserved"])
def test_prelude_reserved_fields(field):
    error = refused(NonZeroReservedField, raw.submit(raw.body(**{field: 1})))
    assert (error.layout, error.field) == ("body_region_prelude", field)


LENGTHS = [
    "inline_object_bytes",
    "object_reference_bytes",
    "typed_payload_descriptor_bytes",
    "typed_payload_frame_bytes",
    "extension_descriptor_bytes",
    "extension_payload_bytes",
]


@pytest.mark.parametrize(
    ("field", "length", "rule"),
    [
        ("inline_object_bytes", 8, "prelude_total"),
        ("object_reference_bytes", 24, "prelude_total"),
        ("typed_payload_descriptor_bytes", 24, "prelude_descriptor_bytes"),
        ("typed_payload_frame_bytes", 8, "prelude_frames_need_descriptors"),
        ("extension_descriptor_bytes", 16, "prelude_total"),
        ("extension_payload_bytes", 8, "prelude_extensions_need_descriptors"),
    ],
)
def test_a_region_longer_than_the_body(field, length, rule):
    refused(InvalidProtocolCombination, raw.submit(raw.body(**{field: length})), rule)


@pytest.mark.parametrize("first", LENGTHS)
@pytest.mark.parametrize("second", LENGTHS)
def test_lengths_whose_sum_wraps(first, second):
    """A sum past u32 is an overflow before any other prelude rule, even when it wraps to the true length."""
    if first == second:
        return
    lengths = {first: 0x80000000, second: 0x80000000}
    refused(MessageLengthOverflow, raw.submit(raw.body(**lengths)), "prelude_sum_fits_u32")
    refused(MessageLengthOverflow, raw.submit(raw.body(**dict.fromkeys(LENGTHS, raw.U32_MAX))))


def test_largest_sum_is_no_overflow():
    refused(InvalidProtocolCombination, raw.submit(raw.body(inline_object_bytes=raw.U32_MAX)), "prelude_total")


def test_total_must_be_the_body():
    whole = raw.body(descriptors=DESCRIPTORS, frames=FRAMES)
    for body in (whole[:-1], whole + b"x"):
        refused(InvalidProtocolCombination, raw.submit(body, **BITMAP), "prelude_total")


def test_reference_bytes_are_a_multiple_of_24():
    body = raw.body(references=raw.reference(7)[:23])
    refused(InvalidProtocolCombination, raw.submit(body))


@pytest.mark.parametrize("count", [0, 2, 65535])
def test_descriptor_bytes_are_24_per_frame(count):
    body = raw.body(descriptors=DESCRIPTORS, frames=FRAMES)
    source = raw.submit(body, payload_kind_bitmap=16, payload_frame_count=count)
    refused(InvalidProtocolCombination, source, "prelude_descriptor_bytes")


def test_frames_need_descriptors():
    refused(InvalidProtocolCombination, raw.submit(raw.body(frames=b"x")), "prelude_frames_need_descriptors")


def test_extension_bytes_are_a_multiple_of_16():
    for region in (raw.extension(1, 0, 0)[:15], raw.extension(1, 0, 0) + b"x"):
        refused(InvalidProtocolCombination, raw.submit(raw.body(extensions=region)), "prelude_extension_multiple")


def test_extension_payloads_need_descriptors():
    source = raw.submit(raw.body(extension_payloads=b"x"))
    refused(InvalidProtocolCombination, source, "prelude_extensions_need_descriptors")


# Typed payloads, seen from the packet.


def test_typed_payloads_are_views_of_the_packet():
    source = raw.typed_submit([b"one", b"", b"three"], [16, 64, 32])
    body = cut(source)
    start = memory.address_of(source) + 40 + 72 + 32 + 3 * 24
    found = list(body.typed_payloads)
    assert [bytes(payload) for _, payload in found] == [b"one", b"", b"three"]
    assert [descriptor.payload_kind for descriptor, _ in found] == [
        wire.PayloadKind.STRUCTURED_EVENT,
        wire.PayloadKind.OPAQUE_BYTES,
        wire.PayloadKind.TOOL_DELTA,
    ]
    assert all(type(descriptor) is wire.TypedPayloadDescriptor for descriptor, _ in found)
    assert memory.address_of(found[0][1]) == start
    assert memory.address_of(found[2][1]) == start + 3
    for _, payload in found:
        assert isinstance(payload, memoryview)
        assert payload.readonly


@pytest.mark.parametrize("message", ["submit", "result"])
def test_sequences_behave_like_sequences(message):
    make = raw.submit if message == "submit" else raw.result
    descriptors, frames = raw.typed([b"a", b"bb", b"ccc"])
    body = cut(make(raw.body(descriptors=descriptors, frames=frames), payload_kind_bitmap=16, payload_frame_count=3))
    payloads = body.typed_payloads
    assert len(payloads) == 3
    assert bytes(payloads[0][1]) == b"a"
    assert bytes(payloads[-1][1]) == b"ccc"
    assert [bytes(payload) for _, payload in payloads] == [b"a", b"bb", b"ccc"]
    assert [bytes(payload) for _, payload in payloads] == [b"a", b"bb", b"ccc"], "and again"
    for index in (3, -4, 10**9):
        with pytest.raises(IndexError):
            payloads[index]
    with pytest.raises(TypeError):
        payloads["0"]


def test_65535_frames():
    """The largest count a submit can declare (6.4.6)."""
    count = 65535
    source = raw.typed_submit([b"x"] * count)
    body = cut(source)
    assert len(body.typed_payloads) == count
    assert bytes(body.typed_payloads[count - 1][1]) == b"x"
    assert body.typed_payloads[count - 1][0].offset == count - 1


# Inline objects (6.4.1).


def test_objects_of_free_kinds_in_any_order():
    """Only the four standard kinds are ordered; the others may come anywhere and repeat."""
    parts = [(7, b"prompt"), (4, b""), (9, b"12345678"), (7, b"x" * 9)]
    objects = b"".join(raw.inline_object(kind, payload) for kind, payload in parts)
    body = cut(raw.submit(raw.body(objects=objects)))
    assert [(block.object_kind, bytes(payload)) for block, payload in body.objects] == parts
    assert all(type(block) is wire.InlineObjectBlockHeader for block, _ in body.objects)
    assert body.camera is None


def test_object_profile_id_is_free():
    body = cut(raw.submit(raw.body(objects=raw.inline_object(7, b"x", profile_id=0xFFFF))))
    assert body.objects[0][0].profile_id == 0xFFFF


@pytest.mark.parametrize("field", ["object_flags", "reserved0", "reserved1"])
def test_object_reserved_fields(field):
    error = refused(NonZeroReservedField, raw.submit(raw.body(objects=raw.inline_object(7, b"x", **{field: 1}))))
    assert (error.layout, error.field) == ("inline_object_block_header", field)


@pytest.mark.parametrize("kind", [0, 10, 0xFFFF])
def test_object_kind_is_closed(kind):
    refused(UnknownEnumValue, raw.submit(raw.body(objects=raw.inline_object(kind, b"x"))))


def test_object_header_cut_short():
    for size in (1, 8, 15):
        objects = raw.inline_object(7, b"12345678") + raw.inline_object(7)[:size]
        refused(SourceTooShort, raw.submit(raw.body(objects=objects)))


def test_object_payload_or_pad_cut_short():
    whole = raw.inline_object(7, b"123456789")
    for size in range(16, len(whole)):
        refused(InvalidProtocolCombination, raw.submit(raw.body(objects=whole[:size])), "object_fits_region")


@pytest.mark.parametrize("length", [9, 0x7FFFFFFF, 0xFFFFFFF0, 0xFFFFFFF9, raw.U32_MAX])
def test_object_length_that_lies(length):
    """Also lengths whose padded end wraps u32."""
    objects = raw.inline_object(7, b"12345678", object_bytes=length)
    refused(InvalidProtocolCombination, raw.submit(raw.body(objects=objects)), "object_fits_region")


@pytest.mark.parametrize("size", range(1, 8))
def test_every_pad_byte_is_zero(size):
    whole = raw.inline_object(7, b"x" * size)
    for at in range(16 + size, len(whole)):
        source = raw.submit(raw.body(objects=raw.patch(whole, at, 1, 1)))
        refused(InvalidProtocolCombination, source, "object_padding_is_zero")


def test_standard_objects_ascend():
    one, two = raw.inline_object(1, b""), raw.inline_object(6, b"")
    cut(raw.submit(raw.body(objects=one + raw.inline_object(8) + two)))
    for objects in (two + one, two + raw.inline_object(8) + two):
        refused(InvalidProtocolCombination, raw.submit(raw.body(objects=objects)), "object_order")


# References (6.4.4) inside a submit, and in a result where no mask exists.


def test_references_of_a_submit():
    region = raw.reference(1) + raw.reference(7) + raw.reference(3)
    body = cut(raw.submit(raw.body(references=region), submit_mode=1, object_ref_mask=0b101))
    assert [block.object_kind for block in body.references] == [1, 7, 3]
    assert all(type(block) is wire.ObjectReferenceBlock for block in body.references)
    assert body.references[0].cache_key_lo == 9


@pytest.mark.parametrize(
    ("mode", "mask", "kinds", "rule"),
    [
        (0, 1, [1], "reference_mode"),
        (1, 0, [1], "reference_mode"),
        (0, 0, [1], "reference_slot_listed"),
        (1, 1, [1, 2], "reference_slot_listed"),
        (2, 2, [1], "reference_slot_listed"),
        (1, 1, [1, 1], "reference_slot_order"),
        (1, 3, [2, 1], "reference_slot_order"),
        (1, 1, [], "reference_mask_exact"),
        (1, 3, [2], "reference_mask_exact"),
    ],
)
def test_reference_rules_hold_in_a_submit(mode, mask, kinds, rule):
    region = b"".join(raw.reference(kind) for kind in kinds)
    source = raw.submit(raw.body(references=region), submit_mode=mode, object_ref_mask=mask)
    refused(InvalidProtocolCombination, source, rule)


def test_reference_mask_outside_its_bits():
    refused(ReservedBitsSet, raw.submit(raw.body(references=raw.reference(1)), submit_mode=1, object_ref_mask=0x11))


def test_result_references_have_no_mask():
    region = raw.reference(5) + raw.reference(5) + raw.reference(2) + raw.reference(1)
    body = cut(raw.result(raw.body(references=region)))
    assert [block.object_kind for block in body.references] == [5, 5, 2, 1]
    refused(UnknownEnumValue, raw.result(raw.body(references=raw.reference(10))))
    refused(NonZeroReservedField, raw.result(raw.body(references=raw.reference(5, ref_flags=1))))


def test_a_part_is_not_inline_and_referenced():
    objects = raw.inline_object(6, b"template")
    good = raw.body(objects=objects, references=raw.reference(1))
    cut(raw.submit(good, submit_mode=2, object_ref_mask=1))
    bad = raw.body(objects=objects, references=raw.reference(6))
    source = raw.submit(bad, submit_mode=2, object_ref_mask=8)
    refused(InvalidProtocolCombination, source, "object_not_referenced_too")


# Extensions (section 9).


def test_extensions():
    region = raw.extension(1, 0, 3) + raw.extension(0x8001, 3, 0, profile_id=5) + raw.extension(2, 3, 2)
    body = cut(raw.submit(raw.body(extensions=region, extension_payloads=b"abcde")))
    assert [(one.extension_kind, bytes(payload)) for one, payload in body.extensions] == [
        (1, b"abc"),
        (0x8001, b""),
        (2, b"de"),
    ]
    assert all(type(one) is wire.ExtensionFrameDescriptor for one, _ in body.extensions)
    assert all(payload.readonly for _, payload in body.extensions)


@pytest.mark.parametrize(
    ("region", "rule"),
    [
        (raw.extension(1, 1, 4), "extension_payloads_are_packed"),  # first offset is not 0
        (raw.extension(1, 0, 3) + raw.extension(1, 4, 1), "extension_payloads_are_packed"),  # gap
        (raw.extension(1, 0, 3) + raw.extension(1, 2, 3), "extension_payloads_are_packed"),  # overlap
        (raw.extension(1, 3, 2) + raw.extension(1, 0, 3), "extension_payloads_are_packed"),  # out of order
        (raw.extension(1, 0, 6), "extension_end_inside_region"),
        (raw.extension(1, 0, 4), "extension_payloads_fill_region"),
    ],
)
def test_extension_ranges_cover_their_region(region, rule):
    source = raw.submit(raw.body(extensions=region, extension_payloads=b"abcde"))
    refused(InvalidProtocolCombination, source, rule)


def test_extension_sum_overflow():
    region = raw.extension(1, 0, 3) + raw.extension(1, 3, raw.U32_MAX)
    source = raw.submit(raw.body(extensions=region, extension_payloads=b"abcde"))
    refused(MessageLengthOverflow, source, "extension_end_fits_u32")


def test_extension_descriptor_rules():
    refused(NonZeroReservedField, raw.submit(raw.body(extensions=raw.extension(1, 0, 0, reserved0=1))))
    refused(ReservedBitsSet, raw.submit(raw.body(extensions=raw.extension(1, 0, 0, extension_flags=2))))


# Both functions.


def test_the_function_of_another_message_is_refused():
    submit, result = wire.parse_packet(raw.typed_submit([b"{}"])), wire.parse_packet(raw.result(b""))
    ping = wire.parse_packet(data.plain_messages()["ping"])
    for call, packet in [
        (wire.frame_submit_body, result),
        (wire.result_push_body, submit),
        (wire.frame_submit_body, ping),
        (wire.result_push_body, ping),
    ]:
        with pytest.raises((NnrpError, TypeError)):
            call(packet)


def test_surplus_metadata_does_not_shift_the_body():
    source = raw.typed_submit([b"{}"])
    head = {**raw.read("common_header", source), "meta_len": 80}
    longer = raw.layout("common_header", head) + source[40:112] + b"surplus!" + source[112:]
    assert bytes(cut(longer).typed_payloads[0][1]) == b"{}"


def test_over_mutable_memory_lengths_are_read_once():
    """Descriptors are copied before they are checked: what comes out fits what was checked, whatever changes later."""
    source = bytearray(raw.typed_submit([b"one", b"three"]))
    body = cut(source, wrap=lambda data: data)
    for at in range(40, len(source) - 8):
        source[at] = 0xFF
    assert [(one.offset, one.length) for one, _ in body.typed_payloads] == [(0, 3), (3, 5)]
    assert [len(payload) for _, payload in body.typed_payloads] == [3, 5]
    assert bytes(body.typed_payloads[0][1]) == b"one", "payload memory itself is viewed and was not overwritten here"
    source[-8:] = b"ONETHREE"
    assert [bytes(payload) for _, payload in body.typed_payloads] == [b"ONE", b"THREE"]
