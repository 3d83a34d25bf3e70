/* The tensor section table (wire.md 6.4.3): descriptor, codec table, length table and payload of each section. */
#include "body_internal.h"

/* The lengths of the tiles against the payload; they stand in a table of stable bytes. */
static int check_tile_lengths(const nnrp_cut *cut, const nnrp_section *section, nnrp_error *error)
{
    const uint8_t *lengths = section->tables + section->codec_table_bytes;
    const uint32_t count = cut->frame->tile_count;
    const uint64_t lengths_at = (uint64_t)section->tables_span.at + section->codec_table_bytes;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t length = nnrp_load_u32(lengths + 4 * (size_t)i);
        if (section->stride == 0) {
            sum += length;
            continue;
        }
        if (length > section->stride) {
            return nnrp_breach_values(error, NNRP_RULE_SECTION_TILE_WITHIN_STRIDE, lengths_at + 4 * (uint64_t)i,
                                      section->stride, length);
        }
        const uint32_t used = section->payload.at + i * section->stride + length;
        const uint32_t rest = section->stride - length;
        if (nnrp_zeroes(cut->body + used, rest) != rest) {
            return nnrp_breach(error, NNRP_RULE_SECTION_STRIDE_FILLER_IS_ZERO, used);
        }
    }
    if (section->stride == 0 && sum != section->payload.length) {
        return nnrp_breach_values(error, NNRP_RULE_SECTION_LENGTHS_ADD_UP, lengths_at, section->payload.length, sum);
    }
    return NNRP_OK;
}

/* Reads the descriptor at `start`, whose role is above *last_role; all it declares fits into the `left` bytes from
 * there. */
static int read_descriptor(const nnrp_cut *cut, uint32_t start, uint32_t left, int64_t *last_role,
                           nnrp_section *section, nnrp_error *error)
{
    const uint32_t tiles = cut->frame->tile_count;
    const nnrp_layout *layout = &nnrp_layouts[NNRP_L_TENSOR_SECTION_DESCRIPTOR];
    const uint8_t *d;
    int status;
    if (left < NNRP_TENSOR_SECTION_DESCRIPTOR_SIZE) {
        return nnrp_breach_values(error, NNRP_RULE_SECTION_FITS_TABLE, start, NNRP_TENSOR_SECTION_DESCRIPTOR_SIZE,
                                  left);
    }
    d = nnrp_cut_lend(cut, start, NNRP_TENSOR_SECTION_DESCRIPTOR_SIZE);
    if (d == NULL) {
        return NNRP_STOPPED;
    }
    status = nnrp_layout_check(layout, d, NNRP_TENSOR_SECTION_DESCRIPTOR_SIZE, error);
    if (status != NNRP_OK) {
        error->offset += start;
        return status;
    }
    const uint32_t role = nnrp_load_u16(d + NNRP_TENSOR_SECTION_DESCRIPTOR_AT_ROLE_ID);
    if ((int64_t)role <= *last_role) {
        return nnrp_breach_field(error, NNRP_RULE_SECTION_ROLE_ORDER, start, NNRP_L_TENSOR_SECTION_DESCRIPTOR,
                                 NNRP_TENSOR_SECTION_DESCRIPTOR_AT_ROLE_ID, (uint64_t)(*last_role + 1), role);
    }
    *last_role = role;
    section->descriptor = d;
    section->codec_table_bytes = nnrp_load_u32(d + NNRP_TENSOR_SECTION_DESCRIPTOR_AT_CODEC_TABLE_BYTES);
    section->length_table_bytes = nnrp_load_u32(d + NNRP_TENSOR_SECTION_DESCRIPTOR_AT_LENGTH_TABLE_BYTES);
    section->stride = nnrp_load_u32(d + NNRP_TENSOR_SECTION_DESCRIPTOR_AT_PAYLOAD_STRIDE_BYTES);
    section->head.at = start;
    section->head.length = NNRP_TENSOR_SECTION_DESCRIPTOR_SIZE;
    section->payload.length = nnrp_load_u32(d + NNRP_TENSOR_SECTION_DESCRIPTOR_AT_PAYLOAD_BYTES);
    if (section->codec_table_bytes != 0 && section->codec_table_bytes != tiles) {
        return nnrp_breach_field(error, NNRP_RULE_SECTION_CODEC_TABLE, start, NNRP_L_TENSOR_SECTION_DESCRIPTOR,
                                 NNRP_TENSOR_SECTION_DESCRIPTOR_AT_CODEC_TABLE_BYTES, tiles,
                                 section->codec_table_bytes);
    }
    if (section->length_table_bytes != 4 * (uint64_t)tiles) {
        return nnrp_breach_field(error, NNRP_RULE_SECTION_LENGTH_TABLE, start, NNRP_L_TENSOR_SECTION_DESCRIPTOR,
                                 NNRP_TENSOR_SECTION_DESCRIPTOR_AT_LENGTH_TABLE_BYTES, 4 * (uint64_t)tiles,
                                 section->length_table_bytes);
    }
    const uint64_t needed = (uint64_t)NNRP_TENSOR_SECTION_DESCRIPTOR_SIZE + section->codec_table_bytes +
                            section->length_table_bytes + section->payload.length;
    if (needed > left) {
        return nnrp_breach_values(error, NNRP_RULE_SECTION_FITS_TABLE, start, left, needed);
    }
    if (section->stride != 0 && section->payload.length != (uint64_t)section->stride * tiles) {
        return nnrp_breach_field(error, NNRP_RULE_SECTION_STRIDE_TOTAL, start, NNRP_L_TENSOR_SECTION_DESCRIPTOR,
                                 NNRP_TENSOR_SECTION_DESCRIPTOR_AT_PAYLOAD_BYTES, (uint64_t)section->stride * tiles,
                                 section->payload.length);
    }
    section->tables_span.at = start + NNRP_TENSOR_SECTION_DESCRIPTOR_SIZE;
    section->tables_span.length = section->codec_table_bytes + section->length_table_bytes;
    section->payload.at = section->tables_span.at + section->tables_span.length;
    return NNRP_OK;
}

