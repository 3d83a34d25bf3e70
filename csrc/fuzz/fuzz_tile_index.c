/* Tile indices both ways: what is decoded encodes to the same bytes, what is encoded decodes to the same ids, and what
 * a coding refuses it has a reason to refuse.
 *
 * Input: mode(1) | count(1: said by the bytes, or 4 more) | base(4) | an index, or ids to encode. */
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "kit/expect.h"
#include "kit/probe.h"
#include "nnrp/tile_index.h"

/* A dense range of four thousand million ids is a valid index of no bytes: no need to list them all. */
#define MOST_IDS 40000u

typedef struct index_case {
    uint32_t mode, count, base;
    const uint8_t *bytes;
    size_t length;
} index_case;

static uint32_t ids[MOST_IDS];
static uint32_t again[MOST_IDS];

static uint32_t count_said(uint32_t mode, const uint8_t *bytes, size_t length)
{
    uint32_t set = 0;
    if (mode != NNRP_TILE_INDEX_MODE_BITSET) {
        return (uint32_t)(length / 2);
    }
    for (size_t i = 0; i < 8 * length; i++) {
        set += (uint32_t)bytes[i / 8] >> (i % 8) & 1u;
    }
    return set;
}

static void decode_then_encode(const index_case *c)
{
    nnrp_error error;
    size_t size = 0;
    const int status = nnrp_tile_index_check(c->mode, c->bytes, c->length, c->count, c->base, &error);
    expect_documented(status, 0, &error, c->length);
    if (status != NNRP_OK || c->count > MOST_IDS) {
        return;
    }
    nnrp_tile_index_read(c->mode, c->bytes, c->length, c->count, c->base, ids);
    EXPECT_EQ(nnrp_tile_index_size(c->mode, ids, c->count, c->base, &size, &error), NNRP_OK);
    EXPECT(size == c->length);
    uint8_t *made = malloc(size != 0 ? size : 1);
    if (made == NULL) {
        exit(2);
    }
    nnrp_tile_index_write(c->mode, ids, c->count, made, size);
    EXPECT_BYTES(made, c->bytes, size);
    free(made);
}

/* wire.md section 6.4.2, said once more. */
static int can_be_said(const index_case *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->mode == NNRP_TILE_INDEX_MODE_DENSE_RANGE) {
            if (ids[i] != (uint64_t)c->base + i) {
                return 0;
            }
        } else if (ids[i] > 0xffff || (c->mode != NNRP_TILE_INDEX_MODE_RAW_U16 && i > 0 && ids[i] <= ids[i - 1])) {
            return 0;
        }
    }
    return 1;
}

static void encode_then_decode(index_case *c, unsigned width)
{
    nnrp_error error;
    size_t size = 1;
    input in = {c->bytes, c->length};
    c->count = 0;
    while (in.left > 0 && c->count < MOST_IDS) {
        ids[c->count++] = take(&in, width);
    }
    const int status = nnrp_tile_index_size(c->mode, ids, c->count, c->base, &size, &error);
    expect_documented(status, 0, &error, c->count);
    EXPECT_EQ(status == NNRP_OK, can_be_said(c));
    if (status != NNRP_OK) {
        return;
    }
    uint8_t *made = malloc(size != 0 ? size : 1);
    if (made == NULL) {
        exit(2);
    }
    nnrp_tile_index_write(c->mode, ids, c->count, made, size);
    EXPECT_EQ(nnrp_tile_index_check(c->mode, made, size, c->count, c->base, &error), NNRP_OK);
    nnrp_tile_index_read(c->mode, made, size, c->count, c->base, again);
    EXPECT_BYTES(again, ids, c->count * sizeof *ids);
    free(made);
}

static void kinds_both_ways(uint32_t bitmap)
{
    uint32_t kinds[NNRP_MAX_PAYLOAD_KINDS];
    const unsigned count = nnrp_payload_kinds(bitmap, kinds);
    for (unsigned i = 0; i < count; i++) {
        EXPECT(kinds[i] != 0 && (kinds[i] & (kinds[i] - 1)) == 0 && (i == 0 || kinds[i] > kinds[i - 1]));
    }
    EXPECT(nnrp_payload_kind_bitmap(kinds, count) == bitmap);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    index_case c = {.mode = take(&in, 1) % 4};
    const uint32_t way = take(&in, 1);
    c.base = take(&in, 4);
    kinds_both_ways(c.base);
    if (way % 4 == 1) {
        c.count = take(&in, 4);
    }
    c.bytes = in.at;
    c.length = in.left;
    if (way % 4 == 0) {
        c.count = count_said(c.mode, in.at, in.left);
    }
    if (way % 4 < 2) {
        decode_then_encode(&c);
    } else {
        encode_then_decode(&c, way % 4 == 2 ? 2 : 4);
    }
    return 0;
}
