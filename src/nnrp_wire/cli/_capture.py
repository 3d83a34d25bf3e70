"""Capture JSON: rows `{hex, direction, note}`, as one list or as one object per line.

The lines that `inspect --json` prints are such rows too, so its output can be read back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

from ._errors import ContainerError
from ._model import Row


def rows_of_list(text: bytes) -> Iterator[Row]:
    """The rows of a capture that is one JSON list, or one object (a capture of one row)."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ContainerError(f"not readable as JSON: {error}") from None
    rows = value if isinstance(value, list) else [value]
    # One row that is odd is shown as odd; a JSON without a single row is simply another kind of document.
    if not any(isinstance(row, dict) and "hex" in row for row in rows):
        raise ContainerError("JSON, but no capture: it has no row with `hex`")
    for number, row in enumerate(rows):
        yield _row(number, row)


def rows_of_lines(lines: Iterable[bytes]) -> Iterator[Row]:
    """The rows of a capture that is one JSON object per line; empty lines are no rows."""
    number = 0
    good = False
    for line in lines:
        if not line.strip():
            continue
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            yield Row(number, b"", problem=f"not readable as JSON: {error}")
        else:
            row = _row(number, value)
            good = good or not row.problem
            yield row
        number += 1
    if not good:
        raise ContainerError("lines of JSON, but no capture: no row has `hex`")


def _row(number: int, value: object) -> Row:
    if not isinstance(value, dict):
        return Row(number, b"", problem=f"a row is an object, this is {_kind(value)}")
    row = Row(number, b"", _text(value.get("direction")), _text(value.get("note")))
    text = value.get("hex")
    if not isinstance(text, str):
        row.problem = "the row has no `hex`" if text is None else f"`hex` is text, this is {_kind(text)}"
        return row
    try:
        row.data = bytes.fromhex(text)
    except ValueError:
        row.problem = "`hex` holds something else than pairs of hex digits"
    return row


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value, default=str).decode()


def _kind(value: object) -> str:
    names = {list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, (int, float)) else "an object")
