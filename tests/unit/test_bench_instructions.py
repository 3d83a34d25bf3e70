"""tools/instructions.py: what is compared with what, and that counting twice gives the same number."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from nnrp_wire.bench import codec

ROOT = Path(__file__).resolve().parents[2]
HERE: dict[str, str | None] = {"python": "CPython 3.11.7", "extension_compiler": "GCC: (x) 12.2.0"}


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("instructions", ROOT / "tools" / "instructions.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def entry(instructions: dict[str, int], **environment: str) -> dict[str, Any]:
    return {"environment": {**HERE, **environment}, "instructions": instructions}


def test_cases_are_those_of_the_benchmark(tool: ModuleType) -> None:
    assert set(tool.CASES) <= {case.name for case in codec.CASES}
    assert len(tool.CASES) == len(set(tool.CASES)) == 7


def test_the_total_is_read_from_the_report(tool: ModuleType) -> None:
    report = "==7== Callgrind, a call-graph\n==7== \n==7== Events    : Ir\n==7== Collected : 123456789\n==7== \n"
    assert tool.collected(report) == 123456789
    with pytest.raises(tool.NotHere, match="no total"):
        tool.collected("something else")


def test_loops_do_what_the_benchmark_does(tool: ModuleType) -> None:
    for case in tool.CASES:
        tool.loop_of(case)(3)


class TestKept:
    def test_the_same_environment_is_compared(self, tool: ModuleType) -> None:
        entries = [entry({"a": 1}, python="CPython 3.13.1"), entry({"a": 2})]
        assert tool.entry_for(entries, HERE)["instructions"] == {"a": 2}

    def test_another_environment_is_not_and_says_why(self, tool: ModuleType) -> None:
        reason = tool.entry_for([entry({"a": 1}, python="CPython 3.13.1")], HERE)
        assert "python is CPython 3.11.7, not CPython 3.13.1" in reason
        assert tool.entry_for([], HERE) == "no figures are kept"
        assert "does not say" in tool.entry_for([entry({"a": 1})], {**HERE, "extension_compiler": None})

    def test_an_unknown_part_of_the_environment_is_a_difference(self, tool: ModuleType) -> None:
        assert "libc is glibc 2.36, not None" in tool.entry_for([entry({"a": 1})], {**HERE, "libc": "glibc 2.36"})

    def test_only_growth_beyond_the_tolerance_is_refused(self, tool: ModuleType) -> None:
        kept = {"a": 1000, "b": 1000, "c": 1000}
        assert tool.too_many({"a": 1050, "b": 400, "new": 9}, kept, 5.0) == []
        (problem,) = tool.too_many({"a": 1051, "b": 1000}, kept, 5.0)
        assert problem == "a takes 1,051 instructions, 5.1% more than the 1,000 kept"

    def test_figures_are_kept_one_entry_for_each_environment(self, tool: ModuleType, tmp_path: Path) -> None:
        file = tmp_path / "kept.json"
        other = {**HERE, "python": "CPython 3.13.1"}
        for here, value in ((HERE, 1), (other, 2), (HERE, 3)):
            tool.keep(file, here, {"a": value})
        entries = tool.read_kept(file)
        assert len(entries) == 2
        assert tool.entry_for(entries, HERE)["instructions"] == {"a": 3}
        assert tool.entry_for(entries, other)["instructions"] == {"a": 2}

    def test_the_table_shows_the_change(self, tool: ModuleType) -> None:
        _, first, second = tool.table({"a": 1100, "b": 5}, {"a": 1000})
        assert first.split() == ["a", "1,100", "1,000", "+10.0%"]
        assert second.split() == ["b", "5"]

    def test_what_the_project_keeps_is_whole(self, tool: ModuleType) -> None:
        entries = json.loads((ROOT / "benchmarks" / "instructions.json").read_text(encoding="utf-8"))["entries"]
        assert entries
        for found in entries:
            assert found["environment"].keys() == tool.environment().keys()
            assert tuple(found["instructions"]) == tool.CASES
            assert all(200 < value < 20_000 for value in found["instructions"].values())


class TestCommand:
    @pytest.fixture
    def counted(self, tool: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
        """Counting costs nothing here, and the figures are kept elsewhere."""
        monkeypatch.setattr(tool, "measure", len)
        monkeypatch.setattr(tool, "environment", lambda: HERE)
        monkeypatch.setattr(tool, "KEPT", tmp_path / "kept.json")
        return tmp_path / "kept.json"

    def test_check_without_figures_is_no_failure(
        self, tool: ModuleType, counted: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert tool.main(["--check"]) == 0
        assert capsys.readouterr().out == "not compared: no figures are kept\n"
        assert not counted.exists()

    def test_write_then_check(self, tool: ModuleType, counted: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert tool.main(["--write"]) == 0
        assert tool.main(["--check"]) == 0
        assert "+0.0%" in capsys.readouterr().out
        tool.keep(counted, HERE, {"parse_header": 11})
        assert tool.main(["--check", "--case", "parse_header"]) == 1
        assert capsys.readouterr().err == "error: parse_header takes 12 instructions, 9.1% more than the 11 kept\n"
        assert tool.main(["--check", "--case", "parse_header", "--tolerance", "10"]) == 0

    def test_no_valgrind(
        self, tool: ModuleType, counted: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        tool.keep(counted, HERE, {"parse_header": 11})
        monkeypatch.setattr(tool, "measure", lambda case: tool.count(case, 1))
        monkeypatch.setattr(tool.shutil, "which", lambda _: None)
        assert tool.main(["--check"]) == 0
        assert tool.main([]) == 1
        assert capsys.readouterr().out.count("not counted: valgrind is not installed") == 2

    @pytest.mark.parametrize(
        "arguments", [["--check", "--write"], ["--case", "other"], ["--write", "--case", "parse_header"]]
    )
    def test_wrong_usage(self, tool: ModuleType, counted: Path, arguments: list[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            tool.main(arguments)
        assert caught.value.code == 2


@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
@pytest.mark.skipif(bool(os.environ.get("NNRP_WIRE_SANITIZE")), reason="a sanitizer and valgrind do not go together")
def test_counting_twice_gives_the_same_number(tool: ModuleType) -> None:
    """Where figures are kept; elsewhere nobody relies on it, and it takes ten seconds."""
    if isinstance(reason := tool.entry_for(tool.read_kept(tool.KEPT), tool.environment()), str):
        pytest.skip(reason)
    assert tool.count("parse_header", 10) == tool.count("parse_header", 10)


def test_the_extension_names_its_compiler(tool: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "extension.so"
    file.write_bytes(b"\x7fELF\0GCC: (Debian 12.2.0-14) 12.2.0\0rest")
    assert tool.compiler_of(file) == "GCC: (Debian 12.2.0-14) 12.2.0"
    file.write_bytes(b"\x7fELF\0clang version 19.1.7 (x)\0rest")
    assert tool.compiler_of(file) == "clang version 19.1.7"
    file.write_bytes(b"MZ")
    assert tool.compiler_of(file) is None
