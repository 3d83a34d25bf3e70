"""numpy dtypes of the layouts, and `scan` against the packet parser."""

from __future__ import annotations

import mmap
import random
import subprocess
import sys
import threading

import numpy as np
import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import (
    FrameTooLarge,
    InvalidMagic,
    MessageLengthOverflow,
    PacketLengthMismatch,
    SourceTooShort,
    WireError,
)

STREAM = b"".join(data.packets().values())
PING = data.plain_messages()["ping"]


@pytest.mark.parametrize("name", data.table()["layouts"])
def test_dtype_reads_what_the_view_reads(name):
    kind = wire.dtype(name)
    assert kind == wire.dtype(wire.VIEWS[name])
    assert kind.itemsize == raw.size(name)
    assert list(kind.names) == [field["name"] for field in raw.fields(name)]
    seeds = data.layout_seeds()[name]
    rows = np.frombuffer(b"".join(seeds), dtype=kind)
    for row, source in zip(rows, seeds, strict=True):
        for field, value in raw.read(name, source).items():
            found = row[field]
            assert (bytes(found) if isinstance(value, bytes) else int(found)) == value


def test_dtype_of_nothing():
    with pytest.raises((KeyError, ValueError, TypeError)):
        wire.dtype("no_such_layout")
    with pytest.raises(TypeError):
        wire.dtype(5)


def test_scan_is_the_headers_of_every_packet():
    rows = wire.scan(STREAM)
    at = 0
    assert len(rows) == len(data.packets())
    for row, source in zip(rows, data.packets().values(), strict=True):
        header = wire.parse_header(source)
        assert int(row["offset"]) == at
        for field in set(rows.dtype.names) - {"offset"}:
            assert int(row[field]) == int(getattr(header, field))
        at += len(source)


@pytest.mark.parametrize("wrap", [bytearray, memoryview, lambda chunk: np.frombuffer(chunk, dtype=np.uint8)])
def test_scan_of_other_buffers(wrap):
    assert np.array_equal(wire.scan(wrap(STREAM)), wire.scan(STREAM))


def test_scan_from_a_position():
    first = len(next(iter(data.packets().values())))
    rows = wire.scan(STREAM, first)
    assert len(rows) == len(data.packets()) - 1
    assert int(rows[0]["offset"]) == first


def test_scan_of_nothing():
    rows = wire.scan(b"")
    assert len(rows) == 0
    assert "offset" in rows.dtype.names


def test_scan_owns_its_rows():
    source = bytearray(STREAM)
    rows = wire.scan(source)
    before = rows.copy()
    source[:] = bytes(len(source))
    source.extend(b"not locked")
    assert np.array_equal(rows, before)


@pytest.mark.parametrize(
    ("broken", "kind"),
    [
        (b"garbage" * 10, InvalidMagic),
        (raw.packet("ping", meta_len=raw.U32_MAX, body_len=1), MessageLengthOverflow),
        (raw.packet("ping", body_len=1 << 30), FrameTooLarge),
    ],
)
def test_scan_refuses_what_breaks_framing(broken, kind):
    with pytest.raises(kind):
        wire.scan(PING + broken)


def test_every_column_at_its_largest_value():
    """Fields do not run into each other, whatever stands in them."""
    largest = {"flags": 0x3F, "session_id": raw.U32_MAX, "frame_id": raw.U32_MAX, "view_id": 0xFFFF, "route_id": 0xFFFF}
    largest["trace_id"] = 0xFFFFFFFFFFFFFFFF
    for field, value in largest.items():
        (row,) = wire.scan(raw.packet("ping", **{"session_id": 0, "frame_id": 0, field: value}))
        others = {name: int(row[name]) for name in largest if name != field}
        assert int(row[field]) == value
        assert others == dict.fromkeys(others, 0)


def pings(sizes) -> list[bytes]:
    return [raw.packet("ping", body=bytes(size), frame_id=number) for number, size in enumerate(sizes)]


@pytest.mark.parametrize("count", [1, 1023, 1024, 1025, 2048, 5000])
def test_any_number_of_packets(count):
    """Room for rows grows by guesses about the rest of the buffer; the rows do not show where."""
    rows = wire.scan(PING * count)
    assert len(rows) == count
    assert rows["offset"].tolist() == [len(PING) * number for number in range(count)]
    assert rows.dtype == wire.scan(b"").dtype


