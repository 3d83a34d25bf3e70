/* The data-plane body of FRAME_SUBMIT and RESULT_PUSH cut into its regions (wire.md section 6.4), and the smaller
 * tables that stand in bodies: control extensions and capability entries (sections 7 and 9).
 *
 * Memory that somebody else can change while we read it must not be asked twice for a length. So everything that holds
 * lengths, counts or ids is taken through `lend`, which may hand out a copy; only payload bytes (and zero padding
 * between them, where no decision but "refuse" hangs on them) are read in place. With a NULL lend the body itself is
 * used, which is right for immutable memory and costs nothing.
 *
 * Offsets in errors count from the start of the body (or of the region a function is given). */
#ifndef NNRP_BODY_H
#define NNRP_BODY_H

#include "nnrp/packet.h"

/* Returned when a callback refused; the caller knows why. */
#define NNRP_STOPPED 2

/* What of the metadata the regions are read against. */
typedef struct nnrp_body_frame {
    uint32_t payload_kind_bitmap;
    uint32_t tile_base_id;
    uint32_t tile_index_bytes;
    uint32_t camera_bytes;    /* FRAME_SUBMIT */
    uint32_t object_ref_mask; /* FRAME_SUBMIT */
    uint32_t tile_count;
    uint32_t section_count;
    uint32_t payload_frame_count;
    uint8_t tile_index_mode;
    uint8_t submit_mode; /* FRAME_SUBMIT */
    uint8_t is_submit;
} nnrp_body_frame;

void nnrp_body_frame_of_submit(nnrp_body_frame *frame, const uint8_t *frame_submit);
void nnrp_body_frame_of_result(nnrp_body_frame *frame, const uint8_t *result_push);

typedef struct nnrp_object {
    const uint8_t *header; /* 16 stable bytes */
    uint32_t kind;
    nnrp_span head;
    nnrp_span payload;
} nnrp_object;

typedef struct nnrp_section {
    const uint8_t *descriptor; /* 32 stable bytes */
    const uint8_t *tables;     /* codec table, then length table; stable */
    uint32_t codec_table_bytes;
    uint32_t length_table_bytes;
    uint32_t stride; /* 0 without fixed_stride */
    nnrp_span head;
    nnrp_span tables_span;
    nnrp_span payload;
} nnrp_section;

typedef struct nnrp_body_io {
    void *context;
    /* Stable bytes of body[at, at + length); NULL stops the cut. May itself be NULL. */
    const uint8_t *(*lend)(void *context, uint32_t at, uint32_t length);
    /* Each may be NULL; a result other than 0 stops the cut. */
    int (*object)(void *context, const nnrp_object *object);
    int (*section)(void *context, const nnrp_section *section);
} nnrp_body_io;

/* The regions of an accepted body; pointers are stable, spans say where they stand in the body. */
typedef struct nnrp_body {
    const uint8_t *prelude; /* NULL for an empty RESULT_PUSH body */
    const uint8_t *reference_bytes;
    const uint8_t *descriptor_bytes;
    const uint8_t *extension_descriptor_bytes;
    const uint8_t *tile_index; /* NULL when none is inline */
    nnrp_span objects;
    nnrp_span references;
    nnrp_span descriptors;
    nnrp_span frames;
    nnrp_span extension_descriptors;
    nnrp_span extension_payloads;
    nnrp_span camera;
    nnrp_span tile_index_span;
    uint8_t has_camera;
} nnrp_body;

int nnrp_body_cut(const nnrp_body_frame *frame, const uint8_t *body, uint32_t body_len, const nnrp_body_io *io,
                  nnrp_body *out, nnrp_error *error);

/* Single regions, for whoever holds them apart from a body. */
int nnrp_typed_region_check(const uint8_t *descriptors, size_t descriptor_bytes, size_t frame_bytes,
                            uint32_t payload_kind_bitmap, uint32_t payload_frame_count, nnrp_error *error);
int nnrp_reference_region_check(const uint8_t *region, size_t length, uint32_t submit_mode, uint32_t object_ref_mask,
                                nnrp_error *error);
int nnrp_extension_region_check(const uint8_t *descriptors, size_t descriptor_bytes, size_t payload_bytes,
                                nnrp_error *error);

/* One entry of a control extension block at *position; moves *position past its padding. NNRP_NEED_MORE at the
 * end. After an error *position is not to be used again. */
typedef struct nnrp_control_extension {
    uint32_t at; /* of the entry header */
    uint32_t value_at;
    uint32_t value_length;
    uint16_t type;
    uint16_t flags;
    uint16_t layout; /* of the value, NNRP_NONE when the type is not known */
} nnrp_control_extension;

int nnrp_control_extension_next(const uint8_t *block, size_t length, size_t *position, nnrp_control_extension *out,
                                nnrp_error *error);

/* One capability token at *position (u16 length, UTF-8). */
int nnrp_capability_entry_next(const uint8_t *body, size_t length, size_t *position, nnrp_span *token,
                               nnrp_error *error);

#endif
