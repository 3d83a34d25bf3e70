"""Python and Cython from the table: the view classes and what type checkers know about them."""

from __future__ import annotations

import re

from .model import Enum, Field, Layout, Mask, Table, TableError
from .words import (
    HEAD,
    attribute,
    class_name,
    docstring,
    exported,
    field_line,
    filled,
    imported,
    named,
    purpose,
    section,
)

HOT_MARK = "# hot views"
HOT_IMPORTS_MARK = "# hot view imports"


def _class(layout: Layout) -> str:
    return class_name(layout.name, f"layout {layout.name}")


def _summary(table: Table, layout: Layout) -> str:
    where = section(table, layout)
    return f"{purpose(table, layout)}, {layout.size} bytes" + (f" (wire.md section {where})." if where else ".")


def layouts(table: Table) -> str:
    """src/nnrp_wire/wire/_layouts_generated.py"""
    hot = [_class(layout) for layout in table.layouts.values() if layout.hot]
    title = '"""The views of the layouts: names over one generic class. The hot ones live in the codec."""'
    lines = [f"# {HEAD}", title, ""]
    lines += [*imported("._codec", ["LayoutView", *hot, "view_class"]), ""]
    lines += exported(["VIEWS", *(_class(layout) for layout in table.layouts.values())])
    for layout in table.layouts.values():
        if layout.hot:
            continue
        for field in layout.fields:
            attribute(field, layout)
        lines += ["", "", f'@view_class("{layout.name}")', f"class {_class(layout)}(LayoutView):"]
        lines += [*docstring(_summary(table, layout)), "", "    __slots__ = ()"]
    lines += ["", "", "VIEWS: dict[str, type[LayoutView]] = {"]
    lines += [f'    "{layout.name}": {_class(layout)},' for layout in table.layouts.values()]
    lines.append("}")
    return "\n".join(lines) + "\n"


def hot_views(table: Table) -> str:
    """src/nnrp_wire/wire/_hot_generated.pxi, included by _codec.pyx after LayoutView."""
    hot = [layout for layout in table.layouts.values() if layout.hot]
    lines = [f"# {HEAD}", "# The views of the hot layouts: every field one load, no descriptor in between.", ""]
    lines += ['cdef extern from "nnrp/table.h" nogil:', "    enum:"]
    for layout in hot:
        lines += [f"        {_offset(layout, field)}" for field in layout.fields]
    index = 0
    for layout in table.layouts.values():
        if layout.hot:
            lines += ["", "", "@cython.final", "@cython.no_gc", f"cdef class {_class(layout)}(LayoutView):"]
            lines += docstring(_summary(table, layout))
            for number, field in enumerate(layout.fields, index):
                lines += ["", "    @property", f"    def {attribute(field, layout)}(self):"]
                lines += docstring(field_line(table, field), indent="        ")
                lines.append(f"        return {_read(table, layout, field, number)}")
            lines += ["", "", f"register_view({_class(layout)}, {list(table.layouts).index(layout.name)})"]
        index += len(layout.fields)
    return "\n".join(lines) + "\n"


def _offset(layout: Layout, field: Field) -> str:
    return f"NNRP_{layout.name.upper()}_AT_{field.name.upper()}"


def _read(table: Table, layout: Layout, field: Field, index: int) -> str:
    place = f"self._p + {_offset(layout, field)}"
    if field.type == "bytes":
        return f"PyBytes_FromStringAndSize(<const char*> ({place}), {field.size})"
    load = f"nnrp_load_u{field.size * 8}({place})"
    if named(table, field) is not None:
        return f"member_of({index}, {load})" if field.size == 8 else f"member_of({index}, <uint64_t> {load})"
    return f"<int16_t> {load}" if field.type == "i16" else load


