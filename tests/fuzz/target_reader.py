"""PacketReader over a stream whole and in pieces, iter_packets and scan over the same bytes.

Input: limit(1) | number of pieces(1) | how each is fed(2 each, used in turn) | stream.
"""

from __future__ import annotations

import itertools

from fuzz_support import Choices, verdict, verdict_of

from nnrp_wire import wire
from nnrp_wire.errors import PacketLengthMismatch, ReaderOverrun, SourceTooShort, WireError

KINDS = (bytes, bytearray, memoryview, lambda chunk: memoryview(bytearray(chunk)))

Outcome = tuple[list[bytes], str | None, int, int]


def outcome(reader: wire.PacketReader, found: list[bytes], error: str | None) -> Outcome:
    return found, error, reader.offset, reader.buffered_bytes


def expect_it_stays(reader: wire.PacketReader, error: WireError) -> None:
    """A broken stream's error is the answer to everything."""
    for call in (reader.next_packet, lambda: reader.feed(b""), lambda: next(reader)):
        nothing, again = verdict(call)
        assert nothing is None
        assert again == verdict_of(error)
    assert reader.error == type(error).__name__
    assert reader.buffered_bytes == 0


def drain(reader: wire.PacketReader, found: list[bytes]) -> str | None:
    """Takes what is ready; the error when the stream is broken."""
    try:
        found.extend(packet.to_bytes() for packet in reader)
    except WireError as error:
        expect_it_stays(reader, error)
        return str(error)
    assert reader.error is None
    return None


def whole(stream: bytes, limit: int) -> Outcome:
    reader, found = wire.PacketReader(max_packet_bytes=limit), []
    reader.feed(stream)
    assert reader.buffered_bytes == len(stream)
    return outcome(reader, found, drain(reader, found))


def in_pieces(stream: bytes, limit: int, ways: list[tuple[int, int]]) -> Outcome:
    """Chunks of given sizes and kinds, taken out now and then; what is fed is never more than eight chunks ahead."""
    reader, found = wire.PacketReader(max_packet_bytes=limit, max_buffered_chunks=8), []
    error, at = None, 0
    for size, how in itertools.cycle(ways):
        if at >= len(stream):
            break
        chunk = KINDS[how % 4](stream[at : at + size + 1])
        try:
            reader.feed(chunk)
        except ReaderOverrun:
            error = drain(reader, found)
            if error is None:
                reader.feed(chunk)
        if isinstance(chunk, bytearray):
            chunk[:] = bytes(len(chunk))  # a chunk that can change was copied
        at += size + 1
        if error is None and how & 4:
            error = drain(reader, found)
        if error is not None:
            break
        assert reader.offset == sum(map(len, found))
        assert reader.buffered_bytes == min(at, len(stream)) - reader.offset
    return outcome(reader, found, error or drain(reader, found))


def by_iteration(stream: bytes, limit: int) -> tuple[list[bytes], WireError | None]:
    found: list[bytes] = []
    iterator = wire.iter_packets(stream, max_packet_bytes=limit)
    try:
        found.extend(packet.to_bytes() for packet in iterator)
    except WireError as error:
        assert iterator.position == sum(map(len, found))
        return found, error
    return found, None


def expect_scan(stream: bytes, limit: int, found: list[bytes], error: WireError | None) -> None:
    """A scan does not look at metadata: it may see packets behind one that iteration refuses."""
    try:
        rows, refusal = wire.scan(stream, max_packet_bytes=limit), None
    except WireError as caught:
        rows, refusal = caught.rows, caught
    assert rows is not None
    assert len(rows) >= len(found)
    at = 0
    for row, packet in zip(rows, found, strict=False):
        assert row["offset"] == at
        assert 40 + int(row["meta_len"]) + int(row["body_len"]) == len(packet)
        header = wire.parse_header(packet)
        for name in ("message_type", "flags", "session_id", "frame_id", "view_id", "route_id", "trace_id"):
            assert row[name] == getattr(header, name)
        at += len(packet)
    if refusal is not None and len(rows) == len(found):
        assert error is not None
        assert (type(refusal), refusal.offset) == (type(error), error.offset)


def one_input(data: bytes) -> None:
    choices = Choices(data)
    limit = choices.pick([wire.DEFAULT_MAX_PACKET_BYTES, 1 << 70, 40, 150])
    ways = [(choices.number(), choices.number()) for _ in range(1 + choices.number() % 6)]
    stream = choices.rest()
    at_once = whole(stream, limit)
    assert in_pieces(stream, limit, ways) == at_once
    found, error = by_iteration(stream, limit)
    assert found == at_once[0]
    assert b"".join(found) == stream[: at_once[2]]
    if at_once[1] is not None:
        assert error is not None
        assert str(error) == at_once[1]
    elif error is not None:
        assert isinstance(error, (SourceTooShort, PacketLengthMismatch)), "only a stream may wait for more"
        assert at_once[3] > 0
    expect_scan(stream, limit, found, error)
