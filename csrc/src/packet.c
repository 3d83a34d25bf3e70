/* Headers, packet lengths, the stages of a whole packet, scanning. */
#include "nnrp/packet.h"

#include <string.h>

#include "hot_generated.h"
#include "prefetch.h"

#define HEADER NNRP_COMMON_HEADER_SIZE

int nnrp_header_check(const uint8_t *source, size_t length, nnrp_error *error)
{
    if (length >= HEADER && nnrp_hot_common_header_layout(source)) {
        return NNRP_OK;
    }
    return nnrp_layout_check(&nnrp_layouts[NNRP_L_COMMON_HEADER], source, length, error);
}

int nnrp_packet_measure(const uint8_t *header, uint64_t limit, nnrp_packet *packet, nnrp_error *error)
{
    uint64_t rest;
    packet->meta_len = nnrp_load_u32(header + NNRP_COMMON_HEADER_AT_META_LEN);
    packet->body_len = nnrp_load_u32(header + NNRP_COMMON_HEADER_AT_BODY_LEN);
    packet->message = nnrp_message_by_code[header[NNRP_COMMON_HEADER_AT_MESSAGE_TYPE]];
    rest = (uint64_t)packet->meta_len + packet->body_len;
    if (rest > UINT32_MAX || rest > SIZE_MAX - HEADER) {
        return nnrp_breach_field(error, NNRP_RULE_PACKET_LENGTHS_FIT_U32, 0, NNRP_L_COMMON_HEADER,
                                 NNRP_COMMON_HEADER_AT_BODY_LEN, UINT32_MAX, rest);
    }
    packet->total = HEADER + (size_t)rest;
    if (packet->total > limit) {
        return nnrp_breach_field(error, NNRP_RULE_PACKET_WITHIN_LIMIT, 0, NNRP_L_COMMON_HEADER,
                                 NNRP_COMMON_HEADER_AT_BODY_LEN, limit, packet->total);
    }
    return NNRP_OK;
}

int nnrp_metadata_check(const uint8_t *source, const nnrp_packet *packet, nnrp_error *error)
{
    const nnrp_message *message = &nnrp_messages[packet->message];
    if (message->layout == NNRP_NONE) {
        return NNRP_OK;
    }
    if (packet->meta_len >= message->meta_len && nnrp_hot_layout_holds(message->layout, source + HEADER)) {
        return NNRP_OK;
    }
    int status = nnrp_layout_check(&nnrp_layouts[message->layout], source + HEADER, packet->meta_len, error);
    if (status != NNRP_OK) {
        error->offset += HEADER;
    }
    return status;
}

int nnrp_packet_check(const uint8_t *source, size_t length, uint64_t limit, nnrp_packet *packet, nnrp_error *error)
{
    int status = nnrp_header_check(source, length, error);
    if (status == NNRP_OK) {
        status = nnrp_packet_measure(source, UINT64_MAX, packet, error);
    }
    if (status == NNRP_OK && packet->total != length) {
        status = nnrp_breach_values(error, NNRP_RULE_PACKET_IS_EXACT, length < packet->total ? length : packet->total,
                                    packet->total, length);
    }
    /* The limit is there to refuse before more is read; what is here already is compared with its own length first. */
    if (status == NNRP_OK && packet->total > limit) {
        status = nnrp_packet_measure(source, limit, packet, error);
    }
    return status == NNRP_OK ? nnrp_metadata_check(source, packet, error) : status;
}

int nnrp_packet_next(const uint8_t *source, size_t length, uint64_t limit, nnrp_packet *packet, nnrp_error *error)
{
    if (length < HEADER) {
        packet->total = 0;
        return NNRP_NEED_MORE;
    }
    int status = nnrp_header_check(source, length, error);
    if (status == NNRP_OK) {
        status = nnrp_packet_measure(source, limit, packet, error);
    }
    if (status != NNRP_OK) {
        return status;
    }
    if (packet->total > length) {
        return NNRP_NEED_MORE;
    }
    return nnrp_metadata_check(source, packet, error);
}

/* A rule about header fields reports offsets in the header, any other one in the metadata behind it. */
static int in_packet(int status, nnrp_error *error)
{
    if (status != NNRP_OK && error->field != NNRP_NONE) {
        error->offset += HEADER;
    }
    return status;
}

