"""What the package costs before it does anything: the time of its import and the size of its wheel."""

from __future__ import annotations

import io
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from time import perf_counter_ns

import nnrp_wire
from nnrp_wire.bench.rivals import PEERS, RIVAL_DISTRIBUTIONS, Rivals
from nnrp_wire.bench.runner import OURS, Result, Settings, Unavailable, interleave, medians, spreads

DISTRIBUTION = "nnrp-wire"
PACKAGE_DIRECTORY = Path(nnrp_wire.__file__).parent

# The clock starts after the interpreter has, and stops before it ends: only the import is inside.
IMPORT_PROGRAM = """\
import sys
from time import perf_counter_ns
sys.path.insert(0, {root!r})
start = perf_counter_ns()
import {package}
print(perf_counter_ns() - start)
"""


def missing_peers(rivals: Rivals) -> dict[str, str]:
    return {rival: reason for rival, reason in rivals.missing.items() if rival in PEERS}


class ImportSampler:
    """Milliseconds of one `import`, measured inside a fresh interpreter."""

    def __init__(self, name: str, package: str, root: Path) -> None:
        self.name = name
        # The parent of the very package that is running here comes first on the path, so that the child cannot find
        # another copy of it.
        self._command = [sys.executable, "-c", IMPORT_PROGRAM.format(root=str(root), package=package)]

    def prepare(self) -> None:
        """Once for nothing: the byte code is then written and the files are in the cache of the system."""
        self.sample()

    def sample(self) -> float:
        finished = subprocess.run(self._command, capture_output=True, text=True, check=False)
        if finished.returncode != 0:
            lines = finished.stderr.strip().splitlines() or ["no message"]
            raise Unavailable(f"import in a fresh interpreter failed: {lines[-1]}")
        return int(finished.stdout) / 1e6


class BareInterpreterSampler:
    """Milliseconds from starting an interpreter that does nothing to its end."""

    name = "bare interpreter"

    def prepare(self) -> None:
        self.sample()

    def sample(self) -> float:
        start = perf_counter_ns()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        return (perf_counter_ns() - start) / 1e6


@dataclass(frozen=True)
class ImportCase:
    name: str = "import_ms"

    def run(self, settings: Settings, rivals: Rivals) -> list[Result]:
        bare = BareInterpreterSampler()
        importers = [ImportSampler(OURS, "nnrp_wire", PACKAGE_DIRECTORY.parent)]
        if "nnrp_py" in rivals.modules:
            file = rivals.modules["nnrp_py"]["nnrp.core"].__file__
            if file is not None:
                importers.append(ImportSampler("nnrp_py", "nnrp", Path(file).parent.parent.parent))
        samples = interleave([bare, *importers], settings.process_rounds, settings.seed)
        figures = medians(samples)
        bare_ms = figures.pop(bare.name)
        return [
            Result(
                name=self.name,
                unit="ms",
                value=figures.pop(OURS),
                better="lower",
                rivals=figures,
                missing=missing_peers(rivals),
                notes=[
                    "the import alone, timed inside fresh interpreters with compiled byte code on disk; starting and "
                    f"ending a bare interpreter takes {bare_ms:.1f} ms more",
                ],
                spread=spreads(samples),
            )
        ]


def compressed_size(files: Iterable[tuple[str, bytes]]) -> int:
    """The size of a zip archive of `files`, deflated as wheels are."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return buffer.tell()


def installed_files(distribution: str) -> Iterable[tuple[str, bytes]]:
    """What pip put there from the wheel; byte code it compiled itself is left out."""
    for file in metadata.files(distribution) or ():
        path = Path(str(file.locate()))
        if path.suffix != ".pyc" and path.is_file():
            yield str(file), path.read_bytes()


def package_files(directory: Path) -> Iterable[tuple[str, bytes]]:
    """What a wheel would take from the package's own directory: of extensions only those of this interpreter."""
    extension = str(sysconfig.get_config_var("EXT_SUFFIX"))
    for path in sorted(directory.rglob("*")):
        name = path.name
        if name.endswith((".py", ".pyi", extension)) or name == "py.typed":
            yield str(path.relative_to(directory.parent)), path.read_bytes()


def built_wheel(directory: Path) -> Path | None:
    """The newest wheel of this version for this interpreter in a `dist` directory."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    pattern = f"{DISTRIBUTION.replace('-', '_')}-{nnrp_wire.__version__}-{tag}-*.whl"
    wheels = sorted(directory.glob(pattern), key=lambda path: path.stat().st_mtime)
    return wheels[-1] if wheels else None


def our_size(wheel: Path | None) -> tuple[int, str]:
    """Bytes, and the words that say of what."""
    wheel = wheel or built_wheel(Path("dist"))
    if wheel is not None:
        return wheel.stat().st_size, f"size of the wheel {wheel.name}"
    size = compressed_size(package_files(PACKAGE_DIRECTORY))
    return size, "no wheel given (--wheel) or found in dist/: the package's files, compressed as in a wheel"


@dataclass(frozen=True)
class WheelCase:
    name: str = "wheel_mb"

    def run(self, settings: Settings, rivals: Rivals) -> list[Result]:
        if settings.wheel is not None and not settings.wheel.is_file():
            raise Unavailable(f"no such wheel: {settings.wheel}")
        size, description = our_size(settings.wheel)
        peers = [rival for rival in PEERS if rival in rivals.modules]
        sizes = {rival: compressed_size(installed_files(RIVAL_DISTRIBUTIONS[rival])) / 1e6 for rival in peers}
        notes = [description + "; MB = 10^6 bytes"]
        if sizes:
            notes.append("rivals: their installed files, compressed as in a wheel")
        return [Result(self.name, "MB", size / 1e6, "lower", sizes, missing_peers(rivals), notes=notes)]


CASES = (ImportCase(), WheelCase())
