"""`--plot FILE`: by which factor ours is better, as bars; one group per case, one colour per rival."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nnrp_wire.bench.copying import COPY
from nnrp_wire.bench.goals import RATIO_GOALS
from nnrp_wire.bench.report import factor
from nnrp_wire.bench.runner import Result

ROW_INCHES = 0.24
GAP = 0.8
"""Between two cases, in rows."""


class NoPlot(Exception):
    """Why there can be no picture."""


def load_matplotlib() -> tuple[Any, Any]:
    """The module and its Figure; no display is touched, figures are drawn without pyplot."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise NoPlot(f"--plot needs matplotlib: pip install nnrp-wire[bench] ({error})") from error
    return matplotlib, Figure


def picture(results: Sequence[Result], environment: Mapping[str, Any]) -> bytes:
    """An SVG of all results that have rivals; our own other way, the copy, is none."""
    matplotlib, figure_class = load_matplotlib()
    shown = [result for result in results if result.ratios.keys() - {COPY}]
    if not shown:
        raise NoPlot("no case that was run has a rival to compare with")
    rivals = list(dict.fromkeys(rival for result in shown for rival in result.ratios))
    colours = {rival: f"C{number}" for number, rival in enumerate(rivals)}
    # Text stays text, and two runs with the same figures give the same file.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "nnrp_wire.bench"}):
        rows = sum(len(result.ratios) for result in shown) + GAP * (len(shown) - 1)
        figure = figure_class(figsize=(9, 1.5 + ROW_INCHES * rows), layout="constrained")
        axes = figure.subplots()
        at = 0.0
        centres = []
        for result in shown:
            centres.append(at + (len(result.ratios) - 1) / 2)
            for rival, ratio in result.ratios.items():
                goal = RATIO_GOALS.get(result.name, {}).get(rival)
                axes.barh(at, ratio - 1, left=1, color=colours[rival])
                if goal is not None:
                    axes.plot([goal, goal], [at - 0.4, at + 0.4], color="black", linewidth=2)
                place = (max(ratio, goal or 1, 1), at)
                text = f"{rival} {factor(ratio)}"
                axes.annotate(text, place, (5, 0), textcoords="offset points", va="center", size=7)
                at += 1
            at += GAP
        axes.axvline(1, color="black", linewidth=0.8)
        axes.set_xscale("log")
        ratios = [ratio for result in shown for ratio in result.ratios.values()]
        axes.set_xlim(min(0.5, min(ratios) / 1.5), max(ratios) * 6)
        axes.set_ylim(rows, -1)
        axes.set_yticks(centres, [result.name for result in shown])
        axes.set_xlabel("times better than the rival (logarithmic); black marks: goals")
        name = f"{environment['implementation']} {environment['python']}, {environment['cpu']}"
        axes.set_title(f"nnrp-wire beside its rivals, medians of one interleaved run\n{name}", size=10)
        handles = [matplotlib.patches.Patch(color=colours[rival], label=rival) for rival in rivals]
        axes.legend(handles=handles, loc="lower right", fontsize=8)
        drawn = io.BytesIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    return drawn.getvalue()


def write(path: Path, results: Sequence[Result], environment: Mapping[str, Any]) -> None:
    path.write_bytes(picture(results, environment))
