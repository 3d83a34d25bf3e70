"""FRAME_SUBMIT and RESULT_PUSH through both codecs: each builder's packets in the other's reader, and byte for byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import interop_peer as peer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from interop_values import routing
from nnrp import core
from wirekit import raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError
from nnrp_wire.wire import Extension, ObjectReferenceBlock, Section, Tensor, TypedPayload

pytestmark = pytest.mark.timeout(300)
some = settings(max_examples=60)
few = settings(max_examples=30)

Route = dict[str, int]

# What both take. wire.md section 6.4.5: no tensor kind, no tensor profile, token chunks in the token profile.
KINDS = [2, 4, 8, 16, 32, 64]


@st.composite
def typed_frames(draw: st.DrawFn) -> list[dict[str, Any]]:
    return [
        {
            "payload_kind": kind,
            "payload": draw(st.binary(max_size=60)),
            "profile_id": 2 if kind == 2 else draw(st.sampled_from([0, 2, 0x100, 0xFFFF])),
            "descriptor_flags": draw(st.integers(0, 15)),
            "schema_id": draw(st.integers(0, 0xFFFFFFFF)),
            "schema_version": draw(st.integers(0, 0xFFFFFFFF)),
            "stream_semantics": draw(st.sampled_from([0, 1, 2, 0xFFFF])),
        }
        for kind in draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=5))
    ]


submit_fields = st.fixed_dictionaries(
    {
        "frame_class": st.integers(0, 255),
        "latency_budget_ms": st.integers(0, 0xFFFF),
        "target_fps_x100": st.integers(0, 0xFFFF),
        "retry_of_frame": st.integers(0, 0xFFFFFFFF),
        "budget_policy": st.integers(0, 15),
        "loss_tolerance_policy": st.sampled_from([0, 1, 2, 3, 255]),
        "dependency_frame_id": st.integers(0, 0xFFFFFFFF),
    }
)
result_fields = st.fixed_dictionaries(
    {
        "status_code": st.integers(0, 0xFFFF),
        "active_profile_id": st.integers(0, 0xFFFF),
        "inference_ms": st.integers(0, 0xFFFF),
        "queue_ms": st.integers(0, 0xFFFF),
        "server_total_ms": st.integers(0, 0xFFFF),
        "applied_budget_policy": st.integers(0, 15),
    }
)
operation_ids = st.integers(1, 0xFFFFFFFFFFFFFFFF)


@st.composite
def tensors(draw: st.DrawFn, modes: Sequence[int] = (0, 1, 2, 3)) -> dict[str, Any]:
    """Tile ids under a mode, sections, a camera block: as both builders take them."""
    count, mode, base = draw(st.integers(1, 5)), draw(st.sampled_from(modes)), draw(st.integers(0, 4000))
    if mode == 0:
        ids = list(range(base, base + count))
    else:
        ids = sorted(draw(st.sets(st.integers(0, 3000), min_size=count, max_size=count)))
    sections = []
    for role in sorted(draw(st.sets(st.integers(0, 0xFFFF), max_size=3))):
        payloads = draw(st.lists(st.binary(max_size=9), min_size=count, max_size=count))
        longest = max(map(len, payloads))
        codec = draw(st.integers(0, 255))
        mixed = tuple((codec + n) % 256 for n in range(count))
        sections.append(
            {
                "role_id": role,
                "payloads": payloads,
                "codec_id": codec,
                "codec_ids": draw(st.sampled_from([(), (codec,) * count, mixed])),
                "dtype_id": draw(st.integers(0, 7)),
                "layout_id": draw(st.integers(0, 1)),
                "scale_policy": draw(st.integers(0, 2)),
                "element_count_per_tile": draw(st.integers(0, 0xFFFFFFFF)),
                "stride": draw(st.sampled_from([0, max(longest, 1), longest + 5])),
            }
        )
    sizes = {name: draw(st.integers(0, 0xFFFF)) for name in ("src_width", "src_height", "tile_width", "tile_height")}
    return {
        "tile_ids": ids,
        "mode": mode,
        "base": base,
        "sections": sections,
        "camera": draw(st.sampled_from([b"", b"camera", b"c" * 24])),
        "input_profile": draw(st.integers(0, 2)),
        "sizes": sizes,
    }


# The same content as each side's builders take it.


def bound(frame: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in frame.items() if name not in ("payload", "payload_kind")}


def our_payloads(frames: list[dict[str, Any]]) -> list[TypedPayload]:
    return [TypedPayload(frame["payload"], frame["payload_kind"], **bound(frame)) for frame in frames]


def peer_payloads(frames: list[dict[str, Any]]) -> list[core.TypedPayloadFrame]:
    return [core.build_typed_payload_frame(frame["payload_kind"], frame["payload"], **bound(frame)) for frame in frames]


def our_tensor(given: dict[str, Any], **changes: Any) -> Tensor:
    arguments = {
        "tile_ids": given["tile_ids"],
        "sections": [Section(**section) for section in given["sections"]],
        "camera": given["camera"] or None,
        "tile_base_id": given["base"],
        "input_profile": given["input_profile"],
        **given["sizes"],
    }
    return Tensor(**{**arguments, **changes})


def peer_sections(given: dict[str, Any]) -> list[core.TensorSectionData]:
    return [
        core.TensorSectionData(
            role_id=section["role_id"],
            default_codec_id=section["codec_id"],
            dtype_id=core.TensorDType(section["dtype_id"]),
            tile_payloads=tuple(section["payloads"]),
            codec_ids=section["codec_ids"],
            layout_id=core.TensorLayout(section["layout_id"]),
            scale_policy=core.ScalePolicy(section["scale_policy"]),
            payload_stride_bytes=section["stride"],
            element_count_per_tile=section["element_count_per_tile"],
        )
        for section in given["sections"]
    ]


def peer_tensor(given: dict[str, Any]) -> dict[str, Any]:
    """Arguments of the peer's submit builders."""
    return {
        "tile_ids": given["tile_ids"],
        "sections": peer_sections(given),
        "camera_block": given["camera"],
        "tile_index_mode": core.TileIndexMode(given["mode"]),
        "tile_base_id": given["base"],
        "input_profile": core.InputProfile(given["input_profile"]),
        **given["sizes"],
    }


