"""Cases over many packets: one buffer of packets, and a byte stream that arrives in chunks.

Their rival `struct_loop` is the splitter a Python programmer would write: one `unpack_from` per header, slices for
metadata and body, nothing checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nnrp_wire import wire
from nnrp_wire.bench import workload
from nnrp_wire.bench.rivals import Rivals
from nnrp_wire.bench.runner import OURS, Contender, StatementCase

PACKET = workload.PARTIAL.packet
BUFFERED_PACKETS = 64
CHUNK_BYTES = 65536
STREAM_PACKETS = 3500
STREAM = PACKET * STREAM_PACKETS
CHUNKS = [STREAM[start : start + CHUNK_BYTES] for start in range(0, len(STREAM), CHUNK_BYTES)]

EXPECTED_LAST = {"metadata": PACKET[40:80], "body": workload.PARTIAL.payload}

ITERATE = """\
count = 0
for packet in iter_packets(data):
    count += 1
"""

ITERATE_BY_HAND = """\
count = 0
pos = 0
end = len(data)
while pos < end:
    header = unpack_from(data, pos)
    start = pos + 40 + header[6]
    metadata = data[pos + 40 : start]
    pos = start + header[7]
    body = data[start:pos]
    count += 1
"""

READ = """\
count = 0
reader = PacketReader()
for chunk in chunks:
    reader.feed(chunk)
    for packet in reader:
        count += 1
"""

READ_BY_HAND = """\
count = 0
pending = b""
for chunk in chunks:
    data = pending + chunk
    end = len(data)
    pos = 0
    while end - pos >= 40:
        header = unpack_from(data, pos)
        start = pos + 40 + header[6]
        stop = start + header[7]
        if stop > end:
            break
        metadata = data[pos + 40 : start]
        body = data[start:stop]
        count += 1
        pos = stop
    pending = data[pos:]
"""


def last_of_ours(names: Mapping[str, Any]) -> object:
    packet = names["packet"]
    last = {"metadata": bytes(packet.metadata_bytes), "body": bytes(packet.body)}
    return {"count": names["count"], **last}


def last_by_hand(names: Mapping[str, Any]) -> object:
    return {"count": names["count"], "metadata": names["metadata"], "body": names["body"]}


def iterate_contenders(_rivals: Rivals) -> Sequence[Contender]:
    data = PACKET * BUFFERED_PACKETS
    by_hand = {"data": data, "unpack_from": workload.LONE_HEADER_STRUCT.unpack_from}
    return [
        Contender(OURS, ITERATE, {"data": data, "iter_packets": wire.iter_packets}, last_of_ours),
        Contender("struct_loop", ITERATE_BY_HAND, by_hand, last_by_hand),
    ]


def reader_contenders(_rivals: Rivals) -> Sequence[Contender]:
    by_hand = {"chunks": CHUNKS, "unpack_from": workload.LONE_HEADER_STRUCT.unpack_from}
    return [
        Contender(OURS, READ, {"chunks": CHUNKS, "PacketReader": wire.PacketReader}, last_of_ours),
        Contender("struct_loop", READ_BY_HAND, by_hand, last_by_hand),
    ]


CASES = (
    StatementCase(
        name="iter_packets",
        expected={"count": BUFFERED_PACKETS, **EXPECTED_LAST},
        contenders=iterate_contenders,
        rival_names=("struct_loop",),
        per_statement=BUFFERED_PACKETS,
    ),
    StatementCase(
        name="reader",
        expected={"count": STREAM_PACKETS, **EXPECTED_LAST},
        contenders=reader_contenders,
        rival_names=("struct_loop",),
        unit="packets/s",
        per_statement=STREAM_PACKETS,
    ),
)
