/* body_regions.c: references (wire.md 6.4.4), typed descriptors (6.4.5), extensions and control extensions (9),
 * capability entries (7). */
#include <string.h>

#include "kit/bodies.h"
#include "kit/expect.h"
#include "kit/guard.h"

#define CAMERA   NNRP_CACHE_OBJECT_KIND_CAMERA_BLOCK
#define TILES    NNRP_CACHE_OBJECT_KIND_TILE_INDEX_BLOCK
#define TABLE    NNRP_CACHE_OBJECT_KIND_TENSOR_SECTION_TABLE
#define TEMPLATE NNRP_CACHE_OBJECT_KIND_PAYLOAD_LAYOUT_TEMPLATE
#define SEGMENT  NNRP_CACHE_OBJECT_KIND_PROMPT_SEGMENT

#define T(field) NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_##field
#define X(field) NNRP_EXTENSION_FRAME_DESCRIPTOR_AT_##field

static nnrp_error error;

static void expect_error(int status, uint16_t rule, uint64_t offset)
{
    EXPECT_EQ(status, nnrp_rules[rule].status);
    EXPECT_EQ(error.status, status);
    EXPECT_EQ(error.rule, rule);
    EXPECT_EQ(error.offset, offset);
}

static void expect_layout_error(int status, int wanted, uint16_t layout, uint64_t offset)
{
    EXPECT_EQ(status, wanted);
    EXPECT_EQ(error.layout, layout);
    EXPECT_EQ(error.offset, offset);
}

/* References */

static piece region;

static int check_references(uint32_t mode, uint32_t mask)
{
    return nnrp_reference_region_check(guard_at_end(region.bytes, region.length), region.length, mode, mask, &error);
}

static void references(const uint32_t *kinds, unsigned count)
{
    region.length = 0;
    for (unsigned i = 0; i < count; i++) {
        add_reference(&region, kinds[i]);
    }
}

static uint32_t slot_of(uint32_t kind)
{
    return kind == CAMERA ? 1 : kind == TILES ? 2 : kind == TABLE ? 4 : kind == TEMPLATE ? 8 : 0;
}

/* The rules once more, as wire.md numbers them: 5 and 6 over a list of kinds. */
static int wanted_verdict(const uint32_t *kinds, unsigned count, uint32_t mask)
{
    uint32_t seen = 0, last = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t slot = slot_of(kinds[i]);
        if (slot != 0 && (slot <= last || (mask & slot) == 0)) {
            return 0;
        }
        last = slot != 0 ? slot : last;
        seen |= slot;
    }
    return seen == mask;
}

static void test_reference_slots_and_mask(void)
{
    static const uint32_t some[] = {CAMERA, TILES, TABLE, TEMPLATE, SEGMENT};
    for (unsigned first = 0; first < 5; first++) {
        for (unsigned second = 0; second < 5; second++) {
            for (unsigned third = 0; third < 5; third++) {
                for (uint32_t mask = 1; mask <= 0xf; mask++) {
                    const uint32_t kinds[] = {some[first], some[second], some[third]};
                    references(kinds, 3);
                    expect_about("kinds %u %u %u, mask %#x", kinds[0], kinds[1], kinds[2], mask);
                    EXPECT_EQ(check_references(NNRP_SUBMIT_MODE_MIXED, mask) == NNRP_OK,
                              wanted_verdict(kinds, 3, mask));
                    EXPECT_EQ(check_references(NNRP_SUBMIT_MODE_REFERENCE, mask) == NNRP_OK,
                              wanted_verdict(kinds, 3, mask));
                    expect_error(check_references(NNRP_SUBMIT_MODE_INLINE, mask), NNRP_RULE_REFERENCE_MODE, 0);
                }
            }
        }
    }
}

