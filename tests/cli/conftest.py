"""What the tests of the command share: a runner in this process and one in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("typer", reason="needs the extra cli")
pytest.importorskip("rich", reason="needs the extra cli")

# Helpers are a plain module beside the tests; the tests themselves are imported without their folder on the path.
sys.path.insert(0, str(Path(__file__).parent))

from cli_support import Outcome, Run, command, partial_result
from typer.testing import CliRunner

from nnrp_wire.cli._app import app
from nnrp_wire.wire import MessageType, build_packet


@pytest.fixture
def run() -> Run:
    """The command in this process: `run("inspect", "-", input=b"…")`."""
    runner = CliRunner()

    def call(*args, input=b""):
        result = runner.invoke(app, list(args), input=input)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def spawn() -> Run:
    """The command in a process of its own, as a user runs it."""

    def call(*args, input=b"", env=None, argv=()):
        result = subprocess.run(
            argv or command(*args), input=input, capture_output=True, timeout=60, env={**os.environ, **(env or {})}
        )
        return Outcome(result.returncode, result.stdout.decode("utf-8", "replace"), result.stderr.decode())

    return call


@pytest.fixture(scope="session")
def ping() -> bytes:
    return build_packet(MessageType.PING, session_id=7)


@pytest.fixture(scope="session")
def partial() -> bytes:
    return partial_result(b'{"type":"x","delta":"hel"}')
