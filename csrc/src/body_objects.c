/* Inline objects: the region walked object by object, camera, tile index and tensor sections judged (wire.md 6.4.1 to
 * 6.4.3). Sums are of u32 values in u64, so none can wrap. */
#include "body_internal.h"
#include "nnrp/tile_index.h"

/* The standard parts found inline; judged once the region is walked, in the order of wire.md 6.4.3. */
typedef struct parts {
    nnrp_span camera;
    nnrp_span tile_index;
    nnrp_span section_table;
} parts;

static int has(const nnrp_cut *cut, uint32_t slot)
{
    return (cut->present & slot) != 0;
}

static int note_object(nnrp_cut *cut, const nnrp_object *object, parts *found, nnrp_error *error)
{
    const uint32_t slot = nnrp_standard_slot(object->kind);
    if (slot == 0) {
        return NNRP_OK;
    }
    /* Slots ascend with the order of the standard kinds, so a bit at or above this one is a breach of order. */
    if (cut->present >= slot) {
        return nnrp_breach_field(error, NNRP_RULE_OBJECT_ORDER, object->head.at, NNRP_L_INLINE_OBJECT_BLOCK_HEADER,
                                 NNRP_INLINE_OBJECT_BLOCK_HEADER_AT_OBJECT_KIND, 0, object->kind);
    }
    if ((cut->referenced & slot) != 0) {
        return nnrp_breach_field(error, NNRP_RULE_OBJECT_NOT_REFERENCED_TOO, object->head.at,
                                 NNRP_L_INLINE_OBJECT_BLOCK_HEADER, NNRP_INLINE_OBJECT_BLOCK_HEADER_AT_OBJECT_KIND, 0,
                                 object->kind);
    }
    cut->present |= slot;
    if (slot == NNRP_SUBMIT_OBJECT_REF_MASK_CAMERA_BLOCK) {
        found->camera = object->payload;
    } else if (slot == NNRP_SUBMIT_OBJECT_REF_MASK_TILE_INDEX_BLOCK) {
        found->tile_index = object->payload;
    } else if (slot == NNRP_SUBMIT_OBJECT_REF_MASK_TENSOR_SECTION_TABLE) {
        found->section_table = object->payload;
    }
    return NNRP_OK;
}

/* The object at region offset *at; moves *at past its padding. */
static int next_object(nnrp_cut *cut, uint32_t *at, parts *found, nnrp_error *error)
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
    status = note_object(cut, &object, found, error);
    if (status == NNRP_OK && cut->io != NULL && cut->io->object != NULL &&
        cut->io->object(cut->io->context, &object) != 0) {
        status = NNRP_STOPPED;
    }
    *at += NNRP_INLINE_OBJECT_BLOCK_HEADER_SIZE + object.payload.length + pad;
    return status;
}

/* The lengths and counts that the metadata declares against the parts that are inline; a part that is not has length 0.
 */
static int check_declared(const nnrp_cut *cut, const parts *found, nnrp_error *error)
{
    const nnrp_body_frame *frame = cut->frame;
    const uint32_t objects_at = cut->out->objects.at;
    /* RESULT_PUSH has no camera_bytes to compare with. */
    if (frame->is_submit && found->camera.length != frame->camera_bytes) {
        return nnrp_breach_values(error, NNRP_RULE_CAMERA_LENGTH, found->camera.at != 0 ? found->camera.at : objects_at,
                                  frame->camera_bytes, found->camera.length);
    }
    if (found->tile_index.length != frame->tile_index_bytes) {
        return nnrp_breach_values(error, NNRP_RULE_TILE_INDEX_LENGTH,
                                  found->tile_index.at != 0 ? found->tile_index.at : objects_at,
                                  frame->tile_index_bytes, found->tile_index.length);
    }
    if (frame->section_count != 0 && !has(cut, NNRP_SUBMIT_OBJECT_REF_MASK_TENSOR_SECTION_TABLE) &&
        (cut->referenced & NNRP_SUBMIT_OBJECT_REF_MASK_TENSOR_SECTION_TABLE) == 0) {
        return nnrp_breach_values(error, NNRP_RULE_SECTION_TABLE_PRESENT, objects_at, 0, frame->section_count);
    }
    return NNRP_OK;
}

/* An inline index, or the dense range that needs none. */
static int take_tile_index(nnrp_cut *cut, const nnrp_span *index, nnrp_error *error)
{
    const nnrp_body_frame *frame = cut->frame;
    const int is_inline = has(cut, NNRP_SUBMIT_OBJECT_REF_MASK_TILE_INDEX_BLOCK);
    const uint32_t at = is_inline ? index->at : cut->out->objects.at;
    const uint8_t *bytes = cut->body + at;
    if (!is_inline && frame->tile_index_mode != NNRP_TILE_INDEX_MODE_DENSE_RANGE) {
        return NNRP_OK;
    }
    if (index->length != 0) {
        bytes = nnrp_cut_lend(cut, at, index->length);
        if (bytes == NULL) {
            return NNRP_STOPPED;
        }
    }
    if (is_inline) {
        cut->out->tile_index = bytes;
        cut->out->tile_index_span = *index;
    }
    int status = nnrp_tile_index_check(frame->tile_index_mode, bytes, index->length, frame->tile_count,
                                       frame->tile_base_id, error);
    if (status != NNRP_OK) {
        error->offset += at;
    }
    return status;
}

int nnrp_cut_objects(nnrp_cut *cut, nnrp_error *error)
{
    parts found = {{0, 0}, {0, 0}, {0, 0}};
    uint32_t at = 0;
    int status = NNRP_OK;
    while (status == NNRP_OK && at < cut->out->objects.length) {
        status = next_object(cut, &at, &found, error);
    }
    if (status == NNRP_OK) {
        status = check_declared(cut, &found, error);
    }
    if (status == NNRP_OK) {
        cut->out->has_camera = (uint8_t)has(cut, NNRP_SUBMIT_OBJECT_REF_MASK_CAMERA_BLOCK);
        cut->out->camera = found.camera;
        status = take_tile_index(cut, &found.tile_index, error);
    }
    if (status == NNRP_OK && has(cut, NNRP_SUBMIT_OBJECT_REF_MASK_TENSOR_SECTION_TABLE)) {
        status = nnrp_cut_sections(cut, found.section_table, error);
    }
    return status;
}
