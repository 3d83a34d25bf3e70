/* Whole packets: header(40) | metadata(meta_len) | body(body_len), wire.md sections 2 to 4.
 *
 * Nothing is read past a length that was not compared with what is there, and no length is used in a sum before its
 * limits are known. "Need more bytes" is an answer of the stream functions, never an error. */
#ifndef NNRP_PACKET_H
#define NNRP_PACKET_H

#include "nnrp/check.h"

typedef struct nnrp_packet {
    size_t total; /* 40 + meta_len + body_len */
    uint32_t meta_len;
    uint32_t body_len;
    uint8_t message; /* index into nnrp_messages */
} nnrp_packet;

/* The seven header checks in their order. */
int nnrp_header_check(const uint8_t *source, size_t length, nnrp_error *error);

/* Lengths of a checked header: they fit u32 together, and the packet is within limit bytes. */
int nnrp_packet_measure(const uint8_t *header, uint64_t limit, nnrp_packet *packet, nnrp_error *error);

/* The layout stage of the metadata of a measured packet whose header and metadata are at source. */
int nnrp_metadata_check(const uint8_t *source, const nnrp_packet *packet, nnrp_error *error);

/* Exactly one packet in [source, source + length): header, exact length, limit, layout stage of the metadata. *packet
 * is set once the header is sound. */
int nnrp_packet_check(const uint8_t *source, size_t length, uint64_t limit, nnrp_packet *packet, nnrp_error *error);

/* The packet at the start of a stream: NNRP_OK, a negative status, or NNRP_NEED_MORE. After NNRP_NEED_MORE
 * packet->total is the length of the packet when the header is complete, else 0. */
int nnrp_packet_next(const uint8_t *source, size_t length, uint64_t limit, nnrp_packet *packet, nnrp_error *error);

/* Message stage of a checked packet: exact metadata length, then the rules of its message over header and metadata;
 * with strict the sender stage too. source holds header and metadata. */
int nnrp_message_check(const uint8_t *source, const nnrp_packet *packet, int strict, nnrp_error *error);

/* Pair stage: answer against the metadata of its request. */
int nnrp_pair_check(const uint8_t *answer, const nnrp_packet *packet, const uint8_t *request_metadata,
                    nnrp_error *error);

typedef struct nnrp_span {
    uint32_t at; /* from the start of the body */
    uint32_t length;
} nnrp_span;

/* The declared tails of a message that has no data-plane body; spans[i] belongs to tail i of the message. */
int nnrp_tails_cut(const uint8_t *source, const nnrp_packet *packet, nnrp_span spans[NNRP_MAX_TAILS],
                   nnrp_error *error);

/* One packet of a scanned buffer. */
typedef struct nnrp_row {
    uint64_t offset;
    uint64_t trace_id;
    uint32_t flags;
    uint32_t meta_len;
    uint32_t body_len;
    uint32_t session_id;
    uint32_t frame_id;
    uint16_t view_id;
    uint16_t route_id;
    uint8_t message_type;
    uint8_t reserved[7]; /* keeps rows a multiple of 8 bytes in every compiler's eyes */
} nnrp_row;

/* Headers and lengths of back-to-back packets from *position on, up to capacity rows; metadata is not looked at. Stops
 * with NNRP_OK at the end of the buffer or when rows are full, NNRP_NEED_MORE before a packet that is cut off, or a
 * negative status; *position is then where it stopped, and *count rows are valid in every case. With NNRP_NEED_MORE
 * *error says what is wrong with the cut packet if nothing more is to come. */
int nnrp_scan(const uint8_t *source, size_t length, uint64_t limit, size_t *position, nnrp_row *rows, size_t capacity,
              size_t *count, nnrp_error *error);

/* 40 bytes of header for a packet of known lengths. */
typedef struct nnrp_routing {
    uint64_t trace_id;
    uint32_t flags;
    uint32_t session_id;
    uint32_t frame_id;
    uint16_t view_id;
    uint16_t route_id;
} nnrp_routing;

void nnrp_header_write(uint8_t *destination, uint8_t message_type, const nnrp_routing *routing, uint32_t meta_len,
                       uint32_t body_len);

#endif
