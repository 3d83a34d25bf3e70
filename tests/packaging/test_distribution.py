"""C-39: what is, and what is not, inside the source archive and the wheel; and what the bare wheel can do alone."""

from __future__ import annotations

import re
import tarfile
import zipfile
from email.message import Message
from pathlib import Path, PurePosixPath

import pytest
from packaging_support import checked, run

pytestmark = pytest.mark.timeout(900)

WHEEL_LIMIT_BYTES = 1_500_000
CORE_DEPENDENCIES = {"numpy", "orjson", "pysimdjson"}
LOADED_WHEN_USED = {"numpy", "orjson", "simdjson", "asyncio"}
OPTIONAL = {"typer", "rich", "nnrp", "matplotlib", "pytest", "hypothesis"}
LEFT_BY_BUILDS = {"__pycache__", "build"}


@pytest.fixture(scope="session")
def archive_names(source_archive: Path) -> set[str]:
    """The paths in the source archive, below its top folder."""
    with tarfile.open(source_archive) as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


def test_source_archive_carries_every_source(project_root: Path, archive_names: set[str]) -> None:
    expected = {
        path.relative_to(project_root).as_posix()
        for top in ("csrc", "schema", "src", "tests", "tools")
        for path in (project_root / top).rglob("*")
        if path.is_file()
        and path.suffix not in {".so", ".pyc"}
        and path.name != "_codec.c"
        and not LEFT_BY_BUILDS.intersection(path.parts)
        and not any(part.endswith(".egg-info") for part in path.parts)
    }
    expected |= {"pyproject.toml", "setup.py", "MANIFEST.in", "Makefile", "LICENSE", "README.md", "CHANGELOG.md"}
    assert expected - archive_names == set()
    assert {PurePosixPath(name).suffix for name in expected} >= {".c", ".h", ".pyx", ".pxd", ".pxi", ".pyi", ".json"}


def test_source_archive_carries_no_build_products(archive_names: set[str]) -> None:
    """The wheel of this session was built from the archive, so also without the translated C."""
    products = re.compile(r"_codec\.c$|\.(so|o|pyc|pyd|gcda|gcno)$|(^|/)(__pycache__|build|dist|\.venv[^/]*)/")
    assert [name for name in archive_names if products.search(name)] == []


def test_wheel_has_one_top_level_package(wheel_names: list[str], wheel_metadata: Message) -> None:
    tops = {name.partition("/")[0] for name in wheel_names}
    assert tops == {"nnrp_wire", f"nnrp_wire-{wheel_metadata['Version']}.dist-info"}


def test_wheel_carries_python_stubs_and_the_extension_only(project_root: Path, wheel_names: list[str]) -> None:
    inside = {name for name in wheel_names if name.startswith("nnrp_wire/")}
    sources = project_root / "src"
    python = {
        path.relative_to(sources).as_posix()
        for path in (sources / "nnrp_wire").rglob("*")
        if path.suffix in {".py", ".pyi"} or path.name == "py.typed"
    }
    assert "nnrp_wire/wire/_codec.pyi" in python
    assert "nnrp_wire/py.typed" in python
    [extension] = inside - python
    assert re.fullmatch(r"nnrp_wire/wire/_codec\..*(so|pyd)", extension)
    assert python <= inside


def test_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < WHEEL_LIMIT_BYTES


def test_extension_names_no_path_of_the_build_machine(wheel: Path, wheel_names: list[str]) -> None:
    [extension] = [name for name in wheel_names if name.endswith((".so", ".pyd"))]
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(extension)
    assert re.findall(rb"(?<![\w.-])/[\w./-]+\.(?:c|h|pyx|pxd|pxi)\b", content) == []


def test_metadata(wheel_metadata: Message) -> None:
    assert wheel_metadata["Name"] == "nnrp-wire"
    assert wheel_metadata["License-Expression"] == "Apache-2.0"
    assert wheel_metadata["License-File"] == "LICENSE"
    assert wheel_metadata["Requires-Python"] == ">=3.10"
    requirements = wheel_metadata.get_all("Requires-Dist", [])
    always = {re.split(r"[^\w-]", line)[0] for line in requirements if "extra ==" not in line}
    assert always == CORE_DEPENDENCIES
    assert set(wheel_metadata.get_all("Provides-Extra", [])) >= {"cli", "bench", "test", "dev"}
    without_3_10 = [line for line in requirements if line.startswith("nnrp-py")]
    assert without_3_10
    assert all("python_version >= " in line for line in without_3_10)


def test_version_stands_in_one_place(bare: Path, tmp_path: Path, wheel_metadata: Message) -> None:
    code = "import nnrp_wire, importlib.metadata as m; print(nnrp_wire.__version__, m.version('nnrp-wire'))"
    assert checked(bare / "python", "-c", code, cwd=tmp_path).split() == [wheel_metadata["Version"]] * 2


def test_import_loads_no_dependency(bare: Path, tmp_path: Path) -> None:
    """The core imports with no optional dependency there, and even the declared ones wait until they are used."""
    code = "import sys, nnrp_wire.wire; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = set(checked(bare / "python", "-c", code, cwd=tmp_path).split())
    assert "nnrp_wire" in loaded
    assert loaded & (LOADED_WHEN_USED | OPTIONAL) == set()


def test_extension_is_compiled(bare: Path, tmp_path: Path) -> None:
    """There is no pure-Python twin that could be taken in its place in silence."""
    code = "import nnrp_wire.wire._codec as c; print(type(c.__loader__).__name__, c.__spec__.origin)"
    loader, origin = checked(bare / "python", "-c", code, cwd=tmp_path).split()
    assert loader == "ExtensionFileLoader"
    assert Path(origin).parent.parent.parent.name == "site-packages"


@pytest.mark.parametrize("name", ["tests", "benchmarks", "csrc", "tools", "schema"])
def test_folders_of_the_project_are_not_importable(bare: Path, tmp_path: Path, name: str) -> None:
    code = f"import importlib.util; print(importlib.util.find_spec({name!r}))"
    assert checked(bare / "python", "-c", code, cwd=tmp_path).strip() == "None"


def test_missing_extra_is_named(bare: Path, tmp_path: Path) -> None:
    result = run(bare / "nnrp-wire", "layouts", cwd=tmp_path)
    assert result.returncode != 0
    assert "nnrp-wire[cli]" in result.stderr
    assert "Traceback" not in result.stderr


def test_benchmark_starts_from_the_wheel(bare: Path, tmp_path: Path) -> None:
    assert "--quick" in checked(bare / "python", "-m", "nnrp_wire.bench", "--help", cwd=tmp_path)
