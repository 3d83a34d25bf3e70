"""Would the tests notice? Puts one small fault after the other into a copy of the tree, builds it and runs the tests.

    python tools/mutate.py                 every fault of tests/mutation/faults.py; exit 1 when one survives
    python tools/mutate.py --only 3,7-9    some of them, by number
    python tools/mutate.py --list          what they are

The interpreter needs what `make test` installs, and Cython. The first copy is built and tested without a fault: tests
that fail anyway prove nothing. Faults of the core go through the C tests first, which need no extension.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from mutation import faults, judge  # noqa: E402  (the path above makes the import possible)


def numbers(text: str, count: int) -> list[int]:
    """`3,7-9` as numbers."""
    chosen: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        chosen += range(int(first), int(last or first) + 1)
    if not all(1 <= number <= count for number in chosen):
        raise SystemExit(f"there are faults 1 to {count}")
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="N", help="numbers and ranges of faults")
    parser.add_argument("--list", action="store_true", help="print the faults and do nothing")
    parser.add_argument("--jobs", type=int, default=1, help="copies at work at the same time")
    options = parser.parse_args()
    known = faults.load(ROOT)
    chosen = numbers(options.only, len(known)) if options.only else list(range(1, len(known) + 1))
    if options.list:
        for number in chosen:
            print(f"{number:3}  {known[number - 1].file}: {known[number - 1].why}")
        return 0
    workshop = judge.Workshop(ROOT)
    workshop.prepare()
    survivors = 0

    def one(number: int) -> tuple[int, judge.Verdict, float]:
        start = time.monotonic()
        return number, workshop.judge(number, known[number - 1]), time.monotonic() - start

    with ThreadPoolExecutor(options.jobs) as pool:
        for number, verdict, seconds in pool.map(one, chosen):
            survivors += not verdict.caught
            fault = known[number - 1]
            what = "caught  " if verdict.caught else "SURVIVED"
            print(f"{number:3}  {what} {seconds:5.0f} s  {fault.file}: {fault.why}\n       {verdict.by}", flush=True)
    print(f"caught {len(chosen) - survivors} of {len(chosen)}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
