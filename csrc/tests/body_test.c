/* body.c: what is read from the metadata, the prelude, the order of the regions, and the promise that nothing which
 * holds lengths is read twice. */
#include <stdlib.h>
#include <string.h>

#include "kit/bodies.h"
#include "kit/expect.h"
#include "kit/samples.h"

#define PRELUDE NNRP_BODY_REGION_PRELUDE_SIZE

static body_parts parts;
static cut_run run;

static void test_the_metadata_is_read_field_by_field(void)
{
    uint8_t m[NNRP_FRAME_SUBMIT_SIZE];
    nnrp_body_frame frame;
    for (unsigned i = 0; i < sizeof m; i++) {
        m[i] = (uint8_t)(i + 1);
    }
    memset(&frame, 0xee, sizeof frame);
    nnrp_body_frame_of_submit(&frame, m);
    EXPECT_EQ(frame.tile_count, sample_load(m + 8, 2));
    EXPECT_EQ(frame.section_count, sample_load(m + 10, 2));
    EXPECT_EQ(frame.tile_index_mode, m[14]);
    EXPECT_EQ(frame.tile_base_id, sample_load(m + 24, 4));
    EXPECT_EQ(frame.camera_bytes, sample_load(m + 28, 4));
    EXPECT_EQ(frame.tile_index_bytes, sample_load(m + 32, 4));
    EXPECT_EQ(frame.submit_mode, m[52]);
    EXPECT_EQ(frame.object_ref_mask, sample_load(m + 56, 4));
    EXPECT_EQ(frame.payload_kind_bitmap, sample_load(m + 64, 4));
    EXPECT_EQ(frame.payload_frame_count, sample_load(m + 68, 2));
    EXPECT_EQ(frame.is_submit, 1);

    memset(&frame, 0xee, sizeof frame);
    nnrp_body_frame_of_result(&frame, m);
    EXPECT_EQ(frame.section_count, sample_load(m + 4, 2));
    EXPECT_EQ(frame.tile_count, sample_load(m + 6, 2));
    EXPECT_EQ(frame.tile_base_id, sample_load(m + 20, 4));
    EXPECT_EQ(frame.tile_index_bytes, sample_load(m + 24, 4));
    EXPECT_EQ(frame.payload_kind_bitmap, sample_load(m + 56, 4));
    EXPECT_EQ(frame.payload_frame_count, sample_load(m + 60, 2));
    EXPECT_EQ(frame.tile_index_mode, NNRP_TILE_INDEX_MODE_RAW_U16);
    EXPECT_EQ(frame.is_submit, 0);
    EXPECT_EQ(frame.camera_bytes | frame.object_ref_mask | frame.submit_mode, 0);
    memset(m + 24, 0, 4);
    nnrp_body_frame_of_result(&frame, m);
    EXPECT_EQ(frame.tile_index_mode, NNRP_TILE_INDEX_MODE_DENSE_RANGE);
}

static void test_bodies_that_use_everything_are_cut(void)
{
    uint8_t body[BODY_CAPACITY];
    expect_about("full submit");
    full_submit(&parts);
    uint32_t length = join(&parts, body);
    EXPECT_EQ(cut_both_ways(&parts.frame, body, length, &run), NNRP_OK);
    EXPECT_EQ(run.objects, 5);
    EXPECT_EQ(run.sections, 3);
    EXPECT_EQ(run.out.objects.at, PRELUDE);
    EXPECT_EQ(run.out.objects.length, parts.objects.length);
    EXPECT_EQ(run.out.references.at, references_at(&parts));
    EXPECT_EQ(run.out.references.length, 48);
    EXPECT_EQ(run.out.descriptors.at, descriptors_at(&parts));
    EXPECT_EQ(run.out.descriptors.length, 72);
    EXPECT_EQ(run.out.frames.at, descriptors_at(&parts) + 72);
    EXPECT_EQ(run.out.frames.length, 5);
    EXPECT_EQ(run.out.extension_descriptors.at, extensions_at(&parts));
    EXPECT_EQ(run.out.extension_descriptors.length, 48);
    EXPECT_EQ(run.out.extension_payloads.at, extensions_at(&parts) + 48);
    EXPECT_EQ(run.out.extension_payloads.length, 7);
    EXPECT_EQ(run.out.has_camera, 1);
    EXPECT_EQ(run.out.camera.at, PRELUDE + 16);
    EXPECT_EQ(run.out.camera.length, 5);
    EXPECT_EQ(run.out.tile_index_span.at, PRELUDE + 24 + 16);
    EXPECT_EQ(run.out.tile_index_span.length, 6);
    EXPECT(strstr(run.text, "section, stride 6\n") != NULL);

    expect_about("full result");
    full_result(&parts);
    length = join(&parts, body);
    EXPECT_EQ(cut_both_ways(&parts.frame, body, length, &run), NNRP_OK);
    EXPECT_EQ(run.objects, 2);
    EXPECT_EQ(run.sections, 3);
    EXPECT_EQ(run.out.has_camera, 0);
    EXPECT_EQ(run.out.references.length, 24);

    expect_about("plain submit");
    plain_submit(&parts);
    expect_accepted(&parts);
}

