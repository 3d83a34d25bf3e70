"""What would be built and published, without building it: the wheel configuration and the workflows that use it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest brings it

PYTHONS = ["cp310", "cp311", "cp312", "cp313"]

# Every architecture that a platform is built for, on whichever machine; wheels.yml has one machine for each.
PLATFORMS = {
    "linux": (
        "x86_64,aarch64",
        ["manylinux_x86_64", "manylinux_aarch64", "musllinux_x86_64", "musllinux_aarch64"],
    ),
    "macos": ("x86_64,arm64", ["macosx_x86_64", "macosx_arm64"]),
    "windows": ("AMD64", ["win_amd64"]),
}
WHEELS = len(PYTHONS) * sum(len(tags) for _, tags in PLATFORMS.values())
RUNNERS = ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15-intel", "macos-15", "windows-2022"]


@pytest.fixture(scope="module")
def configuration(project_root: Path) -> dict[str, Any]:
    return tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def workflows(project_root: Path) -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in (project_root / ".github/workflows").glob("*.yml")}


def without_comments(text: str) -> str:
    return re.sub(r"\s+#.*", "", text)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_build_identifiers(project_root: Path, platform: str) -> None:
    if find_spec("cibuildwheel") is None:
        pytest.skip("cibuildwheel is not installed: it comes with the extra dev, on Python 3.11 and newer")
    architectures, tags = PLATFORMS[platform]
    options = ["--print-build-identifiers", "--platform", platform, "--archs", architectures]
    command = [sys.executable, "-m", "cibuildwheel", *options, str(project_root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == sorted(f"{python}-{tag}" for python in PYTHONS for tag in tags)


def test_the_same_pythons_everywhere(configuration: dict[str, Any], workflows: dict[str, str]) -> None:
    project = configuration["project"]
    prefix = "Programming Language :: Python :: 3."
    minors = [int(line.removeprefix(prefix)) for line in project["classifiers"] if line.startswith(prefix)]
    assert [f"cp3{minor}" for minor in minors] == PYTHONS
    assert configuration["tool"]["cibuildwheel"]["build"] == [f"{python}-*" for python in PYTHONS]
    assert project["requires-python"] == f">=3.{minors[0]}"
    dotted = [f"3.{minor}" for minor in minors]
    [matrix] = re.findall(r"python: \[(.*)\]", workflows["ci"])
    assert re.findall(r'"(.*?)"', matrix) == dotted
    everything = workflows["ci"].partition("everything:")[2]
    assert sorted(re.findall(r"^ +(3\.\d+)$", everything, re.MULTILINE)) == dotted


def test_wheels_are_tested_with_what_their_platforms_have(configuration: dict[str, Any], project_root: Path) -> None:
    wheels, extras = configuration["tool"]["cibuildwheel"], configuration["project"]["optional-dependencies"]
    assert set(wheels["test-requires"]) < set(extras["test"]), "the same demands, fewer of them"
    program, *paths = wheels["test-command"].split()
    assert program == "pytest"
    folders = [project_root / path.removeprefix("{project}/") for path in paths]
    assert len(folders) >= 5
    for folder in folders:
        assert list(folder.glob("test_*.py")), folder
    assert "test-skip" not in wheels, "a wheel that nobody has run is not published"


def test_one_machine_per_platform(workflows: dict[str, str]) -> None:
    text = without_comments(workflows["wheels"])
    assert re.findall(r"^ {10}- (\S+)$", text, re.MULTILINE) == RUNNERS
    assert f'test "$(ls dist/*.whl | wc -l)" -eq {WHEELS}' in text


def test_the_same_cibuildwheel_here_and_there(configuration: dict[str, Any], workflows: dict[str, str]) -> None:
    [stated] = [line for line in configuration["project"]["optional-dependencies"]["dev"] if "cibuildwheel" in line]
    bounds = stated.partition(";")[0].removeprefix("cibuildwheel").strip()
    assert f'"cibuildwheel[uv]{bounds}"' in workflows["wheels"]


def test_wheels_come_out_of_the_source_archive(workflows: dict[str, str]) -> None:
    wheels = without_comments(workflows["wheels"]).partition("\n  wheels:\n")[2].partition("\n  publish:\n")[0]
    assert "needs: sdist" in wheels
    assert "dist/nnrp_wire-*.tar.gz" in wheels
    assert "checkout" not in wheels


@pytest.mark.parametrize("name", ["ci", "wheels"])
def test_actions_are_pinned_to_a_major_version(workflows: dict[str, str], name: str) -> None:
    used = re.findall(r"uses: (\S+)", workflows[name])
    assert used
    for action in used:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@(v\d+|release/v\d+)", action), action


def test_publishing_is_trusted_and_only_for_tags(workflows: dict[str, str]) -> None:
    text = without_comments(workflows["wheels"])
    before, _, publish = text.partition("\n  publish:\n")
    assert "if: github.event_name == 'push' && github.ref_type == 'tag'" in publish
    assert "needs: [sdist, wheels]" in publish
    assert "name: pypi" in publish
    assert "attest-build-provenance" in publish
    for right in ("id-token: write", "attestations: write"):
        assert right in publish
        assert right not in before
    # No token that could be stolen, and nothing that switches off the index's own attestations.
    assert "secrets." not in text
    assert "password" not in text
    assert "attestations: false" not in text


def test_workflows_may_only_read(workflows: dict[str, str]) -> None:
    assert set(workflows) == {"ci", "wheels"}
    for text in workflows.values():
        assert "\npermissions:\n  contents: read\n" in text
        assert "pull_request_target" not in text
        for step in re.findall(r"run: (.*)", text):
            assert "${{" not in step, "an expression in a command could bring a command of its own"
