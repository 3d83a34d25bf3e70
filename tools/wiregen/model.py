"""The table of the wire as Python values, judged on the way in.

A table that contradicts itself (a gap between fields, a rule over an unknown field, two messages with one code) is
refused here with the place of the mistake, so that no emitter needs to doubt what it is given.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i16": 2, "bytes": 4}
STAGES = ("layout", "message", "sender", "pair", "body")


class TableError(Exception):
    """The table contradicts itself; the message starts with the place."""


def number(value: int | str) -> int:
    """A number of the table: an integer, or a string such as "0x7f" where the spec writes hex."""
    return value if isinstance(value, int) else int(value, 0)


def camel(name: str) -> str:
    """frame_submit -> FrameSubmit: how a class is named after its entry in the table."""
    return "".join(part.capitalize() for part in name.replace(".", "_").split("_"))


def require(condition: object, place: str, problem: str) -> None:
    if not condition:
        raise TableError(f"{place}: {problem}")


@dataclass(frozen=True)
class Enum:
    """One closed enum, open registry or error code registry."""

    name: str
    values: dict[int, str]
    closed: bool
    wire_type: str
    note: str | None = None

    @property
    def class_name(self) -> str:
        return camel(self.name)


@dataclass(frozen=True)
class Mask:
    name: str
    bits: dict[int, str]
    known: int
    wire_type: str
    note: str | None = None

    @property
    def class_name(self) -> str:
        return camel(self.name)


@dataclass(frozen=True)
class Field:
    name: str
    offset: int
    size: int
    type: str
    reserved: bool = False
    const: int | None = None
    enum: str | None = None
    """Closed enum: other values are refused."""
    mask: str | None = None
    """Mask: other bits are refused at the layout stage."""
    registry: str | None = None
    """Open registry, or flags that the layout stage does not check: every value decodes."""
    group: str | None = None
    declares: str | None = None
    unit: str | None = None
    note: str | None = None
    boolean: bool = False


@dataclass(frozen=True)
class Check:
    text: str
    error: str
    stage: str
    rule: dict[str, Any]
    messages: tuple[str, ...] = ()
    enum_name: str | None = None


@dataclass(frozen=True)
class Layout:
    name: str
    size: int
    kind: str
    fields: tuple[Field, ...]
    checks: tuple[Check, ...]
    messages: tuple[str, ...] = ()
    hot: bool = False
    request: str | None = None
    ext_type: int | None = None

    @property
    def class_name(self) -> str:
        return camel(self.name)

    def field(self, name: str, place: str) -> Field:
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise TableError(f"{place}: layout {self.name} has no field {name!r}")


@dataclass(frozen=True)
class Tail:
    name: str
    length_field: str


@dataclass(frozen=True)
class Message:
    name: str
    code: int
    metadata: str | None
    tails: tuple[Tail, ...]
    data_plane: bool
    """The body is cut into regions (wire.md section 6.4) instead of declared tails."""
    opaque: bool
    """The body is free bytes of body_len."""
    meta_len_rule: str
    meta_len_error: str | None
    directions: tuple[str, ...]
    session_id: str
    frame_id: str
    delivery: str
    capability: str | None = None
    terminal: str | None = None

    @property
    def member(self) -> str:
        return self.name.upper()


@dataclass(frozen=True)
class ProceduralRule:
    name: str
    stage: str
    error: str
    text: str
    section: str


@dataclass(frozen=True)
class Table:
    raw: dict[str, Any]
    errors: dict[str, dict[str, str]]
    enums: dict[str, Enum]
    masks: dict[str, Mask]
    registries: dict[str, Enum]
    layouts: dict[str, Layout]
    messages: dict[str, Message]
    procedural: tuple[ProceduralRule, ...]
    constants: dict[str, Any] = field(default_factory=dict)

    @property
    def codec_errors(self) -> list[str]:
        return [name for name, entry in self.errors.items() if entry["layer"] == "codec"]

    def enum_or_registry(self, name: str) -> Enum | Mask | None:
        return self.enums.get(name) or self.registries.get(name) or self.masks.get(name)


def load(path: Path) -> Table:
    """Read and judge a table file."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise TableError(f"{path.name}: not JSON: {problem}") from None
    return build(raw)


