# Whole packets: header | metadata | body (wire.md section 2).

DEFAULT_MAX_PACKET_BYTES = NNRP_DEFAULT_MAX_PACKET_BYTES

# The default as the object that callers leave in place, so that comparing it is comparing pointers.
cdef object DEFAULT_LIMIT = DEFAULT_MAX_PACKET_BYTES


cdef inline uint64_t limit_of(object max_packet_bytes) except? 0:
    if max_packet_bytes is DEFAULT_LIMIT:
        return NNRP_DEFAULT_MAX_PACKET_BYTES
    return other_limit(max_packet_bytes)


cdef uint64_t other_limit(object max_packet_bytes) except? 0:
    limit = PyNumber_Index(max_packet_bytes)
    if limit < 0:
        raise ValueError(f"max_packet_bytes must not be negative, got {limit}")
    return limit if limit <= 0xffffffffffffffff else 0xffffffffffffffff


@cython.final
@cython.no_gc
@cython.freelist(64)
cdef class Packet:
    """One packet of the wire: its header fields, its metadata as a typed view, its body as memory.

    A packet over `bytes` views them and keeps them alive. A packet over any other buffer holds a copy of header and
    metadata, views only the body, and keeps the buffer exported until the packet and every view of its body are gone;
    `copy()` detaches it. What is checked at creation is the layout stage; `check_message` and `check_body` run the others.
    """

    cdef object _head         # exact bytes that hold header and metadata
    cdef object _owner        # of the body: the same bytes, or a Pin
    cdef const uint8_t *_h    # header and metadata, inside _head
    cdef const uint8_t *_body
    cdef object _metadata     # the typed view once asked for
    cdef object _regions      # the DataPlaneBody once its body was cut
    cdef nnrp_packet _info

    def __cinit__(self):
        self._h = ZEROES
        self._body = ZEROES

    def __init__(self, *args, **kwargs):
        raise TypeError("Packet is made by parse_packet(), iter_packets() or PacketReader")

    @property
    def header(self):
        """The common header as a view."""
        self._filled()
        return view_of(NNRP_L_COMMON_HEADER, self._head, self._h)

    @property
    def message_type(self):
        """The MessageType."""
        return <object>PyList_GET_ITEM(MESSAGE_TYPES, nnrp_load_u8(self._h + NNRP_COMMON_HEADER_AT_MESSAGE_TYPE))

    @property
    def flags(self):
        """HeaderFlags; no deployed state machine acts on them."""
        return member_of(HEADER_FLAGS_FIELD, nnrp_load_u32(self._h + NNRP_COMMON_HEADER_AT_FLAGS))

    @property
    def meta_len(self):
        """Bytes of metadata, surplus included."""
        return self._info.meta_len

    @property
    def body_len(self):
        """Bytes of body."""
        return self._info.body_len

    @property
    def session_id(self):
        """0 for connection scope."""
        return nnrp_load_u32(self._h + NNRP_COMMON_HEADER_AT_SESSION_ID)

    @property
    def frame_id(self):
        """The data-plane work unit, 0 when none."""
        return nnrp_load_u32(self._h + NNRP_COMMON_HEADER_AT_FRAME_ID)

    @property
    def view_id(self):
        """The lane."""
        return nnrp_load_u16(self._h + NNRP_COMMON_HEADER_AT_VIEW_ID)

    @property
    def route_id(self):
        """Routing, normally 0."""
        return nnrp_load_u16(self._h + NNRP_COMMON_HEADER_AT_ROUTE_ID)

    @property
    def trace_id(self):
        """Observability id."""
        return nnrp_load_u64(self._h + NNRP_COMMON_HEADER_AT_TRACE_ID)

    @property
    def metadata(self):
        """The metadata as the view of its layout, None for a message that has none."""
        cdef uint16_t layout
        if self._metadata is None:
            self._filled()
            layout = nnrp_messages[self._info.message].layout
            if layout == NNRP_NONE:
                return None
            self._metadata = view_of(layout, self._head, self._h + NNRP_COMMON_HEADER_SIZE)
        return self._metadata

    @property
    def metadata_bytes(self):
        """The metadata as memory, with any surplus behind its layout."""
        self._filled()
        return region_view(self._head, self._h + NNRP_COMMON_HEADER_SIZE, self._info.meta_len)

    @property
    def body(self):
        """The body as a read-only memoryview, valid for as long as it is kept."""
        self._filled()
        return region_view(self._owner, self._body, self._info.body_len)

    def to_bytes(self):
        """The whole packet as bytes; the very object it was parsed from when that is this packet and nothing else."""
        cdef object whole
        self._filled()
        if self._owner is self._head:
            if self._h == <const uint8_t *>PyBytes_AS_STRING(self._head) and PyBytes_GET_SIZE(self._head) == <Py_ssize_t>self._info.total:
                return self._head
            return PyBytes_FromStringAndSize(<const char *>self._h, self._info.total)
        whole = PyBytes_FromStringAndSize(NULL, self._info.total)
        memcpy(PyBytes_AS_STRING(whole), self._h, NNRP_COMMON_HEADER_SIZE + self._info.meta_len)
        memcpy(PyBytes_AS_STRING(whole) + NNRP_COMMON_HEADER_SIZE + self._info.meta_len, self._body, self._info.body_len)
        return whole

    def copy(self):
        """The same packet over bytes of its own: detached from its source, which may then change or go."""
        cdef object whole
        self._filled()
        whole = self.to_bytes()
        if whole is self._head:
            return self
        return packet_over(whole, <const uint8_t *>PyBytes_AS_STRING(whole), &self._info)

    cdef int _filled(self) except -1:
        if self._head is None:
            raise ValueError("this packet was never filled; use parse_packet()")
        return 0

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __bytes__(self):
        return self.to_bytes()

    def __len__(self):
        return self._info.total

    def __bool__(self):
        return True

    def __eq__(self, other):
        cdef Packet that
        if type(other) is not Packet:
            return NotImplemented
        that = <Packet>other
        return (
            self._info.total == that._info.total
            and self._info.meta_len == that._info.meta_len
            and (self._head is None) == (that._head is None)
            and (
                self._head is None
                or memcmp(self._h, that._h, NNRP_COMMON_HEADER_SIZE + self._info.meta_len) == 0
                and memcmp(self._body, that._body, self._info.body_len) == 0
            )
        )

    def __hash__(self):
        if self._owner is not self._head:
            raise TypeError("unhashable: the body views memory that can change; copy() the packet first")
        return hash(self.to_bytes())

    def __repr__(self):
        if self._head is None:
            return "<Packet never filled>"
        return (
            f"<Packet {self.message_type.name} session_id={self.session_id} frame_id={self.frame_id} "
            f"meta_len={self.meta_len} body_len={self.body_len}>"
        )

    def __reduce__(self):
        raise TypeError("Packet cannot be pickled; take to_bytes() of it")


