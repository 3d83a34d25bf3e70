"""Buffers of other kinds: mapped files, shared memory, arrays. They can be closed when the views are gone."""

from __future__ import annotations

import array
import ctypes
import gc
import mmap
from multiprocessing import shared_memory

import numpy as np
import pytest
from wirekit import data, raw

from nnrp_wire import wire

SUBMIT = raw.typed_submit([b"payload"])


def payload(packet: wire.Packet) -> memoryview:
    return wire.frame_submit_body(packet).typed_payloads[0][1]


def test_anonymous_map():
    memory = mmap.mmap(-1, mmap.PAGESIZE)
    memory[: len(SUBMIT)] = SUBMIT
    with memoryview(memory)[: len(SUBMIT)] as window:
        packet = wire.parse_packet(window)
        view = payload(packet)
        assert bytes(view) == b"payload"
        with pytest.raises(BufferError):
            memory.close()
        del packet, view
    gc.collect()
    memory.close()


def test_mapped_file(tmp_path):
    stream = b"".join(data.packets().values())
    path = tmp_path / "stream"
    path.write_bytes(stream)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as memory:
        packets = list(wire.iter_packets(memory))
        assert [packet.to_bytes() for packet in packets] == list(data.packets().values())
        kept = packets[5].copy()
        assert len(wire.scan(memory)) == len(packets)
        del packets
        gc.collect()
    assert kept.to_bytes() == list(data.packets().values())[5]


def test_failed_parse_of_a_map_lets_it_close():
    memory = mmap.mmap(-1, mmap.PAGESIZE)
    memory[: len(SUBMIT)] = SUBMIT
    with pytest.raises(wire.PacketLengthMismatch) as caught:
        wire.parse_packet(memory)
    memory.close()
    assert caught.value.found == mmap.PAGESIZE


def test_shared_memory():
    block = shared_memory.SharedMemory(create=True, size=len(SUBMIT))
    try:
        size = len(SUBMIT)
        block.buf[:size] = SUBMIT
        window = block.buf[:size]
        packet = wire.parse_packet(window)
        view = payload(packet)
        assert bytes(view) == b"payload"
        with pytest.raises(TypeError):
            hash(packet)
        kept = packet.copy()
        with pytest.raises(BufferError):
            window.release()
        del packet, view
        gc.collect()
        window.release()
        block.close()
    finally:
        block.unlink()
    assert kept.to_bytes() == SUBMIT


def test_numpy_arrays():
    source = np.frombuffer(SUBMIT, dtype=np.uint8).copy()
    packet = wire.parse_packet(source)
    view = payload(packet)
    assert bytes(view) == b"payload"
    with pytest.raises(TypeError):
        hash(packet)
    source[-7:] = np.frombuffer(b"changed", dtype=np.uint8)
    assert bytes(view) == b"changed", "payload memory is viewed"
    del source
    gc.collect()
    _ = [np.zeros(len(SUBMIT), dtype=np.uint8) for _ in range(500)]
    assert bytes(view) == b"changed"
    with pytest.raises(ValueError, match="read-only"):
        np.frombuffer(view, dtype=np.uint8)[0] = 1


def test_readonly_numpy_array_is_not_trusted():
    """A read-only array may be a window on memory that others can write."""
    writable = np.frombuffer(SUBMIT, dtype=np.uint8).copy()
    window = writable.view()
    window.flags.writeable = False
    packet = wire.parse_packet(window)
    writable[40:112] = 0
    assert packet.metadata.operation_id == 1
    assert packet.to_bytes()[:112] == SUBMIT[:112]


def test_wide_numpy_items():
    padded = SUBMIT + bytes(-len(SUBMIT) % 8)
    head = raw.packet("close", b"", padded)
    source = np.frombuffer(head, dtype=np.uint64).copy()
    packet = wire.parse_packet(source)
    assert packet.to_bytes() == head
    assert packet.body.nbytes == len(padded)


@pytest.mark.parametrize(
    "make",
    [
        lambda data: array.array("B", data),
        lambda data: (ctypes.c_ubyte * len(data)).from_buffer_copy(data),
        lambda data: memoryview(bytearray(data)).toreadonly(),
        lambda data: np.frombuffer(data, dtype=np.uint8),
    ],
    ids=["array", "ctypes", "readonly", "frombuffer"],
)
def test_other_exporters(make):
    source = make(SUBMIT)
    packet = wire.parse_packet(source)
    assert packet.to_bytes() == SUBMIT
    view = payload(packet)
    del packet, source
    gc.collect()
    assert bytes(view) == b"payload"


def test_a_released_memoryview_is_refused():
    window = memoryview(bytearray(SUBMIT))
    window.release()
    with pytest.raises((BufferError, ValueError), match="released"):
        wire.parse_packet(window)


def test_a_custom_exporter_that_fails():
    """What an exporter raises comes through as it is."""

    class Broken(ctypes.Structure):
        _fields_ = [("value", ctypes.c_ubyte)]

    with pytest.raises(wire.SourceTooShort):
        wire.parse_header(Broken())


def test_results_serve_numpy_without_a_copy():
    packet = wire.parse_packet(SUBMIT)
    window = np.frombuffer(packet.body, dtype=np.uint8)
    assert window.ctypes.data == np.frombuffer(SUBMIT, dtype=np.uint8).ctypes.data + 112
    assert not window.flags.writeable
    del packet
    gc.collect()
    assert window.tobytes() == SUBMIT[112:]
