# The data-plane body as Python meets it (wire.md section 6.4); the rules are in csrc/src/body*.c.


@cython.final
@cython.no_gc
cdef class TensorSection:
    """One section of a tensor section table: `descriptor`, and per tile a codec id, a length and a payload."""

    cdef readonly object descriptor
    """The TensorSectionDescriptor."""
    cdef object _tables_owner
    cdef const uint8_t *_tables
    cdef object _payload_owner
    cdef const uint8_t *_payload
    cdef uint32_t _codecs, _lengths, _stride, _payload_len

    @property
    def codec_ids(self):
        """One codec id per tile with mixed_codec, else empty: every tile then has the descriptor's codec_id."""
        cdef uint32_t i
        return tuple([self._tables[i] for i in range(self._codecs)])

    @property
    def lengths(self):
        """Bytes of each tile's payload, without the filler of a stride."""
        cdef uint32_t i
        return tuple([nnrp_load_u32(self._tables + self._codecs + 4 * i) for i in range(self._lengths)])

    @property
    def payload(self):
        """The payload of all tiles, filler included, as one read-only memoryview."""
        return region_view(self._payload_owner, self._payload, self._payload_len)

    @property
    def payloads(self):
        """Each tile's payload as a read-only memoryview."""
        cdef uint32_t i, length
        cdef size_t at = 0
        cdef list parts = []
        for i in range(self._lengths):
            length = nnrp_load_u32(self._tables + self._codecs + 4 * i)
            parts.append(region_view(self._payload_owner, self._payload + at, length))
            at += self._stride if self._stride != 0 else length
        return tuple(parts)

    def __repr__(self):
        return f"<TensorSection {self.descriptor!r} of {self._lengths} tiles>"

    def __reduce__(self):
        raise TypeError("TensorSection cannot be pickled")


@cython.final
@cython.no_gc
@cython.freelist(16)
cdef class DataPlaneBody:
    """The regions of an accepted FRAME_SUBMIT or RESULT_PUSH body, as views that keep the packet's memory alive."""

    cdef object _owner        # of the body: bytes or a Pin
    cdef const uint8_t *_body
    cdef nnrp_body _cut
    cdef nnrp_body_frame _frame
    cdef list _objects        # None when there are none
    cdef list _sections
    cdef dict _copies         # over a Pin: offset in the body -> stable bytes of what was read there
    cdef object _failure      # raised inside a callback of the core

    cdef object _rows(self, const uint8_t *stable, nnrp_span span):
        """The bytes object that holds a stretch the core read."""
        if self._copies is None:
            return self._owner
        return self._copies.get(span.at, NOTHING)

    cdef bint _knows_tiles(self) noexcept:
        """Whether the ids of the tiles can be told from here: there is a tensor, and its index is inline or a dense range
        that no reference takes the place of (wire.md sections 6.2 and 6.4.4)."""
        cdef uint32_t at
        if not self._frame.payload_kind_bitmap & NNRP_PAYLOAD_KIND_BITMAP_TENSOR:
            return False
        if self._cut.tile_index != NULL:
            return True
        for at in range(0, self._cut.references.length, NNRP_OBJECT_REFERENCE_BLOCK_SIZE):
            if nnrp_load_u16(self._cut.reference_bytes + at + REFERENCE_KIND) == NNRP_CACHE_OBJECT_KIND_TILE_INDEX_BLOCK:
                return False
        return self._frame.tile_index_mode == NNRP_TILE_INDEX_MODE_DENSE_RANGE

    @property
    def prelude(self):
        """The BodyRegionPrelude, None for an empty RESULT_PUSH body."""
        cdef nnrp_span span
        if self._cut.prelude == NULL:
            return None
        span.at = 0
        return view_of(NNRP_L_BODY_REGION_PRELUDE, self._rows(self._cut.prelude, span), self._cut.prelude)

    @property
    def objects(self):
        """Inline objects in order: tuples of (InlineObjectBlockHeader, payload memoryview)."""
        return tuple(self._objects) if self._objects is not None else ()

    @property
    def references(self):
        """Object references in order: a sequence of ObjectReferenceBlock."""
        return entries_over(
            NNRP_L_OBJECT_REFERENCE_BLOCK,
            self._rows(self._cut.reference_bytes, self._cut.references),
            self._cut.reference_bytes,
            self._cut.references.length,
            None,
            ZEROES,
        )

    @property
    def typed_payloads(self):
        """Typed payload frames in order: a sequence of (TypedPayloadDescriptor, payload memoryview)."""
        return entries_over(
            NNRP_L_TYPED_PAYLOAD_DESCRIPTOR,
            self._rows(self._cut.descriptor_bytes, self._cut.descriptors),
            self._cut.descriptor_bytes,
            self._cut.descriptors.length,
            self._owner,
            self._body + self._cut.frames.at,
        )

    def payload(self, index=0, /):
        """The payload of one typed frame as a read-only memoryview: typed_payloads[index][1] without the rest.

        Raises IndexError.
        """
        cdef Py_ssize_t at = index
        cdef Py_ssize_t count = self._cut.descriptors.length // NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE
        cdef const uint8_t *row
        if at < 0:
            at += count
        if at < 0 or at >= count:
            raise IndexError(f"payload {index} of {count}")
        row = self._cut.descriptor_bytes + at * NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE
        return region_view(
            self._owner, self._body + self._cut.frames.at + nnrp_load_u32(row + TYPED_OFFSET), nnrp_load_u32(row + TYPED_LENGTH)
        )

    @property
    def extensions(self):
        """Extension frames in order: a sequence of (ExtensionFrameDescriptor, payload memoryview)."""
        return entries_over(
            NNRP_L_EXTENSION_FRAME_DESCRIPTOR,
            self._rows(self._cut.extension_descriptor_bytes, self._cut.extension_descriptors),
            self._cut.extension_descriptor_bytes,
            self._cut.extension_descriptors.length,
            self._owner,
            self._body + self._cut.extension_payloads.at,
        )

    @property
    def camera(self):
        """The inline camera block as a memoryview, None without one."""
        if not self._cut.has_camera:
            return None
        return region_view(self._owner, self._body + self._cut.camera.at, self._cut.camera.length)

    @property
    def tile_ids(self):
        """The tile ids of a tensor body: a tuple, or a range for a dense range; None when there is no tensor or its index
        is referenced or absent."""
        if not self._knows_tiles():
            return None
        return tile_ids_of(
            self._frame.tile_index_mode,
            self._cut.tile_index,
            self._cut.tile_index_span.length,
            self._frame.tile_count,
            self._frame.tile_base_id,
        )

    @property
    def sections(self):
        """The tensor sections as a tuple of TensorSection."""
        return tuple(self._sections) if self._sections is not None else ()

    def __repr__(self):
        return (
            f"<DataPlaneBody objects={len(self.objects)} references={len(self.references)} "
            f"typed_payloads={len(self.typed_payloads)} extensions={len(self.extensions)}>"
        )

    def __reduce__(self):
        raise TypeError("DataPlaneBody cannot be pickled")


