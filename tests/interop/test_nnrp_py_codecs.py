"""Every layout through both codecs: the same verdict, the same fields, the same bytes, except as listed."""

from __future__ import annotations

from typing import Any

import interop_peer as peer
import pytest
from hypothesis import given, settings
from interop_values import arbitrary, valid
from wirekit import data, oracle, raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError

few = settings(max_examples=40)
LAYOUTS = sorted(peer.CODECS)


def ours(layout: str, source: bytes) -> str | None:
    """The error class our decoder ends with, or None."""
    try:
        wire.VIEWS[layout].parse(source)
    except WireError as error:
        return error.error_class
    return None


def agree(layout: str, source: bytes) -> None:
    """Both read the same fields, and both write them as the same bytes, the peer from its own constructor too."""
    view, decoded = wire.VIEWS[layout].parse(source), peer.CODECS[layout].unpack(source)
    values = view.as_dict()
    theirs = peer.fields(layout, decoded)
    assert {name: values[name] for name in theirs} == theirs
    unknown_to_the_peer = values.keys() - theirs.keys()
    assert all(name == "magic" or values[name] == 0 for name in unknown_to_the_peer)
    assert decoded.pack() == bytes(view) == source
    made = peer.constructed(layout, values).pack()
    assert made == source
    assert wire.VIEWS[layout].parse(made).as_dict() == values
    assert bytes(wire.VIEWS[layout].build(**values)) == made


def changed(layout: str, changes: Any) -> bytes:
    """The first vector of the layout that both codecs accept, with some fields changed."""
    accepted = (raw.read(layout, seed) for seed in data.layout_seeds()[layout])
    plain = next(values for values in accepted if peer.predicted(layout, values))
    return raw.layout(layout, {**plain, **changes})


def examples(rows: list[Any]) -> pytest.MarkDecorator:
    listed = [(row, change) for row in rows for change in row.examples]
    return pytest.mark.parametrize(
        ("row", "change"), listed, ids=[f"{row.layout}-{'-'.join(map(str, change))}" for row, change in listed]
    )


def test_every_layout_is_compared_but_the_listed_ones() -> None:
    assert set(LAYOUTS) == set(wire.VIEWS) - peer.NO_PYTHON_CODEC


@examples(peer.ACCEPTS)
def test_peer_accepts_what_the_wire_refuses(row: peer.Accepts, change: dict[str, int]) -> None:
    source = changed(row.layout, change)
    assert peer.takes(row.layout, source)
    assert ours(row.layout, source) == oracle.layout_error(row.layout, source)
    with pytest.raises(WireError) as refused:
        wire.VIEWS[row.layout].parse(source)
    assert refused.value.rule in row.checks


@pytest.mark.parametrize("row", peer.ACCEPTS, ids=lambda row: row.layout)
def test_no_accepting_row_lists_a_check_without_an_example(row: peer.Accepts) -> None:
    seen = set()
    for change in row.examples:
        with pytest.raises(WireError) as refused:
            wire.VIEWS[row.layout].parse(changed(row.layout, change))
        seen.add(refused.value.rule)
    assert seen == set(row.checks)


@examples(peer.REJECTS)
def test_peer_rejects_what_the_wire_accepts(row: peer.Rejects, change: dict[str, int]) -> None:
    source = changed(row.layout, change)
    assert row.when(raw.read(row.layout, source))
    assert ours(row.layout, source) is None
    assert not peer.takes(row.layout, source)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_valid_values(layout: str) -> None:
    @few
    @given(valid(layout))
    def check(values: dict[str, Any]) -> None:
        assert peer.predicted(layout, values)
        source = raw.layout(layout, values)
        assert ours(layout, source) is None
        agree(layout, source)

    check()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_values(layout: str) -> None:
    """No difference but the listed ones, in either direction."""

    @few
    @given(arbitrary(layout))
    def check(values: dict[str, Any]) -> None:
        source = raw.layout(layout, values)
        verdict = ours(layout, source)
        assert verdict == oracle.layout_error(layout, source)
        taken = peer.takes(layout, source)
        assert taken is peer.predicted(layout, values)
        if taken and verdict is None:
            agree(layout, source)

    check()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_vector(layout: str) -> None:
    """The published and constructed vectors, accepted and refused ones."""
    rows = [row for row in data.vectors("layout") if row["layout"] == layout]
    assert rows
    for row in rows:
        source = bytes.fromhex(row["hex"])
        content = source[: raw.size(layout)]
        if len(content) < raw.size(layout):
            assert not peer.takes(layout, content)
            assert row["expect"] != "ok"
            continue
        taken = peer.takes(layout, content)
        assert taken is peer.predicted(layout, raw.read(layout, content)), row["id"]
        if taken and row["expect"] == "ok":
            agree(layout, content)
