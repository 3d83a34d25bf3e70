/* The small tables of a body, each against a second reading of its rules or written again from its entries: typed,
 * reference and extension regions, control extensions, capability tokens, UTF-8.
 *
 * Input: which(1) | a(1) | b(2) | other length(2) | the table. a and b as in kit/probe.h. */
#include <string.h>

#include "input.h"
#include "kit/expect.h"
#include "kit/probe.h"
#include "kit/samples.h"
#include "nnrp/utf8.h"

typedef struct table_case {
    const uint8_t *p;
    size_t length;
    uint32_t a, b;
    uint32_t other;
} table_case;

static uint32_t at(const uint8_t *p, size_t offset, unsigned size)
{
    return (uint32_t)sample_load(p + offset, size);
}

static int rows_hold(const table_case *c, uint16_t layout, size_t row)
{
    nnrp_error error;
    for (size_t i = 0; i + row <= c->length; i += row) {
        if (nnrp_layout_check(&nnrp_layouts[layout], c->p + i, row, &error) != NNRP_OK) {
            return 0;
        }
    }
    return c->length % row == 0;
}

/* wire.md section 6.4.5, said once more. */
static int typed_holds(const table_case *c)
{
    const size_t row = NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE;
    uint64_t end = 0;
    uint32_t kinds = 0;
    int good = (c->a & ~NNRP_PAYLOAD_KIND_BITMAP_KNOWN) == 0 && c->length == (uint64_t)c->b * row;
    good = good && rows_hold(c, NNRP_L_TYPED_PAYLOAD_DESCRIPTOR, row);
    for (size_t i = 0; good && i < c->length; i += row) {
        const uint8_t *d = c->p + i;
        const uint32_t profile = at(d, NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PROFILE_ID, 2);
        const uint32_t kind = at(d, NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PAYLOAD_KIND, 1);
        good = kind != NNRP_PAYLOAD_KIND_TENSOR && profile != NNRP_PROFILE_TENSOR &&
               (kind != NNRP_PAYLOAD_KIND_TOKEN_CHUNK || profile == NNRP_PROFILE_TOKEN) &&
               at(d, NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_OFFSET, 4) == end;
        end += at(d, NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_LENGTH, 4);
        kinds |= kind;
    }
    return good && end == c->other && (c->b == 0 || kinds == (c->a & ~NNRP_PAYLOAD_KIND_BITMAP_TENSOR));
}

static void typed(const table_case *c)
{
    nnrp_error error;
    const int status = nnrp_typed_region_check(c->p, c->length, c->other, c->a, c->b, &error);
    expect_documented(status, 0, &error, c->length);
    EXPECT_EQ(status == NNRP_OK, typed_holds(c));
}

/* wire.md section 6.4.4, said once more. */
static int references_hold(const table_case *c)
{
    static const uint32_t kinds[] = {NNRP_CACHE_OBJECT_KIND_CAMERA_BLOCK, NNRP_CACHE_OBJECT_KIND_TILE_INDEX_BLOCK,
                                     NNRP_CACHE_OBJECT_KIND_TENSOR_SECTION_TABLE,
                                     NNRP_CACHE_OBJECT_KIND_PAYLOAD_LAYOUT_TEMPLATE};
    const size_t row = NNRP_OBJECT_REFERENCE_BLOCK_SIZE;
    uint32_t next = 0, mask = 0;
    if (!rows_hold(c, NNRP_L_OBJECT_REFERENCE_BLOCK, row) || (c->b & ~0xfu) != 0 || (c->a == 0) != (c->b == 0)) {
        return 0;
    }
    for (size_t i = 0; i < c->length; i += row) {
        for (uint32_t slot = 0; slot < 4; slot++) {
            if (at(c->p + i, NNRP_OBJECT_REFERENCE_BLOCK_AT_OBJECT_KIND, 2) != kinds[slot]) {
                continue;
            }
            if (slot < next) {
                return 0;
            }
            next = slot + 1;
            mask |= 1u << slot;
        }
    }
    return mask == c->b;
}

static void references(const table_case *c)
{
    nnrp_error error;
    const int status = nnrp_reference_region_check(c->p, c->length, c->a, c->b, &error);
    expect_documented(status, 0, &error, c->length);
    EXPECT_EQ(status == NNRP_OK, references_hold(c));
}

/* wire.md section 9, said once more. */
static int extensions_hold(const table_case *c)
{
    const size_t row = NNRP_EXTENSION_FRAME_DESCRIPTOR_SIZE;
    uint64_t end = 0;
    int good = rows_hold(c, NNRP_L_EXTENSION_FRAME_DESCRIPTOR, row);
    for (size_t i = 0; good && i < c->length; i += row) {
        good = at(c->p + i, NNRP_EXTENSION_FRAME_DESCRIPTOR_AT_PAYLOAD_OFFSET, 4) == end;
        end += at(c->p + i, NNRP_EXTENSION_FRAME_DESCRIPTOR_AT_PAYLOAD_LENGTH, 4);
    }
    return good && end == c->other;
}

