# The C core as Cython sees it: csrc/include/nnrp/*.h. Offsets of the hot layouts are declared where they are used, in
# _hot_generated.pxi.
from libc.stdint cimport int16_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef extern from "nnrp/bytes.h" nogil:
    uint32_t nnrp_load_u8(const uint8_t *p)
    uint32_t nnrp_load_u16(const uint8_t *p)
    uint32_t nnrp_load_u32(const uint8_t *p)
    uint64_t nnrp_load_u64(const uint8_t *p)
    void nnrp_store_u8(uint8_t *p, uint32_t v)
    void nnrp_store_u16(uint8_t *p, uint32_t v)
    void nnrp_store_u32(uint8_t *p, uint32_t v)
    void nnrp_store_u64(uint8_t *p, uint64_t v)


cdef extern from "nnrp/table.h" nogil:
    enum:
        NNRP_NONE
        NNRP_OK
        NNRP_NEED_MORE
        NNRP_U8, NNRP_U16, NNRP_U32, NNRP_U64, NNRP_I16, NNRP_BYTES4
        NNRP_PLAIN, NNRP_RESERVED, NNRP_CONST, NNRP_ENUM, NNRP_MASK, NNRP_OPEN
        NNRP_BODY_TAILS, NNRP_BODY_DATA_PLANE, NNRP_BODY_OPAQUE
        NNRP_MAX_TAILS
        NNRP_STAGE_BODY
        NNRP_LAYOUT_COUNT
        NNRP_MESSAGE_COUNT
        NNRP_RULE_COUNT
        NNRP_LARGEST_LAYOUT
        NNRP_DEFAULT_MAX_PACKET_BYTES
        NNRP_COPY_THRESHOLD_BYTES
        NNRP_SCAN_GIL_RELEASE_BYTES
        NNRP_STREAM_READ_CHUNK_BYTES
        NNRP_MAX_PENDING_PACKETS
        NNRP_BLOCK_ALIGNMENT
        NNRP_MAX_PAYLOAD_KINDS

        NNRP_L_COMMON_HEADER, NNRP_L_FRAME_SUBMIT, NNRP_L_RESULT_PUSH, NNRP_L_PARTIAL_RESULT
        NNRP_L_BODY_REGION_PRELUDE, NNRP_L_TYPED_PAYLOAD_DESCRIPTOR, NNRP_L_INLINE_OBJECT_BLOCK_HEADER
        NNRP_L_OBJECT_REFERENCE_BLOCK, NNRP_L_EXTENSION_FRAME_DESCRIPTOR, NNRP_L_TENSOR_SECTION_DESCRIPTOR
        NNRP_L_CONTROL_EXTENSION_ENTRY_HEADER, NNRP_L_RECOVERY_TICKET_PREFIX, NNRP_L_CAPABILITY

        NNRP_COMMON_HEADER_SIZE, NNRP_FRAME_SUBMIT_SIZE, NNRP_RESULT_PUSH_SIZE, NNRP_PARTIAL_RESULT_SIZE
        NNRP_BODY_REGION_PRELUDE_SIZE, NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE, NNRP_OBJECT_REFERENCE_BLOCK_SIZE
        NNRP_EXTENSION_FRAME_DESCRIPTOR_SIZE, NNRP_RECOVERY_TICKET_PREFIX_SIZE

        NNRP_MT_FRAME_SUBMIT, NNRP_MT_RESULT_PUSH, NNRP_MT_PARTIAL_RESULT, NNRP_MT_RESULT_DROP
        NNRP_MT_RESULT_DROP_REASON

        NNRP_RULE_PACKET_IS_EXACT, NNRP_RULE_PACKET_WITHIN_LIMIT, NNRP_RULE_PACKET_LENGTHS_FIT_U32
        NNRP_RULE_DESTINATION_HOLDS_OUTPUT, NNRP_RULE_CAPABILITY_COUNT_MATCHES, NNRP_RULE_RECOVERY_TICKET_IS_EXACT

        NNRP_RULE_OBJECT_ORDER, NNRP_RULE_OBJECT_NOT_REFERENCED_TOO, NNRP_RULE_SECTION_TABLE_PRESENT
        NNRP_RULE_SECTION_ROLE_ORDER, NNRP_RULE_SECTION_CODEC_TABLE, NNRP_RULE_SECTION_LENGTH_TABLE
        NNRP_RULE_SECTION_TILE_WITHIN_STRIDE

        NNRP_TILE_INDEX_MODE_DENSE_RANGE, NNRP_TILE_INDEX_MODE_BITSET
        NNRP_PAYLOAD_KIND_BITMAP_TENSOR
        NNRP_CACHE_OBJECT_KIND_TILE_INDEX_BLOCK

    ctypedef struct nnrp_field:
        const char *name
        const char *enum_name
        uint64_t initial
        uint16_t offset
        uint8_t size
        uint8_t type
        uint8_t kind

    ctypedef struct nnrp_rule:
        const char *text
        const char *enum_name
        uint16_t layout
        uint16_t field
        uint16_t first_message
        uint8_t message_count
        uint8_t stage
        int16_t status

    ctypedef struct nnrp_layout:
        const char *name
        uint16_t size
        uint16_t first_field
        uint16_t field_count
        uint16_t first_rule[5]
        uint16_t size_rule
        uint16_t request
        uint16_t ext_type

    ctypedef struct nnrp_message:
        const char *name
        const char *tail_names[3]
        uint16_t tail_fields[3]
        uint16_t layout
        uint16_t meta_len
        uint16_t meta_len_rule
        uint8_t tail_count
        uint8_t body_format
        uint8_t code

    const nnrp_field nnrp_fields[]
    const nnrp_layout nnrp_layouts[]
    const nnrp_message nnrp_messages[]
    const nnrp_rule nnrp_rules[]
    const uint8_t nnrp_rule_messages[]
    const uint8_t nnrp_message_by_code[256]


