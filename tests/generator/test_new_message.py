"""A message more is an entry more in the table: here one that nobody has, from the table to running C."""

from __future__ import annotations

import ctypes
import shutil
import struct
import subprocess
from pathlib import Path

import generate_wire
import pytest
from greeting import add_greeting
from wiregen import model

U64 = 2**64 - 1


@pytest.mark.parametrize("hot", [False, True], ids=["generic", "hot"])
def test_a_new_message_reaches_every_file(raw, made, hot):
    add_greeting(raw, hot)
    files = generate_wire.generate(model.build(raw))
    wire = "src/nnrp_wire/wire"
    assert "    GREETING = 0x5a\n" in files[f"{wire}/_enums_generated.py"]
    assert "class GreetingFlags(IntFlag):" in files[f"{wire}/_enums_generated.py"]
    assert '    "greeting": Greeting,\n' in files[f"{wire}/_layouts_generated.py"]
    assert '    "greeting": {\n' in files[f"{wire}/_notes_generated.py"]
    assert "NNRP_MT_GREETING = 0x5a" in files["csrc/include/nnrp/table_generated.h"]
    assert "### greeting\n" in files["docs/wire-reference.md"]
    assert "| 0x5a | GREETING | C→S | [greeting](#greeting) | 32 |" in files["docs/wire-reference.md"]
    view = "class Greeting(LayoutView):"
    assert (view in files[f"{wire}/_layouts_generated.py"]) != hot
    assert (view in files[f"{wire}/_layouts_generated.pyi"]) != hot
    assert (view in files[f"{wire}/_codec.pyi"]) == hot
    assert ("cdef class Greeting(LayoutView):" in files[f"{wire}/_hot_generated.pxi"]) == hot
    if hot:
        signed = "return <int16_t> nnrp_load_u16(self._p + NNRP_GREETING_AT_WARMTH)"
        assert signed in files[f"{wire}/_hot_generated.pxi"]
    unchanged = {name for name, text in files.items() if text == made[name]}
    kept = {"src/nnrp_wire/_error_classes_generated.py", f"{wire}/_constants_generated.py"}
    assert unchanged == kept | (set() if hot else {f"{wire}/_hot_generated.pxi", f"{wire}/_codec.pyi"})


@pytest.fixture
def greeting_holds(raw, tmp_path):
    """The straight-line layout check of the new message, compiled."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    add_greeting(raw, hot=True)
    files = generate_wire.generate(model.build(raw))
    (tmp_path / "nnrp").mkdir()
    for name, text in files.items():
        if name.startswith("csrc/"):
            place = "nnrp" if "include" in name else "."
            (tmp_path / place / Path(name).name).write_text(text, encoding="utf-8")
    probe = tmp_path / "probe.c"
    probe.write_text(
        '#include "nnrp/table.h"\n#include "hot_generated.h"\n'
        "int holds(const uint8_t *p);\nint holds(const uint8_t *p) { return nnrp_hot_greeting_layout(p); }\n",
        encoding="utf-8",
    )
    library = tmp_path / "probe.so"
    # The directory of the new table comes first: its headers stand in for those of the checkout.
    include = [f"-I{tmp_path}", f"-I{generate_wire.ROOT / 'csrc/include'}"]
    warnings = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-Wno-unused-function"]
    sources = [str(probe), str(tmp_path / "table_generated.c")]
    line = [compiler, "-std=c11", *warnings, *include, "-fPIC", "-shared", *sources, "-o", str(library)]
    subprocess.run(line, check=True, timeout=120)
    return ctypes.CDLL(str(library)).holds


@pytest.mark.parametrize(
    ("flags", "asked", "given", "mood", "holds"),
    [
        (0, 0, 0, 2, True),
        (3, U64, U64, 5, True),
        (4, 0, 0, 2, False),
        pytest.param(1 << 32, 0, 0, 2, False, id="a bit above 32 bits is a bit outside the mask"),
        pytest.param(1 << 63, 0, 0, 2, False, id="so is the last one"),
        (0, 0b110, 0b100, 2, True),
        (0, 0b110, 0b001, 2, False),
        pytest.param(0, 0, 1 << 40, 2, False, id="a part that was not asked for, above 32 bits"),
        pytest.param(0, 1 << 40, 1 << 40, 2, True, id="a part that was, above 32 bits"),
        (0, 0, 0, 1, False),
        (0, 0, 0, 6, False),
        (0, 0, 0, 0x7FFF, False),
        (0, 0, 0, 0x8000, True),
        (0, 0, 0, 0xFFFF, True),
    ],
)
def test_its_rules_hold_in_c(greeting_holds, flags, asked, given, mood, holds):
    assert bool(greeting_holds(struct.pack("<QQQHhI", flags, asked, given, mood, -1, 0))) is holds
