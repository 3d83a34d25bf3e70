/* A stream whole and in pieces: the same packets end at the same places, the same error stands at the same offset, and
 * a scan sees the packets that the splitter sees.
 *
 * Input: limit(1) | rows of one scan(1) | number of pieces(1) | their sizes(1 each, used in turn) | stream. */
#include <string.h>

#include "input.h"
#include "kit/expect.h"
#include "kit/probe.h"
#include "kit/samples.h"

#define HEADER       NNRP_COMMON_HEADER_SIZE
#define MOST_PACKETS (INPUT_CAPACITY / HEADER + 1)
#define MOST_SIZES   8

typedef struct pieces {
    uint8_t sizes[MOST_SIZES];
    uint32_t count;
} pieces;

/* Where a stream's packets end, and what stands behind the last one. */
typedef struct outcome {
    size_t ends[MOST_PACKETS];
    size_t count;
    size_t at;
    size_t wanted; /* of the packet that is not complete: its length, 0 when its header is not complete either */
    int status;
    nnrp_error error;
} outcome;

/* Goes on with what can be seen of the stream. */
static void split(const uint8_t *stream, size_t visible, uint64_t limit, outcome *o)
{
    nnrp_packet packet;
    while (o->status == NNRP_NEED_MORE) {
        const size_t wanted = o->wanted;
        o->status = nnrp_packet_next(stream + o->at, visible - o->at, limit, &packet, &o->error);
        expect_documented(o->status, NNRP_NEED_MORE, &o->error, visible - o->at);
        EXPECT(wanted == 0 || o->status == NNRP_OK || o->status == NNRP_NEED_MORE || visible - o->at >= wanted);
        if (o->status == NNRP_NEED_MORE) {
            EXPECT(packet.total == 0 ? visible - o->at < HEADER : packet.total > visible - o->at);
            EXPECT(wanted == 0 || packet.total == wanted); /* a length once known stays */
            o->wanted = packet.total;
            return;
        }
        o->wanted = 0;
        if (o->status != NNRP_OK) {
            return;
        }
        EXPECT(packet.total >= HEADER && packet.total <= visible - o->at);
        o->at += packet.total;
        o->ends[o->count++] = o->at;
        o->status = NNRP_NEED_MORE;
    }
}

static void expect_same_outcome(const outcome *found, const outcome *wanted)
{
    EXPECT_EQ(found->status, wanted->status);
    EXPECT(found->at == wanted->at && found->count == wanted->count && found->wanted == wanted->wanted);
    EXPECT_BYTES(found->ends, wanted->ends, found->count * sizeof *found->ends);
    if (found->status < 0) {
        EXPECT(found->error.rule == wanted->error.rule && found->error.offset == wanted->error.offset);
        EXPECT(found->error.expected == wanted->error.expected && found->error.found == wanted->error.found);
    }
}

static void expect_row(const nnrp_row *row, const uint8_t *stream)
{
    const uint8_t *p = stream + row->offset;
    EXPECT_EQ(row->message_type, p[NNRP_COMMON_HEADER_AT_MESSAGE_TYPE]);
    EXPECT(row->flags == sample_load(p + NNRP_COMMON_HEADER_AT_FLAGS, 4));
    EXPECT(row->meta_len == sample_load(p + NNRP_COMMON_HEADER_AT_META_LEN, 4));
    EXPECT(row->body_len == sample_load(p + NNRP_COMMON_HEADER_AT_BODY_LEN, 4));
    EXPECT(row->session_id == sample_load(p + NNRP_COMMON_HEADER_AT_SESSION_ID, 4));
    EXPECT(row->frame_id == sample_load(p + NNRP_COMMON_HEADER_AT_FRAME_ID, 4));
    EXPECT(row->view_id == sample_load(p + NNRP_COMMON_HEADER_AT_VIEW_ID, 2));
    EXPECT(row->route_id == sample_load(p + NNRP_COMMON_HEADER_AT_ROUTE_ID, 2));
    EXPECT(row->trace_id == sample_load(p + NNRP_COMMON_HEADER_AT_TRACE_ID, 8));
}

typedef struct scan_state {
    nnrp_row rows[MOST_PACKETS];
    size_t count;
    size_t at;
    int status;
    nnrp_error error;
} scan_state;

/* Goes on with a scan, a few rows at a time. */
static void scan_on(const uint8_t *stream, size_t visible, uint64_t limit, size_t capacity, scan_state *s)
{
    size_t count;
    do {
        count = 0;
        s->status = nnrp_scan(stream, visible, limit, &s->at, s->rows + s->count, capacity, &count, &s->error);
        expect_documented(s->status, NNRP_NEED_MORE, &s->error, visible);
        EXPECT(count <= capacity && s->at <= visible);
        s->count += count;
    } while (s->status == NNRP_OK && s->at < visible);
}

static void expect_same_scan(const scan_state *found, const scan_state *wanted)
{
    EXPECT(found->status == wanted->status && found->at == wanted->at && found->count == wanted->count);
    EXPECT_BYTES(found->rows, wanted->rows, found->count * sizeof *found->rows);
    EXPECT(found->status >= 0 ||
           (found->error.rule == wanted->error.rule && found->error.offset == wanted->error.offset));
}

/* A scan does not look at metadata, so it may go further than the splitter, and never less far. */
static void expect_agreement(const outcome *o, const scan_state *s, const uint8_t *stream, size_t length)
{
    size_t start = 0;
    for (size_t i = 0; i < s->count; i++) {
        EXPECT(s->rows[i].offset == start);
        expect_row(&s->rows[i], stream);
        start += (size_t)HEADER + s->rows[i].meta_len + s->rows[i].body_len;
        EXPECT(i >= o->count || o->ends[i] == start);
    }
    EXPECT(s->count >= o->count && s->at == start);
    if (o->status == NNRP_NEED_MORE) {
        EXPECT(s->count == o->count && s->status == (o->at == length ? NNRP_OK : NNRP_NEED_MORE));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static outcome whole, cut;
    static scan_state scanned, scanned_cut;
    input in = {data, size < INPUT_CAPACITY ? size : INPUT_CAPACITY};
    const uint64_t limit = take_limit(&in);
    const size_t capacity = take(&in, 1) % 5 + 1;
    pieces sizes = {.count = take(&in, 1) % MOST_SIZES + 1};
    size_t visible = 0;
    for (uint32_t i = 0; i < sizes.count; i++) {
        sizes.sizes[i] = (uint8_t)take(&in, 1);
    }
    memset(&whole, 0, sizeof whole);
    memset(&cut, 0, sizeof cut);
    memset(&scanned, 0, sizeof scanned);
    memset(&scanned_cut, 0, sizeof scanned_cut);
    whole.status = cut.status = NNRP_NEED_MORE;
    split(in.at, in.left, limit, &whole);
    scan_on(in.at, in.left, limit, MOST_PACKETS, &scanned);
    for (uint32_t turn = 0; visible < in.left; turn++) {
        const size_t step = (size_t)sizes.sizes[turn % sizes.count] + 1;
        visible = step < in.left - visible ? visible + step : in.left;
        split(in.at, visible, limit, &cut);
        if (scanned_cut.status >= 0) {
            scan_on(in.at, visible, limit, capacity, &scanned_cut);
        }
    }
    if (in.left > 0) {
        expect_same_outcome(&cut, &whole);
        expect_same_scan(&scanned_cut, &scanned);
    }
    expect_agreement(&whole, &scanned, in.at, in.left);
    return 0;
}