cdef size_t HEADER_FLAGS_FIELD = nnrp_layouts[NNRP_L_COMMON_HEADER].first_field + <size_t>FIELD_NUMBERS[NNRP_L_COMMON_HEADER]["flags"]


cdef Packet packet_over(object owner, const uint8_t *data, const nnrp_packet *info):
    """A packet of checked bytes; owner is the exact bytes that hold all of it."""
    cdef Packet packet = Packet.__new__(Packet)
    packet._head = owner
    packet._owner = owner
    packet._h = data
    packet._body = data + NNRP_COMMON_HEADER_SIZE + info.meta_len
    packet._info = info[0]
    return packet


cdef object packet_over_pin(object pin, const uint8_t *data, Py_ssize_t left, uint64_t limit, bint exact, uint64_t base):
    """As take_packet, from memory that may change while we look: lengths are read once, from a copy."""
    cdef uint8_t header[NNRP_COMMON_HEADER_SIZE]
    cdef nnrp_packet info
    cdef nnrp_error error
    cdef Packet packet
    cdef object head
    cdef int status
    cdef Py_ssize_t head_len
    if left < NNRP_COMMON_HEADER_SIZE:
        status = nnrp_header_check(data, left, &error)
        refuse(&error, base)
    memcpy(header, data, NNRP_COMMON_HEADER_SIZE)
    status = nnrp_header_check(header, NNRP_COMMON_HEADER_SIZE, &error)
    if status == NNRP_OK:
        status = nnrp_packet_measure(header, limit if not exact else 0xffffffffffffffff, &info, &error)
    if status == NNRP_OK and (info.total > <size_t>left or exact and info.total != <size_t>left):
        status = nnrp_breach_values(&error, NNRP_RULE_PACKET_IS_EXACT, min(info.total, <size_t>left), info.total, left)
    if status == NNRP_OK and info.total > limit:
        status = nnrp_packet_measure(header, limit, &info, &error)
    if status != NNRP_OK:
        refuse(&error, base)
    head_len = NNRP_COMMON_HEADER_SIZE + <Py_ssize_t>info.meta_len
    head = PyBytes_FromStringAndSize(NULL, head_len)
    memcpy(PyBytes_AS_STRING(head), header, NNRP_COMMON_HEADER_SIZE)
    memcpy(PyBytes_AS_STRING(head) + NNRP_COMMON_HEADER_SIZE, data + NNRP_COMMON_HEADER_SIZE, info.meta_len)
    if nnrp_metadata_check(<const uint8_t *>PyBytes_AS_STRING(head), &info, &error) != NNRP_OK:
        refuse(&error, base)
    packet = packet_over(head, <const uint8_t *>PyBytes_AS_STRING(head), &info)
    packet._owner = pin
    packet._body = data + head_len
    return packet


