/* packet.c: the order of the header checks, lengths before limits before bytes, and the stages of whole packets, for
 * every message of the catalogue. */
#include <string.h>

#include "kit/bodies.h"
#include "kit/expect.h"
#include "kit/guard.h"
#include "kit/samples.h"

#define HEADER NNRP_COMMON_HEADER_SIZE
#define LIMIT  NNRP_DEFAULT_MAX_PACKET_BYTES

static void set_lengths(uint8_t *packet, uint32_t meta_len, uint32_t body_len)
{
    put_u32(packet + NNRP_COMMON_HEADER_AT_META_LEN, meta_len);
    put_u32(packet + NNRP_COMMON_HEADER_AT_BODY_LEN, body_len);
}

static uint8_t index_of(uint8_t code)
{
    return nnrp_message_by_code[code];
}

/* wire.md section 3, in its order; each value breaks one check. */
static const struct {
    unsigned at;
    uint8_t bad, good;
    int status;
} header_checks[] = {
    {NNRP_COMMON_HEADER_AT_MAGIC + 3, 'Q', 'P', NNRP_E_INVALID_MAGIC},
    {NNRP_COMMON_HEADER_AT_VERSION_MAJOR, 2, 1, NNRP_E_UNSUPPORTED_VERSION_MAJOR},
    {NNRP_COMMON_HEADER_AT_WIRE_FORMAT, 1, 0, NNRP_E_UNSUPPORTED_WIRE_FORMAT},
    {NNRP_COMMON_HEADER_AT_HEADER_LEN, 41, 40, NNRP_E_INVALID_HEADER_LENGTH},
    {NNRP_COMMON_HEADER_AT_FLAGS, 0x40, 0x3f, NNRP_E_RESERVED_BITS_SET},
    {NNRP_COMMON_HEADER_AT_MESSAGE_TYPE, 0x4a, 0x49, NNRP_E_UNKNOWN_MESSAGE_TYPE},
};

#define HEADER_CHECKS (sizeof header_checks / sizeof *header_checks)

static void test_header_checks_run_in_order(void)
{
    /* Every subset of breaches reports its first member. */
    for (unsigned breaches = 0; breaches < 1u << HEADER_CHECKS; breaches++) {
        uint8_t header[HEADER];
        nnrp_packet packet;
        nnrp_error error = {0};
        int wanted = NNRP_OK;
        unsigned offset = 0;
        nnrp_header_write(header, 0x49, &(nnrp_routing){.flags = 0x3f}, 0, 0);
        for (unsigned i = HEADER_CHECKS; i-- > 0;) {
            if ((breaches >> i & 1) != 0) {
                header[header_checks[i].at] = header_checks[i].bad;
                wanted = header_checks[i].status;
                offset = header_checks[i].at;
            }
        }
        expect_about("breaches %#x", breaches);
        EXPECT_EQ(nnrp_header_check(guard_at_end(header, HEADER), HEADER, &error), wanted);
        if (wanted != NNRP_OK) {
            EXPECT_EQ(error.offset, wanted == NNRP_E_INVALID_MAGIC ? 0 : offset);
            EXPECT_EQ(error.layout, NNRP_L_COMMON_HEADER);
            EXPECT_EQ(nnrp_packet_check(header, HEADER, 0, &packet, &error), wanted);
            EXPECT_EQ(nnrp_packet_next(header, HEADER, 0, &packet, &error), wanted);
        }
        /* Too short comes before anything in the bytes. */
        for (size_t length = 0; length < HEADER; length += 13) {
            EXPECT_EQ(nnrp_header_check(guard_at_end(header, length), length, &error), NNRP_E_SOURCE_TOO_SHORT);
            EXPECT_EQ(error.offset, length);
        }
    }
}

