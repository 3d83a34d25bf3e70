/* xorshift64*: the same numbers on every machine, so that a failure can be repeated. */
#ifndef NNRP_TEST_RANDOM_H
#define NNRP_TEST_RANDOM_H

#include <stdint.h>

typedef struct rng {
    uint64_t state; /* never 0 */
} rng;

static inline uint64_t random_u64(rng *r)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * 0x2545f4914f6cdd1du;
}

/* 0 .. n - 1 */
static inline uint32_t random_below(rng *r, uint32_t n)
{
    return (uint32_t)((random_u64(r) >> 32) * n >> 32);
}

#endif
