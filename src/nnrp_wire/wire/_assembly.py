"""Packets put together from parts: every builder's general case, and the `_into` and `_buffers` kinds of all of them.

A packet under construction is a list of parts: bytes of our own (header, metadata, structure) and the caller's
payloads, never copied until somebody joins them. What is declared in the structure follows from the parts, and each
region is judged by the check that a receiver runs on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..errors import UsageError
from . import _codec
from ._codec import COPY_THRESHOLD_BYTES, LayoutView, TypedPayload
from ._constants_generated import DATA_PLANE_BLOCK_ALIGNMENT
from ._enums_generated import (
    CacheObjectKind,
    MessageType,
    PayloadKindBitmap,
    SubmitMode,
    SubmitObjectRefMask,
    TileIndexMode,
)
from ._layouts_generated import (
    VIEWS,
    BodyRegionPrelude,
    ExtensionFrameDescriptor,
    FrameSubmit,
    InlineObjectBlockHeader,
    ObjectReferenceBlock,
    RecoveryTicketPrefix,
    ResultPush,
)

TYPE_CHECKING = False  # as in _errors_base.py
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Buffer, Unpack

    from ._options import Payloads, Routing
    from ._tensor import Extension, Tensor

_BYTES = (bytes, bytearray, memoryview)
"""What stands for one unbound structured event."""
_SLOTS: dict[int, SubmitObjectRefMask] = {
    CacheObjectKind.CAMERA_BLOCK: SubmitObjectRefMask.CAMERA_BLOCK,
    CacheObjectKind.TILE_INDEX_BLOCK: SubmitObjectRefMask.TILE_INDEX_BLOCK,
    CacheObjectKind.TENSOR_SECTION_TABLE: SubmitObjectRefMask.TENSOR_SECTION_TABLE,
    CacheObjectKind.PAYLOAD_LAYOUT_TEMPLATE: SubmitObjectRefMask.PAYLOAD_LAYOUT_TEMPLATE,
}


# Their lengths and counts stand in the metadata, so they are built from a Tensor and nowhere else.
_TENSOR_PARTS = frozenset(_SLOTS) - {CacheObjectKind.PAYLOAD_LAYOUT_TEMPLATE}


def nbytes(part: Buffer) -> int:
    """Bytes of a buffer whatever its item size; BufferError when it is not contiguous."""
    if isinstance(part, bytes):
        return len(part)
    with memoryview(part) as view:
        if not view.c_contiguous:
            raise BufferError("a payload must be C-contiguous")
        return view.nbytes


def joined(parts: Iterable[Buffer]) -> bytes:
    """One bytes object of all parts."""
    return b"".join(parts)


def buffers(parts: Iterable[Buffer]) -> list[bytes | memoryview]:
    """A short list for writelines: what is at most COPY_THRESHOLD_BYTES is joined with its neighbours, larger parts are
    handed on as they are."""
    out: list[bytes | memoryview] = []
    small: list[Buffer] = []
    for part in parts:
        size = nbytes(part)
        if size <= COPY_THRESHOLD_BYTES:
            if size:
                small.append(part)
            continue
        if small:
            out.append(b"".join(small))
            small = []
        out.append(part if isinstance(part, bytes) else memoryview(part).cast("B"))
    if small:
        out.append(b"".join(small))
    return out


def packet_parts(
    message_type: int, metadata: LayoutView | Buffer | None = None, body: Buffer = b"", /, **routing: Unpack[Routing]
) -> list[Buffer]:
    """A packet as given, judged at the layout stage only."""
    return [_codec.build_head(message_type, metadata, nbytes(body), False, **routing), body]


def message_parts(
    message_type: int,
    metadata: LayoutView | Mapping[str, Any] | None = None,
    tails: Sequence[Buffer] = (),
    /,
    **routing: Unpack[Routing],
) -> list[Buffer]:
    """A whole message of any type; its tails in the order of the catalogue."""
    layout, length_fields, body_format = _codec.message_layout(message_type)
    kind = MessageType(message_type)
    if body_format == "data_plane":
        raise TypeError(f"{kind.name} has regions; use build_{kind.name.lower()}()")
    room = 1 if body_format == "opaque" else len(length_fields)
    if len(tails) > room:
        raise TypeError(f"{kind.name} has {room} tails, {len(tails)} given")
    lengths = [nbytes(tail) for tail in tails]
    view: LayoutView | None = None
    if layout is None:
        if metadata:
            raise TypeError(f"{kind.name} has no metadata")
    elif isinstance(metadata, LayoutView):
        if metadata.layout_name != layout:
            raise TypeError(f"{kind.name} takes {layout}, not {metadata.layout_name}")
        view = metadata
    else:
        declared = dict(zip(length_fields, lengths, strict=False))
        view = VIEWS[layout].build(**{**declared, **(metadata or {})})
    head = _codec.build_head(message_type, view, sum(lengths), True, **routing)
    # The body stage over the head alone: lengths that do not add up are refused before anybody joins the parts.
    _codec.check_tails(head)
    return [head, *tails]


def frame_submit_parts(
    payloads: Payloads,
    /,
    *,
    operation_id: int,
    frame_class: int,
    tile_index_mode: int,
    latency_budget_ms: int,
    target_fps_x100: int,
    retry_of_frame: int,
    budget_policy: int,
    loss_tolerance_policy: int,
    dependency_frame_id: int,
    tensor: Tensor | None,
    objects: Sequence[tuple[int, Buffer]],
    references: Sequence[ObjectReferenceBlock],
    extensions: Sequence[Extension],
    **routing: Unpack[Routing],
) -> list[Buffer]:
    FrameSubmit.build(operation_id=1, tile_index_mode=tile_index_mode)  # an unknown mode is refused as a receiver does
    body = _Body(payloads, tensor, objects, references, extensions, tile_index_mode)
    mask = SubmitObjectRefMask(0)
    for reference in references:
        mask |= _SLOTS.get(reference.object_kind, SubmitObjectRefMask(0))
    mode = SubmitMode.INLINE
    if mask:
        mode = SubmitMode.MIXED if body.objects else SubmitMode.REFERENCE
    fields = body.tensor_fields(FrameSubmit)
    metadata = FrameSubmit.build(
        **{
            "frame_class": frame_class,
            "tile_index_mode": tile_index_mode,
            "latency_budget_ms": latency_budget_ms,
            "target_fps_x100": target_fps_x100,
            "retry_of_frame": retry_of_frame,
            "operation_id": operation_id,
            "submit_mode": mode,
            "budget_policy": budget_policy,
            "loss_tolerance_policy": loss_tolerance_policy,
            "object_ref_mask": mask,
            "dependency_frame_id": dependency_frame_id,
            "payload_kind_bitmap": body.bitmap,
            "payload_frame_count": len(body.payloads),
            **fields,
        }
    )
    _codec.reference_region(body.references, mode, mask)
    return body.parts(MessageType.FRAME_SUBMIT, metadata, routing)


def result_push_parts(
    payloads: Payloads,
    /,
    *,
    status_code: int,
    result_flags: int,
    active_profile_id: int,
    inference_ms: int,
    queue_ms: int,
    server_total_ms: int,
    result_class: int,
    applied_budget_policy: int,
    reused_frame_id: int,
    covered_tile_count: int | None,
    dropped_tile_count: int,
    tensor: Tensor | None,
    objects: Sequence[tuple[int, Buffer]],
    references: Sequence[ObjectReferenceBlock],
    extensions: Sequence[Extension],
    **routing: Unpack[Routing],
) -> list[Buffer]:
    mode = tensor.result_index_mode() if tensor is not None else TileIndexMode.DENSE_RANGE
    body = _Body(payloads, tensor, objects, references, extensions, mode)
    fields = body.tensor_fields(ResultPush)
    if covered_tile_count is None:
        covered_tile_count = max(fields.get("tile_count", 0) - dropped_tile_count, 0)
    metadata = ResultPush.build(
        **{
            "status_code": status_code,
            "result_flags": result_flags,
            "active_profile_id": active_profile_id,
            "inference_ms": inference_ms,
            "queue_ms": queue_ms,
            "server_total_ms": server_total_ms,
            "result_class": result_class,
            "applied_budget_policy": applied_budget_policy,
            "reused_frame_id": reused_frame_id,
            "covered_tile_count": covered_tile_count,
            "dropped_tile_count": dropped_tile_count,
            "payload_kind_bitmap": body.bitmap,
            "payload_frame_count": len(body.payloads),
            **fields,
        }
    )
    return body.parts(MessageType.RESULT_PUSH, metadata, routing)


class _Body:
    """The regions of a data-plane body, put together and judged."""

    def __init__(
        self,
        payloads: Payloads,
        tensor: Tensor | None,
        objects: Sequence[tuple[int, Buffer]],
        references: Sequence[ObjectReferenceBlock],
        extensions: Sequence[Extension],
        tile_index_mode: int,
    ) -> None:
        self.tensor = tensor
        self.mode = TileIndexMode(tile_index_mode)
        self.referenced = {reference.object_kind for reference in references}
        self.references = b"".join(bytes(reference) for reference in references)
        self.bitmap = PayloadKindBitmap.TENSOR if tensor is not None else PayloadKindBitmap(0)
        self._index = b""
        self._typed(payloads)
        self._objects(objects)
        self._extensions(extensions)

    def _typed(self, payloads: Payloads) -> None:
        items = [payloads] if isinstance(payloads, (*_BYTES, TypedPayload)) else list(payloads)
        descriptors: list[bytes] = []
        self.payloads: list[Buffer] = []
        self.payload_bytes = 0
        kinds = 0
        for item in items:
            if isinstance(item, _BYTES):
                item = TypedPayload(item)
            if isinstance(item, TypedPayload):
                payload = item.payload
                descriptor = item.descriptor_at(self.payload_bytes, nbytes(payload))
            elif not isinstance(item, tuple):
                raise TypeError(f"a payload is bytes, a TypedPayload or a (descriptor, payload) pair, not {item!r}")
            else:
                given, payload = item
                descriptor = given.replace(offset=self.payload_bytes, length=nbytes(payload))
            descriptors.append(bytes(descriptor))
            self.payloads.append(payload)
            self.payload_bytes += nbytes(payload)
            kinds |= descriptor.payload_kind
        self.descriptors = b"".join(descriptors)
        _codec.check_typed(self.descriptors, self.payload_bytes, kinds, len(items))
        self.bitmap |= PayloadKindBitmap(kinds)

    def _objects(self, others: Sequence[tuple[int, Buffer]]) -> None:
        """The standard parts that nothing references, in their order, then what else the caller wants inline."""
        parts: list[tuple[int, list[Buffer]]] = []
        if self.tensor is not None:
            if self.tensor.camera is not None and CacheObjectKind.CAMERA_BLOCK not in self.referenced:
                parts.append((CacheObjectKind.CAMERA_BLOCK, [self.tensor.camera]))
            index = _codec.tile_index_encode(self.mode, self.tensor.tile_ids, self.tensor.tile_base_id)
            if CacheObjectKind.TILE_INDEX_BLOCK not in self.referenced:
                self._index = index
                if self.tensor.tile_count:
                    parts.append((CacheObjectKind.TILE_INDEX_BLOCK, [self._index]))
            if CacheObjectKind.TENSOR_SECTION_TABLE not in self.referenced:
                if self.tensor.sections:
                    parts.append((CacheObjectKind.TENSOR_SECTION_TABLE, self.tensor.section_parts()))
                elif self.tensor.section_count:
                    raise _codec.breach("section_table_present", 0, self.tensor.section_count)
        for kind, payload in others:
            if kind in _TENSOR_PARTS:
                raise UsageError(f"{CacheObjectKind(kind).name} belongs to tensor=, not to objects=")
            parts.append((kind, [payload]))
        self.objects: list[Buffer] = []
        self.object_bytes = 0
        self._check_order([kind for kind, _ in parts])
        for kind, content in parts:
            size = sum(nbytes(part) for part in content)
            padding = bytes(-size % DATA_PLANE_BLOCK_ALIGNMENT)
            head = bytes(InlineObjectBlockHeader.build(object_kind=kind, object_bytes=size))
            self.objects += [head, *content, padding]
            self.object_bytes += len(head) + size + len(padding)

    def _check_order(self, kinds: list[int]) -> None:
        standard = [kind for kind in kinds if kind in _SLOTS]
        if standard != sorted(set(standard)):
            raise _codec.breach("object_order", 0, standard[-1])
        both = self.referenced.intersection(standard)
        if both:
            raise _codec.breach("object_not_referenced_too", 0, min(both))

    def _extensions(self, extensions: Sequence[Extension]) -> None:
        descriptors: list[bytes] = []
        self.extension_payloads: list[Buffer] = []
        self.extension_bytes = 0
        for extension in extensions:
            size = nbytes(extension.payload)
            descriptors.append(
                bytes(
                    ExtensionFrameDescriptor.build(
                        extension_kind=extension.extension_kind,
                        extension_flags=extension.extension_flags,
                        profile_id=extension.profile_id,
                        payload_offset=self.extension_bytes,
                        payload_length=size,
                    )
                )
            )
            self.extension_payloads.append(extension.payload)
            self.extension_bytes += size
        self.extension_descriptors = b"".join(descriptors)

    def tensor_fields(self, layout: type[FrameSubmit] | type[ResultPush]) -> dict[str, int]:
        """The metadata fields that a tensor decides; none without one."""
        if self.tensor is None:
            return {}
        fields = {
            "tile_count": self.tensor.tile_count,
            "tile_base_id": self.tensor.tile_base_id,
            "section_count": self.tensor.section_count,
            "tile_index_bytes": len(self._index),
        }
        if layout is FrameSubmit:
            inline_camera = self.tensor.camera is not None and CacheObjectKind.CAMERA_BLOCK not in self.referenced
            fields |= {
                "src_width": self.tensor.src_width,
                "src_height": self.tensor.src_height,
                "tile_width": self.tensor.tile_width,
                "tile_height": self.tensor.tile_height,
                "input_profile": self.tensor.input_profile,
                "camera_bytes": nbytes(self.tensor.camera) if inline_camera and self.tensor.camera is not None else 0,
            }
        return fields

    def parts(self, kind: MessageType, metadata: LayoutView, routing: Routing) -> list[Buffer]:
        regions: list[Buffer] = [
            *self.objects,
            self.references,
            self.descriptors,
            *self.payloads,
            self.extension_descriptors,
            *self.extension_payloads,
        ]
        body_len = sum(nbytes(region) for region in regions)
        if body_len == 0 and kind is MessageType.RESULT_PUSH and not self.bitmap:
            return [_codec.build_head(kind, metadata, 0, True, **routing)]
        head = _codec.build_head(kind, metadata, BodyRegionPrelude.size + body_len, True, **routing)
        prelude = BodyRegionPrelude.build(
            inline_object_bytes=self.object_bytes,
            object_reference_bytes=len(self.references),
            typed_payload_descriptor_bytes=len(self.descriptors),
            typed_payload_frame_bytes=self.payload_bytes,
            extension_descriptor_bytes=len(self.extension_descriptors),
            extension_payload_bytes=self.extension_bytes,
        )
        return [head, bytes(prelude), *regions]


def recovery_ticket(token: Buffer, /, **fields: Any) -> bytes:
    """A recovery ticket of its prefix fields and the resume token (wire.md section 9); raises InvalidRecoveryTicket."""
    prefix = RecoveryTicketPrefix.build(**{**fields, "token_len": nbytes(token)})
    return joined([bytes(prefix), token])
