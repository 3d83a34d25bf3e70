/* body_sections.c: the tensor section table (wire.md 6.4.3). */
#include <string.h>

#include "kit/bodies.h"
#include "kit/expect.h"

#define AT (NNRP_BODY_REGION_PRELUDE_SIZE + NNRP_INLINE_OBJECT_BLOCK_HEADER_SIZE) /* where the table begins */

#define D(field) NNRP_TENSOR_SECTION_DESCRIPTOR_AT_##field

static const uint32_t packed[4] = {3, 0, 1, 9};
static const uint32_t strided[4] = {8, 0, 1, 8};
static const uint8_t codecs[4] = {1, 2, 2, 3};

static piece table;

static void begin(void)
{
    table.length = 0;
}

/* A submit of tiles with the table that stands in `table`. */
static body_parts *submit(uint32_t tiles, uint32_t sections)
{
    static body_parts parts;
    memset(&parts, 0, sizeof parts);
    parts.frame.is_submit = 1;
    parts.frame.payload_kind_bitmap = NNRP_PAYLOAD_KIND_TENSOR;
    parts.frame.tile_index_mode = NNRP_TILE_INDEX_MODE_RAW_U16;
    parts.frame.tile_count = tiles;
    parts.frame.section_count = sections;
    add_object(&parts.objects, NNRP_CACHE_OBJECT_KIND_TENSOR_SECTION_TABLE, table.bytes, table.length);
    return &parts;
}

static void test_all_shapes_of_sections(void)
{
    for (unsigned shape = 0; shape < 4; shape++) {
        for (uint32_t tiles = 0; tiles <= 4; tiles++) {
            /* A table that is not empty needs tiles to be about (check 4 of the descriptor). */
            const int mixed = (shape & 1) != 0, fixed = (shape & 2) != 0;
            begin();
            add_section(&table, 0, tiles, fixed ? strided : packed, fixed ? 8 : 0, mixed ? codecs : NULL);
            add_section(&table, 3, tiles, packed, 9, NULL);
            expect_about("shape %u, %u tiles", shape, tiles);
            if (mixed && tiles == 0) {
                expect_layout_breach(submit(tiles, 2), NNRP_E_INVALID_PROTOCOL_COMBINATION,
                                     NNRP_L_TENSOR_SECTION_DESCRIPTOR, AT + D(CODEC_TABLE_BYTES));
            } else {
                expect_accepted(submit(tiles, 2));
            }
        }
    }
}

static void test_filler_before_a_section(void)
{
    for (uint32_t length = 1; length <= 8; length++) {
        begin();
        add_section(&table, 1, 1, &length, 0, NULL);
        const uint32_t end = table.length;
        add_section(&table, 2, 1, packed, 0, NULL);
        expect_about("a section that ends at %u", end);
        expect_accepted(submit(1, 2));
        for (uint32_t at = end; at < (end + 7) / 8 * 8; at++) {
            table.bytes[at] = 1;
            expect_breach(submit(1, 2), NNRP_RULE_SECTION_FILLER_IS_ZERO, AT + end);
            table.bytes[at] = 0;
        }
        /* The table ends inside the filler. */
        for (uint32_t at = end; at < (end + 7) / 8 * 8; at++) {
            table.length = at;
            const nnrp_error *error = expect_breach(submit(1, 2), NNRP_RULE_SECTION_FITS_TABLE, AT + end);
            EXPECT_EQ(error->found, at - end);
        }
    }
}

static void test_no_filler_after_the_last_section(void)
{
    begin();
    add_section(&table, 1, 4, packed, 0, NULL);
    const uint32_t end = table.length;
    add_zeroes(&table, 3);
    expect_breach(submit(4, 1), NNRP_RULE_SECTION_TABLE_IS_FULL, AT + end);
}

