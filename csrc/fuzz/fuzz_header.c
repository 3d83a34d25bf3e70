/* A common header: the seven checks against a second reading of the rules, the lengths against plain arithmetic, and
 * the header written again from what was read. Input: limit(1) | header and whatever follows. */
#include <string.h>

#include "input.h"
#include "kit/expect.h"
#include "kit/probe.h"
#include "kit/samples.h"

#define HEADER NNRP_COMMON_HEADER_SIZE

static void expect_same_verdict(const uint8_t *p, size_t length, int status)
{
    nnrp_error fast = {0}, generic = {0};
    sample s = {.own = {0}};
    EXPECT_EQ(nnrp_header_check(p, length, &fast), status);
    EXPECT_EQ(nnrp_layout_check(&nnrp_layouts[NNRP_L_COMMON_HEADER], p, length, &generic), status);
    EXPECT(status == NNRP_OK || (fast.rule == generic.rule && fast.offset == generic.offset));
    if (length < HEADER) {
        EXPECT_EQ(status, NNRP_E_SOURCE_TOO_SHORT);
        return;
    }
    memcpy(s.own, p, HEADER);
    const uint16_t broken = sample_first_broken(NNRP_L_COMMON_HEADER, NNRP_STAGE_LAYOUT, &s);
    EXPECT_EQ(status, broken == NNRP_NONE ? NNRP_OK : nnrp_rules[broken].status);
    EXPECT(broken == NNRP_NONE || fast.rule == broken);
}

static void expect_measured(const uint8_t *p, uint64_t limit)
{
    const uint64_t meta_len = sample_load(p + NNRP_COMMON_HEADER_AT_META_LEN, 4);
    const uint64_t body_len = sample_load(p + NNRP_COMMON_HEADER_AT_BODY_LEN, 4);
    nnrp_packet packet;
    nnrp_error error;
    const int status = nnrp_packet_measure(p, limit, &packet, &error);
    expect_documented(status, 0, &error, HEADER);
    EXPECT(packet.meta_len == meta_len && packet.body_len == body_len);
    EXPECT_EQ(nnrp_messages[packet.message].code, p[NNRP_COMMON_HEADER_AT_MESSAGE_TYPE]);
    if (meta_len + body_len > UINT32_MAX) {
        EXPECT_EQ(status, NNRP_E_MESSAGE_LENGTH_OVERFLOW);
        EXPECT(error.found == meta_len + body_len);
    } else if (HEADER + meta_len + body_len > limit) {
        EXPECT_EQ(status, NNRP_E_FRAME_TOO_LARGE);
        EXPECT(error.found == HEADER + meta_len + body_len && error.expected == limit);
    } else {
        EXPECT_EQ(status, NNRP_OK);
        EXPECT(packet.total == HEADER + meta_len + body_len);
    }
}

static void expect_rewritten(const uint8_t *p)
{
    uint8_t made[HEADER];
    const nnrp_routing routing = {
        .trace_id = nnrp_load_u64(p + NNRP_COMMON_HEADER_AT_TRACE_ID),
        .flags = nnrp_load_u32(p + NNRP_COMMON_HEADER_AT_FLAGS),
        .session_id = nnrp_load_u32(p + NNRP_COMMON_HEADER_AT_SESSION_ID),
        .frame_id = nnrp_load_u32(p + NNRP_COMMON_HEADER_AT_FRAME_ID),
        .view_id = (uint16_t)nnrp_load_u16(p + NNRP_COMMON_HEADER_AT_VIEW_ID),
        .route_id = (uint16_t)nnrp_load_u16(p + NNRP_COMMON_HEADER_AT_ROUTE_ID),
    };
    nnrp_header_write(made, p[NNRP_COMMON_HEADER_AT_MESSAGE_TYPE], &routing,
                      nnrp_load_u32(p + NNRP_COMMON_HEADER_AT_META_LEN),
                      nnrp_load_u32(p + NNRP_COMMON_HEADER_AT_BODY_LEN));
    EXPECT_BYTES(made, p, HEADER);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    const probe_setting setting = {.limit = take_limit(&in)};
    nnrp_error error = {0};
    const int status = nnrp_header_check(in.at, in.left, &error);
    expect_documented(status, 0, &error, in.left);
    expect_same_verdict(in.at, in.left, status);
    if (status == NNRP_OK) {
        expect_measured(in.at, setting.limit);
        expect_rewritten(in.at);
    }
    probe_packet(in.at, in.left, &setting);
    return 0;
}
