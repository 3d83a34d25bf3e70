"""What the Python fuzz targets share: an input's bytes as choices, a packet asked everything, what may be raised.

A target is a module with `one_input(data)`, which returns for any bytes at all and raises for a bug. It imports no
fuzzer: hunt.py brings one, test_replay.py runs what a hunt has kept.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from nnrp_wire import wire
from nnrp_wire.errors import WireError

_T = TypeVar("_T")

FRAME_SUBMIT, RESULT_PUSH = wire.MessageType.FRAME_SUBMIT, wire.MessageType.RESULT_PUSH
WITH_CAPABILITIES = (wire.MessageType.CAPABILITY_NEGOTIATION, wire.MessageType.DEGRADE_PROFILE)


class Choices:
    """The bytes of an input, used from the front; 0 and nothing when they are used up."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def number(self, size: int = 1) -> int:
        return int.from_bytes(self.piece(size), "little")

    def any_number(self) -> int:
        """Small, at an edge of some width, or anything; sometimes no u64 at all."""
        edges = (0, 1, 2, 255, 256, 65535, 65536, 0xFFFFFFFF, 1 << 32, (1 << 64) - 1, 1 << 64, -1)
        how = self.number()
        if how < 128:
            return how
        return edges[how % len(edges)] if how < 192 else self.number(1 << how % 4)

    def pick(self, options: Sequence[_T]) -> _T:
        return options[self.number() % len(options)]

    def piece(self, size: int) -> bytes:
        piece = self.data[self.at : self.at + size]
        self.at += size
        return piece

    def buffer(self) -> Any:
        """A few bytes, in one of the kinds of memory that callers have."""
        how = self.number()
        piece = self.piece(how >> 2)
        return (bytes, bytearray, memoryview, lambda data: memoryview(bytearray(data)))[how & 3](piece)

    def rest(self) -> bytes:
        return self.piece(max(len(self.data) - self.at, 0))


def verdict_of(error: WireError) -> object:
    """What is known of an error, as a value."""
    return type(error), str(error), error.layout, error.field, error.offset, error.expected, error.found


def verdict(call: Callable[..., _T], *arguments: Any, **named: Any) -> tuple[_T | None, object]:
    """The result and None, or None and what is known of a documented error; anything else is a bug and goes through."""
    try:
        return call(*arguments, **named), None
    except WireError as error:
        assert error.rule is not None
        assert error.stage is not None
        assert error.offset >= 0
        return None, verdict_of(error)


def regions(body: wire.DataPlaneBody) -> list[object]:
    """All that can be asked of a cut body, as plain values."""
    pairs = (body.objects, body.typed_payloads, body.extensions)
    found: list[object] = [[(one.as_dict(), bytes(payload)) for one, payload in part] for part in pairs]
    found.append(body.prelude and body.prelude.as_dict())
    found.append([block.as_dict() for block in body.references])
    found.append(body.camera and bytes(body.camera))
    ids = body.tile_ids
    # A range may list four thousand million ids: its two ends say as much.
    found.append(ids if ids is None or isinstance(ids, tuple) else (ids.start, ids.stop))
    for section in body.sections:
        found.append((section.descriptor.as_dict(), section.codec_ids, section.lengths, bytes(section.payload)))
        found.append([bytes(payload) for payload in section.payloads])
    for index, (_, payload) in enumerate(body.typed_payloads):
        assert bytes(body.payload(index)) == bytes(payload)
    return found


def everything(source: Any, **limit: int) -> list[object]:
    """All that can be asked of the packet in a buffer, as plain values: results, and what errors say of themselves."""
    found: list[object] = []

    def ask(call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        result, error = verdict(call, *arguments, **named)
        found.append(error)
        return result

    packet = ask(wire.parse_packet, source, **limit)
    whole = ask(wire.parse_message, source, **limit)
    ask(wire.parse_message, source, strict=True, **limit)
    ask(wire.parse_header, source)
    if packet is None:
        assert whole is None
        return found
    assert len(packet) == packet.header.size + packet.meta_len + packet.body_len
    found.append((packet.to_bytes(), bytes(packet.metadata_bytes), bytes(packet.body), repr(packet)))
    found.append((packet.header.as_dict(), packet.metadata and packet.metadata.as_dict()))
    found.append((packet.message_type, packet.flags, packet.session_id, packet.frame_id, packet.trace_id))
    ask(wire.check_message, packet)
    ask(wire.check_message, packet, strict=True)
    ask(wire.check_body, packet)
    assert (whole is None) is not (found[-1] is None and found[-3] is None)
    if packet.message_type in (FRAME_SUBMIT, RESULT_PUSH):
        cut = wire.frame_submit_body if packet.message_type == FRAME_SUBMIT else wire.result_push_body
        body = ask(cut, packet)
        found += regions(body) if body is not None else []
    else:
        tails = ask(wire.message_tails, packet)
        found += [(name, bytes(tail)) for name, tail in (tails or {}).items()]
    if packet.message_type in WITH_CAPABILITIES:
        found.append(ask(wire.capability_entries, packet))
    return found


def rebuilt(packet: wire.Packet) -> bytes:
    """The packet made again from its parts."""
    return wire.build_packet(
        packet.message_type,
        packet.metadata_bytes,
        packet.body,
        session_id=packet.session_id,
        frame_id=packet.frame_id,
        flags=packet.flags,
        view_id=packet.view_id,
        route_id=packet.route_id,
        trace_id=packet.trace_id,
    )


def refused(call: Callable[[], object], *documented: type[Exception]) -> bool:
    """Whether a call raises one of the documented exceptions."""
    with contextlib.suppress(*documented):
        call()
        return False
    return True
