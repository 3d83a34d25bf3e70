"""The codec: lifetimes, views, and the turning of a status of the C core into an exception.

What lives here: everything that holds memory of a packet or makes bytes of one. What does not: rules of the protocol (they
are data and C, csrc/) and anything for people only (enums, notes, generated beside this file).

The rules that make zero-copy safe, kept in _memory.pxi and relied on everywhere:

1. A view stores its owner first. The owner of a layout view is always an exact `bytes`.
2. From any other source, what holds lengths, ids or counts is copied once, and only the copy is checked and used.
3. Only payload memory of such a source is viewed; a Pin keeps it in place for as long as one view of it lives.
4. Nothing derived from a Py_buffer survives its release.
"""
# The parts are included, not imported: one extension module keeps calls between them plain C calls.

cimport cython
from cpython.buffer cimport (
    PyBUF_SIMPLE,
    PyBUF_WRITABLE,
    PyBuffer_FillInfo,
    PyBuffer_Release,
    PyObject_CheckBuffer,
    PyObject_GetBuffer,
)
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItem
from cpython.list cimport PyList_GET_ITEM
from cpython.long cimport PyLong_FromUnsignedLongLong
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.memoryview cimport PyMemoryView_Check
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from libc.string cimport memcmp, memcpy, memset

from ._cnnrp cimport *

from .. import errors as _errors
from . import _enums_generated as _enums

__all__ = []  # nnrp_wire.wire says what is public

include "_memory.pxi"
include "_faults.pxi"
include "_members.pxi"
include "_views.pxi"
include "_hot_generated.pxi"
include "_packet.pxi"
include "_checks.pxi"
include "_reader.pxi"
include "_entries.pxi"
include "_body.pxi"
include "_build.pxi"
include "_slot.pxi"
include "_scan.pxi"
include "_columns.pxi"
