"""The artifacts that the packaging tests look at, built once, and an environment that holds nothing but the wheel.

The wheel is built from the source archive, never from the checkout, so a file missing from the archive shows here.
NNRP_WIRE_DIST=DIR names a folder with both already built.
"""

from __future__ import annotations

import email
import os
import sys
import zipfile
from email.message import Message
from pathlib import Path

import pytest

# Helpers are a plain module beside the tests; the tests themselves are imported without their folder on the path.
sys.path.insert(0, str(Path(__file__).parent))

from packaging_support import checked


@pytest.fixture(scope="session")
def dist(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with one source archive and the wheel built from it."""
    if given := os.environ.get("NNRP_WIRE_DIST"):
        return Path(given)
    folder = tmp_path_factory.mktemp("dist")
    checked(sys.executable, "-m", "build", "--outdir", folder, project_root, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def source_archive(dist: Path) -> Path:
    [path] = dist.glob("nnrp_wire-*.tar.gz")
    return path


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    [path] = dist.glob("nnrp_wire-*.whl")
    return path


@pytest.fixture(scope="session")
def wheel_names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="session")
def wheel_metadata(wheel: Path, wheel_names: list[str]) -> Message:
    [name] = [name for name in wheel_names if name.endswith(".dist-info/METADATA")]
    with zipfile.ZipFile(wheel) as archive:
        return email.message_from_bytes(archive.read(name))


@pytest.fixture(scope="session")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that holds the wheel and its declared dependencies, nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    checked(sys.executable, "-m", "venv", folder, cwd=folder)
    checked(folder / "bin" / "python", "-m", "pip", "install", "--quiet", wheel, cwd=folder)
    return folder / "bin"