static void test_header_is_written_as_it_is_read(void)
{
    static const uint8_t wanted[HEADER] = {
        'N',  'N',  'R',  'P',  1, 0, 0x38, 40, 0x15, 0, 0, 0, 0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55,
        0xcc, 0xbb, 0xaa, 0x99, 4, 3, 2,    1,  6,    5, 8, 7, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11};
    const nnrp_routing routing = {.trace_id = 0x1112131415161718u,
                                  .flags = 0x15,
                                  .session_id = 0x99aabbccu,
                                  .frame_id = 0x01020304,
                                  .view_id = 0x0506,
                                  .route_id = 0x0708};
    uint8_t header[HEADER];
    memcpy(header, wanted, sizeof header);
    uint8_t *guarded = guard_at_end(header, HEADER);
    memset(guarded, 0xee, HEADER);
    nnrp_header_write(guarded, 0x38, &routing, 0x11223344, 0x55667788);
    EXPECT_BYTES(guarded, wanted, HEADER);
}

static void test_lengths_that_wrap_are_refused_first(void)
{
    static const struct {
        uint32_t meta_len, body_len;
        int status;
    } cases[] = {
        {UINT32_MAX, 1, NNRP_E_MESSAGE_LENGTH_OVERFLOW},
        {1, UINT32_MAX, NNRP_E_MESSAGE_LENGTH_OVERFLOW},
        {UINT32_MAX, UINT32_MAX, NNRP_E_MESSAGE_LENGTH_OVERFLOW},
        {0x80000000u, 0x80000000u, NNRP_E_MESSAGE_LENGTH_OVERFLOW},
        /* The largest sum that fits; 40 + sum fits where size_t is wider than 32 bits. */
        {UINT32_MAX, 0, SIZE_MAX > UINT32_MAX ? NNRP_E_FRAME_TOO_LARGE : NNRP_E_MESSAGE_LENGTH_OVERFLOW},
        {0x7fffffffu, 0x80000000u, SIZE_MAX > UINT32_MAX ? NNRP_E_FRAME_TOO_LARGE : NNRP_E_MESSAGE_LENGTH_OVERFLOW},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t header[HEADER];
        nnrp_packet packet;
        nnrp_error error;
        expect_about("case %u", i);
        nnrp_header_write(header, NNRP_MT_PING, &(nnrp_routing){0}, cases[i].meta_len, cases[i].body_len);
        EXPECT_EQ(nnrp_packet_measure(header, LIMIT, &packet, &error), cases[i].status);
        EXPECT_EQ(error.status, cases[i].status);
        EXPECT_EQ(error.layout, NNRP_L_COMMON_HEADER);
        EXPECT_EQ(error.offset, NNRP_COMMON_HEADER_AT_BODY_LEN);
        /* The stream says the same before it misses any byte; whoever holds the whole buffer compares its length. */
        EXPECT_EQ(nnrp_packet_next(guard_at_end(header, HEADER), HEADER, LIMIT, &packet, &error), cases[i].status);
        EXPECT_EQ(nnrp_packet_check(guard_at_end(header, HEADER), HEADER, LIMIT, &packet, &error),
                  cases[i].status == NNRP_E_FRAME_TOO_LARGE ? NNRP_E_PACKET_LENGTH_MISMATCH : cases[i].status);
        if (SIZE_MAX > UINT32_MAX) {
            EXPECT_EQ(nnrp_packet_measure(header, UINT64_MAX, &packet, &error),
                      cases[i].status == NNRP_E_FRAME_TOO_LARGE ? NNRP_OK : NNRP_E_MESSAGE_LENGTH_OVERFLOW);
        }
    }
}