def build(raw: dict[str, Any]) -> Table:
    enums = {n: _enum(n, e, e["closed"]) for n, e in raw["enums"].items()}
    registries = {n: _enum(n, e, False) for n, e in raw["open_registries"].items()}
    for name, values in raw["error_codes"].items():
        registries[name] = _enum(name, {"values": values, "wire_type": "u32"}, False)
    masks = {n: _mask(n, m) for n, m in raw["masks"].items()}
    table = Table(
        raw=raw,
        errors=raw["errors"],
        enums=enums,
        masks=masks,
        registries=registries,
        layouts={n: _layout(n, entry) for n, entry in raw["layouts"].items()},
        messages={n: _message(n, entry) for n, entry in raw["messages"].items()},
        procedural=tuple(
            ProceduralRule(n, r["stage"], r["error"], r["check"], r["section"])
            for n, r in raw["procedural_rules"].items()
        ),
        constants=raw["constants"],
    )
    _judge(table)
    return table


def _enum(name: str, entry: dict[str, Any], closed: bool) -> Enum:
    values = {number(value): member for value, member in entry["values"].items()}
    require(len(values) == len(entry["values"]), f"enum {name}", "one value stands twice")
    require(len(set(values.values())) == len(values), f"enum {name}", "one member name stands twice")
    return Enum(name, values, closed, entry["wire_type"], entry.get("note"))


def _mask(name: str, entry: dict[str, Any]) -> Mask:
    bits = {number(bit): member for bit, member in entry["bits"].items()}
    known = number(entry["known_mask"])
    require(all(bit & (bit - 1) == 0 for bit in bits), f"mask {name}", "a bit is not a single bit")
    require(sum(bits) == known, f"mask {name}", "the bits do not add up to known_mask")
    return Mask(name, bits, known, entry["wire_type"], entry.get("note"))


def _field(place: str, entry: dict[str, Any]) -> Field:
    kind = entry["type"]
    require(kind in SIZES, place, f"unknown type {kind!r}")
    require(entry["size"] == SIZES[kind], place, f"{kind} is {SIZES[kind]} bytes, not {entry['size']}")
    const = entry.get("const")
    if const is not None:
        # The byte string "NNRP" is compared as the little-endian number its bytes spell.
        text = kind == "bytes"
        const = int.from_bytes(const.encode("ascii"), "little") if text else number(const)
    return Field(
        name=entry["name"],
        offset=entry["offset"],
        size=entry["size"],
        type=kind,
        reserved=bool(entry.get("reserved")),
        const=const,
        enum=entry.get("enum"),
        mask=entry.get("mask"),
        registry=next(
            (entry[key] for key in ("registry_enum", "registry", "flags", "role_open") if key in entry), None
        ),
        group=entry.get("group"),
        declares=entry.get("declares"),
        unit=entry.get("unit"),
        note=entry.get("note"),
        boolean=bool(entry.get("bool")),
    )


def _layout(name: str, entry: dict[str, Any]) -> Layout:
    place = f"layout {name}"
    fields = tuple(_field(f"{place}, field {f['name']}", f) for f in entry["fields"])
    end = 0
    for item in fields:
        require(
            item.offset == end, f"{place}, field {item.name}", f"starts at {item.offset}, the one before ends at {end}"
        )
        end += item.size
    require(end == entry["size"], place, f"the fields end at {end}, size says {entry['size']}")
    require(len({f.name for f in fields}) == len(fields), place, "one field name stands twice")
    checks = [
        Check(c["check"], c["error"], c["stage"], c["rule"], tuple(c.get("messages", ())), c.get("enum_name"))
        for c in entry["checks"]
    ]
    for check in checks:
        require(check.stage in STAGES, f"{place}, check {check.text!r}", f"unknown stage {check.stage!r}")
        bare = check.stage == "layout" and check.messages
        require(not bare, f"{place}, check {check.text!r}", "the layout stage does not know the message")
    # A stage is run as one stretch of rules, so they stand stage by stage; inside a stage the table's order is the
    # wire's.
    checks.sort(key=lambda check: STAGES.index(check.stage))
    require(checks and checks[0].rule["op"] == "min_size", place, "the first check is not min_size")
    require(checks[0].rule["size"] == entry["size"], place, "min_size differs from size")
    return Layout(
        name=name,
        size=entry["size"],
        kind=entry["kind"],
        fields=fields,
        checks=tuple(checks),
        messages=tuple(entry.get("messages", ())),
        hot=bool(entry.get("hot")),
        request=entry.get("request"),
        ext_type=entry.get("ext_type"),
    )


