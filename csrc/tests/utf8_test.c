/* utf8.c against the definition: a sequence is valid when it is the shortest way to write a scalar value. */
#include "nnrp/utf8.h"

#include <string.h>

#include "kit/expect.h"
#include "kit/guard.h"
#include "kit/random.h"

/* The bytes that RFC 3629 gives a code point; 0 for what is no scalar value. */
static size_t encode(uint32_t code, uint8_t out[4])
{
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
        return 0;
    }
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    const size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    out[0] = (uint8_t)((0xf00u >> length & 0xff) | code);
    return length;
}

/* Reads whatever code point the bits spell, however long, and asks encode() whether it is written like that. */
static size_t one_sequence(const uint8_t *p, size_t left)
{
    const uint8_t lead = p[0];
    size_t length = 0;
    uint8_t canonical[4];
    if (lead < 0x80) {
        return 1;
    }
    while (length < 8 && (lead & 0x80u >> length) != 0) {
        length++;
    }
    if (length < 2 || length > 4 || left < length) {
        return 0;
    }
    uint32_t code = lead & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (p[i] / 64 != 2) {
            return 0;
        }
        code = code << 6 | (p[i] & 0x3fu);
    }
    return encode(code, canonical) == length && memcmp(canonical, p, length) == 0 ? length : 0;
}

static size_t wanted_prefix(const uint8_t *p, size_t length)
{
    size_t at = 0;
    while (at < length) {
        const size_t step = one_sequence(p + at, length - at);
        if (step == 0) {
            return at;
        }
        at += step;
    }
    return at;
}

static void expect_prefix(const uint8_t *p, size_t length)
{
    const size_t found = nnrp_utf8_valid_prefix(p, length);
    const size_t wanted = wanted_prefix(p, length);
    expect_count++;
    if (found != wanted) {
        expect_failed(__FILE__, __LINE__, "%02x %02x %02x %02x (%u bytes): %u are valid, wanted %u", p[0],
                      length > 1 ? p[1] : 0, length > 2 ? p[2] : 0, length > 3 ? p[3] : 0, (unsigned)length,
                      (unsigned)found, (unsigned)wanted);
    }
}

static void test_every_sequence_of_one_two_and_three_bytes(void)
{
    uint8_t *p = guard_at_end((const uint8_t *)"\0\0", 3);
    expect_about("exhaustive");
    EXPECT_EQ(nnrp_utf8_valid_prefix(p + 3, 0), 0);
    EXPECT_EQ(nnrp_utf8_valid_prefix(NULL, 0), 0);
    for (uint32_t value = 0; value < 1u << 24; value++) {
        p[0] = (uint8_t)(value >> 16);
        p[1] = (uint8_t)(value >> 8);
        p[2] = (uint8_t)value;
        expect_prefix(p, 3);
        if (value < 1u << 16) {
            expect_prefix(p + 1, 2);
        }
        if (value < 1u << 8) {
            expect_prefix(p + 2, 1);
        }
    }
}

static void test_four_bytes_around_every_border(void)
{
    static const uint8_t borders[] = {0x00, 0x41, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x9f, 0xa0,
                                      0xaa, 0xbe, 0xbf, 0xc0, 0xc2, 0xe0, 0xf0, 0xf4, 0xff};
    uint8_t *p = guard_at_end((const uint8_t *)"\0\0\0", 4);
    expect_about("four bytes");
    for (unsigned lead = 0; lead < 256; lead++) {
        for (unsigned second = 0; second < 256; second++) {
            for (unsigned third = 0; third < sizeof borders; third++) {
                for (unsigned fourth = 0; fourth < sizeof borders; fourth++) {
                    p[0] = (uint8_t)lead;
                    p[1] = (uint8_t)second;
                    p[2] = borders[third];
                    p[3] = borders[fourth];
                    expect_prefix(p, 4);
                }
            }
        }
    }
}

static void test_every_code_point(void)
{
    expect_about("code points");
    for (uint32_t code = 0; code < 0x110800; code++) {
        uint8_t bytes[4] = {0};
        const size_t length = encode(code, bytes);
        if (length != 0) {
            expect_count++;
            if (nnrp_utf8_valid_prefix(bytes, length) != length) {
                expect_failed(__FILE__, __LINE__, "U+%04X is refused", code);
            }
        }
    }
}

/* ASCII is taken a word at a time: a sequence, whole, cut or wrong, at every distance from such a word. */
static void test_sequences_among_ascii(void)
{
    static const char *const middles[] = {
        "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\x80", "\xc3",
        "\xe2\x82", "\xf0\x9f\x98", "\xed\xa0\x80",     "\xff", "\xc3\xa9\xc3\xa9\xc3"};
    for (unsigned m = 0; m < sizeof middles / sizeof *middles; m++) {
        for (size_t before = 0; before <= 24; before++) {
            for (size_t after = 0; after <= 24; after++) {
                uint8_t bytes[64];
                const size_t middle = strlen(middles[m]);
                memset(bytes, 'a', sizeof bytes);
                memcpy(bytes + before, middles[m], middle);
                expect_about("sequence %u after %u, before %u", m, (unsigned)before, (unsigned)after);
                const uint8_t *p = guard_at_end(bytes, before + middle + after);
                EXPECT_EQ(nnrp_utf8_valid_prefix(p, before + middle + after),
                          wanted_prefix(p, before + middle + after));
            }
        }
    }
}

static void test_random_text(void)
{
    rng r = {7};
    expect_about("random text");
    for (unsigned round = 0; round < 200000; round++) {
        uint8_t bytes[64];
        size_t length = 0;
        while (length < 40 && random_below(&r, 12) != 0) {
            static const uint32_t limits[] = {0x80, 0x800, 0x10000, 0x110000};
            length += encode(random_below(&r, limits[random_below(&r, 4)]), bytes + length);
        }
        if (length != 0 && random_below(&r, 2) != 0) {
            bytes[random_below(&r, (uint32_t)length)] = (uint8_t)random_u64(&r);
        }
        const uint8_t *p = guard_at_end(bytes, length);
        EXPECT_EQ(nnrp_utf8_valid_prefix(p, length), wanted_prefix(p, length));
    }
}

int main(void)
{
    test_every_sequence_of_one_two_and_three_bytes();
    test_four_bytes_around_every_border();
    test_every_code_point();
    test_sequences_among_ascii();
    test_random_text();
    return expect_end();
}
