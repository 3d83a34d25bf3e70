/* Inline objects: the region walked object by object, camera, tile index and tensor sections judged (wire.md 6.4.1 to
 * 6.4.3). Sums are of u32 values in u64, so none can wrap. */
#include "body_internal.h"
#include "nnrp/tile_index.h"

static int check_tile_index(const nnrp_cut *cut, const uint8_t *bytes, uint32_t length, uint32_t at, nnrp_error *error)
{
    const nnrp_body_frame *frame = cut->frame;
    int status = nnrp_tile_index_check(frame->tile_index_mode, bytes, length, frame->tile_count, frame->tile_base_id, error);
    if (status != NNRP_OK) {
        error->offset += at;
    }
    return status;
}

static int take_tile_index(nnrp_cut *cut, nnrp_span payload, nnrp_error *error)
{
    if (payload.length != cut->frame->tile_index_bytes) {
        return nnrp_breach_values(error, NNRP_RULE_TILE_INDEX_LENGTH, payload.at, cut->frame->tile_index_bytes,
                                  payload.length);
    }
    const uint8_t *bytes = payload.length == 0 ? cut->body + payload.at : nnrp_cut_lend(cut, payload.at, payload.length);
    if (bytes == NULL) {
        return NNRP_STOPPED;
    }
    cut->out->tile_index = bytes;
    cut->out->tile_index_span = payload;
    return check_tile_index(cut, bytes, payload.length, payload.at, error);
}

static int take_camera(nnrp_cut *cut, nnrp_span payload, nnrp_error *error)
{
    /* RESULT_PUSH has no camera_bytes to compare with. */
    if (cut->frame->is_submit && payload.length != cut->frame->camera_bytes) {
        return nnrp_breach_values(error, NNRP_RULE_CAMERA_LENGTH, payload.at, cut->frame->camera_bytes, payload.length);
    }
    cut->out->has_camera = 1;
    cut->out->camera = payload;
    return NNRP_OK;
}

static int take_object(nnrp_cut *cut, uint32_t kind, nnrp_span head, nnrp_span payload, nnrp_error *error)
{
    uint32_t slot = nnrp_standard_slot(kind);
    if (slot != 0) {
        /* Slots ascend with the order of the standard kinds, so a bit at or above this one is a breach of order. */
        if (cut->present >= slot) {
            return nnrp_breach_field(error, NNRP_RULE_OBJECT_ORDER, head.at, NNRP_L_INLINE_OBJECT_BLOCK_HEADER,
                                     NNRP_INLINE_OBJECT_BLOCK_HEADER_AT_OBJECT_KIND, 0, kind);
        }
        if ((cut->referenced & slot) != 0) {
            return nnrp_breach_field(error, NNRP_RULE_OBJECT_NOT_REFERENCED_TOO, head.at,
                                     NNRP_L_INLINE_OBJECT_BLOCK_HEADER, NNRP_INLINE_OBJECT_BLOCK_HEADER_AT_OBJECT_KIND,
                                     0, kind);
        }
        cut->present |= slot;
    }
    switch (kind) {
    case NNRP_CACHE_OBJECT_KIND_CAMERA_BLOCK:
        return take_camera(cut, payload, error);
    case NNRP_CACHE_OBJECT_KIND_TILE_INDEX_BLOCK:
        return take_tile_index(cut, payload, error);
    case NNRP_CACHE_OBJECT_KIND_TENSOR_SECTION_TABLE:
        return nnrp_cut_sections(cut, payload, error);
    default:
        return NNRP_OK;
    }
}

