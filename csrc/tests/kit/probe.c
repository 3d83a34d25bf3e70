#include "kit/probe.h"

#include <string.h>

#include "hot_generated.h"
#include "kit/expect.h"
#include "nnrp/tile_index.h"
#include "nnrp/utf8.h"

#define HEADER NNRP_COMMON_HEADER_SIZE

void expect_documented(int status, int extra, const nnrp_error *error, uint64_t length)
{
    expect_count++;
    if (status == NNRP_OK || (extra != 0 && status == extra)) {
        return;
    }
    int good = status < 0 && -1 - status < NNRP_STATUS_COUNT && error->status == status &&
               error->rule < NNRP_RULE_COUNT && nnrp_rules[error->rule].status == status && error->offset <= length &&
               error->detail <= (NNRP_HAS_EXPECTED | NNRP_HAS_FOUND);
    if (good && error->layout == NNRP_NONE) {
        good = error->field == NNRP_NONE;
    } else if (good) {
        good = error->layout < NNRP_LAYOUT_COUNT &&
               (error->field == NNRP_NONE || error->field < nnrp_layouts[error->layout].field_count);
    }
    if (!good) {
        expect_failed(__FILE__, __LINE__,
                      "status %d, error of status %d, rule %u, layout %u, field %u, offset %llu of %llu", status,
                      error->status, error->rule, error->layout, error->field, (unsigned long long)error->offset,
                      (unsigned long long)length);
    }
}

typedef int hot_check(const uint8_t *p);

/* NULL for a layout without straight-line code. */
static hot_check *hot_of(uint16_t layout, enum nnrp_stage stage)
{
    switch (layout) {
    case NNRP_L_COMMON_HEADER:
        return stage == NNRP_STAGE_LAYOUT ? nnrp_hot_common_header_layout : NULL;
    case NNRP_L_FRAME_SUBMIT:
        return stage == NNRP_STAGE_LAYOUT    ? nnrp_hot_frame_submit_layout
               : stage == NNRP_STAGE_MESSAGE ? nnrp_hot_frame_submit_message
                                             : NULL;
    case NNRP_L_RESULT_PUSH:
        return stage == NNRP_STAGE_LAYOUT   ? nnrp_hot_result_push_layout
               : stage == NNRP_STAGE_SENDER ? nnrp_hot_result_push_sender
                                            : NULL;
    case NNRP_L_PARTIAL_RESULT:
        return stage == NNRP_STAGE_LAYOUT    ? nnrp_hot_partial_result_layout
               : stage == NNRP_STAGE_MESSAGE ? nnrp_hot_partial_result_message
                                             : NULL;
    case NNRP_L_BODY_REGION_PRELUDE:
        return stage == NNRP_STAGE_LAYOUT ? nnrp_hot_body_region_prelude_layout : NULL;
    case NNRP_L_TYPED_PAYLOAD_DESCRIPTOR:
        return stage == NNRP_STAGE_LAYOUT ? nnrp_hot_typed_payload_descriptor_layout : NULL;
    default:
        return NULL;
    }
}

void probe_layouts(const uint8_t *p, size_t length)
{
    for (uint16_t l = 0; l < NNRP_LAYOUT_COUNT; l++) {
        const nnrp_layout *layout = &nnrp_layouts[l];
        hot_check *const fast = hot_of(l, NNRP_STAGE_LAYOUT);
        nnrp_error error;
        const int status = nnrp_layout_check(layout, p, length, &error);
        expect_documented(status, 0, &error, length);
        if (length < layout->size) {
            EXPECT(error.rule == layout->size_rule);
            continue;
        }
        if (fast != NULL) {
            EXPECT((fast(p) != 0) == (status == NNRP_OK));
        }
        for (uint16_t i = 0; i < layout->field_count; i++) {
            const nnrp_field *field = &nnrp_layout_fields(layout)[i];
            const uint64_t value = nnrp_field_load(field, p);
            EXPECT(field->type == NNRP_I16 || value <= nnrp_field_max(field));
        }
    }
}

