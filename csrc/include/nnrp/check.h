/* Fields and rules: reading, writing and judging any layout of the table.
 *
 * Every function here reads only [source, source + length) and writes only what it is told to; nothing allocates,
 * nothing keeps a pointer. On failure a negative status is returned and *error says what broke where. */
#ifndef NNRP_CHECK_H
#define NNRP_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "nnrp/bytes.h"
#include "nnrp/table.h"

enum nnrp_error_detail { NNRP_HAS_EXPECTED = 1, NNRP_HAS_FOUND = 2 };

typedef struct nnrp_error {
    uint64_t offset; /* bytes from the start of what the failing call was given */
    uint64_t expected;
    uint64_t found;
    int status;
    uint16_t rule;   /* index into nnrp_rules */
    uint16_t layout; /* index into nnrp_layouts, or NNRP_NONE */
    uint16_t field;  /* index inside the layout, or NNRP_NONE */
    uint8_t detail;  /* which of expected and found say something */
} nnrp_error;

/* The name of an error class ("source_too_short") for a negative status. */
const char *nnrp_status_name(int status);

/* A field's bytes as an unsigned number; a signed field is sign-extended to 64 bits. */
uint64_t nnrp_field_load(const nnrp_field *field, const uint8_t *layout_start);
/* Writes the low bytes of value; whether it fits (nnrp_field_max) is the caller's business. */
void nnrp_field_store(const nnrp_field *field, uint8_t *layout_start, uint64_t value);
uint64_t nnrp_field_max(const nnrp_field *field);

static inline const nnrp_field *nnrp_layout_fields(const nnrp_layout *layout)
{
    return &nnrp_fields[layout->first_field];
}

/* The layout stage: length, then the decode checks in the order of the table. */
int nnrp_layout_check(const nnrp_layout *layout, const uint8_t *source, size_t length, nnrp_error *error);

/* The rules of one stage (message, sender or pair) over header and metadata. request may be NULL except for the pair
 * stage. Offsets in *error count from the start of the layout, or of the header for a rule about a header field. */
int nnrp_stage_check(const nnrp_layout *layout, enum nnrp_stage stage, const uint8_t *header, const uint8_t *metadata,
                     const uint8_t *request, nnrp_error *error);

/* Report a breach of a rule: fills *error and returns the status of the rule's class. */
int nnrp_breach(nnrp_error *error, uint16_t rule, uint64_t offset);
int nnrp_breach_values(nnrp_error *error, uint16_t rule, uint64_t offset, uint64_t expected, uint64_t found);
/* The same about one field, named by its layout and its offset inside it. */
int nnrp_breach_field(nnrp_error *error, uint16_t rule, uint64_t base, uint16_t layout, uint16_t field_offset,
                      uint64_t expected, uint64_t found);

#endif