cdef const uint8_t *_lend(void *context, uint32_t at, uint32_t length) noexcept:
    """Bytes of a body in memory that can change, read once into bytes of our own."""
    cdef DataPlaneBody body = <DataPlaneBody>context
    try:
        copy = PyBytes_FromStringAndSize(<const char *>body._body + at, length)
        body._copies[at] = copy
        return <const uint8_t *>PyBytes_AS_STRING(copy)
    except BaseException as failure:
        body._failure = failure
        return NULL


cdef int _take_object(void *context, const nnrp_object *item) noexcept:
    cdef DataPlaneBody body = <DataPlaneBody>context
    try:
        if body._objects is None:
            body._objects = []
        body._objects.append(
            (
                view_of(NNRP_L_INLINE_OBJECT_BLOCK_HEADER, body._rows(item.header, item.head), item.header),
                region_view(body._owner, body._body + item.payload.at, item.payload.length),
            )
        )
        return 0
    except BaseException as failure:
        body._failure = failure
        return 1


cdef int _take_section(void *context, const nnrp_section *item) noexcept:
    cdef DataPlaneBody body = <DataPlaneBody>context
    cdef TensorSection section
    try:
        section = TensorSection.__new__(TensorSection)
        section.descriptor = view_of(
            NNRP_L_TENSOR_SECTION_DESCRIPTOR, body._rows(item.descriptor, item.head), item.descriptor
        )
        section._tables_owner = body._rows(item.tables, item.tables_span)
        section._tables = item.tables
        section._codecs = item.codec_table_bytes
        section._lengths = item.length_table_bytes // 4
        section._stride = item.stride
        section._payload_owner = body._owner
        section._payload = body._body + item.payload.at
        section._payload_len = item.payload.length
        if body._sections is None:
            body._sections = []
        body._sections.append(section)
        return 0
    except BaseException as failure:
        body._failure = failure
        return 1


cdef DataPlaneBody cut_body(Packet packet):
    """The body stage of FRAME_SUBMIT or RESULT_PUSH, once per packet: a body that was accepted is not judged again."""
    cdef DataPlaneBody body
    cdef nnrp_body_io io
    cdef nnrp_error error
    cdef int status
    if packet._regions is not None:
        return packet._regions
    body = DataPlaneBody.__new__(DataPlaneBody)
    body._owner = packet._owner
    body._body = packet._body
    if nnrp_messages[packet._info.message].code == NNRP_MT_FRAME_SUBMIT:
        nnrp_body_frame_of_submit(&body._frame, packet._h + NNRP_COMMON_HEADER_SIZE)
    else:
        nnrp_body_frame_of_result(&body._frame, packet._h + NNRP_COMMON_HEADER_SIZE)
    io.context = <void *>body
    io.object = _take_object
    io.section = _take_section
    io.lend = NULL
    if not PyBytes_CheckExact(packet._owner):
        body._copies = {}
        io.lend = _lend
    status = nnrp_body_cut(&body._frame, body._body, packet._info.body_len, &io, &body._cut, &error)
    if status == NNRP_STOPPED:
        failure, body._failure = body._failure, None
        raise failure
    if status != NNRP_OK:
        refuse_body(&error, NNRP_COMMON_HEADER_SIZE + packet._info.meta_len)
    packet._regions = body
    return body


def frame_submit_body(Packet packet not None, /):
    """The body of a FRAME_SUBMIT cut into its regions, after every rule of wire.md section 6.4.

    An explicit call, never made by the packet parser (S-69). Raises the class of the broken rule, offsets counting from the
    start of the packet; TypeError for any other message.
    """
    packet._filled()
    if nnrp_messages[packet._info.message].code != NNRP_MT_FRAME_SUBMIT:
        raise TypeError(f"not a FRAME_SUBMIT but {packet.message_type.name}")
    return cut_body(packet)


def result_push_body(Packet packet not None, /):
    """The body of a RESULT_PUSH cut into its regions, after every rule of wire.md section 6.4; see frame_submit_body."""
    packet._filled()
    if nnrp_messages[packet._info.message].code != NNRP_MT_RESULT_PUSH:
        raise TypeError(f"not a RESULT_PUSH but {packet.message_type.name}")
    return cut_body(packet)
