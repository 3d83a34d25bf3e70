"""What the hunts through Python have kept, once more: no fuzzer is needed for that (README.md)."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TARGETS = sorted(path.stem.removeprefix("target_") for path in HERE.glob("target_*.py"))


def replay(one_input, path: Path) -> None:
    try:
        one_input(path.read_bytes())
    except Exception as error:
        raise AssertionError(f"{path}: {path.read_bytes().hex()}") from error


@pytest.mark.parametrize("name", TARGETS)
def test_corpus(name):
    one_input = import_module(f"target_{name}").one_input
    inputs = sorted((HERE / "corpus" / name).iterdir())
    assert inputs, "a target without a corpus replays nothing"
    for path in inputs:
        replay(one_input, path)


def test_every_corpus_has_its_target_and_is_small(project_root):
    corpora = {
        HERE / "corpus": set(TARGETS),
        project_root / "csrc" / "fuzz" / "corpus": {
            path.stem.removeprefix("fuzz_") for path in (project_root / "csrc" / "fuzz").glob("fuzz_*.c")
        },
    }
    for folder, targets in corpora.items():
        assert {path.name for path in folder.iterdir()} == targets
        for corpus in folder.iterdir():
            sizes = [path.stat().st_size for path in corpus.iterdir()]
            assert len(sizes) <= 300, corpus
            assert sum(sizes) <= 1_000_000, corpus
