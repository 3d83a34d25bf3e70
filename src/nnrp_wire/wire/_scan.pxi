# Many packets at once: one row per packet, no Python object per packet.


def scan_into(buf, rows, pos=0, /, *, max_packet_bytes=DEFAULT_LIMIT):
    """Fill rows (a writable buffer of whole nnrp_row records) with the packets of buf[pos:].

    Returns (number of rows, position where the scan stopped, exception or None). What `scan` in nnrp_wire.wire makes an
    array of. Large buffers are scanned without the GIL.
    """
    cdef const uint8_t *data
    cdef Py_ssize_t length
    cdef size_t at, count = 0, capacity
    cdef uint64_t limit = limit_of(max_packet_bytes)
    cdef nnrp_error error
    cdef Py_buffer view
    cdef nnrp_row *out
    cdef int status
    cdef object owner = hold(buf, &data, &length)
    at = start_of(pos, length)
    out = <nnrp_row *>writable(rows, &view)
    try:
        capacity = view.len // sizeof(nnrp_row)
        if length - at >= NNRP_SCAN_GIL_RELEASE_BYTES:
            with nogil:
                status = nnrp_scan(data, length, limit, &at, out, capacity, &count, &error)
        else:
            status = nnrp_scan(data, length, limit, &at, out, capacity, &count, &error)
    finally:
        PyBuffer_Release(&view)
    return count, at, None if status == NNRP_OK else fault(&error, 0)


ROW_SIZE = sizeof(nnrp_row)
