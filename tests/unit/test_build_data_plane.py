"""Builders of FRAME_SUBMIT, RESULT_PUSH and PARTIAL_RESULT (wire.md sections 6 and 7)."""

from __future__ import annotations

import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import (
    FieldOutOfRange,
    FrameTooLarge,
    InvalidProtocolCombination,
    ReservedBitsSet,
    UnknownEnumValue,
    UsageError,
    WireError,
)

SUBMIT = {"session_id": 5, "frame_id": 6, "operation_id": 7}
RESULT = {"session_id": 5, "frame_id": 6}
ROUTING = {"flags": 1, "view_id": 7, "route_id": 8, "trace_id": 9}
# What the builders say unless told otherwise: raw_u16, and the session's loss tolerance.
DEFAULTS = {"operation_id": 7, "tile_index_mode": 1, "loss_tolerance_policy": 255}


def accepted(source: bytes) -> wire.DataPlaneBody:
    """Every stage of a strict receiver, then the regions."""
    packet = wire.parse_packet(source)
    wire.check_message(packet, strict=True)
    wire.check_body(packet)
    if packet.message_type == wire.MessageType.FRAME_SUBMIT:
        return wire.frame_submit_body(packet)
    return wire.result_push_body(packet)


def typed(payloads: list[bytes], kinds, **descriptor: int) -> dict[str, bytes]:
    descriptors, frames = raw.typed(payloads, kinds, **{"stream_semantics": 1, **descriptor})
    return {"descriptors": descriptors, "frames": frames}


def submit(body: bytes, routing: dict | None = None, **metadata: int) -> bytes:
    header = {"session_id": 5, "frame_id": 6, **(routing or {})}
    return raw.packet("frame_submit", raw.layout("frame_submit", {**DEFAULTS, **metadata}), body, **header)


def result(body: bytes, routing: dict | None = None, **metadata: int) -> bytes:
    header = {"session_id": 5, "frame_id": 6, **(routing or {})}
    return raw.packet("result_push", raw.layout("result_push", metadata), body, **header)


# FRAME_SUBMIT.


def test_one_payload():
    made = wire.build_frame_submit(wire.TypedPayload(b'{"a":1}'), **SUBMIT, **ROUTING)
    body = raw.body(**typed([b'{"a":1}'], 16))
    assert made == submit(body, ROUTING, payload_kind_bitmap=16, payload_frame_count=1)
    assert type(made) is bytes
    accepted(made)


def test_published_packet():
    source = data.vector_bytes("packet.openai.1.frame_submit")
    payload = wire.frame_submit_body(wire.parse_packet(source)).typed_payloads[0][1]
    made = wire.build_frame_submit(wire.TypedPayload(payload), session_id=1, frame_id=1, operation_id=1)
    assert made == source


def test_one_payload_alone_or_in_a_sequence_is_the_same():
    payload = wire.TypedPayload(b"x", 64, profile_id=9, schema_id=8, schema_version=7, descriptor_flags=3)
    alone = wire.build_frame_submit(payload, **SUBMIT)
    assert alone == wire.build_frame_submit([payload], **SUBMIT)
    assert alone == wire.build_frame_submit((payload,), **SUBMIT)
    found = accepted(alone).typed_payloads[0][0]
    assert found.as_dict() == {
        "profile_id": 9,
        "payload_kind": 64,
        "descriptor_flags": 3,
        "schema_id": 8,
        "schema_version": 7,
        "stream_semantics": 1,
        "reserved0": 0,
        "offset": 0,
        "length": 1,
    }


def test_several_payloads():
    parts = [(b"one", 16), (b"", 64), (b"three", 32), (b"four", 16)]
    made = wire.build_frame_submit([wire.TypedPayload(payload, kind) for payload, kind in parts], **SUBMIT)
    body = raw.body(**typed([payload for payload, _ in parts], [kind for _, kind in parts]))
    assert made == submit(body, payload_kind_bitmap=0x70, payload_frame_count=4)
    accepted(made)


