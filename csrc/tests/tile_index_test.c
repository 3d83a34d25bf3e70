/* tile_index.c: the four codings both ways, their limits, and payload kinds as a bitmap (wire.md 6.4.2). */
#include "nnrp/tile_index.h"

#include <stdlib.h>
#include <string.h>

#include "kit/expect.h"
#include "kit/guard.h"
#include "kit/random.h"

#define DENSE  NNRP_TILE_INDEX_MODE_DENSE_RANGE
#define RAW    NNRP_TILE_INDEX_MODE_RAW_U16
#define DELTA  NNRP_TILE_INDEX_MODE_DELTA_U16
#define BITSET NNRP_TILE_INDEX_MODE_BITSET

#define MOST_IDS   1000
#define MOST_BYTES 8192

static nnrp_error error;

static void expect_error(int status, uint16_t rule, uint64_t offset)
{
    expect_about("%s", nnrp_rules[rule].text);
    EXPECT_EQ(status, NNRP_E_INVALID_PROTOCOL_COMBINATION);
    EXPECT_EQ(error.status, status);
    EXPECT_EQ(error.rule, rule);
    EXPECT_EQ(error.offset, offset);
}

static int check(uint32_t mode, const void *bytes, size_t length, uint32_t count, uint32_t base)
{
    return nnrp_tile_index_check(mode, guard_at_end(bytes, length), length, count, base, &error);
}

/* Writes ids, compares the bytes with the wanted ones, reads them back. */
static void expect_bytes_of(uint32_t mode, const uint32_t *ids, uint32_t count, uint32_t base, const uint8_t *wanted,
                            size_t length)
{
    uint8_t bytes[MOST_BYTES + 1];
    uint32_t again[MOST_IDS + 1];
    size_t size = 99;
    EXPECT_EQ(nnrp_tile_index_size(mode, ids, count, base, &size, &error), NNRP_OK);
    EXPECT_EQ(size, length);
    memset(bytes, 0xee, sizeof bytes);
    nnrp_tile_index_write(mode, ids, count, bytes, size);
    EXPECT_BYTES(bytes, wanted, length);
    EXPECT_EQ(bytes[size], 0xee);
    EXPECT_EQ(check(mode, bytes, size, count, base), NNRP_OK);
    memset(again, 0xee, sizeof again);
    nnrp_tile_index_read(mode, guard_at_end(bytes, size), size, count, base, again);
    EXPECT_BYTES(again, ids, 4 * (uint64_t)count);
    EXPECT_EQ(again[count], 0xeeeeeeeeu);
}

static void test_known_bytes(void)
{
    static const uint32_t ids[] = {3, 4, 0x0123, 65535}, mixed[] = {9, 65535, 0, 9}, run[] = {70000, 70001, 70002};
    static const uint8_t raw[] = {9, 0, 0xff, 0xff, 0, 0, 9, 0};
    static const uint8_t delta[] = {3, 0, 1, 0, 0x1f, 0x01, 0xdc, 0xfe};
    static const uint8_t bits[] = {0x18, 0, 0x01};
    expect_about("known bytes");
    expect_bytes_of(DENSE, run, 3, 70000, NULL, 0);
    expect_bytes_of(RAW, mixed, 4, 0, raw, sizeof raw);
    expect_bytes_of(DELTA, ids, 4, 0, delta, sizeof delta);
    expect_bytes_of(BITSET, (const uint32_t[]){3, 4, 16}, 3, 0, bits, sizeof bits);
    for (uint32_t mode = DENSE; mode <= BITSET; mode++) {
        expect_about("no ids, mode %u", mode);
        expect_bytes_of(mode, NULL, 0, UINT32_MAX, NULL, 0);
    }
    /* The base is the dense range's alone. */
    expect_bytes_of(RAW, mixed, 4, 12345, raw, sizeof raw);
    expect_bytes_of(DELTA, ids, 4, 12345, delta, sizeof delta);
}

