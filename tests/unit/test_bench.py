"""The benchmark command measures what it says: fair rounds, checked outcomes, complete reports."""

from __future__ import annotations

import gc
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from nnrp_wire.bench import __main__ as command
from nnrp_wire.bench import batch, codec, copying, footprint, report, streams, workload
from nnrp_wire.bench.goals import RATIO_GOALS, VALUE_GOALS
from nnrp_wire.bench.rivals import Rivals, load_rivals
from nnrp_wire.bench.runner import (
    OURS,
    Contender,
    Mismatch,
    Result,
    Settings,
    StatementCase,
    StatementSampler,
    Unavailable,
    interleave,
    medians,
    spreads,
)

TINY = Settings(rounds=3, process_rounds=1, sample_ns=20_000, scan_bytes=150_000)


def statement(name: str, text: str, **names: object) -> Contender:
    return Contender(name, text, names, lambda seen: seen["outcome"])


class RecordingSampler:
    def __init__(self, name: str, log: list[str], collector: list[bool]) -> None:
        self.name = name
        self._log = log
        self._collector = collector

    def prepare(self) -> None:
        self._log.append(f"prepare {self.name}")

    def sample(self) -> float:
        self._log.append(self.name)
        self._collector.append(gc.isenabled())
        return float(len(self._log))


def recorded_order(seed: int) -> tuple[list[str], list[bool]]:
    log: list[str] = []
    collector: list[bool] = []
    interleave([RecordingSampler(name, log, collector) for name in "abc"], 20, seed)
    assert log[:3] == ["prepare a", "prepare b", "prepare c"]
    return log[3:], collector


class TestRounds:
    def test_every_contender_takes_part_in_every_round(self) -> None:
        order, _ = recorded_order(1)
        rounds = [order[start : start + 3] for start in range(0, len(order), 3)]
        assert len(rounds) == 20
        assert all(sorted(one) == ["a", "b", "c"] for one in rounds)

    def test_order_changes_between_rounds_and_repeats_with_the_seed(self) -> None:
        order, _ = recorded_order(1)
        assert len({tuple(order[start : start + 3]) for start in range(0, len(order), 3)}) > 1
        assert recorded_order(1)[0] == order
        assert recorded_order(2)[0] != order

    def test_garbage_collector_is_off_while_timing_and_on_again_after(self) -> None:
        assert gc.isenabled()
        _, collector = recorded_order(1)
        assert not any(collector)
        assert gc.isenabled()

    def test_garbage_collector_comes_back_after_a_failure(self) -> None:
        class Failing(RecordingSampler):
            def sample(self) -> float:
                raise Unavailable("no")

        with pytest.raises(Unavailable):
            interleave([Failing("a", [], [])], 1, 1)
        assert gc.isenabled()

    def test_median_and_spread(self) -> None:
        samples = {"a": [1.0, 2.0, 3.0, 4.0, 100.0], "b": [5.0]}
        assert medians(samples) == {"a": 3.0, "b": 5.0}
        assert spreads(samples) == {"a": pytest.approx(1 / 3)}


class TestStatements:
    def test_number_of_turns_fills_the_sample(self) -> None:
        sampler = StatementSampler(statement("a", "outcome = value + 1", value=1), 200_000)
        sampler.prepare()
        assert sampler.count > 100
        assert 0 < sampler.sample() < 20_000

    def test_outcome_and_function_run_the_same_text(self) -> None:
        seen: list[int] = []
        contender = statement("a", "record(value)\noutcome = value", record=seen.append, value=7)
        assert contender.outcome() == 7
        contender.function()()
        assert seen == [7, 7]

    def test_case_reports_median_and_ratio(self) -> None:
        def contenders(_rivals: Rivals) -> Sequence[Contender]:
            quick = statement(OURS, "outcome = 1")
            slow = statement("slow", "for _turn in range(100):\n    outcome = 1")
            return [slow, quick]

        case = StatementCase("toy", 1, contenders, ("slow", "gone"))
        (result,) = case.run(TINY, Rivals(missing={"gone": "not here"}))
        assert (result.name, result.unit, result.better) == ("toy", "ns", "lower")
        assert result.ratios["slow"] > 5
        assert result.missing == {"gone": "not here"}
        assert set(result.spread) == {OURS, "slow"}

    def test_rate_counts_what_one_statement_handles(self) -> None:
        case = StatementCase("toy", 1, lambda _: [statement(OURS, "outcome = 1")], (), "packets/s", 1000)
        (result,) = case.run(TINY, Rivals())
        assert result.better == "higher"
        assert result.value > 1e6

    @pytest.mark.parametrize(
        ("outcome", "words"),
        [
            ("2", "toy, rival: 2, expected {'field': b'abc'}"),
            ("{'field': b'abd'}", "toy, rival: field: byte 2 is 0x64, expected 0x63"),
            ("{'field': b'ab'}", "toy, rival: field: 2 bytes, expected 3"),
            ("{}", "toy, rival: field is absent"),
        ],
    )
    def test_difference_stops_the_case_before_timing(self, outcome: str, words: str) -> None:
        expected = {"field": b"abc"}

        def contenders(_rivals: Rivals) -> Sequence[Contender]:
            return [statement(OURS, "outcome = right", right=expected), statement("rival", f"outcome = {outcome}")]

        with pytest.raises(Mismatch) as caught:
            StatementCase("toy", expected, contenders, ("rival",)).run(TINY, Rivals())
        assert str(caught.value) == words

    def test_ratio_says_how_much_better_ours_is_in_either_direction(self) -> None:
        assert Result("a", "ns", 2.0, "lower", {"r": 10.0}).ratios == {"r": 5.0}
        assert Result("a", "packets/s", 10.0, "higher", {"r": 2.0}).ratios == {"r": 5.0}


