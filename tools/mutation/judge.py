"""Copies of the tree, one with each fault, and the tests that judge them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .faults import Fault

# Not needed to build and test the wire; the command and the artifacts have tests of their own.
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info", "packaging", "docs", "cli")
C_TESTS = ["tests/c", "-k", "plain or replay"]
PYTHON_TESTS = [
    "tests/unit",
    "--ignore=tests/unit/test_bench.py",  # slow, and about figures
    "tests/vectors",
    "tests/captures",
    "tests/lifetime",
    "tests/fuzz",
    "tests/property",
    "tests/robustness",
    "tests/leaks",
]
# A fault may well be an endless loop.
TOO_LONG = 1200.0


@dataclass(frozen=True)
class Verdict:
    caught: bool
    by: str


class Workshop:
    """A built copy without a fault, from which the copies with one are made."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "build" / "mutation"
        self.clean = self.folder / "clean"

    def prepare(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        for part in ("csrc", "src", "tests", "tools", "schema"):
            shutil.copytree(self.root / part, self.clean / part, ignore=LEFT_OUT)
        (self.clean / "docs").mkdir()  # the generator writes there too
        for part in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(self.root / part, self.clean / part)
        built = build(self.clean)
        if built is not None:
            raise SystemExit(f"the tree does not build:\n{built}")
        for tests in (C_TESTS, PYTHON_TESTS):
            failed = first_failure(self.clean, tests)
            if failed is not None:
                raise SystemExit(f"the tests fail without a fault: {failed}")

    def judge(self, number: int, fault: Fault) -> Verdict:
        tree = self.folder / str(number)
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(self.clean, tree, symlinks=True)  # keeps times, so that only what changed is compiled again
        try:
            return self._judged(tree, fault)
        finally:
            shutil.rmtree(tree, ignore_errors=True)

    def _judged(self, tree: Path, fault: Fault) -> Verdict:
        path = tree / fault.file
        path.write_text(fault.applied_to(path.read_text(encoding="utf-8")), encoding="utf-8")
        if fault.file.startswith("schema/"):
            problem = run(tree, [sys.executable, "tools/generate_wire.py"])
            if problem is not None:
                return Verdict(False, f"nothing can be generated from it:\n{problem}")
        if not fault.file.startswith("src/"):
            failed = first_failure(tree, C_TESTS)
            if failed is not None:
                return Verdict(True, failed)
        if not fault.file.endswith(".py"):
            problem = build(tree)
            if problem is not None:
                return Verdict(False, f"does not build:\n{problem}")
        failed = first_failure(tree, PYTHON_TESTS)
        return Verdict(False, "no test fails") if failed is None else Verdict(True, failed)


def run(tree: Path, command: list[str], **environment: str) -> str | None:
    """None, or what a command that failed has printed."""
    names = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "CI": "1", **environment}
    try:
        done = subprocess.run(
            command, cwd=tree, env=names, capture_output=True, text=True, timeout=TOO_LONG, check=False
        )
    except subprocess.TimeoutExpired:
        return "it does not end"
    return None if done.returncode == 0 else done.stdout + done.stderr


def build(tree: Path) -> str | None:
    return run(tree, [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"], NNRP_WIRE_DEBUG="1")


def first_failure(tree: Path, tests: list[str]) -> str | None:
    """The first test that fails, or how the run ended when none says so (a crash of the interpreter)."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--no-header", *tests]
    printed = run(tree, command, PYTHONPATH=str(tree / "src"))
    if printed is None:
        return None
    lines = printed.splitlines()
    named = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return named[0] if named else "a crash: " + " / ".join(lines[-3:])
