/* The prelude, the order of the regions, and what ties them together. Inline objects stand in body_objects.c, the
 * regions of fixed-size entries in body_regions.c. */
#include "nnrp/body.h"

#include <string.h>

#include "body_internal.h"
#include "hot_generated.h"

void nnrp_body_frame_of_submit(nnrp_body_frame *frame, const uint8_t *m)
{
    frame->payload_kind_bitmap = nnrp_load_u32(m + NNRP_FRAME_SUBMIT_AT_PAYLOAD_KIND_BITMAP);
    frame->tile_base_id = nnrp_load_u32(m + NNRP_FRAME_SUBMIT_AT_TILE_BASE_ID);
    frame->tile_index_bytes = nnrp_load_u32(m + NNRP_FRAME_SUBMIT_AT_TILE_INDEX_BYTES);
    frame->camera_bytes = nnrp_load_u32(m + NNRP_FRAME_SUBMIT_AT_CAMERA_BYTES);
    frame->object_ref_mask = nnrp_load_u32(m + NNRP_FRAME_SUBMIT_AT_OBJECT_REF_MASK);
    frame->tile_count = nnrp_load_u16(m + NNRP_FRAME_SUBMIT_AT_TILE_COUNT);
    frame->section_count = nnrp_load_u16(m + NNRP_FRAME_SUBMIT_AT_SECTION_COUNT);
    frame->payload_frame_count = nnrp_load_u16(m + NNRP_FRAME_SUBMIT_AT_PAYLOAD_FRAME_COUNT);
    frame->tile_index_mode = m[NNRP_FRAME_SUBMIT_AT_TILE_INDEX_MODE];
    frame->submit_mode = m[NNRP_FRAME_SUBMIT_AT_SUBMIT_MODE];
    frame->is_submit = 1;
}

void nnrp_body_frame_of_result(nnrp_body_frame *frame, const uint8_t *m)
{
    memset(frame, 0, sizeof *frame);
    frame->payload_kind_bitmap = nnrp_load_u32(m + NNRP_RESULT_PUSH_AT_PAYLOAD_KIND_BITMAP);
    frame->tile_base_id = nnrp_load_u32(m + NNRP_RESULT_PUSH_AT_TILE_BASE_ID);
    frame->tile_index_bytes = nnrp_load_u32(m + NNRP_RESULT_PUSH_AT_TILE_INDEX_BYTES);
    frame->tile_count = nnrp_load_u16(m + NNRP_RESULT_PUSH_AT_TILE_COUNT);
    frame->section_count = nnrp_load_u16(m + NNRP_RESULT_PUSH_AT_SECTION_COUNT);
    frame->payload_frame_count = nnrp_load_u16(m + NNRP_RESULT_PUSH_AT_PAYLOAD_FRAME_COUNT);
    /* RESULT_PUSH names no mode: the index is raw_u16 when it has bytes, else the dense range (wire.md 6.2). */
    frame->tile_index_mode =
        frame->tile_index_bytes != 0 ? NNRP_TILE_INDEX_MODE_RAW_U16 : NNRP_TILE_INDEX_MODE_DENSE_RANGE;
}

static int cut_prelude(const nnrp_body_frame *frame, const uint8_t *p, uint32_t body_len, nnrp_body *out,
                       nnrp_error *error)
{
    static const uint16_t at[6] = {
        NNRP_BODY_REGION_PRELUDE_AT_INLINE_OBJECT_BYTES,
        NNRP_BODY_REGION_PRELUDE_AT_OBJECT_REFERENCE_BYTES,
        NNRP_BODY_REGION_PRELUDE_AT_TYPED_PAYLOAD_DESCRIPTOR_BYTES,
        NNRP_BODY_REGION_PRELUDE_AT_TYPED_PAYLOAD_FRAME_BYTES,
        NNRP_BODY_REGION_PRELUDE_AT_EXTENSION_DESCRIPTOR_BYTES,
        NNRP_BODY_REGION_PRELUDE_AT_EXTENSION_PAYLOAD_BYTES,
    };
    nnrp_span *const regions[6] = {
        &out->objects,           &out->references, &out->descriptors, &out->frames, &out->extension_descriptors,
        &out->extension_payloads};
    uint64_t sum = 0;
    int status = NNRP_OK;
    if (!nnrp_hot_body_region_prelude_layout(p)) {
        status = nnrp_layout_check(&nnrp_layouts[NNRP_L_BODY_REGION_PRELUDE], p, NNRP_BODY_REGION_PRELUDE_SIZE, error);
    }
    for (unsigned i = 0; i < 6; i++) {
        regions[i]->at = (uint32_t)(NNRP_BODY_REGION_PRELUDE_SIZE + sum);
        regions[i]->length = nnrp_load_u32(p + at[i]);
        sum += regions[i]->length;
    }
    /* An overflow comes before every rule about the lengths, the multiple of 24 of the layout stage included; a breach
     * of a reserved field says that this is no prelude at all and comes before both. */
    if (sum > UINT32_MAX && (status == NNRP_OK || status == NNRP_E_INVALID_PROTOCOL_COMBINATION)) {
        status = nnrp_breach_values(error, NNRP_RULE_PRELUDE_SUM_FITS_U32, 0, UINT32_MAX, sum);
    }
    if (status != NNRP_OK) {
        return status;
    }
    if (out->descriptors.length != (uint64_t)frame->payload_frame_count * NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE) {
        return nnrp_breach_field(error, NNRP_RULE_PRELUDE_DESCRIPTOR_BYTES, 0, NNRP_L_BODY_REGION_PRELUDE, at[2],
                                 (uint64_t)frame->payload_frame_count * NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE,
                                 out->descriptors.length);
    }
    if (out->extension_descriptors.length % NNRP_EXTENSION_FRAME_DESCRIPTOR_SIZE != 0) {
        return nnrp_breach_field(error, NNRP_RULE_PRELUDE_EXTENSION_MULTIPLE, 0, NNRP_L_BODY_REGION_PRELUDE, at[4],
                                 NNRP_EXTENSION_FRAME_DESCRIPTOR_SIZE, out->extension_descriptors.length);
    }
    if (out->descriptors.length == 0 && out->frames.length != 0) {
        return nnrp_breach_field(error, NNRP_RULE_PRELUDE_FRAMES_NEED_DESCRIPTORS, 0, NNRP_L_BODY_REGION_PRELUDE, at[3],
                                 0, out->frames.length);
    }
    if (out->extension_descriptors.length == 0 && out->extension_payloads.length != 0) {
        return nnrp_breach_field(error, NNRP_RULE_PRELUDE_EXTENSIONS_NEED_DESCRIPTORS, 0, NNRP_L_BODY_REGION_PRELUDE,
                                 at[5], 0, out->extension_payloads.length);
    }
    if (sum + NNRP_BODY_REGION_PRELUDE_SIZE != body_len) {
        return nnrp_breach_values(error, NNRP_RULE_PRELUDE_TOTAL, 0, sum + NNRP_BODY_REGION_PRELUDE_SIZE, body_len);
    }
    return NNRP_OK;
}