static void probe_message(const uint8_t *p, const nnrp_packet *packet)
{
    const nnrp_message *message = &nnrp_messages[packet->message];
    const size_t length = HEADER + (size_t)packet->meta_len;
    nnrp_span spans[NNRP_MAX_TAILS] = {{0, 0}, {0, 0}, {0, 0}};
    nnrp_error error;
    const int relaxed = nnrp_message_check(p, packet, 0, &error);
    expect_documented(relaxed, 0, &error, length);
    const int strict = nnrp_message_check(p, packet, 1, &error);
    expect_documented(strict, 0, &error, length);
    EXPECT(relaxed == NNRP_OK || strict == relaxed);
    if (message->layout != NNRP_NONE &&
        (message->meta_len_rule == NNRP_NONE || packet->meta_len == message->meta_len)) {
        hot_check *const fast = hot_of(message->layout, NNRP_STAGE_MESSAGE);
        hot_check *const sender = hot_of(message->layout, NNRP_STAGE_SENDER);
        if (fast != NULL) {
            const int status =
                nnrp_stage_check(&nnrp_layouts[message->layout], NNRP_STAGE_MESSAGE, p, p + HEADER, NULL, &error);
            EXPECT(status == relaxed);
            EXPECT((fast(p + HEADER) != 0) == (status == NNRP_OK));
        }
        if (sender != NULL) {
            EXPECT((sender(p + HEADER) != 0) == (strict == NNRP_OK));
        }
    }
    if (message->body_format != NNRP_BODY_DATA_PLANE) {
        const int status = nnrp_tails_cut(p, packet, spans, &error);
        uint64_t at = 0;
        expect_documented(status, 0, &error, length);
        for (unsigned i = 0; status == NNRP_OK && i < message->tail_count; i++) {
            EXPECT(spans[i].at == at);
            at += spans[i].length;
        }
        EXPECT(status != NNRP_OK || message->body_format == NNRP_BODY_OPAQUE || at == packet->body_len);
    }
}

void probe_packet(const uint8_t *p, size_t length, const probe_setting *setting)
{
    nnrp_packet exact, next;
    nnrp_row rows[3];
    nnrp_error error, exact_error, scan_error;
    size_t position = 0, count = 0;
    const int header = nnrp_header_check(p, length, &error);
    const int checked = nnrp_packet_check(p, length, setting->limit, &exact, &exact_error);
    const int streamed = nnrp_packet_next(p, length, setting->limit, &next, &error);
    const int scanned = nnrp_scan(p, length, setting->limit, &position, rows, 3, &count, &scan_error);
    expect_documented(checked, 0, &exact_error, length);
    expect_documented(streamed, NNRP_NEED_MORE, &error, length);
    expect_documented(scanned, NNRP_NEED_MORE, &scan_error, length);
    EXPECT(position <= length && count <= 3);
    EXPECT(header == NNRP_OK || checked == header);
    /* A stream differs from the buffer only in what it says of too few or too many bytes, and of a limit. */
    if (length < HEADER) {
        EXPECT(streamed == NNRP_NEED_MORE && next.total == 0);
        EXPECT(checked == NNRP_E_SOURCE_TOO_SHORT);
        EXPECT(scanned == (length == 0 ? NNRP_OK : NNRP_NEED_MORE));
        return;
    }
    if (streamed == NNRP_NEED_MORE) {
        EXPECT(next.total > length && checked == NNRP_E_PACKET_LENGTH_MISMATCH);
        EXPECT(scanned == NNRP_NEED_MORE && position == 0);
        return;
    }
    if (checked != NNRP_E_PACKET_LENGTH_MISMATCH) {
        EXPECT(checked == streamed);
    }
    if (streamed == NNRP_OK) {
        EXPECT(next.total <= length && next.total == HEADER + (size_t)next.meta_len + next.body_len);
        EXPECT(count >= 1 && rows[0].offset == 0 && rows[0].message_type == nnrp_messages[next.message].code);
        EXPECT((checked == NNRP_OK) == (next.total == length));
        probe_message(p, &next);
    } else if (header != NNRP_OK) {
        EXPECT(scanned == streamed && count == 0 && scan_error.offset == error.offset);
    }
}

