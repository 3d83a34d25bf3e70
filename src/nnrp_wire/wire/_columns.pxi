# Many equal layouts at once, and the memory that arrays are made of. The arrays themselves are made in _batch.py.


def layout_region(str layout, buf, pos=0, count=None, /):
    """count layouts back to back in buf[pos:], or all that stand there, after the layout stage of each.

    Returns (a read-only memoryview of those before the first breach, exception or None). Over bytes nothing is copied;
    from anything else the layouts are, and the copy is checked.
    """
    cdef const nnrp_layout *entry = &nnrp_layouts[<size_t>LAYOUT_NUMBERS[layout]]
    cdef const uint8_t *data
    cdef Py_ssize_t length, at, wanted
    cdef size_t done = 0
    cdef nnrp_error error
    cdef int status
    cdef object owner = hold(buf, &data, &length)
    at = start_of(pos, length)
    data += at
    length -= at
    wanted = length // entry.size + 1  # one more than there can be: it is refused as too short
    if count is None:
        wanted -= length % entry.size == 0
    else:
        limit = PyNumber_Index(count)
        if limit < 0:
            raise ValueError(f"count must not be negative, got {limit}")
        wanted = min(limit, wanted)
    if not PyBytes_CheckExact(owner):
        length = min(length, wanted * <Py_ssize_t>entry.size)
        owner = PyBytes_FromStringAndSize(<const char *>data, length)
        data = <const uint8_t *>PyBytes_AS_STRING(owner)
    if length >= NNRP_SCAN_GIL_RELEASE_BYTES:
        with nogil:
            status = nnrp_columns_check(entry, data, length, wanted, &done, &error)
    else:
        status = nnrp_columns_check(entry, data, length, wanted, &done, &error)
    return region_view(owner, data, done * entry.size), None if status == NNRP_OK else fault(&error, at)


def gather_into(str layout, buf, positions, rows, bint packets, /):
    """Copy the layouts at positions (an array of u64) of buf to rows (writable, of exactly as many layouts).

    With packets the positions are those of packets, whose metadata is copied. Returns (layouts copied, exception or
    None); fewer than asked for without an exception means that the next packet's metadata is another layout.
    """
    cdef const nnrp_layout *entry = &nnrp_layouts[<size_t>LAYOUT_NUMBERS[layout]]
    cdef const uint8_t *data
    cdef const uint8_t *numbers
    cdef Py_ssize_t length, numbers_length
    cdef size_t count, done = 0
    cdef nnrp_error error
    cdef Py_buffer view
    cdef uint8_t *out
    cdef int status
    cdef object owner = hold(buf, &data, &length)
    cdef object positions_owner = hold(positions, &numbers, &numbers_length)
    count = numbers_length // 8
    out = writable(rows, &view)
    try:
        if <size_t>view.len < count * entry.size:
            raise BufferError(f"{view.len} bytes for {count} layouts of {entry.size}")
        with nogil:
            if packets:
                status = nnrp_columns_metadata(entry, data, length, <const uint64_t *>numbers, count, out, &done, &error)
            else:
                status = nnrp_columns_gather(entry, data, length, <const uint64_t *>numbers, count, out, &done, &error)
    finally:
        PyBuffer_Release(&view)
    return done, fault(&error, 0) if status < 0 else None


def tile_index_of(DataPlaneBody body not None, /):
    """(mode, index block, tile count, first id) of a body whose tile ids are known, else None."""
    if not body._knows_tiles():
        return None
    if body._cut.tile_index == NULL:
        block = region_view(NOTHING, ZEROES, 0)
    else:
        block = region_view(
            body._rows(body._cut.tile_index, body._cut.tile_index_span),
            body._cut.tile_index,
            body._cut.tile_index_span.length,
        )
    return body._frame.tile_index_mode, block, body._frame.tile_count, body._frame.tile_base_id


def section_lengths(TensorSection section not None, /):
    """(the length table of a section as memory, bytes from one tile to the next or 0)."""
    return (
        region_view(section._tables_owner, section._tables + section._codecs, 4 * <Py_ssize_t>section._lengths),
        section._stride,
    )