def _message(name: str, entry: dict[str, Any]) -> Message:
    body = entry["body"]
    data_plane = any(part.get("format") == "data_plane_body" for part in body)
    opaque = not data_plane and any(part["length_field"] == "body_len" for part in body)
    tails = () if data_plane or opaque else tuple(Tail(part["name"], part["length_field"]) for part in body)
    return Message(
        name=name,
        code=number(entry["code"]),
        metadata=entry["metadata"],
        tails=tails,
        data_plane=data_plane,
        opaque=opaque,
        meta_len_rule=entry["meta_len_rule"],
        meta_len_error=entry.get("meta_len_error"),
        directions=tuple(entry["directions"]),
        session_id=entry["session_id"],
        frame_id=entry["frame_id"],
        delivery=entry["delivery"],
        capability=entry.get("capability"),
        terminal=entry.get("terminal"),
    )


def _judge(table: Table) -> None:
    """What spans several entries: references, codes, names that would collide in one namespace."""
    for layout in table.layouts.values():
        for item in layout.fields:
            place = f"layout {layout.name}, field {item.name}"
            require(item.enum is None or item.enum in table.enums, place, f"unknown enum {item.enum!r}")
            require(item.mask is None or item.mask in table.masks, place, f"unknown mask {item.mask!r}")
            require(
                item.registry is None or table.enum_or_registry(item.registry),
                place,
                f"unknown registry {item.registry!r}",
            )
        for check in layout.checks:
            require(
                check.error in table.codec_errors,
                f"layout {layout.name}, check {check.text!r}",
                f"no codec error {check.error!r}",
            )
            for named in check.messages:
                require(
                    named in table.messages, f"layout {layout.name}, check {check.text!r}", f"unknown message {named!r}"
                )
        require(
            layout.request is None or layout.request in table.layouts, f"layout {layout.name}", "unknown request layout"
        )
    codes: dict[int, str] = {}
    for message in table.messages.values():
        place = f"message {message.name}"
        require(0 < message.code < 256, place, "the code does not fit a byte")
        require(message.code not in codes, place, f"code {message.code:#04x} belongs to {codes.get(message.code)}")
        codes[message.code] = message.name
        require(
            message.metadata is None or message.metadata in table.layouts, place, f"unknown layout {message.metadata!r}"
        )
        require(len(message.tails) <= 3, place, "more than 3 tails")
        for tail in message.tails:
            require(message.metadata, place, "a tail without metadata to declare it")
            assert message.metadata is not None
            table.layouts[message.metadata].field(tail.length_field, place)
    assigned = dict(table.enums["message_type"].values)
    require(assigned == codes, "messages", "the catalogue and the enum message_type differ")
    for rule in table.procedural:
        require(rule.error in table.codec_errors, f"rule {rule.name}", f"no codec error {rule.error!r}")
        require(rule.stage in STAGES, f"rule {rule.name}", f"unknown stage {rule.stage!r}")
    names: dict[str, str] = {}
    for kind, entries in (
        ("layout", table.layouts),
        ("enum", table.enums),
        ("mask", table.masks),
        ("registry", table.registries),
    ):
        for name in entries:
            class_name = camel(name)
            require(
                class_name not in names,
                f"{kind} {name}",
                f"class {class_name} is already that of {names.get(class_name)}",
            )
            names[class_name] = f"{kind} {name}"
