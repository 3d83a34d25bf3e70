"""The other implementations, loaded when they are installed and named with the reason when they are not."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Rivals:
    """What is here to be measured against; `missing` says why each of the others is not."""

    modules: Mapping[str, Mapping[str, ModuleType]] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)


# Rival -> the modules its contenders call. The import package of the distribution nnrp-py is `nnrp`.
RIVAL_MODULES: Mapping[str, tuple[str, ...]] = {
    "nnrp_py": ("nnrp.core", "nnrp.runtime"),
    "protobuf": (
        "google.protobuf.descriptor_pb2",
        "google.protobuf.descriptor_pool",
        "google.protobuf.message_factory",
        "google.protobuf.internal.api_implementation",
    ),
    "msgpack": ("msgpack",),
    "flatbuffers": ("flatbuffers",),
}

# Rivals that speak the same protocol; the others are measured with an equal message of their own.
PEERS = ("nnrp_py",)

RIVAL_DISTRIBUTIONS: Mapping[str, str] = {
    "nnrp_py": "nnrp-py",
    "protobuf": "protobuf",
    "msgpack": "msgpack",
    "flatbuffers": "flatbuffers",
}


def slow_protobuf(modules: Mapping[str, ModuleType]) -> str | None:
    """The rival is upb; beating the pure Python implementation would say nothing."""
    implementation: Any = modules["google.protobuf.internal.api_implementation"]
    found = implementation.Type()
    return None if found == "upb" else f"its implementation here is {found!r}, not 'upb'"


def slow_msgpack(modules: Mapping[str, ModuleType]) -> str | None:
    """The same: msgpack has a pure Python fallback."""
    module: Any = modules["msgpack"]
    return "only its pure Python fallback is here" if module.Packer.__module__.endswith("fallback") else None


# Rival -> why the modules that were loaded will not do, None when they will.
OBJECTIONS: Mapping[str, Callable[[Mapping[str, ModuleType]], str | None]] = {
    "protobuf": slow_protobuf,
    "msgpack": slow_msgpack,
}


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
        if not isinstance(loaded, str) and rival in OBJECTIONS:
            loaded = OBJECTIONS[rival](loaded) or loaded
        if isinstance(loaded, str):
            missing[rival] = loaded
        else:
            modules[rival] = loaded
    return Rivals(modules, missing)
