"""`--json`: one JSON object per line, whose shape `docs/inspect.md` describes.

Each line carries the whole packet as `hex` beside `direction` and `note`, so that it is a capture row itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from ._model import Breach, Content, Finding, Kind, Node
from ._summary import Summary

_LINE_ENDS = bytes.maketrans(b"\r\n", b"  ")


def finding_line(finding: Finding, parts: Sequence[Node]) -> bytes:
    """One piece of the input with its verdict and its parts."""
    piece = finding.piece
    line: dict[str, Any] = {"kind": piece.kind.value, "index": finding.index}
    if piece.row is not None:
        line["row"] = piece.row
        line["direction"] = piece.direction
        line["note"] = piece.note
    line["offset"] = piece.offset
    line["size"] = piece.size
    if piece.kind is Kind.PACKET:
        line["message"] = finding.message
        line["session_id"] = finding.session_id
    line["breaches"] = [_breach(breach) for breach in finding.breaches]
    line["warnings"] = [_breach(breach) for breach in finding.warnings]
    if piece.remark:
        line["remark"] = piece.remark
    if parts and piece.kind is Kind.PACKET:
        line["parts"] = [_node(part) for part in parts]
    if piece.kind is not Kind.UNREADABLE:
        line["hex"] = piece.data.hex()
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def summary_line(summary: Summary) -> bytes:
    """The counts of `--summary` as one line."""
    return orjson.dumps(summary.as_dict(), option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS)


def _breach(breach: Breach) -> dict[str, Any]:
    return {
        "stage": breach.stage,
        "error": breach.error,
        "layout": breach.layout,
        "field": breach.field,
        "offset": breach.offset,
        "expected": breach.expected,
        "found": breach.found,
        "rule": breach.rule,
        "text": breach.text,
    }


def _node(node: Node) -> dict[str, Any]:
    shape: dict[str, Any] = {"name": node.name, "size": node.size}
    if node.offset is not None:
        shape["offset"] = node.offset
    if node.refused:
        shape["refused"] = True
    if node.layout is not None:
        shape["layout"] = node.layout
        shape["fields"] = {value.name: _number(value.number) for value in node.fields}
        named = {value.name: value.names for value in node.fields if value.names is not None}
        if named:
            shape["names"] = named
    if node.content is not None:
        shape["content"] = _content(node.content)
    for name, numbers in node.numbers.items():
        shape[name] = list(numbers)
    if node.words:
        shape["tokens"] = list(node.words)
    if node.children:
        shape["parts"] = [_node(child) for child in node.children]
    return shape


def _content(content: Content) -> dict[str, Any]:
    shape: dict[str, Any] = {"kind": content.kind}
    if content.kind == "json":
        # The payload's own bytes, so that large numbers and repeated keys stay what they are; the line ends that JSON
        # allows between tokens would break the line.
        shape["json"] = orjson.Fragment(bytes(content.data).translate(_LINE_ENDS))
    elif content.kind == "text":
        shape["text"] = bytes(content.data).decode("utf-8")
    elif content.kind == "bytes":
        shape["hex"] = content.data.hex()
    return shape


def _number(number: int | bytes) -> int | str:
    # int() because an enum member of an integer type is written by its value here, its name stands beside it.
    return number.decode("ascii", "backslashreplace") if isinstance(number, bytes) else int(number)
