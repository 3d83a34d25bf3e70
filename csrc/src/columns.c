/* Layouts by the thousand: checked where they stand, or gathered from where they stand. */
#include "nnrp/columns.h"

#include <string.h>

#include "hot_generated.h"
#include "nnrp/packet.h"
#include "prefetch.h"

#define HEADER     NNRP_COMMON_HEADER_SIZE
#define ROWS_AHEAD 24

static int holds(const nnrp_layout *layout, const uint8_t *source, nnrp_error *error)
{
    if (nnrp_hot_layout_holds((uint16_t)(layout - nnrp_layouts), source)) {
        return NNRP_OK;
    }
    return nnrp_layout_check(layout, source, layout->size, error);
}

int nnrp_columns_check(const nnrp_layout *layout, const uint8_t *source, size_t length, size_t count, size_t *done,
                       nnrp_error *error)
{
    size_t at = 0;
    int status = NNRP_OK;
    for (*done = 0; *done < count; ++*done) {
        status = length - at < layout->size ? nnrp_layout_check(layout, source + at, length - at, error)
                                            : holds(layout, source + at, error);
        if (status != NNRP_OK) {
            error->offset += at;
            break;
        }
        at += layout->size;
    }
    return status;
}

int nnrp_columns_gather(const nnrp_layout *layout, const uint8_t *source, size_t length, const uint64_t *positions,
                        size_t count, uint8_t *destination, size_t *done, nnrp_error *error)
{
    int status = NNRP_OK;
    for (*done = 0; *done < count; ++*done) {
        const uint64_t position = positions[*done];
        const size_t at = position < length ? (size_t)position : length;
        if (count - *done > ROWS_AHEAD) {
            nnrp_prefetch_at(source, length, positions[*done + ROWS_AHEAD]);
        }
        if (length - at < layout->size) {
            status = nnrp_layout_check(layout, source + at, length - at, error);
        } else {
            memcpy(destination, source + at, layout->size);
            status = holds(layout, destination, error);
        }
        if (status != NNRP_OK) {
            error->offset += at;
            break;
        }
        destination += layout->size;
    }
    return status;
}

static int one_metadata(const nnrp_layout *layout, const uint8_t *source, size_t length, uint8_t *destination,
                        nnrp_error *error)
{
    uint8_t head[HEADER + NNRP_LARGEST_LAYOUT];
    nnrp_packet packet;
    size_t wanted;
    int status;
    if (length < HEADER) {
        return nnrp_header_check(source, length, error);
    }
    memcpy(head, source, HEADER);
    status = nnrp_header_check(head, HEADER, error);
    if (status == NNRP_OK) {
        status = nnrp_packet_measure(head, UINT64_MAX, &packet, error);
    }
    if (status != NNRP_OK) {
        return status;
    }
    if (packet.total > length) {
        return nnrp_breach_values(error, NNRP_RULE_PACKET_IS_EXACT, length, packet.total, length);
    }
    if (nnrp_messages[packet.message].layout != (uint16_t)(layout - nnrp_layouts)) {
        return NNRP_OTHER_LAYOUT;
    }
    wanted = packet.meta_len < layout->size ? packet.meta_len : layout->size;
    memcpy(head + HEADER, source + HEADER, wanted);
    status = nnrp_metadata_check(head, &packet, error);
    if (status == NNRP_OK) {
        memcpy(destination, head + HEADER, layout->size);
    }
    return status;
}

int nnrp_columns_metadata(const nnrp_layout *layout, const uint8_t *source, size_t length, const uint64_t *positions,
                          size_t count, uint8_t *destination, size_t *done, nnrp_error *error)
{
    int status = NNRP_OK;
    for (*done = 0; *done < count; ++*done) {
        const uint64_t position = positions[*done];
        const size_t at = position < length ? (size_t)position : length;
        if (count - *done > ROWS_AHEAD) {
            nnrp_prefetch_at(source, length, positions[*done + ROWS_AHEAD]);
        }
        status = one_metadata(layout, source + at, length - at, destination, error);
        if (status < 0) {
            error->offset += at;
        }
        if (status != NNRP_OK) {
            break;
        }
        destination += layout->size;
    }
    return status;
}
