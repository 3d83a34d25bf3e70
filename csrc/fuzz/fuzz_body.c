/* A data-plane body: cut in place and from copies with the same outcome, stopped where a callback refuses, and written
 * again from its parts.
 *
 * Input: refusal(1) | message(1) | metadata of FRAME_SUBMIT or RESULT_PUSH | body. Of the metadata only what steers the
 * cut is looked at, and the two modes are brought into their range, as the layout stage would have made sure. */
#include <string.h>

#include "cutting.h"
#include "kit/expect.h"
#include "kit/probe.h"
#include "nnrp/tile_index.h"

static void take_frame(input *in, nnrp_body_frame *frame)
{
    uint8_t metadata[NNRP_LARGEST_LAYOUT] = {0};
    const int is_submit = take(in, 1) % 2 == 0;
    const size_t size = is_submit ? NNRP_FRAME_SUBMIT_SIZE : NNRP_RESULT_PUSH_SIZE;
    for (size_t i = 0; i < size; i++) {
        metadata[i] = (uint8_t)take(in, 1);
    }
    (is_submit ? nnrp_body_frame_of_submit : nnrp_body_frame_of_result)(frame, metadata);
    frame->tile_index_mode %= 4;
    frame->submit_mode %= 3;
}

static void expect_inside(const cutting *c, uint32_t length)
{
    const nnrp_body *out = &c->out;
    const nnrp_span spans[] = {
        out->objects,           out->references, out->descriptors, out->frames, out->extension_descriptors,
        out->extension_payloads};
    uint64_t at = NNRP_BODY_REGION_PRELUDE_SIZE;
    for (unsigned i = 0; i < sizeof spans / sizeof *spans; i++) {
        EXPECT(spans[i].at == at);
        at += spans[i].length;
    }
    EXPECT(at == length);
    for (unsigned i = 0; i < c->object_count; i++) {
        const nnrp_span payload = c->objects[i].payload;
        const uint32_t end = out->objects.at + out->objects.length;
        EXPECT(payload.at <= end && payload.length <= end - payload.at);
    }
    for (unsigned i = 0; i < c->section_count; i++) {
        const nnrp_section *s = &c->sections[i];
        EXPECT(s->payload.at <= length && s->payload.length <= length - s->payload.at);
        EXPECT(s->tables_span.at <= length && s->tables_span.length <= length - s->tables_span.at);
    }
}

/* What the whole body says of its regions, the single checks say too. */
static void expect_regions_hold(const cutting *c, const nnrp_body_frame *frame)
{
    const nnrp_body *out = &c->out;
    nnrp_error error;
    EXPECT_EQ(nnrp_typed_region_check(out->descriptor_bytes, out->descriptors.length, out->frames.length,
                                      frame->payload_kind_bitmap, frame->payload_frame_count, &error),
              NNRP_OK);
    EXPECT_EQ(nnrp_extension_region_check(out->extension_descriptor_bytes, out->extension_descriptors.length,
                                          out->extension_payloads.length, &error),
              NNRP_OK);
    if (frame->is_submit) {
        EXPECT_EQ(nnrp_reference_region_check(out->reference_bytes, out->references.length, frame->submit_mode,
                                              frame->object_ref_mask, &error),
                  NNRP_OK);
    }
    if (out->tile_index != NULL) {
        EXPECT_EQ(nnrp_tile_index_check(frame->tile_index_mode, out->tile_index, out->tile_index_span.length,
                                        frame->tile_count, frame->tile_base_id, &error),
                  NNRP_OK);
    }
}

/* A cut that is refused something has seen the beginning of what the whole cut saw. */
static void expect_stopped(cutting *c, const cutting *whole, const nnrp_body_frame *frame, const uint8_t *body,
                           uint32_t length)
{
    cut(c, frame, body, length);
    if (!c->said_no) {
        expect_same_cut(c, whole);
        return;
    }
    EXPECT(c->object_count <= whole->object_count + 1 && c->section_count <= whole->section_count + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cutting in_place, lent, refused;
    static uint8_t made[INPUT_CAPACITY];
    input in = {data, size < INPUT_CAPACITY ? size : INPUT_CAPACITY};
    nnrp_body_frame frame;
    const uint32_t refusal = take(&in, 1);
    take_frame(&in, &frame);
    const uint32_t length = (uint32_t)in.left;
    cut(&in_place, &frame, in.at, length);
    expect_documented(in_place.status, 0, &in_place.error, length);
    lent.lends = 1;
    cut(&lent, &frame, in.at, length);
    expect_same_cut(&lent, &in_place);
    refused.lends = 1;
    refused.refused = (enum refusal)(refusal % 4);
    refused.refuse_at = refusal / 4 + 1;
    expect_stopped(&refused, &in_place, &frame, in.at, length);
    if (in_place.status != NNRP_OK || in_place.out.prelude == NULL) {
        EXPECT(in_place.status != NNRP_OK || length == 0);
        return 0;
    }
    expect_inside(&in_place, length);
    expect_regions_hold(&in_place, &frame);
    EXPECT(body_from_parts(&in_place, &frame, in.at, made) == length);
    EXPECT_BYTES(made, in.at, length);
    return 0;
}
