"""A message more is an entry more in the table: the package built with two messages that nobody has, one hot."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys

import generate_wire
import pytest
from greeting import add_greeting

FOLDERS = ("csrc/include", "csrc/src", "schema", "src", "tools")
FILES = ("LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py")

PROGRAM = """
from nnrp_wire.wire import *

for kind, view in ((MessageType.GREETING, Greeting), (MessageType.WAVE, Wave)):
    fields = {"flags": 3, "asked": 6, "given": 4, "mood": 5, "warmth": -2}
    packet = parse_packet(build_message(kind, fields, b"hello", session_id=7))
    check_message(packet, strict=True)
    check_body(packet)
    assert type(packet.metadata) is view and packet.message_type is kind
    assert packet.metadata.flags is GreetingFlags.LOUD | GreetingFlags.LONG and packet.metadata.warmth == -2
    assert bytes(message_tails(packet)["text"]) == b"hello"
    assert build_packet(kind, packet.metadata, packet.body, session_id=7) == packet.to_bytes()
    assert dtype(view).itemsize == view.size == 32 and VIEWS[view.layout_name] is view
    refused = {"flags": (4, ReservedBitsSet), "given": (1, InvalidProtocolCombination), "mood": (9, UnknownEnumValue)}
    for field, (value, error) in refused.items():
        try:
            view.build(**{**fields, field: value})
        except error as breach:
            assert breach.layout == view.layout_name and breach.field == field
        else:
            raise AssertionError(field)
print("both are there")
"""


def renamed(raw, name, code):
    """Another message with the greeting's layout, under another name, as straight-line code."""
    raw["enums"]["message_type"]["values"][str(code)] = name
    raw["layouts"][name] = {**copy.deepcopy(raw["layouts"]["greeting"]), "messages": [name], "hot": True}
    raw["messages"][name] = {**copy.deepcopy(raw["messages"]["greeting"]), "code": hex(code), "metadata": name}


@pytest.mark.timeout(900)
def test_a_new_message_is_one_entry(raw, tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    add_greeting(raw)
    renamed(raw, "wave", 0x5B)
    tree = tmp_path / "tree"
    ignore = shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info", "_codec.c")
    for name in FOLDERS:
        shutil.copytree(generate_wire.ROOT / name, tree / name, ignore=ignore)
    for name in FILES:
        shutil.copy(generate_wire.ROOT / name, tree / name)
    (tree / "schema/wire.json").write_text(json.dumps(raw), encoding="utf-8")
    subprocess.run([sys.executable, "tools/generate_wire.py", "--root", "."], cwd=tree, check=True, timeout=60)
    place = tmp_path / "installed"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(place), str(tree)]
    # Without optimisation it is built in half the time; the sanitizers of an outer run are not for this build.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LD_PRELOAD", "NNRP_WIRE_"))}
    built = subprocess.run(
        command, env={**environment, "NNRP_WIRE_DEBUG": "1"}, capture_output=True, text=True, timeout=800, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    environment["PYTHONPATH"] = str(place)
    command = [sys.executable, "-c", PROGRAM]
    ran = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.stdout == "both are there\n", ran.stderr