int nnrp_cut_sections(nnrp_cut *cut, nnrp_span table, nnrp_error *error)
{
    uint32_t at = 0;
    int64_t last_role = -1;
    for (uint32_t i = 0; i < cut->frame->section_count; i++) {
        const uint32_t filler = nnrp_padding(at);
        nnrp_section section;
        int status;
        if (filler > table.length - at) {
            return nnrp_breach_values(error, NNRP_RULE_SECTION_FITS_TABLE, table.at + at, filler, table.length - at);
        }
        if (nnrp_zeroes(cut->body + table.at + at, filler) != filler) {
            return nnrp_breach(error, NNRP_RULE_SECTION_FILLER_IS_ZERO, table.at + at);
        }
        at += filler;
        status = read_descriptor(cut, table.at + at, table.length - at, &last_role, &section, error);
        if (status != NNRP_OK) {
            return status;
        }
        section.tables = section.tables_span.length == 0
                             ? cut->body
                             : nnrp_cut_lend(cut, section.tables_span.at, section.tables_span.length);
        if (section.tables == NULL) {
            return NNRP_STOPPED;
        }
        status = check_tile_lengths(cut, &section, error);
        if (status != NNRP_OK) {
            return status;
        }
        if (cut->io != NULL && cut->io->section != NULL && cut->io->section(cut->io->context, &section) != 0) {
            return NNRP_STOPPED;
        }
        at += NNRP_TENSOR_SECTION_DESCRIPTOR_SIZE + section.tables_span.length + section.payload.length;
    }
    if (at != table.length) {
        return nnrp_breach_values(error, NNRP_RULE_SECTION_TABLE_IS_FULL, table.at + at, table.length, at);
    }
    return NNRP_OK;
}
