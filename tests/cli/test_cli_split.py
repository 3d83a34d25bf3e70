"""Going on after a broken packet: by a sound header, by a refused one that is plausible, by searching."""

from __future__ import annotations

import itertools
import sys

from cli_support import frame_submit, partial_result, with_header

from nnrp_wire.wire import CommonHeader, MessageType, PartialResult, build_packet

MAGIC = b"NNRP"


def seen(outcome) -> list[tuple]:
    assert outcome.code == 0, outcome.err
    return [(line["kind"], line["offset"], line["size"]) for line in outcome.lines()]


def errors(outcome) -> list[tuple]:
    return [(line["index"], b["stage"], b["error"]) for line in outcome.lines() for b in line["breaches"]]


def test_bad_metadata_is_passed_over_by_its_length(run, ping):
    good = PartialResult.build(operation_id=1, body_bytes=2)
    bad = bytearray(build_packet(MessageType.PARTIAL_RESULT, good, b"{}", session_id=1))
    bad[CommonHeader.size + len(good) - 1] = 0x80  # the highest byte of flags
    outcome = run("inspect", "-", "--json", input=ping + bad + ping)
    assert seen(outcome) == [
        ("packet", 0, len(ping)),
        ("packet", len(ping), len(bad)),
        ("packet", len(ping + bad), len(ping)),
    ]
    (line,) = [line for line in outcome.lines() if line["breaches"]]
    (breach,) = line["breaches"]
    flags = PartialResult.fields[-1]
    assert (breach["stage"], breach["error"], breach["field"]) == ("layout", "reserved_bits_set", flags.name)
    assert breach["offset"] == CommonHeader.size + flags.offset
    refused = line["parts"][1]
    assert refused["refused"]
    assert refused["fields"]["flags"] == 0x80 << 24
    assert line["parts"][2]["content"] == {"kind": "json", "json": {}}


def test_an_unknown_type_is_passed_over_when_the_next_packet_stands_there(run, ping, partial):
    odd = with_header(partial, message_type=0x7F)
    outcome = run("inspect", "-", "--json", input=ping + odd + ping + odd)
    assert [line["message"] for line in outcome.lines()] == ["PING", "0x7f", "PING", "0x7f"]
    assert errors(outcome) == [(1, "layout", "unknown_message_type"), (3, "layout", "unknown_message_type")]
    assert "refused header" in outcome.lines()[1]["remark"]
    assert outcome.lines()[1]["session_id"] == 1


def test_unknown_flags_with_a_length_that_points_nowhere(run, ping, partial):
    odd = with_header(partial, flags=0x40, body_len=5)
    outcome = run("inspect", "-", "--json", input=odd + ping)
    assert [line["kind"] for line in outcome.lines()] == ["packet", "gap", "packet"]
    assert errors(outcome) == [(0, "layout", "reserved_bits_set")]
    assert "searching" in outcome.lines()[2]["remark"]


def test_garbage_between_packets(run, ping):
    for junk in (b"x", b"NNR", b"\0" * 39, b"GET / HTTP/1.1\r\n\r\n" * 10, MAGIC + b"?" * 100, b"z" * 3_000_000):
        outcome = run("inspect", "-", "--json", input=ping + junk + ping)
        assert outcome.code == 0
        lines = outcome.lines()
        assert sum(line["size"] for line in lines) == len(ping + junk + ping)
        assert [line["offset"] for line in lines] == list(
            itertools.accumulate([line["size"] for line in lines[:-1]], initial=0)
        )
        assert lines[-1]["message"] == "PING"
        assert lines[-1]["breaches"] == []
        assert any(line["breaches"] for line in lines[1:-1])


def test_garbage_before_and_after(run, ping):
    outcome = run("inspect", "-", "--json", input=b"#!junk" + ping + b"tail")
    assert [line["kind"] for line in outcome.lines()] == ["gap", "packet", "gap"]
    assert errors(outcome) == [(0, "layout", "invalid_magic"), (2, "layout", "source_too_short")]
    shown = run("inspect", "-", input=b"#!junk" + ping + b"tail").out
    assert "6 bytes that belong to no packet" in shown
    assert "4 bytes that belong to no packet" in shown


def test_a_packet_cut_short_at_the_end(run, ping, partial):
    for end in range(1, len(partial)):
        outcome = run("inspect", "-", "--json", input=ping + partial[:end])
        assert seen(outcome) == [("packet", 0, len(ping)), ("packet", len(ping), end)]
        error = "source_too_short" if end < CommonHeader.size else "packet_length_mismatch"
        assert errors(outcome) == [(1, "layout", error)]


def test_a_packet_cut_short_by_the_next(run, ping):
    cut = partial_result(b"x" * 200)[:-100]
    outcome = run("inspect", "-", "--json", input=cut + ping)
    assert seen(outcome) == [("packet", 0, len(cut)), ("packet", len(cut), len(ping))]
    assert errors(outcome) == [(0, "layout", "packet_length_mismatch")]


def test_a_length_above_the_limit_is_not_waited_for(run, ping, partial):
    for claim, error in ((0x7FFF_FFFF, "frame_too_large"), (0xFFFF_FFFF, "message_length_overflow")):
        outcome = run("inspect", "-", "--json", input=with_header(partial, body_len=claim) + ping)
        assert errors(outcome)[0] == (0, "layout", error)
        assert [line["kind"] for line in outcome.lines()] == ["packet", "gap", "packet"]


def test_the_limit_can_be_chosen(run, partial):
    size = str(len(partial))
    assert errors(run("inspect", "-", "--json", "--max-packet-bytes", size, input=partial)) == []
    low = str(len(partial) - 1)
    assert errors(run("inspect", "-", "--json", "--max-packet-bytes", low, input=partial)) == [
        (0, "layout", "frame_too_large")
    ]


def test_every_single_byte_change_and_every_truncation_ends_well(run):
    packet = frame_submit(b'{"a":1}')
    for position in range(len(packet)):
        changed = bytearray(packet)
        changed[position] ^= 0xFF
        for form in (bytes(changed), packet[:position]):
            outcome = run("inspect", "-", "--json", input=form)
            assert outcome.code in (0, 1)
            assert "internal error" not in outcome.err
            assert outcome.code == 0 or outcome.err.count("\n") == 1


def test_reading_stays_bounded(tmp_path, spawn):
    """A recording much larger than the memory that looking into it may take."""
    path = tmp_path / "large"
    packet = partial_result(b"x" * 1_000_000)
    with path.open("wb") as file:
        for _ in range(200):
            file.write(packet)
    script = (
        "import re, sys; from nnrp_wire.cli import main; code = main(['inspect', '--summary', sys.argv[1]]);"
        # Not ru_maxrss: a process inherits that of the one it was started from.
        "status = open('/proc/self/status').read();"
        "print('PEAK', int(re.search(r'VmHWM:\\s*(\\d+)', status)[1]) // 1024); sys.exit(code)"
    )
    outcome = spawn(argv=[sys.executable, "-c", script, str(path)])
    assert outcome.code == 0, outcome.err
    assert int(outcome.out.rpartition("PEAK")[2]) < 120, outcome.out
    assert "200" in outcome.out