static void test_reference_rules_in_order(void)
{
    expect_about("references");
    references((const uint32_t[]){CAMERA, CAMERA, SEGMENT}, 3);
    region.bytes[48 + 2] = 1; /* ref_flags of the last */
    region.length += 1;
    expect_error(check_references(0, 0x11), NNRP_RULE_REFERENCE_REGION_MULTIPLE, 0);
    region.length -= 1;
    expect_error(check_references(0, 0x11), NNRP_RULE_REFERENCE_MASK_IS_KNOWN, 0);
    expect_layout_error(check_references(0, 1), NNRP_E_NON_ZERO_RESERVED_FIELD, NNRP_L_OBJECT_REFERENCE_BLOCK, 48 + 2);
    region.bytes[48 + 2] = 0;
    put_u16(region.bytes + 48, 10);
    expect_layout_error(check_references(0, 1), NNRP_E_UNKNOWN_ENUM_VALUE, NNRP_L_OBJECT_REFERENCE_BLOCK, 48);
    put_u16(region.bytes + 48, SEGMENT);
    expect_error(check_references(NNRP_SUBMIT_MODE_INLINE, 1), NNRP_RULE_REFERENCE_MODE, 0);
    expect_error(check_references(NNRP_SUBMIT_MODE_REFERENCE, 0), NNRP_RULE_REFERENCE_MODE, 0);
    expect_error(check_references(NNRP_SUBMIT_MODE_REFERENCE, 3), NNRP_RULE_REFERENCE_SLOT_ORDER, 24);
    references((const uint32_t[]){SEGMENT, TABLE}, 2);
    expect_error(check_references(NNRP_SUBMIT_MODE_REFERENCE, 8), NNRP_RULE_REFERENCE_SLOT_LISTED, 24);
    expect_error(check_references(NNRP_SUBMIT_MODE_REFERENCE, 12), NNRP_RULE_REFERENCE_MASK_EXACT, 0);
    EXPECT_EQ(check_references(NNRP_SUBMIT_MODE_REFERENCE, 4), NNRP_OK);
    references((const uint32_t[]){SEGMENT, SEGMENT}, 2);
    EXPECT_EQ(check_references(NNRP_SUBMIT_MODE_INLINE, 0), NNRP_OK);
    references(NULL, 0);
    EXPECT_EQ(nnrp_reference_region_check(NULL, 0, NNRP_SUBMIT_MODE_INLINE, 0, &error), NNRP_OK);
    expect_error(nnrp_reference_region_check(NULL, 0, NNRP_SUBMIT_MODE_MIXED, 2, &error),
                 NNRP_RULE_REFERENCE_MASK_EXACT, 0);
}

/* Typed descriptors */

static int check_typed(size_t frame_bytes, uint32_t bitmap, uint32_t count)
{
    return nnrp_typed_region_check(guard_at_end(region.bytes, region.length), region.length, frame_bytes, bitmap, count,
                                   &error);
}

static void three_frames(void)
{
    region.length = 0;
    add_descriptor(&region, NNRP_PAYLOAD_KIND_TOKEN_CHUNK, NNRP_PROFILE_TOKEN, 0, 3);
    add_descriptor(&region, NNRP_PAYLOAD_KIND_STRUCTURED_EVENT, 0, 3, 0);
    add_descriptor(&region, NNRP_PAYLOAD_KIND_TOKEN_CHUNK, NNRP_PROFILE_TOKEN, 3, 7);
}

