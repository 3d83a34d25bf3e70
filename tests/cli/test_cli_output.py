"""What is shown, and that nothing in a packet can do more than be shown."""

from __future__ import annotations

import os
import pty
import subprocess

import orjson
import pytest
from cli_support import CAPTURES, capture, command, frame_submit, partial_result, route_hint, with_header

from nnrp_wire.cli._content import content_of
from nnrp_wire.cli._escape import harmless, label

CAPTURE = str(CAPTURES / "submit_stream_partial_result_push.json")

HOSTILE = [
    "\x1b[31mred\x1b]0;title\x07\x1b[2J",
    "back\b\b\b\x7f",
    "carriage\rreturn",
    "[bold red]markup[/] [link=file:///]x[/link] \\[",
    "c1 \x9b31m \x90q \x85",
    "bidi \u202e\u2066\u200f\u061c hidden \u200b\ufeff",
    "lines \u2028\u2029",
    "tags \U000e0041\U000e007f",
    "emoji :smile: \N{GRINNING FACE}",
]


def dangerous(text: str) -> set[str]:
    """Characters that would move a cursor, hide or reorder text."""
    return {char for char in text if char != "\n" and (ord(char) < 32 or 0x7F <= ord(char) < 0xA0)} | (
        set(text) & set("\u202e\u2066\u200f\u061c\u200b\ufeff\u2028\u2029\U000e0041\U000e007f")
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_payload_text_is_harmless(run, text):
    for body in (text.encode(), orjson.dumps({text: [text]})):
        for packet in (partial_result(body), frame_submit(body), route_hint(body)):
            for input in (packet, capture({"hex": packet.hex(), "note": text, "direction": text})):
                for more in ((), ("--full",)):
                    shown = run("inspect", "-", *more, input=input).out
                    assert not dangerous(shown)
    assert "[bold red]markup" in run("inspect", "-", input=partial_result(HOSTILE[3].encode())).out


def test_escapes():
    assert harmless("a\x1b[m\tb") == "a\\x1b[m\tb"
    assert label("a\r\n\tb\u202e\udcff") == "a\\r\\n\\tb\\u202e\\udcff"
    assert label("x" * 500, 10) == "x" * 10 + "…"
    assert harmless("grün 漢字 \N{GRINNING FACE}") == "grün 漢字 \N{GRINNING FACE}"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "empty"),
        (b"{}", "json"),
        (b' [1, 2.5, "x"] ', "json"),
        (b"[1,", "text"),
        (b"12", "text"),
        (b"plain text\nof two lines", "text"),
        (b"NaN", "text"),
        (b"a\x1b[31m", "text"),
        (b"\x00\x01\x02\x03", "bytes"),
        (b"\xff\xfe", "bytes"),
        (b"[" * 300 + b"]" * 300, "text"),
        (b"[" * 2000 + b"]" * 2000, "text"),
    ],
)
def test_kinds_of_content(data, kind):
    assert content_of(data).kind == kind
    assert content_of(memoryview(data)).kind == kind


def test_json_keeps_the_payload_as_it_is(run):
    body = b'{"n": 123456789012345678901234567890, "n": 1.0,\r\n "s": "\\u00e9"}'
    out = run("inspect", "-", "--json", input=partial_result(body)).out
    assert out.count("\n") == 1
    assert body.decode().replace("\r\n", "  ") in out
    assert "not in compact form" in run("inspect", "-", input=partial_result(body)).out


def test_text_and_binary_payloads(run):
    line = run("inspect", "-", "--json", input=route_hint("grün".encode())).lines()[0]
    assert line["parts"][-1]["content"] == {"kind": "text", "text": "grün"}
    line = run("inspect", "-", "--json", input=route_hint(b"\xff\x00")).lines()[0]
    assert line["parts"][-1]["content"] == {"kind": "bytes", "hex": "ff00"}
    assert "ff 00" in run("inspect", "-", input=route_hint(b"\xff\x00")).out


def test_names_sizes_and_payload_of_a_frame_submit(run):
    shown = run("inspect", "-", input=frame_submit(b'{"operation":"x","list":[1,2]}')).out
    for text in (
        "FRAME_SUBMIT",
        "session 1  frame 1  ok",
        "metadata  frame_submit  72 bytes at 40",
        "tile_index_mode      1  raw_u16",
        "payload_kind_bitmap  16  structured_event",
        "prelude  body_region_prelude  32 bytes",
        "payload[0]  typed_payload_descriptor",
        '"operation": "x"',
        "fields are 0",
    ):
        assert " ".join(text.split()) in " ".join(shown.split())
    full = run("inspect", "-", "--full", input=frame_submit(b"{}")).out
    assert "reserved0" in full
    assert "wire_format" in full
    assert "fields are 0" not in full


