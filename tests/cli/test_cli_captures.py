"""Every capture through the command: what `expected.json` says is what it shows."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest
from cli_support import CAPTURES

EXPECTED = json.loads((CAPTURES / "expected.json").read_text())
FILES = sorted(path for path in CAPTURES.rglob("*.json") if path.name != "expected.json")
# `packet` there is parse_packet: the header, the exact packet length, and the layout of the metadata.
STAGE = {"packet": "layout"}


def refused_rows() -> dict[str, dict[int, tuple[str, str]]]:
    rows: dict[str, dict[int, tuple[str, str]]] = defaultdict(dict)
    for row in EXPECTED["refused"]:
        rows[row["file"]][row["row"]] = (STAGE.get(row["stage"], row["stage"]), row["error"])
    return rows


REFUSED = refused_rows()


def test_the_captures_are_here():
    assert len(FILES) > 100


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CAPTURES)))
def test_capture(run, path):
    rows = json.loads(path.read_text())
    refused = REFUSED.get(str(path.relative_to(CAPTURES)), {})
    outcome = run("inspect", str(path), "--json")
    assert outcome.code == 0, outcome.err
    lines = outcome.lines()
    assert [line["row"] for line in lines] == list(range(len(rows)))
    for row, line in zip(rows, lines, strict=True):
        assert line["hex"] == row["hex"]
        assert (line["direction"], line["note"]) == (row["direction"], row["note"])
        found = [(breach["stage"], breach["error"]) for breach in line["breaches"]]
        assert found[:1] == ([refused[line["row"]]] if line["row"] in refused else []), line
        kind = "packet" if row["hex"].startswith("4e4e5250") else "foreign" if row["hex"] else "end"
        assert line["kind"] == kind
    # Read back, its own lines say the same again.
    again = run("inspect", "-", "--json", input=outcome.out.encode())
    assert again.code == 0
    assert again.out == outcome.out
    # As a tree: the same verdict, every packet with a heading, nothing that a terminal would obey.
    tree = run("inspect", str(path))
    assert tree.code == 0
    headings = [line for line in tree.out.splitlines() if line.startswith("#")]
    assert len(headings) == len(rows)
    assert sum("  refused" in line for line in headings) == len(refused)
    assert sum("end of stream" in line for line in headings) == sum(not row["hex"] for row in rows)
    assert not set(tree.out) & set(map(chr, [*range(10), *range(11, 32), 127]))
    assert run("inspect", str(path), "--full").code == 0
    warned = any(line["warnings"] for line in lines)
    assert run("inspect", str(path), "--strict").code == (3 if refused or warned else 0)


def test_totals(run):
    kinds: dict[str, int] = defaultdict(int)
    refused = 0
    for path in FILES:
        (line,) = run("inspect", str(path), "--json", "--summary").lines()
        kinds["packets"] += line["packets"]
        kinds["ends"] += line["ends"]
        kinds["foreign"] += line["foreign"]
        refused += line["refused"]
        assert line["unreadable"] == line["gaps"]["count"] == 0
        assert sum(count["packets"] for count in line["messages"].values()) == line["packets"]
    counts = EXPECTED["counts"]
    assert dict(kinds) == {
        "packets": counts["rebuilt"] + counts["refused"],
        "ends": counts["empty"],
        "foreign": counts["other"],
    }
    assert refused == counts["refused"]


def test_the_packets_of_a_capture_as_one_stream(run):
    """Hex rows glued together are the raw stream of that direction, and tell the same packets."""
    rows = json.loads((CAPTURES / "submit_stream_partial_result_push.json").read_text())
    stream = bytes.fromhex("".join(row["hex"] for row in rows))
    raw = run("inspect", "-", "--json", input=stream).lines()
    text = run("inspect", "-", "--json", input=stream.hex(" ", 16).encode()).lines()
    assert raw == text
    assert [line["hex"] for line in raw] == [row["hex"] for row in rows if row["hex"]]
