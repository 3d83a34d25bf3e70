"""The C core by itself: its own tests, plain and under sanitizers, and what its objects may hold (csrc/README.md)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.c.conftest import Toolchain

CSRC = Path(__file__).resolve().parents[2] / "csrc"
STEMS = sorted(path.stem for path in (CSRC / "src").glob("*.c"))

VECTORS = {
    "layout": 450,
    "packet": 89,
    "semantic": 40,
    "flow_routing": 17,
    "typed_region": 23,
    "reference_region": 18,
    "body": 52,
}
# A sanitizer makes each round about four times slower.
MUTATIONS = {"plain": 3_000_000, "sanitized": 1_000_000}

every_variant = pytest.mark.parametrize("variant", ["plain", "sanitized"])


def expect_pass(toolchain: Toolchain, variant: str, stem: str, *arguments: object) -> list[str]:
    """Run a test program; returns what it printed before its last line."""
    done = toolchain.run(toolchain.programs(variant)[stem], *arguments)
    lines: list[str] = done.stdout.splitlines()
    last = lines[-1] if lines else ""
    if done.returncode != 0 or not re.fullmatch(r"passed: [1-9]\d* expectations", last):
        pytest.fail(f"{stem} ({variant}) ended with {done.returncode}\n{done.stdout}{done.stderr}", pytrace=False)
    return lines[:-1]


def test_every_source_has_its_test() -> None:
    missing = [stem for stem in STEMS if not (CSRC / "tests" / f"{stem}_test.c").is_file()]
    assert STEMS
    assert missing == []


@every_variant
@pytest.mark.parametrize("stem", STEMS)
def test_unit(toolchain: Toolchain, variant: str, stem: str) -> None:
    expect_pass(toolchain, variant, f"{stem}_test")


@every_variant
def test_vectors(toolchain: Toolchain, vector_lines: Path, variant: str) -> None:
    printed = expect_pass(toolchain, variant, "vectors_test", vector_lines)
    counts = {kind: int(count) for kind, count in map(str.split, printed)}
    assert counts == VECTORS
    assert sum(counts.values()) == 689


@every_variant
def test_nothing_is_read_outside_of_the_input(toolchain: Toolchain, vector_lines: Path, variant: str) -> None:
    expect_pass(toolchain, variant, "guard_test", vector_lines)


@every_variant
def test_changed_vectors_get_documented_answers(toolchain: Toolchain, vector_lines: Path, variant: str) -> None:
    printed = expect_pass(toolchain, variant, "mutation_test", vector_lines, MUTATIONS[variant])
    assert printed == [f"rounds {MUTATIONS[variant]}"]


STRICT = ["-std=c11", "-O2", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_no_warnings(toolchain: Toolchain, compiler: str) -> None:
    """The core, each header that is meant to be included alone, and the tests, with every warning an error."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed here")
    include = f"-I{CSRC / 'include'}"
    core = sorted((CSRC / "src").glob("*.c"))
    # A generated header is the second half of the one that includes it.
    headers = [one for one in sorted((CSRC / "include" / "nnrp").glob("*.h")) if "_generated" not in one.stem]
    tests = sorted((CSRC / "tests").rglob("*.c"))
    syntax = [compiler, *STRICT, "-fsyntax-only", include]
    commands: list[Sequence[str | Path]] = [[compiler, *STRICT, include, "-c", one, "-o", "/dev/null"] for one in core]
    commands += [[*syntax, "-include", one, "-x", "c", "/dev/null"] for one in headers]
    commands += [[*syntax, f"-I{CSRC / 'src'}", f"-I{CSRC / 'tests'}", one] for one in tests]
    toolchain.succeed_all(commands)


def test_the_core_includes_nothing_but_plain_headers() -> None:
    found = set()
    for path in [*(CSRC / "src").iterdir(), *(CSRC / "include" / "nnrp").iterdir()]:
        found |= set(re.findall(r"^\s*#\s*include\s*<(.+)>", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert found <= {"stddef.h", "stdint.h", "string.h"}


def test_the_core_has_no_foreign_symbols_and_no_memory_of_its_own(toolchain: Toolchain) -> None:
    """One prefix on all that is visible; no allocation, no input or output; nothing that can be written to."""
    if shutil.which("nm") is None:
        pytest.skip("nm is not installed here")
    # Without position independence a table of pointers is read-only from the start, not only after relocation.
    for path in toolchain.core_objects(["-O2", "-fno-pic", "-fno-pie"]):
        symbols = [line.split() for line in toolchain.succeed(["nm", "-P", path]).splitlines()]
        assert symbols, path.name
        kinds = {name: kind for name, kind, *_ in symbols}
        assert {name for name, kind in kinds.items() if kind not in "TtRrU"} == set(), f"writable, in {path.name}"
        visible = {name for name, kind in kinds.items() if kind in "TR"}
        assert {name for name in visible if not name.startswith("nnrp_")} == set(), f"without prefix, in {path.name}"
        needed = {name for name, kind in kinds.items() if kind == "U" and not name.startswith("nnrp_")}
        assert needed <= {"memcpy", "memset", "memcmp", "memmove", "__stack_chk_fail"}, f"needed by {path.name}"