int nnrp_message_check(const uint8_t *source, const nnrp_packet *packet, int strict, nnrp_error *error)
{
    const nnrp_message *message = &nnrp_messages[packet->message];
    if (message->meta_len_rule != NNRP_NONE && packet->meta_len != message->meta_len) {
        return nnrp_breach_field(error, message->meta_len_rule, 0, NNRP_L_COMMON_HEADER, NNRP_COMMON_HEADER_AT_META_LEN,
                                 message->meta_len, packet->meta_len);
    }
    if (message->layout == NNRP_NONE) {
        return NNRP_OK;
    }
    const nnrp_layout *layout = &nnrp_layouts[message->layout];
    int status = NNRP_OK;
    if (!nnrp_hot_message_holds(message->layout, source + HEADER)) {
        status = in_packet(nnrp_stage_check(layout, NNRP_STAGE_MESSAGE, source, source + HEADER, NULL, error), error);
    }
    if (status == NNRP_OK && strict && !nnrp_hot_sender_holds(message->layout, source + HEADER)) {
        status = in_packet(nnrp_stage_check(layout, NNRP_STAGE_SENDER, source, source + HEADER, NULL, error), error);
    }
    return status;
}

int nnrp_pair_check(const uint8_t *answer, const nnrp_packet *packet, const uint8_t *request_metadata,
                    nnrp_error *error)
{
    const nnrp_message *message = &nnrp_messages[packet->message];
    if (message->layout == NNRP_NONE) {
        return NNRP_OK;
    }
    return in_packet(nnrp_stage_check(&nnrp_layouts[message->layout], NNRP_STAGE_PAIR, answer, answer + HEADER,
                                      request_metadata, error),
                     error);
}

int nnrp_tails_cut(const uint8_t *source, const nnrp_packet *packet, nnrp_span spans[NNRP_MAX_TAILS], nnrp_error *error)
{
    const nnrp_message *message = &nnrp_messages[packet->message];
    uint64_t declared = 0;
    if (message->body_format == NNRP_BODY_OPAQUE) {
        spans[0].at = 0;
        spans[0].length = packet->body_len;
        return NNRP_OK;
    }
    for (unsigned i = 0; i < message->tail_count; i++) {
        const nnrp_field *field = &nnrp_layout_fields(&nnrp_layouts[message->layout])[message->tail_fields[i]];
        uint32_t length = (uint32_t)nnrp_field_load(field, source + HEADER);
        spans[i].at = (uint32_t)declared; /* exact whenever the sum below is accepted */
        spans[i].length = length;
        declared += length;
    }
    if (declared == packet->body_len) {
        return NNRP_OK;
    }
    if (message->tail_count == 1) {
        const nnrp_field *field = &nnrp_layout_fields(&nnrp_layouts[message->layout])[message->tail_fields[0]];
        return nnrp_breach_field(error, NNRP_RULE_TAILS_FILL_BODY, HEADER, message->layout, field->offset, declared,
                                 packet->body_len);
    }
    return nnrp_breach_field(error, NNRP_RULE_TAILS_FILL_BODY, 0, NNRP_L_COMMON_HEADER, NNRP_COMMON_HEADER_AT_BODY_LEN,
                             declared, packet->body_len);
}

/* Headers are read faster than memory delivers them: what lies this far ahead is asked for early. Far enough for small
 * packets, of which it covers some dozens; for a large one it is three lines for nothing. */
#define AHEAD      4096
#define ROWS_AHEAD 16

static void fill_row(nnrp_row *row, const uint8_t *p, uint64_t offset)
{
    row->offset = offset;
    row->trace_id = nnrp_load_u64(p + NNRP_COMMON_HEADER_AT_TRACE_ID);
    row->flags = nnrp_load_u32(p + NNRP_COMMON_HEADER_AT_FLAGS);
    row->meta_len = nnrp_load_u32(p + NNRP_COMMON_HEADER_AT_META_LEN);
    row->body_len = nnrp_load_u32(p + NNRP_COMMON_HEADER_AT_BODY_LEN);
    row->session_id = nnrp_load_u32(p + NNRP_COMMON_HEADER_AT_SESSION_ID);
    row->frame_id = nnrp_load_u32(p + NNRP_COMMON_HEADER_AT_FRAME_ID);
    row->view_id = (uint16_t)nnrp_load_u16(p + NNRP_COMMON_HEADER_AT_VIEW_ID);
    row->route_id = (uint16_t)nnrp_load_u16(p + NNRP_COMMON_HEADER_AT_ROUTE_ID);
    row->message_type = p[NNRP_COMMON_HEADER_AT_MESSAGE_TYPE];
    memset(row->reserved, 0, sizeof row->reserved);
}

