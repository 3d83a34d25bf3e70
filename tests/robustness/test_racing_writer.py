"""Somebody changes memory while it is parsed: results are self-consistent, never a mixture that was not checked.

Two writers: a thread that uses numpy on a bytearray, which lets go of the interpreter lock, and another process that
writes to a mapped file without asking anybody. Both write one pattern over another, so that lengths change under a
running check.
"""

from __future__ import annotations

import contextlib
import itertools
import mmap
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from wirekit import raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError

ROUNDS = 4000
SECONDS = 20.0
"""How long a test waits for the writer to be seen at work."""

WRITER = """
import mmap, sys
path, size = sys.argv[1], int(sys.argv[2])
with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
    patterns = [memory[at : at + size] for at in range(size, len(memory), size)]
    print("ready", flush=True)
    while True:
        for pattern in patterns:
            memory[:size] = pattern
"""


@contextlib.contextmanager
def thread_writes(_, patterns: tuple[bytes, ...]) -> Iterator[bytearray]:
    target, stop = bytearray(patterns[0]), threading.Event()
    memory = np.frombuffer(target, dtype=np.uint8)
    blocks = [np.frombuffer(pattern, dtype=np.uint8) for pattern in patterns]

    def write() -> None:
        while not stop.is_set():
            for block in blocks:
                np.copyto(memory, block)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield target
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(interval)


