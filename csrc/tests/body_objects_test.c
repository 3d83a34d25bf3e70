/* body_objects.c: the inline object region, object by object (wire.md 6.4.1 to 6.4.3). */
#include <string.h>

#include "kit/bodies.h"
#include "kit/expect.h"

#define AT NNRP_BODY_REGION_PRELUDE_SIZE /* where the region begins */

#define CAMERA   NNRP_CACHE_OBJECT_KIND_CAMERA_BLOCK
#define TILES    NNRP_CACHE_OBJECT_KIND_TILE_INDEX_BLOCK
#define TABLE    NNRP_CACHE_OBJECT_KIND_TENSOR_SECTION_TABLE
#define TEMPLATE NNRP_CACHE_OBJECT_KIND_PAYLOAD_LAYOUT_TEMPLATE
#define SEGMENT  NNRP_CACHE_OBJECT_KIND_PROMPT_SEGMENT

static const uint32_t standard_kinds[] = {CAMERA, TILES, TABLE, TEMPLATE};

static body_parts parts;

/* A tensor submit of no tiles: its standard parts may all be empty. */
static void begin(int is_submit)
{
    memset(&parts, 0, sizeof parts);
    parts.frame.is_submit = (uint8_t)is_submit;
    parts.frame.payload_kind_bitmap = NNRP_PAYLOAD_KIND_TENSOR;
    parts.frame.tile_index_mode = NNRP_TILE_INDEX_MODE_RAW_U16;
}

static void test_padding_to_eight(void)
{
    for (uint32_t length = 0; length <= 17; length++) {
        static const uint8_t payload[17] = "seventeen bytes!!";
        const uint32_t padding = (8 - length % 8) % 8;
        begin(1);
        add_object(&parts.objects, SEGMENT, payload, length);
        add_object(&parts.objects, SEGMENT, payload, 8);
        expect_about("payload of %u bytes", length);
        EXPECT_EQ(parts.objects.length, 16 + length + padding + 24);
        expect_accepted(&parts);
        for (uint32_t i = 0; i < padding; i++) {
            body_parts broken = parts;
            broken.objects.bytes[16 + length + i] = 0x80;
            expect_breach(&broken, NNRP_RULE_OBJECT_PADDING_IS_ZERO, AT + 16 + length);
        }
        /* The last object needs its padding inside the region too. */
        for (uint32_t missing = 1; missing <= padding; missing++) {
            begin(1);
            add_object(&parts.objects, SEGMENT, payload, length);
            parts.objects.length -= missing;
            expect_breach(&parts, NNRP_RULE_OBJECT_FITS_REGION, AT + 8);
        }
    }
}

static void test_a_header_cut_short(void)
{
    for (uint32_t left = 1; left < 16; left++) {
        begin(1);
        add_object(&parts.objects, SEGMENT, "12345678", 8);
        add_zeroes(&parts.objects, left);
        expect_layout_breach(&parts, NNRP_E_SOURCE_TOO_SHORT, NNRP_L_INLINE_OBJECT_BLOCK_HEADER, AT + 24 + left);
    }
}

static void test_lengths_that_lie(void)
{
    static const uint32_t lies[] = {9, 16, 17, 0x7fffffffu, 0xfffffff8u, 0xfffffff9u, 0xffffffffu};
    for (unsigned i = 0; i < sizeof lies / sizeof *lies; i++) {
        begin(1);
        add_object(&parts.objects, SEGMENT, "12345678", 8);
        const uint32_t second = add_object(&parts.objects, SEGMENT, "12345678", 8);
        put_u32(parts.objects.bytes + second + 8, lies[i]);
        const nnrp_error *error = expect_breach(&parts, NNRP_RULE_OBJECT_FITS_REGION, AT + second + 8);
        EXPECT_EQ(error->expected, 8);
        EXPECT_EQ(error->found, (lies[i] + (uint64_t)7) / 8 * 8);
    }
    /* A payload that reaches into what comes after the region is still outside of it. */
    plain_submit(&parts);
    add_object(&parts.objects, SEGMENT, "1234567", 7);
    put_u32(parts.objects.bytes + 8, 9);
    expect_breach(&parts, NNRP_RULE_OBJECT_FITS_REGION, AT + 8);
}

