"""Hunt for bugs with libFuzzer and atheris, and keep what a hunt has found worth keeping.

    python tools/fuzz.py list                            the targets
    python tools/fuzz.py hunt TARGET... [--seconds N]    from the corpus and the vectors on, then `keep`
    python tools/fuzz.py keep TARGET...                  corpus, vectors and last hunt become the smallest corpus of
                                                         the same coverage

TARGET is a name of the list, or `all`. Hunting needs clang; the py_ targets also need atheris in this interpreter's
environment. A crash ends the hunt and leaves its input under build/fuzz/crashes. Replaying a corpus needs neither:
`pytest tests/fuzz`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from fuzzing import targets  # noqa: E402  (the path above makes the import possible)

LONGEST_INPUT = 1024
# A corpus is read by everybody's tests: these bounds are checked by tests/fuzz.
MOST_FILES, MOST_BYTES = 300, 1_000_000


def smallest(target: targets.Target) -> list[Path]:
    """The fewest inputs that cover what all of them cover together; how often counts too, if that is not too many."""
    given = [target.corpus, target.write_seeds(), targets.WORK / "found" / target.name]
    for folder in given:
        folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    for counters in (1, 0):
        kept = targets.fill(targets.WORK / "kept" / target.name, ())
        target.fuzz("-set_cover_merge=1", f"-use_counters={counters}", f"-max_len={LONGEST_INPUT}", kept, *given)
        files = list(kept.iterdir())
        if len(files) <= MOST_FILES:
            break
    return files


def keep(target: targets.Target) -> None:
    files = smallest(target)
    size = sum(path.stat().st_size for path in files)
    if not 0 < len(files) <= MOST_FILES or size > MOST_BYTES:
        raise SystemExit(f"{target.name}: {len(files)} files of {size} bytes are no corpus to keep")
    targets.fill(target.corpus, [path.read_bytes() for path in files])
    print(f"{target.name}: kept {len(files)} inputs, {size} bytes")


def hunt(target: targets.Target, seconds: int) -> None:
    found, crashes = targets.WORK / "found" / target.name, targets.WORK / "crashes"
    for folder in (found, crashes, target.corpus):
        folder.mkdir(parents=True, exist_ok=True)
    target.fuzz(
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST_INPUT}",
        f"-artifact_prefix={crashes}/{target.name}-",
        "-print_final_stats=1",
        found,
        target.corpus,
        target.write_seeds(),
    )
    keep(target)


def attempt(target: targets.Target, task: str, seconds: int) -> str | None:
    """What is missing for it, when something is: the other targets may do without."""
    try:
        if task == "hunt":
            hunt(target, seconds)
        else:
            keep(target)
    except targets.Unavailable as reason:
        return str(reason)
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["list", "hunt", "keep"])
    parser.add_argument("target", nargs="*")
    parser.add_argument("--seconds", type=int, default=600)
    options = parser.parse_args()
    known = targets.all_targets()
    if options.task == "list":
        print("\n".join(known))
        return 0
    names = list(known) if options.target == ["all"] else options.target
    unknown = [name for name in names if name not in known]
    if not names or unknown:
        parser.error(f"no such target: {', '.join(unknown) or 'none given'}")
    missing = {reason for name in names if (reason := attempt(known[name], options.task, options.seconds))}
    for reason in missing:
        print(reason, file=sys.stderr)
    return 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