def test_token_delta():
    """6.4.5: profile 2, schema 0x1001 version 3, append, partial."""
    token = wire.TypedPayload(
        "über".encode(),
        wire.PayloadKind.TOKEN_CHUNK,
        profile_id=wire.StandardProfile.TOKEN,
        schema_id=0x1001,
        schema_version=3,
        stream_semantics=wire.StreamSemantics.APPEND,
        descriptor_flags=wire.DescriptorFlags.PARTIAL,
    )
    ((descriptor, payload),) = accepted(wire.build_frame_submit(token, **SUBMIT)).typed_payloads
    assert bytes(payload) == "über".encode()
    assert descriptor.stream_semantics is wire.StreamSemantics.APPEND
    assert descriptor.descriptor_flags == wire.DescriptorFlags.PARTIAL


def test_parsed_payloads_go_back_in():
    """(descriptor, payload) pairs as a parsed body has them: offsets are set anew."""
    source = raw.typed_submit([b"one", b"two", b"three"], [16, 64, 32])
    pairs = list(wire.frame_submit_body(wire.parse_packet(source)).typed_payloads)
    body = accepted(wire.build_frame_submit(pairs[1:], **SUBMIT))
    assert [bytes(payload) for _, payload in body.typed_payloads] == [b"two", b"three"]
    assert [descriptor.offset for descriptor, _ in body.typed_payloads] == [0, 3]


def test_nothing_at_all():
    made = wire.build_frame_submit(**SUBMIT)
    assert made == submit(raw.body())
    accepted(made)


def test_metadata_options():
    options = {
        "frame_class": 3,
        "tile_index_mode": 2,
        "latency_budget_ms": 100,
        "target_fps_x100": 6000,
        "retry_of_frame": 4,
        "budget_policy": 5,
        "loss_tolerance_policy": 1,
        "dependency_frame_id": 41,
    }
    for payloads in (wire.TypedPayload(b"x"), [wire.TypedPayload(b"x")]):
        packet = wire.parse_packet(wire.build_frame_submit(payloads, **SUBMIT, **options))
        assert {name: getattr(packet.metadata, name) for name in options} == options


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"operation_id": 0}, InvalidProtocolCombination),
        ({"budget_policy": 0x10}, ReservedBitsSet),
        ({"loss_tolerance_policy": 9}, UnknownEnumValue),
        ({"flags": 0x40}, ReservedBitsSet),
        ({"operation_id": -1}, FieldOutOfRange),
        ({"operation_id": 1 << 64}, FieldOutOfRange),
        ({"frame_class": 256}, FieldOutOfRange),
        ({"latency_budget_ms": 1 << 16}, FieldOutOfRange),
        ({"session_id": 1 << 32}, FieldOutOfRange),
        ({"trace_id": 1 << 64}, FieldOutOfRange),
        ({"max_packet_bytes": 168}, FrameTooLarge),
        ({"no_such_option": 1}, TypeError),
        ({"operation_id": "1"}, TypeError),
    ],
)
def test_refused_options(single, options, kind):
    payload = wire.TypedPayload(b"x")
    with pytest.raises(kind):
        wire.build_frame_submit(payload if single else [payload], **{**SUBMIT, **options})


def test_needed_options():
    for missing in SUBMIT:
        with pytest.raises(TypeError):
            wire.build_frame_submit(wire.TypedPayload(b"x"), **{k: v for k, v in SUBMIT.items() if k != missing})


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize(
    ("arguments", "options", "kind"),
    [
        ((b"x", 1), {}, InvalidProtocolCombination),  # tensor has sections, not frames
        ((b"x", 3), {}, UnknownEnumValue),
        ((b"x", 0), {}, UnknownEnumValue),
        ((b"x", 2), {}, InvalidProtocolCombination),  # token needs its profile
        ((b"x",), {"profile_id": 1}, InvalidProtocolCombination),
        ((b"x",), {"descriptor_flags": 0x10}, ReservedBitsSet),
        ((b"x",), {"schema_id": 1 << 32}, FieldOutOfRange),
        ((b"x", -1), {}, FieldOutOfRange),
    ],
)
def test_refused_payloads(single, arguments, options, kind):
    """The encoder refuses what the region check of 6.4.5 refuses, with one payload as with many."""

    def build() -> bytes:
        payload = wire.TypedPayload(*arguments, **options)
        return wire.build_frame_submit(payload if single else [payload, wire.TypedPayload(b"y")], **SUBMIT)

    with pytest.raises(kind):
        build()