static void test_section_count(void)
{
    begin();
    add_section(&table, 1, 4, packed, 0, NULL);
    const uint32_t end = table.length;
    add_section(&table, 2, 4, packed, 0, NULL);
    const uint32_t last = table.length;
    expect_breach(submit(4, 0), NNRP_RULE_SECTION_TABLE_IS_FULL, AT);
    expect_breach(submit(4, 1), NNRP_RULE_SECTION_TABLE_IS_FULL, AT + end);
    expect_breach(submit(4, 3), NNRP_RULE_SECTION_FITS_TABLE, AT + last);
    expect_breach(submit(4, 65535), NNRP_RULE_SECTION_FITS_TABLE, AT + last);
    begin();
    expect_about("no sections");
    expect_accepted(submit(4, 0));
    expect_breach(submit(4, 1), NNRP_RULE_SECTION_FITS_TABLE, AT);
}

static void test_a_descriptor_cut_short(void)
{
    for (uint32_t left = 1; left < 32; left++) {
        begin();
        const uint32_t first = add_section(&table, 1, 1, (const uint32_t[]){4}, 0, NULL);
        EXPECT_EQ(first, 0);
        EXPECT_EQ(table.length % 8, 0);
        const uint32_t end = table.length;
        add_zeroes(&table, left);
        expect_breach(submit(1, 2), NNRP_RULE_SECTION_FITS_TABLE, AT + end);
    }
}

static void test_descriptor_rules(void)
{
    static const struct {
        uint32_t at, value;
        int status;
        uint32_t field;
    } cases[] = {
        {D(RESERVED), 1, NNRP_E_NON_ZERO_RESERVED_FIELD, D(RESERVED)},
        {D(SECTION_FLAGS), 4, NNRP_E_INVALID_PROTOCOL_COMBINATION, D(SECTION_FLAGS)},
        {D(SECTION_FLAGS), 1, NNRP_E_INVALID_PROTOCOL_COMBINATION, D(CODEC_TABLE_BYTES)},
        {D(CODEC_TABLE_BYTES), 4, NNRP_E_INVALID_PROTOCOL_COMBINATION, D(CODEC_TABLE_BYTES)},
        {D(SECTION_FLAGS), 2, NNRP_E_INVALID_PROTOCOL_COMBINATION, D(PAYLOAD_STRIDE_BYTES)},
        {D(PAYLOAD_STRIDE_BYTES), 1, NNRP_E_INVALID_PROTOCOL_COMBINATION, D(PAYLOAD_STRIDE_BYTES)},
        {D(LENGTH_TABLE_BYTES), 15, NNRP_E_INVALID_PROTOCOL_COMBINATION, D(LENGTH_TABLE_BYTES)},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        add_section(&table, 1, 4, packed, 0, NULL);
        const uint32_t second = add_section(&table, 2, 4, packed, 0, NULL);
        (cases[i].at == D(SECTION_FLAGS) ? put_u16 : put_u32)(table.bytes + second + cases[i].at, cases[i].value);
        expect_layout_breach(submit(4, 2), cases[i].status, NNRP_L_TENSOR_SECTION_DESCRIPTOR,
                             AT + second + cases[i].field);
    }
}

static void test_roles_ascend(void)
{
    static const uint32_t roles[] = {0, 1, 2, 0x7fff, 0x8000, 0xffff};
    for (unsigned first = 0; first < 6; first++) {
        for (unsigned second = 0; second < 6; second++) {
            begin();
            add_section(&table, roles[first], 1, packed, 0, NULL);
            const uint32_t at = add_section(&table, roles[second], 1, packed, 0, NULL);
            expect_about("role %#x, then %#x", roles[first], roles[second]);
            if (first < second) {
                expect_accepted(submit(1, 2));
            } else {
                const nnrp_error *error =
                    expect_breach(submit(1, 2), NNRP_RULE_SECTION_ROLE_ORDER, AT + at + D(ROLE_ID));
                EXPECT_EQ(error->expected, roles[first] + 1);
                EXPECT_EQ(error->found, roles[second]);
            }
        }
    }
}

