"""The goals of the suites, kept in this one place. They are shown to people and never change a figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nnrp_wire.bench.runner import Result

# Case -> rival -> by which factor we want to be better.
RATIO_GOALS: Mapping[str, Mapping[str, float]] = {
    "parse_header": {"struct": 3, "nnrp_py": 60},
    "frame_submit_1k_parse": {"nnrp_py": 150, "protobuf": 1},
    "frame_submit_1k_build": {"nnrp_py": 150, "protobuf": 1},
    "result_push_parse": {"nnrp_py": 100},
    "result_push_build": {"nnrp_py": 100},
    "partial_result_parse": {"nnrp_py": 40},
    "partial_result_build": {"nnrp_py": 40},
    "reader": {"struct_loop": 4},
    "scan": {"struct_loop": 40},
}

# Case -> the value itself is to stay below.
VALUE_GOALS: Mapping[str, float] = {"import_ms": 60, "wheel_mb": 1.5, "large_payload": 65536}


@dataclass(frozen=True)
class Verdict:
    goal: str
    met: bool

    def __str__(self) -> str:
        return f"{self.goal} {'met' if self.met else 'missed'}"


def value_verdict(result: Result) -> Verdict | None:
    limit = VALUE_GOALS.get(result.name)
    return None if limit is None else Verdict(f"< {limit:g} {result.unit}", result.value < limit)


def ratio_verdict(result: Result, rival: str) -> Verdict | None:
    factor = RATIO_GOALS.get(result.name, {}).get(rival)
    return None if factor is None else Verdict(f">= {factor:g}x", result.ratios[rival] >= factor)