@pytest.mark.parametrize("payload", ["text", 5, None, [1]])
def test_payloads_that_are_no_buffers(payload):
    with pytest.raises(TypeError):
        wire.build_frame_submit(wire.TypedPayload(payload), **SUBMIT)
    with pytest.raises(TypeError):
        wire.build_frame_submit([wire.TypedPayload(payload)], **SUBMIT)


def test_too_many_payloads():
    payload = wire.TypedPayload(b"")
    assert len(accepted(wire.build_frame_submit([payload] * 65535, **SUBMIT)).typed_payloads) == 65535
    with pytest.raises((FieldOutOfRange, WireError)):
        wire.build_frame_submit([payload] * 65536, **SUBMIT)


# Tensors.

SECTIONS = [
    wire.Section(1, [b"a", b"bcd"], codec_id=1, codec_ids=[1, 2]),
    wire.Section(5, [b"xy", b"z"], dtype_id=2, stride=4),
]
RAW_SECTIONS = [
    raw.section(1, [b"a", b"bcd"], codec_ids=b"\x01\x02", codec_id=1),
    raw.section(5, [b"xy", b"z"], stride=4, dtype_id=2),
]
FRAME = {"src_width": 64, "src_height": 64, "tile_width": 8, "tile_height": 8, "input_profile": 1}


def test_tensor_submit():
    """Camera, tile index and section table inline, in this order, 8-aligned (6.4.1, 6.4.3)."""
    tensor = wire.Tensor(tile_ids=[9, 3], sections=SECTIONS, camera=b"camera", **FRAME)
    made = wire.build_frame_submit(tensor=tensor, **SUBMIT)
    objects = (
        raw.inline_object(1, b"camera")
        + raw.inline_object(2, b"\x09\0\x03\0")
        + raw.inline_object(3, raw.section_table(*RAW_SECTIONS))
    )
    fields = {"tile_count": 2, "section_count": 2, "camera_bytes": 6, "tile_index_bytes": 4}
    assert made == submit(raw.body(objects=objects), payload_kind_bitmap=1, **fields, **FRAME)
    body = accepted(made)
    assert tuple(body.tile_ids) == (9, 3)
    assert [bytes(payload) for payload in body.sections[1].payloads] == [b"xy", b"z"]


@pytest.mark.parametrize("mode", list(wire.TileIndexMode))
def test_tensor_in_every_index_mode(mode):
    ids = (7, 8) if mode == wire.TileIndexMode.DENSE_RANGE else (4, 9)
    tensor = wire.Tensor(tile_ids=ids, sections=SECTIONS, tile_base_id=7)
    body = accepted(wire.build_frame_submit(tensor=tensor, tile_index_mode=mode, **SUBMIT))
    assert tuple(body.tile_ids) == ids
    assert body.camera is None


def test_dense_tensor_by_count():
    tensor = wire.Tensor(tile_count=2, tile_base_id=10, sections=SECTIONS)
    body = accepted(wire.build_frame_submit(tensor=tensor, tile_index_mode=0, **SUBMIT))
    assert tuple(body.tile_ids) == (10, 11)


def test_tensor_and_typed():
    tensor = wire.Tensor(tile_ids=[1, 2], sections=SECTIONS, camera=b"")
    made = wire.build_frame_submit(wire.TypedPayload(b"{}"), tensor=tensor, **SUBMIT)
    body = accepted(made)
    assert wire.parse_packet(made).metadata.payload_kind_bitmap == 17
    assert bytes(body.typed_payloads[0][1]) == b"{}"
    assert len(body.sections) == 2
    assert bytes(body.camera) == b""