class TestWorkload:
    def test_sizes(self) -> None:
        assert (len(workload.REQUEST), len(workload.RESPONSE)) == (1024, 1024)
        assert json.loads(workload.REQUEST)["type"] == "request"
        assert len(workload.SUBMIT.packet) == 40 + 72 + 32 + 24 + 1024
        assert len(workload.PUSH.packet) == 40 + 64 + 32 + 24 + 1024
        assert len(workload.PARTIAL.packet) == 150
        assert len(workload.LONE_HEADER_BYTES) == 40

    def test_record_refuses_a_field_it_does_not_have(self) -> None:
        with pytest.raises(KeyError, match="no such field"):
            workload.PRELUDE.values({"no_such_field": 1})

    @pytest.mark.parametrize(
        "case", [*codec.CASES, *streams.CASES, batch.ScanCase().of(15_000)], ids=lambda case: case.name
    )
    def test_all_contenders_agree(self, case: StatementCase) -> None:
        names = [contender.name for contender in case.checked_contenders(load_rivals())]
        assert names[0] == OURS
        assert len(names) > 1

    def test_goals_name_real_cases(self) -> None:
        names = {case.name for case in command.SUITES["codec"]}
        assert RATIO_GOALS.keys() | VALUE_GOALS.keys() <= names


class TestRivals:
    def test_missing_rival_is_named_with_its_reason(self) -> None:
        rivals = load_rivals({"here": ("json",), "gone": ("no_such_module_anywhere",)})
        assert isinstance(rivals.modules["here"]["json"], ModuleType)
        assert rivals.missing == {"gone": "ModuleNotFoundError: No module named 'no_such_module_anywhere'"}

    def test_core_alone_runs_against_struct(self) -> None:
        rivals = Rivals(missing={"nnrp_py": "not installed"})
        for case in codec.CASES:
            assert [contender.name for contender in case.checked_contenders(rivals)] == [OURS, "struct"]


class TestCopyThreshold:
    def test_smallest_size_from_which_the_list_always_wins(self) -> None:
        lists = {1: 10.0, 2: 10.0, 4: 10.0, 8: 10.0}
        assert copying.threshold(lists, {1: 20.0, 2: 9.0, 4: 20.0, 8: 30.0}) == 4
        assert copying.threshold(lists, dict.fromkeys(lists, 20.0)) == 1
        assert copying.threshold(lists, dict.fromkeys(lists, 11.0)) is None

    def test_labels(self) -> None:
        assert [copying.size_label(size) for size in (1024, 65536, 1 << 20)] == ["1k", "64k", "1m"]


class TestFootprint:
    def test_import_is_measured_in_a_fresh_interpreter(self, tmp_path: Path) -> None:
        (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(0.05)\n")
        assert 50 <= footprint.ImportSampler("a", "slow_to_import", tmp_path).sample() < 5000

    def test_failing_import_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "broken_import.py").write_text("raise RuntimeError('broken')\n")
        with pytest.raises(Unavailable, match="RuntimeError: broken"):
            footprint.ImportSampler("a", "broken_import", tmp_path).sample()

    def test_given_wheel_is_weighed(self, tmp_path: Path) -> None:
        wheel = tmp_path / "a.whl"
        wheel.write_bytes(bytes(123_456))
        (result,) = footprint.WheelCase().run(Settings(wheel=wheel), Rivals())
        assert (result.value, result.unit) == (0.123456, "MB")
        assert "a.whl" in result.notes[0]

    def test_without_a_wheel_the_notes_say_what_was_weighed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (result,) = footprint.WheelCase().run(Settings(), Rivals())
        assert result.value > 0
        assert result.notes[0].startswith("no wheel given")

    def test_absent_wheel_is_not_passed_over(self, tmp_path: Path) -> None:
        with pytest.raises(Unavailable, match="no such wheel"):
            footprint.WheelCase().run(Settings(wheel=tmp_path / "gone.whl"), Rivals())

    def test_package_files_leave_sources_and_byte_code_out(self, tmp_path: Path) -> None:
        package = tmp_path / "package"
        package.mkdir()
        for name in ("a.py", "a.pyi", "py.typed", "_a.pyx", "_a.c", "a.pyc"):
            (package / name).write_bytes(b"x")
        names = [Path(name).name for name, _ in footprint.package_files(package)]
        assert sorted(names) == ["a.py", "a.pyi", "py.typed"]


