"""docs/wire-reference.md from the table: what a user of the package looks up."""

from __future__ import annotations

from collections.abc import Iterable

from .model import STAGES, Field, Layout, Message, Table, camel
from .words import HEAD, constraint, holders, meaning, messages_of, named, purpose, remarks, section, sentence

DIRECTIONS = {
    ("client_to_server",): "C→S",
    ("server_to_client",): "S→C",
    ("client_to_server", "server_to_client"): "⇄",
}
KINDS = (("header", "Header"), ("metadata", "Metadata"), ("block", "Blocks"), ("local_envelope", "Local records"))
CHAPTERS = ("Stages", "Messages", "Layouts", "Bodies", "Procedural rules", "Enums", "Masks", "Open registries")
LATER = ("Error code registries", "Capability tokens", "Error classes", "Limits and constants")


def reference(table: Table) -> str:
    """docs/wire-reference.md"""
    lines = [f"<!-- {HEAD} -->", "# Wire reference", ""]
    protocol = table.raw["protocol"]
    lines += [
        f"{protocol['name']}, revision {protocol['revision']}. Every layout, message, rule, enum and limit that the "
        "package knows, as its table says them. All integers are little endian; there is no padding inside a layout.",
        "",
        "Classes named here live in `nnrp_wire.wire`. Section numbers are those of wire.md.",
        "",
    ]
    lines += [f"- [{title}](#{anchor(title)})" for title in (*CHAPTERS, *LATER)]
    lines += [*_stages(table), *_messages(table), *_layouts(table), *_bodies(table), *_procedural(table)]
    closed = [name for name, entry in table.enums.items() if entry.closed]
    opened = [name for name in [*table.enums, *table.registries] if name not in closed]
    codes = [name for name in opened if name in table.raw["error_codes"]]
    lines += _names(table, "Enums", closed)
    lines += _names(table, "Masks", list(table.masks))
    lines += _names(table, "Open registries", [name for name in opened if name not in codes])
    lines += _names(table, "Error code registries", codes)
    lines += [*_capabilities(table), *_errors(table), *_limits(table)]
    return "\n".join(lines) + "\n"


def anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def link(name: str) -> str:
    return f"[{name}](#{anchor(name)})"


