# Rows of fixed-size entries as sequences: descriptors with their payloads, references, extension descriptors.

from collections.abc import Sequence as _Sequence


@cython.final
@cython.no_gc
@cython.freelist(16)
@cython.collection_type("sequence")
cdef class Entries:
    """A sequence over a region of checked entries, made item by item when asked for.

    Items are views, or (view, payload memoryview) pairs where entries describe payloads. Slices are tuples.
    """

    cdef object _rows_owner      # exact bytes
    cdef const uint8_t *_rows
    cdef object _payload_owner   # bytes or a Pin; None when entries have no payload
    cdef const uint8_t *_payload
    cdef const nnrp_layout *_layout
    cdef size_t _number          # of the layout
    cdef size_t _offset_at, _length_at
    cdef Py_ssize_t _count

    index = _Sequence.index
    count = _Sequence.count

    def __len__(self):
        return self._count

    cdef object _item(self, Py_ssize_t index):
        cdef const uint8_t *row = self._rows + index * self._layout.size
        cdef LayoutView view = view_of(self._number, self._rows_owner, row)
        if self._payload_owner is None:
            return view
        return view, region_view(
            self._payload_owner,
            self._payload + nnrp_load_u32(row + self._offset_at),
            nnrp_load_u32(row + self._length_at),
        )

    def __getitem__(self, index):
        cdef Py_ssize_t at
        if isinstance(index, slice):
            return tuple([self._item(at) for at in range(*index.indices(self._count))])
        at = index
        if at < 0:
            at += self._count
        if at < 0 or at >= self._count:
            raise IndexError(f"index {index} of {self._count} entries")
        return self._item(at)

    def __iter__(self):
        cdef Py_ssize_t at
        for at in range(self._count):
            yield self._item(at)

    def __repr__(self):
        return f"<{self._count} entries>" if self._count != 1 else "<1 entry>"

    def __reduce__(self):
        raise TypeError("Entries cannot be pickled")


_Sequence.register(Entries)

cdef size_t place_of(size_t layout, str name) except? 0xffff:
    return nnrp_fields[nnrp_layouts[layout].first_field + <size_t>FIELD_NUMBERS[layout][name]].offset


cdef size_t TYPED_OFFSET = place_of(NNRP_L_TYPED_PAYLOAD_DESCRIPTOR, "offset")
cdef size_t TYPED_LENGTH = place_of(NNRP_L_TYPED_PAYLOAD_DESCRIPTOR, "length")
cdef size_t REFERENCE_KIND = place_of(NNRP_L_OBJECT_REFERENCE_BLOCK, "object_kind")
cdef size_t EXTENSION_OFFSET = place_of(NNRP_L_EXTENSION_FRAME_DESCRIPTOR, "payload_offset")
cdef size_t EXTENSION_LENGTH = place_of(NNRP_L_EXTENSION_FRAME_DESCRIPTOR, "payload_length")


cdef Entries entries_over(size_t number, object rows_owner, const uint8_t *rows, size_t rows_length,
                          object payload_owner, const uint8_t *payload):
    cdef Entries entries = Entries.__new__(Entries)
    entries._rows_owner = rows_owner
    entries._rows = rows
    entries._payload_owner = payload_owner
    entries._payload = payload
    entries._number = number
    entries._layout = &nnrp_layouts[number]
    entries._count = rows_length // entries._layout.size
    if number == NNRP_L_TYPED_PAYLOAD_DESCRIPTOR:
        entries._offset_at = TYPED_OFFSET
        entries._length_at = TYPED_LENGTH
    else:
        entries._offset_at = EXTENSION_OFFSET
        entries._length_at = EXTENSION_LENGTH
    return entries


def typed_region(descriptors, frames, payload_kind_bitmap, payload_frame_count, /):
    """A descriptor region and its frame region as a sequence of (TypedPayloadDescriptor, memoryview).

    payload_kind_bitmap and payload_frame_count are those of the metadata: which kinds occur, how many frames there are.
    Descriptors are copied unless they are bytes; frames are viewed. Raises the class of the broken rule of wire.md section
    6.4.5, offsets counting from the start of descriptors.
    """
    cdef const uint8_t *rows
    cdef const uint8_t *payload
    cdef Py_ssize_t rows_length, payload_length
    cdef nnrp_error error
    cdef object rows_owner = frozen(descriptors, &rows, &rows_length)
    cdef object payload_owner = hold(frames, &payload, &payload_length)
    cdef uint32_t bitmap = u32_value(payload_kind_bitmap, "payload_kind_bitmap")
    cdef uint32_t count = u32_value(payload_frame_count, "payload_frame_count")
    if nnrp_typed_region_check(rows, rows_length, payload_length, bitmap, count, &error) != NNRP_OK:
        refuse_body(&error, 0)
    return entries_over(NNRP_L_TYPED_PAYLOAD_DESCRIPTOR, rows_owner, rows, rows_length, payload_owner, payload)


def reference_region(region, submit_mode, object_ref_mask, /):
    """An object reference region as a sequence of ObjectReferenceBlock; it is copied unless it is bytes.

    Raises the class of the broken rule of wire.md section 6.4.4, offsets counting from the start of region.
    """
    cdef const uint8_t *rows
    cdef Py_ssize_t length
    cdef nnrp_error error
    cdef object owner = frozen(region, &rows, &length)
    cdef uint32_t mode = u32_value(submit_mode, "submit_mode")
    cdef uint32_t mask = u32_value(object_ref_mask, "object_ref_mask")
    if nnrp_reference_region_check(rows, length, mode, mask, &error) != NNRP_OK:
        refuse_body(&error, 0)
    return entries_over(NNRP_L_OBJECT_REFERENCE_BLOCK, owner, rows, length, None, ZEROES)


