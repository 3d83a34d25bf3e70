"""Every way of ending: an exit code, at most one line of words, never a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from cli_support import CAPTURES, command, with_header

from nnrp_wire.cli import main

CAPTURE = str(CAPTURES / "submit_stream_partial_result_push.json")
LARGE = str(CAPTURES / "native_client_vs_raw_server_variants.json")


def test_0_whatever_the_packets_break_3_when_strict(spawn, ping):
    bad = with_header(ping, version_major=9)
    for input, strict in ((ping, 0), (bad, 3), (ping + bad, 3), (ping + b"junk", 3)):
        assert spawn("inspect", "-", input=input).code == 0
        for more in ((), ("--json",), ("--summary",)):
            assert spawn("inspect", "-", "--strict", *more, input=input).code == strict


@pytest.mark.parametrize(
    "args",
    [
        ("inspect",),
        ("inspect", "-", "--format", "pcap"),
        ("inspect", "-", "--limit", "0"),
        ("inspect", "-", "--limit", "x"),
        ("inspect", "-", "--max-packet-bytes", "-1"),
        ("inspect", "-", "--nonsense"),
        ("inspect", "a", "b"),
        ("nonsense",),
        ("layouts", "nonsense"),
        ("layouts", "a", "b"),
    ],
)
def test_2_is_usage(spawn, args):
    outcome = spawn(*args)
    assert outcome.code == 2
    assert "Traceback" not in outcome.err
    assert outcome.err
    assert outcome.out == ""


def test_help(spawn):
    for args in (("--help",), ("inspect", "--help"), ("layouts", "--help")):
        outcome = spawn(*args)
        assert outcome.code == 0
        assert "Usage: nnrp-wire" in outcome.out


def test_main_returns_the_code(capsys, tmp_path):
    assert main(["inspect", CAPTURE]) == 0
    assert main(["inspect", str(tmp_path / "missing")]) == 1
    assert main(["layouts", "nonsense"]) == 2
    assert main(["--nonsense"]) == 2
    capsys.readouterr()


def test_a_reader_that_leaves(tmp_path):
    path = tmp_path / "packets.json"
    path.write_bytes(b"[" + b",".join([_rows(LARGE)] * 20) + b"]")
    for more in ((), ("--json",), ("--full",)):
        with subprocess.Popen(
            command("inspect", str(path), *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(60) == 141


def _rows(name: str) -> bytes:
    with open(name, "rb") as file:
        return file.read().strip()[1:-1]


def test_a_full_disk_is_one_line(spawn):
    with open("/dev/full", "wb") as full:
        result = subprocess.run(command("inspect", LARGE), stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert result.returncode == 1
    assert result.stderr.startswith(b"nnrp-wire: writing stopped: ")
    assert result.stderr.count(b"\n") == 1


def test_interrupted(ping):
    with subprocess.Popen(
        command("inspect", "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdin.write(ping)
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == b""


def test_standard_input_closed(spawn):
    result = subprocess.run(["sh", "-c", '"$0" -m nnrp_wire.cli inspect - <&-', sys.executable], capture_output=True)
    assert result.returncode == 1
    assert result.stderr.count(b"\n") == 1


BLOCK = """
import sys
for name in ("typer", "rich"):
    sys.modules[name] = None
from nnrp_wire.cli import main
sys.exit(main(["layouts"]))
"""


def test_without_the_extra(spawn):
    outcome = spawn(argv=[sys.executable, "-c", BLOCK])
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert "pip install nnrp-wire[cli]" in outcome.err


def test_importing_the_package_does_not_import_the_extra(spawn):
    script = "import sys, nnrp_wire.cli; print(sorted({'typer', 'rich', 'orjson'} & set(sys.modules)))"
    assert spawn(argv=[sys.executable, "-c", script]).out.strip() == "[]"


def test_a_fault_of_ours_is_one_line_too(run, ping, monkeypatch):
    def fail(*_):
        raise RuntimeError("a\nb")

    monkeypatch.setattr("nnrp_wire.cli._inspect.describe", fail)
    outcome = run("inspect", "-", input=ping)
    assert outcome.code == 1
    assert outcome.err == "nnrp-wire: internal error: RuntimeError: a\\nb\n"
