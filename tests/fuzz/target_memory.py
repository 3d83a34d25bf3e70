"""One packet in every kind of memory: the same answers, structure that cannot change any more, exports given back.

Input: way to spoil(1) | packet.
"""

from __future__ import annotations

from fuzz_support import FRAME_SUBMIT, RESULT_PUSH, Choices, everything, regions, verdict

from nnrp_wire import wire


class Sub(bytearray):
    """A user's own kind of buffer."""


def kinds(source: bytes) -> list[object]:
    padded = b"\xff" * 3 + source + b"\xee" * 5
    return [
        bytearray(source),
        Sub(source),
        memoryview(source),
        memoryview(bytearray(source)),
        memoryview(padded)[3 : 3 + len(source)],
        memoryview(bytearray(padded))[3 : 3 + len(source)],
    ]


def structure(body: wire.DataPlaneBody) -> list[object]:
    """What a cut body says without its payload bytes."""
    return [
        [one.as_dict() for one, _ in body.objects],
        [one.as_dict() for one, _ in body.typed_payloads],
        [one.as_dict() for one in body.references],
        [one.as_dict() for one, _ in body.extensions],
        [(one.descriptor.as_dict(), one.codec_ids, one.lengths) for one in body.sections],
        body.tile_ids if isinstance(body.tile_ids, tuple) else str(body.tile_ids),
    ]


def expect_structure_kept(source: bytes, spoiled_by: int) -> None:
    """Everything that holds a length or an id was copied before it was judged: a change behind our back is not seen."""
    memory = bytearray(source)
    packet, _ = verdict(wire.parse_packet, memory)
    if packet is None:
        memory.append(0)  # nothing holds it
        return
    head, metadata = packet.header.as_dict(), packet.metadata and packet.metadata.as_dict()
    body = None
    if packet.message_type in (FRAME_SUBMIT, RESULT_PUSH):
        cut = wire.frame_submit_body if packet.message_type == FRAME_SUBMIT else wire.result_push_body
        body, _ = verdict(cut, packet)
    before = structure(body) if body is not None else None
    detached, kept = packet.copy(), packet.to_bytes()
    assert kept == source
    for at in range(len(memory)):
        memory[at] = memory[at] ^ (spoiled_by | 1)
    assert packet.header.as_dict() == head
    assert (packet.metadata and packet.metadata.as_dict()) == metadata
    if body is not None:
        assert structure(body) == before
        regions(body)  # payloads are whatever stands there now, of the same lengths
    assert detached.to_bytes() == source
    assert bytes(packet.body) == bytes(byte ^ (spoiled_by | 1) for byte in source[len(source) - packet.body_len :])
    del packet, body
    memory.append(0)  # every export was given back


def one_input(data: bytes) -> None:
    choices = Choices(data)
    spoiled_by = choices.number()
    source = choices.rest()
    over_bytes = everything(source)
    for memory in kinds(source):
        assert everything(memory) == over_bytes
    expect_structure_kept(source, spoiled_by)
