"""What a tensor submit or result consists of, as the builders take it (wire.md sections 6.4.2 and 6.4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from . import _assembly, _codec
from ._constants_generated import DATA_PLANE_BLOCK_ALIGNMENT
from ._enums_generated import TensorSectionFlags, TileIndexMode
from ._layouts_generated import TensorSectionDescriptor

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Extension", "Section", "Tensor"]


@dataclass(frozen=True)
class Extension:
    """An extension frame to be built (wire.md section 9)."""

    payload: Buffer
    extension_kind: int
    extension_flags: int = 0
    profile_id: int = 0


@dataclass(frozen=True)
class Section:
    """One tensor section to be built: a payload per tile, in the order of the tile ids.

    codec_ids: one per tile, or empty when all tiles have codec_id. stride: bytes each tile occupies, filled with
    zeroes; 0 packs the payloads.
    """

    role_id: int
    payloads: Sequence[Buffer]
    codec_id: int = 0
    dtype_id: int = 0
    layout_id: int = 0
    scale_policy: int = 0
    element_count_per_tile: int = 0
    codec_ids: Sequence[int] = ()
    stride: int = 0

    def parts(self, tile_count: int) -> list[Buffer]:
        """Descriptor, tables and payloads; the breaches are those a receiver would find in them."""
        lengths = [_assembly.nbytes(payload) for payload in self.payloads]
        if len(lengths) != tile_count:
            raise _codec.breach("section_length_table", 4 * tile_count, 4 * len(lengths))
        if self.codec_ids and len(self.codec_ids) != tile_count:
            raise _codec.breach("section_codec_table", tile_count, len(self.codec_ids))
        if self.stride and max(lengths, default=0) > self.stride:
            raise _codec.breach("section_tile_within_stride", self.stride, max(lengths))
        mixed = any(codec != self.codec_id for codec in self.codec_ids)
        flags = TensorSectionFlags.MIXED_CODEC if mixed else TensorSectionFlags(0)
        if self.stride:
            flags |= TensorSectionFlags.FIXED_STRIDE
        descriptor = TensorSectionDescriptor.build(
            role_id=self.role_id,
            codec_id=self.codec_id,
            dtype_id=self.dtype_id,
            layout_id=self.layout_id,
            scale_policy=self.scale_policy,
            section_flags=flags,
            element_count_per_tile=self.element_count_per_tile,
            codec_table_bytes=tile_count if mixed else 0,
            length_table_bytes=4 * tile_count,
            payload_bytes=self.stride * tile_count if self.stride else sum(lengths),
            payload_stride_bytes=self.stride,
        )
        tables = bytes(self.codec_ids) if mixed else b""
        tables += b"".join(length.to_bytes(4, "little") for length in lengths)
        parts: list[Buffer] = [bytes(descriptor) + tables]
        for payload, length in zip(self.payloads, lengths, strict=True):
            parts.append(payload)
            if self.stride > length:
                parts.append(bytes(self.stride - length))
        return parts


@dataclass(frozen=True)
class Tensor:
    """The tensor of a submit or a result.

    tile_ids: the ids in order; left out, the dense range of tile_count ids from tile_base_id. Parts that the packet
    references (object_references) are left out here; tile_count and section_count then say how many there are.
    """

    tile_ids: Sequence[int] = ()
    sections: Sequence[Section] = ()
    camera: Buffer | None = None
    tile_base_id: int = 0
    tile_count: int = -1
    section_count: int = -1
    src_width: int = 0
    src_height: int = 0
    tile_width: int = 0
    tile_height: int = 0
    input_profile: int = 0
    _listed: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        ids: Any = self.tile_ids
        listed = len(ids) > 0
        if self.tile_count < 0:
            object.__setattr__(self, "tile_count", len(ids))
        elif not listed:
            object.__setattr__(self, "tile_ids", range(self.tile_base_id, self.tile_base_id + self.tile_count))
        elif len(ids) != self.tile_count:
            raise UsageError(f"{len(ids)} tile ids for tile_count {self.tile_count}")
        object.__setattr__(self, "_listed", listed)
        if self.section_count < 0:
            object.__setattr__(self, "section_count", len(self.sections))
        elif self.sections and len(self.sections) != self.section_count:
            raise UsageError(f"{len(self.sections)} sections for section_count {self.section_count}")

    def result_index_mode(self) -> TileIndexMode:
        """RESULT_PUSH lists ids as raw_u16, or has the dense range (wire.md section 6.2)."""
        dense = range(self.tile_base_id, self.tile_base_id + self.tile_count)
        listed = self._listed and list(self.tile_ids) != list(dense)
        return TileIndexMode.RAW_U16 if listed else TileIndexMode.DENSE_RANGE

    def section_parts(self) -> list[Buffer]:
        """The section table: sections in ascending order of role, each on a multiple of 8."""
        parts: list[Buffer] = []
        size = 0
        last = -1
        for section in self.sections:
            if 0 <= section.role_id <= last:
                raise _codec.breach("section_role_order", last + 1, section.role_id)
            last = section.role_id
            filler = bytes(-size % DATA_PLANE_BLOCK_ALIGNMENT)
            made = [filler, *section.parts(self.tile_count)]
            parts += made
            size += sum(_assembly.nbytes(part) for part in made)
        return parts
