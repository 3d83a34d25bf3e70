/* Many layouts at once against one at a time: the same layouts accepted, the same error behind the last of them, and in
 * the destination the very bytes that were checked.
 *
 * Input: layout(1) | way(1) | count(1) | positions(2 each, for the ways that gather) | source. */
#include "nnrp/columns.h"

#include <string.h>

#include "input.h"
#include "kit/expect.h"
#include "kit/probe.h"
#include "nnrp/packet.h"

#define MOST 64

typedef struct column {
    const nnrp_layout *layout;
    const uint8_t *source;
    size_t length;
    size_t count;
    uint64_t positions[MOST];
    uint8_t made[MOST * NNRP_LARGEST_LAYOUT];
    size_t done;
    int status;
    nnrp_error error;
} column;

/* What stands behind the layouts that were done must be what one check of it says. */
static void expect_end_at(const column *c, size_t at, int status, const nnrp_error *error)
{
    expect_documented(c->status, NNRP_OTHER_LAYOUT, &c->error, c->length);
    EXPECT_EQ(c->status, status);
    if (status < 0) {
        EXPECT(c->error.rule == error->rule && c->error.offset == at + error->offset);
        EXPECT(c->error.expected == error->expected && c->error.found == error->found);
    }
}

static size_t place(const column *c, size_t index)
{
    return c->positions[index] < c->length ? (size_t)c->positions[index] : c->length;
}

static void check(column *c)
{
    nnrp_error error;
    size_t at = 0;
    c->status = nnrp_columns_check(c->layout, c->source, c->length, c->count, &c->done, &c->error);
    for (size_t i = 0; i < c->done; i++, at += c->layout->size) {
        EXPECT_EQ(nnrp_layout_check(c->layout, c->source + at, c->length - at, &error), NNRP_OK);
    }
    EXPECT(c->done <= c->count && (c->done == c->count) == (c->status == NNRP_OK));
    if (c->done < c->count) {
        expect_end_at(c, at, nnrp_layout_check(c->layout, c->source + at, c->length - at, &error), &error);
    }
}

static void gather(column *c)
{
    nnrp_error error;
    c->status =
        nnrp_columns_gather(c->layout, c->source, c->length, c->positions, c->count, c->made, &c->done, &c->error);
    EXPECT(c->done <= c->count && (c->done == c->count) == (c->status == NNRP_OK));
    for (size_t i = 0; i < c->count && i <= c->done; i++) {
        const size_t at = place(c, i);
        const int status = nnrp_layout_check(c->layout, c->source + at, c->length - at, &error);
        if (i == c->done) {
            expect_end_at(c, at, status, &error);
            return;
        }
        EXPECT_EQ(status, NNRP_OK);
        EXPECT_BYTES(c->made + i * c->layout->size, c->source + at, c->layout->size);
    }
}

/* What nnrp_columns_metadata says of one packet: NNRP_OTHER_LAYOUT before its metadata is looked at. */
static int metadata_at(const column *c, size_t at, nnrp_error *error)
{
    const uint8_t *p = c->source + at;
    const size_t left = c->length - at;
    nnrp_packet packet;
    int status = nnrp_header_check(p, left, error);
    if (status == NNRP_OK) {
        status = nnrp_packet_measure(p, UINT64_MAX, &packet, error);
    }
    if (status == NNRP_OK && packet.total > left) {
        return nnrp_breach_values(error, NNRP_RULE_PACKET_IS_EXACT, left, packet.total, left);
    }
    if (status == NNRP_OK && nnrp_messages[packet.message].layout != c->layout - nnrp_layouts) {
        return NNRP_OTHER_LAYOUT;
    }
    return status == NNRP_OK ? nnrp_metadata_check(p, &packet, error) : status;
}

static void metadata(column *c)
{
    nnrp_error error;
    c->status =
        nnrp_columns_metadata(c->layout, c->source, c->length, c->positions, c->count, c->made, &c->done, &c->error);
    EXPECT(c->done <= c->count && (c->done == c->count) == (c->status == NNRP_OK));
    for (size_t i = 0; i < c->count && i <= c->done; i++) {
        const size_t at = place(c, i);
        const int status = metadata_at(c, at, &error);
        if (i == c->done) {
            expect_end_at(c, at, status, &error);
            return;
        }
        EXPECT_EQ(status, NNRP_OK);
        EXPECT_BYTES(c->made + i * c->layout->size, c->source + at + NNRP_COMMON_HEADER_SIZE, c->layout->size);
    }
}

/* Where a scan finds the packets, as a caller would go on. */
static void take_positions(column *c)
{
    nnrp_row rows[MOST];
    nnrp_error error;
    size_t position = 0;
    nnrp_scan(c->source, c->length, UINT64_MAX, &position, rows, MOST, &c->count, &error);
    for (size_t i = 0; i < c->count; i++) {
        c->positions[i] = rows[i].offset;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static column c;
    input in = {data, size < INPUT_CAPACITY ? size : INPUT_CAPACITY};
    memset(&c, 0, sizeof c);
    c.layout = &nnrp_layouts[take(&in, 1) % NNRP_LAYOUT_COUNT];
    const uint32_t way = take(&in, 1) % 4;
    c.count = take(&in, 1) % (MOST + 1);
    for (size_t i = 0; (way == 1 || way == 2) && i < c.count; i++) {
        c.positions[i] = take(&in, 2);
    }
    c.source = in.at;
    c.length = in.left;
    switch (way) {
    case 0:
        check(&c);
        break;
    case 1:
        gather(&c);
        break;
    case 2:
        metadata(&c);
        break;
    default:
        take_positions(&c);
        metadata(&c);
        break;
    }
    return 0;
}