def test_mixed_codec_only_when_some_tile_differs():
    """Builder rules of 6.4.3."""
    same = wire.Section(1, [b"a", b"b"], codec_id=4, codec_ids=[4, 4])
    body = accepted(wire.build_frame_submit(tensor=wire.Tensor(tile_ids=[1, 2], sections=[same]), **SUBMIT))
    assert body.sections[0].codec_ids == ()
    assert body.sections[0].descriptor.section_flags == 0
    assert body.sections[0].descriptor.codec_id == 4


@pytest.mark.parametrize(
    "sections",
    [
        [wire.Section(1, [b"a"])],  # one payload for two tiles
        [wire.Section(1, [b"a"] * 3)],
        [wire.Section(1, [b"a", b"b"], codec_ids=[1])],
        [wire.Section(1, [b"abc", b"b"], stride=2)],
        [wire.Section(2, [b"a", b"b"]), wire.Section(1, [b"a", b"b"])],
        [wire.Section(2, [b"a", b"b"]), wire.Section(2, [b"a", b"b"])],
    ],
)
def test_refused_sections(sections):
    with pytest.raises(InvalidProtocolCombination):
        wire.build_frame_submit(tensor=wire.Tensor(tile_ids=[1, 2], sections=sections), **SUBMIT)


@pytest.mark.parametrize(("mode", "ids"), [(0, [1, 3]), (1, [65536, 1]), (2, [5, 5]), (3, [5, 4])])
def test_refused_tile_ids(mode, ids):
    with pytest.raises(InvalidProtocolCombination):
        wire.build_frame_submit(
            tensor=wire.Tensor(tile_ids=ids, sections=SECTIONS, tile_base_id=1), tile_index_mode=mode, **SUBMIT
        )


# Objects, references, extensions.


def test_objects():
    made = wire.build_frame_submit(objects=[(7, b"prompt"), (8, bytearray(b"12345678"))], **SUBMIT)
    assert made == submit(raw.body(objects=raw.inline_object(7, b"prompt") + raw.inline_object(8, b"12345678")))
    accepted(made)


def test_references_decide_mode_and_mask():
    """No references: inline; references only: reference; both: mixed (6.4.4)."""
    camera, template = (
        wire.ObjectReferenceBlock.build(object_kind=kind, cache_namespace=1, cache_key_lo=9) for kind in (1, 6)
    )
    made = wire.build_frame_submit(references=[camera, template], **SUBMIT)
    body = raw.body(references=raw.reference(1) + raw.reference(6))
    assert made == submit(body, submit_mode=1, object_ref_mask=9)
    accepted(made)
    mixed = wire.build_frame_submit(references=[camera], objects=[(7, b"prompt")], **SUBMIT)
    assert wire.parse_packet(mixed).metadata.submit_mode is wire.SubmitMode.MIXED
    accepted(mixed)
    other = wire.ObjectReferenceBlock.build(object_kind=7)
    inline = wire.build_frame_submit(references=[other], **SUBMIT)
    assert wire.parse_packet(inline).metadata.submit_mode is wire.SubmitMode.INLINE
    accepted(inline)


def test_a_referenced_part_is_not_inline():
    camera = wire.ObjectReferenceBlock.build(object_kind=1)
    tensor = wire.Tensor(tile_ids=[1, 2], sections=SECTIONS, camera=b"left out")
    body = accepted(wire.build_frame_submit(tensor=tensor, references=[camera], **SUBMIT))
    assert body.camera is None
    assert [block.object_kind for block, _ in body.objects] == [2, 3]
    template = wire.ObjectReferenceBlock.build(object_kind=6)
    with pytest.raises(InvalidProtocolCombination):
        wire.build_frame_submit(objects=[(6, b"template")], references=[template], **SUBMIT)


