/* The front of a fuzz input as parameters; what is left is the subject, and ends where its allocation ends. */
#ifndef NNRP_FUZZ_INPUT_H
#define NNRP_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "nnrp/table.h"

/* The entry point of every target, called by libFuzzer or by replay_main.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Longer inputs find nothing that these do not, and cost the hunt its speed. */
#define INPUT_CAPACITY 4096

typedef struct input {
    const uint8_t *at;
    size_t left;
} input;

/* Little-endian, 0 for bytes that are not there. */
static inline uint32_t take(input *in, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes && in->left > 0; i++) {
        value |= (uint32_t)*in->at << 8 * i;
        in->at++;
        in->left--;
    }
    return value;
}

/* A packet limit: the usual one, none, or a small one. */
static inline uint64_t take_limit(input *in)
{
    const uint32_t choice = take(in, 1);
    return choice == 0 ? NNRP_DEFAULT_MAX_PACKET_BYTES : choice == 1 ? UINT64_MAX : choice - 2;
}

#endif
