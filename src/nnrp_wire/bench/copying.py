"""What it costs to copy a payload behind its headers, beside handing out a list of two buffers.

This is what the constant `COPY_THRESHOLD` of the builders rests on. The buffers are written to the null device, which
takes them without looking at them: what differs between the contenders is then the copy on the one side, and on the
other the second buffer that every layer down to the kernel has to carry.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nnrp_wire.bench.rivals import Rivals
from nnrp_wire.bench.runner import (
    Contender,
    Result,
    Settings,
    StatementSampler,
    Unavailable,
    interleave,
    medians,
    spreads,
)

SIZES = tuple(kibibytes << 10 for kibibytes in (1, 4, 8, 16, 32, 64, 256, 1024))
CLEARLY = 1.25
HEAD = bytes(80)
LIST = "list"
COPY = "copy"


def size_label(size: int) -> str:
    return f"{size >> 20}m" if size >= 1 << 20 else f"{size >> 10}k"


def contenders(size: int, descriptor: int) -> Sequence[Contender]:
    common = {"head": HEAD, "payload": bytes(size), "descriptor": descriptor}
    return [
        Contender(
            LIST,
            "buffers = [head, payload]\nwritten = writev(descriptor, buffers)",
            {**common, "writev": os.writev},
            _written,
        ),
        Contender(
            COPY,
            "packet = join((head, payload))\nwritten = write(descriptor, packet)",
            {**common, "write": os.write, "join": b"".join},
            _written,
        ),
    ]


def _written(names: Mapping[str, Any]) -> object:
    return names["written"]


def threshold(lists: Mapping[int, float], copies: Mapping[int, float]) -> int | None:
    """The smallest size from which on the list is clearly quicker at every size.

    Clearly, because the list has costs that do not show here: its holder keeps more objects, and a transport that
    joins the buffers after all makes the copy nevertheless.
    """
    found = None
    for size in sorted(lists, reverse=True):
        if copies[size] < lists[size] * CLEARLY:
            break
        found = size
    return found


@dataclass(frozen=True)
class CopyThresholdCase:
    name: str = "copy_threshold"

    def run(self, settings: Settings, rivals: Rivals) -> list[Result]:
        if not hasattr(os, "writev"):
            raise Unavailable("needs os.writev")
        lists: dict[int, float] = {}
        copies: dict[int, float] = {}
        results = []
        descriptor = os.open(os.devnull, os.O_WRONLY)
        try:
            for size in SIZES:
                pair = contenders(size, descriptor)
                samplers = [StatementSampler(contender, settings.sample_ns) for contender in pair]
                samples = interleave(samplers, settings.rounds, settings.seed)
                figures = medians(samples)
                lists[size], copies[size] = figures[LIST], figures[COPY]
                name = f"{self.name}_{size_label(size)}"
                rivals_here = {COPY: copies[size]}
                results.append(Result(name, "ns", lists[size], "lower", rivals_here, spread=spreads(samples)))
        finally:
            os.close(descriptor)
        found = threshold(lists, copies)
        verdict = "at no size measured" if found is None else f"from {found} bytes on"
        note = f"value: a list of two buffers; rival: one copied buffer; the list is clearly quicker {verdict}"
        results[-1] = replace(results[-1], notes=[note])
        return results


CASES = (CopyThresholdCase(),)
