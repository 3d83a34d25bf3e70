"""Where lines go: plain text into files and pipes, styled and wrapped text onto a terminal; and the progress bar."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

Span = tuple[str, str]  # text that is harmless already, and its style

_LARGE = 8 << 20  # a shorter input is read before a bar would be worth a look


class Sink(Protocol):
    """Takes one line at a time: a prefix that opens it, the prefix of its continuation, and what it says."""

    unicode: bool

    def line(self, prefix: str, follow: str, spans: Sequence[Span]) -> None: ...


class PlainSink:
    """Bare text, each line whole however long it is, so that it can be searched."""

    def __init__(self, stream: TextIO) -> None:
        self._write = stream.write
        self.unicode = _can_write(stream, "│├└─")

    def line(self, prefix: str, follow: str, spans: Sequence[Span]) -> None:
        self._write(f"{prefix}{''.join([text for text, _ in spans])}\n")


class TerminalSink:
    """Colour, and wrapped lines that stay inside their branch of the tree.

    Text is styled span by span and never passes through rich's markup, so square brackets of a payload stay brackets.
    """

    def __init__(self, console: Console, stream: TextIO) -> None:
        self._console = console
        self.unicode = _can_write(stream, "│├└─")

    def line(self, prefix: str, follow: str, spans: Sequence[Span]) -> None:
        text = Text()
        for part, style in spans:
            text.append(part, style)
        width = max(20, self._console.width - len(prefix))
        for piece in text.wrap(self._console, width) or [Text()]:
            self._console.print(Text(prefix, "dim").append_text(piece), soft_wrap=True)
            prefix = follow


def wants_colour(stream: TextIO) -> bool:
    """Colour belongs on a terminal only, and not where NO_COLOR is set to anything."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def sink_for(stream: TextIO) -> Sink:
    """The sink that fits a stream."""
    return TerminalSink(_console(stream), stream) if wants_colour(stream) else PlainSink(stream)


def print_table(sink: Sink, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table without a frame; a column whose name ends in `>` is set to the right."""
    table = list(rows)
    heads = [name.rstrip(">") for name in columns]
    widths = [max(map(len, cells)) for cells in zip(heads, *table, strict=True)]
    follow = " " * (sum(widths[:-1]) + 2 * (len(widths) - 1))  # a folded last cell stays in its column
    if title:
        sink.line("", "", [(title, "bold")])
    for row, style in ((heads, "dim"), *((row, "") for row in table)):
        cells = [
            cell.rjust(width) if name.endswith(">") else cell.ljust(width)
            for cell, width, name in zip(row, widths, columns, strict=True)
        ]
        sink.line("", follow, [("  ".join(cells).rstrip(), style)])


def _console(stream: TextIO) -> Console:
    colour = wants_colour(stream)
    # Without a terminal there is no width to keep to: rich would cut or fold at 80 columns.
    width = None if stream.isatty() else 10_000
    return Console(
        file=stream,
        force_terminal=colour,
        no_color=not colour,
        color_system="auto" if colour else None,
        width=width,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def _can_write(stream: TextIO, sample: str) -> bool:
    try:
        sample.encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


class ReadingProgress:
    """A bar on standard error for input that is large, when a person watches and nothing else writes to the screen."""

    def __init__(self, name: str, size: int | None, shown: bool) -> None:
        self._name = name
        self._size = size
        self._shown = shown and sys.stderr.isatty() and (size is None or size >= _LARGE)
        self._read = 0
        self._bar: Progress | None = None

    def before_read(self) -> None:
        sys.stdout.flush()  # a pipe that we wait for may be a live stream: what is known is shown first

    def after_read(self, size: int) -> None:
        self._read += size
        if not self._shown:
            return
        if self._bar is None:
            if self._size is None and self._read < _LARGE:
                return
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                DownloadColumn(),
                TimeRemainingColumn(),
                console=_console(sys.stderr),
                transient=True,
            )
            self._bar.add_task(self._name, total=self._size)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=self._read)

    def __enter__(self) -> ReadingProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
