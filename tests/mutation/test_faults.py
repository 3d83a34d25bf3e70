"""The seeded faults of faults.py still have their place in the sources. Whether tests notice them: `make mutation`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from faults import FAULTS

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("file", "old", "new", "why"), FAULTS, ids=[f"{index}" for index in range(1, len(FAULTS) + 1)])
def test_place(file, old, new, why):
    assert (ROOT / file).read_text(encoding="utf-8").count(old) == 1, f"{why}: give the fault its place back"
    assert new != old


def test_fifty_different_faults():
    assert len(FAULTS) == 50
    assert len(set(FAULTS)) == 50
    reach = Counter(Path(file).parts[0] for file, *_ in FAULTS)
    assert set(reach) == {"csrc", "schema", "src"}
