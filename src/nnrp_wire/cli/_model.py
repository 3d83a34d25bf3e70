"""What the parts of the command hand to each other: rows, pieces of a stream, breaches, and a tree of plain data."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import WireError
from ..wire import CommonHeader, Packet


@dataclass(slots=True)
class Row:
    """One row of a capture, or one line of hex text: bytes that stand on their own."""

    number: int
    data: bytes
    direction: str = ""
    note: str = ""
    problem: str = ""  # why the row has no bytes, when it should have some


class Kind(enum.Enum):
    """What a piece of the input turned out to be."""

    PACKET = "packet"  # starts with the magic; it may still be refused
    GAP = "gap"  # bytes of a stream that belong to no packet
    FOREIGN = "foreign"  # a row that is not NNRP
    END = "end"  # a row without bytes: that direction's stream ended
    UNREADABLE = "unreadable"  # a row that is no row


@dataclass(slots=True)
class Piece:
    """One packet of the input, or what stands in the place of one."""

    kind: Kind
    data: bytes  # of a packet all its bytes; of a gap or a foreign row the first few
    size: int
    offset: int  # in the stream, or in its row
    row: int | None = None
    direction: str = ""
    note: str = ""
    header: CommonHeader | None = None
    packet: Packet | None = None
    error: WireError | None = None
    remark: str = ""


@dataclass(slots=True, frozen=True)
class Breach:
    """One broken rule, with its place counted from the first byte of the packet."""

    stage: str
    error: str
    text: str
    layout: str | None = None
    field: str | None = None
    offset: int | None = None
    expected: int | str | None = None
    found: int | str | None = None
    rule: str | None = None


@dataclass(slots=True)
class Value:
    """One field of a layout as it stands in the packet."""

    name: str
    number: int | bytes
    names: str | Sequence[str] | None = None  # an enum name, or the names of the set flags
    unit: str = ""
    reserved: bool = False
    broken: bool = False


@dataclass(slots=True)
class Content:
    """Payload bytes and how they are best read: `json`, `text`, `bytes` or `empty`."""

    kind: str
    data: bytes | memoryview
    compact: bool = True  # of JSON: the payload is exactly its compact form


@dataclass(slots=True)
class Node:
    """A part of a packet: a layout with fields, or payload, or a group of parts."""

    name: str
    size: int
    offset: int | None = None
    layout: str | None = None
    fields: list[Value] = field(default_factory=list)
    content: Content | None = None
    numbers: dict[str, Sequence[int]] = field(default_factory=dict)  # tile ids, codec ids, tile lengths
    words: Sequence[str] = ()  # capability tokens
    children: list[Node] = field(default_factory=list)
    refused: bool = False


@dataclass(slots=True)
class Finding:
    """A piece with its verdict: what the stages refuse, and what only a sender should not have done."""

    index: int
    piece: Piece
    message: str
    session_id: int | None
    breaches: list[Breach] = field(default_factory=list)
    warnings: list[Breach] = field(default_factory=list)
