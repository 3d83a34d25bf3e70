"""What the packaging tests share: running commands as somebody would who has never seen the checkout."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def run(*command: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run outside the checkout, with nothing of it on the module path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NNRP_WIRE_"))}
    return subprocess.run(command, cwd=cwd, env=environment | variables, capture_output=True, text=True, check=False)


def checked(*command: str | Path, cwd: Path, **variables: str) -> str:
    result = run(*command, cwd=cwd, **variables)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout
