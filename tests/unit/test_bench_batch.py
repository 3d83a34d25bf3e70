"""The cases `scan` and `large_payload`."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnrp_wire.bench import allocation, batch
from nnrp_wire.bench.rivals import Rivals
from nnrp_wire.bench.runner import OURS, Mismatch, Settings, Unavailable

SANITIZED = pytest.mark.skipif("os.environ.get('NNRP_WIRE_SANITIZE')", reason="a sanitizer's allocator is measured")


class TestScan:
    def test_figures_are_packets_per_second(self) -> None:
        settings = Settings(rounds=50, process_rounds=2, sample_ns=1, scan_bytes=300_000)
        (result,) = batch.ScanCase().run(settings, Rivals())
        assert (result.name, result.unit, result.better) == ("scan", "packets/s", "higher")
        assert result.rivals.keys() == {"struct_loop", "struct_table"}
        assert all(ratio > 2 for ratio in result.ratios.values())

    def test_it_takes_the_rounds_of_long_samples(self) -> None:
        settings = Settings(rounds=50, process_rounds=2, scan_bytes=1)
        assert (settings.of_long_samples.rounds, settings.of_long_samples.scan_bytes) == (2, 1)

    def test_a_loop_that_loses_a_packet_is_no_rival(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(batch, "TABLE_BY_HAND", batch.TABLE_BY_HAND + "rows.pop(0)\n")
        with pytest.raises(Mismatch, match="struct_table: count: 99, expected 100"):
            batch.ScanCase().of(15_000).checked_contenders(Rivals())

    def test_the_default_is_the_size_that_the_goal_speaks_of(self) -> None:
        assert Settings().scan_bytes == 64 << 20


class TestLargePayload:
    @SANITIZED
    def test_both_measures_see_a_copy_and_none_of_ours(self) -> None:
        size = 4 << 20
        found = allocation.extra_bytes(size)
        names = {"build traced", "parse traced"}
        if Path("/proc/self/smaps_rollup").exists():
            names |= {"build grown", "parse grown"}
        assert found.keys() == {OURS, "copy"}
        for figures in found.values():
            assert figures.keys() == names
        assert all(value < 65536 for value in found[OURS].values())
        assert all(size <= value < size + 65536 for value in found["copy"].values())

    def test_the_largest_figure_is_the_result(self, monkeypatch: pytest.MonkeyPatch) -> None:
        figures = {OURS: {"build traced": 1, "parse grown": 7}, "copy": {"build traced": 70, "parse grown": 2}}
        monkeypatch.setattr(allocation, "extra_bytes", lambda: figures)
        (result,) = allocation.LargePayloadCase().run(Settings(), Rivals())
        assert (result.value, result.unit, result.better) == (7, "bytes", "lower")
        assert result.rivals == {"copy": 70}
        assert "build 1 by tracemalloc, parse 7 of resident memory" in result.notes[0]

    def test_a_system_that_does_not_tell_is_named(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(allocation, "SMAPS", tmp_path / "none")
        found = allocation.extra_bytes(1 << 20)
        assert found[OURS].keys() == {"build traced", "parse traced"}
        monkeypatch.setattr(allocation, "extra_bytes", lambda: found)
        (result,) = allocation.LargePayloadCase().run(Settings(), Rivals())
        assert "resident memory not measured" in result.notes[1]

    def test_a_failing_interpreter_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(allocation, "PROGRAM", "raise RuntimeError('broken')")
        with pytest.raises(Unavailable, match="RuntimeError: broken"):
            allocation.extra_bytes()
