"""Builds the C core and its tests with the machine's own compiler, once per variant, without Python's build of it.

Nothing here needs the extension. Without a C compiler, or without its sanitizers, tests are skipped and say so.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CSRC = ROOT / "csrc"
SOURCES = sorted((CSRC / "src").glob("*.c"))
KIT = sorted((CSRC / "tests" / "kit").glob("*.c"))
PROGRAMS = sorted((CSRC / "tests").glob("*_test.c"))
INCLUDES = [f"-I{CSRC / 'include'}", f"-I{CSRC / 'src'}", f"-I{CSRC / 'tests'}"]

VARIANTS = {
    "plain": ["-O2"],
    "sanitized": ["-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
}

Row = dict[str, Any]


def child_environment() -> dict[str, str]:
    """Without what a sanitizer run of the tests themselves preloads: it must not reach into the compiler."""
    dropped = ("LD_PRELOAD", "PYTHONMALLOC", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    # The core allocates nothing, and a leak checker does not run under every container's rules.
    return kept | {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}


def run(command: Sequence[str | Path], timeout: float = 110) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        env=child_environment(),
        check=False,
    )


@dataclass
class Toolchain:
    """A C compiler and a folder for what it makes."""

    compiler: list[str]
    folder: Path
    built: dict[str, dict[str, Path]] = field(default_factory=dict)

    def flags_work(self, flags: Sequence[str]) -> bool:
        """Whether a program built with these flags runs: a compiler may know sanitizers whose libraries are missing."""
        source, program = self.folder / "probe.c", self.folder / "probe"
        source.write_text("int main(void) { return 0; }\n", encoding="utf-8")
        built = run([*self.compiler, *flags, source, "-o", program])
        return built.returncode == 0 and run([program]).returncode == 0

    def programs(self, variant: str) -> dict[str, Path]:
        """Every test program of one variant, by its stem."""
        if variant not in self.built:
            if not self.flags_work(VARIANTS[variant]):
                pytest.skip(f"{self.compiler[0]} makes no programs with {' '.join(VARIANTS[variant])}")
            self.built[variant] = self._build(variant)
        return self.built[variant]

    def _build(self, variant: str) -> dict[str, Path]:
        flags = VARIANTS[variant]
        objects = self.objects([*SOURCES, *KIT], flags)
        made = {source.stem: objects[0].parent / source.stem for source in PROGRAMS}
        command = [*self.compiler, "-std=c11", *flags, *INCLUDES]
        self.succeed_all([[*command, source, *objects, "-o", made[source.stem]] for source in PROGRAMS])
        return made

    def objects(self, sources: Sequence[Path], flags: Sequence[str]) -> list[Path]:
        """The sources compiled, in a folder of their own."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        made = [folder / f"{source.stem}.o" for source in sources]
        command = [*self.compiler, "-std=c11", *flags, *INCLUDES, "-c"]
        self.succeed_all([[*command, source, "-o", target] for source, target in zip(sources, made, strict=True)])
        return made

    def core_objects(self, flags: Sequence[str]) -> list[Path]:
        return self.objects(SOURCES, flags)

    def run(self, *command: object) -> subprocess.CompletedProcess[str]:
        return run([str(part) for part in command])

    def succeed(self, command: Sequence[str | Path]) -> str:
        done = run(command)
        if done.returncode != 0:
            pytest.fail(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}", pytrace=False)
        return done.stdout

    def succeed_all(self, commands: Iterable[Sequence[str | Path]]) -> None:
        """As many commands at once as there are processors."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.succeed, commands))


def find_compiler() -> list[str] | None:
    if os.environ.get("CC"):
        return shlex.split(os.environ["CC"])
    return next(([name] for name in ("cc", "gcc", "clang") if shutil.which(name)), None)


@pytest.fixture(scope="session")
def toolchain(tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler here: set CC, or install gcc or clang")
    return Toolchain(compiler, tmp_path_factory.mktemp("csrc"))


def _number(value: int | str) -> int:
    """A field's value as C reads it: JSON writes a magic as text."""
    return int.from_bytes(value.encode(), "little") if isinstance(value, str) else value


def _assignments(fields: Row | None) -> str | None:
    return ",".join(f"{name}={_number(value)}" for name, value in fields.items()) if fields else None


def _items(rows: Iterable[Iterable[object]]) -> str:
    return " ".join("/".join(map(str, row)) for row in rows)


def _commas(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))


def _regions(regions: Row | None) -> str | None:
    """The regions of an accepted body as vectors_test.c writes them."""
    if regions is None:
        return None
    sections = [(role, _commas(codecs), _commas(lengths)) for role, codecs, lengths in regions.get("sections", [])]
    parts = [
        regions.get("objects", []),
        [[kind] for kind in regions.get("references", [])],
        regions.get("typed", []),
        [[tile] for tile in regions.get("tile_ids", [])],
        sections,
    ]
    return "|".join(map(_items, parts))


def vector_line(row: Row) -> str:
    """One vector in the columns of csrc/tests/kit/vectors.h."""
    columns = [
        row["id"],
        row["kind"],
        row.get("layout", row.get("metadata_layout")),
        row.get("message_type"),
        row.get("payload_kind_bitmap", row.get("submit_mode")),
        row.get("payload_frame_count", row.get("object_ref_mask")),
        row["hex"],
        row.get("payload_hex"),
        row["expect"],
        _assignments(row.get("fields")),
        _assignments(row.get("header")),
        _regions(row.get("regions")),
    ]
    return "\t".join("-" if column in (None, "") else str(column) for column in columns)


@pytest.fixture(scope="session")
def vector_lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    document = json.loads((ROOT / "tests" / "vectors" / "vectors.json").read_text(encoding="utf-8"))
    lines = tmp_path_factory.mktemp("vectors") / "vectors.txt"
    lines.write_text("".join(f"{vector_line(row)}\n" for row in document["vectors"]), encoding="utf-8")
    return lines
