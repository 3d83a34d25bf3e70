"""Every rule of the table that stands outside the layouts is broken by name in some test."""

from __future__ import annotations

import pytest
from wirekit import data

SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in (data.TESTS / "unit").glob("test_*.py"))


@pytest.mark.parametrize("name", data.table()["procedural_rules"])
def test_rule_is_broken_somewhere(name):
    assert f'"{name}"' in SOURCES


def test_texts_tell_the_rules_apart():
    texts = [row["check"] for row in data.table()["procedural_rules"].values()]
    layout_texts = {check["check"] for row in data.table()["layouts"].values() for check in row["checks"]}
    shared = [text for text in texts if texts.count(text) > 1]
    assert shared == []
    # The submit_mode rule of 6.4.4 runs at the message stage as well as over the region, in the same words.
    assert layout_texts & set(texts) == {data.rule_text("reference_mode")}