def peer_route(route: Route) -> dict[str, Any]:
    return {**route, "flags": core.HeaderFlags(route["flags"])}


# What each side finds in a packet.


def our_reading(source: bytes) -> tuple[wire.Packet, wire.DataPlaneBody]:
    """As a strict receiver reads it."""
    packet = wire.parse_packet(source)
    wire.check_message(packet, strict=True)
    wire.check_body(packet)
    cut = wire.frame_submit_body if packet.message_type is wire.MessageType.FRAME_SUBMIT else wire.result_push_body
    return packet, cut(packet)


def peer_reading(source: bytes) -> tuple[Any, core.BodyView]:
    packet = core.NnrpPacket.unpack(source)
    assert packet.pack() == source
    if packet.header.msg_type is core.MessageType.FRAME_SUBMIT:
        metadata = core.FrameSubmitMetadata.unpack(packet.metadata)
        return metadata, core.validate_frame_submit_body(metadata, packet.body)
    metadata = core.ResultPushMetadata.unpack(packet.metadata)
    return metadata, core.validate_result_push_body(metadata, packet.body)


def same_reading(source: bytes) -> wire.DataPlaneBody:
    """Both read the packet, and find the same in it, region for region."""
    packet, ours = our_reading(source)
    metadata, theirs = peer_reading(source)
    found = peer.fields(packet.metadata.layout_name, metadata)
    assert {name: packet.metadata.as_dict()[name] for name in found} == found
    assert ours.prelude.as_dict() == peer.fields("body_region_prelude", theirs.prelude)

    bitmap = int(packet.metadata.payload_kind_bitmap)
    frames = core.unpack_typed_payload_frames(
        theirs.typed_payload_descriptor_region, theirs.typed_payload_frame_region, payload_kind_bitmap=bitmap
    )
    names = ("payload_kind", "profile_id", "descriptor_flags", "schema_id", "schema_version", "stream_semantics")
    assert [(*(int(getattr(one, name)) for name in names), one.payload) for one in frames] == [
        (*(int(getattr(one, name)) for name in names), bytes(payload)) for one, payload in ours.typed_payloads
    ]

    blocks = core.unpack_inline_object_blocks(theirs.inline_object_region)
    assert [(peer.fields("inline_object_block_header", one.header), bytes(one.payload)) for one in blocks] == [
        (header.as_dict(), bytes(payload)) for header, payload in ours.objects
    ]
    references = core.unpack_object_reference_blocks(theirs.object_reference_region)
    assert [peer.fields("object_reference_block", one) for one in references] == [
        block.as_dict() for block in ours.references
    ]
    extended = core.unpack_extension_frames(theirs.extension_descriptor_region, theirs.extension_payload_region)
    assert [(one.extension_kind, int(one.extension_flags), one.profile_id, one.payload) for one in extended] == [
        (one.extension_kind, int(one.extension_flags), one.profile_id, bytes(payload))
        for one, payload in ours.extensions
    ]

    sections = core.unpack_current_tensor_body(
        theirs, section_count=len(ours.sections), tile_count=packet.metadata.tile_count
    ).sections
    assert len(sections) == len(ours.sections)
    for one, other in zip(sections, ours.sections, strict=True):
        found = peer.fields("tensor_section_descriptor", one.desc)
        assert found == {name: other.descriptor.as_dict()[name] for name in found}
        assert one.tile_lengths() == other.lengths
        assert [bytes(part) for part in one.payload_slices()] == [bytes(part) for part in other.payloads]
        assert tuple(one.codec_table) in ((), other.codec_ids)
    return ours