cdef object take_packet(object owner, const uint8_t *data, Py_ssize_t left, uint64_t limit, bint exact, uint64_t base):
    """The packet at data, which must end at data + left when exact; errors count offsets from base."""
    cdef nnrp_packet info
    cdef nnrp_error error
    cdef int status
    if not PyBytes_CheckExact(owner):
        return packet_over_pin(owner, data, left, limit, exact, base)
    if exact:
        status = nnrp_packet_check(data, left, limit, &info, &error)
    else:
        status = nnrp_packet_next(data, left, limit, &info, &error)
        if status == NNRP_NEED_MORE:
            if info.total == 0:
                status = nnrp_header_check(data, left, &error)
            else:
                status = nnrp_breach_values(&error, NNRP_RULE_PACKET_IS_EXACT, left, info.total, left)
    if status != NNRP_OK:
        refuse(&error, base)
    return packet_over(owner, data, &info)


def parse_header(buf, pos=0, /):
    """The CommonHeader at buf[pos:] after the seven checks of wire.md section 3, in their order.

    Raises SourceTooShort, InvalidMagic, UnsupportedVersionMajor, UnsupportedWireFormat, InvalidHeaderLength,
    ReservedBitsSet, UnknownMessageType; BufferError for a buffer that is not contiguous.
    """
    cdef const uint8_t *data
    cdef Py_ssize_t length, at
    cdef nnrp_error error
    cdef CommonHeader view
    cdef uint8_t copy[NNRP_COMMON_HEADER_SIZE]
    cdef object owner = hold(buf, &data, &length)
    at = start_of(pos, length)
    if not PyBytes_CheckExact(owner) and length - at >= NNRP_COMMON_HEADER_SIZE:
        memcpy(copy, data + at, NNRP_COMMON_HEADER_SIZE)
        if nnrp_header_check(copy, NNRP_COMMON_HEADER_SIZE, &error) != NNRP_OK:
            refuse(&error, 0)
        return built_view(CommonHeader, &nnrp_layouts[NNRP_L_COMMON_HEADER], copy)
    if nnrp_header_check(data + at, length - at, &error) != NNRP_OK:
        refuse(&error, 0)
    view = CommonHeader.__new__(CommonHeader)
    view._owner = owner
    view._p = data + at
    view._layout = &nnrp_layouts[NNRP_L_COMMON_HEADER]
    return view


def parse_packet(buf, pos=0, /, *, max_packet_bytes=DEFAULT_LIMIT):
    """The one packet that fills buf[pos:]: header, exact length, layout stage of the metadata (wire.md section 2).

    Body rules and per-message rules are calls of their own (check_message, check_body). max_packet_bytes is the local limit
    on a whole packet, header included. Raises what parse_header raises, MessageLengthOverflow, FrameTooLarge above max_packet_bytes, PacketLengthMismatch, and the metadata's own classes;
    offsets in errors count from pos.
    ValueError for a negative pos.
    """
    cdef const uint8_t *data
    cdef Py_ssize_t length, at
    cdef object owner = hold(buf, &data, &length)
    at = start_of(pos, length)
    return take_packet(owner, data + at, length - at, limit_of(max_packet_bytes), True, 0)