/* wire.md 6.4: RESULT_PUSH may be empty when it declares nothing; FRAME_SUBMIT never. */
static void test_empty_bodies(void)
{
    memset(&parts, 0, sizeof parts);
    expect_about("empty result");
    EXPECT_EQ(cut_both_ways(&parts.frame, NULL, 0, &run), NNRP_OK);
    EXPECT(run.out.prelude == NULL);
    parts.frame.payload_kind_bitmap = 0x10;
    EXPECT_EQ(cut_both_ways(&parts.frame, NULL, 0, &run), NNRP_E_INVALID_PROTOCOL_COMBINATION);
    EXPECT_EQ(run.error.rule, NNRP_RULE_EMPTY_RESULT_DECLARES_NOTHING);
    parts.frame.payload_kind_bitmap = 0;
    parts.frame.payload_frame_count = 1;
    EXPECT_EQ(cut_both_ways(&parts.frame, NULL, 0, &run), NNRP_E_INVALID_PROTOCOL_COMBINATION);
    EXPECT_EQ(run.error.rule, NNRP_RULE_EMPTY_RESULT_DECLARES_NOTHING);
    parts.frame.payload_frame_count = 0;
    expect_about("a prelude of zeroes");
    expect_accepted(&parts);
    parts.frame.is_submit = 1;
    expect_accepted(&parts);
    EXPECT_EQ(cut_both_ways(&parts.frame, NULL, 0, &run), NNRP_E_SOURCE_TOO_SHORT);
    EXPECT_EQ(run.error.layout, NNRP_L_BODY_REGION_PRELUDE);
    EXPECT_EQ(run.error.offset, 0);
}

static void test_a_short_prelude_is_refused(void)
{
    const uint8_t body[PRELUDE] = {0};
    for (uint32_t length = 1; length < PRELUDE; length++) {
        nnrp_body_frame frame = {0};
        expect_about("%u bytes", length);
        for (frame.is_submit = 0; frame.is_submit < 2; frame.is_submit++) {
            EXPECT_EQ(cut_both_ways(&frame, body, length, &run), NNRP_E_SOURCE_TOO_SHORT);
            EXPECT_EQ(run.error.layout, NNRP_L_BODY_REGION_PRELUDE);
            EXPECT_EQ(run.error.offset, length);
        }
    }
}

/* Cuts the full submit with one prelude field changed. */
static void expect_prelude_breach(unsigned slot, uint32_t value, int status, uint16_t rule, uint64_t offset)
{
    uint8_t body[BODY_CAPACITY];
    full_submit(&parts);
    const uint32_t length = join(&parts, body);
    put_u32(body + 4 * slot, value);
    expect_about("prelude field %u = %u", slot, value);
    EXPECT_EQ(cut_both_ways(&parts.frame, body, length, &run), status);
    EXPECT_EQ(run.error.rule, rule);
    EXPECT_EQ(run.error.offset, offset);
}

