/* Memory asked for before it is read, where the order of reading is known and memory is slower than the reading. */
#ifndef NNRP_PREFETCH_H
#define NNRP_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

#define NNRP_CACHE_LINE 64

static inline void nnrp_prefetch(const uint8_t *address)
{
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

static inline void nnrp_prefetch_to_write(void *address)
{
#if defined(__GNUC__)
    __builtin_prefetch(address, 1);
#else
    (void)address;
#endif
}

/* The two lines that a header or layout at source + position lies in; nothing for a position outside. */
static inline void nnrp_prefetch_at(const uint8_t *source, size_t length, uint64_t position)
{
    if (position < length) {
        const uint8_t *at = source + (size_t)position;
        const size_t left = length - (size_t)position;
        nnrp_prefetch(at);
        nnrp_prefetch(at + (left > NNRP_CACHE_LINE ? NNRP_CACHE_LINE : left - 1));
    }
}

#endif
