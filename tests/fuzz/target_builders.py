"""Builders with any values: the documented refusals, or bytes that a strict receiver reads back as what was given.

Input: what to build(1) | choices.
"""

from __future__ import annotations

from typing import Any

from fuzz_support import Choices

from nnrp_wire import wire
from nnrp_wire.errors import UsageError, WireError

REFUSALS = (WireError, UsageError)
VIEWS = list(wire.VIEWS.values())
KINDS = [kind for kind in wire.MessageType if kind not in (wire.MessageType.FRAME_SUBMIT, wire.MessageType.RESULT_PUSH)]
DESCRIPTOR_FIELDS = ("profile_id", "schema_id", "schema_version", "stream_semantics", "descriptor_flags")
ROUTING = ("session_id", "frame_id", "flags", "view_id", "route_id", "trace_id")


def built(call: Any, *arguments: Any, **named: Any) -> Any:
    """What a builder makes, None when it refuses in a documented way."""
    try:
        return call(*arguments, **named)
    except REFUSALS:
        return None


def some(choices: Choices, names: Any) -> dict[str, int]:
    """Values for some of the fields; not for `magic`, which is no number."""
    return {name: choices.any_number() for name in names if name != "magic" and choices.number() & 1}


def routing(choices: Choices) -> dict[str, int]:
    """Mostly numbers that fit, so that what stands behind the header gets its turn."""
    if choices.number() & 7:
        return {"session_id": 5, "frame_id": choices.number()}
    return {"session_id": 0, "frame_id": 0} | some(choices, ROUTING)


def strictly(packet: bytes) -> wire.Packet:
    return wire.parse_message(packet, strict=True)


def expect_header(packet: wire.Packet, given: dict[str, int]) -> None:
    for name in ROUTING:
        assert getattr(packet, name) == given.get(name, 0)


def same_in_all_kinds(name: str, made: bytes | None, *arguments: Any, **named: Any) -> None:
    """The _buffers and _into kinds of a builder make the same bytes, and refuse where it refuses."""
    parts = built(getattr(wire, f"{name}_buffers"), *arguments, **named)
    room = bytearray(b"\xaa" * (len(made or b"") + 9))
    end = built(getattr(wire, f"{name}_into"), room, 4, *arguments, **named)
    if made is None:
        assert parts is None
        assert end is None
        assert set(room) <= {0xAA}, "a refusal writes nothing"
        return
    assert b"".join(parts) == made
    assert end == 4 + len(made)
    assert room == b"\xaa" * 4 + made + b"\xaa" * 5
    tight = bytearray(len(made) - 1)
    assert built(getattr(wire, f"{name}_into"), tight, 0, *arguments, **named) is None
    assert not any(tight)


def layout(choices: Choices) -> None:
    cls = choices.pick(VIEWS)
    fields = some(choices, cls.__match_args__)
    view = built(cls.build, **fields)
    if view is None:
        return
    values = view.as_dict()
    assert {name: values[name] for name in fields} == fields
    assert cls.parse(bytes(view)) == view
    room = bytearray(cls.size + 2)
    assert cls.build_into(room, 1, **fields) == cls.size + 1
    assert room == b"\0" + bytes(view) + b"\0"
    changed = some(choices, cls.__match_args__)
    again = built(view.replace, **changed)
    assert again is None or again == built(cls.build, **(fields | changed))


def packet(choices: Choices) -> None:
    kind, place = choices.number(), routing(choices)
    metadata, body = choices.buffer(), choices.buffer()
    made = built(wire.build_packet, kind, metadata, body, **place)
    same_in_all_kinds("build_packet", made, kind, metadata, body, **place)
    if made is not None:
        found = wire.parse_packet(made)
        expect_header(found, place)
        assert (found.message_type, found.metadata_bytes, found.body) == (kind, metadata, body)


def message(choices: Choices) -> None:
    kind, place = choices.pick(KINDS), routing(choices)
    cls = next((cls for cls in VIEWS if kind in cls.messages), None)
    fields = None if cls is None else some(choices, cls.__match_args__)
    tails = [choices.buffer() for _ in range(choices.number() % 4)]
    try:
        made = built(wire.build_message, kind, fields, *tails, **place)
    except TypeError as error:
        assert "tails" in str(error)  # anything else is a bug
        return
    same_in_all_kinds("build_message", made, kind, fields, *tails, **place)
    if made is None:
        return
    found = strictly(made)
    expect_header(found, place)
    if cls is not None:
        assert found.metadata is not None
        values = found.metadata.as_dict()
        assert {name: values[name] for name in fields or {}} == fields
    parts = [bytes(tail) for tail in wire.message_tails(found).values()]
    assert parts[: len(tails)] == [bytes(tail) for tail in tails]