/* The object at region offset *at; moves *at past its padding. */
static int next_object(nnrp_cut *cut, uint32_t *at, nnrp_error *error)
{
    const nnrp_span region = cut->out->objects;
    const uint32_t left = region.length - *at;
    const uint32_t start = region.at + *at;
    nnrp_object object;
    int status;
    if (left < NNRP_INLINE_OBJECT_BLOCK_HEADER_SIZE) {
        status = nnrp_layout_check(&nnrp_layouts[NNRP_L_INLINE_OBJECT_BLOCK_HEADER], cut->body + start, left, error);
        error->offset += start;
        return status;
    }
    object.header = nnrp_cut_lend(cut, start, NNRP_INLINE_OBJECT_BLOCK_HEADER_SIZE);
    if (object.header == NULL) {
        return NNRP_STOPPED;
    }
    status = nnrp_layout_check(&nnrp_layouts[NNRP_L_INLINE_OBJECT_BLOCK_HEADER], object.header,
                               NNRP_INLINE_OBJECT_BLOCK_HEADER_SIZE, error);
    if (status != NNRP_OK) {
        error->offset += start;
        return status;
    }
    object.kind = nnrp_load_u16(object.header + NNRP_INLINE_OBJECT_BLOCK_HEADER_AT_OBJECT_KIND);
    object.head.at = start;
    object.head.length = NNRP_INLINE_OBJECT_BLOCK_HEADER_SIZE;
    object.payload.at = start + NNRP_INLINE_OBJECT_BLOCK_HEADER_SIZE;
    object.payload.length = nnrp_load_u32(object.header + NNRP_INLINE_OBJECT_BLOCK_HEADER_AT_OBJECT_BYTES);
    const uint32_t room = left - NNRP_INLINE_OBJECT_BLOCK_HEADER_SIZE;
    const uint32_t pad = nnrp_padding(object.payload.length);
    if ((uint64_t)object.payload.length + pad > room) {
        return nnrp_breach_field(error, NNRP_RULE_OBJECT_FITS_REGION, start, NNRP_L_INLINE_OBJECT_BLOCK_HEADER,
                                 NNRP_INLINE_OBJECT_BLOCK_HEADER_AT_OBJECT_BYTES, room,
                                 (uint64_t)object.payload.length + pad);
    }
    const uint32_t pad_at = object.payload.at + object.payload.length;
    if (nnrp_zeroes(cut->body + pad_at, pad) != pad) {
        return nnrp_breach(error, NNRP_RULE_OBJECT_PADDING_IS_ZERO, pad_at);
    }
    status = take_object(cut, object.kind, object.head, object.payload, error);
    if (status == NNRP_OK && cut->io != NULL && cut->io->object != NULL && cut->io->object(cut->io->context, &object) != 0) {
        status = NNRP_STOPPED;
    }
    *at += NNRP_INLINE_OBJECT_BLOCK_HEADER_SIZE + object.payload.length + pad;
    return status;
}

/* What the metadata declares of parts that are not inline. */
static int check_absent(const nnrp_cut *cut, nnrp_error *error)
{
    const nnrp_body_frame *frame = cut->frame;
    if (!cut->out->has_camera && frame->camera_bytes != 0) {
        return nnrp_breach_values(error, NNRP_RULE_CAMERA_LENGTH, cut->out->objects.at, 0, frame->camera_bytes);
    }
    if ((cut->present & NNRP_SUBMIT_OBJECT_REF_MASK_TENSOR_SECTION_TABLE) == 0 && frame->section_count != 0
        && (cut->referenced & NNRP_SUBMIT_OBJECT_REF_MASK_TENSOR_SECTION_TABLE) == 0) {
        return nnrp_breach_values(error, NNRP_RULE_SECTION_TABLE_PRESENT, cut->out->objects.at, 0, frame->section_count);
    }
    if ((cut->present & NNRP_SUBMIT_OBJECT_REF_MASK_TILE_INDEX_BLOCK) != 0) {
        return NNRP_OK;
    }
    if (frame->tile_index_bytes != 0) {
        return nnrp_breach_values(error, NNRP_RULE_TILE_INDEX_LENGTH, cut->out->objects.at, 0, frame->tile_index_bytes);
    }
    if (frame->tile_index_mode == NNRP_TILE_INDEX_MODE_DENSE_RANGE) {
        return check_tile_index(cut, cut->body, 0, cut->out->objects.at, error);
    }
    return NNRP_OK;
}

int nnrp_cut_objects(nnrp_cut *cut, nnrp_error *error)
{
    uint32_t at = 0;
    while (at < cut->out->objects.length) {
        int status = next_object(cut, &at, error);
        if (status != NNRP_OK) {
            return status;
        }
    }
    return check_absent(cut, error);
}
