/* A whole packet through every stage: what a buffer, a stream and a scan say of it, tails that fill the body, and the
 * packet written again from its parts. Input: limit(1) | packet. */
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "kit/expect.h"
#include "kit/probe.h"
#include "kit/samples.h"

#define HEADER NNRP_COMMON_HEADER_SIZE

static void expect_metadata_judged(const uint8_t *p, const nnrp_packet *packet, int checked, const nnrp_error *error)
{
    const nnrp_message *message = &nnrp_messages[packet->message];
    sample s;
    if (message->layout == NNRP_NONE || packet->meta_len < nnrp_layouts[message->layout].size) {
        EXPECT_EQ(checked, message->layout == NNRP_NONE ? NNRP_OK : NNRP_E_SOURCE_TOO_SHORT);
        return;
    }
    memset(&s, 0, sizeof s);
    memcpy(s.header, p, HEADER);
    memcpy(s.own, p + HEADER, nnrp_layouts[message->layout].size);
    const uint16_t broken = sample_first_broken(message->layout, NNRP_STAGE_LAYOUT, &s);
    EXPECT_EQ(checked, broken == NNRP_NONE ? NNRP_OK : nnrp_rules[broken].status);
    EXPECT(broken == NNRP_NONE || (error->rule == broken && error->offset >= HEADER));
}

static void expect_tails(const uint8_t *p, const nnrp_packet *packet)
{
    const nnrp_message *message = &nnrp_messages[packet->message];
    nnrp_span spans[NNRP_MAX_TAILS] = {{0, 0}, {0, 0}, {0, 0}};
    nnrp_error error;
    uint64_t declared = 0;
    const int status = nnrp_tails_cut(p, packet, spans, &error);
    if (message->body_format == NNRP_BODY_OPAQUE) {
        EXPECT(status == NNRP_OK && spans[0].at == 0 && spans[0].length == packet->body_len);
        return;
    }
    for (unsigned i = 0; i < message->tail_count; i++) {
        const nnrp_field *field = &nnrp_layout_fields(&nnrp_layouts[message->layout])[message->tail_fields[i]];
        declared += sample_load(p + HEADER + field->offset, field->size);
    }
    EXPECT_EQ(status, declared == packet->body_len ? NNRP_OK : NNRP_E_DECLARED_LENGTH_MISMATCH);
    if (status != NNRP_OK) {
        EXPECT(error.expected == declared && error.found == packet->body_len);
    }
}

/* Whatever was accepted is what the writer makes of its parts; the allocation ends where the packet does. */
static void expect_rewritten(const uint8_t *p, const nnrp_packet *packet)
{
    uint8_t *made = malloc(packet->total);
    const nnrp_routing routing = {
        .trace_id = sample_load(p + NNRP_COMMON_HEADER_AT_TRACE_ID, 8),
        .flags = (uint32_t)sample_load(p + NNRP_COMMON_HEADER_AT_FLAGS, 4),
        .session_id = (uint32_t)sample_load(p + NNRP_COMMON_HEADER_AT_SESSION_ID, 4),
        .frame_id = (uint32_t)sample_load(p + NNRP_COMMON_HEADER_AT_FRAME_ID, 4),
        .view_id = (uint16_t)sample_load(p + NNRP_COMMON_HEADER_AT_VIEW_ID, 2),
        .route_id = (uint16_t)sample_load(p + NNRP_COMMON_HEADER_AT_ROUTE_ID, 2),
    };
    if (made == NULL) {
        exit(2);
    }
    nnrp_header_write(made, nnrp_messages[packet->message].code, &routing, packet->meta_len, packet->body_len);
    memcpy(made + HEADER, p + HEADER, packet->total - HEADER);
    EXPECT_BYTES(made, p, packet->total);
    free(made);
}

static void probe_data_plane(const uint8_t *p, const nnrp_packet *packet, probe_setting *setting)
{
    if (nnrp_messages[packet->message].code == NNRP_MT_FRAME_SUBMIT) {
        nnrp_body_frame_of_submit(&setting->frame, p + HEADER);
    } else {
        nnrp_body_frame_of_result(&setting->frame, p + HEADER);
    }
    probe_body(p + HEADER + packet->meta_len, packet->body_len, setting);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    probe_setting setting = {.limit = take_limit(&in)};
    nnrp_packet packet;
    nnrp_error error;
    probe_packet(in.at, in.left, &setting);
    if (nnrp_header_check(in.at, in.left, &error) != NNRP_OK ||
        nnrp_packet_measure(in.at, UINT64_MAX, &packet, &error) != NNRP_OK || packet.total != in.left) {
        return 0;
    }
    const int status = nnrp_metadata_check(in.at, &packet, &error);
    expect_metadata_judged(in.at, &packet, status, &error);
    if (status != NNRP_OK) {
        return 0;
    }
    expect_rewritten(in.at, &packet);
    if (nnrp_messages[packet.message].body_format == NNRP_BODY_DATA_PLANE) {
        probe_data_plane(in.at, &packet, &setting);
    } else {
        expect_tails(in.at, &packet);
    }
    return 0;
}