def payloads(choices: Choices) -> Any:
    how = choices.number()
    if how & 3 == 0:
        return bytes(choices.buffer())
    items: list[Any] = []
    for _ in range(choices.number() % 4):
        payload = choices.buffer()
        kind = choices.pick([16, 32, 64, 4, 2, 8, 1, choices.number()])
        values = {"profile_id": 2} if kind == 2 else {}
        if choices.number() & 7 == 0:
            values |= some(choices, DESCRIPTOR_FIELDS)
        items.append(wire.TypedPayload(payload, kind, **values))
    return items[0] if how & 4 and len(items) == 1 else items


def tensor(choices: Choices) -> Any:
    how = choices.number()
    if how & 1:
        return None
    count = choices.number() % 6
    ids = sorted({choices.number(2) for _ in range(count)}) if how & 2 else [choices.any_number() for _ in range(count)]
    sections, role = [], -1
    for _ in range(choices.number() % 3):
        role += 1 + (choices.number() & 3) - (how & 4 != 0)
        parts = [choices.buffer() for _ in range(len(ids) if how & 8 else choices.number() % 6)]
        stride = max(map(len, parts), default=0) + choices.number() % 9 if choices.number() & 1 else 0
        codecs = [choices.number() for _ in parts] if choices.number() & 1 else ()
        sections.append(wire.Section(role, parts, codec_id=choices.number(), codec_ids=codecs, stride=stride))
    return wire.Tensor(
        ids if how & 16 else (),
        sections,
        camera=choices.buffer() if how & 32 else None,
        tile_base_id=choices.any_number() if how & 64 else 0,
        tile_count=-1 if how & 16 else len(ids),
        input_profile=1,
    )


def data_plane(choices: Choices) -> dict[str, Any]:
    how = choices.number()
    parts: dict[str, Any] = {"tensor": tensor(choices)} if how & 1 else {}
    if how & 2:
        parts["objects"] = [(choices.number() % 12, choices.buffer()) for _ in range(choices.number() % 3)]
    if how & 4:
        kinds = [choices.number() % 12 for _ in range(choices.number() % 3)]
        parts["references"] = [
            wire.ObjectReferenceBlock.build(object_kind=kind, cache_namespace=1, cache_key_lo=7) for kind in kinds
        ]
    if how & 8:
        parts["extensions"] = [
            wire.Extension(choices.buffer(), 0x8000 + choices.number(), choices.number() & 1)
            for _ in range(choices.number() % 3)
        ]
    return parts


def expect_body(body: wire.DataPlaneBody, content: Any, parts: dict[str, Any]) -> None:
    given = [content] if isinstance(content, (bytes, wire.TypedPayload)) else content
    wanted = [bytes(item if isinstance(item, bytes) else item.payload) for item in given]
    assert [bytes(payload) for _, payload in body.typed_payloads] == wanted
    listed = parts.get("tensor")
    standard = (1, 2, 3)
    others = [(head.object_kind, bytes(payload)) for head, payload in body.objects if head.object_kind not in standard]
    assert others == [(kind, bytes(payload)) for kind, payload in parts.get("objects", ())]
    assert list(body.references) == list(parts.get("references", ()))
    extensions = [(one.extension_kind, bytes(payload)) for one, payload in body.extensions]
    assert extensions == [(one.extension_kind, bytes(one.payload)) for one in parts.get("extensions", ())]
    if listed is None:
        assert body.tile_ids is None
        assert body.sections == ()
        return
    index_is_referenced = any(one.object_kind == wire.CacheObjectKind.TILE_INDEX_BLOCK for one in body.references)
    if body.tile_ids is not None and not index_is_referenced:
        assert list(body.tile_ids) == list(listed.tile_ids)
    if body.sections:
        assert [one.descriptor.role_id for one in body.sections] == [one.role_id for one in listed.sections]
        for found, one in zip(body.sections, listed.sections, strict=True):
            assert list(map(bytes, found.payloads)) == list(map(bytes, one.payloads))
            if found.codec_ids:
                assert list(found.codec_ids) == list(one.codec_ids)


def whole_data_plane(choices: Choices, name: str, fields: tuple[str, ...], usual: dict[str, int], cut: Any) -> None:
    try:
        content, parts = payloads(choices), data_plane(choices)
    except REFUSALS:
        return  # the parts refuse on their own
    options = usual | (some(choices, fields) if choices.number() & 1 else {})
    place = routing(choices)
    made = built(getattr(wire, name), content, **options, **place, **parts)
    same_in_all_kinds(name, made, content, **options, **place, **parts)
    if made is None:
        return
    found = strictly(made)
    expect_header(found, place)
    assert found.metadata is not None
    values = found.metadata.as_dict()
    assert {key: values[key] for key in options if options[key] is not None} == options
    expect_body(cut(found), content, parts)