def toy_environment(missing: Mapping[str, str]) -> dict[str, Any]:
    names = {"implementation": "CPython", "python": "3.11.7", "cpu": "a cpu", "platform": "a platform"}
    return {**names, "packages": {"nnrp-wire": "1", "nnrp-py": None}, "missing_rivals": missing}


class TestReport:
    RESULT = Result(
        "parse_header", "ns", 50.0, "lower", {"struct": 200.0}, {"nnrp_py": "no"}, {OURS: 0.02, "struct": 0.1}, ["note"]
    )

    def test_rows_show_ratio_goal_and_missing_rival(self) -> None:
        first, second = report.table_rows(self.RESULT)
        assert first.split() == ["parse_header", "ns", "50.0", "2%", "struct", "200", "10%", "4.00x", ">=", "3x", "met"]
        assert second.split() == ["nnrp_py", "missing"]

    def test_missed_goal_is_said(self) -> None:
        (row,) = report.table_rows(Result("parse_header", "ns", 100.0, "lower", {"struct": 200.0}))
        assert row.endswith(">= 3x missed")
        (row,) = report.table_rows(Result("import_ms", "ms", 80.0, "lower"))
        assert row.endswith("< 60 ms missed")

    def test_head_names_the_missing_rival(self) -> None:
        head = "\n".join(report.table_head(toy_environment({"nnrp_py": "not installed"})))
        assert "missing rival nnrp_py: not installed" in head
        assert "nnrp-py missing" in head

    def test_json_has_the_fixed_shape_and_no_goals(self) -> None:
        document: Any = report.as_json(toy_environment({}), [self.RESULT], {"other": "why"})
        assert document["results"] == [
            {
                "name": "parse_header",
                "unit": "ns",
                "value": 50.0,
                "better": "lower",
                "rivals": {"struct": 200.0},
                "ratios": {"struct": 4.0},
            }
        ]
        assert document["notes"] == {"parse_header": ["note"]}
        assert document["skipped"] == {"other": "why"}


class TestCommand:
    def test_whole_suite(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(command, "QUICK", TINY)
        file = tmp_path / "figures.json"
        assert command.main(["--quick", "--rounds", "2", "--json", str(file)]) == 0
        document = json.loads(file.read_text())
        names = [result["name"] for result in document["results"]]
        assert names[: len(codec.CASES)] == [case.name for case in codec.CASES]
        assert {"iter_packets", "reader", "scan", "large_payload", "import_ms", "wheel_mb"} < set(names)
        assert document["environment"]["flags"]["arguments"][0] == "--quick"
        for result in document["results"]:
            assert result.keys() == {"name", "unit", "value", "better", "rivals", "ratios"}
            assert result["rivals"].keys() == result["ratios"].keys()
            assert result["value"] > 0
        table = capsys.readouterr().out
        assert all(f"\n{name} " in table for name in names)

    def test_one_case(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.main(["--quick", "--rounds", "1", "--case", "parse_header"]) == 0
        table = capsys.readouterr().out
        assert "\nparse_header " in table
        assert "import_ms" not in table

    def test_differing_results_are_an_error(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        case = StatementCase("toy", 1, lambda _: [statement(OURS, "outcome = 2")], ())
        monkeypatch.setattr(command, "SUITES", {"codec": (case,)})
        assert command.main(["--quick"]) == 1
        assert capsys.readouterr().err == "error: results differ, nothing to compare: toy, nnrp_wire: 2, expected 1\n"

    def test_case_that_cannot_run_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "figures.json"
        arguments = ["--case", "wheel_mb", "--wheel", str(tmp_path / "gone.whl"), "--json", str(file)]
        assert command.main(arguments) == 0
        assert "wheel_mb               skipped: no such wheel" in capsys.readouterr().out
        assert "no such wheel" in json.loads(file.read_text())["skipped"]["wheel_mb"]

    def test_list(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.main(["--list"]) == 0
        assert capsys.readouterr().out.splitlines() == [case.name for case in command.SUITES["codec"]]

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["--case", "no_such_case"], "no case no_such_case in suite codec"),
            (["--rounds", "0"], "must be at least 1"),
            (["--suite", "other"], "invalid choice"),
            (["--json", "/no/such/directory/f.json"], "no directory"),
        ],
    )
    def test_wrong_usage(self, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            command.main(arguments)
        assert caught.value.code == 2
        assert words in capsys.readouterr().err

    def test_help(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            command.main(["--help"])
        assert caught.value.code == 0
        assert "--json FILE" in capsys.readouterr().out
