/* The four codings of a tile index (wire.md section 6.4.2) and payload kinds as a bitmap, both ways.
 *
 * dense_range: no bytes, ids base .. base + count - 1 (u32). raw_u16: absolute ids in any order. delta_u16: the first
 * id, then differences above 0. bitset: bit i, least significant first, for id i; ids ascend, the last byte is not 0.
 */
#ifndef NNRP_TILE_INDEX_H
#define NNRP_TILE_INDEX_H

#include "nnrp/check.h"

/* Whether [source, source + length) lists exactly count tiles under mode (a known tile_index_mode). */
int nnrp_tile_index_check(uint32_t mode, const uint8_t *source, size_t length, uint32_t count, uint32_t base,
                          nnrp_error *error);

/* The ids of a checked index, count of them. */
void nnrp_tile_index_read(uint32_t mode, const uint8_t *source, size_t length, uint32_t count, uint32_t base,
                          uint32_t *ids);

/* Bytes that nnrp_tile_index_write needs; refuses ids that the coding cannot say. For dense_range the ids must be the
 * run that starts at base. There are no bytes yet, so offsets in errors are positions in ids. */
int nnrp_tile_index_size(uint32_t mode, const uint32_t *ids, uint32_t count, uint32_t base, size_t *size,
                         nnrp_error *error);
void nnrp_tile_index_write(uint32_t mode, const uint32_t *ids, uint32_t count, uint8_t *destination, size_t size);

#define NNRP_MAX_PAYLOAD_KINDS 32

/* The single bits of a bitmap, lowest first; returns how many. */
unsigned nnrp_payload_kinds(uint32_t bitmap, uint32_t kinds[NNRP_MAX_PAYLOAD_KINDS]);
/* The bitmap of some kinds. */
uint32_t nnrp_payload_kind_bitmap(const uint32_t *kinds, unsigned count);

#endif
