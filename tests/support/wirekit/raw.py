"""An encoder that refuses nothing: fields go where the table says, whatever their values.

Bad bytes are the point of most tests, and the codec's own builders will not make them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from wirekit.data import message_code, table

U32_MAX = 0xFFFFFFFF
_CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q"}


def fields(name: str) -> list[dict[str, Any]]:
    return list(table()["layouts"][name]["fields"])


def size(name: str) -> int:
    return int(table()["layouts"][name]["size"])


@cache
def _reader(name: str) -> tuple[struct.Struct, tuple[str, ...]]:
    """Fields follow each other without gaps (wire.md section 1), so one format reads them all."""
    listed = fields(name)
    codes = [_CODES.get(field["type"]) or f"{field['size']}s" for field in listed]
    return struct.Struct("<" + "".join(codes)), tuple(field["name"] for field in listed)


def read(name: str, data: bytes) -> dict[str, Any]:
    """The fields of a layout, read with `struct`; the magic comes out as bytes."""
    format_, names = _reader(name)
    return dict(zip(names, format_.unpack_from(data), strict=True))


def layout(layout_name: str, values: Mapping[str, Any] | None = None, /, **more: Any) -> bytes:
    """Pack a layout: constants by default, 0 elsewhere, no value refused that fits its width."""
    given = {**(values or {}), **more}
    packed = bytearray(size(layout_name))
    for field in fields(layout_name):
        value = given.pop(field["name"], field.get("const", 0))
        if field["type"] == "bytes":
            data = value.encode() if isinstance(value, str) else bytes(value or b"")
            packed[field["offset"] : field["offset"] + field["size"]] = data.ljust(field["size"], b"\0")
        else:
            struct.pack_into("<" + _CODES[field["type"]], packed, field["offset"], value)
    if given:
        raise AssertionError(f"{layout_name} has no field {sorted(given)}")
    return bytes(packed)


def packet(
    message: str | int,
    metadata: bytes = b"",
    body: bytes = b"",
    *,
    meta_len: int | None = None,
    body_len: int | None = None,
    **header: Any,
) -> bytes:
    """Header, metadata and body; the lengths tell the truth unless they are given."""
    code = message_code(message) if isinstance(message, str) else message
    head = layout(
        "common_header",
        message_type=code,
        meta_len=len(metadata) if meta_len is None else meta_len,
        body_len=len(body) if body_len is None else body_len,
        **{"session_id": 1, "frame_id": 1, **header},
    )
    return head + metadata + body


def patch(data: bytes, offset: int, value: int, width: int) -> bytes:
    """The same bytes with one little endian integer written over them."""
    return data[:offset] + value.to_bytes(width, "little") + data[offset + width :]


# Body regions (wire.md 6.4).


def body(
    *,
    objects: bytes = b"",
    references: bytes = b"",
    descriptors: bytes = b"",
    frames: bytes = b"",
    extensions: bytes = b"",
    extension_payloads: bytes = b"",
    **prelude: int,
) -> bytes:
    """Prelude and the six regions; prelude fields given by name replace the true lengths."""
    lengths = {
        "inline_object_bytes": len(objects),
        "object_reference_bytes": len(references),
        "typed_payload_descriptor_bytes": len(descriptors),
        "typed_payload_frame_bytes": len(frames),
        "extension_descriptor_bytes": len(extensions),
        "extension_payload_bytes": len(extension_payloads),
        **prelude,
    }
    head = layout("body_region_prelude", lengths)
    return head + objects + references + descriptors + frames + extensions + extension_payloads


def pad8(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)


def inline_object(kind: int, payload: bytes = b"", **header: int) -> bytes:
    head = layout("inline_object_block_header", {"object_kind": kind, "object_bytes": len(payload), **header})
    return pad8(head + payload)


def reference(kind: int, **block: int) -> bytes:
    return layout("object_reference_block", {"object_kind": kind, "cache_namespace": 1, "cache_key_lo": 9, **block})


def typed(payloads: Sequence[bytes], kinds: Iterable[int] | int = 16, **every: int) -> tuple[bytes, bytes]:
    """Packed descriptors and their frames: (descriptor region, frame region)."""
    listed = [kinds] * len(payloads) if isinstance(kinds, int) else list(kinds)
    region, at = [], 0
    for payload, kind in zip(payloads, listed, strict=True):
        profile = 2 if kind == 2 else 0
        values = {"payload_kind": kind, "profile_id": profile, "offset": at, "length": len(payload), **every}
        region.append(layout("typed_payload_descriptor", values))
        at += len(payload)
    return b"".join(region), b"".join(payloads)


def extension(kind: int, offset: int, length: int, **descriptor: int) -> bytes:
    values = {"extension_kind": kind, "payload_offset": offset, "payload_length": length, **descriptor}
    return layout("extension_frame_descriptor", values)


def section(
    role_id: int,
    payloads: Sequence[bytes],
    *,
    codec_ids: bytes = b"",
    stride: int = 0,
    lengths: Sequence[int] | None = None,
    payload: bytes | None = None,
    **descriptor: int,
) -> bytes:
    """One tensor section; `lengths`, `payload` and descriptor fields replace what the payloads say."""
    stated = [len(part) for part in payloads] if lengths is None else list(lengths)
    table_bytes = struct.pack(f"<{len(stated)}I", *stated)
    joined = b"".join(part.ljust(stride, b"\0") for part in payloads) if payload is None else payload
    values = {
        "role_id": role_id,
        "section_flags": (1 if codec_ids else 0) | (2 if stride else 0),
        "codec_table_bytes": len(codec_ids),
        "length_table_bytes": len(table_bytes),
        "payload_bytes": len(joined),
        "payload_stride_bytes": stride,
        **descriptor,
    }
    return layout("tensor_section_descriptor", values) + codec_ids + table_bytes + joined


def section_table(*sections: bytes) -> bytes:
    """Sections one after another, each starting on a multiple of 8, nothing after the last (wire.md 6.4.3)."""
    packed = b""
    for part in sections:
        packed = pad8(packed) + part
    return packed


def submit(body_bytes: bytes, *, header: Mapping[str, int] | None = None, **metadata: int) -> bytes:
    return packet("frame_submit", layout("frame_submit", {"operation_id": 1, **metadata}), body_bytes, **(header or {}))


def result(body_bytes: bytes, *, header: Mapping[str, int] | None = None, **metadata: int) -> bytes:
    return packet("result_push", layout("result_push", metadata), body_bytes, **(header or {}))


def typed_submit(payloads: Sequence[bytes], kinds: Iterable[int] | int = 16, **metadata: int) -> bytes:
    """A well formed submit of typed payloads."""
    listed = [kinds] * len(payloads) if isinstance(kinds, int) else list(kinds)
    descriptors, frames = typed(payloads, listed)
    bitmap = 0
    for kind in listed:
        bitmap |= kind
    values = {"payload_kind_bitmap": bitmap, "payload_frame_count": len(payloads), **metadata}
    return submit(body(descriptors=descriptors, frames=frames), **values)


def tensor_submit(
    *,
    tile_count: int = 3,
    camera: bytes = b"camera",
    index: bytes = b"",
    tile_index_mode: int = 0,
    sections: Sequence[bytes] | None = None,
    objects: bytes | None = None,
    references: bytes = b"",
    body_fields: Mapping[str, int] | None = None,
    **metadata: int,
) -> bytes:
    """A well formed tensor submit: camera, tile index, section table inline; anything can be replaced."""
    listed = [section(1, [b"ab"] * tile_count)] if sections is None else list(sections)
    if objects is None:
        objects = inline_object(1, camera) + inline_object(2, index) + inline_object(3, section_table(*listed))
    values = {
        "payload_kind_bitmap": 1,
        "tile_count": tile_count,
        "section_count": len(listed),
        "camera_bytes": len(camera),
        "tile_index_bytes": len(index),
        "tile_index_mode": tile_index_mode,
        "input_profile": 1,
        **metadata,
    }
    return submit(body(objects=objects, references=references, **(body_fields or {})), **values)
