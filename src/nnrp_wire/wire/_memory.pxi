# Who owns a packet's memory, and what keeps it alive.

cdef extern from "Python.h":
    PyObject *PyMemoryView_GET_BASE(object view)
    int _PyBytes_Resize(PyObject **string, Py_ssize_t size) except -1
    PyObject *PyBytes_FromStringAndSize_raw "PyBytes_FromStringAndSize"(const char *v, Py_ssize_t size) except NULL

# What a view that was never filled points at, so that reading it shows zeroes and nothing worse.
cdef uint8_t ZEROES[NNRP_LARGEST_LAYOUT]
memset(ZEROES, 0, sizeof(ZEROES))

cdef bytes NOTHING = b""
cdef object ZERO = 0  # the default of many arguments; comparing with it is comparing pointers


@cython.final
@cython.no_gc
@cython.freelist(16)
cdef class Pin:
    """Keeps memory that is not `bytes` exported, and thereby in place, until the last view of it is gone."""

    cdef Py_buffer view
    cdef bint held

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.view)

    def __hash__(self):
        # A memoryview asks its owner before it hashes: bytes may be hashed, memory that can change may not.
        raise TypeError("unhashable: a view of memory that can change")

    def __reduce__(self):
        raise TypeError("what pins a packet's memory cannot be pickled")


cdef extern from *:
    """
    /* A read-only memoryview of memory that owner keeps alive. PyMemoryView_FromBuffer gives a view without an owner;
     * putting one into its managed buffer is what PyMemoryView_FromObject ends in, without an exporting object in between
     * (a quarter of the time of a view). Its release drops the owner again: neither bytes nor a Pin have a release of
     * their own. */
    static PyObject *nnrp_view_of(PyObject *owner, const void *data, Py_ssize_t length)
    {
        Py_buffer info;
        PyObject *view = NULL;
        if (PyBuffer_FillInfo(&info, NULL, (void *)data, length, 1, PyBUF_SIMPLE) == 0) {
            view = PyMemoryView_FromBuffer(&info);
        }
        if (view != NULL) {
            Py_INCREF(owner);
            ((PyMemoryViewObject *)view)->mbuf->master.obj = owner;
            ((PyMemoryViewObject *)view)->view.obj = owner;
        }
        return view;
    }
    """
    object nnrp_view_of(object owner, const void *data, Py_ssize_t length)


cdef inline object region_view(object owner, const uint8_t *data, Py_ssize_t length):
    """A memoryview of [data, data + length), which lies in the memory of owner: bytes, or a Pin."""
    return nnrp_view_of(owner, data, length)


cdef object hold(object buf, const uint8_t **data, Py_ssize_t *length):
    """Take a caller's buffer: returns what to keep alive, either `bytes` (cannot change) or a Pin (can).

    Raises BufferError for memory that is not C-contiguous and TypeError for what is no buffer. A memoryview over bytes
    counts as the bytes it shows.
    """
    cdef Pin pin
    cdef PyObject *base
    if PyBytes_CheckExact(buf):
        data[0] = <const uint8_t *>PyBytes_AS_STRING(buf)
        length[0] = PyBytes_GET_SIZE(buf)
        return buf
    if not PyObject_CheckBuffer(buf):
        raise TypeError(f"a bytes-like object is required, not {type(buf).__name__!r}")
    pin = Pin.__new__(Pin)
    try:
        PyObject_GetBuffer(buf, &pin.view, PyBUF_SIMPLE)
    except ValueError as refused:
        if PyMemoryView_Check(buf):
            raise  # it was released
        raise BufferError(str(refused)) from None  # numpy's word for an array that is not contiguous
    pin.held = True
    data[0] = <const uint8_t *>pin.view.buf
    length[0] = pin.view.len
    if data[0] == NULL:
        data[0] = ZEROES
    if PyMemoryView_Check(buf):
        base = PyMemoryView_GET_BASE(buf)
        if base != NULL:
            if PyBytes_CheckExact(<object>base):
                return <object>base
    elif isinstance(buf, LayoutView) and data[0] == (<LayoutView>buf)._p:  # a subclass may export other memory
        return (<LayoutView>buf)._owner
    return pin


cdef inline Py_ssize_t start_of(object pos, Py_ssize_t length) except -1:
    """A caller's position: an index from the start; one past the end counts as the end, where everything is too short."""
    return 0 if pos is ZERO else checked_start(pos, length)


cdef Py_ssize_t checked_start(object pos, Py_ssize_t length) except -1:
    cdef Py_ssize_t at = PyNumber_Index(pos) if type(pos) is not int else pos
    if at < 0:
        raise ValueError(f"pos must not be negative, got {at}")
    return at if at < length else length


cdef uint8_t *writable(object buf, Py_buffer *view) except NULL:
    """Export buf for writing; the caller releases view. Raises BufferError when it is read-only or not contiguous."""
    try:
        PyObject_GetBuffer(buf, view, PyBUF_SIMPLE | PyBUF_WRITABLE)
    except ValueError as refused:
        raise BufferError(str(refused)) from None
    return <uint8_t *>view.buf if view.buf != NULL else ZEROES