/* Why scanning cannot go on at a header; NNRP_OK when it can after all. */
static int stop_at(const uint8_t *header, size_t left, uint64_t limit, nnrp_error *error)
{
    nnrp_packet packet;
    int status = nnrp_header_check(header, HEADER, error);
    if (status == NNRP_OK) {
        status = nnrp_packet_measure(header, limit, &packet, error);
    }
    if (status == NNRP_OK && packet.total > left) {
        nnrp_breach_values(error, NNRP_RULE_PACKET_IS_EXACT, left, packet.total, left);
        return NNRP_NEED_MORE;
    }
    return status;
}

int nnrp_scan(const uint8_t *source, size_t length, uint64_t limit, size_t *position, nnrp_row *rows, size_t capacity,
              size_t *count, nnrp_error *error)
{
    const uint64_t longest = limit < (uint64_t)UINT32_MAX + HEADER ? limit : (uint64_t)UINT32_MAX + HEADER;
    size_t at = *position;
    size_t n = 0;
    int status = NNRP_OK;
    while (n < capacity && at < length) {
        uint8_t header[HEADER];
        const size_t left = length - at;
        if (left < HEADER) {
            nnrp_header_check(source + at, left, error);
            status = NNRP_NEED_MORE;
            break;
        }
        if (left > AHEAD + 2 * NNRP_CACHE_LINE) {
            nnrp_prefetch(source + at + AHEAD);
            nnrp_prefetch(source + at + AHEAD + NNRP_CACHE_LINE);
            nnrp_prefetch(source + at + AHEAD + 2 * NNRP_CACHE_LINE);
        }
        if (capacity - n > ROWS_AHEAD) {
            nnrp_prefetch_to_write(&rows[n + ROWS_AHEAD]);
        }
        /* One copy, so that memory shared with a writer is read once and what is checked is what is used. */
        memcpy(header, source + at, HEADER);
        const uint64_t total = (uint64_t)HEADER + nnrp_load_u32(header + NNRP_COMMON_HEADER_AT_META_LEN) +
                               nnrp_load_u32(header + NNRP_COMMON_HEADER_AT_BODY_LEN);
        if (!nnrp_hot_common_header_layout(header) || total > longest || total > left) {
            status = stop_at(header, left, limit, error);
            if (status != NNRP_OK) {
                break;
            }
        }
        fill_row(&rows[n++], header, at);
        at += (size_t)total;
    }
    if (status != NNRP_OK) {
        error->offset += at;
    }
    *position = at;
    *count = n;
    return status;
}

void nnrp_header_write(uint8_t *destination, uint8_t message_type, const nnrp_routing *routing, uint32_t meta_len,
                       uint32_t body_len)
{
    nnrp_store_u32(destination + NNRP_COMMON_HEADER_AT_MAGIC, NNRP_MAGIC);
    nnrp_store_u8(destination + NNRP_COMMON_HEADER_AT_VERSION_MAJOR, NNRP_VERSION_MAJOR);
    nnrp_store_u8(destination + NNRP_COMMON_HEADER_AT_WIRE_FORMAT, NNRP_WIRE_FORMAT);
    nnrp_store_u8(destination + NNRP_COMMON_HEADER_AT_MESSAGE_TYPE, message_type);
    nnrp_store_u8(destination + NNRP_COMMON_HEADER_AT_HEADER_LEN, HEADER);
    nnrp_store_u32(destination + NNRP_COMMON_HEADER_AT_FLAGS, routing->flags);
    nnrp_store_u32(destination + NNRP_COMMON_HEADER_AT_META_LEN, meta_len);
    nnrp_store_u32(destination + NNRP_COMMON_HEADER_AT_BODY_LEN, body_len);
    nnrp_store_u32(destination + NNRP_COMMON_HEADER_AT_SESSION_ID, routing->session_id);
    nnrp_store_u32(destination + NNRP_COMMON_HEADER_AT_FRAME_ID, routing->frame_id);
    nnrp_store_u16(destination + NNRP_COMMON_HEADER_AT_VIEW_ID, routing->view_id);
    nnrp_store_u16(destination + NNRP_COMMON_HEADER_AT_ROUTE_ID, routing->route_id);
    nnrp_store_u64(destination + NNRP_COMMON_HEADER_AT_TRACE_ID, routing->trace_id);
}