@contextlib.contextmanager
def process_writes(folder, patterns: tuple[bytes, ...]) -> Iterator[memoryview]:
    """The file holds the target and behind it the patterns the other process copies there."""
    path, size = folder / "memory", len(patterns[0])
    path.write_bytes(patterns[0] + b"".join(patterns))
    command = [sys.executable, "-c", WRITER, str(path), str(size)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            with path.open("rb") as file:
                memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            target = memoryview(memory)[:size]
            yield target
            target.release()  # not after a failure: its traceback keeps views of the memory
            memory.close()
        finally:
            writer.kill()


@pytest.fixture(params=[thread_writes, process_writes])
def watch(request, tmp_path):
    """`watch(look, *patterns)` looks again and again while the patterns are written, and counts what was seen."""

    def run(look: Callable[[object], str], *patterns: bytes) -> Counter[str]:
        assert len({len(pattern) for pattern in patterns}) == 1
        seen: Counter[str] = Counter()
        with request.param(tmp_path, patterns) as target:
            end = time.monotonic() + SECONDS
            while seen.total() < ROUNDS or (len(seen) < 2 and time.monotonic() < end):
                seen[verdict(look, target)] += 1
        assert len(seen) > 1, f"the writer was never seen at work: {seen}"
        return seen

    return run


def verdict(look: Callable[[object], str], target: object) -> str:
    try:
        return look(target)
    except WireError as error:
        return error.error_class


def test_typed_descriptors_that_change(watch):
    """Two valid descriptor regions of the same frames, written over each other."""
    frames = 400

    def look(target) -> str:
        packet = wire.parse_packet(target)
        body = wire.frame_submit_body(packet)
        end, first = 0, 0
        for descriptor, payload in body.typed_payloads:
            assert descriptor.offset == end
            assert descriptor.length == len(payload)
            end += descriptor.length
            first = first or len(payload)
        assert end == body.prelude.typed_payload_frame_bytes == 4 * frames
        return f"first frame has {first}"

    even, odd = raw.typed_submit([b"abcd"] * frames), raw.typed_submit([b"ab", b"abcdef"] * (frames // 2))
    seen = watch(look, even, odd)
    assert set(seen) <= {"first frame has 4", "first frame has 2", "invalid_protocol_combination"}


def test_packet_lengths_that_change(watch):
    """Header lengths, counts and prelude jump between true and absurd values."""
    true = raw.typed_submit([b"x" * 2000, b"y" * 2000])
    absurd = bytearray(true)
    for at in (12, 16, 40 + 68, 112, 112 + 8, 112 + 12, 144 + 16, 144 + 20):
        absurd[at : at + 2] = b"\xff\xff"
    longer = raw.patch(true, 16, raw.read("common_header", true)["body_len"] + 1, 4)

    def look(target) -> str:
        packet = wire.parse_packet(target)
        head = packet.header
        assert 40 + head.meta_len + head.body_len == len(packet) == len(true)
        assert (packet.meta_len, packet.body_len) == (head.meta_len, head.body_len)
        assert len(packet.body) == head.body_len
        assert len(packet.metadata_bytes) == head.meta_len
        assert len(packet.to_bytes()) == len(true)
        body = wire.frame_submit_body(packet)
        assert sum(len(payload) for _, payload in body.typed_payloads) == 4000
        assert len(body.typed_payloads) == packet.metadata.payload_frame_count == 2
        return "ok"

    seen = watch(look, true, bytes(absurd), true, longer)
    assert set(seen) <= {
        "ok",
        "packet_length_mismatch",
        "message_length_overflow",
        "invalid_protocol_combination",
        "source_too_short",
        "reserved_bits_set",
    }


def test_tensor_tables_that_change(watch):
    """Length tables and tile ids: what is handed out adds up to what was checked."""
    tiles = 300

    def look(target) -> str:
        packet = wire.parse_packet(target)
        body = wire.frame_submit_body(packet)
        (section,) = body.sections
        assert len(body.tile_ids) == tiles
        assert sum(section.lengths) == section.descriptor.payload_bytes == 4 * tiles
        assert [len(payload) for payload in section.payloads] == list(section.lengths)
        return f"first tile has {section.lengths[0]}"

    flat, steep = (
        raw.tensor_submit(tile_count=tiles, tile_index_mode=1, index=index, sections=[raw.section(1, payloads)])
        for index, payloads in [
            (bytes(2 * tiles), [b"abcd"] * tiles),
            (b"\xff\xff" * tiles, [b"ab", b"abcdef"] * (tiles // 2)),
        ]
    )
    seen = watch(look, flat, steep)
    assert set(seen) <= {"first tile has 4", "first tile has 2", "invalid_protocol_combination"}


def test_ascending_tile_ids_that_change(watch):
    """Ids are handed out from the bytes that were found to ascend, not from what stands there later."""
    tiles = 2000

    def look(target) -> str:
        packet = wire.parse_packet(target)
        ids = wire.frame_submit_body(packet).tile_ids
        assert all(one < other for one, other in itertools.pairwise(ids))
        assert ids[-1] <= 65535
        return f"first id {ids[0]}"

    def submit(first: int, step: int) -> bytes:
        index = first.to_bytes(2, "little") + step.to_bytes(2, "little") * (tiles - 1)
        return raw.tensor_submit(tile_count=tiles, tile_index_mode=2, index=index, sections=[])

    seen = watch(look, submit(1, 32), submit(1500, 1), submit(0, 0))
    assert {"first id 1", "first id 1500", "invalid_protocol_combination"} & set(seen)


def test_inline_objects_that_change(watch):
    """Object lengths decide where the next object starts: each is read once."""
    many = b"".join(raw.inline_object(7, b"12345678") for _ in range(100))
    few = b"".join(raw.inline_object(7, b"1" * 32) for _ in range(50))

    def look(target) -> str:
        packet = wire.parse_packet(target)
        objects = wire.frame_submit_body(packet).objects
        covered = 0
        for block, payload in objects:
            assert block.object_bytes == len(payload)
            covered += 16 + len(payload) + -len(payload) % 8
        assert covered == len(many) == len(few)
        return f"{len(objects)} objects" if len(objects) in (50, 100) else "a mixture that adds up"

    watch(look, raw.submit(raw.body(objects=many)), raw.submit(raw.body(objects=few)))


def scanned(target) -> int:
    rows = wire.scan(target)
    ends = rows["offset"] + 40 + rows["meta_len"] + rows["body_len"]
    assert (ends <= len(target)).all()
    assert (ends[:-1] == rows["offset"][1:]).all()
    return len(rows)


def iterated(target) -> int:
    covered = count = 0
    for packet in wire.iter_packets(target):
        assert len(packet) == 40 + packet.meta_len + packet.body_len == len(packet.to_bytes())
        covered += len(packet)
        count += 1
        del packet
    assert covered == len(target)
    return count


def read(target) -> int:
    """A reader takes a copy, and every packet lies inside it."""
    reader = wire.PacketReader()
    reader.feed(target)
    sizes = [len(packet.to_bytes()) for packet in reader]
    assert sum(sizes) + reader.buffered_bytes == len(target)
    return len(sizes)


@pytest.mark.parametrize("split", [scanned, iterated, read])
def test_streams_that_change(watch, split):
    """Back-to-back packets whose lengths move while they are split."""
    small, large = raw.packet("close", b"", b"x" * 60) * 60, raw.packet("close", b"", b"y" * 160) * 30
    watch(lambda target: str(split(target)), small, large)


def test_metadata_that_changes_after_parsing(watch):
    """No field of a parsed packet is read a second time from memory that moves."""
    one = raw.packet("cache_put", raw.layout("cache_put", object_kind=1, object_bytes=2000), b"x" * 2000)
    other = raw.packet("cache_put", raw.layout("cache_put", object_kind=1, object_bytes=7), b"y" * 2000)

    def look(target) -> str:
        packet = wire.parse_packet(target)
        first = packet.metadata.as_dict()
        try:
            assert len(wire.message_tails(packet)["object"]) == 2000 == packet.metadata.object_bytes
        except WireError as error:
            assert error.error_class == "declared_length_mismatch"
            assert packet.metadata.object_bytes == error.expected == 7
        assert packet.metadata.as_dict() == first
        return str(first["object_bytes"])

    assert set(watch(look, one, other)) == {"2000", "7"}


def test_builders_take_what_they_declare(watch):
    """A payload that changes while it is copied may tear, but its length is the one the packet declares."""
    size = 3000

    def look(target) -> str:
        made = wire.build_frame_submit(wire.TypedPayload(target), session_id=1, frame_id=1, operation_id=1)
        payload = wire.frame_submit_body(wire.parse_packet(made)).typed_payloads[0][1]
        assert len(payload) == size
        return "torn" if len(set(payload)) > 1 else str(bytes(payload[:1]))

    assert set(watch(look, b"a" * size, b"b" * size)) <= {"torn", "b'a'", "b'b'"}
