"""Rounds in which every contender takes part, and what comes out of them."""

from __future__ import annotations

import gc
import random
import reprlib
import statistics
import textwrap
import timeit
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter_ns
from typing import Any, Literal, Protocol

from nnrp_wire.bench.rivals import Rivals

OURS = "nnrp_wire"

Better = Literal["lower", "higher"]


class Mismatch(Exception):
    """Two contenders do not agree on what they read or wrote, so timing them would compare different work."""


class Unavailable(Exception):
    """This machine or installation cannot run the case at all."""


@dataclass(frozen=True)
class Settings:
    """How much measuring is done; the work that is measured is always the same."""

    rounds: int = 61
    process_rounds: int = 15
    sample_ns: int = 1_500_000
    seed: int = 20250101
    scan_bytes: int = 64 << 20
    wheel: Path | None = None

    @property
    def of_long_samples(self) -> Settings:
        """For statements of which one turn already takes long."""
        return replace(self, rounds=self.process_rounds)


@dataclass(frozen=True)
class Result:
    """One figure of ours, beside the same figure of each rival."""

    name: str
    unit: str
    value: float
    better: Better
    rivals: Mapping[str, float] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    spread: Mapping[str, float] = field(default_factory=dict)
    """Per contender, half the width of the middle half of its rounds, relative to its median."""
    notes: Sequence[str] = ()

    @property
    def ratios(self) -> dict[str, float]:
        """By which factor ours is better than each rival, whichever direction is better."""
        if self.better == "lower":
            return {rival: theirs / self.value for rival, theirs in self.rivals.items()}
        return {rival: self.value / theirs for rival, theirs in self.rivals.items()}


class Case(Protocol):
    """Something `python -m nnrp_wire.bench` can run by name."""

    @property
    def name(self) -> str: ...

    def run(self, settings: Settings, rivals: Rivals) -> list[Result]: ...


class Sampler(Protocol):
    """One contender in the rounds: after `prepare`, each `sample` measures it once."""

    @property
    def name(self) -> str: ...

    def prepare(self) -> None: ...

    def sample(self) -> float: ...


@contextmanager
def garbage_collector_off() -> Iterator[None]:
    """Collect first, so that no contender pays for the garbage of the one before it."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def interleave(samplers: Sequence[Sampler], rounds: int, seed: int) -> dict[str, list[float]]:
    """Sample every contender once per round, in an order shuffled anew for each round.

    A slow second of a shared machine then falls on all contenders, and no contender always runs behind the same other
    one, whose cache contents it would inherit.
    """
    order = list(samplers)
    shuffle = random.Random(seed).shuffle
    samples: dict[str, list[float]] = {sampler.name: [] for sampler in samplers}
    with garbage_collector_off():
        for sampler in samplers:
            sampler.prepare()
        for _ in range(rounds):
            shuffle(order)
            for sampler in order:
                samples[sampler.name].append(sampler.sample())
    return samples


def medians(samples: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {name: statistics.median(values) for name, values in samples.items()}


def spreads(samples: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """How far the rounds lie apart: what the reader may believe of the last digits."""
    result = {}
    for name, values in samples.items():
        if len(values) > 1:
            low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
            result[name] = (high - low) / 2 / middle
    return result


@dataclass(frozen=True)
class Contender:
    """One way to do the work of a case, as source text.

    The text is timed inside the loop that `timeit` compiles, so every contender pays the same loop and nobody pays for
    a wrapper function; the very same text in the very same loop has its outcome checked before.
    """

    name: str
    statement: str
    names: Mapping[str, object]
    observe: Callable[[Mapping[str, Any]], object]

    def outcome(self) -> object:
        """What one execution in the timed loop itself comes to."""
        seen: list[object] = []

        def note(variables: Mapping[str, Any]) -> None:
            seen.append(self.observe(variables))

        timeit.Timer(f"{self.statement}\nnote(locals())", globals={**self.names, "note": note}).timeit(1)
        return seen[0]

    def function(self) -> Callable[[], None]:
        """The statement as a function, for tools that time callables."""
        namespace: dict[str, Any] = dict(self.names)
        source = f"def run():\n{textwrap.indent(self.statement, '    ')}\n"
        exec(source, namespace)  # noqa: S102 - the source stands in this package
        run: Callable[[], None] = namespace["run"]
        return run


class StatementSampler:
    """Times a contender's statement: nanoseconds for one execution."""

    def __init__(self, contender: Contender, sample_ns: int) -> None:
        self.name = contender.name
        self.count = 1
        self._sample_ns = sample_ns
        self._timer = timeit.Timer(contender.statement, timer=perf_counter_ns, globals=dict(contender.names))

    def prepare(self) -> None:
        """Warm up, and find the number of executions that fills one sample."""
        elapsed = self._timer.timeit(self.count)
        while elapsed < self._sample_ns / 4:
            self.count *= 2
            elapsed = self._timer.timeit(self.count)
        self.count = max(1, round(self.count * self._sample_ns / elapsed))

    def sample(self) -> float:
        return self._timer.timeit(self.count) / self.count


def difference(outcome: object, expected: object) -> str:
    """The part of two outcomes that differs, short enough for one line."""
    if isinstance(outcome, Mapping) and isinstance(expected, Mapping):
        for key in expected:
            if key not in outcome:
                return f"{key} is absent"
            if outcome[key] != expected[key]:
                return f"{key}: {difference(outcome[key], expected[key])}"
    if isinstance(outcome, bytes) and isinstance(expected, bytes):
        if len(outcome) != len(expected):
            return f"{len(outcome)} bytes, expected {len(expected)}"
        at = next(index for index, pair in enumerate(zip(outcome, expected, strict=True)) if pair[0] != pair[1])
        return f"byte {at} is {outcome[at]:#04x}, expected {expected[at]:#04x}"
    return f"{reprlib.repr(outcome)}, expected {reprlib.repr(expected)}"


@dataclass(frozen=True)
class StatementCase:
    """A case whose contenders are statements that must all come to the `expected` outcome."""

    name: str
    expected: object
    contenders: Callable[[Rivals], Sequence[Contender]]
    rival_names: Sequence[str]
    unit: Literal["ns", "packets/s"] = "ns"
    per_statement: int = 1

    @property
    def better(self) -> Better:
        return "lower" if self.unit == "ns" else "higher"

    def checked_contenders(self, rivals: Rivals) -> Sequence[Contender]:
        contenders = self.contenders(rivals)
        for contender in contenders:
            outcome = contender.outcome()
            if outcome != self.expected:
                raise Mismatch(f"{self.name}, {contender.name}: {difference(outcome, self.expected)}")
        return contenders

    def run(self, settings: Settings, rivals: Rivals) -> list[Result]:
        contenders = self.checked_contenders(rivals)
        samplers = [StatementSampler(contender, settings.sample_ns) for contender in contenders]
        samples = interleave(samplers, settings.rounds, settings.seed)
        figures = {name: self._figure(ns) for name, ns in medians(samples).items()}
        return [
            Result(
                name=self.name,
                unit=self.unit,
                value=figures.pop(OURS),
                better=self.better,
                rivals=figures,
                missing={name: rivals.missing[name] for name in self.rival_names if name in rivals.missing},
                spread=spreads(samples),
            )
        ]

    def _figure(self, nanoseconds: float) -> float:
        if self.unit == "ns":
            return nanoseconds / self.per_statement
        return self.per_statement * 1e9 / nanoseconds
