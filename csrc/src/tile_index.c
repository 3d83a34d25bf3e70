#include "nnrp/tile_index.h"

#include <string.h>

static int is_u16_coded(uint32_t mode)
{
    return mode == NNRP_TILE_INDEX_MODE_RAW_U16 || mode == NNRP_TILE_INDEX_MODE_DELTA_U16;
}

static unsigned bits_in(uint8_t byte)
{
    unsigned n = 0;
    for (; byte != 0; byte &= (uint8_t)(byte - 1)) {
        n++;
    }
    return n;
}

static int check_bitset(const uint8_t *source, size_t length, uint32_t count, nnrp_error *error)
{
    uint64_t set = 0;
    if (length > (UINT16_MAX + 1u) / 8) {
        return nnrp_breach_values(error, NNRP_RULE_TILE_ID_FITS_U16, length, (UINT16_MAX + 1u) / 8, length);
    }
    for (size_t i = 0; i < length; i++) {
        set += bits_in(source[i]);
    }
    if (length != 0 && source[length - 1] == 0) {
        return nnrp_breach(error, NNRP_RULE_TILE_BITSET_LAST_BYTE, length - 1);
    }
    if (set != count) {
        return nnrp_breach_values(error, NNRP_RULE_TILE_COUNT_MATCHES, 0, count, set);
    }
    return NNRP_OK;
}

static int check_deltas(const uint8_t *source, uint32_t count, nnrp_error *error)
{
    uint32_t id = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t step = nnrp_load_u16(source + 2 * (size_t)i);
        if (i != 0 && step == 0) {
            return nnrp_breach(error, NNRP_RULE_TILE_DELTA_ASCENDS, 2 * (uint64_t)i);
        }
        id += step;
        if (id > UINT16_MAX) {
            return nnrp_breach_values(error, NNRP_RULE_TILE_ID_FITS_U16, 2 * (uint64_t)i, UINT16_MAX, id);
        }
    }
    return NNRP_OK;
}

int nnrp_tile_index_check(uint32_t mode, const uint8_t *source, size_t length, uint32_t count, uint32_t base,
                          nnrp_error *error)
{
    if (mode == NNRP_TILE_INDEX_MODE_BITSET) {
        return check_bitset(source, length, count, error);
    }
    if (is_u16_coded(mode)) {
        if (length % 2 != 0 || length / 2 != count) {
            return nnrp_breach_values(error, NNRP_RULE_TILE_U16_LENGTH, 0, 2 * (uint64_t)count, length);
        }
        return mode == NNRP_TILE_INDEX_MODE_DELTA_U16 ? check_deltas(source, count, error) : NNRP_OK;
    }
    if (length != 0) {
        return nnrp_breach_values(error, NNRP_RULE_TILE_DENSE_RANGE_IS_EMPTY, 0, 0, length);
    }
    if (count != 0 && count - 1 > UINT32_MAX - base) {
        return nnrp_breach_values(error, NNRP_RULE_TILE_DENSE_RANGE_FITS_U32, 0, UINT32_MAX,
                                  (uint64_t)base + count - 1);
    }
    return NNRP_OK;
}

void nnrp_tile_index_read(uint32_t mode, const uint8_t *source, size_t length, uint32_t count, uint32_t base,
                          uint32_t *ids)
{
    uint32_t id = 0;
    if (mode == NNRP_TILE_INDEX_MODE_BITSET) {
        uint32_t n = 0;
        for (size_t i = 0; i < length; i++) {
            for (unsigned bit = 0; bit < 8; bit++) {
                if ((source[i] >> bit & 1) != 0 && n < count) {
                    ids[n++] = (uint32_t)(8 * i + bit);
                }
            }
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (mode == NNRP_TILE_INDEX_MODE_RAW_U16) {
            ids[i] = nnrp_load_u16(source + 2 * (size_t)i);
        } else if (mode == NNRP_TILE_INDEX_MODE_DELTA_U16) {
            id += nnrp_load_u16(source + 2 * (size_t)i);
            ids[i] = id;
        } else {
            ids[i] = base + i;
        }
    }
}

int nnrp_tile_index_size(uint32_t mode, const uint32_t *ids, uint32_t count, uint32_t base, size_t *size,
                         nnrp_error *error)
{
    *size = 0;
    if (mode == NNRP_TILE_INDEX_MODE_DENSE_RANGE) {
        int status = nnrp_tile_index_check(mode, NULL, 0, count, base, error);
        for (uint32_t i = 0; status == NNRP_OK && i < count; i++) {
            if (ids[i] != base + i) {
                status = nnrp_breach_values(error, NNRP_RULE_TILE_COUNT_MATCHES, i, base + (uint64_t)i, ids[i]);
            }
        }
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (ids[i] > UINT16_MAX) {
            return nnrp_breach_values(error, NNRP_RULE_TILE_ID_FITS_U16, i, UINT16_MAX, ids[i]);
        }
        if (i != 0 && ids[i] <= ids[i - 1] && mode != NNRP_TILE_INDEX_MODE_RAW_U16) {
            return nnrp_breach_values(error,
                                      mode == NNRP_TILE_INDEX_MODE_BITSET ? NNRP_RULE_TILE_BITSET_ASCENDS
                                                                          : NNRP_RULE_TILE_DELTA_ASCENDS,
                                      i, ids[i - 1] + (uint64_t)1, ids[i]);
        }
    }
    if (is_u16_coded(mode)) {
        *size = 2 * (size_t)count;
    } else if (count != 0) {
        *size = ids[count - 1] / 8 + 1;
    }
    return NNRP_OK;
}

void nnrp_tile_index_write(uint32_t mode, const uint32_t *ids, uint32_t count, uint8_t *destination, size_t size)
{
    if (is_u16_coded(mode)) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t before = i != 0 && mode == NNRP_TILE_INDEX_MODE_DELTA_U16 ? ids[i - 1] : 0;
            nnrp_store_u16(destination + 2 * (size_t)i, ids[i] - before);
        }
    } else if (mode == NNRP_TILE_INDEX_MODE_BITSET) {
        if (size != 0) {
            memset(destination, 0, size);
        }
        for (uint32_t i = 0; i < count; i++) {
            destination[ids[i] / 8] = (uint8_t)(destination[ids[i] / 8] | 1u << (ids[i] % 8));
        }
    }
}

unsigned nnrp_payload_kinds(uint32_t bitmap, uint32_t kinds[NNRP_MAX_PAYLOAD_KINDS])
{
    unsigned n = 0;
    for (; bitmap != 0; bitmap &= bitmap - 1) {
        kinds[n++] = bitmap & (~bitmap + 1);
    }
    return n;
}

uint32_t nnrp_payload_kind_bitmap(const uint32_t *kinds, unsigned count)
{
    uint32_t bitmap = 0;
    for (unsigned i = 0; i < count; i++) {
        bitmap |= kinds[i];
    }
    return bitmap;
}