static void test_the_limit_counts_the_whole_packet_and_comes_before_more_bytes(void)
{
    uint8_t header[HEADER + 60] = {0};
    nnrp_packet packet;
    nnrp_error error;
    nnrp_header_write(header, NNRP_MT_CLOSE, &(nnrp_routing){0}, 0, 60);
    for (uint64_t limit = 0; limit < 200; limit++) {
        expect_about("limit %u", (unsigned)limit);
        const int wanted = limit < 100 ? NNRP_E_FRAME_TOO_LARGE : NNRP_OK;
        EXPECT_EQ(nnrp_packet_measure(header, limit, &packet, &error), wanted);
        EXPECT_EQ(packet.total, 100);
        EXPECT_EQ(nnrp_packet_next(guard_at_end(header, HEADER), HEADER, limit, &packet, &error),
                  wanted == NNRP_OK ? NNRP_NEED_MORE : wanted);
        EXPECT_EQ(nnrp_packet_check(header, HEADER, limit, &packet, &error), NNRP_E_PACKET_LENGTH_MISMATCH);
        EXPECT_EQ(nnrp_packet_check(header, sizeof header, limit, &packet, &error), wanted);
        if (wanted != NNRP_OK) {
            EXPECT_EQ(error.expected, limit);
            EXPECT_EQ(error.found, 100);
            EXPECT_EQ(error.offset, NNRP_COMMON_HEADER_AT_BODY_LEN);
        }
    }
}

static void test_every_message_passes_and_is_exact(void)
{
    for (uint8_t m = 0; m < NNRP_MESSAGE_COUNT; m++) {
        uint8_t bytes[SAMPLE_CAPACITY + 2];
        nnrp_packet packet;
        nnrp_error error;
        const size_t length = sample_packet(m, 0, bytes);
        expect_about("%s", nnrp_messages[m].name);
        const uint8_t *p = guard_at_end(bytes, length);
        EXPECT_EQ(nnrp_packet_check(p, length, LIMIT, &packet, &error), NNRP_OK);
        EXPECT_EQ(packet.total, length);
        EXPECT_EQ(packet.message, m);
        EXPECT_EQ(packet.meta_len, nnrp_messages[m].meta_len);
        EXPECT_EQ(packet.body_len, length - HEADER - packet.meta_len);
        EXPECT_EQ(nnrp_message_check(p, &packet, 0, &error), NNRP_OK);
        EXPECT_EQ(nnrp_message_check(p, &packet, 1, &error), NNRP_OK);
        for (size_t present = HEADER; present < length; present++) {
            EXPECT_EQ(nnrp_packet_check(guard_at_end(bytes, present), present, LIMIT, &packet, &error),
                      NNRP_E_PACKET_LENGTH_MISMATCH);
            EXPECT_EQ(error.offset, present);
            EXPECT_EQ(error.expected, length);
            EXPECT_EQ(error.found, present);
        }
        bytes[length] = 0;
        EXPECT_EQ(nnrp_packet_check(bytes, length + 1, LIMIT, &packet, &error), NNRP_E_PACKET_LENGTH_MISMATCH);
        EXPECT_EQ(error.offset, length);
    }
}

static void test_a_stream_asks_for_more_at_every_cut(void)
{
    for (uint8_t m = 0; m < NNRP_MESSAGE_COUNT; m++) {
        uint8_t bytes[SAMPLE_CAPACITY + 1];
        nnrp_packet packet;
        nnrp_error error;
        const size_t length = sample_packet(m, 0, bytes);
        expect_about("%s", nnrp_messages[m].name);
        for (size_t present = 0; present < length; present++) {
            EXPECT_EQ(nnrp_packet_next(guard_at_end(bytes, present), present, LIMIT, &packet, &error), NNRP_NEED_MORE);
            EXPECT_EQ(packet.total, present < HEADER ? 0 : length);
        }
        EXPECT_EQ(nnrp_packet_next(guard_at_end(bytes, length), length, LIMIT, &packet, &error), NNRP_OK);
        EXPECT_EQ(packet.total, length);
        bytes[length] = 0xff; /* the next packet, whatever it is */
        EXPECT_EQ(nnrp_packet_next(bytes, length + 1, LIMIT, &packet, &error), NNRP_OK);
        EXPECT_EQ(packet.total, length);
    }
}

