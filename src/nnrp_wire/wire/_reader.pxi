# The stream splitter: chunks in, packets out, no I/O.


@cython.final
cdef class PacketReader:
    """Splits a byte stream into packets (wire.md section 2): `feed` what arrived, then iterate.

    A packet inside one chunk is a view of that chunk; one that spans chunks is joined once. Memory follows the bytes that
    arrived, never the lengths a header claims. A chunk that is not `bytes` is copied when fed, so its buffer may be used
    again at once.

    The first error is the state of the reader from then on: the stream cannot be split any further, and every later call
    raises it again. Packets before the error are delivered first.

    max_packet_bytes: the local limit on a whole packet (64 MiB), FrameTooLarge above it. max_buffered_bytes (the larger of
    64 MiB and max_packet_bytes) and max_buffered_chunks (4096) bound what may be fed without iterating: ReaderOverrun beyond
    them, nothing is lost.

    One reader belongs to one thread at a time.
    """

    cdef list _queue          # chunks not yet looked at, newest last
    cdef size_t _next         # index of the next one
    cdef object _chunk        # bytes being split
    cdef const uint8_t *_data
    cdef Py_ssize_t _at, _end
    cdef PyObject *_part      # bytes of a packet that spans chunks, growing
    cdef size_t _part_len, _part_room, _part_total
    cdef uint64_t _limit, _offset
    cdef size_t _buffered, _max_bytes, _max_chunks
    cdef nnrp_error _error
    cdef bint _failed

    def __cinit__(self, *, max_packet_bytes=DEFAULT_LIMIT, max_buffered_bytes=None, max_buffered_chunks=None):
        self._data = ZEROES
        self._chunk = NOTHING
        self._queue = []
        self._limit = limit_of(max_packet_bytes)
        if max_buffered_bytes is None:
            max_buffered_bytes = max(DEFAULT_MAX_PACKET_BYTES, PyNumber_Index(max_packet_bytes))
        if max_buffered_chunks is None:
            max_buffered_chunks = NNRP_MAX_PENDING_PACKETS
        self._max_bytes = limit_of(max_buffered_bytes)
        self._max_chunks = limit_of(max_buffered_chunks)

    def __dealloc__(self):
        Py_XDECREF(self._part)

    @property
    def buffered_bytes(self):
        """Bytes fed and not yet delivered in a packet."""
        return self._buffered

    @property
    def offset(self):
        """Where the next packet starts in the stream, in bytes from its beginning."""
        return self._offset

    @property
    def error(self):
        """The name of the class every call raises since the stream broke, else None."""
        return WIRE_ERRORS[-1 - self._error.status].__name__ if self._failed else None

    def feed(self, chunk, /):
        """Take a chunk of the stream. Raises the stream's error when it is broken, ReaderOverrun beyond the limits."""
        cdef const uint8_t *data
        cdef Py_ssize_t length
        if self._failed:
            self._raise()
        if PyBytes_CheckExact(chunk):
            length = PyBytes_GET_SIZE(chunk)
        else:
            owner = hold(chunk, &data, &length)
            if not PyBytes_CheckExact(owner) or PyBytes_GET_SIZE(owner) != length:
                chunk = PyBytes_FromStringAndSize(<const char *>data, length)
            else:
                chunk = owner
        if length == 0:
            return
        # What belongs to a packet under way is bounded by the packet limit; these limits are for what nobody asked for yet.
        if (
            self._buffered - self._part_len + <size_t>length > self._max_bytes
            and self._buffered != self._part_len
            or self._waiting() >= self._max_chunks
        ):
            raise _errors.ReaderOverrun(
                f"{self._buffered} bytes are waiting in {self._waiting()} chunks; iterate before feeding more"
            )
        self._buffered += length
        if self._at == self._end and self._next == <size_t>len(self._queue):
            self._take(chunk)
        else:
            self._queue.append(chunk)

    def next_packet(self):
        """The next packet, or None when more bytes are needed. Raises the stream's error when it is broken."""
        cdef nnrp_packet info
        cdef Packet packet
        cdef int status
        if self._failed:
            self._raise()
        while True:
            if self._at == self._end and not self._take_next():
                return None
            if self._part != NULL:
                packet = self._complete()
                if packet is None:
                    continue
                return packet
            status = nnrp_packet_next(self._data + self._at, self._end - self._at, self._limit, &info, &self._error)
            if status == NNRP_OK:
                packet = packet_over(self._chunk, self._data + self._at, &info)
                self._at += info.total
                self._offset += info.total
                self._buffered -= info.total
                return packet
            if status != NNRP_NEED_MORE:
                self._fail()
            self._part_total = info.total
            self._begin_part()

    def __iter__(self):
        return self

    def __next__(self):
        packet = self.next_packet()
        if packet is None:
            raise StopIteration
        return packet

    def __reduce__(self):
        raise TypeError("PacketReader cannot be pickled")

    cdef size_t _waiting(self) noexcept:
        """Chunks that are not split to their end."""
        return len(self._queue) - self._next + (self._at != self._end)

    cdef int _raise(self) except -1:
        raise fault(&self._error, 0)

    cdef int _fail(self) except -1:
        """The stream is broken: drop what is held, keep the error with its offset in the stream."""
        self._error.offset += self._offset
        self._failed = True
        self._queue = []
        self._next = 0
        self._chunk = NOTHING
        self._at = self._end = 0
        self._buffered = 0
        self._drop_part()
        raise fault(&self._error, 0)

    cdef void _take(self, object chunk) noexcept:
        self._chunk = chunk
        self._data = <const uint8_t *>PyBytes_AS_STRING(chunk)
        self._at = 0
        self._end = PyBytes_GET_SIZE(chunk)

    cdef bint _take_next(self) except -1:
        if self._next == <size_t>len(self._queue):
            if self._chunk is not NOTHING:
                self._chunk = NOTHING  # do not keep the last chunk alive while idle
                self._at = self._end = 0
            return False
        chunk = self._queue[self._next]
        self._queue[self._next] = None
        self._next += 1
        if self._next == <size_t>len(self._queue):
            self._queue = []
            self._next = 0
        self._take(chunk)
        return True

    cdef int _begin_part(self) except -1:
        """The rest of the chunk is the beginning of a packet."""
        cdef size_t rest = self._end - self._at
        self._part_room = 0
        self._part_len = 0
        self._reserve(rest)
        self._append(rest)
        return 0

    cdef int _reserve(self, size_t more) except -1:
        """Room for `more` bytes: at least doubled, but never past the packet's end once that is known, and never more than
        a chunk ahead of what arrived."""
        cdef size_t room = max(self._part_len + more, 2 * self._part_len)
        if room < NNRP_STREAM_READ_CHUNK_BYTES and self._part_total != 0:
            room = NNRP_STREAM_READ_CHUNK_BYTES
        if self._part_total != 0 and room > self._part_total:
            room = self._part_total
        if self._part_total == 0 and room < 2 * NNRP_COMMON_HEADER_SIZE:
            room = 2 * NNRP_COMMON_HEADER_SIZE
        if room <= self._part_room:
            return 0
        if self._part == NULL:
            self._part = PyBytes_FromStringAndSize_raw(NULL, room)
        else:
            self._resize(room)
        self._part_room = room
        return 0

    cdef int _resize(self, size_t size) except -1:
        try:
            _PyBytes_Resize(&self._part, size)
        except MemoryError:  # the old object is gone with it; the bytes are lost, so the stream is over
            self._part = NULL
            self._part_len = self._part_room = 0
            raise
        return 0

    cdef void _append(self, size_t count) noexcept:
        memcpy(PyBytes_AS_STRING(<object>self._part) + self._part_len, self._data + self._at, count)
        self._part_len += count
        self._at += count

    cdef Packet _complete(self):
        """Go on with the packet that spans chunks; None when the chunk is used up first."""
        cdef nnrp_packet info
        cdef size_t wanted = self._part_total if self._part_total != 0 else NNRP_COMMON_HEADER_SIZE
        cdef size_t step = min(wanted - self._part_len, <size_t>(self._end - self._at))
        cdef const uint8_t *start
        cdef object whole
        cdef int status
        self._reserve(step)
        self._append(step)
        if self._part_len < wanted:
            return None
        start = <const uint8_t *>PyBytes_AS_STRING(<object>self._part)
        if self._part_total == 0:
            status = nnrp_packet_next(start, self._part_len, self._limit, &info, &self._error)
            if status == NNRP_NEED_MORE:
                self._part_total = info.total
                return None
            if status != NNRP_OK:
                self._fail()
            self._part_total = info.total
        else:
            status = nnrp_packet_next(start, self._part_len, self._limit, &info, &self._error)
            if status != NNRP_OK:
                self._fail()
        if self._part_room != self._part_total:
            self._resize(self._part_total)
        whole = <object>self._part
        self._drop_part()
        self._offset += info.total
        self._buffered -= info.total
        return packet_over(whole, <const uint8_t *>PyBytes_AS_STRING(whole), &info)

    cdef void _drop_part(self) noexcept:
        Py_XDECREF(self._part)
        self._part = NULL
        self._part_len = self._part_room = self._part_total = 0
