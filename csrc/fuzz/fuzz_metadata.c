/* Any layout at any stage: the rules of the table against a second reading of them, straight-line checks against the
 * generic one, and the layout written again field by field.
 *
 * Input: layout(1) | message(1) | bytes of the layout | header(40) | the request it answers. */
#include <string.h>

#include "input.h"
#include "kit/expect.h"
#include "kit/probe.h"
#include "kit/samples.h"

static void fill(input *in, uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bytes[i] = (uint8_t)take(in, 1);
    }
}

/* One of the messages whose metadata is this layout, so that rules limited to a message get their turn. */
static uint8_t message_of(uint16_t layout, uint32_t choice)
{
    uint8_t codes[NNRP_MESSAGE_COUNT];
    uint32_t count = 0;
    for (unsigned i = 0; i < NNRP_MESSAGE_COUNT; i++) {
        if (nnrp_messages[i].layout == layout) {
            codes[count++] = nnrp_messages[i].code;
        }
    }
    return count != 0 ? codes[choice % count] : (uint8_t)NNRP_MT_PING;
}

static void expect_verdict(int status, const nnrp_error *error, uint16_t layout, enum nnrp_stage stage, const sample *s)
{
    const uint16_t broken = sample_first_broken(layout, stage, s);
    expect_documented(status, 0, error, nnrp_layouts[layout].size);
    if (broken == NNRP_NONE) {
        EXPECT_EQ(status, NNRP_OK);
        return;
    }
    EXPECT_EQ(status, nnrp_rules[broken].status);
    EXPECT_EQ(error->rule, broken);
    EXPECT_EQ(error->field, nnrp_rules[broken].field);
    if (error->field != NNRP_NONE) {
        const nnrp_field *field = &nnrp_layout_fields(&nnrp_layouts[layout])[error->field];
        EXPECT(error->offset == field->offset);
        EXPECT(field->type == NNRP_I16 || error->found == sample_load(s->own + field->offset, field->size));
    }
}

static void expect_rewritten(const nnrp_layout *layout, const uint8_t *own)
{
    uint8_t made[NNRP_LARGEST_LAYOUT] = {0};
    for (uint16_t i = 0; i < layout->field_count; i++) {
        const nnrp_field *field = &nnrp_layout_fields(layout)[i];
        const uint64_t value = nnrp_field_load(field, own);
        EXPECT(field->type == NNRP_I16 ? (int64_t)value >= INT16_MIN && (int64_t)value <= INT16_MAX
                                       : value <= nnrp_field_max(field));
        nnrp_field_store(field, made, value);
    }
    EXPECT_BYTES(made, own, layout->size); /* fields follow each other without gaps (wire.md section 1) */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    const uint16_t number = (uint16_t)(take(&in, 1) % NNRP_LAYOUT_COUNT);
    const nnrp_layout *layout = &nnrp_layouts[number];
    const uint8_t message = message_of(number, take(&in, 1));
    nnrp_error error = {0};
    sample s;
    memset(&s, 0, sizeof s);
    probe_layouts(in.at, in.left < layout->size ? in.left : layout->size); /* short sources, and bytes as any layout */
    fill(&in, s.own, layout->size);
    fill(&in, s.header, sizeof s.header);
    s.header[NNRP_COMMON_HEADER_AT_MESSAGE_TYPE] = message;
    expect_rewritten(layout, s.own);
    expect_verdict(nnrp_layout_check(layout, s.own, layout->size, &error), &error, number, NNRP_STAGE_LAYOUT, &s);
    for (enum nnrp_stage stage = NNRP_STAGE_MESSAGE; stage <= NNRP_STAGE_SENDER; stage++) {
        expect_verdict(nnrp_stage_check(layout, stage, s.header, s.own, NULL, &error), &error, number, stage, &s);
    }
    if (layout->request != NNRP_NONE) {
        fill(&in, s.request, nnrp_layouts[layout->request].size);
        expect_verdict(nnrp_stage_check(layout, NNRP_STAGE_PAIR, s.header, s.own, s.request, &error), &error, number,
                       NNRP_STAGE_PAIR, &s);
    }
    return 0;
}
