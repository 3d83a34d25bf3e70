"""`nnrp-wire inspect`: read, judge, show."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import IO

from ._checks import judge
from ._describe import describe
from ._input import Format, Source, opened, pieces
from ._machine import finding_line, summary_line
from ._output import ReadingProgress, Sink, print_table, sink_for
from ._render import Renderer
from ._summary import Count, Summary

_SESSIONS_SHOWN = 50


@dataclass(slots=True, frozen=True)
class Options:
    """What the user asked for."""

    name: str
    format: Format
    json: bool
    summary: bool
    full: bool
    limit: int | None
    max_packet_bytes: int


def inspect(options: Options) -> Summary:
    """Show the input as asked; the counts tell whether rules were broken."""
    out = sys.stdout
    summary = Summary()
    sink = sink_for(out)
    renderer = Renderer(sink, options.full)
    # The bar and the listing would overwrite each other on one screen.
    quiet = options.summary or not out.isatty()
    stopped = False
    with opened(options.name) as (file, size), ReadingProgress(options.name, size, quiet) as progress:
        source = Source(file, progress)
        for index, piece in enumerate(pieces(source, options.format, options.max_packet_bytes)):
            if index == options.limit:
                stopped = True
                break
            finding = judge(index, piece)
            summary.add(finding)
            if options.summary:
                continue
            if options.json:
                _write(out, finding_line(finding, describe(finding)))
            else:
                renderer.finding(finding, describe(finding))
    if options.summary:
        if options.json:
            _write(out, summary_line(summary))
        else:
            _print_summary(sink, summary)
    if not options.json:
        renderer.sentence(summary.sentence() + (f"; stopped by --limit {options.limit}" if stopped else ""))
    return summary


def _write(out: IO[str], line: bytes) -> None:
    out.write(line.decode("utf-8"))


def _print_summary(sink: Sink, summary: Summary) -> None:
    messages = sorted(summary.messages.items(), key=lambda item: (-item[1].packets, item[0]))
    print_table(sink, "messages", ("message", *_COUNTS), [(name, *_counts(count)) for name, count in messages])
    sink.line("", "", [])
    sessions = sorted(summary.sessions.items(), key=lambda item: (-item[1].packets, item[0]))
    rows = [(str(session), *_counts(count)) for session, count in sessions[:_SESSIONS_SHOWN]]
    rest = Count()
    for count in (*(count for _, count in sessions[_SESSIONS_SHOWN:]), summary.other_sessions):
        rest.packets += count.packets
        rest.bytes += count.bytes
        rest.refused += count.refused
    if rest.packets:
        rows.append(("others", *_counts(rest)))
    print_table(sink, "sessions", ("session", *_COUNTS), rows)
    sink.line("", "", [])
    for title, counter in (("broken rules", summary.breaches), ("sender notes", summary.warnings)):
        if counter:
            found = [(stage, error, str(count)) for (stage, error), count in counter.most_common()]
            print_table(sink, title, ("stage", "error", "count>"), found)
            sink.line("", "", [])


_COUNTS = ("packets>", "bytes>", "refused>")


def _counts(count: Count) -> tuple[str, str, str]:
    return str(count.packets), str(count.bytes), str(count.refused)
