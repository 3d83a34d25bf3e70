"""Text from a packet, made harmless for a terminal and for whoever reads it.

A payload may hold escape sequences that move the cursor, retitle the window or hide text, and marks that reorder what
is displayed. All of them are shown as `\\xNN` or `\\uNNNN`, so that what is on the screen is what is in the packet.
"""

from __future__ import annotations

import re

# C0 and C1 controls with DEL; line and paragraph separators; marks that reorder or hide text; lone surrogates (they
# come from undecodable file names, and no output encoding takes them); interlinear annotations; tag characters.
_HARMFUL = (
    "\x00-\x08\x0a-\x1f\x7f-\x9f"
    "\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_IN_TEXT = re.compile(f"[{_HARMFUL}]")
_IN_LABEL = re.compile(f"[\x09{_HARMFUL}]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _visible(match: re.Match[str]) -> str:
    char = match.group()
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def harmless(text: str) -> str:
    """One line of payload text; a tab stays a tab."""
    return _IN_TEXT.sub(_visible, text)


def label(text: str, limit: int = 400) -> str:
    """A note, a name or a message on one line, tabs and line ends visible, cut after `limit` characters."""
    if len(text) > limit:
        text = text[:limit] + "…"
    return _IN_LABEL.sub(_visible, text)
