"""A stream gives the same packets wherever it is cut (wire.md section 2)."""

from __future__ import annotations

import random

from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError

SOURCES = list(data.packets().values())


def read(chunks, drain_every: int = 1) -> list[bytes]:
    reader, found = wire.PacketReader(), []
    for number, chunk in enumerate(chunks):
        reader.feed(chunk)
        if number % drain_every == 0:
            found += [packet.to_bytes() for packet in reader]
    found += [packet.to_bytes() for packet in reader]
    assert reader.buffered_bytes == 0
    return found


def test_every_split_point_of_every_packet():
    for source in SOURCES:
        for cut in range(len(source) + 1):
            assert read([source[:cut], source[cut:]]) == [source]


def test_every_split_point_of_the_whole_stream():
    stream = b"".join(SOURCES)
    for cut in range(len(stream) + 1):
        reader = wire.PacketReader()
        reader.feed(stream[:cut])
        count = sum(1 for _ in reader)
        reader.feed(stream[cut:])
        count += sum(1 for _ in reader)
        assert count == len(SOURCES), cut
        assert reader.offset == len(stream)


def test_random_chunks():
    chosen = random.Random(4)
    for _ in range(60):
        sources = [chosen.choice(SOURCES) for _ in range(30)]
        stream, chunks, at = b"".join(sources), [], 0
        largest = chosen.choice([3, 50, 300, 5000])
        while at < len(stream):
            size = chosen.randrange(0, largest)
            chunk = stream[at : at + size]
            chunks.append(bytearray(chunk) if chosen.random() < 0.3 else chunk)
            at += size
        assert read(chunks, drain_every=chosen.randrange(1, 6)) == sources


def outcome(chunks) -> tuple[list[bytes], str | None, int]:
    """Packets, error class and stream offset: what a stream of these chunks comes to."""
    reader, found, error_class = wire.PacketReader(), [], None
    try:
        for chunk in chunks:
            reader.feed(chunk)
            found.extend(packet.to_bytes() for packet in reader)
    except WireError as error:
        error_class = error.error_class
    return found, error_class, reader.offset


def test_every_split_point_of_a_broken_stream():
    """The error is the same and comes behind the same packets, wherever the cuts are."""
    ping, submit = data.plain_messages()["ping"], raw.typed_submit([b"{}"])
    for broken in (
        b"X" * 60,
        raw.patch(submit, 4, 9, 1) + ping,
        raw.packet("session_open", raw.layout("session_open", reserved0=1)) + ping,
        raw.packet("ping", meta_len=raw.U32_MAX, body_len=5) + ping,
        raw.packet("ping", body_len=1 << 31) + ping,
    ):
        stream = ping + submit + broken
        whole = outcome([stream])
        assert whole[0] == [ping, submit]
        assert whole[1] is not None
        for cut in range(len(stream) + 1):
            assert outcome([stream[:cut], stream[cut:]]) == whole, cut
        assert outcome([stream[at : at + 1] for at in range(len(stream))]) == whole
