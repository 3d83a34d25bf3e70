"""Buffered bytes of a stream: bounded by what one packet needs, never by what the file holds.

`PacketReader` splits streams for programs, and stops for ever at the first broken rule, as a receiver must. A person
who looks into a recording wants to see what comes after it, so the command splits by itself and keeps the position.
"""

from __future__ import annotations

from collections.abc import Callable


class ByteStream:
    """Look ahead, take and skip over a `read(size)` that gives what is there and `b""` at the end."""

    __slots__ = ("_buffer", "_ended", "_pos", "_read", "offset")

    CHUNK = 1 << 20

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._buffer = b""
        self._pos = 0
        self._ended = False
        self.offset = 0  # stream offset of the next byte

    def have(self, size: int) -> bool:
        """Read until `size` bytes are buffered; False when the stream ends before."""
        missing = size - (len(self._buffer) - self._pos)
        if missing <= 0:
            return True
        if self._ended:
            return False
        parts = [self._buffer[self._pos :]]
        while missing > 0:
            chunk = self._read(self.CHUNK)
            if not chunk:
                self._ended = True
                break
            parts.append(chunk)
            missing -= len(chunk)
        self._buffer = b"".join(parts)
        self._pos = 0
        return missing <= 0

    def peek(self, size: int) -> bytes:
        """The next `size` bytes, fewer at the end; they stay in the stream."""
        self.have(size)
        return self._buffer[self._pos : self._pos + size]

    def take(self, size: int) -> bytes:
        """The next `size` bytes, fewer at the end."""
        data = self.peek(size)
        self._pos += len(data)
        self.offset += len(data)
        return data

    def startswith(self, marker: bytes, ahead: int) -> bool:
        """Whether `marker` stands `ahead` bytes further on."""
        self.have(ahead + len(marker))
        return self._buffer.startswith(marker, self._pos + ahead)

    def find(self, marker: bytes, size: int, accept: Callable[[bytes], bool]) -> int:
        """Skip to the next place where `marker` opens `size` bytes that `accept` likes, or to the end.

        Returns the number of bytes skipped. What was skipped is dropped as it goes by.
        """
        start = self.offset
        while True:
            at = self._buffer.find(marker, self._pos)
            if at < 0:
                # The last bytes may be the first of a marker that the next chunk completes.
                self._drop(max(0, len(self._buffer) - self._pos - (len(marker) - 1)))
                if not self.have(len(marker)):
                    self._drop(len(self._buffer) - self._pos)
                    return self.offset - start
                continue
            self._drop(at - self._pos)
            if accept(self.peek(size)):
                return self.offset - start
            self._drop(1)

    def _drop(self, size: int) -> None:
        self._pos += size
        self.offset += size
