/* Memory whose neighbours cannot be read: one byte too far, in either direction, ends the test. */
#ifndef NNRP_TEST_GUARD_H
#define NNRP_TEST_GUARD_H

#include <stddef.h>
#include <stdint.h>

#define GUARD_CAPACITY ((size_t)1 << 16)

/* A copy of the bytes that ends where an unreadable page begins. The next call of the same function takes the place. */
uint8_t *guard_at_end(const uint8_t *bytes, size_t length);

/* A copy of the bytes that begins where an unreadable page ends. */
uint8_t *guard_at_start(const uint8_t *bytes, size_t length);

#endif
