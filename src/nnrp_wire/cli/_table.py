"""The table of the wire as the command reads it. Nothing else in this package knows how the table is offered."""

from __future__ import annotations

from functools import cache

from ..wire import VIEWS, FieldInfo, LayoutView, MessageType


def raw_values(view: type[LayoutView], data: bytes | memoryview) -> dict[str, int | bytes]:
    """The fields of a layout that `data` reaches, whatever its checks would say: for layouts that were refused."""
    values: dict[str, int | bytes] = {}
    for info in view.fields:
        part = bytes(data[info.offset : info.offset + info.size])
        if len(part) < info.size:
            break
        values[info.name] = part if info.type == "bytes" else _number(info, part)
    return values


def _number(info: FieldInfo, part: bytes) -> int:
    return int.from_bytes(part, "little", signed=info.type.startswith("i"))


def message_name(code: int) -> str:
    """The name of a message code, or the code itself where none is assigned."""
    try:
        return MessageType(code).name
    except ValueError:
        return f"0x{code:02x}"


@cache
def _layouts_of_messages() -> dict[int, str]:
    return {int(message): name for name, view in VIEWS.items() for message in view.messages}


def layout_of(code: int) -> str | None:
    """The metadata layout of a message code; None for messages without metadata and for unassigned codes."""
    return _layouts_of_messages().get(code)


def layout_of_message(key: str) -> str | None:
    """The metadata layout of a message, by its name in small letters without underscores."""
    for message in MessageType:
        if message.name.replace("_", "").lower() == key:
            return layout_of(message)
    return None


def messages_of(layout: str) -> tuple[str, ...]:
    """The messages whose metadata is this layout."""
    return tuple(message.name for message in VIEWS[layout].messages)


def rules_of(layout: str) -> list[tuple[str, str, str]]:
    """Stage, error class and text of each rule of a layout, in the order of the checks: the first failure wins."""
    return [(rule.stage.value, rule.error_class, rule.text) for rule in VIEWS[layout].rules]
