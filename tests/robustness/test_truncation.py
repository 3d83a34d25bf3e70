"""Every truncation length of every layout, packet and body: a clean result or a documented error."""

from __future__ import annotations

from wirekit import data, oracle, raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError


def refusal(call, source) -> WireError | None:
    try:
        call(source)
    except WireError as error:
        return error
    return None


def test_every_layout_at_every_length():
    for name, seeds in data.layout_seeds().items():
        short = "invalid_recovery_ticket" if name == "recovery_ticket_prefix" else "source_too_short"
        for source in seeds:
            for size in range(len(source)):
                for wrap in (bytes, bytearray):
                    error = refusal(wire.VIEWS[name].parse, wrap(source[:size]))
                    assert error is not None, f"{name} parsed {size} of {len(source)} bytes"
                    assert error.error_class == short
                    assert (error.expected, error.found) == (len(source), size)


def test_every_packet_at_every_length():
    for name, source in data.packets().items():
        for size in range(len(source)):
            expected = "source_too_short" if size < 40 else "packet_length_mismatch"
            error = refusal(wire.parse_packet, source[:size])
            assert error is not None, f"{name} parsed {size} of {len(source)} bytes"
            assert error.error_class == expected, (name, size)


def test_every_packet_at_every_length_that_its_header_admits():
    """The header tells the truth about a body that stops early: what is left is judged by the body stage alone."""
    for row in data.vectors("body"):
        source = bytes.fromhex(row["hex"])
        head = raw.read("common_header", source)
        start = 40 + head["meta_len"]
        for size in range(len(source) - start + 1):
            shorter = raw.layout("common_header", {**head, "body_len": size}) + source[40 : start + size]
            for wrap in (bytes, bytearray):
                packet = wire.parse_packet(wrap(shorter))
                error = refusal(wire.check_body, packet)
                if error is None:
                    whole = size == len(source) - start and row["expect"] == "ok"
                    empty_result = size == 0 and head["message_type"] == 0x12
                    assert whole or empty_result, (row["id"], size)
                else:
                    assert error.stage is wire.Stage.BODY


def test_every_packet_at_every_metadata_length():
    """meta_len shrinks, the body grows: nothing of the body may be taken for metadata."""
    for name, source in data.plain_messages().items():
        head = raw.read("common_header", source)
        rest = source[40:]
        for size in range(head["meta_len"] + 1):
            lengths = {"meta_len": size, "body_len": len(rest) - size}
            moved = raw.layout("common_header", {**head, **lengths}) + rest
            expected = oracle.packet_error(moved)
            assert expected == (None if size == head["meta_len"] else "source_too_short")
            error = refusal(wire.parse_packet, moved)
            assert (error and error.error_class) == expected, (name, size)


def test_every_stream_cut_is_waited_for():
    """A stream that stops is not an error of the reader: it holds what arrived and goes on when more does."""
    for source in data.packets().values():
        for size in range(0, len(source), 5):
            reader = wire.PacketReader()
            reader.feed(source[:size])
            assert reader.next_packet() is None
            assert reader.buffered_bytes == size
            reader.feed(source[size:])
            assert reader.next_packet().to_bytes() == source