def test_refused_references():
    camera, index = (wire.ObjectReferenceBlock.build(object_kind=kind) for kind in (1, 2))
    for blocks in ([index, camera], [camera, camera]):
        with pytest.raises(InvalidProtocolCombination):
            wire.build_frame_submit(references=blocks, **SUBMIT)


def test_refused_objects():
    with pytest.raises(InvalidProtocolCombination):
        wire.build_frame_submit(objects=[(6, b""), (6, b"")], **SUBMIT)
    for kind in (0, 10):
        with pytest.raises((UnknownEnumValue, ValueError)):
            wire.build_frame_submit(objects=[(kind, b"")], **SUBMIT)


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_parts_of_a_tensor_come_from_the_tensor(kind):
    """Their lengths stand in the metadata, which follows from `tensor`: as free objects they could not be declared."""
    with pytest.raises(UsageError):
        wire.build_frame_submit(objects=[(kind, b"part")], **SUBMIT)


def test_extensions():
    listed = [wire.Extension(b"abc", 1, 1), wire.Extension(b"", 0x8001, 0, 5), wire.Extension(b"de", 2)]
    made = wire.build_frame_submit(wire.TypedPayload(b"{}"), extensions=listed, **SUBMIT)
    region = (
        raw.extension(1, 0, 3, extension_flags=1) + raw.extension(0x8001, 3, 0, profile_id=5) + raw.extension(2, 3, 2)
    )
    body = raw.body(**typed([b"{}"], 16), extensions=region, extension_payloads=b"abcde")
    assert made == submit(body, payload_kind_bitmap=16, payload_frame_count=1)
    accepted(made)
    with pytest.raises(ReservedBitsSet):
        wire.build_frame_submit(extensions=[wire.Extension(b"", 1, 2)], **SUBMIT)


# RESULT_PUSH.


def test_result_of_one_payload():
    made = wire.build_result_push(wire.TypedPayload(b"{}"), **RESULT, **ROUTING)
    assert made == result(raw.body(**typed([b"{}"], 16)), ROUTING, payload_kind_bitmap=16, payload_frame_count=1)
    assert made == wire.build_result_push([wire.TypedPayload(b"{}")], **RESULT, **ROUTING)
    accepted(made)


def test_empty_success():
    made = wire.build_result_push(**RESULT)
    assert made in (result(b""), result(raw.body()))
    accepted(made)


def test_result_options():
    options = {
        "status_code": 200,
        "active_profile_id": 2,
        "inference_ms": 3,
        "queue_ms": 4,
        "server_total_ms": 5,
        "result_class": 3,
        "result_flags": 2,
        "applied_budget_policy": 4,
    }
    for payloads in (wire.TypedPayload(b"x"), [wire.TypedPayload(b"x")], ()):
        packet = wire.parse_packet(wire.build_result_push(payloads, **RESULT, **options))
        assert {name: getattr(packet.metadata, name) for name in options} == options
        accepted(packet.to_bytes())


@pytest.mark.parametrize(
    "payloads", [wire.TypedPayload(b"x"), [wire.TypedPayload(b"x")], ()], ids=["one", "list", "none"]
)
@pytest.mark.parametrize(
    ("options", "clean"),
    [
        ({"result_class": 1, "result_flags": 4}, True),
        ({"result_class": 2, "result_flags": 1, "reused_frame_id": 9}, True),
        ({"result_class": 1, "result_flags": 5, "reused_frame_id": 9}, True),
        ({"result_class": 2}, False),
        ({"result_flags": 1}, False),
        ({"reused_frame_id": 9}, False),
        ({"result_class": 1, "result_flags": 1, "reused_frame_id": 9}, False),
        ({"result_class": 2, "result_flags": 4, "reused_frame_id": 9}, False),
    ],
)
def test_what_a_sender_obeys(payloads, options, clean):
    """The stale and partial rules are sender stage: whole-message builders enforce them (6.2)."""
    if clean:
        accepted(wire.build_result_push(payloads, **RESULT, **options))
    else:
        with pytest.raises(InvalidProtocolCombination) as caught:
            wire.build_result_push(payloads, **RESULT, **options)
        assert caught.value.stage is wire.Stage.SENDER


