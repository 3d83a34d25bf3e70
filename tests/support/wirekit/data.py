"""The published data: vectors, captures, and the table of the wire."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[2]
ROOT = TESTS.parent
CAPTURES = TESTS / "captures"

Row = dict[str, Any]


@cache
def table() -> Row:
    """The table every generated file comes from."""
    loaded: Row = json.loads((ROOT / "schema" / "wire.json").read_text(encoding="utf-8"))
    return loaded


@cache
def _all_vectors() -> tuple[Row, ...]:
    document = json.loads((TESTS / "vectors" / "vectors.json").read_text(encoding="utf-8"))
    return tuple(document["vectors"])


def vectors(*kinds: str, ok: bool | None = None) -> list[Row]:
    """Vectors of the given kinds (of every kind when none is given); `ok` keeps only accepted or only refused ones."""
    return [
        row
        for row in _all_vectors()
        if (not kinds or row["kind"] in kinds) and (ok is None or (row["expect"] == "ok") is ok)
    ]


def vector(name: str) -> Row:
    (row,) = (row for row in _all_vectors() if row["id"] == name)
    return row


def vector_bytes(name: str) -> bytes:
    return bytes.fromhex(vector(name)["hex"])


def ids(rows: list[Row]) -> list[str]:
    return [row["id"] for row in rows]


@cache
def layout_seeds() -> dict[str, tuple[bytes, ...]]:
    """For each layout the bytes of its accepted vectors, cut to the size of the layout."""
    seeds: dict[str, list[bytes]] = {name: [] for name in table()["layouts"]}
    for row in vectors("layout", ok=True):
        size = table()["layouts"][row["layout"]]["size"]
        seeds[row["layout"]].append(bytes.fromhex(row["hex"])[:size])
    return {name: tuple(dict.fromkeys(found)) for name, found in seeds.items()}


@cache
def packets() -> dict[str, bytes]:
    """Every accepted packet vector, by its id; each of the 51 message types is among them."""
    return {row["id"]: bytes.fromhex(row["hex"]) for row in vectors("packet", ok=True)}


@cache
def plain_messages() -> dict[str, bytes]:
    """One accepted packet per message type, by the name of the message."""
    return {name: packets()[f"packet.every.{name}"] for name in table()["messages"]}


def message_code(name: str) -> int:
    return int(table()["messages"][name]["code"], 16)


def rule_text(name: str) -> str:
    """What an error says that a rule outside the layouts was broken, by the rule's name in the table."""
    return str(table()["procedural_rules"][name]["check"])


def broken_rule(error: Any) -> str:
    """The name of the rule an error is about, when it stands in the table by name; else the error class."""
    for name, row in table()["procedural_rules"].items():
        if row["check"] == error.rule:
            assert error.error_class == row["error"]
            assert error.stage.name.lower() == row["stage"]
            return str(name)
    return str(error.error_class)


def class_name(name: str) -> str:
    """`frame_submit` -> `FrameSubmit`: how the package names the class of a layout, enum, mask or error class."""
    return "".join(part.capitalize() for part in name.split("_"))


@cache
def capture_rows() -> tuple[tuple[str, int, bytes], ...]:
    """(file, row number, bytes) of every captured row, in time order inside a file."""
    rows: list[tuple[str, int, bytes]] = []
    for path in sorted(CAPTURES.rglob("*.json")):
        name = path.relative_to(CAPTURES).as_posix()
        if name != "expected.json":
            listed = json.loads(path.read_text(encoding="utf-8"))
            rows += [(name, number, bytes.fromhex(row["hex"])) for number, row in enumerate(listed)]
    return tuple(rows)


@cache
def capture_expectations() -> Row:
    loaded: Row = json.loads((CAPTURES / "expected.json").read_text(encoding="utf-8"))
    return loaded
