"""`nnrp-wire layouts`: what the table of the wire says about a layout."""

from __future__ import annotations

import difflib

from ..wire import VIEWS, FieldInfo
from ._errors import CliError
from ._output import Sink, print_table
from ._table import layout_of_message, messages_of, rules_of


class UnknownLayout(CliError):
    """No layout and no message has that name."""


def list_layouts(sink: Sink) -> None:
    """All layouts: name, size, and the messages that carry one as their metadata."""
    rows = [(name, str(VIEWS[name].size), " ".join(messages_of(name))) for name in VIEWS]
    print_table(sink, "", ("layout", "size>", "metadata of"), rows)


def show_layout(sink: Sink, asked: str) -> None:
    """One layout: its fields, then its rules in the order of their checks."""
    name = _find(asked)
    view = VIEWS[name]
    title = f"{name}, {view.size} bytes"
    if messages := messages_of(name):
        title += f", metadata of {', '.join(messages)}"
    rows = [
        (str(info.offset), str(info.size), info.name, info.type, _constraint(info), _note(info)) for info in view.fields
    ]
    print_table(sink, title, ("offset>", "size>", "field", "type", "constraint", "note"), rows)
    sink.line("", "", [])
    checks = [(str(number), *rule) for number, rule in enumerate(rules_of(name), 1)]
    print_table(sink, "rules, in this order", ("#>", "stage", "error", "rule"), checks)


def _find(asked: str) -> str:
    """A layout by its own name, by the name of its view class, or by a message whose metadata it is."""
    by_key = {_key(name): name for name in VIEWS}
    wanted = _key(asked)
    name = by_key.get(wanted) or layout_of_message(wanted)
    if name is not None:
        return name
    near = difflib.get_close_matches(wanted, by_key, n=3, cutoff=0.5)
    near += [key for key in by_key if len(wanted) > 2 and wanted in key and key not in near][:3]
    hint = f"; near: {', '.join(by_key[key] for key in near)}" if near else "; `nnrp-wire layouts` lists them"
    raise UnknownLayout(f"no layout is called {asked!r}{hint}")


def _key(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _constraint(info: FieldInfo) -> str:
    return info.constraint or ""


def _note(info: FieldInfo) -> str:
    return ", ".join(filter(None, (info.unit, info.note)))