def cell(text: object) -> str:
    """Text inside a table: neither a pipe nor a line break may end the cell."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def grid(head: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    columns = list(head)
    lines = ["", f"| {' | '.join(columns)} |", "|" + " --- |" * len(columns)]
    return lines + [f"| {' | '.join(cell(value) for value in row)} |" for row in rows]


def _stages(table: Table) -> list[str]:
    rows = ((f"`Stage.{stage.upper()}`", sentence(text)) for stage, text in table.raw["stages"].items())
    return [
        "",
        "## Stages",
        "",
        "Every rule belongs to one stage, and each call runs exactly the stages it names.",
        *grid(("stage", "what it holds, who runs it"), rows),
    ]


def _messages(table: Table) -> list[str]:
    rows = (
        (
            f"0x{message.code:02x}",
            message.member,
            DIRECTIONS[message.directions],
            "—" if message.metadata is None else link(message.metadata),
            0 if message.metadata is None else table.layouts[message.metadata].size,
            message.session_id,
            message.frame_id,
            _body(message),
            message.capability or "",
        )
        for message in table.messages.values()
    )
    lines = [
        "",
        "## Messages",
        "",
        "C→S client to server, S→C server to client, ⇄ both. A packet is the [common header](#common_header), the "
        "metadata of `meta_len` bytes and the body of `body_len` bytes. A code that is not listed is "
        "unknown_message_type.",
    ]
    lines += grid(("code", "message", "dir", "metadata", "size", "session_id", "frame_id", "body", "capability"), rows)
    tolerant = [message.member for message in table.messages.values() if message.meta_len_rule == "at_least"]
    if tolerant:
        text = f"Metadata longer than its layout is refused at the message stage, except for {', '.join(tolerant)}, "
        lines += ["", text + "where the surplus is kept and ignored."]
    return lines


def _body(message: Message) -> str:
    if message.data_plane:
        return "[data-plane body](#bodies)"
    if message.opaque:
        return "free bytes"
    return ", ".join(f"{tail.name}[{tail.length_field}]" for tail in message.tails) or "empty"


def _layouts(table: Table) -> list[str]:
    lines = ["", "## Layouts", ""]
    lines.append("Rules stand in the order in which they are checked; the first one broken is reported.")
    for kind, title in KINDS:
        members = [layout for layout in table.layouts.values() if layout.kind == kind]
        if members:
            lines += ["", f"{title}: {', '.join(link(layout.name) for layout in members)}."]
    for layout in table.layouts.values():
        lines += _layout(table, layout)
    return lines


def _layout(table: Table, layout: Layout) -> list[str]:
    where = section(table, layout)
    lines = ["", f"### {layout.name}", ""]
    lines.append(
        f"{purpose(table, layout)}, {layout.size} bytes. Class `{layout.class_name}`."
        + (f" Section {where}." if where else "")
        + (f" Answers {link(layout.request)}." if layout.request else "")
    )
    rows = (
        (field.offset, field.size, f"`{field.name}`", field.type, _constraint(table, field), _note(field))
        for field in layout.fields
    )
    lines += grid(("offset", "size", "field", "type", "constraint", "note"), rows)
    every = messages_of(table, layout)
    rules = []
    for check in layout.checks:
        only = [name.upper() for name in check.messages]
        text = check.text + (f" ({', '.join(only)} only)" if only and only != every else "")
        rules.append((check.stage, text, check.error))
    return lines + grid(("stage", "rule", "error class"), rules)


def _constraint(table: Table, field: Field) -> str:
    text = constraint(table, field)
    entry = named(table, field)
    return text if entry is None else text.replace(entry.name, link(entry.name), 1)


def _note(field: Field) -> str:
    return "; ".join(text for text in (field.unit, field.note) if text)


def _bodies(table: Table) -> list[str]:
    lines = ["", "## Bodies", ""]
    lines.append("Parts stand in this order; `name[length]` has the length named, in bytes.")
    for name, entry in table.raw["variable_formats"].items():
        lines += ["", f"**{name}**" + (f": {entry['order']}" if isinstance(entry.get("order"), str) else ""), ""]
        if "parts" in entry:
            lines += [f"{number}. {part}" for number, part in enumerate(entry["parts"], 1)]
        else:
            lines += [f"- `{key}`: {text}" for key, text in entry.items() if isinstance(text, str)]
        if isinstance(entry.get("order"), list):
            lines += ["", "Order of the standard kinds: " + ", ".join(entry["order"]) + "."]
        if "types" in entry:
            lines += ["", "Types: " + ", ".join(f"{code} {link(made)}" for code, made in entry["types"].items()) + "."]
        if "ranges" in entry:
            lines += ["", "Ranges: " + ", ".join(f"{codes} {use}" for codes, use in entry["ranges"].items()) + "."]
    return lines


def _procedural(table: Table) -> list[str]:
    rules = sorted(table.procedural, key=lambda rule: STAGES.index(rule.stage))
    rows = ((rule.stage, rule.text, rule.error, rule.section) for rule in rules)
    return [
        "",
        "## Procedural rules",
        "",
        "Rules over more than one layout: packets, tails, regions.",
        *grid(("stage", "rule", "error class", "section"), rows),
    ]


def _names(table: Table, title: str, names: list[str]) -> list[str]:
    lines = ["", f"## {title}"]
    for name in names:
        lines += ["", f"### {name}", ""]
        text = [meaning(table, name), *(remark for remark in remarks(table, name) if not remark.startswith("Held by "))]
        fields = holders(table, name)
        if fields:
            layouts = [field.split(".") for field in fields]
            held = ", ".join(f"[{layout}](#{anchor(layout)}).{field}" for layout, field in layouts)
            text.append(f"Held by {held}.")
        found = table.enum_or_registry(name)
        assert found is not None
        lines += [f"Class `{found.class_name}`. " + " ".join(text), "", _values(table, name)]
    return lines


def _values(table: Table, name: str) -> str:
    if name in table.masks:
        return ", ".join(f"0x{bit:x} {member}" for bit, member in table.masks[name].bits.items())
    values = (table.enums.get(name) or table.registries[name]).values
    if name in table.raw["error_codes"]:
        return ", ".join(f"0x{value:04x} {member}" for value, member in values.items())
    return ", ".join(f"{value} {member}" for value, member in values.items())


def _capabilities(table: Table) -> list[str]:
    lines = ["", "## Capability tokens", ""]
    return lines + [f"- {group}: {', '.join(tokens)}" for group, tokens in table.raw["capabilities"].items()]


def _errors(table: Table) -> list[str]:
    rows = ((name, f"`{camel(name)}`", table.errors[name]["meaning"]) for name in table.codec_errors)
    above = ", ".join(name for name in table.errors if name not in table.codec_errors)
    return [
        "",
        "## Error classes",
        "",
        "Those of the codec, section 10; the exceptions live in `nnrp_wire.errors`.",
        *grid(("class", "exception", "meaning"), rows),
        "",
        f"Classes of the floors above the codec: {above}.",
    ]


def _limits(table: Table) -> list[str]:
    rows = [(name, value) for name, value in table.constants.items() if not isinstance(value, dict)]
    lines = ["", "## Limits and constants", "", "In `nnrp_wire.wire` their names are in upper case."]
    lines += grid(("name", "value"), rows)
    for name, value in table.constants.items():
        if isinstance(value, dict):
            lines += ["", f"**{name}**", *grid(("name", "value"), value.items())]
    return lines
