"""Where and with what the figures were taken: without it a figure means nothing."""

from __future__ import annotations

import os
import platform
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

import nnrp_wire
from nnrp_wire.bench.footprint import DISTRIBUTION
from nnrp_wire.bench.rivals import RIVAL_DISTRIBUTIONS


def cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def installed_version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def package_versions() -> dict[str, str | None]:
    """Versions of us, of what we may import, and of the rivals; None for what is not installed."""
    others = ("numpy", *sorted(RIVAL_DISTRIBUTIONS.values()))
    return {DISTRIBUTION: nnrp_wire.__version__, **{name: installed_version(name) for name in others}}


def load_average() -> list[float] | None:
    """How busy the machine was beside us, where the system tells."""
    try:
        return [round(load, 2) for load in os.getloadavg()]
    except (AttributeError, OSError):
        return None


def describe(arguments: Sequence[str], missing: Mapping[str, str]) -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "compiler": platform.python_compiler(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cpu": cpu_name(),
        "cpu_count": os.cpu_count(),
        "load_average": load_average(),
        "packages": package_versions(),
        "missing_rivals": dict(missing),
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "flags": {
            "arguments": list(arguments),
            "python_cflags": sysconfig.get_config_var("CFLAGS"),
            "python_optimize": sys.flags.optimize,
        },
    }