/* wire.md section 2: fewer bytes of metadata are refused, surplus is kept and refused at the message stage only. */
static void test_metadata_may_be_longer_but_not_shorter(void)
{
    unsigned tolerant = 0;
    for (uint8_t m = 0; m < NNRP_MESSAGE_COUNT; m++) {
        const nnrp_message *message = &nnrp_messages[m];
        uint8_t bytes[SAMPLE_CAPACITY];
        nnrp_packet packet;
        nnrp_error error;
        expect_about("%s", message->name);
        sample_packet(m, 0, bytes);
        for (uint32_t meta_len = 0; meta_len < message->meta_len; meta_len++) {
            set_lengths(bytes, meta_len, 0);
            EXPECT_EQ(
                nnrp_packet_check(guard_at_end(bytes, HEADER + meta_len), HEADER + meta_len, LIMIT, &packet, &error),
                NNRP_E_SOURCE_TOO_SHORT);
            EXPECT_EQ(error.offset, HEADER + meta_len);
            EXPECT_EQ(error.layout, message->layout);
            EXPECT_EQ(error.expected, message->meta_len);
            EXPECT_EQ(error.found, meta_len);
        }
        const size_t length = sample_packet(m, 9, bytes);
        EXPECT_EQ(nnrp_packet_check(guard_at_end(bytes, length), length, LIMIT, &packet, &error), NNRP_OK);
        int wanted = message->meta_len_rule == NNRP_NONE ? NNRP_OK : NNRP_E_UNEXPECTED_MESSAGE;
        if (message->code == NNRP_MT_CLOSE) {
            wanted = NNRP_E_INVALID_PROTOCOL_COMBINATION; /* wire.md 5.12 */
        }
        tolerant += wanted == NNRP_OK;
        EXPECT_EQ(nnrp_message_check(bytes, &packet, 0, &error), wanted);
        if (wanted != NNRP_OK) {
            EXPECT_EQ(error.offset, NNRP_COMMON_HEADER_AT_META_LEN);
            EXPECT_EQ(error.expected, message->meta_len);
            EXPECT_EQ(error.found, packet.meta_len);
        }
    }
    /* SERVER_HELLO_ACK, SESSION_OPEN, SESSION_OPEN_ACK, SESSION_CLOSE, TRANSPORT_PROBE: wire.md section 4. */
    EXPECT_EQ(tolerant, 5);
}

