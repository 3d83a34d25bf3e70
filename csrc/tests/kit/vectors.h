/* The vectors of tests/vectors/vectors.json as the driver hands them over: one a line, tab between columns, - for
 * nothing.
 *
 *   id  kind  layout  message  a  b  hex  payload_hex  expect  fields  header  regions
 *
 * layout is the metadata's for whole packets. a and b are payload_kind_bitmap and payload_frame_count of a typed
 * region, submit_mode and object_ref_mask of a reference region. fields and header are name=value,... with signed
 * values as such. regions is what vector_regions() in vectors_test.c writes. */
#ifndef NNRP_TEST_VECTORS_H
#define NNRP_TEST_VECTORS_H

#include "nnrp/body.h"

enum vector_kind {
    VECTOR_LAYOUT,
    VECTOR_PACKET,
    VECTOR_SEMANTIC,
    VECTOR_FLOW_ROUTING,
    VECTOR_TYPED_REGION,
    VECTOR_REFERENCE_REGION,
    VECTOR_BODY,
    VECTOR_KINDS
};

extern const char *const vector_kind_names[VECTOR_KINDS];

typedef struct vector {
    const char *id, *expect, *fields, *header, *regions; /* NULL where the column is empty */
    uint8_t *bytes;                                      /* its own allocation, NULL when empty */
    size_t length;
    size_t payload_length;
    uint32_t a, b;
    uint16_t layout; /* NNRP_NONE when not given */
    uint8_t message; /* 0 when not given */
    uint8_t kind;    /* enum vector_kind */
} vector;

/* Reads a file of vectors, or ends the program saying what is wrong with it. They live as long as the program. */
vector *vectors_read(const char *path, size_t *count);

#endif
