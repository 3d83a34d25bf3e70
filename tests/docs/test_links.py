"""Every relative link leads to a file of the project, and to a heading in it where it names one."""

from __future__ import annotations

import re

import pytest
from docs_support import PAGES, ROOT, anchors, inline_code, label, links

FOLDERS = ("benchmarks/", "csrc/", "docs/", "schema/", "src/", "tests/", "tools/")


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_links_resolve(page):
    for target in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        place, _, anchor = target.partition("#")
        file = page if not place else (page.parent / place).resolve()
        assert file.exists(), f"{label(page)}: {target}"
        assert ROOT in (file, *file.parents), f"{label(page)}: {target} leaves the project"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{label(page)}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_paths_in_code_exist(page):
    """`docs/wire.md` in backticks is a promise too; patterns with * or <> are looked up as such."""
    for code in inline_code(page):
        if not code.startswith(FOLDERS) or " " in code:
            continue
        pattern = re.sub(r"<\w+>", "*", code.split(":")[0]).rstrip("/")
        if "{" not in pattern:
            assert list(ROOT.glob(pattern)), f"{label(page)}: {code}"
