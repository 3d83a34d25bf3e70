/* Data-plane bodies put together region by region, and what a cut of them found, as text that can be compared. */
#ifndef NNRP_TEST_BODIES_H
#define NNRP_TEST_BODIES_H

#include "nnrp/body.h"

#define PIECE_CAPACITY 1024
#define BODY_CAPACITY  8192

typedef struct piece {
    uint8_t bytes[PIECE_CAPACITY];
    uint32_t length;
} piece;

typedef struct body_parts {
    nnrp_body_frame frame;
    piece objects, references, descriptors, frames, extension_descriptors, extension_payloads;
} body_parts;

void put_u16(uint8_t *p, uint32_t value);
void put_u32(uint8_t *p, uint32_t value);

/* Each appends and returns where the added bytes begin inside the piece. */
uint32_t add_bytes(piece *to, const void *bytes, uint32_t length);
uint32_t add_zeroes(piece *to, uint32_t length);
uint32_t add_object(piece *to, uint32_t kind, const void *payload, uint32_t length);
uint32_t add_reference(piece *to, uint32_t kind);
uint32_t add_descriptor(piece *to, uint32_t kind, uint32_t profile, uint32_t offset, uint32_t length);
uint32_t add_extension(piece *to, uint32_t offset, uint32_t length);

/* A section of tiles with the given lengths, after filler up to 8. stride 0: payloads packed; codecs NULL: no codec
 * table. Tile i is filled with bytes 0x40 + i. Returns where the descriptor begins. */
uint32_t add_section(piece *table, uint32_t role, uint32_t tiles, const uint32_t *lengths, uint32_t stride,
                     const uint8_t *codecs);

/* Prelude and regions one after another; returns the length. */
uint32_t join(const body_parts *parts, uint8_t body[BODY_CAPACITY]);

/* Bodies that use everything a body can hold: FRAME_SUBMIT in mixed mode, and RESULT_PUSH. */
void full_submit(body_parts *parts);
void full_result(body_parts *parts);
/* One structured event and nothing else. */
void plain_submit(body_parts *parts);

enum lend_way {
    LEND_NOT,      /* no callback: the body itself is read */
    LEND_SCRAMBLE, /* copies, and the lent bytes of the body are overwritten at once */
};

typedef struct cut_run {
    /* Set before the cut; 0: never. */
    unsigned refuse_lend_at, refuse_object_at, refuse_section_at;
    /* Set by it. */
    int status;
    nnrp_error error;
    nnrp_body out;
    unsigned lends, objects, sections;
    char text[1 << 16]; /* regions, stable bytes and payload bytes, one item a line */
} cut_run;

/* Cuts a copy of the body that ends at an unreadable page. What is lent is checked: inside the body, never empty, never
 * the same byte twice. */
void cut_body(const nnrp_body_frame *frame, const uint8_t *body, uint32_t length, enum lend_way way, cut_run *run);

/* Cuts with and without lending; both must find the same. Returns the status. */
int cut_both_ways(const nnrp_body_frame *frame, const uint8_t *body, uint32_t length, cut_run *run);

/* Joins, cuts both ways and expects a breach of a rule at an offset (of the body). Returns what was reported. */
const nnrp_error *expect_breach(const body_parts *parts, uint16_t rule, uint64_t offset);
/* The same for a layout's rule: the class and the offset. */
void expect_layout_breach(const body_parts *parts, int status, uint16_t layout, uint64_t offset);
void expect_accepted(const body_parts *parts);

/* Where each region begins in the joined body. */
uint32_t objects_at(const body_parts *parts);
uint32_t references_at(const body_parts *parts);
uint32_t descriptors_at(const body_parts *parts);
uint32_t extensions_at(const body_parts *parts);

#endif