static void test_typed_rules_in_order(void)
{
    expect_about("typed descriptors");
    three_frames();
    EXPECT_EQ(check_typed(10, 0x12, 3), NNRP_OK);
    EXPECT_EQ(check_typed(10, 0x13, 3), NNRP_OK); /* the tensor bit is no frame's */
    expect_error(check_typed(9, 0x80, 4), NNRP_RULE_TYPED_BITMAP_IS_KNOWN, 0);
    expect_error(check_typed(9, 0x02, 4), NNRP_RULE_TYPED_DESCRIPTOR_BYTES, 0);
    expect_error(check_typed(9, 0x02, 2), NNRP_RULE_TYPED_DESCRIPTOR_BYTES, 0);
    /* 24 x 178956971 is 8 in 32 bits. */
    region.length = 8;
    expect_error(check_typed(0, 0x02, 178956971u), NNRP_RULE_TYPED_DESCRIPTOR_BYTES, 0);

    /* Every descriptor decodes before any rule about one: the last one's flags before the first one's kind. */
    three_frames();
    region.bytes[T(PAYLOAD_KIND)] = NNRP_PAYLOAD_KIND_TENSOR;
    region.bytes[48 + T(DESCRIPTOR_FLAGS)] = 0x10;
    expect_layout_error(check_typed(9, 0x7f, 3), NNRP_E_RESERVED_BITS_SET, NNRP_L_TYPED_PAYLOAD_DESCRIPTOR,
                        48 + T(DESCRIPTOR_FLAGS));
    region.bytes[48 + T(RESERVED0)] = 1;
    expect_layout_error(check_typed(9, 0x7f, 3), NNRP_E_NON_ZERO_RESERVED_FIELD, NNRP_L_TYPED_PAYLOAD_DESCRIPTOR,
                        48 + T(RESERVED0));
    region.bytes[24 + T(PAYLOAD_KIND)] = 3;
    expect_layout_error(check_typed(9, 0x7f, 3), NNRP_E_UNKNOWN_ENUM_VALUE, NNRP_L_TYPED_PAYLOAD_DESCRIPTOR,
                        24 + T(PAYLOAD_KIND));
    three_frames();

    /* One descriptor that breaks all of its rules, mended one by one; the next one is broken all the while. */
    uint8_t *d = region.bytes + 24;
    region.bytes[48 + T(PAYLOAD_KIND)] = NNRP_PAYLOAD_KIND_TENSOR;
    d[T(PAYLOAD_KIND)] = NNRP_PAYLOAD_KIND_TENSOR;
    put_u16(d + T(PROFILE_ID), NNRP_PROFILE_TENSOR);
    put_u32(d + T(OFFSET), 4);
    put_u32(d + T(LENGTH), UINT32_MAX);
    expect_error(check_typed(9, 0x7f, 3), NNRP_RULE_TYPED_KIND_NOT_TENSOR, 24 + T(PAYLOAD_KIND));
    d[T(PAYLOAD_KIND)] = NNRP_PAYLOAD_KIND_TOKEN_CHUNK;
    expect_error(check_typed(9, 0x7f, 3), NNRP_RULE_TYPED_PROFILE_NOT_TENSOR, 24 + T(PROFILE_ID));
    put_u16(d + T(PROFILE_ID), 3);
    expect_error(check_typed(9, 0x7f, 3), NNRP_RULE_TYPED_TOKEN_PROFILE, 24 + T(PROFILE_ID));
    put_u16(d + T(PROFILE_ID), 0);
    expect_error(check_typed(9, 0x7f, 3), NNRP_RULE_TYPED_TOKEN_PROFILE, 24 + T(PROFILE_ID));
    put_u16(d + T(PROFILE_ID), NNRP_PROFILE_TOKEN);
    expect_error(check_typed(9, 0x7f, 3), NNRP_RULE_TYPED_FRAMES_ARE_PACKED, 24 + T(OFFSET));
    put_u32(d + T(OFFSET), 2);
    expect_error(check_typed(9, 0x7f, 3), NNRP_RULE_TYPED_FRAMES_ARE_PACKED, 24 + T(OFFSET));
    put_u32(d + T(OFFSET), 3);
    expect_error(check_typed(9, 0x7f, 3), NNRP_RULE_TYPED_END_FITS_U32, 24 + T(LENGTH));
    put_u32(d + T(LENGTH), UINT32_MAX - 3); /* ends at the last u32 */
    expect_error(check_typed(9, 0x7f, 3), NNRP_RULE_TYPED_END_INSIDE_REGION, 24 + T(LENGTH));
    put_u32(d + T(LENGTH), 7);
    expect_error(check_typed(9, 0x7f, 3), NNRP_RULE_TYPED_END_INSIDE_REGION, 24 + T(LENGTH));
    EXPECT_EQ(error.expected, 9);
    EXPECT_EQ(error.found, 10);
    put_u32(d + T(LENGTH), 0);
    expect_error(check_typed(9, 0x7f, 3), NNRP_RULE_TYPED_KIND_NOT_TENSOR, 48 + T(PAYLOAD_KIND));
    three_frames();
    expect_error(check_typed(11, 0x7f, 3), NNRP_RULE_TYPED_FRAMES_FILL_REGION, 72);
    expect_error(check_typed(10, 0x02, 3), NNRP_RULE_TYPED_KINDS_MATCH_BITMAP, 0);
    expect_error(check_typed(10, 0x16, 3), NNRP_RULE_TYPED_KINDS_MATCH_BITMAP, 0);
    expect_error(check_typed(10, 0x00, 3), NNRP_RULE_TYPED_KINDS_MATCH_BITMAP, 0);
    region.length = 0;
    add_descriptor(&region, NNRP_PAYLOAD_KIND_STRUCTURED_EVENT, 0, 1, 2);
    expect_error(check_typed(3, 0x10, 1), NNRP_RULE_TYPED_FRAMES_ARE_PACKED, T(OFFSET));
}