/* The same rules as in check_test.c, now met on the way through a packet: offsets count from its first byte. */
static void test_errors_inside_metadata_count_from_the_packet(void)
{
    rng chance = {5};
    for (uint8_t m = 0; m < NNRP_MESSAGE_COUNT; m++) {
        const nnrp_message *message = &nnrp_messages[m];
        if (message->layout == NNRP_NONE) {
            continue;
        }
        const nnrp_layout *layout = &nnrp_layouts[message->layout];
        for (int stage = NNRP_STAGE_LAYOUT; stage <= NNRP_STAGE_SENDER; stage++) {
            for (unsigned attempt = 0; attempt < 60; attempt++) {
                const uint16_t rules = (uint16_t)(layout->first_rule[stage + 1] - layout->first_rule[stage]);
                uint8_t bytes[SAMPLE_CAPACITY];
                nnrp_packet packet;
                nnrp_error error;
                sample s;
                if (rules == 0) {
                    continue;
                }
                const uint16_t rule = (uint16_t)(layout->first_rule[stage] + random_below(&chance, rules));
                sample_make(message->layout, message->code, NNRP_STAGE_SENDER, &s);
                sample_force(&nnrp_nodes[nnrp_rules[rule].first_node], 0, &s, &chance);
                s.header[NNRP_COMMON_HEADER_AT_MESSAGE_TYPE] = message->code;
                memcpy(bytes, s.header, HEADER);
                memcpy(bytes + HEADER, s.own, layout->size);
                set_lengths(bytes, layout->size, 0);
                memcpy(s.header, bytes, HEADER);
                const size_t length = HEADER + (size_t)layout->size;
                const uint8_t *p = attempt % 2 == 0 ? guard_at_end(bytes, length) : guard_at_start(bytes, length);
                uint16_t wanted = sample_first_broken(message->layout, NNRP_STAGE_LAYOUT, &s);
                expect_about("%s: %s", message->name, nnrp_rules[rule].text);
                int status = nnrp_packet_check(p, length, LIMIT, &packet, &error);
                if (wanted == NNRP_NONE) {
                    EXPECT_EQ(status, NNRP_OK);
                    wanted = sample_first_broken(message->layout, NNRP_STAGE_MESSAGE, &s);
                    status = nnrp_message_check(p, &packet, 0, &error);
                }
                if (wanted == NNRP_NONE) {
                    EXPECT_EQ(status, NNRP_OK);
                    wanted = sample_first_broken(message->layout, NNRP_STAGE_SENDER, &s);
                    status = nnrp_message_check(p, &packet, 1, &error);
                }
                EXPECT_EQ(status == NNRP_OK ? NNRP_NONE : error.rule, wanted);
                if (wanted != NNRP_NONE && nnrp_rules[wanted].field != NNRP_NONE) {
                    const nnrp_field *field = &nnrp_layout_fields(layout)[nnrp_rules[wanted].field];
                    EXPECT_EQ(error.offset, HEADER + (unsigned)field->offset);
                    EXPECT_EQ(error.found, sample_load(s.own + field->offset, field->size));
                }
            }
        }
    }
}

static void test_an_answer_is_compared_with_its_request(void)
{
    static const uint8_t answers[] = {NNRP_MT_SERVER_HELLO_ACK, NNRP_MT_SESSION_OPEN_ACK, NNRP_MT_SESSION_MIGRATE_ACK};
    rng chance = {6};
    unsigned broken = 0;
    for (uint8_t m = 0; m < NNRP_MESSAGE_COUNT; m++) {
        const nnrp_message *message = &nnrp_messages[m];
        const int is_answer = memchr(answers, message->code, sizeof answers) != NULL;
        uint8_t bytes[SAMPLE_CAPACITY];
        nnrp_packet packet;
        nnrp_error error;
        expect_about("%s", message->name);
        const size_t length = sample_packet(m, 0, bytes);
        EXPECT_EQ(nnrp_packet_check(bytes, length, LIMIT, &packet, &error), NNRP_OK);
        if (!is_answer) {
            EXPECT_EQ(nnrp_pair_check(bytes, &packet, NULL, &error), NNRP_OK);
            continue;
        }
        const nnrp_layout *layout = &nnrp_layouts[message->layout];
        const uint16_t request_size = nnrp_layouts[layout->request].size;
        for (uint16_t rule = layout->first_rule[NNRP_STAGE_PAIR]; rule < layout->first_rule[NNRP_STAGE_PAIR + 1];
             rule++) {
            sample s;
            expect_about("%s: %s", message->name, nnrp_rules[rule].text);
            sample_make(message->layout, message->code, NNRP_STAGE_PAIR, &s);
            memcpy(bytes, s.header, HEADER);
            memcpy(bytes + HEADER, s.own, layout->size);
            const uint8_t *request = guard_at_end(s.request, request_size);
            EXPECT_EQ(nnrp_pair_check(bytes, &packet, request, &error), NNRP_OK);
            sample_force(&nnrp_nodes[nnrp_rules[rule].first_node], 0, &s, &chance);
            memcpy(bytes + HEADER, s.own, layout->size);
            request = guard_at_end(s.request, request_size);
            EXPECT_EQ(nnrp_pair_check(bytes, &packet, request, &error), NNRP_E_INVALID_PROTOCOL_COMBINATION);
            EXPECT_EQ(error.rule, sample_first_broken(message->layout, NNRP_STAGE_PAIR, &s));
            EXPECT_EQ(error.offset,
                      error.field == NNRP_NONE ? 0 : HEADER + (unsigned)nnrp_layout_fields(layout)[error.field].offset);
            broken++;
        }
    }
    EXPECT_EQ(broken, 13);
}

