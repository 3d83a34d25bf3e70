"""The table of the wire as people ask for it: the fields, messages and rules of a layout."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from functools import cache

from . import _codec, _enums_generated
from ._enums_generated import MessageType, Stage

TYPE_CHECKING = False  # as in _errors_base.py
if TYPE_CHECKING:
    from typing import TypeAlias

    _EnumType: TypeAlias = type[IntEnum] | type[IntFlag]  # out here: in FieldInfo `type` is a field

__all__ = ["FieldInfo", "RuleInfo"]


@dataclass(frozen=True)
class FieldInfo:
    """One field of a layout. Offset and size in bytes; `enum` is the type whose members its values have."""

    name: str
    offset: int
    size: int
    type: str
    reserved: bool
    constraint: str
    enum: _EnumType | None
    note: str
    unit: str


@dataclass(frozen=True)
class RuleInfo:
    """One rule of a layout: at which stage it runs, what it says, and the error class of a breach.

    `messages` limits it to some of the messages that share the layout; empty means all of them.
    """

    stage: Stage
    error_class: str
    text: str
    messages: tuple[MessageType, ...]


@cache
def fields_of(layout: str) -> tuple[FieldInfo, ...]:
    from ._notes_generated import NOTES

    infos = []
    for name, offset, size, kind, reserved, enum_name in _codec.table_fields(layout):
        constraint, note, unit = NOTES[layout].get(name, ("", "", ""))
        class_name = None if enum_name is None else "".join(part.capitalize() for part in enum_name.split("_"))
        enum = None if class_name is None else getattr(_enums_generated, class_name)
        infos.append(FieldInfo(name, offset, size, kind, reserved, constraint, enum, note, unit))
    return tuple(infos)


@cache
def messages_of(layout: str) -> tuple[MessageType, ...]:
    return tuple(MessageType(code) for code in _codec.table_messages(layout))


@cache
def rules_of(layout: str) -> tuple[RuleInfo, ...]:
    stages = tuple(Stage)
    return tuple(
        RuleInfo(stages[stage], error_class, text, tuple(MessageType(code) for code in codes))
        for stage, error_class, text, codes in _codec.table_rules(layout)
    )
