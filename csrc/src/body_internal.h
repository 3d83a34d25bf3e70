/* What the files of the body cut share among themselves. */
#ifndef NNRP_BODY_INTERNAL_H
#define NNRP_BODY_INTERNAL_H

#include "nnrp/body.h"

typedef struct nnrp_cut {
    const nnrp_body_frame *frame;
    const uint8_t *body;
    const nnrp_body_io *io;
    nnrp_body *out;
    uint32_t referenced; /* standard parts named by the reference region, as submit_object_ref_mask bits */
    uint32_t present;    /* standard parts that are inline */
} nnrp_cut;

static inline const uint8_t *nnrp_cut_lend(const nnrp_cut *cut, uint32_t at, uint32_t length)
{
    if (cut->io == NULL || cut->io->lend == NULL) {
        return cut->body + at;
    }
    return cut->io->lend(cut->io->context, at, length);
}

/* The mask bit of a standard kind (camera, tile index, section table, layout template), 0 for any other kind. */
static inline uint32_t nnrp_standard_slot(uint32_t kind)
{
    switch (kind) {
    case NNRP_CACHE_OBJECT_KIND_CAMERA_BLOCK:
        return NNRP_SUBMIT_OBJECT_REF_MASK_CAMERA_BLOCK;
    case NNRP_CACHE_OBJECT_KIND_TILE_INDEX_BLOCK:
        return NNRP_SUBMIT_OBJECT_REF_MASK_TILE_INDEX_BLOCK;
    case NNRP_CACHE_OBJECT_KIND_TENSOR_SECTION_TABLE:
        return NNRP_SUBMIT_OBJECT_REF_MASK_TENSOR_SECTION_TABLE;
    case NNRP_CACHE_OBJECT_KIND_PAYLOAD_LAYOUT_TEMPLATE:
        return NNRP_SUBMIT_OBJECT_REF_MASK_PAYLOAD_LAYOUT_TEMPLATE;
    default:
        return 0;
    }
}

int nnrp_reference_blocks_check(const uint8_t *region, size_t length, nnrp_error *error);
int nnrp_cut_objects(nnrp_cut *cut, nnrp_error *error);
int nnrp_cut_sections(nnrp_cut *cut, nnrp_span table, nnrp_error *error);

static inline uint32_t nnrp_padding(uint32_t length)
{
    return (NNRP_BLOCK_ALIGNMENT - length % NNRP_BLOCK_ALIGNMENT) % NNRP_BLOCK_ALIGNMENT;
}

/* Offset of the first byte that is not zero, or length. Strides may hold megabytes of filler, so by words. */
static inline uint32_t nnrp_zeroes(const uint8_t *p, uint32_t length)
{
    uint32_t i = 0;
    while (length - i >= 8 && nnrp_load_u64(p + i) == 0) {
        i += 8;
    }
    while (i < length && p[i] == 0) {
        i++;
    }
    return i;
}

#endif