static void test_tails_fill_the_body(void)
{
    for (uint8_t m = 0; m < NNRP_MESSAGE_COUNT; m++) {
        const nnrp_message *message = &nnrp_messages[m];
        nnrp_span spans[NNRP_MAX_TAILS];
        uint8_t bytes[SAMPLE_CAPACITY];
        nnrp_packet packet;
        nnrp_error error;
        uint32_t at = 0;
        if (message->body_format == NNRP_BODY_DATA_PLANE) {
            continue;
        }
        expect_about("%s", message->name);
        const size_t length = sample_packet(m, message->meta_len_rule == NNRP_NONE ? 6 : 0, bytes);
        EXPECT_EQ(nnrp_packet_check(bytes, length, LIMIT, &packet, &error), NNRP_OK);
        /* Only header and metadata are there to be read. */
        const uint8_t *p = guard_at_end(bytes, HEADER + packet.meta_len);
        EXPECT_EQ(nnrp_tails_cut(p, &packet, spans, &error), NNRP_OK);
        for (unsigned i = 0; i < message->tail_count; i++) {
            EXPECT_EQ(spans[i].at, at);
            EXPECT_EQ(spans[i].length, 3 + i);
            at += spans[i].length;
        }
        for (int change = -1; change <= 1; change += 2) {
            nnrp_packet lie = packet;
            lie.body_len = packet.body_len + (uint32_t)change;
            if (message->body_format == NNRP_BODY_OPAQUE) {
                EXPECT_EQ(nnrp_tails_cut(p, &lie, spans, &error), NNRP_OK);
                EXPECT_EQ(spans[0].at, 0);
                EXPECT_EQ(spans[0].length, lie.body_len);
                continue;
            }
            EXPECT_EQ(nnrp_tails_cut(p, &lie, spans, &error), NNRP_E_DECLARED_LENGTH_MISMATCH);
            EXPECT_EQ(error.expected, packet.body_len);
            EXPECT_EQ(error.found, lie.body_len);
            if (message->tail_count == 1) {
                EXPECT_EQ(error.layout, message->layout);
                EXPECT_EQ(error.field, message->tail_fields[0]);
                EXPECT_EQ(error.offset,
                          HEADER + (unsigned)nnrp_layout_fields(&nnrp_layouts[message->layout])[error.field].offset);
            } else {
                EXPECT_EQ(error.layout, NNRP_L_COMMON_HEADER);
                EXPECT_EQ(error.offset, NNRP_COMMON_HEADER_AT_BODY_LEN);
            }
        }
    }
}

static void test_tails_whose_sum_wraps_do_not_look_right(void)
{
    uint8_t bytes[SAMPLE_CAPACITY];
    nnrp_span spans[NNRP_MAX_TAILS];
    nnrp_packet packet;
    nnrp_error error;
    expect_about("client_hello");
    sample_packet(index_of(NNRP_MT_CLIENT_HELLO), 0, bytes);
    put_u32(bytes + HEADER + NNRP_CLIENT_HELLO_AT_AUTH_BYTES, 0x80000000u);
    put_u32(bytes + HEADER + NNRP_CLIENT_HELLO_AT_CONTROL_EXTENSION_BYTES, 0x80000000u);
    set_lengths(bytes, NNRP_CLIENT_HELLO_SIZE, 0);
    EXPECT_EQ(nnrp_packet_check(bytes, HEADER + NNRP_CLIENT_HELLO_SIZE, LIMIT, &packet, &error), NNRP_OK);
    EXPECT_EQ(nnrp_tails_cut(bytes, &packet, spans, &error), NNRP_E_DECLARED_LENGTH_MISMATCH);
    EXPECT_EQ(error.expected, 0x100000000u);
    EXPECT_EQ(error.found, 0);
}