def parse_message(buf, pos=0, /, *, strict=False, max_packet_bytes=DEFAULT_LIMIT):
    """The one packet that fills buf[pos:] after the layout, message and body stage: the counterpart of build_message.

    What parse_packet, check_message and check_body do, in one call, for a receiver that wants whole messages. strict adds
    the sender stage. Raises what those three raise.
    """
    cdef const uint8_t *data
    cdef Py_ssize_t length, at
    cdef nnrp_error error
    cdef Packet packet
    cdef object owner = hold(buf, &data, &length)
    at = start_of(pos, length)
    packet = take_packet(owner, data + at, length - at, limit_of(max_packet_bytes), True, 0)
    if nnrp_message_check(packet._h, &packet._info, strict is not False and bool(strict), &error) != NNRP_OK:
        refuse(&error, 0)
    judge_body(packet)
    return packet


@cython.final
cdef class PacketIterator:
    """Packets that stand back to back in one buffer. After an error every further step raises it again."""

    cdef object _owner
    cdef const uint8_t *_data
    cdef Py_ssize_t _length
    cdef Py_ssize_t _at
    cdef uint64_t _limit

    def __cinit__(self):
        self._data = ZEROES

    @property
    def position(self):
        """Where the next packet starts in the buffer."""
        return self._at

    def __iter__(self):
        return self

    def __next__(self):
        cdef Packet packet
        if self._at >= self._length:
            raise StopIteration
        packet = take_packet(self._owner, self._data + self._at, self._length - self._at, self._limit, False, self._at)
        self._at += packet._info.total
        return packet

    def __reduce__(self):
        raise TypeError("PacketIterator cannot be pickled")


def iter_packets(buf, pos=0, /, *, max_packet_bytes=DEFAULT_LIMIT):
    """Iterate over the packets that stand back to back in buf[pos:] (wire.md section 2).

    A buffer that ends inside a packet raises SourceTooShort (inside its header) or PacketLengthMismatch; offsets in errors
    count from the start of buf.
    """
    cdef PacketIterator iterator = PacketIterator.__new__(PacketIterator)
    cdef Py_ssize_t length
    iterator._owner = hold(buf, &iterator._data, &length)
    iterator._length = length
    iterator._at = start_of(pos, length)
    iterator._limit = limit_of(max_packet_bytes)
    return iterator


def patch_header(buf, pos=0, /, *, session_id=None, frame_id=None, view_id=None, route_id=None, trace_id=None, flags=None):
    """Change fields of the header at buf[pos:] in place (wire.md section 3), for gateways that renumber sessions and frames.

    The header must be valid before; buf is untouched unless it is valid after too. Raises as parse_header(),
    FieldOutOfRange, and BufferError for a buffer that is read-only or not contiguous.
    """
    cdef Py_buffer view
    cdef uint8_t *data
    cdef Py_ssize_t at
    cdef nnrp_error error
    cdef uint8_t copy[NNRP_COMMON_HEADER_SIZE]
    cdef const nnrp_layout *layout = &nnrp_layouts[NNRP_L_COMMON_HEADER]
    data = writable(buf, &view)
    try:
        at = start_of(pos, view.len)
        memset(copy, 0, NNRP_COMMON_HEADER_SIZE)
        memcpy(copy, data + at, min(view.len - at, NNRP_COMMON_HEADER_SIZE))
        if nnrp_header_check(copy, view.len - at, &error) != NNRP_OK:
            refuse(&error, 0)
        for name, value in (
            ("session_id", session_id),
            ("frame_id", frame_id),
            ("view_id", view_id),
            ("route_id", route_id),
            ("trace_id", trace_id),
            ("flags", flags),
        ):
            if value is not None:
                store_field(layout, copy, name, value)
        if nnrp_header_check(copy, NNRP_COMMON_HEADER_SIZE, &error) != NNRP_OK:
            refuse(&error, 0)
        memcpy(data + at, copy, NNRP_COMMON_HEADER_SIZE)
    finally:
        PyBuffer_Release(&view)
