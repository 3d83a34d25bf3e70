"""The packets that are measured, written out by hand so that they depend on no codec.

Sizes are those of everyday traffic: a request and a result of 1 KiB of JSON, and a text delta whose packet
has 150 bytes.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass

HEADER_SIZE = 40


@dataclass(frozen=True)
class Record:
    """A fixed layout as `struct` sees it: the format without byte order mark, and the field of each value."""

    format: str
    fields: tuple[str, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of each field. `4s` is one field of the format, `4B` are four."""
        sizes: list[int] = []
        for count, code in re.findall(r"(\d*)(\w)", self.format):
            times = 1 if code == "s" else int(count or 1)
            sizes += [struct.calcsize(f"<{count}s" if code == "s" else f"<{code}")] * times
        return tuple(sizes)

    def values(self, given: Mapping[str, int | bytes]) -> tuple[int | bytes, ...]:
        """The values in wire order; what is not given is 0."""
        unknown = given.keys() - set(self.fields)
        if unknown:
            raise KeyError(f"no such field: {sorted(unknown)}")
        return tuple(given.get(name, 0) for name in self.fields)


# wire.md section 3
HEADER = Record(
    "4sBBBBIIIIIHHQ",
    (
        *("magic", "version_major", "wire_format", "message_type", "header_len", "flags", "meta_len", "body_len"),
        *("session_id", "frame_id", "view_id", "route_id", "trace_id"),
    ),
)
# wire.md section 6.1
FRAME_SUBMIT = Record(
    "HHHHHHBBBBHHIIIIIQIBBBBIIIHH",
    (
        *("src_width", "src_height", "tile_width", "tile_height", "tile_count", "section_count", "frame_class"),
        *("input_profile", "tile_index_mode", "reserved0", "latency_budget_ms", "target_fps_x100", "retry_of_frame"),
        *("tile_base_id", "camera_bytes", "tile_index_bytes", "reserved1", "operation_id", "reserved2", "submit_mode"),
        *("budget_policy", "loss_tolerance_policy", "reserved3", "object_ref_mask", "dependency_frame_id"),
        *("payload_kind_bitmap", "payload_frame_count", "reserved4"),
    ),
)
# wire.md section 6.2
RESULT_PUSH = Record(
    "HHHHHHHHHHIIQQBBHIHHIHH",
    (
        *("status_code", "result_flags", "section_count", "tile_count", "active_profile_id", "reserved0"),
        *("inference_ms", "queue_ms", "server_total_ms", "reserved1", "tile_base_id", "tile_index_bytes", "reserved2"),
        *("reserved3", "result_class", "applied_budget_policy", "reserved4", "reused_frame_id", "covered_tile_count"),
        *("dropped_tile_count", "payload_kind_bitmap", "payload_frame_count", "reserved5"),
    ),
)
# wire.md section 7
PARTIAL_RESULT = Record(
    "QQQQII", ("operation_id", "result_sequence", "object_id", "delta_sequence", "body_bytes", "flags")
)
# wire.md section 6.4
PRELUDE = Record(
    "8I",
    (
        *("inline_object_bytes", "object_reference_bytes", "typed_payload_descriptor_bytes"),
        *("typed_payload_frame_bytes", "extension_descriptor_bytes", "extension_payload_bytes", "body_flags"),
        "reserved",
    ),
)
# wire.md section 6.4.5
DESCRIPTOR = Record(
    "HBBIIHHII",
    (
        *("profile_id", "payload_kind", "descriptor_flags", "schema_id", "schema_version", "stream_semantics"),
        *("reserved0", "offset", "length"),
    ),
)
DESCRIPTOR_STRUCT = struct.Struct("<" + DESCRIPTOR.format)


