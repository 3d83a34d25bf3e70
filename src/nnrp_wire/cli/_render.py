"""The readable tree of one piece: a heading, what is wrong, then its parts in the order of their bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..wire import CommonHeader
from ._content import pretty
from ._escape import harmless, label
from ._model import Breach, Content, Finding, Kind, Node, Value
from ._output import Sink, Span

_LINES = 40  # of a payload
_LINE = 1_000  # characters of one line of a payload
_DUMP = 64  # bytes of a hex dump
_NUMBERS = 16  # of a list of ids or lengths
_ROW = 16  # bytes in one line of a hex dump
# A sound header holds constants, what the heading says, what the sizes of the parts say, and these.
_HEADER_EXTRAS = frozenset({"flags", "view_id", "route_id", "trace_id"})
_PRETTY = 1 << 20  # a larger JSON payload is not set out unless all of it is asked for


class Renderer:
    """Draws findings into a sink; `full` shows every field and every byte."""

    def __init__(self, sink: Sink, full: bool) -> None:
        self._sink = sink
        self._full = full
        self._branch, self._last, self._trunk = ("├─ ", "└─ ", "│  ") if sink.unicode else ("|- ", "`- ", "|  ")

    def finding(self, finding: Finding, parts: Sequence[Node]) -> None:
        """One piece of the input."""
        self._line("", "  ", _heading(finding))
        note = finding.piece.note
        blocks: list[list[Span]] = [[("note  ", "dim"), (label(note), "dim")]] if note else []
        blocks += ([("remark  ", "yellow"), (finding.piece.remark, "")] for _ in [0] if finding.piece.remark)
        blocks += ([("BREAKS  ", "bold red"), *_breach(breach)] for breach in finding.breaches)
        blocks += ([("SENDER  ", "bold yellow"), *_breach(breach)] for breach in finding.warnings)
        guide = self._trunk if any(self._full or _says_something(part) for part in parts) else "   "
        for spans in blocks:
            self._line(guide, guide + "  ", spans)
        self._nodes([part for part in parts if self._full or _says_something(part)], "")

    def sentence(self, text: str) -> None:
        """A line of our own."""
        self._line("", "", [(text, "bold")])

    def _nodes(self, nodes: Sequence[Node], prefix: str) -> None:
        for index, node in enumerate(nodes):
            last = index == len(nodes) - 1
            inner = prefix + ("   " if last else self._trunk)
            self._line(prefix + (self._last if last else self._branch), inner, _title(node))
            block = inner + (self._trunk if node.children else "   ")
            for spans in self._block(node):
                self._line(block, block + "  ", spans)
            self._nodes(node.children, inner)

    def _block(self, node: Node) -> Iterator[list[Span]]:
        yield from self._fields(node)
        for name, numbers in node.numbers.items():
            shown = numbers if self._full else numbers[:_NUMBERS]
            more = f" … {len(numbers) - len(shown)} more" if len(shown) < len(numbers) else ""
            yield [(f"{name} ", "cyan"), (" ".join(map(str, shown)) + more, "")]
        for word in node.words:
            yield [(label(word), "green")]
        if node.content is not None:
            yield from self._content(node.content)

    def _fields(self, node: Node) -> Iterator[list[Span]]:
        fields = node.fields
        if _is_plain_header(node) and not self._full:
            fields = [value for value in fields if value.name in _HEADER_EXTRAS and value.number]
        shown = [value for value in fields if self._full or _matters(value)]
        width = max((len(value.name) for value in shown), default=0)
        for value in shown:
            mark: list[Span] = [("  <- breaks the rule", "bold red")] if value.broken else []
            yield [(value.name.ljust(width) + "  ", "red" if value.broken else "cyan"), *_number(value), *mark]
        hidden = len(fields) - len(shown)
        if hidden:
            more = "more " if shown else ""
            yield [(f"1 {more}field is 0" if hidden == 1 else f"{hidden} {more}fields are 0", "dim")]

    def _content(self, content: Content) -> Iterator[list[Span]]:
        if content.kind == "empty":
            return
        if content.kind == "bytes":
            yield from self._dump(content.data)
            return
        size = len(content.data)
        if content.kind == "json" and (self._full or size <= _PRETTY):
            lines: Iterable[str] = pretty(content).split("\n")
            style = "green"
        else:
            lines, style = _text_lines(content.data, None if self._full else _LINES * _LINE), ""
        left = 0
        for index, line in enumerate(lines):
            if not self._full and index >= _LINES:
                left += 1
                continue
            cut = None if self._full else _LINE
            more = f" … {len(line) - _LINE} more characters" if cut and len(line) > cut else ""
            yield [(harmless(line[:cut]), style), (more, "dim")]
        if left:
            yield [(f"… {left} more lines of {size} bytes (--full shows them)", "dim")]
        elif not self._full and content.kind == "text" and size > _LINES * _LINE:
            yield [(f"… {size} bytes in all (--full shows them)", "dim")]

    def _dump(self, data: bytes | memoryview) -> Iterator[list[Span]]:
        shown = len(data) if self._full else min(len(data), _DUMP)
        for at in range(0, shown, _ROW):
            row = bytes(data[at : min(at + _ROW, shown)])
            text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
            yield [(f"{at:06x}  ", "dim"), (row.hex(" ").ljust(3 * _ROW), ""), (f" {text}", "dim")]
        if shown < len(data):
            yield [(f"… {len(data) - shown} more bytes (--full shows them)", "dim")]

    def _line(self, prefix: str, follow: str, spans: Sequence[Span]) -> None:
        self._sink.line(prefix, follow, spans)


def _heading(finding: Finding) -> list[Span]:
    piece = finding.piece
    spans: list[Span] = [(f"#{finding.index} ", "bold")]
    if piece.row is None:
        spans.append((f"byte {piece.offset}  ", "dim"))
    else:
        spans.append((f"row {piece.row}{f' byte {piece.offset}' if piece.offset else ''}  ", "dim"))
    if piece.direction:
        spans.append((f"{label(piece.direction, 40)}  ", "magenta"))
    if piece.kind is Kind.PACKET:
        spans.append((finding.message, "bold"))
        spans.append((f"  {piece.size} bytes", ""))
        if piece.header is not None:
            spans.append((f"  session {piece.header.session_id}  frame {piece.header.frame_id}", ""))
        spans.append(("  refused", "bold red") if finding.breaches else ("  ok", "green"))
    else:
        spans.append((_WHAT[piece.kind].format(size=piece.size), "yellow"))
    return spans


_WHAT = {
    Kind.GAP: "{size} bytes that belong to no packet",
    Kind.FOREIGN: "not NNRP, {size} bytes",
    Kind.END: "end of stream",
    Kind.UNREADABLE: "not a row",
}


def _breach(breach: Breach) -> list[Span]:
    where = ".".join(filter(None, (breach.layout, breach.field)))
    at = f" at byte {breach.offset}" if breach.offset is not None else ""
    return [(f"{breach.stage} stage, {breach.error}", "bold"), (f"  {where}{at}: {label(breach.text)}", "")]


def _title(node: Node) -> list[Span]:
    spans: list[Span] = [(node.name, "bold blue")]
    if node.layout is not None and node.layout != node.name:
        spans.append((f"  {node.layout}", "blue"))
    if node.size or node.content is not None:
        spans.append((f"  {node.size} bytes", ""))
    if node.offset is not None and node.size:
        spans.append((f" at {node.offset}", "dim"))
    if node.content is not None:
        odd = "" if node.content.compact else ", not in compact form"
        spans.append((f"  {node.content.kind}{odd}" if node.content.kind != "empty" else "", "dim"))
    if node.refused:
        spans.append(("  refused", "red"))
    return spans


def _is_plain_header(node: Node) -> bool:
    return node.layout == CommonHeader.layout_name and not node.refused


def _says_something(node: Node) -> bool:
    """Whether a part tells more than the heading does: a sound header often does not."""
    return not _is_plain_header(node) or any(value.number for value in node.fields if value.name in _HEADER_EXTRAS)


def _matters(value: Value) -> bool:
    """Zeros say nothing, unless they are the name of something."""
    if value.broken or value.number:
        return True
    return isinstance(value.names, str)


def _number(value: Value) -> list[Span]:
    number = value.number
    if isinstance(number, bytes):
        return [(repr(number)[1:], "")]
    spans: list[Span] = [(str(int(number)), "")]
    if value.names:
        named = value.names if isinstance(value.names, str) else " | ".join(value.names)
        spans.append((f"  {named}", "green"))
    elif number > 0xFFFF and not value.unit:
        spans.append((f"  0x{number:x}", "dim"))
    if value.unit and number:
        spans.append((f" {value.unit}", "dim"))
    if value.reserved:
        spans.append(("  reserved", "dim"))
    return spans


def _text_lines(data: bytes | memoryview, limit: int | None) -> Iterator[str]:
    text = bytes(data if limit is None else data[: 4 * limit]).decode("utf-8", "replace")
    return iter(text.split("\n"))
