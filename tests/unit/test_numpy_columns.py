"""Columns of many equal layouts: in place, by position, and the metadata of scanned packets."""

from __future__ import annotations

import gc
import subprocess
import sys

import numpy as np
import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import (
    InvalidMagic,
    NonZeroReservedField,
    PacketLengthMismatch,
    SourceTooShort,
    UsageError,
    WireError,
)

LAYOUTS = data.table()["layouts"]
PING = data.plain_messages()["ping"]
PARTIAL_SIZE = raw.size("partial_result")
PARTIALS = [raw.layout("partial_result", operation_id=7, result_sequence=1 + number) for number in range(2000)]
SUBMITS = [raw.packet("frame_submit", raw.layout("frame_submit", operation_id=10 + n), b"body") for n in range(5)]
BROKEN = raw.layout("frame_submit", operation_id=1, reserved1=1)


def rows_of(name: str) -> bytes:
    return b"".join(data.layout_seeds()[name])


def same(rows: np.ndarray, name: str, source: bytes) -> bool:
    """Row by row what `struct` reads there."""
    size = raw.size(name)
    return len(rows) == len(source) // size and all(
        int.from_bytes(row[field], "little") == int.from_bytes(value, "little")
        if isinstance(value, bytes)
        else int(row[field]) == value
        for index, row in enumerate(rows)
        for field, value in raw.read(name, source[index * size : (index + 1) * size]).items()
    )


class TestInPlace:
    @pytest.mark.parametrize("name", LAYOUTS)
    def test_every_layout(self, name):
        source = rows_of(name)
        for layout in (name, wire.VIEWS[name]):
            rows = wire.columns(layout, source)
            assert rows.dtype == wire.dtype(name)
            assert same(rows, name, source)

    def test_over_bytes_it_is_a_view(self):
        source = b"".join(PARTIALS)
        rows = wire.columns("partial_result", source)
        assert np.shares_memory(rows, np.frombuffer(source, "u1"))
        assert rows["result_sequence"].tolist() == list(range(1, 2001))
        assert np.shares_memory(rows["result_sequence"], rows)

    def test_over_a_payload_of_a_packet_it_is_a_view(self):
        submit = raw.typed_submit([b"a", b"bc", b"def"])
        body = wire.frame_submit_body(wire.parse_packet(submit))
        start = 40 + 72 + 32
        rows = wire.columns("typed_payload_descriptor", submit, start, count=3)
        assert rows["length"].tolist() == [1, 2, 3]
        assert [bytes(descriptor) for descriptor, _ in body.typed_payloads] == [row.tobytes() for row in rows]
        assert np.shares_memory(rows, np.frombuffer(submit, "u1"))
        region = wire.columns("typed_payload_descriptor", memoryview(submit)[start : start + 72])
        assert np.shares_memory(rows, region)
        assert np.array_equal(rows, region)

    @pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, lambda source: np.frombuffer(source, "u1")])
    def test_it_cannot_be_written(self, wrap):
        rows = wire.columns("partial_result", wrap(PARTIALS[0]))
        assert not rows.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            rows["operation_id"] = 0
        with pytest.raises(ValueError, match="WRITEABLE"):
            rows.flags.writeable = True

    @pytest.mark.parametrize("wrap", [bytes, lambda source: memoryview(bytes(source))])
    def test_it_keeps_the_bytes_alive(self, wrap):
        column = wire.columns("partial_result", wrap(bytearray(b"".join(PARTIALS[:50]))))["result_sequence"]
        gc.collect()
        _ = [b"\xee" * 2000 for _ in range(200)]
        assert column.tolist() == list(range(1, 51))

    def test_over_memory_that_changes_it_is_a_copy(self):
        source = bytearray(b"".join(PARTIALS[:3]))
        rows = wire.columns("partial_result", source)
        source[:] = bytes(len(source))
        source.extend(b"not pinned")
        assert rows["result_sequence"].tolist() == [1, 2, 3]

    def test_position_and_count(self):
        source = b"\xee" * 3 + b"".join(PARTIALS[:4]) + b"\xee" * 7
        for count in range(5):
            rows = wire.columns("partial_result", source, 3, count=count)
            assert rows["result_sequence"].tolist() == list(range(1, 1 + count))
        assert len(wire.columns("partial_result", bytearray(source), 3, count=2)) == 2

    @pytest.mark.parametrize("wrap", [bytes, bytearray])
    @pytest.mark.parametrize("count", [None, 3, 1 << 80])
    def test_a_layout_that_is_cut_off(self, wrap, count):
        for size in (1, PARTIAL_SIZE - 1):
            source = b"\xee" + b"".join(PARTIALS[:2]) + PARTIALS[2][:size]
            with pytest.raises(SourceTooShort) as caught:
                wire.columns("partial_result", wrap(source), 1, count=count)
            error = caught.value
            assert (error.offset, error.layout) == (len(source), "partial_result")
            assert error.expected == PARTIAL_SIZE
            assert error.rows["result_sequence"].tolist() == [1, 2]

    @pytest.mark.parametrize("wrap", [bytes, bytearray])
    def test_a_layout_that_breaks_a_rule(self, wrap):
        good = raw.layout("frame_submit", operation_id=5)
        with pytest.raises(NonZeroReservedField) as caught:
            wire.columns("frame_submit", wrap(b"##" + good + BROKEN + good), 2)
        with pytest.raises(NonZeroReservedField) as alone:
            wire.FrameSubmit.parse(BROKEN)
        error = caught.value
        assert error.offset == 2 + len(good) + alone.value.offset
        assert (error.field, error.rule, error.stage) == (alone.value.field, alone.value.rule, alone.value.stage)
        assert error.rows["operation_id"].tolist() == [5]

    def test_nothing(self):
        for source in (b"", bytearray(), memoryview(b"")):
            assert len(wire.columns("partial_result", source)) == 0
        assert len(wire.columns("partial_result", b"", count=0)) == 0
        assert len(wire.columns("partial_result", PARTIALS[0], 1 << 60)) == 0
        with pytest.raises(SourceTooShort):
            wire.columns("partial_result", b"", count=1)

    def test_wrong_calls(self):
        with pytest.raises(KeyError, match="no layout 'no_such'"):
            wire.columns("no_such", b"")
        with pytest.raises(TypeError, match="name or view class"):
            wire.columns(5, b"")
        with pytest.raises(TypeError):
            wire.columns("partial_result", "text")
        with pytest.raises(TypeError):
            wire.columns("partial_result", b"", count=1.5)
        with pytest.raises(ValueError, match="count must not be negative"):
            wire.columns("partial_result", b"", count=-1)
        with pytest.raises(ValueError, match="pos must not be negative"):
            wire.columns("partial_result", b"", -1)
        with pytest.raises(BufferError):
            wire.columns("partial_result", memoryview(PARTIALS[0] * 2)[::2])


