"""Bodies made from parts come apart into the same parts; small codings invert each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from wirekit import raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError

payloads = st.lists(st.tuples(st.sampled_from([2, 4, 8, 16, 32, 64]), st.binary(max_size=40)), max_size=8)
free_objects = st.lists(st.tuples(st.sampled_from([4, 5, 7, 8, 9]), st.binary(max_size=20)), max_size=5)
extensions = st.lists(st.tuples(st.integers(0, 0xFFFF), st.binary(max_size=20)), max_size=5)


@given(payloads, free_objects, extensions, st.sampled_from(["submit", "result"]))
def test_every_part_comes_back(listed, objects, extended, message):
    kinds = [kind for kind, _ in listed]
    descriptors, frames = raw.typed([payload for _, payload in listed], kinds)
    region, at = b"", 0
    for kind, payload in extended:
        region += raw.extension(kind, at, len(payload))
        at += len(payload)
    body = raw.body(
        objects=b"".join(raw.inline_object(kind, payload) for kind, payload in objects),
        descriptors=descriptors,
        frames=frames,
        extensions=region,
        extension_payloads=b"".join(payload for _, payload in extended),
    )
    bitmap = 0
    for kind in kinds:
        bitmap |= kind
    make = raw.submit if message == "submit" else raw.result
    packet = wire.parse_packet(make(body, payload_kind_bitmap=bitmap, payload_frame_count=len(listed)))
    cut = wire.frame_submit_body if message == "submit" else wire.result_push_body
    found = cut(packet)
    assert [(one.payload_kind, bytes(payload)) for one, payload in found.typed_payloads] == listed
    assert [(one.object_kind, bytes(payload)) for one, payload in found.objects] == objects
    assert [(one.extension_kind, bytes(payload)) for one, payload in found.extensions] == extended


tiles = st.integers(1, 6)


@st.composite
def tensors(draw):
    count = draw(tiles)
    ids = draw(st.lists(st.integers(0, 65535), min_size=count, max_size=count, unique=True).map(sorted))
    sections = []
    for role in sorted(draw(st.sets(st.integers(0, 0xFFFF), max_size=3))):
        parts = draw(st.lists(st.binary(max_size=9), min_size=count, max_size=count))
        codecs = draw(st.one_of(st.just(b""), st.binary(min_size=count, max_size=count)))
        longest = max(map(len, parts))
        stride = draw(st.sampled_from([0, max(longest, 1), longest + 5]))
        sections.append((role, parts, codecs, stride))
    return ids, sections


@given(tensors(), st.sampled_from([1, 2, 3]), st.binary(max_size=30))
def test_tensors_come_back(tensor, mode, camera):
    ids, sections = tensor
    index = wire.tile_index_encode(mode, ids)
    source = raw.tensor_submit(
        tile_count=len(ids),
        camera=camera,
        index=index,
        tile_index_mode=mode,
        sections=[raw.section(role, parts, codec_ids=ids, stride=stride) for role, parts, ids, stride in sections],
    )
    body = wire.frame_submit_body(wire.parse_packet(source))
    assert bytes(body.camera) == camera
    assert list(body.tile_ids) == ids
    assert [one.descriptor.role_id for one in body.sections] == [role for role, *_ in sections]
    for one, (_, parts, codecs, _) in zip(body.sections, sections, strict=True):
        assert one.codec_ids == tuple(codecs)
        assert [bytes(payload) for payload in one.payloads] == parts


@given(st.sampled_from([0, 1, 2, 3]), st.lists(st.integers(0, 70000), max_size=20), st.integers(0, 70000))
def test_what_tile_index_encodes_it_decodes(mode, ids, base):
    try:
        coded = wire.tile_index_encode(mode, ids, base)
    except WireError:
        return
    assert list(wire.tile_index_decode(mode, coded, len(ids), base)) == ids


@given(st.sampled_from([0, 1, 2, 3]), st.binary(max_size=40), st.integers(0, 40), st.integers(0, 0xFFFFFFFF))
def test_what_tile_index_decodes_it_encodes(mode, coded, count, base):
    try:
        ids = wire.tile_index_decode(mode, coded, count, base)
    except WireError:
        return
    assert len(ids) == count
    assert wire.tile_index_encode(mode, ids, base) == coded


@given(st.one_of(st.binary(max_size=80), st.text(max_size=40).map(str.encode)))
def test_utf8(source):
    try:
        source.decode()
    except UnicodeDecodeError:
        assert wire.is_utf8(source) is False
    else:
        assert wire.is_utf8(source) is True


@given(st.lists(st.tuples(st.integers(0x200, 0xFFFF), st.binary(max_size=20)), max_size=6))
def test_control_extensions_come_back(entries):
    block = b""
    for kind, value in entries:
        head = raw.layout("control_extension_entry_header", ext_type=kind, ext_len=len(value))
        block += raw.pad8(head + value)
    found = wire.control_extensions(block)
    assert [(header.ext_type, bytes(value)) for header, value in found] == entries


@given(st.binary(min_size=1, max_size=100), st.integers(1, 0xFFFFFFFF), st.integers(1, 0xFFFFFFFF))
def test_recovery_tickets_come_back(token, session_id, window):
    made = wire.build_recovery_ticket(token, session_id=session_id, resume_window_ms=window)
    prefix, found = wire.parse_recovery_ticket(made)
    assert (prefix.session_id, prefix.resume_window_ms, bytes(found)) == (session_id, window, token)