static void encode_by_hand(uint32_t mode, const uint32_t *ids, uint32_t count, uint8_t *bytes, size_t *length)
{
    uint32_t before = 0;
    *length = mode == BITSET && count != 0 ? ids[count - 1] / 8 + 1 : 0;
    memset(bytes, 0, *length);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t value = mode == DELTA ? ids[i] - before : ids[i];
        before = ids[i];
        if (mode == BITSET) {
            bytes[ids[i] / 8] |= (uint8_t)(1u << ids[i] % 8);
        } else {
            bytes[(*length)++] = (uint8_t)value;
            bytes[(*length)++] = (uint8_t)(value >> 8);
        }
    }
}

static void test_random_round_trips(void)
{
    rng r = {8};
    for (unsigned round = 0; round < 4000; round++) {
        uint32_t ids[MOST_IDS];
        uint8_t bytes[MOST_BYTES];
        size_t length;
        const uint32_t count = random_below(&r, round % 10 == 0 ? MOST_IDS : 20);
        const uint32_t mode = RAW + random_below(&r, 3);
        uint32_t id = 0;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t room = (65535 - id) / (count - i);
            id = mode == RAW ? random_below(&r, 65536) : id + (i != 0 ? 1 : 0) + random_below(&r, room != 0 ? room : 1);
            ids[i] = id;
        }
        expect_about("round %u: mode %u, %u ids", round, mode, count);
        encode_by_hand(mode, ids, count, bytes, &length);
        expect_bytes_of(mode, ids, count, (uint32_t)random_u64(&r), bytes, length);
    }
}

