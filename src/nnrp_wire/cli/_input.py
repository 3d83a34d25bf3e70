"""Opening the input and finding out what kind of container it is."""

from __future__ import annotations

import enum
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Protocol

from . import _capture, _hextext
from ._errors import ContainerError
from ._model import Piece, Row
from ._split import MAGIC, split_row, split_stream
from ._stream import ByteStream

_BOM = b"\xef\xbb\xbf"
_LOOK = 1 << 16  # bytes looked at before a format is chosen


class Format(str, enum.Enum):
    """What `--format` takes."""

    AUTO = "auto"
    RAW = "raw"
    HEX = "hex"
    JSON = "json"


class Watch(Protocol):
    """Who wants to know how the reading goes: the progress bar, and the output that is flushed before we wait."""

    def before_read(self) -> None: ...

    def after_read(self, size: int) -> None: ...


class Source:
    """The input's bytes with a look ahead that is given back: nothing is read twice, and pipes work like files."""

    def __init__(self, file: BinaryIO, watch: Watch) -> None:
        self._file = file
        self._watch = watch
        self._ahead = b""
        self._ended = False

    def read(self, size: int) -> bytes:
        """What is there, at most `size` bytes and at least one; nothing only at the end."""
        if self._ahead:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
            return data
        return self._fetch(size)

    def look(self, size: int) -> bytes:
        """The first `size` bytes, fewer when the input is shorter; they can still be read."""
        while len(self._ahead) < size and (data := self._fetch(size - len(self._ahead))):
            self._ahead += data
        return self._ahead

    @property
    def ended(self) -> bool:
        """Whether the look ahead met the end of the input."""
        return self._ended

    def read_all(self) -> bytes:
        """Everything that is left."""
        parts = []
        while data := self.read(ByteStream.CHUNK):
            parts.append(data)
        return b"".join(parts)

    def lines(self, limit: int) -> Iterator[bytes]:
        """The lines that are left, without building up a line longer than `limit`."""
        rest: list[bytes] = []
        held = 0
        while data := self.read(ByteStream.CHUNK):
            whole = data.split(b"\n")
            for line in whole[:-1]:
                yield b"".join((*rest, line))
                rest, held = [], 0
            rest.append(whole[-1])
            held += len(whole[-1])
            if held > limit:
                raise ContainerError(f"a line is longer than a packet of the largest size ({limit} characters)")
        if held:
            yield b"".join(rest)

    def _fetch(self, size: int) -> bytes:
        if self._ended:
            return b""
        self._watch.before_read()
        try:
            data = self._file.read1(size) if isinstance(self._file, io.BufferedReader) else self._file.read(size)
        except OSError as error:
            raise ContainerError(f"reading stopped: {error.strerror or error}") from None
        self._ended = not data
        self._watch.after_read(len(data))
        return data


@contextmanager
def opened(name: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """The named file, or standard input for `-`, with its size where it has one."""
    if name == "-":
        if sys.stdin is None:
            raise ContainerError("standard input is closed")
        yield sys.stdin.buffer, None
        return
    try:
        file = open(name, "rb")  # noqa: SIM115  (the errors of opening are not those of the block)
    except OSError as error:
        raise ContainerError(f"cannot read {name}: {error.strerror or error}") from None
    except ValueError as error:  # a name with a NUL in it
        raise ContainerError(f"cannot read {name!r}: {error}") from None
    with file:
        status = os.fstat(file.fileno())
        yield file, status.st_size if stat.S_ISREG(status.st_mode) else None


def pieces(source: Source, chosen: Format, limit: int) -> Iterator[Piece]:
    """The packets of the input in order, and what stands between them."""
    if not source.look(1):
        raise ContainerError("the input is empty")
    if chosen is Format.AUTO:
        chosen = _detect(source)
    longest_line = 2 * limit + _LOOK  # a packet of the largest size in hex, and the rest of its row
    if chosen is Format.RAW:
        return split_stream(ByteStream(source.read), limit)
    if chosen is Format.HEX:
        _skip_bom(source)
        text = source.look(_LOOK)
        if _hextext.is_one_packet_per_line(text, MAGIC, whole=len(text) < _LOOK):
            return _split_rows(_hextext.rows(source.lines(longest_line)), limit)
        return split_stream(ByteStream(_hextext.HexReader(source.read).read), limit)
    _skip_bom(source)
    return _split_rows(_capture_rows(source, longest_line), limit)


def _detect(source: Source) -> Format:
    # A raw stream opens with its magic: decide on those few bytes, so that a live stream is shown as it arrives.
    if source.look(len(MAGIC)).startswith(MAGIC):
        return Format.RAW
    text = source.look(_LOOK).removeprefix(_BOM)
    if text.lstrip()[:1] in (b"[", b"{"):
        return Format.JSON
    return Format.HEX if _hextext.looks_like_hex(text) else Format.RAW


def _skip_bom(source: Source) -> None:
    if source.look(len(_BOM)).startswith(_BOM):
        source.read(len(_BOM))


def _capture_rows(source: Source, longest_line: int) -> Iterator[Row]:
    text = source.look(_LOOK)
    opening, _, more = text.lstrip().partition(b"\n")
    # One object per line, when the first line is a whole object: such a capture is read line by line.
    if opening.startswith(b"{") and opening.rstrip().endswith(b"}") and more.lstrip()[:1] in (b"{", b""):
        return _capture.rows_of_lines(source.lines(longest_line))
    if opening.startswith(b"{") and b"\n" not in text and not source.ended:
        return _capture.rows_of_lines(source.lines(longest_line))  # a first line longer than the look ahead
    return _capture.rows_of_list(source.read_all())


def _split_rows(rows: Iterator[Row], limit: int) -> Iterator[Piece]:
    for row in rows:
        yield from split_row(row, limit)