def frame_submit(choices: Choices) -> None:
    fields = (
        "frame_class", "tile_index_mode", "latency_budget_ms", "target_fps_x100", "retry_of_frame", "budget_policy",
        "loss_tolerance_policy", "dependency_frame_id",
    )  # fmt: skip
    usual = {"operation_id": 1, "tile_index_mode": choices.number() & 3}
    whole_data_plane(choices, "build_frame_submit", fields, usual, wire.frame_submit_body)


def result_push(choices: Choices) -> None:
    fields = (
        "status_code", "result_flags", "active_profile_id", "inference_ms", "queue_ms", "server_total_ms",
        "result_class", "applied_budget_policy", "reused_frame_id", "covered_tile_count", "dropped_tile_count",
    )  # fmt: skip
    whole_data_plane(choices, "build_result_push", fields, {}, wire.result_push_body)


def partial_result(choices: Choices) -> None:
    fields = some(choices, ("object_id", "delta_sequence", "partial_flags"))
    place, body = routing(choices), choices.buffer()
    options = {"operation_id": choices.any_number(), "result_sequence": choices.any_number(), **fields}
    made = built(wire.build_partial_result, body, **options, **place)
    same_in_all_kinds("build_partial_result", made, body, **options, **place)
    if made is not None:
        found = strictly(made)
        expect_header(found, place)
        assert found.body == body
        values = found.metadata.as_dict() if found.metadata else {}
        assert values["result_sequence"] == options["result_sequence"]
        assert values["flags"] == fields.get("partial_flags", 0)


def slot(choices: Choices) -> None:
    """A slot's packets are those of the builder, its numbers go up by one, and a refusal changes nothing."""
    first, place = choices.any_number(), (choices.any_number(), choices.any_number(), choices.any_number())
    made = built(wire.ResultSlot, *place, next_sequence=first)
    if made is None:
        return
    session_id, operation_id, frame_id = place
    while choices.at < len(choices.data) and not made.finished:
        sequence, body, how = made.next_sequence, choices.buffer(), choices.number()
        if how < 8:
            terminal = built(made.result_drop)
            assert made.finished is (terminal is not None)
            continue
        flags = {"partial_flags": how & 3, "object_id": how >> 4} if how & 4 else {}
        found = built(made.partial_result, body, **flags)
        wanted = built(
            wire.build_partial_result, body, session_id=session_id, frame_id=frame_id, operation_id=operation_id,
            result_sequence=sequence, delta_sequence=sequence, **flags,
        )  # fmt: skip
        if found is None:
            assert made.next_sequence == sequence
            assert wanted is None or sequence == (1 << 64) - 1
            continue
        assert found == wanted
        assert made.next_sequence == min(sequence + 1, (1 << 64) - 1)


def tile_index(choices: Choices) -> None:
    mode, base = choices.number() % 4, choices.any_number()
    ids = [choices.any_number() for _ in range(choices.number() % 20)]
    if choices.number() & 1:
        ids = list(range(base, base + len(ids)))
    block = built(wire.tile_index_encode, mode, ids, base)
    if block is not None:
        assert list(wire.tile_index_decode(mode, block, len(ids), base)) == ids
    source, count = choices.rest(), choices.any_number()
    found = built(wire.tile_index_decode, mode, source, count, base)
    if found is not None and len(found) < 70_000:
        assert wire.tile_index_encode(mode, found, base) == source


def payload_kinds(choices: Choices) -> None:
    kinds = built(wire.payload_kinds, choices.any_number())
    if kinds is not None:
        assert wire.payload_kinds(wire.payload_kind_bitmap(kinds)) == kinds


def patched_header(choices: Choices) -> None:
    """The header that build_packet would have made, or the bytes as they were."""
    changes = some(choices, ROUTING)
    source = choices.rest()
    memory = bytearray(source)
    if built(lambda: wire.patch_header(memory, **changes) or True) is None:
        assert memory == source
        return
    before, after = wire.parse_header(source).as_dict(), wire.parse_header(memory).as_dict()
    assert after == before | changes
    assert memory[40:] == source[40:]


TARGETS = (
    layout,
    packet,
    message,
    frame_submit,
    result_push,
    partial_result,
    slot,
    tile_index,
    payload_kinds,
    patched_header,
)


def one_input(data: bytes) -> None:
    choices = Choices(data)
    choices.pick(TARGETS)(choices)