static void probe_tile_index(const uint8_t *p, size_t length, const probe_setting *setting)
{
    uint32_t ids[1024], counts[4] = {0, (uint32_t)(length / 2), 0, setting->b % 1024};
    nnrp_error error;
    for (size_t i = 0; i < length; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            counts[2] += p[i] >> bit & 1;
        }
    }
    for (uint32_t mode = 0; mode < 4; mode++) {
        for (unsigned c = 0; c < 4; c++) {
            const uint32_t count = counts[c] < 1024 ? counts[c] : 1023;
            const int status = nnrp_tile_index_check(mode, p, length, count, setting->frame.tile_base_id, &error);
            size_t size = 0;
            expect_documented(status, 0, &error, length);
            if (status != NNRP_OK) {
                continue;
            }
            nnrp_tile_index_read(mode, p, length, count, setting->frame.tile_base_id, ids);
            EXPECT(nnrp_tile_index_size(mode, ids, count, setting->frame.tile_base_id, &size, &error) == NNRP_OK);
            EXPECT(size == length); /* every accepted index has one spelling */
        }
    }
}

void probe_regions(const uint8_t *p, size_t length, const probe_setting *setting)
{
    nnrp_control_extension extension;
    nnrp_span token;
    nnrp_error error;
    size_t position = 0;
    int status;
    status = nnrp_typed_region_check(p, length, setting->frame_bytes, setting->a, setting->b, &error);
    expect_documented(status, 0, &error, length);
    status =
        nnrp_typed_region_check(p, length, setting->frame_bytes, setting->a & 0x7f, (uint32_t)(length / 24), &error);
    expect_documented(status, 0, &error, length);
    status = nnrp_reference_region_check(p, length, setting->a, setting->b, &error);
    expect_documented(status, 0, &error, length);
    status = nnrp_extension_region_check(p, length, setting->frame_bytes, &error);
    expect_documented(status, 0, &error, length);
    do {
        const size_t before = position;
        status = nnrp_control_extension_next(p, length, &position, &extension, &error);
        expect_documented(status, NNRP_NEED_MORE, &error, length);
        EXPECT(position <= length);
        EXPECT(status != NNRP_OK ||
               (position > before && extension.value_at + (uint64_t)extension.value_length <= position));
        EXPECT(status != NNRP_NEED_MORE || position == length);
    } while (status == NNRP_OK);
    position = 0;
    do {
        const size_t before = position;
        status = nnrp_capability_entry_next(p, length, &position, &token, &error);
        expect_documented(status, 0, &error, length);
        EXPECT(position <= length && (status != NNRP_OK || position == before + 2 + token.length));
    } while (status == NNRP_OK);
    EXPECT(nnrp_utf8_valid_prefix(p, length) <= length);
    probe_tile_index(p, length, setting);
}

void probe_body(const uint8_t *p, size_t length, const probe_setting *setting)
{
    nnrp_body out;
    nnrp_error error;
    const int status = nnrp_body_cut(&setting->frame, p, (uint32_t)length, NULL, &out, &error);
    expect_documented(status, 0, &error, length);
    if (status != NNRP_OK || out.prelude == NULL) {
        return;
    }
    const nnrp_span spans[] = {
        out.objects, out.references, out.descriptors, out.frames, out.extension_descriptors, out.extension_payloads};
    uint64_t at = NNRP_BODY_REGION_PRELUDE_SIZE;
    for (unsigned i = 0; i < sizeof spans / sizeof *spans; i++) {
        EXPECT(spans[i].at == at);
        at += spans[i].length;
    }
    EXPECT(at == length);
}
