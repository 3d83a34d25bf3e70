"""The statement cases of ``python -m nnrp_wire.bench`` under pytest-benchmark.

For comparing two states of this package on one machine (``--benchmark-save``, ``--benchmark-compare``); for figures
beside the rivals use the command itself, whose rounds are interleaved. Run as ``pytest benchmarks/bench_codec.py``.
"""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from nnrp_wire.bench import batch, codec, streams
from nnrp_wire.bench.rivals import load_rivals
from nnrp_wire.bench.runner import Contender


def contenders() -> list[object]:
    rivals = load_rivals()
    return [
        pytest.param(case.name, contender, id=f"{case.name}-{contender.name}")
        for case in (*codec.CASES, *streams.CASES, batch.ScanCase().of(8 << 20))
        for contender in case.checked_contenders(rivals)
    ]


@pytest.mark.parametrize(("case", "contender"), contenders())
def test_case(benchmark: BenchmarkFixture, case: str, contender: Contender) -> None:
    benchmark.group = case
    benchmark.name = contender.name
    benchmark(contender.function())
