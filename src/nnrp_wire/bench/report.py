"""The figures as a table for people and as JSON for machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nnrp_wire.bench.goals import ratio_verdict, value_verdict
from nnrp_wire.bench.runner import Result

COLUMNS = "{:<22} {:<9} {:>10} {:>5}  {:<11} {:>10} {:>5} {:>9}  {}"


def number(value: float) -> str:
    """Three significant digits are what such measurements carry; whole numbers beyond that."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def factor(ratio: float) -> str:
    return number(ratio) + "x"


def percent(spread: float | None) -> str:
    return "" if spread is None else f"{spread:.0%}"


def table_head(environment: Mapping[str, Any]) -> Iterator[str]:
    versions = ", ".join(f"{name} {version or 'missing'}" for name, version in environment["packages"].items())
    yield f"{environment['implementation']} {environment['python']} on {environment['cpu']} ({environment['platform']})"
    yield versions
    for rival, reason in environment["missing_rivals"].items():
        yield f"missing rival {rival}: {reason}"
    if environment["missing_rivals"]:
        yield "rivals come with the extra bench: pip install nnrp-wire[bench]"
    yield ""
    yield COLUMNS.format("case", "unit", "nnrp_wire", "+-", "rival", "value", "+-", "better by", "goal").rstrip()


def table_rows(result: Result) -> Iterator[str]:
    """One line per rival; what belongs to the case itself stands on its first line only."""
    verdict = value_verdict(result)
    own_spread = next(iter(result.spread.values()), None)
    case_columns = [result.name, result.unit, number(result.value), percent(own_spread)]
    lines = []
    if verdict is not None or not (result.rivals or result.missing):
        lines.append(("", "", "", "", str(verdict or "")))
    for rival, value in result.rivals.items():
        goal = str(ratio_verdict(result, rival) or "")
        lines.append((rival, number(value), percent(result.spread.get(rival)), factor(result.ratios[rival]), goal))
    lines += [(rival, "missing", "", "", "") for rival in result.missing]
    for line in lines:
        yield COLUMNS.format(*case_columns, *line).rstrip()
        case_columns = ["", "", "", ""]


def table_notes(results: Sequence[Result]) -> Iterator[str]:
    yield ""
    yield "+-: half the width of the middle half of the rounds, in percent of their median"
    for result in results:
        for note in result.notes:
            yield f"{result.name}: {note}"


def as_json(environment: Mapping[str, object], results: Sequence[Result], skipped: Mapping[str, str]) -> object:
    """The document of `--json`; rivals that are missing are named in its environment."""
    return {
        "environment": dict(environment),
        "results": [
            {
                "name": result.name,
                "unit": result.unit,
                "value": round(result.value, 3),
                "better": result.better,
                "rivals": {rival: round(value, 3) for rival, value in result.rivals.items()},
                "ratios": {rival: round(ratio, 3) for rival, ratio in result.ratios.items()},
            }
            for result in results
        ],
        "spread": {result.name: {name: round(value, 4) for name, value in result.spread.items()} for result in results},
        "notes": {result.name: list(result.notes) for result in results if result.notes},
        "skipped": dict(skipped),
    }