static void test_prelude_rules(void)
{
    const uint16_t layout_rule = nnrp_layouts[NNRP_L_BODY_REGION_PRELUDE].first_rule[NNRP_STAGE_LAYOUT];
    const int wrong = NNRP_E_INVALID_PROTOCOL_COMBINATION;
    expect_prelude_breach(6, 1, NNRP_E_NON_ZERO_RESERVED_FIELD, layout_rule, 24);
    expect_prelude_breach(7, 1u << 31, NNRP_E_NON_ZERO_RESERVED_FIELD, (uint16_t)(layout_rule + 1), 28);
    expect_prelude_breach(1, 49, wrong, (uint16_t)(layout_rule + 2), 4);
    for (unsigned slot = 0; slot < 6; slot++) {
        /* 4294967280 is a multiple of 24 and of 16; with the other regions the sum leaves u32. */
        expect_prelude_breach(slot, 4294967280u, NNRP_E_MESSAGE_LENGTH_OVERFLOW, NNRP_RULE_PRELUDE_SUM_FITS_U32, 0);
        /* Before every other rule about the lengths, whatever else is wrong with this one (wire.md 6.4). */
        expect_prelude_breach(slot, UINT32_MAX, NNRP_E_MESSAGE_LENGTH_OVERFLOW, NNRP_RULE_PRELUDE_SUM_FITS_U32, 0);
    }
    expect_prelude_breach(2, 48, wrong, NNRP_RULE_PRELUDE_DESCRIPTOR_BYTES, 8);
    expect_prelude_breach(2, 73, wrong, NNRP_RULE_PRELUDE_DESCRIPTOR_BYTES, 8);
    expect_prelude_breach(4, 47, wrong, NNRP_RULE_PRELUDE_EXTENSION_MULTIPLE, 16);
    expect_prelude_breach(4, 0, wrong, NNRP_RULE_PRELUDE_EXTENSIONS_NEED_DESCRIPTORS, 20);
    expect_prelude_breach(0, parts.objects.length + 8, wrong, NNRP_RULE_PRELUDE_TOTAL, 0);
    expect_prelude_breach(5, 6, wrong, NNRP_RULE_PRELUDE_TOTAL, 0);
    expect_prelude_breach(5, 8, wrong, NNRP_RULE_PRELUDE_TOTAL, 0);

    plain_submit(&parts);
    parts.frame.payload_frame_count = 0;
    parts.descriptors.length = 0;
    expect_breach(&parts, NNRP_RULE_PRELUDE_FRAMES_NEED_DESCRIPTORS, 12);
}

/* The sum of six lengths fits u32 while 32 more would not: no wrapped offset may be used. */
static void test_a_prelude_that_ends_beyond_u32(void)
{
    uint8_t body[BODY_CAPACITY];
    plain_submit(&parts);
    const uint32_t length = join(&parts, body);
    put_u32(body, UINT32_MAX - 26);
    EXPECT_EQ(cut_both_ways(&parts.frame, body, length, &run), NNRP_E_INVALID_PROTOCOL_COMBINATION);
    EXPECT_EQ(run.error.rule, NNRP_RULE_PRELUDE_TOTAL);
    EXPECT_EQ(run.error.expected, (uint64_t)UINT32_MAX + 32);
    EXPECT_EQ(run.error.found, length);
}

static void test_every_region_reports_offsets_of_the_body(void)
{
    full_submit(&parts);
    put_u16(parts.objects.bytes + 2, 1);
    expect_layout_breach(&parts, NNRP_E_NON_ZERO_RESERVED_FIELD, NNRP_L_INLINE_OBJECT_BLOCK_HEADER, PRELUDE + 2);
    full_submit(&parts);
    put_u16(parts.references.bytes + 24 + 2, 1);
    expect_layout_breach(&parts, NNRP_E_NON_ZERO_RESERVED_FIELD, NNRP_L_OBJECT_REFERENCE_BLOCK,
                         references_at(&parts) + 24 + 2);
    full_submit(&parts);
    parts.descriptors.bytes[48 + 2] = 3;
    expect_layout_breach(&parts, NNRP_E_UNKNOWN_ENUM_VALUE, NNRP_L_TYPED_PAYLOAD_DESCRIPTOR,
                         descriptors_at(&parts) + 48 + 2);
    full_submit(&parts);
    put_u16(parts.extension_descriptors.bytes + 32 + 2, 2);
    expect_layout_breach(&parts, NNRP_E_RESERVED_BITS_SET, NNRP_L_EXTENSION_FRAME_DESCRIPTOR,
                         extensions_at(&parts) + 32 + 2);
    full_submit(&parts);
    parts.frame.payload_kind_bitmap |= NNRP_PAYLOAD_KIND_TOOL_DELTA;
    expect_breach(&parts, NNRP_RULE_TYPED_KINDS_MATCH_BITMAP, descriptors_at(&parts));
    full_submit(&parts);
    add_zeroes(&parts.extension_payloads, 1);
    expect_breach(&parts, NNRP_RULE_EXTENSION_PAYLOADS_FILL_REGION, extensions_at(&parts) + 48);
}

/* The reference rules of FRAME_SUBMIT know a mode and a mask; RESULT_PUSH has neither (wire.md 6.4.4). */
static void test_references_of_a_result_need_no_mask(void)
{
    full_result(&parts);
    add_reference(&parts.references, NNRP_CACHE_OBJECT_KIND_PAYLOAD_LAYOUT_TEMPLATE);
    add_reference(&parts.references, NNRP_CACHE_OBJECT_KIND_CAMERA_BLOCK);
    expect_about("references of a result");
    expect_accepted(&parts);
    parts.frame.is_submit = 1;
    expect_breach(&parts, NNRP_RULE_REFERENCE_SLOT_LISTED, references_at(&parts) + 24);
}

