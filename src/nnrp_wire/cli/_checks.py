"""The stages of wire.md section 1 over one piece of the input, each asked once and each answered in its own words."""

from __future__ import annotations

from ..errors import WireError
from ..wire import CommonHeader, MessageType, Packet, Stage, check_body, check_message
from ._model import Breach, Finding, Kind, Piece
from ._table import message_name, raw_values


def judge(index: int, piece: Piece) -> Finding:
    """What each stage says to a piece: layout first, then message, sender and body, which do not need each other."""
    message, session_id = _identity(piece)
    finding = Finding(index, piece, message, session_id)
    if piece.error is not None:
        finding.breaches.append(breach_of(piece.error, Stage.LAYOUT))
    packet = piece.packet
    if packet is None:
        return finding
    refused = _refused(packet, strict=False)
    if refused is not None:
        finding.breaches.append(breach_of(refused, Stage.MESSAGE))
    elif (refused := _refused(packet, strict=True)) is not None:
        finding.warnings.append(breach_of(refused, Stage.SENDER))
    try:
        check_body(packet)
    except WireError as error:
        finding.breaches.append(breach_of(error, Stage.BODY))
    return finding


def _refused(packet: Packet, strict: bool) -> WireError | None:
    try:
        check_message(packet, strict=strict)
    except WireError as error:
        return error
    return None


def breach_of(error: WireError, stage: Stage) -> Breach:
    """The broken rule as plain data, its offset counted from the first byte of the packet.

    The stage is the one that was asked: a layout inside the body is refused by the body stage.
    """
    return Breach(
        stage.value,
        error.error_class,
        str(error),
        error.layout,
        error.field,
        error.offset,
        _plain(error.expected),
        _plain(error.found),
        error.rule,
    )


def _plain(value: int | str | bytes | None) -> int | str | None:
    if isinstance(value, bytes):
        return value.decode("ascii", "backslashreplace")
    return value if value is None or isinstance(value, str) else int(value)


def _identity(piece: Piece) -> tuple[str, int | None]:
    """Message name and session, read from a refused header too: what it says is what people look for."""
    if piece.kind is not Kind.PACKET:
        return "", None
    if piece.header is not None:
        return MessageType(piece.header.message_type).name, piece.header.session_id
    values = raw_values(CommonHeader, piece.data)
    code, session = values.get("message_type"), values.get("session_id")
    name = "(cut short)" if code is None else message_name(int(code))
    return name, None if session is None else int(session)
