"""The types that users see, as mypy reads them from the installed package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy", reason="mypy is a development tool")
pytestmark = pytest.mark.timeout(600)
HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize("version", ["3.10", "3.13"])
def test_mypy_agrees(tmp_path: Path, version: str) -> None:
    # Elsewhere and without configuration: nothing of the checkout helps.
    result = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", tmp_path),
            *("--python-version", version, HERE / "accepted.py", HERE / "refused.py"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
