"""`is_utf8` against the interpreter's own decoder."""

from __future__ import annotations

import itertools
import random

import pytest

from nnrp_wire import wire


def decodes(source: bytes) -> bool:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def test_every_one_and_two_byte_sequence():
    for size in (0, 1, 2):
        for source in itertools.product(range(256), repeat=size):
            assert wire.is_utf8(bytes(source)) is decodes(bytes(source))


def test_every_three_and_four_byte_sequence_at_the_edges():
    """All first and second bytes that matter, with the edges of continuation bytes behind them."""
    edges = (0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF)
    for first in range(0xC0, 0x100):
        for second in range(256):
            for third in edges:
                three = bytes((first, second, third))
                assert wire.is_utf8(three) is decodes(three)
                for fourth in (0x7F, 0x80, 0xBF, 0xC0):
                    four = three + bytes((fourth,))
                    assert wire.is_utf8(four) is decodes(four)


NAMED = {
    "surrogate low": b"\xed\xa0\x80",
    "surrogate high": b"\xed\xbf\xbf",
    "pair of surrogates": "\ud83d\ude00".encode("utf-8", "surrogatepass"),
    "overlong slash": b"\xc0\xaf",
    "overlong nul": b"\xc0\x80",
    "overlong three": b"\xe0\x80\xaf",
    "overlong four": b"\xf0\x80\x80\xaf",
    "past the last plane": b"\xf4\x90\x80\x80",
    "five bytes": b"\xf8\x88\x80\x80\x80",
    "lone continuation": b"\x80",
    "cut two": "é".encode()[:1],
    "cut three": "€".encode()[:2],
    "cut four": "😀".encode()[:3],
    "byte order mark of another coding": b"\xff\xfe",
}


@pytest.mark.parametrize("source", NAMED.values(), ids=NAMED)
@pytest.mark.parametrize("lead", [0, 1, 7, 8, 15, 16, 31, 32, 63, 64, 100])
def test_bad_sequences_at_every_place_in_long_text(source, lead):
    """Fast paths look at several bytes at once: a bad sequence must be found across their edges."""
    for text in (b"a" * lead + source + b"z" * 40, b"a" * lead + source, "é".encode() * lead + source + b"z" * 9):
        assert wire.is_utf8(text) is False


def test_every_code_point():
    for start in range(0, 0x110000, 0x800):
        text = "".join(map(chr, range(start, start + 0x800)))
        whole = text.encode("utf-8", "surrogatepass")
        assert wire.is_utf8(whole) is decodes(whole)


def test_truncations_of_mixed_text():
    whole = ("plain é € 😀 " * 5).encode()
    for size in range(len(whole) + 1):
        assert wire.is_utf8(whole[:size]) is decodes(whole[:size])
        assert wire.is_utf8(whole[size:]) is decodes(whole[size:])


def test_single_byte_changes_of_mixed_text():
    whole = "plain é € 😀 text that is longer than one word".encode()
    for at in range(len(whole)):
        for value in range(256):
            changed = whole[:at] + bytes((value,)) + whole[at + 1 :]
            assert wire.is_utf8(changed) is decodes(changed)


def test_random_bytes():
    chosen = random.Random(8)
    for _ in range(3000):
        source = chosen.randbytes(chosen.randrange(40))
        assert wire.is_utf8(source) is decodes(source)


@pytest.mark.parametrize("wrap", [bytearray, memoryview])
def test_other_buffers(wrap):
    assert wire.is_utf8(wrap("größer".encode())) is True
    assert wire.is_utf8(wrap(b"\xff")) is False


def test_large_text():
    text = "größer ".encode() * 200_000
    assert wire.is_utf8(text) is True
    assert wire.is_utf8(text + b"\xc3") is False


def test_strided_text_is_refused():
    with pytest.raises(BufferError):
        wire.is_utf8(memoryview(b"abcd")[::2])