@pytest.mark.parametrize("order", [sorted, lambda sizes: sorted(sizes, reverse=True), list])
def test_guesses_about_the_rest_may_be_wrong(order):
    """Large packets first, small ones first, and mixed."""
    chance = random.Random(3)
    sizes = order(chance.choice((0, 1, 7, 300, 20_000)) for _ in range(3000))
    packets = pings(sizes)
    rows = wire.scan(b"".join(packets))
    assert rows["body_len"].tolist() == sizes
    assert rows["frame_id"].tolist() == list(range(3000))
    assert rows["offset"].tolist() == np.cumsum([0, *map(len, packets[:-1])]).tolist()


@pytest.mark.parametrize("before", [0, 1, 1024, 3000])
@pytest.mark.parametrize(
    ("rest", "kind", "offset"),
    [
        (b"garbage" * 10, InvalidMagic, 0),
        (PING[:17], SourceTooShort, 17),
        (raw.packet("ping", body=b"12345")[:-1], PacketLengthMismatch, 44),
        (raw.packet("ping", meta_len=raw.U32_MAX, body_len=1), MessageLengthOverflow, 16),
    ],
)
def test_rows_before_the_breach_come_with_the_error(before, rest, kind, offset):
    with pytest.raises(kind) as caught:
        wire.scan(PING * before + rest)
    assert type(caught.value) is kind
    assert caught.value.offset == len(PING) * before + offset
    assert np.array_equal(caught.value.rows, wire.scan(PING * before))


def outcome(call, source: bytes) -> object:
    try:
        call(source)
    except WireError as error:
        return type(error), error.rule, error.offset, error.expected, error.found, str(error)
    return None


def test_errors_are_those_of_the_iterator():
    for size in range(len(STREAM)):
        if size % 7 and size > 400:
            continue
        scanned = outcome(wire.scan, STREAM[:size])
        assert scanned == outcome(lambda part: list(wire.iter_packets(part)), STREAM[:size])


def test_scan_from_where_nothing_is_left():
    assert len(wire.scan(PING, len(PING))) == 0
    assert len(wire.scan(PING, 1 << 60)) == 0
    with pytest.raises(ValueError, match="must not be negative"):
        wire.scan(PING, -1)


def test_scan_keeps_a_limit_of_ones_own():
    assert len(wire.scan(PING * 3, max_packet_bytes=len(PING))) == 3
    with pytest.raises(FrameTooLarge) as caught:
        wire.scan(PING + raw.packet("ping", body=b"1"), max_packet_bytes=len(PING))
    assert len(caught.value.rows) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="files are not sparse there unless asked for")
def test_positions_beyond_four_gigabytes(tmp_path):
    """A sparse file, so nothing is read but the headers."""
    giant = 3 << 30
    starts = [0, 40 + giant, 2 * (40 + giant)]
    file = tmp_path / "stream"
    with file.open("wb") as out:
        for number, start in enumerate(starts):
            out.seek(start)
            out.write(raw.packet("ping", body_len=giant, frame_id=number + 1))
        out.truncate(3 * (40 + giant))
    with file.open("rb") as source, mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ) as stream:
        rows = wire.scan(stream, max_packet_bytes=4 << 30)
        assert rows["offset"].tolist() == starts
        assert rows["frame_id"].tolist() == [1, 2, 3]
        assert wire.columns_at("common_header", stream, rows["offset"])["body_len"].tolist() == [giant] * 3
        with pytest.raises(InvalidMagic) as caught:
            wire.scan(stream, 1 + starts[2], max_packet_bytes=4 << 30)
        assert caught.value.offset == 1 + starts[2]


def test_rows_are_the_callers_to_change():
    rows = wire.scan(PING * 3)
    rows["frame_id"] = 9
    assert wire.scan(PING)["frame_id"].tolist() == [int(wire.parse_header(PING).frame_id)]


def test_scan_of_a_million_packets_in_threads():
    """Large input is scanned without the interpreter lock; results do not depend on who else scans."""
    stream = PING * 100_000
    found: list[int] = []

    def work() -> None:
        found.append(len(wire.scan(stream)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [100_000] * 4


def test_strided_input_is_refused():
    with pytest.raises(BufferError):
        wire.scan(memoryview(PING * 2)[::2])
    with pytest.raises(BufferError):
        wire.scan(np.frombuffer(PING * 2, dtype=np.uint8)[::2])


def test_numpy_is_imported_only_when_used():
    code = "import sys, nnrp_wire.wire as w; w.parse_packet(sys.stdin.buffer.read()); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], input=PING, capture_output=True, check=True, timeout=60)
    assert done.stdout.strip() == b"False"