static void test_no_typed_frames(void)
{
    expect_about("no typed frames");
    for (uint32_t bitmap = 0; bitmap <= 0x7f; bitmap++) {
        /* The bitmap is not compared when there is nothing to compare it with (rule 3). */
        EXPECT_EQ(nnrp_typed_region_check(NULL, 0, 0, bitmap, 0, &error), NNRP_OK);
    }
    expect_error(nnrp_typed_region_check(NULL, 0, 1, 0, 0, &error), NNRP_RULE_TYPED_REGIONS_EMPTY, 0);
    region.length = 0;
    add_zeroes(&region, 24);
    expect_error(check_typed(0, 0, 0), NNRP_RULE_TYPED_DESCRIPTOR_BYTES, 0);
}

static void test_every_kind_of_frame(void)
{
    for (uint32_t kind = 0; kind < 256; kind++) {
        const uint32_t profile = kind == NNRP_PAYLOAD_KIND_TOKEN_CHUNK ? NNRP_PROFILE_TOKEN : 0xffff;
        const int single_bit = kind != 0 && kind <= 0x40 && (kind & (kind - 1)) == 0;
        region.length = 0;
        add_descriptor(&region, kind, profile, 0, 0);
        expect_about("payload_kind %#x", kind);
        EXPECT_EQ(check_typed(0, single_bit ? kind : 0x7f, 1), !single_bit ? NNRP_E_UNKNOWN_ENUM_VALUE
                                                               : kind == NNRP_PAYLOAD_KIND_TENSOR
                                                                   ? NNRP_E_INVALID_PROTOCOL_COMBINATION
                                                                   : NNRP_OK);
    }
}

/* Extensions */

static int check_extensions(size_t payload_bytes)
{
    return nnrp_extension_region_check(guard_at_end(region.bytes, region.length), region.length, payload_bytes, &error);
}

static void test_extension_rules_in_order(void)
{
    expect_about("extension descriptors");
    region.length = 0;
    add_extension(&region, 0, 2);
    add_extension(&region, 2, 0);
    add_extension(&region, 2, 6);
    EXPECT_EQ(check_extensions(8), NNRP_OK);
    expect_error(check_extensions(9), NNRP_RULE_EXTENSION_PAYLOADS_FILL_REGION, 48);
    expect_error(check_extensions(7), NNRP_RULE_EXTENSION_END_INSIDE_REGION, 32 + X(PAYLOAD_LENGTH));
    put_u32(region.bytes + 32 + X(PAYLOAD_LENGTH), UINT32_MAX - 2);
    expect_error(check_extensions(8), NNRP_RULE_EXTENSION_END_INSIDE_REGION, 32 + X(PAYLOAD_LENGTH));
    put_u32(region.bytes + 32 + X(PAYLOAD_LENGTH), UINT32_MAX - 1);
    expect_error(check_extensions(8), NNRP_RULE_EXTENSION_END_FITS_U32, 32 + X(PAYLOAD_LENGTH));
    put_u32(region.bytes + 32 + X(PAYLOAD_OFFSET), 3);
    expect_error(check_extensions(8), NNRP_RULE_EXTENSION_PAYLOADS_ARE_PACKED, 32 + X(PAYLOAD_OFFSET));
    put_u16(region.bytes + 32 + X(EXTENSION_FLAGS), 2);
    expect_layout_error(check_extensions(8), NNRP_E_RESERVED_BITS_SET, NNRP_L_EXTENSION_FRAME_DESCRIPTOR,
                        32 + X(EXTENSION_FLAGS));
    put_u16(region.bytes + 32 + X(RESERVED0), 2);
    expect_layout_error(check_extensions(8), NNRP_E_NON_ZERO_RESERVED_FIELD, NNRP_L_EXTENSION_FRAME_DESCRIPTOR,
                        32 + X(RESERVED0));
    region.length -= 1;
    expect_error(check_extensions(8), NNRP_RULE_PRELUDE_EXTENSION_MULTIPLE, 0);
    EXPECT_EQ(nnrp_extension_region_check(NULL, 0, 0, &error), NNRP_OK);
    expect_error(nnrp_extension_region_check(NULL, 0, 1, &error), NNRP_RULE_EXTENSION_PAYLOADS_FILL_REGION, 0);
}

