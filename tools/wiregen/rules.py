"""Checks of the table compiled to trees of few simple predicates.

The table speaks the words of the spec ("zero", "known", "switch"); the C core evaluates only the predicates below. Both
the data for the generic checker and the straight-line C of the hot layouts come from these same trees, so they cannot
differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .model import Check, Field, Layout, Table, TableError, number

SPACES = ("own", "header", "request")
LEAVES = (
    "eq",
    "ne",
    "range",
    "within",
    "has_any",
    "multiple",
    "in_set",
    "not_above",
    "subset",
    "differs",
    "bit_number_in",
    "sum",
)
COMBINATORS = ("all", "any", "not", "same")


@dataclass(frozen=True)
class Operand:
    space: str
    field: Field


@dataclass(frozen=True)
class Node:
    op: str
    operand: Operand | None = None
    other: Operand | None = None
    other2: Operand | None = None
    a: int = 0
    b: int = 0
    enum: str | None = None
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """The tree in prefix order, as the C table holds it."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def span(self) -> int:
        return 1 + sum(child.span for child in self.children)


class Compiler:
    """Turns the checks of one layout into trees."""

    def __init__(self, table: Table, layout: Layout) -> None:
        self.table = table
        self.layout = layout

    def compile(self, check: Check) -> Node | None:
        """The tree of a check; None for min_size, which every reader does before anything else."""
        if check.rule["op"] == "min_size":
            return None
        place = f"layout {self.layout.name}, check {check.text!r}"
        try:
            return self._node(check.rule, place)
        except KeyError as missing:
            raise TableError(f"{place}: the rule lacks {missing}") from None

    def subject(self, check: Check) -> Field | None:
        """The field an error of this check names: the rule's own, or the first one it mentions in this layout."""
        node = self.compile(check)
        if node is None:
            return None
        for part in node.walk():
            for operand in (part.operand, part.other, part.other2):
                if operand is not None and operand.space == "own":
                    return operand.field
        return None

    def _operand(self, name: str, place: str) -> Operand:
        space, _, rest = name.rpartition(".")
        if space == "header":
            return Operand("header", self.table.layouts["common_header"].field(rest, place))
        if space == "request":
            if self.layout.request is None:
                raise TableError(f"{place}: the layout names no request")
            return Operand("request", self.table.layouts[self.layout.request].field(rest, place))
        return Operand("own", self.layout.field(name, place))

    def _node(self, rule: dict[str, Any], place: str) -> Node:
        op = rule["op"]
        method = getattr(self, f"_op_{op}", None)
        if method is None:
            raise TableError(f"{place}: unknown op {op!r}")
        node: Node = method(rule, place)
        return node

    def _op_const(self, rule: dict[str, Any], place: str) -> Node:
        operand = self._operand(rule["field"], place)
        value = rule["value"]
        if operand.field.type == "bytes":
            return Node("eq", operand, a=int.from_bytes(value.encode("ascii"), "little"))
        return Node("eq", operand, a=number(value))

    def _op_zero(self, rule: dict[str, Any], place: str) -> Node:
        return Node("eq", self._operand(rule["field"], place), a=0)

    def _op_nonzero(self, rule: dict[str, Any], place: str) -> Node:
        return Node("ne", self._operand(rule["field"], place), a=0)

    def _op_mask(self, rule: dict[str, Any], place: str) -> Node:
        mask = self.table.masks.get(rule["mask"])
        if mask is None:
            raise TableError(f"{place}: unknown mask {rule['mask']!r}")
        return Node("within", self._operand(rule["field"], place), a=mask.known)

    def _op_known(self, rule: dict[str, Any], place: str) -> Node:
        enum = self.table.enums.get(rule["enum"])
        if enum is None:
            raise TableError(f"{place}: unknown enum {rule['enum']!r}")
        if max(enum.values) > 255:
            raise TableError(f"{place}: the values of a closed enum fit a byte")
        return Node("in_set", self._operand(rule["field"], place), enum=enum.name)

    def _op_message_is(self, rule: dict[str, Any], place: str) -> Node:
        operand = self._operand("header.message_type", place)
        return Node("any", children=tuple(Node("eq", operand, a=self.table.messages[m].code) for m in rule["messages"]))

    def _op_not_above(self, rule: dict[str, Any], place: str) -> Node:
        return Node("not_above", self._operand(rule["field"], place), self._operand(rule["other"], place))

    def _op_differs(self, rule: dict[str, Any], place: str) -> Node:
        return Node("differs", self._operand(rule["field"], place), self._operand(rule["other"], place))

    def _op_subset_of(self, rule: dict[str, Any], place: str) -> Node:
        return Node("subset", self._operand(rule["field"], place), self._operand(rule["other"], place))

    def _op_bit_number_in(self, rule: dict[str, Any], place: str) -> Node:
        return Node("bit_number_in", self._operand(rule["field"], place), self._operand(rule["other"], place))

    def _op_equals_sum(self, rule: dict[str, Any], place: str) -> Node:
        first, second = rule["of"]
        return Node(
            "sum", self._operand(rule["field"], place), self._operand(first, place), self._operand(second, place)
        )

    def _op_window_holds(self, rule: dict[str, Any], place: str) -> Node:
        low, high = self._operand(rule["low"], place), self._operand(rule["high"], place)
        if "field" in rule:
            held = self._operand(rule["field"], place)
            return Node("all", children=(Node("not_above", low, held), Node("not_above", held, high)))
        value = number(rule["value"])
        return Node("all", children=(Node("range", low, a=0, b=value), Node("range", high, a=value, b=2**64 - 1)))

    def _op_bit_set(self, rule: dict[str, Any], place: str) -> Node:
        return Node("has_any", self._operand(rule["field"], place), a=number(rule["bit"]))

    def _op_range(self, rule: dict[str, Any], place: str) -> Node:
        operand = self._operand(rule["field"], place)
        inside = Node("range", operand, a=number(rule["min"]), b=number(rule["max"]))
        if "or" in rule:
            return Node("any", children=(inside, Node("eq", operand, a=number(rule["or"]))))
        if "or_from" in rule:
            return Node("any", children=(inside, Node("range", operand, a=number(rule["or_from"]), b=2**64 - 1)))
        return inside

    def _op_multiple_of(self, rule: dict[str, Any], place: str) -> Node:
        return Node("multiple", self._operand(rule["field"], place), a=number(rule["of"]))

    def _op_group_zero_unless_bit(self, rule: dict[str, Any], place: str) -> Node:
        group = [f for f in self.layout.fields if f.group == rule["group"]]
        if not group:
            raise TableError(f"{place}: no field is in group {rule['group']!r}")
        zero = tuple(Node("eq", Operand("own", f), a=0) for f in group)
        bit = Node("has_any", self._operand(rule["flags"], place), a=number(rule["bit"]))
        return Node("any", children=(bit, Node("all", children=zero)))

    def _op_nonzero_exactly_when_bit(self, rule: dict[str, Any], place: str) -> Node:
        bit = Node("has_any", self._operand(rule["flags"], place), a=number(rule["bit"]))
        return Node("same", children=(Node("ne", self._operand(rule["field"], place), a=0), bit))

    def _op_exactly_when(self, rule: dict[str, Any], place: str) -> Node:
        return Node("same", children=(self._node(rule["this"], place), self._node(rule["that"], place)))

    def _op_when(self, rule: dict[str, Any], place: str) -> Node:
        return Node(
            "any", children=(Node("not", children=(self._node(rule["if"], place),)), self._node(rule["then"], place))
        )

    def _op_all(self, rule: dict[str, Any], place: str) -> Node:
        return Node("all", children=tuple(self._node(part, place) for part in rule["of"]))

    def _op_any(self, rule: dict[str, Any], place: str) -> Node:
        return Node("any", children=tuple(self._node(part, place) for part in rule["of"]))

    def _op_switch(self, rule: dict[str, Any], place: str) -> Node:
        operand = self._operand(rule["field"], place)
        cases = []
        for value, then in rule["cases"].items():
            if then:
                other = Node("ne", operand, a=number(value))
                held = Node("all", children=tuple(self._node(part, place) for part in then))
                cases.append(Node("any", children=(other, held)))
        return Node("all", children=tuple(cases))