static void test_header_rules(void)
{
    static const struct {
        uint32_t at;
        int status;
    } cases[] = {
        {0, NNRP_E_UNKNOWN_ENUM_VALUE},      {1, NNRP_E_UNKNOWN_ENUM_VALUE},       {2, NNRP_E_NON_ZERO_RESERVED_FIELD},
        {6, NNRP_E_NON_ZERO_RESERVED_FIELD}, {12, NNRP_E_NON_ZERO_RESERVED_FIELD},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(1);
        add_object(&parts.objects, SEGMENT, "123", 3);
        const uint32_t second = add_object(&parts.objects, SEGMENT, "123", 3);
        parts.objects.bytes[second + cases[i].at] = 0x40;
        expect_layout_breach(&parts, cases[i].status, NNRP_L_INLINE_OBJECT_BLOCK_HEADER,
                             AT + second + (cases[i].at & ~1u));
    }
    for (uint32_t kind = 1; kind <= 9; kind++) {
        begin(1);
        const uint32_t at = add_object(&parts.objects, kind, NULL, 0);
        put_u16(parts.objects.bytes + at + 4, 0xffff); /* any profile_id decodes */
        expect_about("kind %u", kind);
        expect_accepted(&parts);
    }
}

static void test_standard_kinds_ascend(void)
{
    for (unsigned first = 0; first < 4; first++) {
        for (unsigned second = 0; second < 4; second++) {
            begin(1);
            add_object(&parts.objects, standard_kinds[first], NULL, 0);
            add_object(&parts.objects, SEGMENT, "1", 1); /* other kinds may stand anywhere, and more than once */
            add_object(&parts.objects, SEGMENT, "1", 1);
            const uint32_t at = add_object(&parts.objects, standard_kinds[second], NULL, 0);
            expect_about("kind %u, then %u", standard_kinds[first], standard_kinds[second]);
            if (first < second) {
                expect_accepted(&parts);
            } else {
                expect_breach(&parts, NNRP_RULE_OBJECT_ORDER, AT + at);
            }
        }
    }
    begin(1);
    for (unsigned i = 0; i < 4; i++) {
        add_object(&parts.objects, standard_kinds[i], NULL, 0);
    }
    expect_about("all four");
    expect_accepted(&parts);
}

static void test_a_part_is_inline_or_referenced(void)
{
    for (int is_submit = 0; is_submit < 2; is_submit++) {
        for (unsigned referenced = 0; referenced < 4; referenced++) {
            for (unsigned stands = 0; stands < 4; stands++) {
                begin(is_submit);
                parts.frame.submit_mode = NNRP_SUBMIT_MODE_MIXED;
                parts.frame.object_ref_mask = 1u << referenced;
                add_reference(&parts.references, standard_kinds[referenced]);
                add_object(&parts.objects, standard_kinds[stands], NULL, 0);
                expect_about("kind %u referenced, %u inline", standard_kinds[referenced], standard_kinds[stands]);
                if (referenced == stands) {
                    expect_breach(&parts, NNRP_RULE_OBJECT_NOT_REFERENCED_TOO, AT);
                } else {
                    expect_accepted(&parts);
                }
            }
        }
    }
    for (unsigned stands = 0; stands < 4; stands++) { /* one of two references, whichever */
        begin(1);
        parts.frame.submit_mode = NNRP_SUBMIT_MODE_MIXED;
        parts.frame.object_ref_mask =
            NNRP_SUBMIT_OBJECT_REF_MASK_TILE_INDEX_BLOCK | NNRP_SUBMIT_OBJECT_REF_MASK_PAYLOAD_LAYOUT_TEMPLATE;
        add_reference(&parts.references, TILES);
        add_reference(&parts.references, TEMPLATE);
        add_object(&parts.objects, standard_kinds[stands], NULL, 0);
        expect_about("two referenced, kind %u inline", standard_kinds[stands]);
        if (standard_kinds[stands] == TILES || standard_kinds[stands] == TEMPLATE) {
            expect_breach(&parts, NNRP_RULE_OBJECT_NOT_REFERENCED_TOO, AT);
        } else {
            expect_accepted(&parts);
        }
    }
    begin(1);
    add_reference(&parts.references, SEGMENT);
    add_object(&parts.objects, SEGMENT, NULL, 0); /* not a standard part */
    expect_about("other kinds");
    expect_accepted(&parts);
}