static void test_table_sizes(void)
{
    static const uint32_t lies[] = {0, 4, 12, 20, 0x80000000u, 0xfffffffcu};
    begin();
    add_section(&table, 1, 4, packed, 0, NULL);
    for (unsigned i = 0; i < sizeof lies / sizeof *lies; i++) {
        put_u32(table.bytes + D(LENGTH_TABLE_BYTES), lies[i]);
        const nnrp_error *error =
            expect_breach(submit(4, 1), NNRP_RULE_SECTION_LENGTH_TABLE, AT + D(LENGTH_TABLE_BYTES));
        EXPECT_EQ(error->expected, 16);
        EXPECT_EQ(error->found, lies[i]);
    }
    begin();
    add_section(&table, 1, 4, packed, 0, codecs);
    for (uint32_t lie = 1; lie < 9; lie++) {
        put_u32(table.bytes + D(CODEC_TABLE_BYTES), lie);
        if (lie != 4) {
            expect_breach(submit(4, 1), NNRP_RULE_SECTION_CODEC_TABLE, AT + D(CODEC_TABLE_BYTES));
        }
    }
    put_u32(table.bytes + D(CODEC_TABLE_BYTES), UINT32_MAX);
    expect_breach(submit(4, 1), NNRP_RULE_SECTION_CODEC_TABLE, AT + D(CODEC_TABLE_BYTES));
}

static void test_a_section_that_leaves_the_table(void)
{
    static const uint32_t lies[] = {14, 15, 0x7fffffffu, 0xffffffd0u, 0xffffffffu};
    for (unsigned i = 0; i < sizeof lies / sizeof *lies; i++) {
        begin();
        add_section(&table, 1, 4, packed, 0, NULL);
        put_u32(table.bytes + D(PAYLOAD_BYTES), lies[i]);
        expect_breach(submit(4, 1), NNRP_RULE_SECTION_FITS_TABLE, AT);
    }
    for (uint32_t missing = 1; missing <= 33; missing++) { /* payload, then length table, then codec table */
        begin();
        add_section(&table, 1, 4, packed, 0, codecs);
        const uint32_t whole = table.length;
        table.length -= missing;
        const nnrp_error *error = expect_breach(submit(4, 1), NNRP_RULE_SECTION_FITS_TABLE, AT);
        EXPECT_EQ(error->expected, table.length);
        EXPECT_EQ(error->found, whole);
    }
}

static void test_fixed_stride(void)
{
    begin();
    add_section(&table, 1, 4, strided, 8, NULL);
    const uint32_t lengths_at = 32, payload_at = 48;
    expect_about("fixed stride");
    expect_accepted(submit(4, 1));
    /* One byte too many for a tile. */
    put_u32(table.bytes + lengths_at + 4 * 3, 9);
    expect_breach(submit(4, 1), NNRP_RULE_SECTION_TILE_WITHIN_STRIDE, AT + lengths_at + 4 * 3);
    put_u32(table.bytes + lengths_at + 4 * 3, UINT32_MAX);
    expect_breach(submit(4, 1), NNRP_RULE_SECTION_TILE_WITHIN_STRIDE, AT + lengths_at + 4 * 3);
    put_u32(table.bytes + lengths_at + 4 * 3, 8);
    /* Each byte of the rest of each stride. */
    for (uint32_t tile = 0; tile < 4; tile++) {
        for (uint32_t at = strided[tile]; at < 8; at++) {
            table.bytes[payload_at + 8 * tile + at] = 1;
            expect_breach(submit(4, 1), NNRP_RULE_SECTION_STRIDE_FILLER_IS_ZERO,
                          AT + payload_at + 8 * tile + strided[tile]);
            table.bytes[payload_at + 8 * tile + at] = 0;
        }
    }
    put_u32(table.bytes + D(PAYLOAD_STRIDE_BYTES), 7);
    expect_breach(submit(4, 1), NNRP_RULE_SECTION_STRIDE_TOTAL, AT + D(PAYLOAD_BYTES));
    /* 0x40000008 x 4 is 32 in 32 bits. */
    put_u32(table.bytes + D(PAYLOAD_STRIDE_BYTES), 0x40000008u);
    expect_breach(submit(4, 1), NNRP_RULE_SECTION_STRIDE_TOTAL, AT + D(PAYLOAD_BYTES));
    put_u32(table.bytes + D(PAYLOAD_STRIDE_BYTES), 8);
    put_u32(table.bytes + D(PAYLOAD_BYTES), 31);
    expect_breach(submit(4, 1), NNRP_RULE_SECTION_STRIDE_TOTAL, AT + D(PAYLOAD_BYTES));
}

