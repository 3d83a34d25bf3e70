"""numpy over the wire: record types of the layouts, and one row per packet. numpy is imported when first used."""

from __future__ import annotations

from . import _codec
from ._layouts_generated import VIEWS

TYPE_CHECKING = False  # as in _errors_base.py
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer

    from ._codec import LayoutView

__all__ = ["dtype", "scan"]

_FORMATS = {"u8": "u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "i16": "<i2", "bytes": "S4"}
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


def dtype(layout: str | type[LayoutView], /) -> np.dtype[np.void]:
    """The numpy record type of a layout, given by name or view class: every field at its offset, itemsize its size."""
    import numpy as np

    if not isinstance(layout, (str, type)):
        raise TypeError(f"a layout's name or view class, not {layout!r}")
    name = layout if isinstance(layout, str) else layout.layout_name
    if name not in VIEWS:
        raise KeyError(f"no layout {name!r}")
    fields = _codec.table_fields(name)
    return np.dtype(
        {
            "names": [field[0] for field in fields],
            "formats": [_FORMATS[field[3]] for field in fields],
            "offsets": [field[1] for field in fields],
            "itemsize": VIEWS[name].size,
        }
    )


def scan(buf: Buffer, pos: int = 0, /, *, max_packet_bytes: int = _codec.DEFAULT_MAX_PACKET_BYTES) -> npt.NDArray[Any]:
    """One row per packet of the packets that stand back to back in buf[pos:], without a Python object per packet.

    Columns: offset (of the packet in buf), message_type, flags, meta_len, body_len, session_id, frame_id, view_id,
    route_id, trace_id. Headers and lengths are checked, metadata is not looked at. Large buffers are scanned without
    the GIL. A broken or cut packet raises as iter_packets does; the exception's `rows` attribute holds the rows before
    it.
    """
    import numpy as np

    # The core's own record: declaration order, 8 spare bytes at the end for its alignment.
    row = np.dtype(
        {
            "names": list(_ROW),
            "formats": list(_ROW.values()),
            "offsets": [0, 8, 16, 20, 24, 28, 32, 36, 38, 40],
            "itemsize": _codec.ROW_SIZE,
        }
    )
    parts = []
    capacity = 1024
    while True:
        rows = np.empty(capacity, row)
        count, pos, failure = _codec.scan_into(buf, rows.view("u1").data, pos, max_packet_bytes=max_packet_bytes)
        parts.append(rows[:count])
        if failure is not None:
            failure.rows = np.concatenate(parts)
            raise failure
        if count < capacity:
            return np.concatenate(parts) if len(parts) > 1 else parts[0].copy()
        capacity = min(capacity * 4, 1 << 18)