def json_of_size(document: Mapping[str, object], filler: str, size: int) -> bytes:
    """`document` as compact JSON of exactly `size` bytes; the text field named `filler` takes up the slack."""
    bare = len(json.dumps({**document, filler: ""}, separators=(",", ":")))
    words = "the quick brown fox jumps over the lazy dog "
    text = (words * (size // len(words) + 1))[: size - bare]
    return json.dumps({**document, filler: text}, separators=(",", ":")).encode()


REQUEST = json_of_size({"type": "request", "model": "example", "stream": True, "max_tokens": 256}, "input", 1024)
RESPONSE = json_of_size({"type": "response", "model": "example", "finish_reason": "stop"}, "output", 1024)
DELTA = json_of_size({"type": "delta", "index": 17}, "text", 70)

SESSION_ID = 70_001
FRAME_ID = 41
OPERATION_ID = 1_234_567
RESULT_SEQUENCE = 18

STRUCTURED_EVENT = 0x10
SNAPSHOT = 1
INHERIT_LOSS_TOLERANCE = 255
RAW_U16 = 1


@dataclass(frozen=True)
class Sample:
    """One packet and all that a reader must find in it."""

    layout: struct.Struct
    """Every fixed layout of the packet in one format: the quickest way through it with `struct`."""
    fields: tuple[str, ...]
    values: tuple[int | bytes, ...]
    header: Mapping[str, int]
    metadata: Mapping[str, int]
    payload: bytes
    prelude: Mapping[str, int] | None = None
    descriptor: bytes | None = None

    @property
    def packet(self) -> bytes:
        return self.layout.pack(*self.values) + self.payload


def _header(message_type: int, meta_len: int, body_len: int) -> dict[str, int]:
    numbers = {"version_major": 1, "message_type": message_type, "header_len": HEADER_SIZE, "meta_len": meta_len}
    return numbers | {"body_len": body_len, "session_id": SESSION_ID, "frame_id": FRAME_ID}


def _complete(record: Record, given: Mapping[str, int]) -> dict[str, int]:
    """All fields with a meaning; reserved ones are no part of what implementations show."""
    names = (name for name in record.fields if name != "magic" and not name.startswith("reserved"))
    return {name: given.get(name, 0) for name in names}


def typed_sample(message_type: int, record: Record, metadata: Mapping[str, int], payload: bytes) -> Sample:
    """A FRAME_SUBMIT or RESULT_PUSH that carries `payload` as its only typed frame."""
    metadata = {**metadata, "payload_kind_bitmap": STRUCTURED_EVENT, "payload_frame_count": 1}
    descriptor = {"payload_kind": STRUCTURED_EVENT, "stream_semantics": SNAPSHOT, "length": len(payload)}
    prelude = {"typed_payload_descriptor_bytes": 24, "typed_payload_frame_bytes": len(payload)}
    header = _header(message_type, struct.calcsize("<" + record.format), 32 + 24 + len(payload))
    return Sample(
        layout=struct.Struct("<" + HEADER.format + record.format + PRELUDE.format + DESCRIPTOR.format),
        fields=HEADER.fields + record.fields + PRELUDE.fields + DESCRIPTOR.fields,
        values=(
            *HEADER.values({"magic": b"NNRP", **header}),
            *record.values(metadata),
            *PRELUDE.values(prelude),
            *DESCRIPTOR.values(descriptor),
        ),
        header=_complete(HEADER, header),
        metadata=_complete(record, metadata),
        payload=payload,
        prelude=_complete(PRELUDE, prelude),
        descriptor=DESCRIPTOR_STRUCT.pack(*DESCRIPTOR.values(descriptor)),
    )


def partial_sample(body: bytes) -> Sample:
    header = _header(0x38, 40, len(body))
    # Both sequences count up together, as deployed servers send them.
    metadata = {
        "operation_id": OPERATION_ID,
        "result_sequence": RESULT_SEQUENCE,
        "delta_sequence": RESULT_SEQUENCE,
        "body_bytes": len(body),
    }
    return Sample(
        layout=struct.Struct("<" + HEADER.format + PARTIAL_RESULT.format),
        fields=HEADER.fields + PARTIAL_RESULT.fields,
        values=(*HEADER.values({"magic": b"NNRP", **header}), *PARTIAL_RESULT.values(metadata)),
        header=_complete(HEADER, header),
        metadata=_complete(PARTIAL_RESULT, metadata),
        payload=body,
    )


SUBMIT = typed_sample(
    0x10,
    FRAME_SUBMIT,
    {
        "operation_id": OPERATION_ID,
        "tile_index_mode": RAW_U16,
        "loss_tolerance_policy": INHERIT_LOSS_TOLERANCE,
    },
    REQUEST,
)
PUSH = typed_sample(0x12, RESULT_PUSH, {}, RESPONSE)
PARTIAL = partial_sample(DELTA)

# A header in which hardly two fields hold the same value, so that mixed-up fields do not agree by chance.
LONE_HEADER = {
    **_header(0x10, 72, 1080),
    "flags": 0x21,
    "view_id": 2,
    "route_id": 3,
    "trace_id": 0x1122334455667788,
}
LONE_HEADER_STRUCT = struct.Struct("<" + HEADER.format)
LONE_HEADER_BYTES = LONE_HEADER_STRUCT.pack(*HEADER.values({"magic": b"NNRP", **LONE_HEADER}))
LONE_HEADER_FIELDS = _complete(HEADER, LONE_HEADER)
