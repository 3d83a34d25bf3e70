"""Python from the table: enums, constants, the classes of codec errors, the notes behind `fields`."""

from __future__ import annotations

import enum
import keyword
from typing import Any

from .model import Enum, Mask, Table, require
from .words import HEAD, class_name, constraint, docstring, exported, filled, meaning, remarks, sentence

# What an enum class needs for itself; a member of such a name would take its place.
TAKEN_MEMBERS = frozenset(dir(enum.IntFlag)) | frozenset(dir(enum.IntEnum)) | {"name", "value", "mro"}


def member_name(name: str, place: str) -> str:
    """runtime.control -> RUNTIME_CONTROL."""
    made = name.replace(".", "_").upper()
    require(made.isidentifier() and not keyword.iskeyword(made), place, f"member {name!r} is no Python identifier")
    require(not made.startswith("_") and made not in TAKEN_MEMBERS, place, f"member {name!r} is one of the class's own")
    return made


def _members(kind: str, name: str, values: dict[int, str]) -> dict[str, int]:
    place = f"{kind} {name}"
    made: dict[str, int] = {}
    for value, member in values.items():
        spelled = member_name(member, place)
        require(spelled not in made, place, f"two members are spelled {spelled}")
        made[spelled] = value
    return made


def _kind(table: Table, name: str) -> str:
    return "enum" if name in table.enums else "mask" if name in table.masks else "registry"


def enums(table: Table) -> str:
    """src/nnrp_wire/wire/_enums_generated.py"""
    entries: dict[str, Enum | Mask] = {**table.enums, **table.registries, **table.masks}
    classes = {class_name(name, f"{_kind(table, name)} {name}"): entry for name, entry in entries.items()}
    lines = [f"# {HEAD}", '"""Enums, masks and registries of the wire (wire.md section 11)."""', ""]
    lines += ["from enum import Enum, IntEnum, IntFlag", "", *exported(["Stage", *classes])]
    lines += ["", "", "class Stage(Enum):"]
    lines += docstring("Which calls run a rule of the wire (wire.md section 1).")
    for stage, text in table.raw["stages"].items():
        lines += ["", f'    {member_name(stage, "stages")} = "{stage}"', *docstring(sentence(text))]
    for made, entry in classes.items():
        flags = isinstance(entry, Mask)
        values = entry.bits if isinstance(entry, Mask) else entry.values
        lines += ["", "", f"class {made}({'IntFlag' if flags else 'IntEnum'}):"]
        lines += [*docstring(meaning(table, entry.name), remarks(table, entry.name)), ""]
        hexed = flags or entry.name in table.raw["error_codes"] or entry.name == "message_type"
        digits = max(2, len(f"{max(values, default=0):x}"))
        for member, value in _members(_kind(table, entry.name), entry.name, values).items():
            lines.append(f"    {member} = " + (f"0x{value:0{digits}x}" if hexed else str(value)))
    return "\n".join(lines) + "\n"


def constants(table: Table) -> str:
    """src/nnrp_wire/wire/_constants_generated.py"""
    magics = {
        field["const"]
        for layout in table.raw["layouts"].values()
        for field in layout["fields"]
        if field["type"] == "bytes" and "const" in field
    }
    made: dict[str, list[str]] = {}
    for name, value in table.constants.items():
        spelled = member_name(name, "constants")
        require(spelled not in made, "constants", f"two are spelled {spelled}")
        if isinstance(value, dict):
            made[spelled] = [f"{spelled}: Final[_Defaults] = MappingProxyType(", "    {"]
            made[spelled] += [f'        "{key}": {_literal(held)},' for key, held in value.items()]
            made[spelled] += ["    }", ")"]
        elif value in magics:
            made[spelled] = [f'{spelled}: Final = b"{value}"']
        else:
            made[spelled] = [f"{spelled}: Final = {_literal(value)}"]
    lines = [f"# {HEAD}", '"""Constants and limits of the wire."""', ""]
    # Importing typing costs more than all that stands here.
    lines += ["from __future__ import annotations", "", "from types import MappingProxyType", ""]
    lines += ["TYPE_CHECKING = False", "if TYPE_CHECKING:"]
    lines += ["    from collections.abc import Mapping", "    from typing import Final", ""]
    lines += ["    _Defaults = Mapping[str, int | str | tuple[int, ...]]", "", *exported(made), ""]
    for block in made.values():
        lines += block
    return "\n".join(lines) + "\n"


def _literal(value: Any) -> str:
    if isinstance(value, list):
        held = [_literal(item) for item in value]
        return f"({', '.join(held)}{',' if len(held) == 1 else ''})"
    if isinstance(value, str):
        return value if value.startswith("0x") else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)


def error_classes(table: Table) -> str:
    """src/nnrp_wire/_error_classes_generated.py"""
    classes = {class_name(name, f"error {name}"): name for name in table.codec_errors}
    lines = [f"# {HEAD}", '"""One exception class per codec error class (wire.md section 10)."""', ""]
    lines += ["from ._errors_base import WireError", "", *exported(["WIRE_ERRORS", *classes])]
    for made, name in classes.items():
        lines += ["", "", f"class {made}(WireError):", *docstring(sentence(table.errors[name]["meaning"])), ""]
        lines.append(f'    error_class = "{name}"')
    lines += ["", "", "# By -1 - status of the C core.", "WIRE_ERRORS: tuple[type[WireError], ...] = ("]
    lines += [*(f"    {made}," for made in classes), ")"]
    return "\n".join(lines) + "\n"


def notes(table: Table) -> str:
    """src/nnrp_wire/wire/_notes_generated.py"""
    lines = [f"# {HEAD}", '"""Fields in words: layout -> field -> (constraint, note, unit)."""', ""]
    lines.append("NOTES: dict[str, dict[str, tuple[str, str, str]]] = {")
    for layout in table.layouts.values():
        lines.append(f'    "{layout.name}": {{')
        for field in layout.fields:
            words = (constraint(table, field), field.note or "", field.unit or "")
            if any(words):
                spelled = [_literal_text(word) for word in words]
                lines += filled(f'"{field.name}": (', spelled, "),", "        ")
        lines.append("    },")
    lines.append("}")
    return "\n".join(lines) + "\n"


def _literal_text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
