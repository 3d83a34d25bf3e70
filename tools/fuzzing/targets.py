"""The fuzz targets of both kinds: where they and their corpora stand, how they are built for a hunt, how they run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib.util import find_spec
from pathlib import Path

from . import seeds

ROOT = seeds.ROOT
WORK = ROOT / "build" / "fuzz"
C_FOLDER = ROOT / "csrc" / "fuzz"
PYTHON_FOLDER = ROOT / "tests" / "fuzz"
# What every C target is linked with besides the core; of the kit of csrc/tests only what keeps no state.
SHARED = ["csrc/fuzz/expect_abort.c", "csrc/fuzz/cutting.c", "csrc/tests/kit/probe.c", "csrc/tests/kit/samples.c"]
INCLUDES = ["-Icsrc/include", "-Icsrc/src", "-Icsrc/tests"]
PYTHON = "py_"
SANITIZE = "-fsanitize=fuzzer,address,undefined"


class Unavailable(Exception):
    """What a hunt needs is not here."""


def run(command: Sequence[str | Path], **environment: str) -> None:
    subprocess.run([str(part) for part in command], cwd=ROOT, env={**os.environ, **environment}, check=True)


@dataclass(frozen=True)
class Target:
    """A target of either kind: `command` makes what runs it with libFuzzer's arguments."""

    name: str
    corpus: Path
    seed: Callable[[], Iterator[bytes]]
    command: Callable[[str], list[str | Path]]
    environment: Callable[[], dict[str, str]]

    def write_seeds(self) -> Path:
        return fill(WORK / "seeds" / self.name, self.seed())

    def fuzz(self, *arguments: str | Path) -> None:
        run([*self.command(self.name), *arguments], **self.environment())


def fill(folder: Path, inputs: Iterable[bytes]) -> Path:
    """A folder of just these inputs, named as libFuzzer names them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for data in inputs:
        (folder / sha1(data, usedforsecurity=False).hexdigest()).write_bytes(data)
    return folder


def clang() -> str:
    names = [os.environ.get("CLANG", ""), "clang", *(f"clang-{version}" for version in range(25, 13, -1))]
    found = next((name for name in names if name and shutil.which(name)), None)
    if found is None:
        raise Unavailable("a hunt needs clang with libFuzzer: CLANG=NAME, or apt-get install clang libclang-rt-dev")
    return found


def c_command(name: str) -> list[str | Path]:
    program = WORK / "bin" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    core = sorted((ROOT / "csrc" / "src").glob("*.c"))
    flags = ["-std=c11", "-O1", "-g", SANITIZE, "-fno-sanitize-recover=all", *INCLUDES]
    run([clang(), *flags, C_FOLDER / f"fuzz_{name}.c", *SHARED, *core, "-o", program])
    return [program]


def c_environment() -> dict[str, str]:
    return {"ASAN_OPTIONS": "detect_leaks=0"}


def atheris_folder() -> Path:
    """Where it is installed, with libraries to be loaded first beside it."""
    found = find_spec("atheris")
    if found is None or found.origin is None:
        raise Unavailable("a hunt through Python needs atheris: pip install atheris")
    return Path(found.origin).parents[1]


def python_command(name: str) -> list[str | Path]:
    """The extension built with counters, so that the hunt sees the branches of the core and of the Cython around it."""
    atheris_folder()
    tree = WORK / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    for part in ("csrc", "src", "schema"):
        shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("*.so", "corpus", "__pycache__"))
    for part in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / part, tree / part)
    compiler, counters = clang(), "-fsanitize=address,fuzzer-no-link"
    environment = os.environ | {"CC": compiler, "LDSHARED": f"{compiler} -shared", "CFLAGS": counters}
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    subprocess.run(command, cwd=tree, env=environment, check=True)
    return [sys.executable, PYTHON_FOLDER / "hunt.py", name.removeprefix(PYTHON)]


def python_environment() -> dict[str, str]:
    # A C++ exception inside a dependency aborts under the sanitizer unless its run time is there first.
    stdcxx = subprocess.run(["gcc", "-print-file-name=libstdc++.so"], capture_output=True, text=True, check=True).stdout
    return {
        "PYTHONPATH": str(WORK / "tree" / "src"),
        "PYTHONMALLOC": "malloc",  # pymalloc's arenas would hide what is read too far
        "ASAN_OPTIONS": "detect_leaks=0",
        "LD_PRELOAD": f"{atheris_folder()}/asan_with_fuzzer.so {stdcxx.strip()}",
    }


def all_targets() -> dict[str, Target]:
    """By name; both kinds have a `packet`, so those of Python begin with `py_`."""
    found = {}
    for name, seed in seeds.C_SEEDS.items():
        found[name] = Target(name, C_FOLDER / "corpus" / name, seed, c_command, c_environment)
    for name, seed in seeds.PYTHON_SEEDS.items():
        unique = PYTHON + name
        found[unique] = Target(unique, PYTHON_FOLDER / "corpus" / name, seed, python_command, python_environment)
    return found
