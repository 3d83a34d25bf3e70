"""How much memory this process holds, and how much memory cannot be read."""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

PAGE = mmap.PAGESIZE

# Under AddressSanitizer what was freed stays a while in quarantine, and everything takes several times as long.
SANITIZED = bool(os.environ.get("NNRP_WIRE_SANITIZE"))
SLACK = (24 if SANITIZED else 2) << 20
"""How far the process may grow in a test that leaks nothing: allocators keep some of what they got."""
PATIENCE = 800 if SANITIZED else 110
"""Seconds a child process may take."""


def _linux_only(reason: str) -> None:
    if sys.platform != "linux":
        import pytest  # not at the top: children that measure their memory import this module

        pytest.skip(reason)


def resident_bytes() -> int:
    """Resident set of this process; who asks for it where nobody tells is skipped."""
    _linux_only("the resident set is read from /proc, which only Linux has")
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * PAGE


def settle() -> None:
    """Let the collector take what only cycles keep; three rounds reach objects freed by finalizers."""
    for _ in range(3):
        gc.collect()


@cache
def _libc() -> ctypes.CDLL:
    """Asked for only where pages are guarded: the flags below are Linux's own."""
    _linux_only("unreadable pages are made with the calls of Linux")
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_long,
    )
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    return libc


class GuardedPages:
    """Memory whose last readable byte is followed by a page that cannot be read.

    `at_end(data)` copies the data so that it ends exactly there: reading one byte too far ends the process.
    """

    def __init__(self, pages: int) -> None:
        self.room = pages * PAGE
        total = self.room + PAGE
        address = _libc().mmap(None, total, 0x3, 0x22, -1, 0)
        if address in (None, ctypes.c_void_p(-1).value):
            raise OSError(ctypes.get_errno(), "mmap")
        self._address: int = address
        self._total = total
        if _libc().mprotect(self.end, PAGE, 0) != 0:
            raise OSError(ctypes.get_errno(), "mprotect")

    @property
    def end(self) -> int:
        """Address of the first byte that cannot be read."""
        return self._address + self.room

    def at_end(self, data: bytes) -> memoryview:
        """A read-only view of the data, ending at the unreadable page."""
        start = self.end - len(data)
        ctypes.memmove(start, data, len(data))
        array = (ctypes.c_ubyte * len(data)).from_address(start)
        return memoryview(array).cast("B").toreadonly()

    def close(self) -> None:
        _libc().munmap(self._address, self._total)


@contextmanager
def guarded(pages: int = 4) -> Iterator[GuardedPages]:
    memory = GuardedPages(pages)
    try:
        yield memory
    finally:
        memory.close()


def address_of(view: object) -> int:
    """Where the bytes of a buffer lie, to tell a view from a copy."""
    import numpy

    return int(numpy.frombuffer(view, dtype=numpy.uint8).ctypes.data)  # type: ignore[call-overload]  # numpy stubs before 3.12 know no buffers


def references_to(thing: object) -> int:
    """Reference count without the one of this call's argument."""
    return sys.getrefcount(thing) - 2