def test_long_payloads_are_cut_unless_full(run):
    text = "\n".join(f"line {number}" for number in range(1000)).encode()
    binary = bytes(range(256)) * 40
    document = orjson.dumps(list(range(1000)))
    line = b"x" * 50_000
    for body, last in ((text, "line 999"), (binary, "f0 f1 f2"), (document, "999"), (line, "x" * 50_000)):
        cut = run("inspect", "-", input=route_hint(body)).out
        full = run("inspect", "-", "--full", input=route_hint(body)).out
        assert last not in cut
        assert last in full
        assert len(cut) < 8_000
        assert " more " in cut


def test_a_breach_names_stage_class_field_and_offset(run, ping):
    outcome = run("inspect", "-", input=with_header(ping, version_major=9))
    assert "BREAKS  layout stage, unsupported_version_major  common_header.version_major at byte 4" in outcome.out
    (marked,) = [line for line in outcome.out.splitlines() if "<- breaks the rule" in line]
    assert "version_major" in marked


def test_summary(run, ping, partial):
    odd = with_header(partial, message_type=0x7F)
    outcome = run("inspect", "-", "--summary", input=ping + partial + ping + odd)
    words = [line.split() for line in outcome.out.splitlines()]
    assert ["PING", "2", str(2 * len(ping)), "0"] in words
    assert ["0x7f", "1", str(len(odd)), "1"] in words
    assert ["7", "2", str(2 * len(ping)), "0"] in words
    assert ["layout", "unknown_message_type", "1"] in words
    (line,) = run("inspect", "-", "--summary", "--json", input=ping + partial + ping + odd).lines()
    assert (line["kind"], line["packets"], line["refused"]) == ("summary", 4, 1)
    assert line["sessions"]["7"] == {"packets": 2, "bytes": 2 * len(ping), "refused": 0}
    assert line["breaches"] == [{"stage": "layout", "error": "unknown_message_type", "count": 1}]


def test_the_summary_of_many_sessions_stays_bounded(run):
    from nnrp_wire.cli import _summary
    from nnrp_wire.wire import MessageType, build_packet

    many = _summary.SESSIONS_KEPT + 5
    stream = b"".join(build_packet(MessageType.PING, session_id=number) for number in range(many))
    (line,) = run("inspect", "-", "--summary", "--json", input=stream).lines()
    assert len(line["sessions"]) == _summary.SESSIONS_KEPT
    assert line["other_sessions"]["packets"] == 5
    assert "others" in run("inspect", "-", "--summary", input=stream).out


def test_limit(run, ping):
    outcome = run("inspect", "-", "--limit", "2", input=ping * 5)
    assert sum(line.startswith("#") for line in outcome.out.splitlines()) == 2
    assert "stopped by --limit 2" in outcome.out
    assert len(run("inspect", "-", "--limit", "2", "--json", input=ping * 5).lines()) == 2
    assert "stopped" not in run("inspect", "-", "--limit", "5", input=ping * 5).out


def on_a_terminal(*args: str, **env: str) -> bytes:
    """What the command writes when its standard output is a terminal."""
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "60", **env}
    with subprocess.Popen(command(*args), stdin=subprocess.DEVNULL, stdout=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # how a terminal ends on Linux
                part = b""
            if not part:
                break
            shown += part
        process.wait(30)
    os.close(ours)
    assert process.returncode == 0
    return shown


def test_colour_on_a_terminal_only(spawn, tmp_path):
    assert b"\x1b[" in on_a_terminal("inspect", CAPTURE)
    assert b"\x1b[" not in on_a_terminal("inspect", CAPTURE, NO_COLOR="1")
    assert b"\x1b[" not in on_a_terminal("inspect", CAPTURE, TERM="dumb")
    assert b"\x1b[" in on_a_terminal("layouts", "common_header")
    assert "\x1b" not in spawn("inspect", CAPTURE, env={"FORCE_COLOR": "1", "TERM": "xterm-256color"}).out


def test_a_terminal_gets_folded_lines_and_no_markup(tmp_path):
    path = tmp_path / "packets"
    path.write_bytes(route_hint(("[red]word[/red] " * 20 + "\x1b[5mblink").encode()))
    shown = on_a_terminal("inspect", str(path), COLUMNS="60")
    assert b"[red]word[/red]" in shown
    assert b"\\x1b[5mblink" in shown
    assert b"\x1b[5m" not in shown


def test_an_output_that_knows_ascii_only(spawn, tmp_path):
    path = tmp_path / "packets"
    path.write_bytes(route_hint("grün".encode()))
    outcome = spawn("inspect", str(path), env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert outcome.code == 0
    assert "|- metadata" in outcome.out
    assert "gr\\xfcn" in outcome.out
    assert spawn("inspect", str(path), "--json", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}).code == 0


def test_no_progress_bar_without_a_terminal(spawn, tmp_path):
    path = tmp_path / "large"
    path.write_bytes(partial_result(b"x" * 1_000_000) * 12)
    outcome = spawn("inspect", "--summary", str(path))
    assert (outcome.code, outcome.err) == (0, "")