# FRAME_SUBMIT.


@some
@given(typed_frames(), submit_fields, operation_ids, routing)
def test_typed_submit(frames: list[dict[str, Any]], fields: Route, operation_id: int, route: Route) -> None:
    theirs = core.build_frame_submit_typed_payload_packet(
        frames=peer_payloads(frames),
        operation_id=operation_id,
        **{**fields, "budget_policy": core.BudgetPolicy(fields["budget_policy"])},
        **peer_route(route),
    ).pack()
    ours = wire.build_frame_submit(
        our_payloads(frames), operation_id=operation_id, tile_index_mode=1, **fields, **route
    )
    assert ours == theirs
    found = same_reading(ours)
    assert [bytes(payload) for _, payload in found.typed_payloads] == [frame["payload"] for frame in frames]


@some
@given(tensors(), submit_fields, operation_ids, routing)
def test_tensor_submit(tensor: dict[str, Any], fields: Route, operation_id: int, route: Route) -> None:
    theirs = core.build_frame_submit_packet(
        operation_id=operation_id,
        **peer_tensor(tensor),
        **{**fields, "budget_policy": core.BudgetPolicy(fields["budget_policy"])},
        **peer_route(route),
    ).pack()
    ours = wire.build_frame_submit(
        tensor=our_tensor(tensor), operation_id=operation_id, tile_index_mode=tensor["mode"], **fields, **route
    )
    assert ours == theirs
    found = same_reading(ours)
    assert list(found.tile_ids) == tensor["tile_ids"]
    assert bytes(found.camera or b"") == tensor["camera"]
    assert [[bytes(part) for part in one.payloads] for one in found.sections] == [
        section["payloads"] for section in tensor["sections"]
    ]


@few
@given(tensors(), typed_frames(), operation_ids, routing)
def test_submit_of_tensor_and_typed(
    tensor: dict[str, Any], frames: list[dict[str, Any]], operation_id: int, route: Route
) -> None:
    theirs = core.build_frame_submit_mixed_packet(
        operation_id=operation_id, frames=peer_payloads(frames), **peer_tensor(tensor), **peer_route(route)
    ).pack()
    ours = wire.build_frame_submit(
        our_payloads(frames),
        tensor=our_tensor(tensor),
        operation_id=operation_id,
        tile_index_mode=tensor["mode"],
        loss_tolerance_policy=255,
        **route,
    )
    assert ours == theirs
    same_reading(ours)


