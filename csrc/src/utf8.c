#include "nnrp/utf8.h"

#include <string.h>

static int is_continuation(uint8_t byte)
{
    return (byte & 0xc0u) == 0x80u;
}

/* Length of the valid sequence at p (left bytes remain), or 0. The second byte carries all the special cases. */
static size_t sequence(const uint8_t *p, size_t left)
{
    uint8_t lead = p[0];
    uint8_t low = 0x80, high = 0xbf;
    size_t length;
    if (lead < 0xc2) {
        return 0;
    }
    if (lead < 0xe0) {
        length = 2;
    } else if (lead < 0xf0) {
        length = 3;
        low = lead == 0xe0 ? 0xa0 : 0x80;  /* below are overlong forms */
        high = lead == 0xed ? 0x9f : 0xbf; /* above are surrogates */
    } else if (lead < 0xf5) {
        length = 4;
        low = lead == 0xf0 ? 0x90 : 0x80;
        high = lead == 0xf4 ? 0x8f : 0xbf; /* above is past U+10FFFF */
    } else {
        return 0;
    }
    if (left < length || p[1] < low || p[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if (!is_continuation(p[i])) {
            return 0;
        }
    }
    return length;
}

size_t nnrp_utf8_valid_prefix(const uint8_t *source, size_t length)
{
    size_t at = 0;
    while (at < length) {
        uint64_t word;
        while (length - at >= sizeof word) {
            memcpy(&word, source + at, sizeof word);
            if ((word & 0x8080808080808080u) != 0) {
                break;
            }
            at += sizeof word;
        }
        if (at == length) {
            break;
        }
        if (source[at] < 0x80) {
            at++;
            continue;
        }
        size_t step = sequence(source + at, length - at);
        if (step == 0) {
            return at;
        }
        at += step;
    }
    return length;
}