static void test_a_refusing_callback_stops_the_cut(void)
{
    uint8_t body[BODY_CAPACITY];
    static cut_run whole;
    full_submit(&parts);
    const uint32_t length = join(&parts, body);
    cut_body(&parts.frame, body, length, LEND_SCRAMBLE, &whole);
    expect_about("refusing callbacks");
    EXPECT_EQ(whole.status, NNRP_OK);
    /* prelude, references, five object headers, tile index, three descriptors with tables, descriptors, extensions */
    EXPECT_EQ(whole.lends, 1 + 1 + 5 + 1 + 3 * 2 + 1 + 1);
    for (unsigned n = 1; n <= whole.lends; n++) {
        run = (cut_run){.refuse_lend_at = n};
        cut_body(&parts.frame, body, length, LEND_SCRAMBLE, &run);
        EXPECT_EQ(run.status, NNRP_STOPPED);
        EXPECT_EQ(run.lends, n);
    }
    for (unsigned n = 1; n <= whole.objects; n++) {
        run = (cut_run){.refuse_object_at = n};
        cut_body(&parts.frame, body, length, LEND_NOT, &run);
        EXPECT_EQ(run.status, NNRP_STOPPED);
        EXPECT_EQ(run.objects, n);
    }
    for (unsigned n = 1; n <= whole.sections; n++) {
        run = (cut_run){.refuse_section_at = n};
        cut_body(&parts.frame, body, length, LEND_NOT, &run);
        EXPECT_EQ(run.status, NNRP_STOPPED);
        EXPECT_EQ(run.sections, n);
    }
}

static const uint8_t *lend_in_place(void *context, uint32_t at, uint32_t length)
{
    (void)length;
    return (const uint8_t *)context + at;
}

static void test_callbacks_are_optional(void)
{
    uint8_t body[BODY_CAPACITY];
    nnrp_body out;
    nnrp_error error;
    full_submit(&parts);
    const uint32_t length = join(&parts, body);
    const nnrp_body_io none = {0}, only_lend = {.context = body, .lend = lend_in_place};
    expect_about("callbacks left out");
    EXPECT_EQ(nnrp_body_cut(&parts.frame, body, length, NULL, &out, &error), NNRP_OK);
    EXPECT(out.prelude == body);
    EXPECT_EQ(nnrp_body_cut(&parts.frame, body, length, &none, &out, &error), NNRP_OK);
    EXPECT_EQ(nnrp_body_cut(&parts.frame, body, length, &only_lend, &out, &error), NNRP_OK);
    EXPECT(out.tile_index == body + out.tile_index_span.at);
}

/* Every single-byte change and every truncation of bodies that hold everything: the verdict may change, but never with
 * who owns the bytes. */
static void test_changed_bodies_are_judged_the_same_from_copies(void)
{
    void (*const makers[])(body_parts *) = {full_submit, full_result, plain_submit};
    for (unsigned maker = 0; maker < 3; maker++) {
        uint8_t body[BODY_CAPACITY];
        makers[maker](&parts);
        const uint32_t length = join(&parts, body);
        for (uint32_t at = 0; at < length; at++) {
            static const uint8_t changes[] = {0x01, 0x02, 0x08, 0x80, 0xff};
            for (unsigned i = 0; i < sizeof changes; i++) {
                expect_about("body %u, byte %u ^ %#x", maker, at, changes[i]);
                body[at] ^= changes[i];
                cut_both_ways(&parts.frame, body, length, &run);
                EXPECT(run.status <= NNRP_OK && run.status >= -NNRP_STATUS_COUNT);
                EXPECT(run.status == NNRP_OK || run.error.offset <= length);
                body[at] ^= changes[i];
            }
        }
        for (uint32_t present = 1; present < length; present++) {
            expect_about("body %u, %u bytes", maker, present);
            EXPECT_EQ(cut_both_ways(&parts.frame, body, present, &run),
                      present < PRELUDE ? NNRP_E_SOURCE_TOO_SHORT : NNRP_E_INVALID_PROTOCOL_COMBINATION);
        }
    }
}

int main(void)
{
    test_the_metadata_is_read_field_by_field();
    test_bodies_that_use_everything_are_cut();
    test_empty_bodies();
    test_a_short_prelude_is_refused();
    test_prelude_rules();
    test_a_prelude_that_ends_beyond_u32();
    test_every_region_reports_offsets_of_the_body();
    test_references_of_a_result_need_no_mask();
    test_a_refusing_callback_stops_the_cut();
    test_callbacks_are_optional();
    test_changed_bodies_are_judged_the_same_from_copies();
    return expect_end();
}
