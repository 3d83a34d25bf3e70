/* Regions that are rows of fixed-size entries: references, typed descriptors, extension descriptors; and the two small
 * tables of control extensions and capability tokens. */
#include "body_internal.h"
#include "hot_generated.h"
#include "nnrp/utf8.h"

/* The layout stage of every entry of a region. */
static int check_entries(uint16_t layout, const uint8_t *region, size_t length, nnrp_error *error)
{
    const nnrp_layout *entry = &nnrp_layouts[layout];
    for (size_t at = 0; at < length; at += entry->size) {
        int status = nnrp_layout_check(entry, region + at, length - at, error);
        if (status != NNRP_OK) {
            error->offset += at;
            return status;
        }
    }
    return NNRP_OK;
}

int nnrp_reference_blocks_check(const uint8_t *region, size_t length, nnrp_error *error)
{
    if (length % NNRP_OBJECT_REFERENCE_BLOCK_SIZE != 0) {
        return nnrp_breach_values(error, NNRP_RULE_REFERENCE_REGION_MULTIPLE, 0, NNRP_OBJECT_REFERENCE_BLOCK_SIZE,
                                  length);
    }
    return check_entries(NNRP_L_OBJECT_REFERENCE_BLOCK, region, length, error);
}

int nnrp_reference_region_check(const uint8_t *region, size_t length, uint32_t submit_mode, uint32_t object_ref_mask,
                                nnrp_error *error)
{
    uint32_t seen = 0;
    int status;
    if (length % NNRP_OBJECT_REFERENCE_BLOCK_SIZE != 0) {
        return nnrp_reference_blocks_check(region, length, error);
    }
    if ((object_ref_mask & ~NNRP_SUBMIT_OBJECT_REF_MASK_KNOWN) != 0) {
        return nnrp_breach_values(error, NNRP_RULE_REFERENCE_MASK_IS_KNOWN, 0, NNRP_SUBMIT_OBJECT_REF_MASK_KNOWN,
                                  object_ref_mask);
    }
    status = nnrp_reference_blocks_check(region, length, error);
    if (status != NNRP_OK) {
        return status;
    }
    if ((submit_mode == NNRP_SUBMIT_MODE_INLINE) != (object_ref_mask == 0)) {
        return nnrp_breach_values(error, NNRP_RULE_REFERENCE_MODE, 0, submit_mode, object_ref_mask);
    }
    for (size_t at = 0; at < length; at += NNRP_OBJECT_REFERENCE_BLOCK_SIZE) {
        const uint32_t kind = nnrp_load_u16(region + at + NNRP_OBJECT_REFERENCE_BLOCK_AT_OBJECT_KIND);
        const uint32_t slot = nnrp_standard_slot(kind);
        if (slot == 0) {
            continue;
        }
        if (seen >= slot) {
            return nnrp_breach_field(error, NNRP_RULE_REFERENCE_SLOT_ORDER, at, NNRP_L_OBJECT_REFERENCE_BLOCK,
                                     NNRP_OBJECT_REFERENCE_BLOCK_AT_OBJECT_KIND, 0, kind);
        }
        if ((object_ref_mask & slot) == 0) {
            return nnrp_breach_field(error, NNRP_RULE_REFERENCE_SLOT_LISTED, at, NNRP_L_OBJECT_REFERENCE_BLOCK,
                                     NNRP_OBJECT_REFERENCE_BLOCK_AT_OBJECT_KIND, object_ref_mask, kind);
        }
        seen |= slot;
    }
    if (seen != object_ref_mask) {
        return nnrp_breach_values(error, NNRP_RULE_REFERENCE_MASK_EXACT, 0, object_ref_mask, seen);
    }
    return NNRP_OK;
}

static int typed_breach(nnrp_error *error, uint16_t rule, size_t at, uint16_t field, uint64_t expected, uint64_t found)
{
    return nnrp_breach_field(error, rule, at, NNRP_L_TYPED_PAYLOAD_DESCRIPTOR, field, expected, found);
}

