"""Only documented names are public, so every public name is documented, and no page names what is not there."""

from __future__ import annotations

import builtins
import dataclasses
import re

import pytest
from docs_support import GENERATED, ROOT, fences, inline_code, label

import nnrp_wire
from nnrp_wire import errors, wire

WIRE = ROOT / "docs/wire.md"
NAMED = [ROOT / "README.md", WIRE, ROOT / "CHANGELOG.md"]
# Methods and attributes of the types that the guide speaks of, and words of Python.
HOLDERS = [wire.Packet, wire.PacketReader, wire.ResultSlot, wire.LayoutView, wire.DataPlaneBody, wire.TensorSection]
HOLDERS += [bytes, memoryview, dict, builtins]


def words(page) -> set[str]:
    text = " ".join([*inline_code(page), *(fence.text for fence in fences(page))])
    return set(re.findall(r"[A-Za-z_]\w*", text))


def test_every_public_name_is_documented():
    guide = words(WIRE) | words(ROOT / "docs/numpy.md")
    reference = set(re.findall(r"\w+", GENERATED.read_text(encoding="utf-8")))
    missing = set(wire.__all__) - guide - reference
    assert missing == set()


@pytest.mark.parametrize("page", NAMED, ids=label)
def test_calls_in_code_exist(page):
    """`name(` in backticks is a call of the package, of one of its types, or of Python."""
    for code in inline_code(page):
        if match := re.match(r"([A-Za-z_]\w*)\(", code):
            name = match[1]
            if name.startswith("build_x"):
                continue
            assert hasattr(wire, name) or any(hasattr(holder, name) for holder in HOLDERS), f"{label(page)}: {code}"


def test_the_error_tree_of_the_guide_is_the_tree_of_the_classes():
    [tree] = [fence.text for fence in fences(WIRE) if fence.text.startswith("NnrpError")]
    drawn = set(re.findall(r"[A-Z]\w+", tree)) - {"ValueError"}
    assert drawn == {name for name in errors.__all__ if isinstance(getattr(errors, name), type)}


def test_constructor_defaults_of_the_guide_are_those_of_the_code():
    """Tensor, Section and Extension are written out with their defaults."""
    text = " ".join(inline_code(WIRE))
    for kind in (wire.Tensor, wire.Section, wire.Extension):
        parts = []
        for field in dataclasses.fields(kind):
            if field.init:
                default = "" if field.default is dataclasses.MISSING else f"={field.default!r}"
                parts.append(field.name + default)
        assert f"{kind.__name__}({', '.join(parts)})" in text


def test_version_of_the_changelog_is_that_of_the_package():
    [newest] = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[:1]
    assert newest == nnrp_wire.__version__