static size_t all_messages(uint8_t *stream, size_t starts[NNRP_MESSAGE_COUNT + 1])
{
    size_t length = 0;
    for (uint8_t m = 0; m < NNRP_MESSAGE_COUNT; m++) {
        uint8_t packet[SAMPLE_CAPACITY];
        const size_t one = sample_packet(m, m % 3, packet);
        for (unsigned i = 20; i < HEADER; i++) {
            packet[i] = (uint8_t)(m * 31 + i); /* ids of all kinds, nothing of which is checked */
        }
        packet[NNRP_COMMON_HEADER_AT_FLAGS] = m & 0x3f;
        memcpy(stream + length, packet, one);
        starts[m] = length;
        length += one;
    }
    starts[NNRP_MESSAGE_COUNT] = length;
    return length;
}

static void expect_row(const nnrp_row *row, const uint8_t *stream, size_t start)
{
    const uint8_t *p = stream + start;
    EXPECT_EQ(row->offset, start);
    EXPECT_EQ(row->message_type, p[6]);
    EXPECT_EQ(row->flags, sample_load(p + 8, 4));
    EXPECT_EQ(row->meta_len, sample_load(p + 12, 4));
    EXPECT_EQ(row->body_len, sample_load(p + 16, 4));
    EXPECT_EQ(row->session_id, sample_load(p + 20, 4));
    EXPECT_EQ(row->frame_id, sample_load(p + 24, 4));
    EXPECT_EQ(row->view_id, sample_load(p + 28, 2));
    EXPECT_EQ(row->route_id, sample_load(p + 30, 2));
    EXPECT_EQ(row->trace_id, sample_load(p + 32, 8));
    for (unsigned i = 0; i < sizeof row->reserved; i++) {
        EXPECT_EQ(row->reserved[i], 0);
    }
}

static void test_scan_lists_back_to_back_packets(void)
{
    uint8_t stream[NNRP_MESSAGE_COUNT * 160];
    size_t starts[NNRP_MESSAGE_COUNT + 1];
    nnrp_row rows[NNRP_MESSAGE_COUNT + 1];
    nnrp_error error;
    const size_t length = all_messages(stream, starts);
    const uint8_t *p = guard_at_end(stream, length);
    EXPECT(length <= sizeof stream);
    for (size_t capacity = 0; capacity <= NNRP_MESSAGE_COUNT + 1; capacity++) {
        size_t position = 0, total = 0, count;
        expect_about("capacity %u", (unsigned)capacity);
        memset(rows, 0xee, sizeof rows);
        do { /* as many calls as it takes */
            const size_t before = position;
            EXPECT_EQ(nnrp_scan(p, length, LIMIT, &position, rows, capacity, &count, &error), NNRP_OK);
            EXPECT_EQ(count, capacity < NNRP_MESSAGE_COUNT - total ? capacity : NNRP_MESSAGE_COUNT - total);
            for (size_t i = 0; i < count; i++) {
                expect_row(&rows[i], stream, starts[total + i]);
            }
            total += count;
            EXPECT_EQ(position, starts[total]);
            EXPECT(position > before || capacity == 0 || before == length);
        } while (count != 0);
        EXPECT_EQ(total, capacity == 0 ? 0 : NNRP_MESSAGE_COUNT);
    }
}