cdef extern from "nnrp/check.h" nogil:
    enum:
        NNRP_HAS_EXPECTED
        NNRP_HAS_FOUND

    ctypedef struct nnrp_error:
        uint64_t offset
        uint64_t expected
        uint64_t found
        int status
        uint16_t rule
        uint16_t layout
        uint16_t field
        uint8_t detail

    uint64_t nnrp_field_load(const nnrp_field *field, const uint8_t *layout_start)
    void nnrp_field_store(const nnrp_field *field, uint8_t *layout_start, uint64_t value)
    uint64_t nnrp_field_max(const nnrp_field *field)
    int nnrp_layout_check(const nnrp_layout *layout, const uint8_t *source, size_t length, nnrp_error *error)
    int nnrp_breach_values(nnrp_error *error, uint16_t rule, uint64_t offset, uint64_t expected, uint64_t found)
    int nnrp_breach_field(nnrp_error *error, uint16_t rule, uint64_t base, uint16_t layout, uint16_t field_offset,
                          uint64_t expected, uint64_t found)


cdef extern from "nnrp/packet.h" nogil:
    ctypedef struct nnrp_packet:
        size_t total
        uint32_t meta_len
        uint32_t body_len
        uint8_t message

    ctypedef struct nnrp_span:
        uint32_t at
        uint32_t length

    ctypedef struct nnrp_row:
        uint64_t offset

    ctypedef struct nnrp_routing:
        uint64_t trace_id
        uint32_t flags
        uint32_t session_id
        uint32_t frame_id
        uint16_t view_id
        uint16_t route_id

    int nnrp_header_check(const uint8_t *source, size_t length, nnrp_error *error)
    int nnrp_packet_measure(const uint8_t *header, uint64_t limit, nnrp_packet *packet, nnrp_error *error)
    int nnrp_metadata_check(const uint8_t *source, const nnrp_packet *packet, nnrp_error *error)
    int nnrp_packet_check(const uint8_t *source, size_t length, uint64_t limit, nnrp_packet *packet, nnrp_error *error)
    int nnrp_packet_next(const uint8_t *source, size_t length, uint64_t limit, nnrp_packet *packet, nnrp_error *error)
    int nnrp_message_check(const uint8_t *source, const nnrp_packet *packet, int strict, nnrp_error *error)
    int nnrp_pair_check(const uint8_t *answer, const nnrp_packet *packet, const uint8_t *request_metadata,
                        nnrp_error *error)
    int nnrp_tails_cut(const uint8_t *source, const nnrp_packet *packet, nnrp_span *spans, nnrp_error *error)
    int nnrp_scan(const uint8_t *source, size_t length, uint64_t limit, size_t *position, nnrp_row *rows,
                  size_t capacity, size_t *count, nnrp_error *error)
    void nnrp_header_write(uint8_t *destination, uint8_t message_type, const nnrp_routing *routing, uint32_t meta_len,
                           uint32_t body_len)


