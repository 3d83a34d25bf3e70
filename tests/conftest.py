"""What every test shares: which build is under test, and how Hypothesis behaves here."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

import nnrp_wire

ROOT = Path(__file__).resolve().parent.parent

# No deadline: a sanitizer build is many times slower. Derandomized in CI: a change must not fail by a new draw.
hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_report_header() -> str:
    """Name the package under test: an installed one, unless PYTHONPATH says otherwise."""
    variant = "sanitizer build" if os.environ.get("NNRP_WIRE_SANITIZE") else "build"
    return f"nnrp_wire: {nnrp_wire.__version__}, {variant} in {Path(nnrp_wire.__file__).parent}"


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The checkout, for tests that read the table, the captures or the C sources."""
    return ROOT