def layout_stubs(table: Table) -> str:
    """src/nnrp_wire/wire/_layouts_generated.pyi"""
    cold = [layout for layout in table.layouts.values() if not layout.hot]
    hot = [_class(layout) for layout in table.layouts.values() if layout.hot]
    lines = [f"# {HEAD}", "from typing_extensions import Buffer, Self", ""]
    lines += imported("._codec", ["LayoutView", *hot])
    lines += _enum_imports(table, cold)
    lines += ["", *exported(["VIEWS", *(_class(layout) for layout in table.layouts.values())])]
    for layout in cold:
        lines += ["", *_stub(table, layout)]
    lines += ["", "VIEWS: dict[str, type[LayoutView]]"]
    return "\n".join(lines) + "\n"


def codec_stub(table: Table, template: str) -> str:
    """src/nnrp_wire/wire/_codec.pyi: its template with the views of the hot layouts put in."""
    hot = [layout for layout in table.layouts.values() if layout.hot]
    lines = [f"# {HEAD.replace('schema/wire.json', 'schema/wire.json and _codec.pyi.in')}"]
    marks = {HOT_MARK: 0, HOT_IMPORTS_MARK: 0}
    for line in template.rstrip("\n").split("\n"):
        if line not in marks:
            lines.append(line)
            continue
        marks[line] += 1
        if line == HOT_IMPORTS_MARK:
            lines += _enum_imports(table, hot, template)
            continue
        for number, layout in enumerate(hot):
            lines += [*([""] if number else []), *_stub(table, layout, final=True)]
    for mark, count in marks.items():
        if count != 1:
            raise TableError(f"_codec.pyi.in: the line {mark!r} stands {count} times, not once")
    return "\n".join(lines) + "\n"


def _enum_imports(table: Table, chosen: list[Layout], around: str = "") -> list[str]:
    """The enums of some layouts' fields, and those that the text around them speaks of."""
    entries = [named(table, field) for layout in chosen for field in layout.fields]
    names = {entry.class_name for entry in entries if entry is not None}
    words = set(re.findall(r"\w+", around))
    known: list[Enum | Mask] = [*table.enums.values(), *table.masks.values(), *table.registries.values()]
    names.update(entry.class_name for entry in known if entry.class_name in words)
    return imported("._enums_generated", names) if names else []


def read_type(table: Table, field: Field) -> str:
    """What reading a field gives. Open registries and masks that the layout stage lets pass may hold a plain number."""
    if field.type == "bytes":
        return "bytes"
    entry = named(table, field)
    if entry is None:
        return "int"
    return entry.class_name if field.enum or field.mask else f"{entry.class_name} | int"


def write_type(table: Table, field: Field) -> str:
    if field.type == "bytes":
        return "bytes"
    entry = named(table, field)
    return "int" if entry is None else f"{entry.class_name} | int"


def initial(field: Field) -> str:
    """What a builder starts from."""
    if field.type != "bytes":
        return str(field.const or 0)
    text = (field.const or 0).to_bytes(field.size, "little")
    return 'b"' + repr(text)[2:-1] + '"'


def _stub(table: Table, layout: Layout, final: bool = False) -> list[str]:
    lines = [*(["@final"] if final else []), f"class {_class(layout)}(LayoutView):"]
    matched = [f'"{field.name}"' for field in layout.fields if not field.reserved]
    lines += filled("__match_args__ = (", matched, ",)" if len(matched) == 1 else ")", "    ")
    for field in layout.fields:
        lines += ["    @property", f"    def {attribute(field, layout)}(self) -> {read_type(table, field)}: ..."]
    given = [f"{field.name}: {write_type(table, field)}" for field in layout.fields]
    built = [f"{text} = {initial(field)}" for text, field in zip(given, layout.fields, strict=True)]
    lines.append("    @classmethod")
    lines += filled("def build(", ["cls", "*", *built], ") -> Self: ...", "    ")
    lines.append("    @classmethod")
    into = ["cls", "buf: Buffer", "pos: int = 0", "/", "*"]
    lines += filled("def build_into(", [*into, *built], ") -> int: ...", "    ")
    lines += filled("def replace(", ["self", "*", *(f"{text} = ..." for text in given)], ") -> Self: ...", "    ")
    return lines
