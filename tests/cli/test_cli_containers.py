"""Raw bytes, hex text and capture JSON: found out, forced, and refused with one line."""

from __future__ import annotations

import io
import subprocess

import orjson
import pytest
from cli_support import capture, command, partial_result, with_header

from nnrp_wire.cli import _hextext
from nnrp_wire.cli._errors import ContainerError
from nnrp_wire.cli._input import Source
from nnrp_wire.cli._output import ReadingProgress
from nnrp_wire.cli._stream import ByteStream


def messages(outcome) -> list[str]:
    assert outcome.code == 0, outcome.err
    return [line.get("message", line["kind"]) for line in outcome.lines()]


def test_raw(run, ping, partial):
    assert messages(run("inspect", "-", "--json", input=ping + partial + ping)) == ["PING", "PARTIAL_RESULT", "PING"]


HEX_FORMS = {
    "one line": lambda a, b: (a + b).hex(),
    "upper case": lambda a, b: (a + b).hex().upper(),
    "one per line": lambda a, b: f"{a.hex()}\n{b.hex()}\n",
    "one per line, marked": lambda a, b: f"0x{a.hex()}\n0X{b.hex()}\n",
    "one per line, windows": lambda a, b: f"{a.hex()}\r\n\r\n{b.hex()}\r\n",
    "wrapped": lambda a, b: "\n".join((a + b).hex()[i : i + 32] for i in range(0, 2 * len(a + b), 32)),
    "wrapped inside a byte": lambda a, b: "\n".join((a + b).hex()[i : i + 33] for i in range(0, 2 * len(a + b), 33)),
    "bytes apart": lambda a, b: (a + b).hex(" "),
    "bytes apart, marked": lambda a, b: " ".join(f"0x{byte:02x}" for byte in a + b),
    "opened by a mark of byte order": lambda a, b: "\ufeff" + (a + b).hex(),
    "space around": lambda a, b: f"\n\t {(a + b).hex()}  \n",
}


@pytest.mark.parametrize("form", HEX_FORMS)
@pytest.mark.parametrize("format", ["auto", "hex"])
def test_hex(run, ping, partial, form, format):
    text = HEX_FORMS[form](ping, partial)
    assert messages(run("inspect", "-", "--json", "--format", format, input=text.encode())) == [
        "PING",
        "PARTIAL_RESULT",
    ]


def test_a_broken_line_of_hex_does_not_disturb_the_next(run, ping, partial):
    text = f"{with_header(ping, header_len=41).hex()}\n{partial[:-3].hex()}\n{ping.hex()}\n"
    lines = run("inspect", "-", "--json", input=text.encode()).lines()
    assert [line["row"] for line in lines] == [0, 1, 2]
    assert [line["message"] for line in lines] == ["PING", "PARTIAL_RESULT", "PING"]
    errors = [breach["error"] for line in lines for breach in line["breaches"]]
    assert errors == ["invalid_header_length", "packet_length_mismatch"]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64])
@pytest.mark.parametrize("form", HEX_FORMS)
def test_hex_in_pieces_of_any_size(ping, partial, form, size):
    text = HEX_FORMS[form](ping, partial).removeprefix("\ufeff").encode()
    reader = _hextext.HexReader(in_pieces(text, size))
    assert b"".join(iter(lambda: reader.read(size), b"")) == ping + partial


def in_pieces(data: bytes, size: int):
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    return lambda _: parts.pop(0) if parts else b""


@pytest.mark.parametrize("size", [1, 3, 40, 41, 1000])
def test_byte_stream_in_pieces_of_any_size(ping, partial, size):
    data = b"junk" + ping + partial
    stream = ByteStream(in_pieces(data, size))
    assert stream.find(b"NNRP", len(ping), lambda found: found == ping) == len(b"junk")
    assert stream.startswith(b"NNRP", len(ping))
    assert not stream.startswith(b"NNRP", len(ping) + 1)
    assert (stream.take(len(ping)), stream.offset) == (ping, len(b"junk" + ping))
    assert not stream.have(len(partial) + 1)
    assert stream.take(10_000) == partial
    assert stream.find(b"NNRP", 1, bool) == 0
    assert stream.offset == len(data)


def test_hex_that_goes_bad_late_is_told_after_what_was_read(run, ping):
    text = ping.hex() * 1000 + "zz"
    outcome = run("inspect", "-", "--json", "--format", "hex", input=text.encode())
    assert outcome.code == 1
    assert "hex digit" in outcome.err