def test_tensor_result():
    """No index for a dense range, raw_u16 otherwise: a result writes only these two (6.2)."""
    dense = wire.Tensor(tile_ids=[10, 11], tile_base_id=10, sections=SECTIONS)
    made = wire.build_result_push(tensor=dense, **RESULT)
    metadata = wire.parse_packet(made).metadata
    assert (metadata.tile_count, metadata.tile_base_id, metadata.tile_index_bytes) == (2, 10, 0)
    assert (metadata.covered_tile_count, metadata.dropped_tile_count) == (2, 0)
    assert tuple(accepted(made).tile_ids) == (10, 11)
    listed = wire.Tensor(tile_ids=[5, 2], sections=SECTIONS)
    body = accepted(wire.build_result_push(tensor=listed, **RESULT))
    assert tuple(body.tile_ids) == (5, 2)
    assert [block.object_kind for block, _ in body.objects] == [2, 3]


def test_partial_tensor_result():
    tensor = wire.Tensor(tile_ids=[5, 2], sections=SECTIONS)
    partial = {"result_class": 1, "result_flags": 4}
    made = wire.build_result_push(tensor=tensor, dropped_tile_count=1, **partial, **RESULT)
    metadata = wire.parse_packet(made).metadata
    assert (metadata.covered_tile_count, metadata.dropped_tile_count) == (1, 1)
    accepted(made)
    with pytest.raises(InvalidProtocolCombination):
        wire.build_result_push(tensor=tensor, **partial, **RESULT)
    with pytest.raises(InvalidProtocolCombination):
        wire.build_result_push(tensor=tensor, dropped_tile_count=1, covered_tile_count=2, **partial, **RESULT)


def test_tensor_counters_need_a_tensor():
    for payloads in (wire.TypedPayload(b"x"), [wire.TypedPayload(b"x")], ()):
        with pytest.raises(InvalidProtocolCombination):
            wire.build_result_push(payloads, dropped_tile_count=1, **RESULT)


def test_result_references():
    block = wire.ObjectReferenceBlock.build(object_kind=5)
    body = accepted(wire.build_result_push(references=[block, block], **RESULT))
    assert list(body.references) == [block, block]


# PARTIAL_RESULT.


def test_partial_result():
    made = wire.build_partial_result(
        b"event", **SUBMIT, result_sequence=8, object_id=9, delta_sequence=10, partial_flags=3, **ROUTING
    )
    metadata = raw.layout(
        "partial_result",
        operation_id=7,
        result_sequence=8,
        object_id=9,
        delta_sequence=10,
        body_bytes=5,
        flags=3,
    )
    assert made == raw.packet("partial_result", metadata, b"event", session_id=5, frame_id=6, **ROUTING)
    assert type(made) is bytes


@pytest.mark.parametrize(
    ("body", "options", "kind"),
    [
        (b"x", {"operation_id": 0}, InvalidProtocolCombination),
        (b"", {}, InvalidProtocolCombination),
        (b"x", {"partial_flags": 2}, InvalidProtocolCombination),
        (b"x", {"partial_flags": 4}, ReservedBitsSet),
        (b"x", {"flags": 0x40}, ReservedBitsSet),
        (b"x", {"result_sequence": -1}, FieldOutOfRange),
        (b"x", {"result_sequence": 1 << 64}, FieldOutOfRange),
        (b"x", {"max_packet_bytes": 80}, FrameTooLarge),
        ("x", {}, TypeError),
        (memoryview(b"xyz")[::2], {}, BufferError),
    ],
)
def test_refused_partial_results(body, options, kind):
    with pytest.raises(kind):
        wire.build_partial_result(body, **{**SUBMIT, "result_sequence": 1, **options})


def test_partial_result_may_be_an_object_alone():
    made = wire.build_partial_result(**SUBMIT, result_sequence=1, object_id=4)
    packet = wire.parse_packet(made)
    wire.check_message(packet, strict=True)
    assert packet.body_len == 0
