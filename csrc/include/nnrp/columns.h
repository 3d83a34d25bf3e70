/* Many equal layouts at once, for callers that lay them out as columns. */
#ifndef NNRP_COLUMNS_H
#define NNRP_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "nnrp/check.h"

#define NNRP_OTHER_LAYOUT 3

/* The layout stage of `count` equal layouts back to back. *done is how many hold; offsets in *error count from source.
 */
int nnrp_columns_check(const nnrp_layout *layout, const uint8_t *source, size_t length, size_t count, size_t *done,
                       nnrp_error *error);

/* Copies the layout at each of `count` positions of source to destination, one behind the other. What is checked is the
 * copy. *done is how many were copied; offsets in *error count from source. */
int nnrp_columns_gather(const nnrp_layout *layout, const uint8_t *source, size_t length, const uint64_t *positions,
                        size_t count, uint8_t *destination, size_t *done, nnrp_error *error);

/* The same for the metadata of packets that start at the positions, which nnrp_scan found: header, lengths and layout
 * stage are checked again in the copy. NNRP_OTHER_LAYOUT at a packet whose metadata has another layout, or none. */
int nnrp_columns_metadata(const nnrp_layout *layout, const uint8_t *source, size_t length, const uint64_t *positions,
                          size_t count, uint8_t *destination, size_t *done, nnrp_error *error);

#endif
