"""Markdown pages as the tests see them: fences with their language, inline code, links, anchors.

What a fence means:

    python    runs; what it prints must be the `text` fence right behind it
    pycon     runs as a doctest
    console   `$ command` lines run, what follows is their output; a line `…` stands for any number of lines
    sh        commands that must exist

The python and pycon fences of a page run in order and share their names, as a reader would type them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ROOT / "docs/wire-reference.md"
GUIDES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").glob("*.md") if path != GENERATED)]
NOT_OURS = {"build", "dist", "node_modules"}
PAGES = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part.startswith(".") or part in NOT_OURS for part in path.relative_to(ROOT).parts)
)

_OPENING = re.compile(r"^( {0,3})(`{3,})(\w*)\s*$")
_LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Fence:
    """A fenced block: `line` is that of its first line of text, counted from 1."""

    language: str
    line: int
    end: int
    text: str


def fences(path: Path) -> list[Fence]:
    found: list[Fence] = []
    opened: tuple[str, str, int] | None = None
    lines: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if opened is None:
            if start := _OPENING.match(line):
                opened, lines = (start[2], start[3], number + 1), []
        elif line.strip() == opened[0]:
            found.append(Fence(opened[1], opened[2], number, "".join(f"{text}\n" for text in lines)))
            opened = None
        else:
            lines.append(line)
    assert opened is None, f"{label(path)}: the fence before line {opened[2]} is not closed"
    return found


def prose(path: Path) -> str:
    """The page without its fences; line numbers stay."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for fence in fences(path):
        lines[fence.line - 2 : fence.end] = [""] * (fence.end - fence.line + 2)
    return "\n".join(lines)


def inline_code(path: Path) -> list[str]:
    """What stands between single backticks, line breaks as spaces."""
    return [" ".join(code.split()) for code in re.findall(r"(?<!`)`([^`]+)`(?!`)", prose(path))]


def links(path: Path) -> Iterator[str]:
    """Targets of links, those in inline code left out."""
    yield from _LINK.findall(re.sub(r"(?<!`)`[^`]+`(?!`)", "code", prose(path)))


def anchors(path: Path) -> set[str]:
    """The anchors that headings get: lower case, punctuation gone, spaces as hyphens, repeats numbered."""
    made: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.*?) *$", prose(path), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        name, repeat = slug, 0
        while name in made:
            repeat += 1
            name = f"{slug}-{repeat}"
        made.add(name)
    return made
