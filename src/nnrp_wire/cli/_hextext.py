"""Hex text: pairs of hex digits with white space anywhere between digits, each word optionally opened by 0x."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ._errors import ContainerError
from ._model import Row

_WORD_START = re.compile(rb"(?<!\S)0[xX]")
_SPACE = re.compile(rb"\s+")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_FOREIGN = re.compile(rb"[^0-9a-fA-FxX\s]")


def looks_like_hex(text: bytes) -> bool:
    """Whether `text` holds hex digits, 0x marks and white space only, and some digit at all."""
    return bool(text.strip()) and _FOREIGN.search(text) is None


def decode(text: bytes) -> bytes:
    """The bytes of a hex text; ValueError when it is none."""
    digits = _SPACE.sub(b"", _WORD_START.sub(b"", text))
    if len(digits) % 2:
        raise ValueError(f"odd number of hex digits ({len(digits)})")
    try:
        return bytes.fromhex(digits.decode("ascii"))
    except ValueError:
        raise ValueError("not hex digits only") from None


def is_one_packet_per_line(text: bytes, magic: bytes, whole: bool) -> bool:
    """Whether `text` has several lines and each opens with the magic, so that no broken packet can disturb the next.

    `whole` says that `text` is all there is; otherwise its last line may go on and is not judged.
    """
    lines = _LINE_END.split(text)
    judged = [line for line in (lines if whole else lines[:-1]) if line.strip()]
    opening = magic.hex().encode("ascii")

    def opens(line: bytes) -> bool:
        return _SPACE.sub(b"", _WORD_START.sub(b"", line[: 8 * len(opening)])).lower().startswith(opening)

    return len(judged) > 1 and all(map(opens, judged))


def rows(lines: Iterable[bytes]) -> Iterator[Row]:
    """Each line of the text as a row of its own, numbered from 0; empty lines are no rows."""
    number = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            yield Row(number, decode(line))
        except ValueError as error:
            yield Row(number, b"", problem=str(error))
        number += 1


class HexReader:
    """`read(size)` over hex text, for a stream that is wrapped anywhere."""

    __slots__ = ("_done", "_read", "_rest")

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._rest = b""  # what cannot be decoded yet: half a pair, or half a 0x
        self._done = 0  # characters of text decoded, to name the place of a bad one

    def read(self, size: int) -> bytes:
        while True:
            chunk = self._read(size)
            text = self._rest + chunk
            if not chunk:
                self._rest = b""
                return self._decode(text, end=True)
            if data := self._decode(text, end=False):
                return data

    def _decode(self, text: bytes, end: bool) -> bytes:
        if bad := _FOREIGN.search(text):
            raise ContainerError(f"character {self._done + bad.start()} of the hex text is no hex digit")
        marked = _WORD_START.sub(b"  ", text)
        if not end and marked[-1:] == b"0" and not marked[-2:-1].strip():
            cut = len(marked) - 1  # a word that is only `0` so far may become `0x`
        else:
            cut = len(marked)
        digits = _SPACE.sub(b"", marked[:cut])
        rest = text[cut:]
        if len(digits) % 2:
            if end:
                raise ContainerError("the hex text ends in half a byte")
            digits, rest = digits[:-1], digits[-1:] + rest
        try:
            data = bytes.fromhex(digits.decode("ascii"))
        except ValueError:
            raise ContainerError(f"an x stands inside a hex word near character {self._done}") from None
        self._done += len(text) - len(rest)
        self._rest = rest
        return data