/* Stable bytes of a whole region; an empty region needs none. */
static int lend_region(const nnrp_cut *cut, nnrp_span region, const uint8_t **bytes)
{
    *bytes = region.length == 0 ? cut->body : nnrp_cut_lend(cut, region.at, region.length);
    return *bytes == NULL ? NNRP_STOPPED : NNRP_OK;
}

static int inside(int status, nnrp_span region, nnrp_error *error)
{
    if (status < 0) {
        error->offset += region.at;
    }
    return status;
}

/* What the reference region names among the standard parts, as bits of submit_object_ref_mask. */
static uint32_t referenced_slots(const uint8_t *region, uint32_t length)
{
    uint32_t slots = 0;
    for (uint32_t at = 0; at < length; at += NNRP_OBJECT_REFERENCE_BLOCK_SIZE) {
        slots |= nnrp_standard_slot(nnrp_load_u16(region + at + NNRP_OBJECT_REFERENCE_BLOCK_AT_OBJECT_KIND));
    }
    return slots;
}

static int cut_references(nnrp_cut *cut, nnrp_error *error)
{
    const nnrp_body_frame *frame = cut->frame;
    nnrp_body *out = cut->out;
    int status = lend_region(cut, out->references, &out->reference_bytes);
    if (status != NNRP_OK) {
        return status;
    }
    if (frame->is_submit) {
        status = nnrp_reference_region_check(out->reference_bytes, out->references.length, frame->submit_mode,
                                             frame->object_ref_mask, error);
    } else {
        status = nnrp_reference_blocks_check(out->reference_bytes, out->references.length, error);
    }
    if (status == NNRP_OK) {
        cut->referenced = referenced_slots(out->reference_bytes, out->references.length);
    }
    return inside(status, out->references, error);
}

static int cut_fixed_regions(nnrp_cut *cut, nnrp_error *error)
{
    nnrp_body *out = cut->out;
    int status = lend_region(cut, out->descriptors, &out->descriptor_bytes);
    if (status == NNRP_OK) {
        status =
            inside(nnrp_typed_region_check(out->descriptor_bytes, out->descriptors.length, out->frames.length,
                                           cut->frame->payload_kind_bitmap, cut->frame->payload_frame_count, error),
                   out->descriptors, error);
    }
    if (status == NNRP_OK) {
        status = lend_region(cut, out->extension_descriptors, &out->extension_descriptor_bytes);
    }
    if (status == NNRP_OK && out->extension_descriptors.length != 0) {
        status = inside(nnrp_extension_region_check(out->extension_descriptor_bytes, out->extension_descriptors.length,
                                                    out->extension_payloads.length, error),
                        out->extension_descriptors, error);
    }
    return status;
}

int nnrp_body_cut(const nnrp_body_frame *frame, const uint8_t *body, uint32_t body_len, const nnrp_body_io *io,
                  nnrp_body *out, nnrp_error *error)
{
    nnrp_cut cut = {frame, body, io, out, 0, 0};
    int status;
    memset(out, 0, sizeof *out);
    if (body_len == 0 && !frame->is_submit) {
        if (frame->payload_kind_bitmap != 0 || frame->payload_frame_count != 0) {
            return nnrp_breach(error, NNRP_RULE_EMPTY_RESULT_DECLARES_NOTHING, 0);
        }
        return NNRP_OK;
    }
    if (body_len < NNRP_BODY_REGION_PRELUDE_SIZE) {
        return nnrp_layout_check(&nnrp_layouts[NNRP_L_BODY_REGION_PRELUDE], body, body_len, error);
    }
    out->prelude = nnrp_cut_lend(&cut, 0, NNRP_BODY_REGION_PRELUDE_SIZE);
    if (out->prelude == NULL) {
        return NNRP_STOPPED;
    }
    status = cut_prelude(frame, out->prelude, body_len, out, error);
    /* References first: an inline part must not be one that a reference names too. */
    if (status == NNRP_OK) {
        status = cut_references(&cut, error);
    }
    if (status == NNRP_OK) {
        status = nnrp_cut_objects(&cut, error);
    }
    if (status == NNRP_OK) {
        status = cut_fixed_regions(&cut, error);
    }
    return status;
}
