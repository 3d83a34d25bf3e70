"""The other implementations, loaded when they are installed and named with the reason when they are not."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType


@dataclass(frozen=True)
class Rivals:
    """What is here to be measured against; `missing` says why each of the others is not."""

    modules: Mapping[str, Mapping[str, ModuleType]] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)


# Rival -> the modules its contenders call. The import package of the distribution nnrp-py is `nnrp`.
RIVAL_MODULES: Mapping[str, tuple[str, ...]] = {
    "nnrp_py": ("nnrp.core", "nnrp.runtime"),
}

RIVAL_DISTRIBUTIONS: Mapping[str, str] = {"nnrp_py": "nnrp-py"}


def load_modules(names: Sequence[str]) -> dict[str, ModuleType] | str:
    """The modules, or why they cannot be had: breaking while imported counts as absent, too."""
    try:
        return {name: importlib.import_module(name) for name in names}
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def load_rivals(wanted: Mapping[str, Sequence[str]] = RIVAL_MODULES) -> Rivals:
    modules: dict[str, Mapping[str, ModuleType]] = {}
    missing: dict[str, str] = {}
    for rival, names in wanted.items():
        loaded = load_modules(names)
        if isinstance(loaded, str):
            missing[rival] = loaded
        else:
            modules[rival] = loaded
    return Rivals(modules, missing)
