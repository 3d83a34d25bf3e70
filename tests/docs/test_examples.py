"""Every example of the README and the guides runs, offline, with the package alone, and prints what the page says."""

from __future__ import annotations

import contextlib
import doctest
import io
from pathlib import Path

import pytest
from docs_support import GUIDES, Fence, fences, label

WITH_EXAMPLES = [page for page in GUIDES if any(fence.language in {"python", "pycon"} for fence in fences(page))]


def run_script(page: Path, fence: Fence, follower: Fence | None, names: dict[str, object]) -> None:
    # Empty lines in front, so that a traceback names the line of the page.
    code = compile("\n" * (fence.line - 1) + fence.text, label(page), "exec", dont_inherit=True)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)  # noqa: S102 - running it is the point
    expected = follower.text if follower is not None and follower.language == "text" else ""
    assert printed.getvalue() == expected, f"{label(page)}:{fence.line} prints something else"


def run_session(page: Path, fence: Fence, names: dict[str, object]) -> None:
    case = doctest.DocTestParser().get_doctest(fence.text, {}, label(page), label(page), fence.line - 1)
    case.globs = names
    report = io.StringIO()
    outcome = doctest.DocTestRunner(verbose=False).run(case, out=report.write, clear_globs=False)
    assert outcome.attempted, f"{label(page)}:{fence.line} has no example"
    assert not outcome.failed, report.getvalue()


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=label)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "example"}
    found = fences(page)
    for fence, follower in zip(found, [*found[1:], None], strict=True):
        if fence.language == "python":
            behind = follower is not None and follower.line - fence.end <= 3
            run_script(page, fence, follower if behind else None, names)
        elif fence.language == "pycon":
            run_session(page, fence, names)


def test_pages_have_examples():
    """The pages that teach must not lose their examples unnoticed."""
    assert {label(page) for page in WITH_EXAMPLES} >= {"README.md", "docs/wire.md"}
    assert sum(fence.language == "pycon" for page in WITH_EXAMPLES for fence in fences(page)) >= 15