static int check_descriptor(const uint8_t *d, size_t at, uint64_t *end, uint64_t frame_bytes, nnrp_error *error)
{
    const uint32_t profile = nnrp_load_u16(d + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PROFILE_ID);
    const uint32_t kind = d[NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PAYLOAD_KIND];
    const uint32_t offset = nnrp_load_u32(d + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_OFFSET);
    const uint32_t length = nnrp_load_u32(d + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_LENGTH);
    if (kind == NNRP_PAYLOAD_KIND_TENSOR) {
        return typed_breach(error, NNRP_RULE_TYPED_KIND_NOT_TENSOR, at, NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PAYLOAD_KIND,
                            0, kind);
    }
    if (profile == NNRP_PROFILE_TENSOR) {
        return typed_breach(error, NNRP_RULE_TYPED_PROFILE_NOT_TENSOR, at, NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PROFILE_ID,
                            0, profile);
    }
    if (kind == NNRP_PAYLOAD_KIND_TOKEN_CHUNK && profile != NNRP_PROFILE_TOKEN) {
        return typed_breach(error, NNRP_RULE_TYPED_TOKEN_PROFILE, at, NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PROFILE_ID,
                            NNRP_PROFILE_TOKEN, profile);
    }
    if (offset != *end) {
        return typed_breach(error, NNRP_RULE_TYPED_FRAMES_ARE_PACKED, at, NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_OFFSET, *end,
                            offset);
    }
    *end = (uint64_t)offset + length;
    if (*end > UINT32_MAX) {
        return typed_breach(error, NNRP_RULE_TYPED_END_FITS_U32, at, NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_LENGTH,
                            UINT32_MAX, *end);
    }
    if (*end > frame_bytes) {
        return typed_breach(error, NNRP_RULE_TYPED_END_INSIDE_REGION, at, NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_LENGTH,
                            frame_bytes, *end);
    }
    return NNRP_OK;
}

int nnrp_typed_region_check(const uint8_t *descriptors, size_t descriptor_bytes, size_t frame_bytes,
                            uint32_t payload_kind_bitmap, uint32_t payload_frame_count, nnrp_error *error)
{
    const uint64_t needed = (uint64_t)payload_frame_count * NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE;
    uint32_t kinds = 0;
    uint64_t end = 0;
    int status;
    if ((payload_kind_bitmap & ~NNRP_PAYLOAD_KIND_BITMAP_KNOWN) != 0) {
        return nnrp_breach_values(error, NNRP_RULE_TYPED_BITMAP_IS_KNOWN, 0, NNRP_PAYLOAD_KIND_BITMAP_KNOWN,
                                  payload_kind_bitmap);
    }
    if (descriptor_bytes != needed) {
        return nnrp_breach_values(error, NNRP_RULE_TYPED_DESCRIPTOR_BYTES, 0, needed, descriptor_bytes);
    }
    if (payload_frame_count == 0) {
        if (frame_bytes != 0) {
            return nnrp_breach_values(error, NNRP_RULE_TYPED_REGIONS_EMPTY, 0, 0, frame_bytes);
        }
        return NNRP_OK;
    }
    for (size_t at = 0; at < descriptor_bytes; at += NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE) {
        if (nnrp_hot_typed_payload_descriptor_layout(descriptors + at)) {
            continue;
        }
        status = nnrp_layout_check(&nnrp_layouts[NNRP_L_TYPED_PAYLOAD_DESCRIPTOR], descriptors + at,
                                   NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE, error);
        if (status != NNRP_OK) {
            error->offset += at;
            return status;
        }
    }
    for (size_t at = 0; at < descriptor_bytes; at += NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE) {
        status = check_descriptor(descriptors + at, at, &end, frame_bytes, error);
        if (status != NNRP_OK) {
            return status;
        }
        kinds |= descriptors[at + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PAYLOAD_KIND];
    }
    if (end != frame_bytes) {
        return nnrp_breach_values(error, NNRP_RULE_TYPED_FRAMES_FILL_REGION, descriptor_bytes, frame_bytes, end);
    }
    if (kinds != (payload_kind_bitmap & ~NNRP_PAYLOAD_KIND_BITMAP_TENSOR)) {
        return nnrp_breach_values(error, NNRP_RULE_TYPED_KINDS_MATCH_BITMAP, 0,
                                  payload_kind_bitmap & ~NNRP_PAYLOAD_KIND_BITMAP_TENSOR, kinds);
    }
    return NNRP_OK;
}

