"""Code in an interpreter of its own: for what may crash, and for what must not share its memory with other tests."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from wirekit.memory import PATIENCE

SUPPORT = Path(__file__).resolve().parents[1]


def start(code: str) -> subprocess.CompletedProcess[str]:
    """Run the code with this helper package and the package under test at hand."""
    paths = [str(SUPPORT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        check=False,
    )


def run(code: str) -> str:
    """What the code printed; when it ended badly, what it said about that is the assertion."""
    done = start(code)
    assert done.returncode == 0, done.stderr
    return done.stdout
