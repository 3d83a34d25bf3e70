"""numpy over the wire: one row per packet, columns of layouts, tensors as arrays. numpy is imported when first used.

Arrays obey the rules of views: one that shows a packet's memory is read-only and keeps that memory alive. What was
gathered or decoded is memory of its own.
"""

from __future__ import annotations

from functools import cache

from ..errors import UsageError
from . import _codec
from ._enums_generated import TensorDtype, TileIndexMode
from ._layouts_generated import VIEWS

TYPE_CHECKING = False  # as in _errors_base.py
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer

    from ._codec import DataPlaneBody, LayoutView, TensorSection

__all__ = [
    "columns",
    "columns_at",
    "dtype",
    "metadata_columns",
    "scan",
    "section_array",
    "tile_arrays",
    "tile_id_array",
]

_FORMATS = {"u8": "u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "i16": "<i2", "bytes": "S4"}
# The core's own record: declaration order, 7 spare bytes at the end for its alignment.
_ROW = {
    "offset": "u8",
    "trace_id": "u8",
    "flags": "u4",
    "meta_len": "u4",
    "body_len": "u4",
    "session_id": "u4",
    "frame_id": "u4",
    "view_id": "u2",
    "route_id": "u2",
    "message_type": "u1",
}
_FIRST_ROWS = 1024
# The fp8 types are missing: numpy has none.
_ELEMENTS: dict[int, str] = {
    TensorDtype.FP16: "<f2",
    TensorDtype.FP32: "<f4",
    TensorDtype.INT8: "i1",
    TensorDtype.UINT8: "u1",
    TensorDtype.INT16: "<i2",
    TensorDtype.UINT16: "<u2",
}


def _name_of(layout: str | type[LayoutView]) -> str:
    if not isinstance(layout, (str, type)):
        raise TypeError(f"a layout's name or view class, not {layout!r}")
    name = layout if isinstance(layout, str) else layout.layout_name
    if name not in VIEWS:
        raise KeyError(f"no layout {name!r}")
    return name


def dtype(layout: str | type[LayoutView], /) -> np.dtype[np.void]:
    """The numpy record type of a layout, given by name or view class: every field at its offset, itemsize its size."""
    return _record_type(_name_of(layout))


@cache
def _record_type(name: str) -> np.dtype[np.void]:
    import numpy as np

    fields = _codec.table_fields(name)
    return np.dtype(
        {
            "names": [field[0] for field in fields],
            "formats": [_FORMATS[field[3]] for field in fields],
            "offsets": [field[1] for field in fields],
            "itemsize": VIEWS[name].size,
        }
    )


@cache
def _row_type() -> np.dtype[np.void]:
    import numpy as np

    kinds = [np.dtype(code) for code in _ROW.values()]
    offsets = [sum(kind.itemsize for kind in kinds[:index]) for index in range(len(kinds))]
    return np.dtype({"names": list(_ROW), "formats": kinds, "offsets": offsets, "itemsize": _codec.ROW_SIZE})


def scan(buf: Buffer, pos: int = 0, /, *, max_packet_bytes: int = _codec.DEFAULT_MAX_PACKET_BYTES) -> npt.NDArray[Any]:
    """One row per packet of the packets that stand back to back in buf[pos:], without a Python object per packet.

    Columns: offset (of the packet in buf), message_type, flags, meta_len, body_len, session_id, frame_id, view_id,
    route_id, trace_id. Headers and lengths are checked, metadata is not looked at. Large buffers are scanned without
    the GIL. A broken or cut packet raises as iter_packets does; the exception's `rows` attribute holds the rows before
    it.
    """
    import numpy as np

    rows = np.empty(_FIRST_ROWS, _row_type())
    filled = 0
    start = at = pos
    while True:
        free = rows[filled:].view("u1").data
        count, at, failure = _codec.scan_into(buf, free, at, max_packet_bytes=max_packet_bytes)
        filled += count
        if failure is not None or filled < len(rows):
            break
        # Full: room for what the rest holds if it goes on like this, and a little more.
        left = memoryview(buf).nbytes - at
        fuller = np.empty(filled + left * filled // (at - start) * 17 // 16 + _FIRST_ROWS, _row_type())
        fuller[:filled] = rows
        rows = fuller
    # What was never written takes no memory, unless there is much of it: not worth copying everything once more.
    rows = rows[:filled] if filled > len(rows) // 2 else rows[:filled].copy()
    if failure is not None:
        failure.rows = rows
        raise failure
    return rows


def columns(
    layout: str | type[LayoutView], buf: Buffer, pos: int = 0, /, *, count: int | None = None
) -> npt.NDArray[Any]:
    """The equal layouts that stand back to back in buf[pos:], one row each: `count` of them, or all that are there.

    Over bytes the array is a read-only view of them; from any other buffer the layouts are copied first, as
    LayoutView.parse does. Raises what parse() would raise at the first layout that breaks a rule; offsets in errors
    count from the start of buf, and the exception's `rows` holds the layouts before it.
    """
    import numpy as np

    name = _name_of(layout)
    region, failure = _codec.layout_region(name, buf, pos, count)
    kind = _record_type(name)
    rows = np.ndarray((region.nbytes // kind.itemsize,), kind, region)
    if failure is not None:
        failure.rows = rows
        raise failure
    return rows


def columns_at(layout: str | type[LayoutView], buf: Buffer, positions: npt.ArrayLike, /) -> npt.NDArray[Any]:
    """The layouts that start at the given positions of buf, gathered into an array of their own, one row each.

    positions: whole numbers in one dimension, in any order. Raises as columns() does.
    """
    import numpy as np

    numbers = np.asarray(positions)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise TypeError("positions are whole numbers in one dimension")
    if numbers.size and numbers.dtype.kind == "i" and numbers.min() < 0:
        raise ValueError(f"positions must not be negative, got {numbers.min()}")
    return _gathered(_name_of(layout), buf, numbers, False)


def metadata_columns(layout: str | type[LayoutView], buf: Buffer, rows: npt.NDArray[Any], /) -> npt.NDArray[Any]:
    """The metadata of the packets that scan(buf) found in rows, gathered into an array of its own, one row each.

    All of them must have metadata of this layout: pick rows by their message_type first. The layout stage is checked,
    as parse_packet does. Raises as columns() does, UsageError for a packet with other metadata or none.
    """
    import numpy as np

    given: object = rows
    if not isinstance(given, np.ndarray) or given.ndim != 1 or "offset" not in (given.dtype.fields or ()):
        raise TypeError("rows are what scan() returns, or some of them")
    return _gathered(_name_of(layout), buf, rows["offset"], True)


def _gathered(name: str, buf: Buffer, positions: npt.NDArray[Any], packets: bool) -> npt.NDArray[Any]:
    import numpy as np

    numbers = positions.astype("u8")
    rows = np.empty(len(numbers), _record_type(name))
    done, failure = _codec.gather_into(name, buf, numbers.data, rows.view("u1").data, packets)
    if failure is not None:
        failure.rows = rows[:done]
        raise failure
    if done < len(numbers):
        message = _codec.parse_header(buf, int(numbers[done])).message_type
        raise UsageError(f"row {done} is a {message.name}, whose metadata is not {name}")
    return rows


def tile_id_array(body: DataPlaneBody, /) -> npt.NDArray[Any] | None:
    """The tile ids of a tensor body as a read-only array; None where body.tile_ids is None.

    raw_u16 is a view of the index block. The other codings are decoded: to u16, or u32 for a dense range.
    """
    import numpy as np

    found = _codec.tile_index_of(body)
    if found is None:
        return None
    mode, block, count, base = found
    ids: npt.NDArray[Any]
    if mode == TileIndexMode.RAW_U16:
        return np.ndarray((count,), "<u2", block)
    if mode == TileIndexMode.DELTA_U16:
        ids = np.cumsum(np.ndarray((count,), "<u2", block), dtype="<u2")
    elif mode == TileIndexMode.BITSET:
        bits = np.unpackbits(np.ndarray((block.nbytes,), "u1", block), bitorder="little")
        ids = np.flatnonzero(bits).astype("<u2")
    else:
        ids = (np.arange(count, dtype="<u8") + base).astype("<u4")
    ids.flags.writeable = False
    return ids


def tile_arrays(
    section: TensorSection, /, *, element_type: npt.DTypeLike | None = None
) -> tuple[npt.NDArray[Any], ...]:
    """Each tile's payload as a read-only array of elements that views the packet's memory.

    The element type is that of the section's dtype_id, or element_type. Raises UsageError where the tiles are no plain
    elements: for a dtype_id that numpy has no type for (fp8_e4m3, fp8_e5m2, unknown ids) when element_type is not
    given, and for a tile of another length than its elements have, such as one that a codec encoded.
    """
    import numpy as np

    kind, lengths, stride = _plain_elements(section, element_type)
    starts = np.arange(len(lengths)) * stride if stride else np.cumsum(lengths, dtype="u8") - lengths
    payload = section.payload
    spans = zip(starts.tolist(), (lengths // kind.itemsize).tolist(), strict=True)
    return tuple(np.ndarray((size,), kind, payload, start) for start, size in spans)


def section_array(section: TensorSection, /, *, element_type: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """The payload of a section as one read-only array of (tile, element) that views the packet's memory.

    As tile_arrays, for tiles of one length; UsageError when they differ. The filler of a stride is stepped over.
    """
    import numpy as np

    kind, lengths, stride = _plain_elements(section, element_type)
    if len(lengths) == 0:
        return np.ndarray((0, section.descriptor.element_count_per_tile), kind, section.payload)
    length = int(lengths[0])
    if (lengths != length).any():
        raise UsageError("tiles differ in length; use tile_arrays()")
    shape = (len(lengths), length // kind.itemsize)
    return np.ndarray(shape, kind, section.payload, 0, (stride or length, kind.itemsize))


def _plain_elements(
    section: TensorSection, element_type: npt.DTypeLike | None
) -> tuple[np.dtype[Any], npt.NDArray[np.uint32], int]:
    """The element type, the bytes of each tile, and the stride or 0."""
    import numpy as np

    descriptor = section.descriptor
    if element_type is None:
        code = _ELEMENTS.get(descriptor.dtype_id)
        if code is None:
            raise UsageError(f"numpy has no type for dtype_id {descriptor.dtype_id!r}; give element_type")
        kind = np.dtype(code)
    else:
        kind = np.dtype(element_type)
        if kind.hasobject or kind.itemsize == 0:
            raise TypeError(f"{kind} is no type of elements in a payload")
    table, stride = _codec.section_lengths(section)
    lengths: npt.NDArray[np.uint32] = np.ndarray((table.nbytes // 4,), "<u4", table)
    wanted = descriptor.element_count_per_tile * kind.itemsize
    odd = np.flatnonzero(lengths != wanted if wanted else lengths % kind.itemsize)
    if odd.size:
        size = f"{descriptor.element_count_per_tile} elements" if wanted else "whole elements"
        raise UsageError(f"tile {odd[0]} has {lengths[odd[0]]} bytes, which are not {size} of {kind}")
    return kind, lengths, stride
