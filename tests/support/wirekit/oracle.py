"""A slow second reading of the rules in the table: what the codec is compared with.

One small function per kind of rule, written for reading; each layout's rules are turned into such functions once, since
the tests ask millions of times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from wirekit import raw
from wirekit.data import message_code, table

Rule = Mapping[str, Any]
Facts = Mapping[str, Any]
Holds = Callable[[Facts], bool]


def facts(
    layout: str,
    values: Mapping[str, Any],
    header: Mapping[str, Any] | None = None,
    request: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Field values under the names rules use: own fields plain, the others as `header.x` and `request.x`."""
    found = dict(values)
    for part, others in (("header", header or {}), ("request", request or {})):
        for name, value in others.items():
            found[f"{part}.{name}"] = value
    return found


def _number(value: Any) -> int:
    return int(value, 0) if isinstance(value, str) else int(value)


def reading(rule: Rule, layout: str) -> Holds:
    """The rule as a function of the facts."""
    op, name = rule["op"], rule.get("field", "")
    if op in _SIMPLE:
        return _SIMPLE[op](rule, name)
    if op == "group_zero_unless_bit":
        flags, bit = rule["flags"], _number(rule["bit"])
        group = [field["name"] for field in raw.fields(layout) if field.get("group") == rule["group"]]
        return lambda facts: facts[flags] & bit != 0 or not any(facts[one] for one in group)
    if op in ("all", "any"):
        parts = [reading(part, layout) for part in rule["of"]]
        if op == "all":
            return lambda facts: all(part(facts) for part in parts)
        return lambda facts: any(part(facts) for part in parts)
    if op == "when":
        condition, then = reading(rule["if"], layout), reading(rule["then"], layout)
        return lambda facts: not condition(facts) or then(facts)
    if op == "exactly_when":
        this, that = reading(rule["this"], layout), reading(rule["that"], layout)
        return lambda facts: this(facts) == that(facts)
    if op == "switch":
        cases = {int(key): [reading(part, layout) for part in parts] for key, parts in rule["cases"].items()}
        return lambda facts: all(part(facts) for part in cases.get(facts[name], []))
    raise AssertionError(f"the oracle does not know the rule {op}")


def _const(rule: Rule, name: str) -> Holds:
    wanted = rule["value"].encode() if isinstance(rule["value"], str) else rule["value"]
    return lambda facts: facts[name] == wanted


def _mask(rule: Rule, name: str) -> Holds:
    unknown = ~_number(table()["masks"][rule["mask"]]["known_mask"])
    return lambda facts: facts[name] & unknown == 0


def _known(rule: Rule, name: str) -> Holds:
    values = {int(value) for value in table()["enums"][rule["enum"]]["values"]}
    return lambda facts: facts[name] in values


def _range(rule: Rule, name: str) -> Holds:
    low, high, other, start = rule["min"], rule["max"], rule.get("or"), rule.get("or_from")
    return lambda facts: (
        low <= facts[name] <= high or facts[name] == other or (start is not None and facts[name] >= start)
    )


def _window(rule: Rule, name: str) -> Holds:
    low, high, value = rule["low"], rule["high"], rule.get("value")
    return lambda facts: facts[low] <= (facts[name] if name else value) <= facts[high]


def _bit_set(rule: Rule, name: str) -> Holds:
    bit = _number(rule["bit"])
    return lambda facts: facts[name] & bit != 0


def _nonzero_exactly_when_bit(rule: Rule, name: str) -> Holds:
    flags, bit = rule["flags"], _number(rule["bit"])
    return lambda facts: (facts[name] != 0) == (facts[flags] & bit != 0)


def _message_is(rule: Rule, _: str) -> Holds:
    codes = {message_code(message) for message in rule["messages"]}
    return lambda facts: facts["header.message_type"] in codes


_SIMPLE: dict[str, Callable[[Rule, str], Holds]] = {
    "const": _const,
    "zero": lambda rule, name: lambda facts: facts[name] == 0,
    "nonzero": lambda rule, name: lambda facts: facts[name] != 0,
    "mask": _mask,
    "known": _known,
    "range": _range,
    "multiple_of": lambda rule, name: lambda facts: facts[name] % rule["of"] == 0,
    "bit_set": _bit_set,
    "not_above": lambda rule, name: lambda facts: facts[name] <= facts[rule["other"]],
    "differs": lambda rule, name: lambda facts: facts[name] != facts[rule["other"]],
    "subset_of": lambda rule, name: lambda facts: facts[name] & ~facts[rule["other"]] == 0,
    "bit_number_in": lambda rule, name: lambda facts: facts[rule["other"]] >> facts[name] & 1 == 1,
    "window_holds": _window,
    "nonzero_exactly_when_bit": _nonzero_exactly_when_bit,
    "equals_sum": lambda rule, name: lambda facts: facts[name] == sum(facts[one] for one in rule["of"]),
    "message_is": _message_is,
}


@cache
def _checks(layout: str) -> list[tuple[str, str, tuple[str, ...] | None, Holds]]:
    """(stage, error class, messages it is limited to, reading) of every check but the size, in their order."""
    return [
        (
            check["stage"],
            check["error"],
            tuple(check["messages"]) if "messages" in check else None,
            reading(check["rule"], layout),
        )
        for check in table()["layouts"][layout]["checks"]
        if check["rule"]["op"] != "min_size"
    ]


def layout_error(name: str, data: bytes) -> str | None:
    """The error class the layout stage gives for these bytes, or None."""
    if len(data) < raw.size(name):
        return str(table()["layouts"][name]["checks"][0]["error"])
    values = raw.read(name, data)
    for stage, error, _, holds in _checks(name):
        if stage == "layout" and not holds(values):
            return error
    return None


def packet_error(data: bytes, limit: int = 64 << 20) -> str | None:
    """The error class for one packet in one buffer: header, lengths, layout stage of the metadata (wire.md 2)."""
    found = layout_error("common_header", data)
    if found:
        return found
    head = raw.read("common_header", data)
    if head["meta_len"] + head["body_len"] > raw.U32_MAX:
        return "message_length_overflow"
    declared = 40 + head["meta_len"] + head["body_len"]
    if declared != len(data):
        return "packet_length_mismatch"
    if declared > limit:
        return "frame_too_large"
    layout = metadata_layout(head["message_type"])
    return layout_error(layout, data[40 : 40 + head["meta_len"]]) if layout else None


@cache
def message_name(code: int) -> str:
    return next(name for name in table()["messages"] if message_code(name) == code)


@cache
def metadata_layout(code: int) -> str | None:
    layout = table()["messages"][message_name(code)]["metadata"]
    return None if layout is None else str(layout)


def rule_error(data: bytes, *stages: str, request: Mapping[str, Any] | None = None) -> str | None:
    """The error class of the first rule of the given stages that a well formed packet breaks."""
    head = raw.read("common_header", data)
    name = message_name(head["message_type"])
    row = table()["messages"][name]
    if name == "close" and head["meta_len"]:
        return "invalid_protocol_combination"
    if row["meta_len_rule"] == "exact" and head["meta_len"] != row["metadata_len"]:
        return "unexpected_message"
    layout = row["metadata"]
    if layout is None:
        return None
    known = facts(layout, raw.read(layout, data[40:]), head, request)
    for stage, error, messages, holds in _checks(layout):
        if stage in stages and (messages is None or name in messages) and not holds(known):
            return error
    return None
