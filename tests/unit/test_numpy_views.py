"""numpy dtypes of the layouts, and `scan` against the packet parser."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import FrameTooLarge, InvalidMagic, MessageLengthOverflow, WireError

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
        for field in ("message_type", "flags", "meta_len", "body_len", "session_id", "frame_id"):
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


def test_scan_of_a_cut_stream_is_no_silence():
    """The whole packets before the cut, or an error; never rows that reach past the buffer."""
    for size in range(len(PING) + 1, 2 * len(PING)):
        try:
            rows = wire.scan((PING + PING)[:size])
        except WireError:
            continue
        assert len(rows) == 1


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