cdef extern from "nnrp/body.h" nogil:
    enum:
        NNRP_STOPPED

    ctypedef struct nnrp_body_frame:
        uint32_t payload_kind_bitmap
        uint32_t tile_base_id
        uint32_t tile_count
        uint8_t tile_index_mode
        uint8_t is_submit

    ctypedef struct nnrp_object:
        const uint8_t *header
        uint32_t kind
        nnrp_span head
        nnrp_span payload

    ctypedef struct nnrp_section:
        const uint8_t *descriptor
        const uint8_t *tables
        uint32_t codec_table_bytes
        uint32_t length_table_bytes
        uint32_t stride
        nnrp_span head
        nnrp_span tables_span
        nnrp_span payload

    ctypedef struct nnrp_body_io:
        void *context
        const uint8_t *(*lend)(void *context, uint32_t at, uint32_t length) noexcept
        int (*object)(void *context, const nnrp_object *object) noexcept
        int (*section)(void *context, const nnrp_section *section) noexcept

    ctypedef struct nnrp_body:
        const uint8_t *prelude
        const uint8_t *reference_bytes
        const uint8_t *descriptor_bytes
        const uint8_t *extension_descriptor_bytes
        const uint8_t *tile_index
        nnrp_span objects
        nnrp_span references
        nnrp_span descriptors
        nnrp_span frames
        nnrp_span extension_descriptors
        nnrp_span extension_payloads
        nnrp_span camera
        nnrp_span tile_index_span
        uint8_t has_camera

    ctypedef struct nnrp_control_extension:
        uint32_t at
        uint32_t value_at
        uint32_t value_length
        uint16_t type
        uint16_t flags
        uint16_t layout

    void nnrp_body_frame_of_submit(nnrp_body_frame *frame, const uint8_t *frame_submit)
    void nnrp_body_frame_of_result(nnrp_body_frame *frame, const uint8_t *result_push)
    int nnrp_body_cut(const nnrp_body_frame *frame, const uint8_t *body, uint32_t body_len, const nnrp_body_io *io,
                      nnrp_body *out, nnrp_error *error)
    int nnrp_typed_region_check(const uint8_t *descriptors, size_t descriptor_bytes, size_t frame_bytes,
                                uint32_t payload_kind_bitmap, uint32_t payload_frame_count, nnrp_error *error)
    int nnrp_reference_region_check(const uint8_t *region, size_t length, uint32_t submit_mode,
                                    uint32_t object_ref_mask, nnrp_error *error)
    int nnrp_extension_region_check(const uint8_t *descriptors, size_t descriptor_bytes, size_t payload_bytes,
                                    nnrp_error *error)
    int nnrp_control_extension_next(const uint8_t *block, size_t length, size_t *position, nnrp_control_extension *out,
                                    nnrp_error *error)
    int nnrp_capability_entry_next(const uint8_t *body, size_t length, size_t *position, nnrp_span *token,
                                   nnrp_error *error)


cdef extern from "nnrp/columns.h" nogil:
    int nnrp_columns_check(const nnrp_layout *layout, const uint8_t *source, size_t length, size_t count, size_t *done,
                           nnrp_error *error)
    int nnrp_columns_gather(const nnrp_layout *layout, const uint8_t *source, size_t length, const uint64_t *positions,
                            size_t count, uint8_t *destination, size_t *done, nnrp_error *error)
    int nnrp_columns_metadata(const nnrp_layout *layout, const uint8_t *source, size_t length,
                              const uint64_t *positions, size_t count, uint8_t *destination, size_t *done,
                              nnrp_error *error)


cdef extern from "nnrp/tile_index.h" nogil:
    int nnrp_tile_index_check(uint32_t mode, const uint8_t *source, size_t length, uint32_t count, uint32_t base,
                              nnrp_error *error)
    void nnrp_tile_index_read(uint32_t mode, const uint8_t *source, size_t length, uint32_t count, uint32_t base,
                              uint32_t *ids)
    int nnrp_tile_index_size(uint32_t mode, const uint32_t *ids, uint32_t count, uint32_t base, size_t *size,
                             nnrp_error *error)
    void nnrp_tile_index_write(uint32_t mode, const uint32_t *ids, uint32_t count, uint8_t *destination, size_t size)
    unsigned nnrp_payload_kinds(uint32_t bitmap, uint32_t *kinds)
    uint32_t nnrp_payload_kind_bitmap(const uint32_t *kinds, unsigned count)


cdef extern from "nnrp/utf8.h" nogil:
    size_t nnrp_utf8_valid_prefix(const uint8_t *source, size_t length)