static void test_packed_lengths_add_up(void)
{
    begin();
    add_section(&table, 1, 4, packed, 0, codecs);
    const uint32_t lengths_at = 36;
    for (unsigned tile = 0; tile < 4; tile++) {
        put_u32(table.bytes + lengths_at + 4 * tile, packed[tile] + 1);
        expect_breach(submit(4, 1), NNRP_RULE_SECTION_LENGTHS_ADD_UP, AT + lengths_at);
        put_u32(table.bytes + lengths_at + 4 * tile, packed[tile]);
    }
    /* 4 x 0x40000000 is 0 in 32 bits. */
    begin();
    add_section(&table, 1, 4, (const uint32_t[]){0, 0, 0, 0}, 0, NULL);
    for (unsigned tile = 0; tile < 4; tile++) {
        put_u32(table.bytes + 32 + 4 * tile, 0x40000000u);
    }
    expect_breach(submit(4, 1), NNRP_RULE_SECTION_LENGTHS_ADD_UP, AT + 32);
}

/* wire.md 6.4.3 lists the rules of a section in order; a section that breaks all of them reports the first. */
static void test_rules_of_a_section_run_in_order(void)
{
    const uint32_t first = 0;
    uint32_t second;
    begin();
    add_section(&table, 5, 4, packed, 0, codecs);
    second = add_section(&table, 5, 4, packed, 0, codecs); /* role_id is not above the previous one */
    EXPECT(second > first);
    put_u32(table.bytes + second + D(CODEC_TABLE_BYTES), 3);
    put_u32(table.bytes + second + D(LENGTH_TABLE_BYTES), 12);
    put_u32(table.bytes + second + D(PAYLOAD_BYTES), 4000);
    expect_breach(submit(4, 2), NNRP_RULE_SECTION_ROLE_ORDER, AT + second + D(ROLE_ID));
    put_u16(table.bytes + second + D(ROLE_ID), 6);
    expect_breach(submit(4, 2), NNRP_RULE_SECTION_CODEC_TABLE, AT + second + D(CODEC_TABLE_BYTES));
    put_u32(table.bytes + second + D(CODEC_TABLE_BYTES), 4);
    expect_breach(submit(4, 2), NNRP_RULE_SECTION_LENGTH_TABLE, AT + second + D(LENGTH_TABLE_BYTES));
    put_u32(table.bytes + second + D(LENGTH_TABLE_BYTES), 16);
    expect_breach(submit(4, 2), NNRP_RULE_SECTION_FITS_TABLE, AT + second);
}

int main(void)
{
    test_all_shapes_of_sections();
    test_filler_before_a_section();
    test_no_filler_after_the_last_section();
    test_section_count();
    test_a_descriptor_cut_short();
    test_descriptor_rules();
    test_roles_ascend();
    test_table_sizes();
    test_a_section_that_leaves_the_table();
    test_fixed_stride();
    test_packed_lengths_add_up();
    test_rules_of_a_section_run_in_order();
    return expect_end();
}
