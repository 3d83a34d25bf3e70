"""``python -m nnrp_wire.bench``: run a suite, print its table, write its JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nnrp_wire.bench import allocation, batch, codec, copying, environment, footprint, plot, report, streams
from nnrp_wire.bench.rivals import load_rivals
from nnrp_wire.bench.runner import Case, Mismatch, Result, Settings, Unavailable

SUITES: Mapping[str, Sequence[Case]] = {
    "codec": (*codec.CASES, *streams.CASES, *batch.CASES, *allocation.CASES, *footprint.CASES, *copying.CASES),
}

QUICK = Settings(rounds=15, process_rounds=5, sample_ns=500_000, scan_bytes=8 << 20)


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def parser() -> argparse.ArgumentParser:
    parsed = argparse.ArgumentParser(
        prog="python -m nnrp_wire.bench",
        description="Measure nnrp-wire beside its rivals, all in the same interleaved rounds. Figures are medians.",
    )
    parsed.add_argument("--suite", choices=sorted(SUITES), default="codec", help="what to measure (default: codec)")
    parsed.add_argument("--case", action="append", metavar="NAME", help="only this case; may be given several times")
    parsed.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    parsed.add_argument("--quick", action="store_true", help="fewer and shorter rounds: a look, not a measurement")
    parsed.add_argument("--rounds", type=positive, metavar="N", help="rounds of the timed loops")
    parsed.add_argument("--wheel", type=Path, metavar="FILE", help="the wheel whose size is reported as wheel_mb")
    parsed.add_argument("--plot", type=Path, metavar="FILE", help="also draw the ratios to FILE as SVG")
    parsed.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to FILE as JSON")
    return parsed


def settings_from(options: argparse.Namespace) -> Settings:
    settings = QUICK if options.quick else Settings()
    if options.rounds is not None:
        settings = replace(settings, rounds=options.rounds, process_rounds=min(options.rounds, settings.process_rounds))
    return replace(settings, wheel=options.wheel)


def chosen_cases(options: argparse.Namespace, usage: argparse.ArgumentParser) -> Sequence[Case]:
    cases = {case.name: case for case in SUITES[options.suite]}
    if options.case is None:
        return tuple(cases.values())
    unknown = [name for name in options.case if name not in cases]
    if unknown:
        usage.error(f"no case {', '.join(unknown)} in suite {options.suite}; there are: {', '.join(cases)}")
    return tuple(case for name, case in cases.items() if name in options.case)


def run(
    cases: Sequence[Case], settings: Settings, arguments: Sequence[str], json_file: Path | None, svg_file: Path | None
) -> None:
    rivals = load_rivals()
    surroundings = environment.describe(arguments, rivals.missing)
    print("\n".join(report.table_head(surroundings)), flush=True)
    results: list[Result] = []
    skipped: dict[str, str] = {}
    for case in cases:
        try:
            figures = case.run(settings, rivals)
        except Unavailable as reason:
            skipped[case.name] = str(reason)
            print(f"{case.name:<22} skipped: {reason}", flush=True)
            continue
        results += figures
        for result in figures:
            print("\n".join(report.table_rows(result)), flush=True)
    print("\n".join(report.table_notes(results)))
    if json_file is not None:
        document = report.as_json(surroundings, results, skipped)
        json_file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    if svg_file is not None:
        plot.write(svg_file, results, surroundings)


def main(arguments: Sequence[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    usage = parser()
    options = usage.parse_args(arguments)
    if options.list:
        print("\n".join(case.name for case in SUITES[options.suite]))
        return 0
    cases = chosen_cases(options, usage)
    for file in (options.json, options.plot):
        if file is not None and not file.parent.is_dir():
            usage.error(f"no directory {file.parent} to write {file.name} in")
    try:
        if options.plot is not None:
            plot.load_matplotlib()  # not after a minute of measuring
        run(cases, settings_from(options), arguments, options.json, options.plot)
    except Mismatch as mismatch:
        print(f"error: results differ, nothing to compare: {mismatch}", file=sys.stderr)
        return 1
    except (OSError, plot.NoPlot) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
