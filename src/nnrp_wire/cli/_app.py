"""The command line: options, and how each way of ending becomes an exit code."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated

import typer

from ._errors import CliError
from ._escape import label
from ._input import Format
from ._inspect import Options, inspect
from ._layouts import UnknownLayout, list_layouts, show_layout
from ._output import sink_for

OK, FAILED, USAGE, BROKEN = 0, 1, 2, 3
INTERRUPTED = 128 + signal.SIGINT
READER_GONE = 128 + 13  # SIGPIPE, which Windows does not name

_LARGEST = 0xFFFF_FFFF
_DEFAULT_LARGEST = 64 << 20  # wire.md section 2

app = typer.Typer(
    name="nnrp-wire",
    help="Look into NNRP packets and into the layouts of the protocol.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help: the same text on a terminal, in a pipe and in the documentation
    pretty_exceptions_enable=False,
)


@app.command("inspect")
def inspect_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")],
    format: Annotated[Format, typer.Option(help="What the input is; auto looks at its first bytes.")] = Format.AUTO,
    json: Annotated[bool, typer.Option("--json", help="One JSON object per packet and line.")] = False,
    summary: Annotated[bool, typer.Option("--summary", help="Only counts by message, session and rule.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 3 when a rule is broken, also a sender's.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Every field and every byte, nothing cut.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Stop after this many packets or rows.")] = None,
    max_packet_bytes: Annotated[
        int, typer.Option(min=1, max=_LARGEST, help="The packet limit of a receiver.")
    ] = _DEFAULT_LARGEST,
) -> None:
    """Show every packet of raw bytes, hex text or a capture JSON as a tree, and which rules it breaks.

    Exit code: 0 the input was read, whatever its packets break; 1 it could not be read, or holds no packet; 2 wrong
    usage; 3 a rule is broken and --strict was given.
    """
    options = Options(file, format, json, summary, full, limit, max_packet_bytes)

    def work() -> int:
        return BROKEN if inspect(options).broken(strict) and strict else OK

    raise typer.Exit(_guarded(work))


@app.command("layouts")
def layouts_command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A layout, or a message.")] = None,
) -> None:
    """List the layouts of the protocol, or show the fields and rules of one."""

    def work() -> int:
        if name is None:
            list_layouts(sink_for(sys.stdout))
        else:
            show_layout(sink_for(sys.stdout), name)
        return OK

    raise typer.Exit(_guarded(work))


def run(argv: Sequence[str] | None) -> int:
    """Run the command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # no payload may stop us for lack of a character
    try:
        app(args=None if argv is None else list(argv), prog_name="nnrp-wire")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else OK if end.code is None else FAILED
    return OK


def _guarded(work: Callable[[], int]) -> int:
    """Every end of the work as an exit code and at most one line, never a traceback."""
    try:
        code = work()
        sys.stdout.flush()
        return code
    except UnknownLayout as error:
        return _fail(str(error), USAGE)
    except CliError as error:
        return _fail(str(error), FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return READER_GONE
    except OSError as error:
        return _fail(f"writing stopped: {error.strerror or error}", FAILED)
    except MemoryError:
        return _fail("not enough memory", FAILED)
    except Exception as error:  # a fault of ours; the user gets one line all the same
        return _fail(f"internal error: {type(error).__name__}: {error}", FAILED)


def _fail(message: str, code: int) -> int:
    with suppress(OSError):
        sys.stdout.flush()
    with suppress(OSError):
        print(f"nnrp-wire: {label(message, 1000)}", file=sys.stderr)
    return code


def _forget_stdout() -> None:
    """Let the interpreter's last flush go nowhere, or it would complain about the reader that left."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
