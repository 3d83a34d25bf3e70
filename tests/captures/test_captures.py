"""Traffic of real peers: what passes rebuilds byte for byte, what is refused is refused where and how it is listed."""

from __future__ import annotations

from collections import Counter

from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError

STAGES = {"packet": wire.Stage.LAYOUT, "message": wire.Stage.MESSAGE, "body": wire.Stage.BODY}


def verdict(source: bytes) -> tuple[str, str] | wire.Packet:
    """(stage, error class) of the first refusal, or the packet that passed every stage."""
    stage = "packet"
    try:
        packet = wire.parse_packet(source)
        stage = "message"
        wire.check_message(packet)
        stage = "body"
        wire.check_body(packet)
    except WireError as error:
        assert error.stage is STAGES[stage], f"{stage}: {error!r}"
        return stage, error.error_class
    return packet


def rebuilt(packet: wire.Packet) -> bytes:
    return wire.build_packet(
        packet.message_type,
        packet.metadata,
        packet.body,
        session_id=packet.session_id,
        frame_id=packet.frame_id,
        flags=packet.flags,
        view_id=packet.view_id,
        route_id=packet.route_id,
        trace_id=packet.trace_id,
    )


def test_every_row_does_what_is_listed() -> None:
    listed = {(row["file"], row["row"]): row for row in data.capture_expectations()["refused"]}
    counts: Counter[str] = Counter()
    for file, number, source in data.capture_rows():
        where = f"{file} row {number}"
        if (file, number) in listed:
            row = listed.pop((file, number))
            assert verdict(source) == (row["stage"], row["error"]), where
            counts["refused"] += 1
        elif not source:
            counts["empty"] += 1
        elif not source.startswith(b"NNRP"):
            counts["other"] += 1
        else:
            packet = verdict(source)
            assert isinstance(packet, wire.Packet), f"{where}: {packet}"
            assert packet.to_bytes() == source, where
            assert rebuilt(packet) == source, where
            counts["rebuilt"] += 1
        counts["rows"] += 1
    assert listed == {}, "every listed row exists"
    assert dict(counts) == data.capture_expectations()["counts"]
    assert counts["rebuilt"] == 1250
    assert counts["refused"] == 56


def test_refused_rows_name_the_message_that_broke_the_rule() -> None:
    """The header of a refused packet is readable unless the header itself is what was refused."""
    rows = {(file, number): source for file, number, source in data.capture_rows()}
    for row in data.capture_expectations()["refused"]:
        source = rows[row["file"], row["row"]]
        code = raw.read("common_header", source)["message_type"]
        if isinstance(row["message"], str):
            assert wire.MessageType(code).name.lower() == row["message"]
        else:
            assert code == row["message"]
            assert code not in list(wire.MessageType)


def test_other_protocols_are_refused_by_the_magic() -> None:
    others = [source for _, _, source in data.capture_rows() if source and not source.startswith(b"NNRP")]
    assert len(others) == 10
    for source in others:
        found = verdict(source)
        assert found in [("packet", "invalid_magic"), ("packet", "source_too_short")], source[:16]


def test_both_directions_of_a_scenario_split_out_of_one_stream() -> None:
    """A connection is one stream per direction: the same rows, glued together, split at the same places."""
    by_file: dict[str, list[bytes]] = {}
    refused = {(row["file"], row["row"]) for row in data.capture_expectations()["refused"]}
    for file, number, source in data.capture_rows():
        if source.startswith(b"NNRP") and (file, number) not in refused:
            by_file.setdefault(file, []).append(source)
    assert sum(map(len, by_file.values())) == 1250
    for file, sources in by_file.items():
        stream = b"".join(sources)
        assert [packet.to_bytes() for packet in wire.iter_packets(stream)] == sources, file
        reader = wire.PacketReader()
        reader.feed(stream)
        assert [packet.to_bytes() for packet in reader] == sources, file
        assert reader.buffered_bytes == 0