REFERENCED = {"camera": 1, "tile_index": 2, "tensor_section_table": 3}


@few
@given(tensors(), st.sets(st.sampled_from(sorted(REFERENCED)), min_size=1), operation_ids, routing, st.data())
def test_submit_with_references(
    tensor: dict[str, Any], names: set[str], operation_id: int, route: Route, drawn: st.DataObject
) -> None:
    keys = {name: drawn.draw(st.tuples(*[st.integers(0, 0xFFFFFFFF)] * 3), name) for name in names}
    make = {
        "camera": core.build_camera_reference_block,
        "tile_index": core.build_tile_index_reference_block,
        "tensor_section_table": core.build_tensor_section_table_reference_block,
    }
    inline = (
        ("camera" not in names and bool(tensor["camera"]))
        or "tile_index" not in names
        or ("tensor_section_table" not in names and bool(tensor["sections"]))
    )
    mask = sum(1 << REFERENCED[name] - 1 for name in names)
    theirs = core.build_frame_submit_packet(
        operation_id=operation_id,
        submit_mode=core.SubmitMode.MIXED if inline else core.SubmitMode.REFERENCE,
        object_ref_mask=mask,
        **{
            f"{name}_reference": make[name](cache_namespace=space, cache_key_hi=high, cache_key_lo=low)
            for name, (space, high, low) in keys.items()
        },
        **peer_tensor(tensor),
        **peer_route(route),
    ).pack()
    blocks = [
        ObjectReferenceBlock.build(
            object_kind=REFERENCED[name], cache_namespace=space, cache_key_hi=high, cache_key_lo=low
        )
        for name, (space, high, low) in sorted(keys.items(), key=lambda item: REFERENCED[item[0]])
    ]
    left_out: dict[str, Any] = {}
    if "camera" in names:
        left_out["camera"] = None
    if "tile_index" in names:
        left_out |= {"tile_ids": (), "tile_count": len(tensor["tile_ids"])}
    if "tensor_section_table" in names:
        left_out |= {"sections": (), "section_count": len(tensor["sections"])}
    ours = wire.build_frame_submit(
        tensor=our_tensor(tensor, **left_out),
        references=blocks,
        operation_id=operation_id,
        tile_index_mode=tensor["mode"],
        loss_tolerance_policy=255,
        **route,
    )
    assert ours == theirs
    same_reading(ours)


# RESULT_PUSH.

CHOICES = {
    # wire.md section 6.2, "Consistent choices"
    "complete": {"result_class": 0, "result_flags": 0, "reused_frame_id": 0},
    "partial": {"result_class": 1, "result_flags": 4, "reused_frame_id": 0},
    "stale reuse": {"result_class": 2, "result_flags": 1, "reused_frame_id": 9},
    "partial and stale": {"result_class": 1, "result_flags": 5, "reused_frame_id": 9},
    "degraded": {"result_class": 3, "result_flags": 2, "reused_frame_id": 0},
    "degraded, unflagged": {"result_class": 3, "result_flags": 0, "reused_frame_id": 0},
}


def peer_result(fields: Route, choice: Route) -> dict[str, Any]:
    return {
        **fields,
        **choice,
        "applied_budget_policy": core.BudgetPolicy(fields["applied_budget_policy"]),
        "result_class": core.ResultClass(choice["result_class"]),
        "result_flags": core.ResultFlags(choice["result_flags"]),
    }


@pytest.mark.parametrize("intent", CHOICES)
def test_typed_result(intent: str) -> None:
    @few
    @given(typed_frames(), result_fields, routing)
    def check(frames: list[dict[str, Any]], fields: Route, route: Route) -> None:
        theirs = core.build_result_push_typed_payload_packet(
            frames=peer_payloads(frames), **peer_result(fields, CHOICES[intent]), **peer_route(route)
        ).pack()
        ours = wire.build_result_push(our_payloads(frames), **fields, **CHOICES[intent], **route)
        assert ours == theirs
        same_reading(ours)

    check()


