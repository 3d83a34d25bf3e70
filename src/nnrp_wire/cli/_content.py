"""How payload bytes are best read: as JSON, as text, or as bytes."""

from __future__ import annotations

import re

import orjson

from ..wire import is_utf8
from ._model import Content

# Controls that text does not hold (tab, line feed, carriage return and escape do occur in it).
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]")
_OPENING = (b"{", b"[")


def content_of(data: bytes | memoryview) -> Content:
    """Find out what a payload is, from its bytes alone: the protocol carries them unread."""
    if not len(data):
        return Content("empty", data)
    if not is_utf8(data):
        return Content("bytes", data)
    text = bytes(data)
    if text.lstrip()[:1] in _OPENING:
        try:
            compact = orjson.dumps(orjson.loads(text))
        except orjson.JSONDecodeError:
            pass
        except orjson.JSONEncodeError:
            pass  # nested deeper than orjson writes: shown as the text that it is
        else:
            return Content("json", text, compact == text)
    controls = sum(1 for _ in _CONTROL.finditer(text))
    return Content("text" if controls * 16 <= len(text) else "bytes", data)


def pretty(content: Content) -> str:
    """JSON over several lines, keys in their order."""
    return orjson.dumps(orjson.loads(content.data), option=orjson.OPT_INDENT_2).decode()