def test_json_list_and_lines(run, ping, partial):
    rows = [{"hex": ping.hex(), "direction": "c2s", "note": "a"}, {"hex": partial.hex()}, {"hex": ""}]
    for text in (
        orjson.dumps(rows),
        orjson.dumps(rows, option=orjson.OPT_INDENT_2),
        b"\xef\xbb\xbf" + orjson.dumps(rows),
        b"\n".join(map(orjson.dumps, rows)),
        b"\n\n".join(map(orjson.dumps, rows)) + b"\n",
    ):
        outcome = run("inspect", "-", "--json", input=text)
        assert messages(outcome) == ["PING", "PARTIAL_RESULT", "end"]
        assert outcome.lines()[0]["note"] == "a"
    for text in (orjson.dumps(rows[0]), orjson.dumps(rows[0], option=orjson.OPT_INDENT_2)):
        assert messages(run("inspect", "-", "--json", input=text)) == ["PING"]


def test_json_lines_longer_than_the_look_ahead(run):
    rows = [{"hex": partial_result(b"x" * 100_000, sequence=number).hex()} for number in (1, 2)]
    assert messages(run("inspect", "-", "--json", input=b"\n".join(map(orjson.dumps, rows)))) == ["PARTIAL_RESULT"] * 2


def test_several_packets_in_one_row(run, ping, partial):
    outcome = run("inspect", "-", "--json", input=capture(ping + partial, ping))
    assert messages(outcome) == ["PING", "PARTIAL_RESULT", "PING"]
    assert [(line["row"], line["offset"]) for line in outcome.lines()] == [(0, 0), (0, len(ping)), (1, 0)]


ODD_ROWS = [
    7,
    None,
    "4e4e5250",
    [],
    {},
    {"hex": 5},
    {"hex": None},
    {"hex": "4e4"},
    {"hex": "nnrp"},
    {"hex": ["4e"]},
    {"hex": "", "note": {"a": 1}, "direction": 3},
]


def test_odd_rows_are_told_and_passed_over(run, ping):
    outcome = run("inspect", "-", "--json", input=orjson.dumps([*ODD_ROWS, {"hex": ping.hex()}]))
    assert messages(outcome) == ["unreadable"] * (len(ODD_ROWS) - 1) + ["end", "PING"]
    assert all(line["remark"] for line in outcome.lines() if line["kind"] == "unreadable")
    assert run("inspect", "-", input=orjson.dumps([*ODD_ROWS, {"hex": ping.hex()}])).code == 0


NOTHING = {
    "empty": b"",
    "white space": b" \n\t ",
    "text": b"hello, this is no packet",
    "zeros": bytes(5000),
    "almost the magic": b"NNRQ" * 50,
    "half a byte of hex": b"4e4e525",
    "foreign hex": b"00" * 50,
    "JSON without rows": b"[]",
    "JSON of another kind": b'{"refused": []}',
    "JSON of another kind, set out": b'{\n "refused": []\n}',
    "JSON numbers": b"[1, 2, 3]",
    "broken JSON": b'[{"hex": "4e4e"',
    "broken JSON line": b'{"hex": "4e4e"',
    "JSON too deep": b"[" * 5000,
    "JSON not UTF-8": b'[{"hex": "\xff"}]',
}


@pytest.mark.parametrize("what", NOTHING)
@pytest.mark.parametrize("more", [(), ("--json",), ("--summary",), ("--strict",)])
def test_nothing_to_read_is_one_line_and_exit_1(run, what, more):
    outcome = run("inspect", "-", *more, input=NOTHING[what])
    assert outcome.code == 1
    assert outcome.err.startswith("nnrp-wire: ")
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("format", ["raw", "hex", "json"])
@pytest.mark.parametrize("what", NOTHING)
def test_a_forced_format_changes_no_manners(run, what, format):
    outcome = run("inspect", "-", "--format", format, input=NOTHING[what])
    assert outcome.code == 1
    assert outcome.err.count("\n") == 1


def test_forced_raw_finds_packets_behind_a_bracket(run, ping):
    assert messages(run("inspect", "-", "--json", "--format", "raw", input=b"[ ]" + ping)) == ["gap", "PING"]


def test_a_line_longer_than_any_packet_is_refused():
    source = Source(io.BytesIO(b"x" * (3 << 20)), ReadingProgress("", None, False))
    with pytest.raises(ContainerError, match="longer than a packet"):
        list(source.lines(1 << 20))


def test_files_that_cannot_be_read(run, tmp_path, ping):
    for name in (tmp_path / "missing", tmp_path, tmp_path / "nul\0name"):
        outcome = run("inspect", str(name))
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith("nnrp-wire: cannot read ")
        assert outcome.err.count("\n") == 1
    path = tmp_path / "odd name [red]\x1b[31m"
    path.write_bytes(b"nothing")
    assert "\x1b" not in run("inspect", str(path)).err
    path.write_bytes(ping)
    assert run("inspect", str(path)).code == 0


def test_a_pipe_is_shown_while_it_is_still_open(ping):
    """A live stream: the packet is shown although the input has not ended."""
    with subprocess.Popen(command("inspect", "-", "--json"), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(ping)
        process.stdin.flush()
        assert orjson.loads(process.stdout.readline())["message"] == "PING"
        process.stdin.close()
        assert process.wait(30) == 0
