"""Packets, captures and command lines for the tests of the command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import orjson

from nnrp_wire.wire import (
    BodyRegionPrelude,
    CommonHeader,
    FrameSubmit,
    MessageType,
    PartialResult,
    PayloadKind,
    RouteHint,
    TypedPayloadDescriptor,
    build_packet,
)

CAPTURES = Path(__file__).parent.parent / "captures"


@dataclass
class Outcome:
    """What a run of the command left behind."""

    code: int
    out: str
    err: str

    def lines(self) -> list[dict]:
        return [orjson.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Outcome]


def command(*args: str) -> list[str]:
    """The command line of a process of its own."""
    return [sys.executable, "-m", "nnrp_wire.cli", *args]


def partial_result(body: bytes, *, session_id: int = 1, sequence: int = 1) -> bytes:
    metadata = PartialResult.build(operation_id=1, result_sequence=sequence, body_bytes=len(body))
    return build_packet(MessageType.PARTIAL_RESULT, metadata, body, session_id=session_id, frame_id=1)


def route_hint(body: bytes) -> bytes:
    return build_packet(MessageType.ROUTE_HINT, RouteHint.build(body_bytes=len(body)), body, session_id=1)


def frame_submit(payload: bytes) -> bytes:
    """A FRAME_SUBMIT of one structured event."""
    metadata = FrameSubmit.build(
        operation_id=1, tile_index_mode=1, payload_kind_bitmap=PayloadKind.STRUCTURED_EVENT, payload_frame_count=1
    )
    prelude = BodyRegionPrelude.build(
        typed_payload_descriptor_bytes=TypedPayloadDescriptor.size, typed_payload_frame_bytes=len(payload)
    )
    descriptor = TypedPayloadDescriptor.build(payload_kind=PayloadKind.STRUCTURED_EVENT, length=len(payload))
    body = bytes(prelude) + bytes(descriptor) + payload
    return build_packet(MessageType.FRAME_SUBMIT, metadata, body, session_id=1, frame_id=1)


def with_header(packet: bytes, **fields: int) -> bytes:
    """The packet with header fields overwritten, rules or no rules."""
    changed = bytearray(packet)
    places = {info.name: info for info in CommonHeader.fields}
    for name, value in fields.items():
        info = places[name]
        changed[info.offset : info.offset + info.size] = value.to_bytes(info.size, "little")
    return bytes(changed)


def capture(*rows: bytes | dict) -> bytes:
    """A capture JSON of these packets or rows."""
    listed = [row if isinstance(row, dict) else {"direction": "c2s", "hex": row.hex(), "note": ""} for row in rows]
    return orjson.dumps(listed)
