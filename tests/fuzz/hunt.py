"""Hunts with atheris: `python tests/fuzz/hunt.py TARGET [libFuzzer arguments]`. `tools/fuzz.py hunt` calls it."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import atheris

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "support")]

with atheris.instrument_imports(include=["nnrp_wire"]):
    import nnrp_wire.wire

    # These come only when first asked for: too late for the instruments.
    _ = nnrp_wire.wire.Tensor, nnrp_wire.wire.RuleInfo

target = import_module(f"target_{sys.argv[1]}")
# A merge runs itself again and again, by a shell that is given the first argument as it stands.
atheris.Setup([f"{sys.executable} {__file__} {sys.argv[1]}", *sys.argv[2:]], target.one_input)
atheris.Fuzz()