static void test_camera_length(void)
{
    static const uint8_t camera[9] = {0};
    for (uint32_t declared = 0; declared <= 9; declared++) {
        for (uint32_t present = 0; present <= 9; present++) {
            begin(1);
            parts.frame.camera_bytes = declared;
            add_object(&parts.objects, CAMERA, camera, present);
            expect_about("camera_bytes %u, %u present", declared, present);
            if (declared == present) {
                expect_accepted(&parts);
            } else {
                expect_breach(&parts, NNRP_RULE_CAMERA_LENGTH, AT + 16);
            }
        }
    }
    begin(1);
    parts.frame.camera_bytes = 1;
    expect_breach(&parts, NNRP_RULE_CAMERA_LENGTH, AT);
    begin(1);
    parts.frame.camera_bytes = 1; /* a referenced camera has no bytes here */
    parts.frame.submit_mode = NNRP_SUBMIT_MODE_REFERENCE;
    parts.frame.object_ref_mask = NNRP_SUBMIT_OBJECT_REF_MASK_CAMERA_BLOCK;
    add_reference(&parts.references, CAMERA);
    expect_breach(&parts, NNRP_RULE_CAMERA_LENGTH, AT);
    parts.frame.camera_bytes = 0;
    expect_accepted(&parts);
}

static void test_tile_index_length(void)
{
    static const uint8_t ids[8] = {1, 0, 2, 0, 3, 0, 4, 0};
    for (uint32_t declared = 0; declared <= 8; declared += 2) {
        for (uint32_t present = 0; present <= 8; present += 2) {
            begin(1);
            parts.frame.tile_index_bytes = declared;
            parts.frame.tile_count = present / 2;
            add_object(&parts.objects, TILES, ids, present);
            expect_about("tile_index_bytes %u, %u present", declared, present);
            if (declared == present) {
                expect_accepted(&parts);
            } else {
                expect_breach(&parts, NNRP_RULE_TILE_INDEX_LENGTH, AT + 16);
            }
        }
    }
    begin(1);
    parts.frame.tile_index_bytes = 2;
    expect_breach(&parts, NNRP_RULE_TILE_INDEX_LENGTH, AT);
    begin(1);
    parts.frame.tile_index_bytes = 2;
    parts.frame.tile_count = 1;
    parts.frame.submit_mode = NNRP_SUBMIT_MODE_REFERENCE;
    parts.frame.object_ref_mask = NNRP_SUBMIT_OBJECT_REF_MASK_TILE_INDEX_BLOCK;
    add_reference(&parts.references, TILES);
    expect_breach(&parts, NNRP_RULE_TILE_INDEX_LENGTH, AT);
    parts.frame.tile_index_bytes = 0;
    expect_accepted(&parts);
}

/* Each coding's own rules are in tile_index_test.c; here the errors must count from the body. */
static void test_tile_index_errors_count_from_the_body(void)
{
    static const uint8_t deltas[6] = {1, 0, 2, 0, 0, 0}, bits[2] = {1, 0};
    begin(1);
    parts.frame.tile_index_mode = NNRP_TILE_INDEX_MODE_DELTA_U16;
    parts.frame.tile_index_bytes = 6;
    parts.frame.tile_count = 3;
    add_object(&parts.objects, SEGMENT, "12345678", 8);
    add_object(&parts.objects, TILES, deltas, 6);
    expect_breach(&parts, NNRP_RULE_TILE_DELTA_ASCENDS, AT + 24 + 16 + 4);
    parts.frame.tile_count = 2;
    expect_breach(&parts, NNRP_RULE_TILE_U16_LENGTH, AT + 24 + 16);
    begin(1);
    parts.frame.tile_index_mode = NNRP_TILE_INDEX_MODE_BITSET;
    parts.frame.tile_index_bytes = 2;
    parts.frame.tile_count = 1;
    add_object(&parts.objects, TILES, bits, 2);
    expect_breach(&parts, NNRP_RULE_TILE_BITSET_LAST_BYTE, AT + 16 + 1);
}