def covered(intent: str, tensor: dict[str, Any]) -> Route:
    count = len(tensor["tile_ids"])
    dropped = 1 if "partial" in intent else 0
    return {"covered_tile_count": count - dropped, "dropped_tile_count": dropped}


@pytest.mark.parametrize("intent", CHOICES)
def test_tensor_result(intent: str) -> None:
    @few
    @given(tensors(modes=(0, 1)), result_fields, routing)
    def check(tensor: dict[str, Any], fields: Route, route: Route) -> None:
        # Our builder decides between the two modes a result has; a dense range is never listed.
        dense = tensor["tile_ids"] == list(range(tensor["base"], tensor["base"] + len(tensor["tile_ids"])))
        counts = covered(intent, tensor)
        theirs = core.build_result_push_packet(
            tile_ids=tensor["tile_ids"],
            sections=peer_sections(tensor),
            tile_index_mode=core.TileIndexMode(0 if dense else 1),
            tile_base_id=tensor["base"],
            **counts,
            **peer_result(fields, CHOICES[intent]),
            **peer_route(route),
        ).pack()
        ours = wire.build_result_push(
            tensor=our_tensor(tensor, camera=None), **counts, **fields, **CHOICES[intent], **route
        )
        assert ours == theirs
        found = same_reading(ours)
        assert list(found.tile_ids) == tensor["tile_ids"]

    check()


@few
@given(tensors(modes=(0,)), typed_frames(), result_fields, routing)
def test_result_of_tensor_and_typed(
    tensor: dict[str, Any], frames: list[dict[str, Any]], fields: Route, route: Route
) -> None:
    theirs = core.build_result_push_mixed_packet(
        tile_ids=tensor["tile_ids"],
        sections=peer_sections(tensor),
        frames=peer_payloads(frames),
        tile_index_mode=core.TileIndexMode.DENSE_RANGE,
        tile_base_id=tensor["base"],
        **peer_result(fields, CHOICES["complete"]),
        **peer_route(route),
    ).pack()
    ours = wire.build_result_push(our_payloads(frames), tensor=our_tensor(tensor, camera=None), **fields, **route)
    assert ours == theirs
    same_reading(ours)


def test_empty_result() -> None:
    """The peer's builder writes the all-zero prelude, ours an empty body; wire.md section 6.2 allows both."""
    theirs = core.build_result_push_packet(
        session_id=1, frame_id=2, tile_ids=(), sections=(), payload_kind_bitmap=core.PayloadKind.NONE
    ).pack()
    ours = wire.build_result_push(session_id=1, frame_id=2)
    assert len(theirs) == len(ours) + 32
    same_reading(theirs)
    _, found = our_reading(ours)
    assert found.prelude is None
    with pytest.raises(ValueError, match="expected at least 32 bytes"):
        peer_reading(ours)


# Free objects and extensions have no builder in the peer; its regions are packed by hand.

free_objects = st.lists(st.tuples(st.sampled_from([4, 5, 7, 8, 9]), st.binary(max_size=20)), max_size=4)
extensions = st.lists(st.tuples(st.integers(0, 0xFFFF), st.integers(0, 1), st.binary(max_size=20)), max_size=4)


@some
@given(typed_frames(), free_objects, extensions, st.booleans(), routing)
def test_every_region(
    frames: list[dict[str, Any]],
    objects: list[tuple[int, bytes]],
    extended: list[tuple[int, int, bytes]],
    submit: bool,
    route: Route,
) -> None:
    descriptors, payloads = core.pack_typed_payload_frames(peer_payloads(frames))
    listed = [core.build_extension_frame(kind, value, extension_flags=flags) for kind, flags, value in extended]
    extension_descriptors, extension_payloads = core.pack_extension_frames(listed)
    body = core.pack_body(
        inline_object_region=b"".join(
            core.pack_inline_object_block(
                core.InlineObjectBlockHeader(core.CacheObjectKind(kind), 0, 0, 0, len(value)), value
            )
            for kind, value in objects
        ),
        typed_payload_descriptor_region=descriptors,
        typed_payload_frame_region=payloads,
        extension_descriptor_region=extension_descriptors,
        extension_payload_region=extension_payloads,
    )
    more: dict[str, Any] = {
        "objects": objects,
        "extensions": [Extension(value, kind, flags) for kind, flags, value in extended],
    }
    if submit:
        ours = wire.build_frame_submit(our_payloads(frames), operation_id=1, **more, **route)
    else:
        ours = wire.build_result_push(our_payloads(frames), **more, **route)
    assert bytes(wire.parse_packet(ours).body) == body
    same_reading(ours)


