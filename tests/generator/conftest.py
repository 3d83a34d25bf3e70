"""The generator is a tool of the checkout and no part of the package, so its tests reach it by path."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))


@pytest.fixture(scope="session")
def command() -> list[str]:
    return [sys.executable, str(ROOT / "tools/generate_wire.py")]


@pytest.fixture(scope="session")
def original() -> dict[str, Any]:
    """The table as JSON holds it; read only, `raw` is the one to change."""
    return json.loads((ROOT / "schema/wire.json").read_text(encoding="utf-8"))


@pytest.fixture
def raw(original: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(original)


@pytest.fixture(scope="session")
def made(original: dict[str, Any]) -> dict[str, str]:
    """Every generated file of the project's own table, by its path."""
    import generate_wire
    from wiregen import model

    return generate_wire.generate(model.build(original))