static void test_dense_range_limits(void)
{
    static const struct {
        uint32_t base, count;
        int fits;
    } cases[] = {
        {0, 0, 1},          {0, 65535, 1},          {UINT32_MAX, 0, 1},          {UINT32_MAX, 1, 1},
        {UINT32_MAX, 2, 0}, {UINT32_MAX - 4, 5, 1}, {UINT32_MAX - 4, 6, 0},      {0, UINT32_MAX, 1},
        {1, UINT32_MAX, 1}, {2, UINT32_MAX, 0},     {UINT32_MAX, UINT32_MAX, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int status = nnrp_tile_index_check(DENSE, NULL, 0, cases[i].count, cases[i].base, &error);
        if (cases[i].fits) {
            expect_about("%u tiles from %u", cases[i].count, cases[i].base);
            EXPECT_EQ(status, NNRP_OK);
        } else {
            expect_error(status, NNRP_RULE_TILE_DENSE_RANGE_FITS_U32, 0);
            EXPECT_EQ(error.found, (uint64_t)cases[i].base + cases[i].count - 1);
        }
    }
    expect_error(check(DENSE, "x", 1, 0, 0), NNRP_RULE_TILE_DENSE_RANGE_IS_EMPTY, 0);
    uint32_t ids[3];
    nnrp_tile_index_read(DENSE, NULL, 0, 3, UINT32_MAX - 2, ids);
    EXPECT_EQ(ids[0], UINT32_MAX - 2);
    EXPECT_EQ(ids[2], UINT32_MAX);
}

static void test_u16_lengths(void)
{
    static const uint8_t bytes[16] = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
    for (uint32_t mode = RAW; mode <= DELTA; mode++) {
        for (size_t length = 0; length <= 16; length++) {
            for (uint32_t count = 0; count <= 9; count++) {
                const int status = check(mode, bytes, length, count, 0);
                if (length == 2 * (size_t)count) {
                    expect_about("mode %u, %u bytes, %u tiles", mode, (unsigned)length, count);
                    EXPECT_EQ(status, NNRP_OK);
                } else {
                    expect_error(status, NNRP_RULE_TILE_U16_LENGTH, 0);
                    EXPECT_EQ(error.expected, 2 * count);
                    EXPECT_EQ(error.found, length);
                }
            }
        }
        /* Twice 0x80000001 is 2 in 32 bits. */
        expect_error(check(mode, bytes, 2, 0x80000001u, 0), NNRP_RULE_TILE_U16_LENGTH, 0);
    }
}

static void test_deltas(void)
{
    static const uint8_t zero_first[] = {0, 0, 1, 0}, zero_later[] = {1, 0, 0, 0, 1, 0};
    static const uint8_t at_the_top[] = {0xff, 0xff}, past_it[] = {0xff, 0xff, 1, 0}, up_to_it[] = {0xfe, 0xff, 1, 0};
    expect_about("deltas");
    EXPECT_EQ(check(DELTA, zero_first, 4, 2, 0), NNRP_OK); /* the first value is an id, which may be 0 */
    EXPECT_EQ(check(DELTA, at_the_top, 2, 1, 0), NNRP_OK);
    EXPECT_EQ(check(DELTA, up_to_it, 4, 2, 0), NNRP_OK);
    expect_error(check(DELTA, zero_later, 6, 3, 0), NNRP_RULE_TILE_DELTA_ASCENDS, 2);
    expect_error(check(DELTA, past_it, 4, 2, 0), NNRP_RULE_TILE_ID_FITS_U16, 2);
    /* The longest run of steps never wraps a u32 unseen. */
    uint8_t *steps = malloc(2 * 65535);
    if (steps == NULL) {
        return;
    }
    memset(steps, 0xff, 2 * 65535);
    const int status = nnrp_tile_index_check(DELTA, steps, 2 * 65535, 65535, 0, &error);
    expect_error(status, NNRP_RULE_TILE_ID_FITS_U16, 2);
    free(steps);
}

static void test_bitsets(void)
{
    static const uint8_t bits[] = {0x81, 0x00, 0xff, 0x01}, trailing[] = {1, 0};
    uint8_t full[MOST_BYTES + 1];
    expect_about("bitsets");
    EXPECT_EQ(check(BITSET, bits, 4, 11, 0), NNRP_OK);
    expect_error(check(BITSET, bits, 4, 10, 0), NNRP_RULE_TILE_COUNT_MATCHES, 0);
    EXPECT_EQ(error.expected, 10);
    EXPECT_EQ(error.found, 11);
    expect_error(check(BITSET, bits, 4, 12, 0), NNRP_RULE_TILE_COUNT_MATCHES, 0);
    expect_error(check(BITSET, bits, 0, 1, 0), NNRP_RULE_TILE_COUNT_MATCHES, 0);
    expect_error(check(BITSET, trailing, 2, 1, 0), NNRP_RULE_TILE_BITSET_LAST_BYTE, 1);
    expect_error(check(BITSET, trailing + 1, 1, 0, 0), NNRP_RULE_TILE_BITSET_LAST_BYTE, 0);
    memset(full, 0, sizeof full);
    full[MOST_BYTES - 1] = 0x80; /* id 65535 */
    full[MOST_BYTES] = 0x01;     /* id 65536 */
    EXPECT_EQ(check(BITSET, full, MOST_BYTES, 1, 0), NNRP_OK);
    expect_error(check(BITSET, full, MOST_BYTES + 1, 2, 0), NNRP_RULE_TILE_ID_FITS_U16, MOST_BYTES + 1);
    EXPECT_EQ(error.expected, MOST_BYTES);
    EXPECT_EQ(error.found, MOST_BYTES + 1);
    memset(full, 0xff, sizeof full);
    EXPECT_EQ(check(BITSET, full, MOST_BYTES, 65536, 0), NNRP_OK);
    /* Each byte counts its own bits. */
    for (unsigned byte = 1; byte < 256; byte++) {
        uint32_t ids[9], count = 0;
        for (unsigned bit = 0; bit < 8; bit++) {
            count += byte >> bit & 1;
        }
        const uint8_t one = (uint8_t)byte;
        expect_about("bitset %#x", byte);
        EXPECT_EQ(check(BITSET, &one, 1, count, 0), NNRP_OK);
        nnrp_tile_index_read(BITSET, &one, 1, count, 0, ids);
        for (uint32_t i = 0; i < count; i++) {
            EXPECT((byte >> ids[i] & 1) != 0);
            EXPECT(i == 0 || ids[i] > ids[i - 1]);
        }
    }
}

/* A bitset with more bits than its count (memory that changed after the check) must not be read past the count. */
static void test_reading_stops_at_the_count(void)
{
    static const uint8_t bits[] = {0xff, 0xff};
    uint32_t ids[4] = {7, 7, 7, 7};
    expect_about("a bitset that grew");
    nnrp_tile_index_read(BITSET, bits, 2, 3, 0, ids);
    EXPECT_EQ(ids[2], 2);
    EXPECT_EQ(ids[3], 7);
}

static void expect_size_error(uint32_t mode, const uint32_t *ids, uint32_t count, uint32_t base, uint16_t rule,
                              uint64_t index)
{
    size_t size = 99;
    expect_error(nnrp_tile_index_size(mode, ids, count, base, &size, &error), rule, index);
    EXPECT_EQ(size, 0);
}

static void test_ids_that_a_coding_cannot_say(void)
{
    static const uint32_t large[] = {1, 65536}, twice[] = {4, 9, 9}, down[] = {4, 9, 8}, gap[] = {5, 6, 8};
    for (uint32_t mode = RAW; mode <= BITSET; mode++) {
        expect_size_error(mode, large, 2, 0, NNRP_RULE_TILE_ID_FITS_U16, 1);
        expect_size_error(mode, (const uint32_t[]){UINT32_MAX}, 1, 0, NNRP_RULE_TILE_ID_FITS_U16, 0);
    }
    expect_size_error(DELTA, twice, 3, 0, NNRP_RULE_TILE_DELTA_ASCENDS, 2);
    expect_size_error(DELTA, down, 3, 0, NNRP_RULE_TILE_DELTA_ASCENDS, 2);
    EXPECT_EQ(error.expected, 10);
    EXPECT_EQ(error.found, 8);
    expect_size_error(BITSET, twice, 3, 0, NNRP_RULE_TILE_BITSET_ASCENDS, 2);
    expect_size_error(BITSET, down, 3, 0, NNRP_RULE_TILE_BITSET_ASCENDS, 2);
    expect_size_error(DENSE, gap, 3, 5, NNRP_RULE_TILE_COUNT_MATCHES, 2);
    EXPECT_EQ(error.expected, 7);
    EXPECT_EQ(error.found, 8);
    expect_size_error(DENSE, gap, 3, 6, NNRP_RULE_TILE_COUNT_MATCHES, 0);
    expect_size_error(DENSE, gap, 3, UINT32_MAX, NNRP_RULE_TILE_DENSE_RANGE_FITS_U32, 0);
}

static void test_payload_kinds(void)
{
    rng r = {9};
    for (unsigned round = 0; round < 20000; round++) {
        uint32_t kinds[NNRP_MAX_PAYLOAD_KINDS + 1], again = 0;
        const uint32_t bitmap = round < 256 ? round : round == 256 ? UINT32_MAX : (uint32_t)random_u64(&r);
        memset(kinds, 0, sizeof kinds);
        const unsigned count = nnrp_payload_kinds(bitmap, kinds);
        expect_about("bitmap %#x", bitmap);
        EXPECT(count <= NNRP_MAX_PAYLOAD_KINDS);
        for (unsigned i = 0; i < count; i++) {
            EXPECT(kinds[i] != 0 && (kinds[i] & (kinds[i] - 1)) == 0);
            EXPECT(i == 0 || kinds[i] > kinds[i - 1]);
            again |= kinds[i];
        }
        EXPECT_EQ(again, bitmap);
        EXPECT_EQ(kinds[count], 0);
    }
}

int main(void)
{
    test_known_bytes();
    test_random_round_trips();
    test_dense_range_limits();
    test_u16_lengths();
    test_deltas();
    test_bitsets();
    test_reading_stops_at_the_count();
    test_ids_that_a_coding_cannot_say();
    test_payload_kinds();
    return expect_end();
}