class TestByPosition:
    @pytest.mark.parametrize("name", LAYOUTS)
    @pytest.mark.parametrize("wrap", [bytes, bytearray])
    def test_every_layout(self, name, wrap):
        seeds = data.layout_seeds()[name]
        source = b"\xee" + b"".join(seeds)
        starts = [1 + number * raw.size(name) for number in range(len(seeds))]
        rows = wire.columns_at(name, wrap(source), starts[::-1])
        assert same(rows, name, b"".join(reversed(seeds)))

    @pytest.mark.parametrize("kind", ["u8", "i8", "u4", "i2", ">u8", "u1"])
    def test_positions_of_any_whole_kind(self, kind):
        source = b"".join(PARTIALS[:4])
        positions = np.array([120, 0, 0, 40], kind)
        assert wire.columns_at("partial_result", source, positions)["result_sequence"].tolist() == [4, 1, 1, 2]
        assert wire.columns_at("partial_result", source, positions[::-2])["result_sequence"].tolist() == [2, 1]

    def test_positions_that_are_not_aligned_in_memory(self):
        positions = np.frombuffer(b"\0" + np.array([40, 0], "u8").tobytes(), "u8", offset=1)
        rows = wire.columns_at("partial_result", b"".join(PARTIALS[:2]), positions)
        assert rows["result_sequence"].tolist() == [2, 1]

    def test_no_positions(self):
        for positions in ([], (), np.empty(0, "u8")):
            rows = wire.columns_at("partial_result", b"", positions)
            assert (len(rows), rows.dtype) == (0, wire.dtype("partial_result"))

    @pytest.mark.parametrize("wrap", [bytes, bytearray])
    @pytest.mark.parametrize("position", [41, 80, 81, 1 << 40, (1 << 64) - 1])
    def test_a_position_too_far(self, wrap, position):
        with pytest.raises(SourceTooShort) as caught:
            wire.columns_at("partial_result", wrap(b"".join(PARTIALS[:2])), np.array([40, position], "u8"))
        assert caught.value.offset == 80
        assert caught.value.rows["result_sequence"].tolist() == [2]

    def test_a_layout_that_breaks_a_rule(self):
        good = raw.layout("frame_submit", operation_id=5)
        with pytest.raises(NonZeroReservedField) as caught:
            wire.columns_at("frame_submit", good + BROKEN, [0, 72, 0])
        assert 72 <= caught.value.offset < 144
        assert len(caught.value.rows) == 1

    def test_rows_are_of_their_own(self):
        source = bytearray(b"".join(PARTIALS[:2]))
        rows = wire.columns_at("partial_result", source, [0, 40])
        source[:] = bytes(80)
        source.extend(b"not pinned")
        rows["object_id"] = 3
        assert rows["result_sequence"].tolist() == [1, 2]

    @pytest.mark.parametrize("positions", [0, [[0]], [0.0], ["0"], [None], [1 << 64], [True]])
    def test_what_is_no_position(self, positions):
        with pytest.raises(TypeError, match="whole numbers in one dimension"):
            wire.columns_at("partial_result", PARTIALS[0], positions)

    def test_a_negative_position(self):
        with pytest.raises(ValueError, match="must not be negative, got -3"):
            wire.columns_at("partial_result", PARTIALS[0], [0, -3])