# Where the body validators of the peer differ (rows W-2 to W-4 and W-9 of wire.md section 12).


def verdicts(source: bytes) -> tuple[str | None, bool]:
    """(our error class or None, whether the peer accepts)."""
    refused = None
    try:
        our_reading(source)
    except WireError as error:
        refused = error.error_class
    try:
        peer_reading(source)
    except ValueError:
        return refused, False
    return refused, True


def submit_with(descriptors: list[tuple[int, int]], frames: bytes) -> bytes:
    """Structured events at the given (offset, length) of a frame region."""
    region = b"".join(
        raw.layout("typed_payload_descriptor", payload_kind=16, offset=offset, length=length)
        for offset, length in descriptors
    )
    return raw.submit(
        raw.body(descriptors=region, frames=frames), payload_kind_bitmap=16, payload_frame_count=len(descriptors)
    )


COMBINATION = "invalid_protocol_combination"


@pytest.mark.parametrize(
    ("source", "ours", "theirs"),
    [
        pytest.param(submit_with([(0, 4), (4, 4)], b"12345678"), None, True, id="contiguous"),
        # W-4: contiguous from 0 and exact coverage here, gaps and unused bytes there.
        pytest.param(submit_with([(0, 4), (6, 2)], b"12345678"), COMBINATION, True, id="gap"),
        pytest.param(submit_with([(2, 6)], b"12345678"), COMBINATION, True, id="not from 0"),
        pytest.param(submit_with([(0, 4)], b"12345678"), COMBINATION, True, id="unused bytes"),
        pytest.param(submit_with([(0, 4), (2, 6)], b"12345678"), COMBINATION, False, id="overlap"),
        pytest.param(submit_with([(0, 9)], b"12345678"), COMBINATION, False, id="one past"),
        pytest.param(
            raw.submit(raw.body(extensions=raw.extension(1, 0, 2), extension_payloads=b"1234"), operation_id=1),
            COMBINATION,
            True,
            id="unused extension bytes",
        ),
        # 6.1: references announced, none there.
        pytest.param(
            raw.submit(raw.body(), payload_kind_bitmap=1, submit_mode=2), COMBINATION, True, id="mixed, mask 0"
        ),
        # W-9: missing parts, which the wire does not ask for.
        pytest.param(
            raw.submit(
                raw.body(objects=raw.inline_object(3, raw.section_table(raw.section(1, [b"a", b"b"])))),
                payload_kind_bitmap=1,
                tile_count=2,
                section_count=1,
            ),
            None,
            False,
            id="no tile index",
        ),
        # W-9: a part inline and referenced; refused here as well.
        pytest.param(
            raw.submit(
                raw.body(objects=raw.inline_object(1, b"camera"), references=raw.reference(1)),
                payload_kind_bitmap=1,
                submit_mode=2,
                object_ref_mask=1,
                camera_bytes=6,
            ),
            COMBINATION,
            False,
            id="inline and referenced",
        ),
        pytest.param(
            raw.submit(raw.body(objects=raw.inline_object(1, b"camera") * 2), payload_kind_bitmap=1, camera_bytes=6),
            COMBINATION,
            False,
            id="inline twice",
        ),
        # W-9: the order of inline objects, which the peer's validator does not look at.
        pytest.param(
            raw.submit(
                raw.body(objects=raw.inline_object(2, b"\x05\x00") + raw.inline_object(1, b"camera")),
                payload_kind_bitmap=1,
                camera_bytes=6,
                tile_index_bytes=2,
                tile_index_mode=1,
                tile_count=1,
            ),
            COMBINATION,
            True,
            id="objects out of order",
        ),
        # W-2: counters that do not add up in a complete tensor result.
        pytest.param(
            raw.result(
                raw.body(objects=raw.inline_object(2)), payload_kind_bitmap=1, tile_count=3, covered_tile_count=2
            ),
            None,
            False,
            id="result counters",
        ),
        # 6.4.5 rule 5: a token chunk outside the token profile.
        pytest.param(
            raw.submit(
                raw.body(descriptors=raw.layout("typed_payload_descriptor", payload_kind=2, length=1), frames=b"t"),
                payload_kind_bitmap=2,
                payload_frame_count=1,
            ),
            COMBINATION,
            True,
            id="token chunk without profile",
        ),
        # 6.4.5 rule 3: without frames the bitmap is not compared.
        pytest.param(raw.submit(raw.body(), payload_kind_bitmap=16), None, False, id="bitmap without frames"),
        # References of a result: any order here, strictly ordered there.
        pytest.param(
            raw.result(raw.body(references=raw.reference(5, cache_key_lo=2) + raw.reference(5, cache_key_lo=1))),
            None,
            False,
            id="result references out of order",
        ),
    ],
)
def test_listed_differences(source: bytes, ours: str | None, theirs: bool) -> None:
    assert verdicts(source) == (ours, theirs)