static void test_dense_ranges_fit_whether_inline_or_not(void)
{
    for (int inline_index = 0; inline_index < 2; inline_index++) {
        for (uint32_t count = 0; count < 4; count++) {
            begin(1);
            parts.frame.tile_index_mode = NNRP_TILE_INDEX_MODE_DENSE_RANGE;
            parts.frame.tile_base_id = UINT32_MAX - 1;
            parts.frame.tile_count = count;
            if (inline_index) {
                add_object(&parts.objects, TILES, NULL, 0);
            }
            expect_about("%u tiles, inline index %d", count, inline_index);
            if (count <= 2) {
                expect_accepted(&parts);
            } else {
                expect_breach(&parts, NNRP_RULE_TILE_DENSE_RANGE_FITS_U32, inline_index ? AT + 16 : AT);
            }
        }
    }
}

/* wire.md 6.4.3: without an inline table section_count is 0 or the table is referenced. */
static void test_sections_need_a_table(void)
{
    begin(1);
    parts.frame.section_count = 1;
    expect_breach(&parts, NNRP_RULE_SECTION_TABLE_PRESENT, AT);
    parts.frame.submit_mode = NNRP_SUBMIT_MODE_REFERENCE;
    parts.frame.object_ref_mask = NNRP_SUBMIT_OBJECT_REF_MASK_TENSOR_SECTION_TABLE;
    add_reference(&parts.references, TABLE);
    expect_accepted(&parts);
    begin(0);
    parts.frame.section_count = 1;
    expect_breach(&parts, NNRP_RULE_SECTION_TABLE_PRESENT, AT);
    add_reference(&parts.references, TABLE);
    expect_accepted(&parts);
}

/* wire.md 6.4.3 lists the rules of the region in order: which objects there are and in what order, then the lengths
 * that the metadata declares, then whether there is a section table, then what stands inside of it. */
static void test_rules_of_the_region_run_in_order(void)
{
    piece table = {.length = 0};
    begin(1);
    add_section(&table, 1, 0, NULL, 0, NULL);
    table.bytes[NNRP_TENSOR_SECTION_DESCRIPTOR_AT_RESERVED] = 1; /* a class of its own: non_zero_reserved_field */
    parts.frame.section_count = 1;
    parts.frame.camera_bytes = 1;
    parts.frame.tile_index_bytes = 2;
    add_object(&parts.objects, TABLE, table.bytes, table.length);
    const uint32_t late = add_object(&parts.objects, CAMERA, NULL, 0);
    expect_breach(&parts, NNRP_RULE_OBJECT_ORDER, AT + late);
    parts.objects.length = late;
    expect_breach(&parts, NNRP_RULE_CAMERA_LENGTH, AT);
    parts.frame.camera_bytes = 0;
    expect_breach(&parts, NNRP_RULE_TILE_INDEX_LENGTH, AT);
    parts.frame.tile_index_bytes = 0;
    expect_layout_breach(&parts, NNRP_E_NON_ZERO_RESERVED_FIELD, NNRP_L_TENSOR_SECTION_DESCRIPTOR,
                         AT + 16 + NNRP_TENSOR_SECTION_DESCRIPTOR_AT_RESERVED);
    begin(1);
    parts.frame.section_count = 1;
    parts.frame.tile_index_bytes = 2;
    expect_breach(&parts, NNRP_RULE_TILE_INDEX_LENGTH, AT);
}

/* RESULT_PUSH has no camera_bytes to compare with, and its index is raw when it has bytes. */
static void test_a_result(void)
{
    static const uint8_t ids[4] = {7, 0, 7, 0};
    begin(0);
    add_object(&parts.objects, CAMERA, "12345", 5);
    expect_about("camera of a result");
    expect_accepted(&parts);
    begin(0);
    parts.frame.tile_index_bytes = 4;
    parts.frame.tile_count = 2;
    add_object(&parts.objects, TILES, ids, 4);
    expect_about("index of a result");
    expect_accepted(&parts);
}

int main(void)
{
    test_padding_to_eight();
    test_a_header_cut_short();
    test_lengths_that_lie();
    test_header_rules();
    test_standard_kinds_ascend();
    test_a_part_is_inline_or_referenced();
    test_camera_length();
    test_tile_index_length();
    test_tile_index_errors_count_from_the_body();
    test_dense_ranges_fit_whether_inline_or_not();
    test_sections_need_a_table();
    test_rules_of_the_region_run_in_order();
    test_a_result();
    return expect_end();
}
