"""Commands that the pages name exist: make targets, nnrp-wire and its options, modules, scripts, switches."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shlex
import subprocess
import sys

import pytest
from docs_support import GENERATED, PAGES, ROOT, fences, inline_code, label

OUR_PAGES = [page for page in PAGES if page != GENERATED]
FENCES = {"", "sh", "console"}
WORDS = ("make", "nnrp-wire", "python", "pip", "tools/", ".ci/run")


def commands(page) -> list[list[str]]:
    """Command lines of a page as words, comments and prompts left out."""
    lines = [line for fence in fences(page) if fence.language in FENCES for line in fence.text.splitlines()]
    lines += inline_code(page)
    found = []
    for line in lines:
        text = re.sub(r"^\s*(\$ )?", "", line)
        if text.startswith(WORDS) and "://" not in text:
            found.append(shlex.split(text, comments=True))
    return found


ALL = [(page, words) for page in OUR_PAGES for words in commands(page)]


def of(program: str):
    chosen = [(page, words) for page, words in ALL if words[0] == program]
    assert chosen, f"no page names {program}"
    return pytest.mark.parametrize(
        ("page", "words"), chosen, ids=[f"{label(page)}: {' '.join(words)[:60]}" for page, words in chosen]
    )


@pytest.fixture(scope="session")
def targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@of("make")
def test_make_target_exists(page, words, targets):
    named = [word for word in words[1:] if "=" not in word and not word.startswith("-") and word.isascii()]
    assert set(named) <= targets


def test_the_first_two_commands_open_the_readme():
    first = fences(ROOT / "README.md")[0]
    assert [line.split("#")[0].strip() for line in first.text.splitlines()] == ["make demo", "make test"]


@pytest.fixture(scope="session")
def options() -> dict[str, set[str]]:
    """The options of each subcommand of nnrp-wire."""
    typer = pytest.importorskip("typer", reason="needs the extra cli")
    from nnrp_wire.cli._app import app

    command = typer.main.get_command(app)
    return {
        name: {text for option in sub.params for text in option.opts if text.startswith("-")}
        for name, sub in command.commands.items()
    }


@of("nnrp-wire")
def test_subcommand_and_options_exist(page, words, options):
    if len(words) == 1 or words[1] == "…":
        return
    assert words[1] in options, f"nnrp-wire has no {words[1]}"
    assert {word for word in words[2:] if word.startswith("--")} <= options[words[1]]
    assert all((ROOT / word).is_file() for word in words[2:] if word.startswith("tests/"))


def test_the_option_table_is_complete_and_true(options):
    named = {code.split()[0] for code in inline_code(ROOT / "docs/inspect.md") if code.startswith("--")}
    assert named == options["inspect"]


@of("python")
def test_module_or_script_exists(page, words):
    if words[1] == "-m":
        assert importlib.util.find_spec(words[2]) is not None
    else:
        assert (ROOT / words[1]).is_file()


def test_scripts_exist():
    for _, words in ALL:
        if words[0].startswith(("tools/", ".ci/")):
            assert (ROOT / words[0]).exists(), words[0]


@of("pip")
def test_extras_exist(page, words):
    extras = set(importlib.metadata.metadata("nnrp-wire").get_all("Provides-Extra") or ())
    for word in words:
        if match := re.fullmatch(r"nnrp-wire\[([\w,]+)\]", word):
            assert set(match[1].split(",")) <= extras


def test_build_switches_are_those_of_setup_py():
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    known = set(re.findall(r"^ {4}(NNRP_WIRE_[A-Z]+)=1 ", setup, re.MULTILINE))
    readme = {code for code in inline_code(ROOT / "README.md") if code.startswith("NNRP_WIRE_")}
    assert {code.removesuffix("=1") for code in readme} == known


def transcripts() -> list[tuple[str, list[str]]]:
    found = []
    for page in OUR_PAGES:
        for fence in fences(page):
            if fence.language == "console":
                prompt, *output = fence.text.splitlines()
                assert prompt.startswith("$ "), f"{label(page)}:{fence.line}"
                found.append((prompt[2:], output))
    return found


@pytest.mark.parametrize(("line", "output"), transcripts(), ids=[line[:50] for line, _ in transcripts()])
def test_transcript_is_what_the_command_prints(line, output):
    pytest.importorskip("typer", reason="needs the extra cli")
    program, *arguments = shlex.split(line)
    assert program == "nnrp-wire"
    result = subprocess.run(
        [sys.executable, "-m", "nnrp_wire.cli", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    pattern = "".join(r"(?:.*\n)*?" if text == "…" else re.escape(text) + r"\n" for text in output)
    assert re.fullmatch(pattern, result.stdout), result.stdout


def test_the_benchmark_table_has_its_place():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.count("<!-- bench -->") == readme.count("<!-- /bench -->") == 1
    assert readme.index("<!-- bench -->") < readme.index("<!-- /bench -->")
