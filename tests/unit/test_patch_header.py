"""`patch_header`: renumbering in place, for gateways (wire.md section 3)."""

from __future__ import annotations

import mmap

import pytest
from wirekit import raw

from nnrp_wire import wire
from nnrp_wire.errors import FieldOutOfRange, InvalidMagic, ReservedBitsSet, SourceTooShort

SOURCE = raw.typed_submit([b"{}"])
VALUES = {
    "session_id": 0x11223344,
    "frame_id": 0x55667788,
    "view_id": 0x99AA,
    "route_id": 0xBBCC,
    "trace_id": 0x0102030405060708,
    "flags": 0x21,
}


@pytest.mark.parametrize("name", VALUES)
def test_one_field(name):
    buffer = bytearray(b"--" + SOURCE)
    assert wire.patch_header(buffer, 2, **{name: VALUES[name]}) is None
    head = {**raw.read("common_header", SOURCE), name: VALUES[name]}
    assert buffer == b"--" + raw.layout("common_header", head) + SOURCE[40:]


def test_all_fields_at_once_and_none():
    buffer = bytearray(SOURCE)
    wire.patch_header(buffer)
    assert buffer == SOURCE
    wire.patch_header(buffer, **VALUES)
    packet = wire.parse_packet(buffer)
    assert {name: getattr(packet, name) for name in VALUES} == VALUES
    wire.patch_header(buffer, session_id=0)
    assert wire.parse_packet(buffer).session_id == 0, "zero is a value, None is not"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("session_id", 1 << 32),
        ("session_id", -1),
        ("frame_id", 1 << 32),
        ("view_id", 1 << 16),
        ("route_id", 1 << 16),
        ("trace_id", 1 << 64),
        ("flags", 1 << 32),
    ],
)
def test_values_that_do_not_fit(name, value):
    buffer = bytearray(SOURCE)
    with pytest.raises(FieldOutOfRange, match=name):
        wire.patch_header(buffer, **{"session_id": 5, "trace_id": 6, name: value})
    assert buffer == SOURCE, "nothing is written when something is refused"


def test_unknown_flags():
    buffer = bytearray(SOURCE)
    with pytest.raises(ReservedBitsSet):
        wire.patch_header(buffer, session_id=5, flags=0x40)
    assert buffer == SOURCE


def test_only_a_header_is_patched():
    buffer = bytearray(SOURCE)
    with pytest.raises(SourceTooShort):
        wire.patch_header(buffer, len(buffer) - 39, session_id=1)
    with pytest.raises(InvalidMagic):
        wire.patch_header(buffer, 1, session_id=1)
    assert buffer == SOURCE


def test_readonly_and_strided_memory_is_refused():
    for target in (SOURCE, memoryview(SOURCE), memoryview(bytearray(SOURCE * 2))[::2]):
        with pytest.raises(BufferError):
            wire.patch_header(target, session_id=1)
    with pytest.raises(TypeError):
        wire.patch_header("text", session_id=1)


def test_fields_that_describe_the_packet_cannot_be_patched():
    for name in ("meta_len", "body_len", "message_type", "magic", "header_len"):
        with pytest.raises(TypeError):
            wire.patch_header(bytearray(SOURCE), **{name: 1})


def test_other_writable_memory():
    with mmap.mmap(-1, 4096) as memory:
        memory[: len(SOURCE)] = SOURCE
        wire.patch_header(memory, frame_id=9)
        assert wire.parse_header(bytes(memory[:40])).frame_id == 9


def test_views_made_before_keep_what_they_checked():
    """Header and metadata of mutable memory were copied, so a gateway may renumber under a parsed packet."""
    buffer = bytearray(SOURCE)
    packet = wire.parse_packet(buffer)
    wire.patch_header(buffer, session_id=99)
    assert packet.session_id == 1
    assert wire.parse_packet(buffer).session_id == 99
