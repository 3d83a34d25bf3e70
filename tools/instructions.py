"""Instructions per call of the hot paths, counted by valgrind: figures that no busy machine can blur.

    python tools/instructions.py            count and print, beside the figures that are kept where they can be compared
    python tools/instructions.py --check    the same, and fail when a figure has grown by more than the tolerance
    python tools/instructions.py --write    count, print, and keep the figures

The statements are those of `python -m nnrp_wire.bench`, each in a loop inside a function. A process runs it under
callgrind, a second one with more turns; the difference of the two totals, divided by the additional turns, is the
figure: starting, importing and warming up cancel out. For that the two processes must not differ in anything else, not
even in the length of their arguments, which would move everything in memory and with it the collisions of every hash
table. Hash seed and garbage collector are fixed. It needs valgrind and an installed nnrp_wire, and takes about a minute
and a half.

Figures belong to an interpreter and a compiler. They are kept in benchmarks/instructions.json, one entry for each set
of both, and are only ever compared with the entry of the very same set.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import textwrap
import zlib
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

KEPT = Path(__file__).resolve().parents[1] / "benchmarks" / "instructions.json"
CASES = (
    "parse_header",
    "frame_submit_1k_parse",
    "frame_submit_1k_build",
    "result_push_parse",
    "result_push_build",
    "partial_result_parse",
    "partial_result_build",
)
TURNS = 1000
"""Enough for the interpreter to have specialised its code."""
MORE_TURNS = 20_000
TOLERANCE = 5.0
"""Percent. Counting again differs by far less; another micro version of the C library may differ by some."""


class NotHere(Exception):
    """What is missing for counting."""


def loop_of(case: str) -> Callable[[int], None]:
    """Our statement of a case in a loop; what it uses are locals of the function."""
    from nnrp_wire.bench import codec
    from nnrp_wire.bench.rivals import Rivals
    from nnrp_wire.bench.runner import OURS

    (found,) = (found for found in codec.CASES if found.name == case)
    (ours,) = (contender for contender in found.checked_contenders(Rivals()) if contender.name == OURS)
    body = textwrap.indent(ours.statement.strip(), " " * 8)
    source = f"def run(turns, {', '.join(ours.names)}):\n    for _turn in turns:\n{body}\n"
    namespace: dict[str, Any] = {}
    exec(source, namespace)  # noqa: S102 - the statement stands in the package
    run = namespace["run"]
    return lambda turns: run(repeat(None, turns), **ours.names)


def work(case: str, turns: int) -> None:
    """What runs under callgrind."""
    gc.disable()
    loop = loop_of(case)
    # Whatever was freed before is used up: a packet is then always cut from the end of the heap, and goes back there.
    shelf = [bytes(1 << 10) for _ in range(8000)]
    loop(turns)
    del shelf


def collected(report: str) -> int:
    """The total that callgrind prints at its end."""
    found = re.search(r"^==\d+== Collected : (\d+)$", report, re.MULTILINE)
    if found is None:
        raise NotHere(f"callgrind printed no total:\n{report[-2000:]}")
    return int(found[1])


def count(case: str, turns: int) -> int:
    """Instructions of a whole process."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise NotHere("valgrind is not installed")
    tool = [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    program = [sys.executable, "-s", str(Path(__file__).resolve()), "--work", case, "--turns", f"{turns:09}"]
    # An address sanitizer and valgrind do not go together.
    surroundings = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    # Python's own allocator takes more or less work for the same request, as its pools happen to be filled; that of the
    # C library does not when the piece that was freed last fits.
    surroundings |= {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONMALLOC": "malloc"}
    finished = subprocess.run([*tool, *program], capture_output=True, text=True, check=False, env=surroundings)
    if finished.returncode != 0:
        raise NotHere(f"the counted process failed:\n{finished.stderr[-2000:]}")
    return collected(finished.stderr)


def measure(case: str) -> int:
    """Instructions per turn."""
    return round((count(case, TURNS + MORE_TURNS) - count(case, TURNS)) / MORE_TURNS)


def compiler_of(extension: Path) -> str | None:
    """What gcc and clang write into everything they make."""
    found = re.search(rb"(?:GCC: \([^)]*\) [\w.]+|clang version [\w.]+)", extension.read_bytes())
    return None if found is None else found[0].decode()


def environment() -> dict[str, str | None]:
    """All that the figures depend on, beside the source."""
    from nnrp_wire.wire import _codec

    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "python_compiler": platform.python_compiler(),
        # Only whether it is the same build matters, not where that build lives.
        "python_configured": f"{zlib.crc32(str(sysconfig.get_config_var('CONFIG_ARGS')).encode()):08x}",
        "extension_compiler": compiler_of(Path(str(_codec.__file__))),
        "libc": " ".join(platform.libc_ver()),
        "machine": platform.machine(),
    }


def read_kept(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["entries"]
    return entries


def entry_for(entries: Sequence[Mapping[str, Any]], here: Mapping[str, str | None]) -> Mapping[str, Any] | str:
    """The entry of this environment, or why there is none to compare with."""
    if here["extension_compiler"] is None:
        return "the extension does not say which compiler made it"
    if not entries:
        return "no figures are kept"
    differences = []
    for entry in entries:
        kept = entry["environment"]
        different = [name for name in here if kept.get(name) != here[name]]
        if not different:
            return entry
        differences.append(", ".join(f"{name} is {here[name]}, not {kept.get(name)}" for name in different))
    return "no figures are kept of this environment: " + "; or ".join(differences)


def growth(found: int, kept: int) -> float:
    """In percent."""
    return (found - kept) / kept * 100


def table(found: Mapping[str, int], kept: Mapping[str, int]) -> list[str]:
    lines = [f"{'case':<24} {'instructions':>12} {'kept':>8} {'change':>8}"]
    for case, value in found.items():
        columns = f"{case:<24} {value:>12,}"
        if case in kept:
            columns += f" {kept[case]:>8,} {growth(value, kept[case]):>+7.1f}%"
        lines.append(columns)
    return lines


def too_many(found: Mapping[str, int], kept: Mapping[str, int], tolerance: float) -> list[str]:
    """What --check refuses. Fewer instructions are news, but no failure."""
    return [
        f"{case} takes {value:,} instructions, {growth(value, kept[case]):.1f}% more than the {kept[case]:,} kept"
        for case, value in found.items()
        if case in kept and growth(value, kept[case]) > tolerance
    ]


def keep(path: Path, here: Mapping[str, str | None], found: Mapping[str, int]) -> None:
    entries = [entry for entry in read_kept(path) if entry["environment"] != here]
    entries.append({"environment": dict(here), "instructions": dict(found)})
    entries.sort(key=lambda entry: json.dumps(entry["environment"]))
    document = {"unit": "instructions per call, tools/instructions.py", "entries": entries}
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def parser() -> argparse.ArgumentParser:
    parsed = argparse.ArgumentParser(description="Count the instructions of the hot paths with valgrind.")
    action = parsed.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="fail when a figure has grown beyond the tolerance")
    action.add_argument("--write", action="store_true", help="keep the figures in benchmarks/instructions.json")
    parsed.add_argument("--case", action="append", choices=CASES, metavar="NAME", help="only this; may be repeated")
    parsed.add_argument("--tolerance", type=float, default=TOLERANCE, metavar="PERCENT", help="default: %(default)g")
    parsed.add_argument("--work", choices=CASES, help=argparse.SUPPRESS)
    parsed.add_argument("--turns", type=int, help=argparse.SUPPRESS)
    return parsed


def main(arguments: Sequence[str] | None = None) -> int:
    usage = parser()
    options = usage.parse_args(arguments)
    if options.work:
        work(options.work, options.turns)
        return 0
    if options.write and options.case:
        usage.error("--write keeps all cases, so it counts all of them")
    here = environment()
    entry = entry_for(read_kept(KEPT), here)
    if isinstance(entry, str) and options.check:
        print(f"not compared: {entry}")
        return 0
    try:
        found = {case: measure(case) for case in CASES if options.case is None or case in options.case}
    except NotHere as reason:
        print(f"not counted: {reason}")
        return 0 if options.check else 1
    kept: Mapping[str, int] = {} if isinstance(entry, str) else entry["instructions"]
    print("\n".join(table(found, kept)))
    if isinstance(entry, str) and not options.write:
        print(f"not compared: {entry}")
    if options.write:
        keep(KEPT, here, found)
    problems = too_many(found, kept, options.tolerance) if options.check else []
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
