"""From a packet to a tree of plain data: what `--json` prints and what the renderer draws.

A refused layout is described all the same, from the table's field descriptions, with the field that was refused marked.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence

from ..errors import WireError
from ..wire import (
    VIEWS,
    BodyRegionPrelude,
    CommonHeader,
    DataPlaneBody,
    FieldInfo,
    LayoutView,
    MessageType,
    Packet,
    TensorSection,
    capability_entries,
    control_extensions,
    frame_submit_body,
    message_tails,
    result_push_body,
)
from ._content import content_of
from ._model import Breach, Finding, Kind, Node, Piece, Value
from ._table import layout_of, raw_values

_HEADER = CommonHeader.size
_REGIONS: dict[MessageType, Callable[[Packet], DataPlaneBody]] = {
    MessageType.FRAME_SUBMIT: frame_submit_body,
    MessageType.RESULT_PUSH: result_push_body,
}
_CAPABILITIES = (MessageType.CAPABILITY_NEGOTIATION, MessageType.DEGRADE_PROFILE)


def describe(finding: Finding) -> list[Node]:
    """The parts of a piece in the order of their bytes: header, metadata, body."""
    piece = finding.piece
    if piece.kind is not Kind.PACKET:
        return [Node("bytes", piece.size, piece.offset, content=content_of(piece.data))] if piece.data else []
    if piece.packet is not None:
        return list(_sound(piece.packet))
    return list(_refused(piece, finding.breaches))


def _sound(packet: Packet) -> Iterator[Node]:
    yield layout_node("header", packet.header, 0)
    body_offset = _HEADER + packet.meta_len
    metadata = packet.metadata
    known = 0
    if metadata is not None:
        known = metadata.size
        yield layout_node("metadata", metadata, _HEADER)
    if packet.meta_len > known:
        yield _content("surplus metadata", packet.metadata_bytes[known:], _HEADER + known)
    if packet.body_len:
        yield _body(packet, body_offset)


def _refused(piece: Piece, breaches: Sequence[Breach]) -> Iterator[Node]:
    """Header and metadata from the raw bytes, then whatever is left."""
    refused_by = breaches[0] if breaches else None
    yield raw_node("header", CommonHeader, piece.data, 0, refused_by)
    values = raw_values(CommonHeader, piece.data)
    if len(piece.data) <= _HEADER or "meta_len" not in values:
        return
    # Lengths may lie: what is there ends where the packet's bytes end.
    body_offset = min(_HEADER + int(values["meta_len"]), len(piece.data))
    layout = layout_of(int(values["message_type"]))
    metadata = piece.data[_HEADER:body_offset]
    if layout is not None and metadata:
        view = VIEWS[layout]
        yield raw_node("metadata", view, metadata, _HEADER, refused_by)
        metadata = metadata[view.size :]
        if metadata:
            yield _content("surplus metadata", metadata, _HEADER + view.size)
    elif metadata:
        yield _content("metadata", metadata, _HEADER)
    if len(piece.data) > body_offset:
        yield _content("body", piece.data[body_offset:], body_offset)


def _body(packet: Packet, offset: int) -> Node:
    regions = _REGIONS.get(packet.message_type)
    try:
        if regions is not None:
            return _data_plane(regions(packet), packet.body, offset)
        return _tails(packet, offset)
    except WireError:
        # The body stage has named the breach; what can be read of the body is shown without it.
        node = _content("body", packet.body, offset)
        node.refused = True
        if regions is not None and len(packet.body) >= BodyRegionPrelude.size:
            node.children.append(raw_node("prelude", BodyRegionPrelude, packet.body, offset, None))
        return node


def _tails(packet: Packet, offset: int) -> Node:
    tails = message_tails(packet)
    if not tails:
        return _content("body", packet.body, offset)
    group = Node("body", packet.body_len, offset)
    for name, data in tails.items():
        if len(data):
            node = _content(name, data, offset)
            _read_further(packet, name, data, node)
            group.children.append(node)
            offset += len(data)
    if len(group.children) == 1 and group.children[0].size == group.size:
        return group.children[0]  # a body of one part is that part
    return group


def _read_further(packet: Packet, name: str, data: memoryview, node: Node) -> None:
    """Formats inside a tail that a receiver may not be able to read, which is no breach (wire.md sections 7 and 9)."""
    try:
        if packet.message_type in _CAPABILITIES:
            node.words = capability_entries(packet)
            node.content = None
        elif name == "control_extension_block":
            for index, (entry, value) in enumerate(control_extensions(data)):
                child = layout_node(f"extension[{index}]", entry, None)
                if isinstance(value, LayoutView):
                    child.children.append(layout_node("value", value, None))
                else:
                    child.content = content_of(value)
                node.children.append(child)
            node.content = None
    except WireError:
        node.words, node.children = (), []


def _data_plane(body: DataPlaneBody, data: memoryview, offset: int) -> Node:
    group = Node("body", len(data), offset)
    prelude = body.prelude
    if prelude is None:
        return group
    parts = group.children
    parts.append(layout_node("prelude", prelude, offset))
    offset += prelude.size
    for index, (header, payload) in enumerate(body.objects):
        parts.append(_with_content(f"object[{index}]", header, payload))
    offset += prelude.inline_object_bytes
    for index, reference in enumerate(body.references):
        parts.append(layout_node(f"reference[{index}]", reference, offset + index * reference.size))
    offset += prelude.object_reference_bytes
    frames = offset + prelude.typed_payload_descriptor_bytes
    for index, (descriptor, payload) in enumerate(body.typed_payloads):
        node = _with_content(f"payload[{index}]", descriptor, payload)
        node.offset = frames + descriptor.offset
        parts.append(node)
    offset = frames + prelude.typed_payload_frame_bytes + prelude.extension_descriptor_bytes
    for index, (extension, payload) in enumerate(body.extensions):
        node = _with_content(f"extension[{index}]", extension, payload)
        node.offset = offset + extension.payload_offset
        parts.append(node)
    _tensor(body, parts)
    return group


def _tensor(body: DataPlaneBody, parts: list[Node]) -> None:
    """Camera, tiles and sections, which travel as inline objects and are shown again as what they mean."""
    if body.camera is not None and len(body.camera):
        parts.append(_content("camera", body.camera, None))
    if body.tile_ids is not None and len(body.tile_ids):
        parts.append(Node("tiles", 0, numbers={"tile_ids": body.tile_ids}))
    for index, section in enumerate(body.sections):
        parts.append(_section(f"section[{index}]", section))


def _section(name: str, section: TensorSection) -> Node:
    node = layout_node(name, section.descriptor, None)
    if section.codec_ids:
        node.numbers["codec_ids"] = section.codec_ids
    node.numbers["lengths"] = section.lengths
    for index, payload in enumerate(section.payloads):
        node.children.append(_content(f"tile[{index}]", payload, None))
    return node


def _content(name: str, data: bytes | memoryview, offset: int | None) -> Node:
    return Node(name, len(data), offset, content=content_of(data))


def _with_content(name: str, view: LayoutView, payload: memoryview) -> Node:
    node = layout_node(name, view, None)
    node.size = len(payload)
    node.content = content_of(payload)
    return node


def layout_node(name: str, view: LayoutView, offset: int | None) -> Node:
    """A layout that passed its checks."""
    fields = [_value(info, getattr(view, info.name)) for info in view.fields]
    return Node(name, view.size, offset, view.layout_name, fields)


def raw_node(name: str, view: type[LayoutView], data: bytes | memoryview, offset: int, breach: Breach | None) -> Node:
    """A layout that did not, or that was never asked, as far as its bytes go."""
    blamed = breach.field if breach is not None and breach.layout == view.layout_name else None
    # A length that does not fit the bytes is nobody's field: the header that declares it is what to look at.
    whole = breach is not None and breach.layout is None and view is CommonHeader
    values = raw_values(view, data)
    fields = [_value(info, values[info.name], info.name == blamed) for info in view.fields if info.name in values]
    size = min(view.size, len(data))
    refused = whole or blamed is not None or len(fields) < len(view.fields)
    return Node(name, size, offset, view.layout_name, fields, refused=refused)


def _value(info: FieldInfo, number: int | bytes, broken: bool = False) -> Value:
    return Value(info.name, number, _names(info, number), info.unit or "", info.reserved, broken)


def _names(info: FieldInfo, number: int | bytes) -> str | list[str] | None:
    kind = info.enum
    if kind is None or isinstance(number, bytes):
        return None
    if issubclass(kind, enum.IntFlag):
        known = [(member.name or "", int(member)) for member in kind if int(member)]
        names = [name.lower() for name, bit in known if number & bit == bit]
        rest = number
        for _, bit in known:
            rest &= ~bit
        return [*names, f"0x{rest:x}?"] if rest else names
    try:
        return kind(number).name.lower()
    except ValueError:
        return "unassigned"