class TestMetadata:
    @pytest.mark.parametrize("wrap", [bytes, bytearray])
    def test_every_message(self, wrap):
        packets = [wire.parse_packet(source) for source in data.packets().values()]
        source = wrap(b"".join(data.packets().values()))
        rows = wire.scan(source)
        for message in wire.MessageType:
            chosen = rows[rows["message_type"] == message]
            parsed = [packet for packet in packets if packet.message_type == message]
            if parsed[0].metadata is None:
                continue
            view_class = type(parsed[0].metadata)
            found = wire.metadata_columns(view_class, source, chosen)
            assert [row.tobytes() for row in found] == [bytes(packet.metadata) for packet in parsed]

    def test_in_any_order_and_repeated(self):
        stream = b"".join(SUBMITS)
        rows = wire.scan(stream)
        found = wire.metadata_columns("frame_submit", stream, rows[[3, 0, 3]])
        assert found["operation_id"].tolist() == [13, 10, 13]
        assert wire.metadata_columns("frame_submit", stream, rows[:0]).dtype == wire.dtype("frame_submit")

    def test_surplus_metadata_is_left_out(self):
        stream = raw.packet("frame_submit", raw.layout("frame_submit", operation_id=3) + b"surplus", b"body")
        assert wire.metadata_columns("frame_submit", stream, wire.scan(stream))["operation_id"].tolist() == [3]

    def test_another_message_is_refused(self):
        stream = SUBMITS[0] + PING
        rows = wire.scan(stream)
        for source in (stream, np.frombuffer(stream + b"\0" * (len(stream) % 2), ">u2")):
            with pytest.raises(UsageError, match=r"^row 1 is a PING, whose metadata is not frame_submit$"):
                wire.metadata_columns("frame_submit", source, rows)
        with pytest.raises(UsageError, match="row 0 is a FRAME_SUBMIT"):
            wire.metadata_columns("typed_payload_descriptor", stream, rows)

    @pytest.mark.parametrize("wrap", [bytes, bytearray])
    @pytest.mark.parametrize(
        "metadata", [BROKEN, raw.layout("frame_submit", operation_id=1)[:-1], b""], ids=["rule", "short", "none"]
    )
    def test_what_the_parser_refuses_is_refused_so(self, wrap, metadata):
        """scan does not look at metadata; this does, as parse_packet would."""
        bad = raw.packet("frame_submit", metadata, b"body")
        stream = SUBMITS[0] + bad + SUBMITS[1]
        with pytest.raises(WireError) as caught:
            wire.metadata_columns("frame_submit", wrap(stream), wire.scan(stream))
        with pytest.raises(WireError) as alone:
            wire.parse_packet(bad)
        error, expected = caught.value, alone.value
        assert (type(error), error.rule, error.field) == (type(expected), expected.rule, expected.field)
        assert error.offset == len(SUBMITS[0]) + expected.offset
        assert error.rows["operation_id"].tolist() == [10]

    def test_rows_of_another_buffer_do_no_harm(self):
        stream = b"".join(SUBMITS)
        rows = wire.scan(stream)
        for source, kind in [
            (b"", SourceTooShort),
            (stream[:-1], PacketLengthMismatch),
            (stream[: len(SUBMITS[0]) + 39], SourceTooShort),
            (b"\xee" + stream, InvalidMagic),
        ]:
            with pytest.raises(kind):
                wire.metadata_columns("frame_submit", source, rows)
        rows["offset"] = (1 << 64) - 1
        with pytest.raises(SourceTooShort):
            wire.metadata_columns("frame_submit", stream, rows)

    @pytest.mark.parametrize("rows", [[0], np.zeros(1, "u8"), np.zeros(1, [("offsets", "u8")]), None])
    def test_rows_are_those_of_scan(self, rows):
        with pytest.raises(TypeError, match=r"what scan\(\) returns"):
            wire.metadata_columns("frame_submit", SUBMITS[0], rows)
        with pytest.raises(TypeError, match=r"what scan\(\) returns"):
            wire.metadata_columns("frame_submit", SUBMITS[0], wire.scan(SUBMITS[0])[0])


def test_broken_input_leaks_nothing_that_is_pinned():
    """The exception's rows are a copy, or they view what is kept alive anyway."""
    source = bytearray(b"".join(PARTIALS[:2]) + b"short")
    with pytest.raises(SourceTooShort) as caught:
        wire.columns("partial_result", source)
    source.extend(b"not pinned")
    assert len(caught.value.rows) == 2


def test_numpy_is_imported_only_when_used():
    code = "import sys, nnrp_wire.wire as w; w.dtype; w.columns; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert done.stdout.strip() == b"False"