static void extensions(const table_case *c)
{
    nnrp_error error;
    const int status = nnrp_extension_region_check(c->p, c->length, c->other, &error);
    expect_documented(status, 0, &error, c->length);
    EXPECT_EQ(status == NNRP_OK, extensions_hold(c));
}

/* Entries one after another, each written again: header, value, zeroes up to a multiple of 8. */
static void control_extensions(const table_case *c)
{
    uint8_t made[INPUT_CAPACITY + 8];
    nnrp_control_extension entry;
    nnrp_error error;
    size_t position = 0, length = 0;
    int status;
    while ((status = nnrp_control_extension_next(c->p, c->length, &position, &entry, &error)) == NNRP_OK) {
        const uint32_t padding = (8 - entry.value_length % 8) % 8;
        EXPECT(entry.at == length && entry.value_at == length + 8);
        EXPECT(entry.value_length <= c->length - entry.value_at);
        nnrp_store_u16(made + length + NNRP_CONTROL_EXTENSION_ENTRY_HEADER_AT_EXT_TYPE, entry.type);
        nnrp_store_u16(made + length + NNRP_CONTROL_EXTENSION_ENTRY_HEADER_AT_EXT_FLAGS, entry.flags);
        nnrp_store_u32(made + length + NNRP_CONTROL_EXTENSION_ENTRY_HEADER_AT_EXT_LEN, entry.value_length);
        memcpy(made + length + 8, c->p + entry.value_at, entry.value_length);
        memset(made + length + 8 + entry.value_length, 0, padding);
        length += 8 + (size_t)entry.value_length + padding;
        EXPECT(position == length);
        EXPECT(entry.layout == NNRP_NONE || nnrp_layouts[entry.layout].size == entry.value_length);
        EXPECT(entry.layout != NNRP_NONE || (entry.flags & NNRP_CONTROL_EXTENSION_FLAGS_CRITICAL) == 0);
    }
    expect_documented(status, NNRP_NEED_MORE, &error, c->length);
    EXPECT(status != NNRP_NEED_MORE || length == c->length);
    EXPECT_BYTES(made, c->p, length);
}

static void capabilities(const table_case *c)
{
    uint8_t made[INPUT_CAPACITY];
    nnrp_span token;
    nnrp_error error;
    size_t position = 0, length = 0;
    int status;
    while ((status = nnrp_capability_entry_next(c->p, c->length, &position, &token, &error)) == NNRP_OK) {
        EXPECT(token.at == length + 2 && token.length <= c->length - token.at);
        EXPECT(nnrp_utf8_valid_prefix(c->p + token.at, token.length) == token.length);
        nnrp_store_u16(made + length, token.length);
        memcpy(made + length + 2, c->p + token.at, token.length);
        length += 2 + (size_t)token.length;
        EXPECT(position == length);
    }
    expect_documented(status, 0, &error, c->length);
    EXPECT_BYTES(made, c->p, length);
}

/* Length of the sequence at p by way of its code point, 0 when it is none (RFC 3629). */
static size_t sequence(const uint8_t *p, size_t left)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t lead = p[0];
    const size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (length < 2 || length > left) {
        return length == 1 ? 1 : 0;
    }
    uint32_t point = lead & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if (p[i] >> 6 != 2) {
            return 0;
        }
        point = point << 6 | (p[i] & 0x3fu);
    }
    return point < least[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? 0 : length;
}

static void utf8(const table_case *c)
{
    const size_t valid = nnrp_utf8_valid_prefix(c->p, c->length);
    size_t counted = 0;
    while (counted < c->length) {
        const size_t step = sequence(c->p + counted, c->length - counted);
        if (step == 0) {
            break;
        }
        counted += step;
    }
    EXPECT(valid == counted);
    /* A text cut short is valid up to the sequence that the cut goes through. */
    const size_t cut = c->b < c->length ? c->b : c->length;
    const size_t before = nnrp_utf8_valid_prefix(c->p, cut);
    EXPECT(before <= cut && before <= valid && (cut > valid || cut - before < 4));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tables[])(const table_case *) = {typed,        references, extensions, control_extensions,
                                                         capabilities, utf8};
    input in = {data, size < INPUT_CAPACITY ? size : INPUT_CAPACITY};
    const uint32_t which = take(&in, 1) % (sizeof tables / sizeof *tables);
    table_case c = {.a = take(&in, 1)};
    c.b = take(&in, 2);
    c.other = take(&in, 2);
    c.p = in.at;
    c.length = in.left;
    tables[which](&c);
    const probe_setting setting = {.a = c.a, .b = c.b, .frame_bytes = c.other, .limit = UINT64_MAX};
    probe_regions(c.p, c.length, &setting);
    return 0;
}
