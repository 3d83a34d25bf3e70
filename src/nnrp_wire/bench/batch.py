"""The case `scan`: a large buffer of small packets as a table of one row per packet.

Both rivals walk the buffer as a Python programmer would. `struct_loop` only splits: it unpacks each header, slices
metadata and body, and keeps nothing. `struct_table` keeps what `scan` keeps, a row per packet, and makes no slices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nnrp_wire import wire
from nnrp_wire.bench import workload
from nnrp_wire.bench.rivals import Rivals
from nnrp_wire.bench.runner import OURS, Contender, Result, Settings, StatementCase
from nnrp_wire.bench.streams import ITERATE_BY_HAND, PACKET

HEADER_FIELDS = (
    *("message_type", "flags", "meta_len", "body_len", "session_id", "frame_id", "view_id", "route_id", "trace_id"),
)
TABLE_BY_HAND = """\
rows = []
pos = 0
end = len(data)
while pos < end:
    header = unpack_from(data, pos)
    rows.append((pos, header))
    pos += 40 + header[6] + header[7]
"""


def summary(count: int, last: Mapping[str, int]) -> object:
    return {"count": count, "last": dict(last)}


def by_ours(names: Mapping[str, Any]) -> object:
    rows = names["rows"]
    return summary(len(rows), {name: int(rows[-1][name]) for name in ("offset", *HEADER_FIELDS)})


def header_fields(offset: int, header: Sequence[int]) -> Mapping[str, int]:
    fields = dict(zip(workload.HEADER.fields, header, strict=True))
    return {"offset": offset, **{name: fields[name] for name in HEADER_FIELDS}}


def by_loop(names: Mapping[str, Any]) -> object:
    header = names["header"]
    return summary(names["count"], header_fields(names["pos"] - len(PACKET), header))


def by_table(names: Mapping[str, Any]) -> object:
    rows = names["rows"]
    return summary(len(rows), header_fields(*rows[-1]))


def contenders(data: bytes) -> Sequence[Contender]:
    by_hand = {"data": data, "unpack_from": workload.LONE_HEADER_STRUCT.unpack_from}
    return [
        Contender(OURS, "rows = scan(data)", {"data": data, "scan": wire.scan}, by_ours),
        Contender("struct_loop", ITERATE_BY_HAND, by_hand, by_loop),
        Contender("struct_table", TABLE_BY_HAND, by_hand, by_table),
    ]


@dataclass(frozen=True)
class ScanCase:
    name: str = "scan"

    def of(self, size: int) -> StatementCase:
        """The case over at most `size` bytes of packets."""
        count = size // len(PACKET)
        data = PACKET * count
        header = workload.LONE_HEADER_STRUCT.unpack_from(PACKET)
        return StatementCase(
            name=self.name,
            expected=summary(count, header_fields(len(data) - len(PACKET), header)),
            contenders=lambda _rivals: contenders(data),
            rival_names=("struct_loop", "struct_table"),
            unit="packets/s",
            per_statement=count,
        )

    def run(self, settings: Settings, rivals: Rivals) -> list[Result]:
        """Fewer rounds than elsewhere: a single sample of a loop takes long enough for its noise to cancel out."""
        return self.of(settings.scan_bytes).run(settings.of_long_samples, rivals)


CASES = (ScanCase(),)