def extension_region(descriptors, payloads, /):
    """An extension descriptor region and its payload region as a sequence of (ExtensionFrameDescriptor, memoryview).

    Descriptors are copied unless they are bytes; payloads are viewed. Raises the class of the broken rule of wire.md
    section 9, offsets counting from the start of descriptors.
    """
    cdef const uint8_t *rows
    cdef const uint8_t *payload
    cdef Py_ssize_t rows_length, payload_length
    cdef nnrp_error error
    cdef object rows_owner = frozen(descriptors, &rows, &rows_length)
    cdef object payload_owner = hold(payloads, &payload, &payload_length)
    if nnrp_extension_region_check(rows, rows_length, payload_length, &error) != NNRP_OK:
        refuse_body(&error, 0)
    return entries_over(NNRP_L_EXTENSION_FRAME_DESCRIPTOR, rows_owner, rows, rows_length, payload_owner, payload)


cdef uint32_t u32_value(object value, str name) except? 0xfff1:
    number = PyNumber_Index(value)
    if not 0 <= number <= 0xffffffff:
        raise FieldOutOfRange(f"{name} takes 0 to 4294967295, not {value!r}", field=name, maximum=0xffffffff, found=value)
    return number


def tile_index_decode(mode, data, tile_count, tile_base_id=0, /):
    """The tile ids that an index block lists: a tuple of int, or a range for dense_range (wire.md section 6.4.2).

    data is copied unless it is bytes. Raises InvalidProtocolCombination for a block that does not list tile_count ids,
    ValueError for an unknown mode.
    """
    cdef const uint8_t *source
    cdef Py_ssize_t length
    cdef nnrp_error error
    cdef uint32_t count = u32_value(tile_count, "tile_count"), base = u32_value(tile_base_id, "tile_base_id")
    cdef uint32_t coding = _enums.TileIndexMode(mode)
    cdef object owner = frozen(data, &source, &length)
    if nnrp_tile_index_check(coding, source, length, count, base, &error) != NNRP_OK:
        refuse_body(&error, 0)
    return tile_ids_of(coding, source, length, count, base)


cdef object tile_ids_of(uint32_t mode, const uint8_t *source, size_t length, uint32_t count, uint32_t base):
    cdef uint32_t *ids
    cdef uint32_t i
    if mode == NNRP_TILE_INDEX_MODE_DENSE_RANGE:
        return range(base, <uint64_t>base + count)
    if count == 0:
        return ()
    ids = <uint32_t *>PyMem_Malloc(count * sizeof(uint32_t))
    if ids == NULL:
        raise MemoryError
    try:
        nnrp_tile_index_read(mode, source, length, count, base, ids)
        return tuple([ids[i] for i in range(count)])
    finally:
        PyMem_Free(ids)


def tile_index_encode(mode, ids, tile_base_id=0, /):
    """The index block that lists the tile ids under mode; b"" for dense_range, whose ids are the run from tile_base_id.

    Raises InvalidProtocolCombination for ids the coding cannot say: above 65535 except in a dense range, not ascending in
    delta_u16 and bitset. ValueError for an unknown mode.
    """
    cdef uint32_t coding = _enums.TileIndexMode(mode), base = u32_value(tile_base_id, "tile_base_id")
    cdef list numbers = [u32_value(number, "tile id") for number in ids]
    cdef uint32_t count = len(numbers)
    cdef size_t size
    cdef nnrp_error error
    cdef uint32_t i
    cdef object block
    cdef uint32_t *array = <uint32_t *>PyMem_Malloc((count + 1) * sizeof(uint32_t))
    if array == NULL:
        raise MemoryError
    try:
        for i in range(count):
            array[i] = numbers[i]
        if nnrp_tile_index_size(coding, array, count, base, &size, &error) != NNRP_OK:
            refuse_body(&error, 0)
        block = PyBytes_FromStringAndSize(NULL, size)
        nnrp_tile_index_write(coding, array, count, <uint8_t *>PyBytes_AS_STRING(block), size)
        return block
    finally:
        PyMem_Free(array)


def payload_kinds(bitmap, /):
    """The PayloadKinds of a payload_kind_bitmap, lowest bit first (wire.md section 6.4.5). Raises ReservedBitsSet for a bit without a kind."""
    cdef uint32_t kinds[NNRP_MAX_PAYLOAD_KINDS]
    cdef uint32_t bits = u32_value(bitmap, "payload_kind_bitmap")
    cdef unsigned i, count
    cdef nnrp_error error
    if nnrp_typed_region_check(ZEROES, 0, 0, bits, 0, &error) != NNRP_OK:
        refuse_body(&error, 0)
    count = nnrp_payload_kinds(bits, kinds)
    return tuple([_enums.PayloadKind(kinds[i]) for i in range(count)])


def payload_kind_bitmap(kinds, /):
    """The PayloadKindBitmap of some PayloadKinds (wire.md section 6.4.5). Raises ValueError for a number that is no kind."""
    cdef uint32_t numbers[NNRP_MAX_PAYLOAD_KINDS]
    cdef unsigned count = 0
    for kind in {_enums.PayloadKind(kind) for kind in kinds}:
        numbers[count] = kind
        count += 1
    return _enums.PayloadKindBitmap(nnrp_payload_kind_bitmap(numbers, count))
