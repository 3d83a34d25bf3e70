"""Make everything that derives from the table of the wire.

    python tools/generate_wire.py            write the generated files
    python tools/generate_wire.py --check    write nothing; exit 1 when a file differs from what the table says

--table and --root exist for tests that try another table in another tree.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from wiregen import emit_c, emit_docs, emit_python, emit_views, model  # noqa: E402  (the path above makes the import possible)

WIRE = "src/nnrp_wire/wire"
OUTPUTS = {
    "csrc/include/nnrp/table_generated.h": emit_c.header,
    "csrc/src/table_generated.c": emit_c.source,
    "csrc/src/hot_generated.h": emit_c.hot,
    f"{WIRE}/_enums_generated.py": emit_python.enums,
    f"{WIRE}/_constants_generated.py": emit_python.constants,
    f"{WIRE}/_layouts_generated.py": emit_views.layouts,
    f"{WIRE}/_layouts_generated.pyi": emit_views.layout_stubs,
    f"{WIRE}/_notes_generated.py": emit_python.notes,
    f"{WIRE}/_hot_generated.pxi": emit_views.hot_views,
    "src/nnrp_wire/_error_classes_generated.py": emit_python.error_classes,
    "docs/wire-reference.md": emit_docs.reference,
}
# Written by hand around what the table says; the template always stands in this tree.
TEMPLATED = {f"{WIRE}/_codec.pyi": (f"{WIRE}/_codec.pyi.in", emit_views.codec_stub)}


def generate(table: model.Table) -> dict[str, str]:
    """Every generated file, by its path in the tree."""
    made = {name: emit(table) for name, emit in OUTPUTS.items()}
    for name, (template, fill) in TEMPLATED.items():
        made[name] = fill(table, (ROOT / template).read_text(encoding="utf-8"))
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--table", type=Path, help="the table (default: schema/wire.json under --root)")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to write to")
    options = parser.parse_args()
    try:
        table = model.load(options.table or options.root / "schema/wire.json")
        made = generate(table)
    except model.TableError as problem:
        print(f"generate_wire: {problem}", file=sys.stderr)
        return 1
    stale = 0
    for name, text in made.items():
        path = options.root / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if options.check:
            print(f"generate_wire: {name} is stale", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(name)
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