/* Control extensions */

static uint32_t add_control(uint32_t type, uint32_t flags, uint32_t length)
{
    static const uint8_t value[32] = {0};
    const uint32_t at = add_zeroes(&region, 8);
    put_u16(region.bytes + at, type);
    put_u16(region.bytes + at + 2, flags);
    put_u32(region.bytes + at + 4, length);
    add_bytes(&region, value, length);
    add_zeroes(&region, (8 - length % 8) % 8);
    return at;
}

/* From either end of readable memory the same. */
static int next_control(size_t *position, nnrp_control_extension *found)
{
    size_t again = *position;
    nnrp_control_extension same;
    const int status =
        nnrp_control_extension_next(guard_at_start(region.bytes, region.length), region.length, &again, &same, &error);
    EXPECT_EQ(
        nnrp_control_extension_next(guard_at_end(region.bytes, region.length), region.length, position, found, &error),
        status);
    EXPECT_EQ(*position, again);
    return status;
}

static void test_control_extensions_are_walked(void)
{
    size_t position = 0;
    nnrp_control_extension e;
    expect_about("control extensions");
    region.length = 0;
    add_control(0x8001, 0, 5);
    for (uint32_t type = 0x0101; type <= 0x0106; type++) {
        add_control(type, type & 1, 8);
    }
    add_control(0, 0, 0);
    EXPECT_EQ(next_control(&position, &e), NNRP_OK);
    EXPECT_EQ(e.at, 0);
    EXPECT_EQ(e.value_at, 8);
    EXPECT_EQ(e.value_length, 5);
    EXPECT_EQ(e.type, 0x8001);
    EXPECT_EQ(e.flags, 0);
    EXPECT_EQ(e.layout, NNRP_NONE);
    EXPECT_EQ(position, 16);
    for (uint16_t i = 0; i < 6; i++) {
        EXPECT_EQ(next_control(&position, &e), NNRP_OK);
        EXPECT_EQ(e.at, 16 + 16u * i);
        EXPECT_EQ(e.type, 0x0101 + i);
        EXPECT_EQ(e.flags, (0x0101 + i) & 1);
        EXPECT_EQ(e.layout, NNRP_L_HELLO_EXT_TRANSPORT_POLICY + i);
    }
    EXPECT_EQ(next_control(&position, &e), NNRP_OK);
    EXPECT_EQ(e.layout, NNRP_NONE);
    EXPECT_EQ(position, region.length);
    EXPECT_EQ(next_control(&position, &e), NNRP_NEED_MORE);
    EXPECT_EQ(position, region.length);
}

static void expect_control_breach(uint16_t rule, uint64_t offset)
{
    size_t position = 16;
    nnrp_control_extension e;
    expect_about("%s", nnrp_rules[rule].text);
    expect_error(next_control(&position, &e), rule, offset);
}

