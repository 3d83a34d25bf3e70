"""What the hunts through the core have kept, once more, under sanitizers and without a fuzzer (csrc/fuzz/README.md)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.c.conftest import Toolchain

CSRC = Path(__file__).resolve().parents[2] / "csrc"
FUZZ = CSRC / "fuzz"
TARGETS = sorted(path.stem.removeprefix("fuzz_") for path in FUZZ.glob("fuzz_*.c"))
# Of the kit of the C tests what keeps no state between two inputs; a failed expectation aborts here.
SHARED = [FUZZ / "expect_abort.c", FUZZ / "cutting.c", FUZZ / "replay_main.c"]
KIT = [CSRC / "tests" / "kit" / f"{name}.c" for name in ("probe", "samples")]
SANITIZE = ["-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
STRICT = ["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]


@pytest.fixture(scope="module")
def programs(toolchain: Toolchain) -> dict[str, Path]:
    if not toolchain.flags_work(SANITIZE):
        pytest.skip(f"{toolchain.compiler[0]} makes no programs with {' '.join(SANITIZE)}")
    shared = toolchain.objects([*sorted((CSRC / "src").glob("*.c")), *KIT, *SHARED], SANITIZE)
    made = {name: shared[0].parent / f"fuzz_{name}" for name in TARGETS}
    includes = [f"-I{CSRC / folder}" for folder in ("include", "src", "tests")]
    command = [*toolchain.compiler, "-std=c11", *SANITIZE, *includes]
    toolchain.succeed_all([[*command, FUZZ / f"fuzz_{name}.c", *shared, "-o", made[name]] for name in TARGETS])
    return made


@pytest.mark.parametrize("name", TARGETS)
def test_corpus(toolchain: Toolchain, programs: dict[str, Path], name: str) -> None:
    inputs = list((FUZZ / "corpus" / name).iterdir())
    assert inputs, "a target without a corpus replays nothing"
    done = toolchain.run(programs[name], FUZZ / "corpus" / name)
    printed = done.stdout.splitlines()
    if done.returncode != 0 or printed[-1:] != [f"replayed: {len(inputs)} inputs"]:
        pytest.fail(f"{name} ended with {done.returncode} at {printed[-1:]}\n{done.stderr}", pytrace=False)


def test_a_failed_expectation_is_a_crash(toolchain: Toolchain, programs: dict[str, Path], tmp_path: Path) -> None:
    """A replay that cannot fail proves nothing: the same program over a core whose header check accepts anything."""
    broken = (CSRC / "src" / "packet.c").read_text(encoding="utf-8")
    whole = "int nnrp_header_check(const uint8_t *source, size_t length, nnrp_error *error)\n{\n"
    assert broken.count(whole) == 1
    (tmp_path / "packet.c").write_text(broken.replace(whole, whole + "    return NNRP_OK;\n"), encoding="utf-8")
    objects = toolchain.objects(
        [*(path for path in sorted((CSRC / "src").glob("*.c")) if path.name != "packet.c"), *KIT, *SHARED], ["-O1"]
    )
    includes = [f"-I{CSRC / folder}" for folder in ("include", "src", "tests")]
    program = tmp_path / "fuzz_header"
    command = [*toolchain.compiler, "-std=c11", "-O1", *includes, tmp_path / "packet.c", FUZZ / "fuzz_header.c"]
    toolchain.succeed([*command, *objects, "-o", program])
    done = toolchain.run(program, FUZZ / "corpus" / "header")
    assert done.returncode != 0
    assert "fuzz_header.c:" in done.stderr


def test_no_warnings(toolchain: Toolchain) -> None:
    includes = [f"-I{CSRC / folder}" for folder in ("include", "src", "tests")]
    command = [*toolchain.compiler, "-std=c11", "-O1", *STRICT, *includes, "-fsyntax-only"]
    toolchain.succeed_all([[*command, path] for path in sorted(FUZZ.glob("*.c"))])
