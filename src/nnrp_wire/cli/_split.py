"""Cutting the input into packets, and going on after a broken one where that is possible.

wire.md section 2: after a framing error a byte stream cannot be resynchronised, and a receiver closes it. Who looks
into a recording wants to see what follows all the same, so these rules hold here; a remark tells when 2 or 3 was used.

1. A sound header tells the packet's length: whatever else is wrong with the packet, the next one starts behind it.
2. A header refused for its flags or its message type has passed all earlier checks (wire.md section 3), so its lengths
   are believed when the next magic or the end of the input stands where they point.
3. Otherwise the next sound header is searched for; the bytes in between are a gap.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from ..errors import ReservedBitsSet, UnknownMessageType, WireError
from ..wire import CommonHeader, MessageType, PacketReader, parse_header, parse_packet
from ._errors import NoPackets
from ._model import Kind, Piece, Row
from ._stream import ByteStream
from ._table import raw_values

MAGIC: bytes = CommonHeader.build(message_type=MessageType.PING).magic
_HEADER = CommonHeader.size
_HEAD = 64  # bytes kept of a gap or of a row that is not NNRP

_BY_REFUSED_HEADER = "length taken from the refused header: the next packet, or the end, stands where it points"
_FOUND = "found by searching for the next sound header; a receiver would have closed the connection before"
_CUT = "cut where the next sound header stands, before the declared end"


def starts_like_packet(data: bytes) -> bool:
    """Whether `data` opens with the magic, or is so short that it could still become one."""
    return bool(data) and data.startswith(MAGIC[: len(data)])


def split_row(row: Row, limit: int) -> Iterator[Piece]:
    """The packets of one row: normally one, or several back to back."""
    if row.problem:
        yield _piece_of(row, Kind.UNREADABLE, 0, b"", remark=row.problem)
        return
    if not row.data:
        yield _piece_of(row, Kind.END, 0, b"")
        return
    if not starts_like_packet(row.data):
        at = row.data.find(MAGIC)
        remark = f"the magic stands at byte {at}, inside another protocol's framing" if at >= 0 else ""
        yield _piece_of(row, Kind.FOREIGN, 0, row.data, remark=remark)
        return
    at = 0
    while True:
        rest = row.data[at:]
        total = _declared(rest)
        several = total is not None and rest.startswith(MAGIC, total)
        piece = _piece_of(row, Kind.PACKET, at, rest[:total] if several else rest)
        _parse(piece, limit)
        yield piece
        if not several or total is None:
            return
        at += total


def split_stream(stream: ByteStream, limit: int) -> Iterator[Piece]:
    """The packets of a byte stream, and the gaps where nothing can be split."""
    remark = ""
    seen = False
    while stream.have(1):
        head = stream.peek(_HEADER)
        if not starts_like_packet(head):
            remark = yield from _search(stream, _refusal(head), may_be_nothing=not seen)
        else:
            seen = True
            remark = yield from _next_packet(stream, head, limit, remark)
    if not seen:
        raise NoPackets("no NNRP packet, and no bytes that could be one")


def _next_packet(stream: ByteStream, head: bytes, limit: int, remark: str) -> Generator[Piece, None, str]:
    """One packet of the stream, sound or not; returns the remark for the packet behind it."""
    refusal = _refusal(head)
    total = _declared(head) if refusal is None else _believable(stream, head, refusal, limit)
    if total is None or total > limit:
        # Without a length, or with one that no receiver would wait for (frame_too_large), only the header is shown.
        piece = Piece(Kind.PACKET, stream.peek(_HEADER), len(head), stream.offset, remark=remark)
        piece.header = None if refusal else parse_header(head)
        piece.error = refusal or _framing_error(head, limit)
        stream.take(_HEADER)
        yield piece
        return (yield from _search(stream, None, may_be_nothing=False))
    offset = stream.offset
    following = ""
    if stream.have(total):
        data = stream.take(total)
    else:
        rest = stream.peek(total)
        at = _next_sound(rest)
        data = stream.take(len(rest) if at is None else at)
        if at is not None:
            remark = f"{remark}; {_CUT}" if remark else _CUT
            following = _FOUND
    piece = Piece(Kind.PACKET, data, len(data), offset, remark=remark)
    if refusal is None:
        _parse(piece, limit)
    else:
        piece.error = refusal
        piece.remark = f"{remark}; {_BY_REFUSED_HEADER}" if remark else _BY_REFUSED_HEADER
    yield piece
    return following


def _search(stream: ByteStream, error: WireError | None, may_be_nothing: bool) -> Generator[Piece, None, str]:
    offset = stream.offset
    head = stream.peek(_HEAD)
    skipped = stream.find(MAGIC, _HEADER, lambda data: _refusal(data) is None)
    found = stream.have(1)
    if may_be_nothing and not found:
        raise NoPackets(f"no NNRP packet in {skipped} bytes: no packet header, no hex text, no capture JSON")
    if skipped:
        behind = "the next sound header follows" if found else "no sound header follows"
        yield Piece(Kind.GAP, head[:skipped], skipped, offset, error=error, remark=behind)
    return _FOUND if found else ""


def _piece_of(row: Row, kind: Kind, offset: int, data: bytes, remark: str = "") -> Piece:
    return Piece(kind, data, len(data), offset, row.number, row.direction, row.note, remark=remark)


def _parse(piece: Piece, limit: int) -> None:
    """Fill in header and packet as far as the layout stage lets them through."""
    try:
        piece.header = parse_header(piece.data)
        piece.packet = parse_packet(piece.data, max_packet_bytes=limit)
    except WireError as error:
        piece.error = error


def _refusal(head: bytes) -> WireError | None:
    try:
        parse_header(head)
    except WireError as error:
        return error
    return None


def _declared(data: bytes) -> int | None:
    """The packet length that a sound header declares."""
    try:
        header = parse_header(data)
    except WireError:
        return None
    return _HEADER + header.meta_len + header.body_len


def _believable(stream: ByteStream, head: bytes, refusal: WireError, limit: int) -> int | None:
    """Rule 2: the length of a header refused by one of its last two checks, when the input agrees with it."""
    if not isinstance(refusal, (ReservedBitsSet, UnknownMessageType)):
        return None
    lengths = raw_values(CommonHeader, head)
    total = _HEADER + int(lengths["meta_len"]) + int(lengths["body_len"])
    if total > limit or not stream.have(total):
        return None
    return total if stream.startswith(MAGIC, total) or not stream.have(total + 1) else None


def _next_sound(data: bytes) -> int | None:
    at = data.find(MAGIC, 1)
    while at >= 0:
        if _refusal(data[at : at + _HEADER]) is None:
            return at
        at = data.find(MAGIC, at + 1)
    return None


def _framing_error(head: bytes, limit: int) -> WireError | None:
    """What the stream reader says to a header whose packet it will not wait for."""
    reader = PacketReader(max_packet_bytes=limit)
    try:
        reader.feed(head)
        reader.next_packet()
    except WireError as error:
        return error
    return None