int nnrp_extension_region_check(const uint8_t *descriptors, size_t descriptor_bytes, size_t payload_bytes,
                                nnrp_error *error)
{
    uint64_t end = 0;
    int status;
    if (descriptor_bytes % NNRP_EXTENSION_FRAME_DESCRIPTOR_SIZE != 0) {
        return nnrp_breach_values(error, NNRP_RULE_PRELUDE_EXTENSION_MULTIPLE, 0, NNRP_EXTENSION_FRAME_DESCRIPTOR_SIZE,
                                  descriptor_bytes);
    }
    status = check_entries(NNRP_L_EXTENSION_FRAME_DESCRIPTOR, descriptors, descriptor_bytes, error);
    for (size_t at = 0; status == NNRP_OK && at < descriptor_bytes; at += NNRP_EXTENSION_FRAME_DESCRIPTOR_SIZE) {
        const uint8_t *d = descriptors + at;
        const uint32_t offset = nnrp_load_u32(d + NNRP_EXTENSION_FRAME_DESCRIPTOR_AT_PAYLOAD_OFFSET);
        const uint32_t length = nnrp_load_u32(d + NNRP_EXTENSION_FRAME_DESCRIPTOR_AT_PAYLOAD_LENGTH);
        if (offset != end) {
            return nnrp_breach_field(error, NNRP_RULE_EXTENSION_PAYLOADS_ARE_PACKED, at,
                                     NNRP_L_EXTENSION_FRAME_DESCRIPTOR,
                                     NNRP_EXTENSION_FRAME_DESCRIPTOR_AT_PAYLOAD_OFFSET, end, offset);
        }
        end = (uint64_t)offset + length;
        if (end > UINT32_MAX) {
            return nnrp_breach_field(error, NNRP_RULE_EXTENSION_END_FITS_U32, at, NNRP_L_EXTENSION_FRAME_DESCRIPTOR,
                                     NNRP_EXTENSION_FRAME_DESCRIPTOR_AT_PAYLOAD_LENGTH, UINT32_MAX, end);
        }
        if (end > payload_bytes) {
            return nnrp_breach_field(error, NNRP_RULE_EXTENSION_END_INSIDE_REGION, at,
                                     NNRP_L_EXTENSION_FRAME_DESCRIPTOR,
                                     NNRP_EXTENSION_FRAME_DESCRIPTOR_AT_PAYLOAD_LENGTH, payload_bytes, end);
        }
    }
    if (status == NNRP_OK && end != payload_bytes) {
        return nnrp_breach_values(error, NNRP_RULE_EXTENSION_PAYLOADS_FILL_REGION, descriptor_bytes, payload_bytes,
                                  end);
    }
    return status;
}

static uint16_t layout_of_extension(uint32_t type)
{
    for (uint16_t i = 0; i < NNRP_LAYOUT_COUNT; i++) {
        if (nnrp_layouts[i].ext_type == type && type != 0) {
            return i;
        }
    }
    return NNRP_NONE;
}

static int check_extension_value(const nnrp_control_extension *e, const uint8_t *block, nnrp_error *error)
{
    if (e->layout == NNRP_NONE) {
        if ((e->flags & NNRP_CONTROL_EXTENSION_FLAGS_CRITICAL) != 0) {
            return nnrp_breach_field(error, NNRP_RULE_CONTROL_EXTENSION_CRITICAL, e->at,
                                     NNRP_L_CONTROL_EXTENSION_ENTRY_HEADER,
                                     NNRP_CONTROL_EXTENSION_ENTRY_HEADER_AT_EXT_TYPE, 0, e->type);
        }
        return NNRP_OK;
    }
    const nnrp_layout *layout = &nnrp_layouts[e->layout];
    if (e->value_length != layout->size) {
        return nnrp_breach_field(error, NNRP_RULE_CONTROL_EXTENSION_LENGTH, e->at,
                                 NNRP_L_CONTROL_EXTENSION_ENTRY_HEADER, NNRP_CONTROL_EXTENSION_ENTRY_HEADER_AT_EXT_LEN,
                                 layout->size, e->value_length);
    }
    int status = nnrp_layout_check(layout, block + e->value_at, e->value_length, error);
    if (status != NNRP_OK) {
        error->offset += e->value_at;
    }
    return status;
}

