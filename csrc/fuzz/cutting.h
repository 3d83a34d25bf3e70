/* A body cut with every callback noted down, from the body itself or from copies whose original is spoiled at once. */
#ifndef NNRP_FUZZ_CUTTING_H
#define NNRP_FUZZ_CUTTING_H

#include "input.h"
#include "nnrp/body.h"

#define MOST_OBJECTS  (INPUT_CAPACITY / NNRP_INLINE_OBJECT_BLOCK_HEADER_SIZE + 1)
#define MOST_SECTIONS (INPUT_CAPACITY / NNRP_TENSOR_SECTION_DESCRIPTOR_SIZE + 1)
#define MOST_LENT     (4 * MOST_OBJECTS)

enum refusal { REFUSE_NOTHING, REFUSE_LEND, REFUSE_OBJECT, REFUSE_SECTION };

typedef struct cutting {
    /* Set before the cut. */
    int lends;            /* 0: the core reads the body itself */
    enum refusal refused; /* which callback says no, */
    unsigned refuse_at;   /* the how manieth time, from 1 */
    /* Set by it. The pointers of objects, sections and out live until the next cut of the same struct. */
    int status;
    nnrp_error error;
    nnrp_body out;
    nnrp_object objects[MOST_OBJECTS];
    nnrp_section sections[MOST_SECTIONS];
    unsigned object_count, section_count, lent_count;
    int said_no;
    /* Its own. */
    uint8_t *body;
    uint32_t length;
    uint8_t *lent[MOST_LENT];
    uint8_t taken[INPUT_CAPACITY]; /* 1 for each byte that was lent */
} cutting;

/* body must not be longer than INPUT_CAPACITY. What is lent is checked: inside, never empty, no byte twice. */
void cut(cutting *c, const nnrp_body_frame *frame, const uint8_t *body, uint32_t length);

/* Both cuts saw the same objects and sections, to the last stable byte, and ended the same. */
void expect_same_cut(const cutting *a, const cutting *b);

/* The body written again from what an accepted cut found; made has room for INPUT_CAPACITY bytes. */
uint32_t body_from_parts(const cutting *c, const nnrp_body_frame *frame, const uint8_t *body, uint8_t *made);

#endif
