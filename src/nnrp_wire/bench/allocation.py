"""The case `large_payload`: what is allocated beside a payload of 16 MiB while a packet of it is built and read.

Measured in a fresh interpreter, twice: once by `tracemalloc`, whose peak shows whatever Python's allocators gave out in
between, and once by the resident memory of the process, which shows every page, whoever asked for it. The resident
memory is that of `smaps_rollup`, which the kernel counts page by page; its quicker counters are off by some hundred
KiB. A payload of 32 KiB goes first, so that what is loaded once is not counted. The rival is the same with the one copy
that most codecs make each way; it also shows that the measurement sees such a copy.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from nnrp_wire.bench.copying import COPY
from nnrp_wire.bench.footprint import PACKAGE_DIRECTORY
from nnrp_wire.bench.rivals import Rivals
from nnrp_wire.bench.runner import OURS, Result, Settings, Unavailable

PAYLOAD_BYTES = 16 << 20
SMAPS = Path("/proc/self/smaps_rollup")

PROGRAM = """\
import gc, json, sys, tracemalloc
sys.path.insert(0, {root!r})
from nnrp_wire.wire import TypedPayload, build_frame_submit, build_frame_submit_buffers
from nnrp_wire.wire import frame_submit_body, parse_message

def build(payload):
    return build_frame_submit_buffers(TypedPayload(payload), session_id=1, frame_id=2, operation_id=3)

def parse(packet):
    found = parse_message(packet)
    body = frame_submit_body(found)
    return found, body, body.payload(0)

def build_one_buffer(payload):
    return [build_frame_submit(TypedPayload(payload), session_id=1, frame_id=2, operation_id=3)]

def parse_and_copy(packet):
    *kept, payload = parse(packet)
    return *kept, bytes(payload)

def resident():
    with open({smaps!r}, "rb") as file:
        for line in file:
            if line.startswith(b"Rss:"):
                return int(line.split()[1]) * 1024

def traced(work, given):
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = work(given)
    extra = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return extra, kept

def grown(work, given):
    before = resident()
    kept = work(given)
    return resident() - before, kept

def figures(size, build, parse):
    payload = b"\\xa5" * size
    packet = b"".join(build(payload))
    found = {{}}
    for measure in (traced, grown) if {resident} else (traced,):
        for name, work, given in (("build", build, payload), ("parse", parse, packet)):
            found[name + " " + measure.__name__], kept = measure(work, given)
            # The payload must be there, or nothing was saved by leaving it out.
            assert sum(map(len, kept)) == len(packet) if work is build else kept[-1] == payload
            del kept
    return found

gc.disable()
for size in (32 << 10, {size}):
    found = {{"{ours}": figures(size, build, parse), "{copy}": figures(size, build_one_buffer, parse_and_copy)}}
print(json.dumps(found))
"""


def extra_bytes(size: int = PAYLOAD_BYTES) -> dict[str, dict[str, int]]:
    """Per contender 'build traced', 'parse traced' and, where the system tells, 'build grown', 'parse grown'."""
    root, resident = str(PACKAGE_DIRECTORY.parent), SMAPS.exists()
    program = PROGRAM.format(root=root, smaps=str(SMAPS), resident=resident, size=size, ours=OURS, copy=COPY)
    # Freed memory goes back to the system at once; glibc would keep it after a while, and a copy could hide in there.
    surroundings = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(128 << 10)}
    command = [sys.executable, "-c", program]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, env=surroundings)
    if finished.returncode != 0:
        lines = finished.stderr.strip().splitlines() or ["no message"]
        raise Unavailable(f"the measuring interpreter failed: {lines[-1]}")
    found: dict[str, dict[str, int]] = json.loads(finished.stdout)
    return found


@dataclass(frozen=True)
class LargePayloadCase:
    name: str = "large_payload"

    def run(self, settings: Settings, rivals: Rivals) -> list[Result]:
        found = extra_bytes()
        words = {"traced": "by tracemalloc", "grown": "of resident memory"}
        parts = [f"{step} {value:,} {words[how]}" for (step, how), value in pairs(found[OURS])]
        notes = [f"the largest of: {', '.join(parts)}; rival: one buffer built, the payload copied out"]
        if not SMAPS.exists():
            notes.append(f"no {SMAPS} here: resident memory not measured")
        values = {name: max(figures.values()) for name, figures in found.items()}
        return [Result(self.name, "bytes", values.pop(OURS), "lower", values, notes=notes)]


def pairs(figures: dict[str, int]) -> list[tuple[list[str], int]]:
    return [(name.split(), value) for name, value in figures.items()]


CASES = (LargePayloadCase(),)