# Every byte of some bodies changed: no difference but the known ones.

SEEDS = {
    "submit of everything": lambda: wire.build_frame_submit(
        [TypedPayload(b"abc"), TypedPayload(b"tok", 2, profile_id=2)],
        tensor=Tensor(
            tile_ids=[3, 5, 9],
            sections=[
                Section(1, [b"ab", b"c", b""], codec_ids=(1, 2, 3)),
                Section(4, [b"ab", b"c", b"d"], stride=4),
            ],
            camera=b"cam",
        ),
        tile_index_mode=2,
        objects=[(6, b"lay")],
        extensions=[Extension(b"xy", 7)],
        session_id=1,
        frame_id=2,
        operation_id=3,
    ),
    "submit of references": lambda: wire.build_frame_submit(
        tensor=Tensor(tile_count=2, section_count=1),
        references=[ObjectReferenceBlock.build(object_kind=kind) for kind in (1, 2, 3)],
        session_id=1,
        frame_id=2,
        operation_id=3,
    ),
    "result": lambda: wire.build_result_push(
        [b"{}"],
        tensor=Tensor(tile_ids=[3, 5, 9], sections=[Section(1, [b"ab", b"c", b""])]),
        references=[ObjectReferenceBlock.build(object_kind=5, cache_key_lo=1)],
        session_id=1,
        frame_id=2,
    ),
}

PEER_DOES_NOT_ASK = {
    *(check for row in peer.ACCEPTS for check in row.checks),
    # W-4
    "offset equals the end of the previous frame, 0 for the first",
    "the last frame ends where the frame region ends",
    "the last extension payload ends where the region ends",
    # in no row of section 12
    "token_chunk needs profile_id token",
    "inline -> object_ref_mask == 0; reference or mixed -> object_ref_mask != 0",
    "each delta after the first id is above 0",
}
PEER_ASKS_MORE = re.compile(
    # W-8
    r"is not a valid (TensorDType|TensorLayout|ScalePolicy)"
    # W-2
    r"|coverage counts must not exceed tile_count|dropped_tile_count must equal tile_count"
    # in no row of section 12: the bitmap of a body without frames
    r"|payload_kind_bitmap non-tensor bits must equal the typed descriptor kind union"
)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_changed_byte(seed: str) -> None:
    source = SEEDS[seed]()
    same_reading(source)
    for at in range(8, len(source)):
        for value in {0, 1, 255, source[at] ^ 0x80, source[at] - 1 & 0xFF} - {source[at]}:
            changed = source[:at] + bytes([value]) + source[at + 1 :]
            try:
                peer_reading(changed)
                complaint = None
            except ValueError as error:
                complaint = str(error)
            try:
                our_reading(changed)
            except WireError as error:
                assert complaint is not None or error.rule in PEER_DOES_NOT_ASK, (at, value)
            else:
                assert complaint is None or PEER_ASKS_MORE.search(complaint), (at, value)