static void test_control_extension_rules(void)
{
    static const uint32_t lies[] = {9, 16, 0x7fffffffu, 0xfffffff9u, 0xffffffffu};
    for (uint32_t left = 1; left < 8; left++) {
        region.length = 0;
        add_control(0x8001, 0, 8);
        add_zeroes(&region, left);
        expect_control_breach(NNRP_RULE_CONTROL_EXTENSION_FITS_BLOCK, 16);
    }
    for (unsigned i = 0; i < sizeof lies / sizeof *lies; i++) {
        region.length = 0;
        add_control(0x8001, 0, 8);
        add_control(0x8001, 0, 8);
        put_u32(region.bytes + 16 + 4, lies[i]);
        expect_control_breach(NNRP_RULE_CONTROL_EXTENSION_FITS_BLOCK, 16 + 4);
        EXPECT_EQ(error.expected, 8);
        EXPECT_EQ(error.found, (lies[i] + (uint64_t)7) / 8 * 8);
    }
    for (uint32_t length = 1; length < 8; length++) {
        region.length = 0;
        add_control(0x8001, 0, 8);
        add_control(0x8001, 0, length);
        region.bytes[31] = 1;
        expect_control_breach(NNRP_RULE_CONTROL_EXTENSION_PADDING_IS_ZERO, 16 + 8 + length);
        region.bytes[31] = 0;
        region.length -= 1;
        expect_control_breach(NNRP_RULE_CONTROL_EXTENSION_FITS_BLOCK, 16 + 4);
    }
    for (uint32_t length = 0; length <= 16; length++) {
        region.length = 0;
        add_control(0x8001, 0, 8);
        add_control(0x0105, 0, length);
        if (length != 8) {
            expect_control_breach(NNRP_RULE_CONTROL_EXTENSION_LENGTH, 16 + 4);
        }
    }
    region.length = 0;
    add_control(0x8001, 0, 8);
    add_control(0x0107, 1, 8);
    expect_control_breach(NNRP_RULE_CONTROL_EXTENSION_CRITICAL, 16);

    size_t position = 16;
    nnrp_control_extension e;
    expect_about("values of control extensions");
    region.length = 0;
    add_control(0x8001, 0, 8);
    add_control(0x0105, 1, 8);
    region.bytes[16 + 8 + 4] = 1;
    expect_layout_error(next_control(&position, &e), NNRP_E_RESERVED_BITS_SET, NNRP_L_HELLO_EXT_PAYLOAD_CAPABILITIES,
                        16 + 8 + 4);
    position = 16;
    region.bytes[16 + 2] = 2;
    expect_layout_error(next_control(&position, &e), NNRP_E_RESERVED_BITS_SET, NNRP_L_CONTROL_EXTENSION_ENTRY_HEADER,
                        16 + 2);
}

/* Capability entries */

static int next_capability(size_t *position, nnrp_span *token)
{
    return nnrp_capability_entry_next(guard_at_end(region.bytes, region.length), region.length, position, token,
                                      &error);
}

static void add_capability(const char *token, uint32_t length)
{
    put_u16(region.bytes + add_zeroes(&region, 2), length);
    add_bytes(&region, token, length);
}

static void test_capability_entries(void)
{
    size_t position = 0;
    nnrp_span token;
    expect_about("capability entries");
    region.length = 0;
    add_capability("control.supersede", 17);
    add_capability("", 0);
    add_capability("\xc3\xa9\xf0\x9f\x98\x80", 6);
    EXPECT_EQ(next_capability(&position, &token), NNRP_OK);
    EXPECT_EQ(token.at, 2);
    EXPECT_EQ(token.length, 17);
    EXPECT_EQ(next_capability(&position, &token), NNRP_OK);
    EXPECT_EQ(token.at, 21);
    EXPECT_EQ(token.length, 0);
    EXPECT_EQ(next_capability(&position, &token), NNRP_OK);
    EXPECT_EQ(token.at, 23);
    EXPECT_EQ(token.length, 6);
    EXPECT_EQ(position, region.length);
    expect_error(next_capability(&position, &token), NNRP_RULE_CAPABILITY_ENTRY_FITS_BODY, region.length);
    EXPECT_EQ(position, region.length);
    for (uint32_t missing = 1; missing < 8; missing++) { /* of the last entry */
        position = 21;
        region.length -= 1;
        expect_error(next_capability(&position, &token), NNRP_RULE_CAPABILITY_ENTRY_FITS_BODY, 21);
        EXPECT_EQ(error.expected, missing == 7 ? 2 : 6 - missing);
        EXPECT_EQ(error.found, missing == 7 ? 1 : 6);
        EXPECT_EQ(position, 21);
    }
    region.length = 0;
    add_capability("", 0);
    position = 0;
    EXPECT_EQ(next_capability(&position, &token), NNRP_OK);
    EXPECT_EQ(position, 2);
    region.length = 0;
    add_capability("ab\xe2\x82", 4);
    position = 0;
    expect_error(next_capability(&position, &token), NNRP_RULE_CAPABILITY_ENTRY_IS_UTF8, 2 + 2);
    EXPECT_EQ(position, 0);
    region.length = 2;
    put_u16(region.bytes, 0xffff);
    expect_error(next_capability(&position, &token), NNRP_RULE_CAPABILITY_ENTRY_FITS_BODY, 0);
}

int main(void)
{
    test_reference_slots_and_mask();
    test_reference_rules_in_order();
    test_typed_rules_in_order();
    test_no_typed_frames();
    test_every_kind_of_frame();
    test_extension_rules_in_order();
    test_control_extensions_are_walked();
    test_control_extension_rules();
    test_capability_entries();
    return expect_end();
}
