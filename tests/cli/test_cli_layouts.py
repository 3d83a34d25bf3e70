"""`nnrp-wire layouts`."""

from __future__ import annotations

import pytest

from nnrp_wire.wire import VIEWS


def test_all_layouts_are_listed(run):
    outcome = run("layouts")
    assert outcome.code == 0
    rows = [line.split() for line in outcome.out.splitlines()[1:]]
    assert [(row[0], int(row[1])) for row in rows] == [(name, view.size) for name, view in VIEWS.items()]
    assert ["scheduling", "32", "PRIORITY_UPDATE", "DEADLINE", "EXPIRE_AT"] in rows
    assert ["common_header", "40"] in rows


@pytest.mark.parametrize("name", VIEWS)
def test_a_layout_shows_its_fields_and_rules(run, name):
    view = VIEWS[name]
    shown = run("layouts", name)
    assert shown.code == 0
    assert f"{name}, {view.size} bytes" in shown.out
    rows = [line.split() for line in shown.out.splitlines()]
    for info in view.fields:
        assert [str(info.offset), str(info.size), info.name, info.type] in [row[:4] for row in rows]
    error = "invalid_recovery_ticket" if name == "recovery_ticket_prefix" else "source_too_short"
    assert ["1", "layout", error] in [row[:3] for row in rows]


def test_names_are_found_in_all_their_spellings(run):
    expected = run("layouts", "partial_result").out
    assert "operation_id != 0" in expected
    for name in ("PartialResult", "PARTIAL_RESULT", "partial-result"):
        assert run("layouts", name).out == expected
    assert run("layouts", "DEADLINE").out == run("layouts", "scheduling").out


@pytest.mark.parametrize(
    ("asked", "near"),
    [("frame_submitt", "frame_submit"), ("hello", "client_hello"), ("partal_result", "partial_result")],
)
def test_an_unknown_name_is_told_what_is_near(run, asked, near):
    outcome = run("layouts", asked)
    assert (outcome.code, outcome.out) == (2, "")
    assert near in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_name_that_is_near_to_nothing(run):
    outcome = run("layouts", "\x1b[31m[red]zzz")
    assert outcome.code == 2
    assert "\x1b" not in outcome.err
    assert "`nnrp-wire layouts` lists them" in outcome.err