static void test_scan_stops_before_a_packet_that_is_cut_off(void)
{
    uint8_t stream[NNRP_MESSAGE_COUNT * 160];
    size_t starts[NNRP_MESSAGE_COUNT + 1];
    nnrp_row rows[NNRP_MESSAGE_COUNT];
    nnrp_error error;
    const size_t length = all_messages(stream, starts);
    for (size_t present = 0, whole = 0; present <= length; present++) {
        size_t position = 0, count = 99;
        whole += present == starts[whole + 1] ? 1 : 0;
        expect_about("%u bytes", (unsigned)present);
        EXPECT_EQ(nnrp_scan(guard_at_end(stream, present), present, LIMIT, &position, rows, NNRP_MESSAGE_COUNT, &count,
                            &error),
                  present == starts[whole] ? NNRP_OK : NNRP_NEED_MORE);
        EXPECT_EQ(count, whole);
        EXPECT_EQ(position, starts[whole]);
        if (present != starts[whole]) { /* what it would be if the stream ended here */
            EXPECT_EQ(error.status,
                      present - starts[whole] < HEADER ? NNRP_E_SOURCE_TOO_SHORT : NNRP_E_PACKET_LENGTH_MISMATCH);
            EXPECT_EQ(error.offset, present);
        }
        if (whole == NNRP_MESSAGE_COUNT) {
            break;
        }
    }
}

static void test_scan_reports_a_bad_header_where_it_stands(void)
{
    uint8_t stream[NNRP_MESSAGE_COUNT * 160];
    size_t starts[NNRP_MESSAGE_COUNT + 1];
    nnrp_row rows[NNRP_MESSAGE_COUNT];
    nnrp_error error;
    for (unsigned bad = 0; bad < NNRP_MESSAGE_COUNT; bad++) {
        const size_t length = all_messages(stream, starts);
        for (unsigned i = 0; i < HEADER_CHECKS; i++) {
            uint8_t *at = &stream[starts[bad] + header_checks[i].at];
            const uint8_t before = *at;
            size_t position = 0, count = 99;
            expect_about("packet %u, check %u", bad, i);
            *at = header_checks[i].bad;
            EXPECT_EQ(nnrp_scan(stream, length, LIMIT, &position, rows, NNRP_MESSAGE_COUNT, &count, &error),
                      header_checks[i].status);
            EXPECT_EQ(error.offset, starts[bad] + (i == 0 ? 0 : header_checks[i].at));
            EXPECT_EQ(count, bad);
            EXPECT_EQ(position, starts[bad]);
            *at = before;
        }
        /* Over the limit, although its bytes are not there either. */
        size_t position = starts[bad], count = 99;
        set_lengths(stream + starts[bad], 0, LIMIT);
        EXPECT_EQ(nnrp_scan(stream, length, LIMIT, &position, rows, NNRP_MESSAGE_COUNT, &count, &error),
                  NNRP_E_FRAME_TOO_LARGE);
        EXPECT_EQ(error.offset, starts[bad] + NNRP_COMMON_HEADER_AT_BODY_LEN);
        EXPECT_EQ(count, 0);
        EXPECT_EQ(position, starts[bad]);
        set_lengths(stream + starts[bad], UINT32_MAX, 1);
        EXPECT_EQ(nnrp_scan(stream, length, LIMIT, &position, rows, NNRP_MESSAGE_COUNT, &count, &error),
                  NNRP_E_MESSAGE_LENGTH_OVERFLOW);
    }
}

int main(void)
{
    test_header_checks_run_in_order();
    test_header_is_written_as_it_is_read();
    test_lengths_that_wrap_are_refused_first();
    test_the_limit_counts_the_whole_packet_and_comes_before_more_bytes();
    test_every_message_passes_and_is_exact();
    test_a_stream_asks_for_more_at_every_cut();
    test_metadata_may_be_longer_but_not_shorter();
    test_errors_inside_metadata_count_from_the_packet();
    test_an_answer_is_compared_with_its_request();
    test_tails_fill_the_body();
    test_tails_whose_sum_wraps_do_not_look_right();
    test_scan_lists_back_to_back_packets();
    test_scan_stops_before_a_packet_that_is_cut_off();
    test_scan_reports_a_bad_header_where_it_stands();
    return expect_end();
}