int nnrp_control_extension_next(const uint8_t *block, size_t length, size_t *position, nnrp_control_extension *out,
                                nnrp_error *error)
{
    const size_t at = *position;
    const size_t left = length - at;
    const uint8_t *p = block + at;
    int status;
    if (left == 0) {
        return NNRP_NEED_MORE;
    }
    if (left < NNRP_CONTROL_EXTENSION_ENTRY_HEADER_SIZE) {
        return nnrp_breach_values(error, NNRP_RULE_CONTROL_EXTENSION_FITS_BLOCK, at,
                                  NNRP_CONTROL_EXTENSION_ENTRY_HEADER_SIZE, left);
    }
    status = nnrp_layout_check(&nnrp_layouts[NNRP_L_CONTROL_EXTENSION_ENTRY_HEADER], p, left, error);
    if (status != NNRP_OK) {
        error->offset += at;
        return status;
    }
    out->at = (uint32_t)at;
    out->value_at = (uint32_t)at + NNRP_CONTROL_EXTENSION_ENTRY_HEADER_SIZE;
    out->value_length = nnrp_load_u32(p + NNRP_CONTROL_EXTENSION_ENTRY_HEADER_AT_EXT_LEN);
    out->type = (uint16_t)nnrp_load_u16(p + NNRP_CONTROL_EXTENSION_ENTRY_HEADER_AT_EXT_TYPE);
    out->flags = (uint16_t)nnrp_load_u16(p + NNRP_CONTROL_EXTENSION_ENTRY_HEADER_AT_EXT_FLAGS);
    out->layout = layout_of_extension(out->type);
    const size_t room = left - NNRP_CONTROL_EXTENSION_ENTRY_HEADER_SIZE;
    const uint32_t pad = nnrp_padding(out->value_length);
    if ((uint64_t)out->value_length + pad > room) {
        return nnrp_breach_field(error, NNRP_RULE_CONTROL_EXTENSION_FITS_BLOCK, at,
                                 NNRP_L_CONTROL_EXTENSION_ENTRY_HEADER, NNRP_CONTROL_EXTENSION_ENTRY_HEADER_AT_EXT_LEN,
                                 room, (uint64_t)out->value_length + pad);
    }
    if (nnrp_zeroes(block + out->value_at + out->value_length, pad) != pad) {
        return nnrp_breach(error, NNRP_RULE_CONTROL_EXTENSION_PADDING_IS_ZERO,
                           (uint64_t)out->value_at + out->value_length);
    }
    *position = at + NNRP_CONTROL_EXTENSION_ENTRY_HEADER_SIZE + out->value_length + pad;
    return check_extension_value(out, block, error);
}

int nnrp_capability_entry_next(const uint8_t *body, size_t length, size_t *position, nnrp_span *token,
                               nnrp_error *error)
{
    const size_t at = *position;
    const size_t left = length - at;
    if (left < 2) {
        return nnrp_breach_values(error, NNRP_RULE_CAPABILITY_ENTRY_FITS_BODY, at, 2, left);
    }
    token->at = (uint32_t)(at + 2);
    token->length = nnrp_load_u16(body + at);
    if (token->length > left - 2) {
        return nnrp_breach_values(error, NNRP_RULE_CAPABILITY_ENTRY_FITS_BODY, at, left - 2, token->length);
    }
    const size_t valid = nnrp_utf8_valid_prefix(body + token->at, token->length);
    if (valid != token->length) {
        return nnrp_breach(error, NNRP_RULE_CAPABILITY_ENTRY_IS_UTF8, token->at + (uint64_t)valid);
    }
    *position = at + 2 + token->length;
    return NNRP_OK;
}
