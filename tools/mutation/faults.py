"""The list of seeded faults, tests/mutation/faults.py: each is one place of one file, and says why it would matter."""

from __future__ import annotations

import runpy
from dataclasses import dataclass
from pathlib import Path

LIST = "tests/mutation/faults.py"


class Rotten(Exception):
    """A fault whose place in the sources is gone, or not the only one of its kind any more."""


@dataclass(frozen=True)
class Fault:
    """`old` occurs once in `file` and becomes `new`."""

    file: str
    old: str
    new: str
    why: str

    def applied_to(self, text: str) -> str:
        count = text.count(self.old)
        if count != 1:
            raise Rotten(f"{self.file}: {count} places read {self.old!r}, wanted one ({self.why})")
        if self.old == self.new:
            raise Rotten(f"{self.file}: the fault changes nothing ({self.why})")
        return text.replace(self.old, self.new)


def load(root: Path) -> list[Fault]:
    rows = runpy.run_path(str(root / LIST))["FAULTS"]
    return [Fault(*row) for row in rows]
