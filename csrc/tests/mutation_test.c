/* Vectors, changed at random but always in the same way, through every entry point: `mutation_test FILE ROUNDS`. What
 * kit/probe.h says must hold for any bytes at all, and a body must be judged the same from copies as in place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/bodies.h"
#include "kit/expect.h"
#include "kit/guard.h"
#include "kit/probe.h"
#include "kit/random.h"
#include "kit/vectors.h"

#define HEADER NNRP_COMMON_HEADER_SIZE
#define MOST   4096

typedef struct subject {
    uint8_t bytes[MOST];
    size_t length;
} subject;

static const uint32_t liked_numbers[] = {0,      1,           2,           3,           7,          8,     16,
                                         24,     32,          40,          64,          72,         255,   256,
                                         0x7fff, 0x8000,      0xffff,      0x10000,     4096,       10000, 65535,
                                         65536,  0x7fffffffu, 0x80000000u, 0xfffffff0u, 0xffffffffu};

static uint32_t liked_number(rng *r)
{
    return liked_numbers[random_below(r, sizeof liked_numbers / sizeof *liked_numbers)];
}

static void mutate_once(subject *s, const subject *other, rng *r)
{
    const uint32_t length = (uint32_t)s->length;
    const uint32_t at = length != 0 ? random_below(r, length) : 0;
    switch (random_below(r, 9)) {
    case 0: /* one bit */
    case 1:
        if (length != 0) {
            s->bytes[at] = (uint8_t)(s->bytes[at] ^ 1u << random_below(r, 8));
        }
        break;
    case 2: /* one byte */
        if (length != 0) {
            s->bytes[at] = (uint8_t)random_u64(r);
        }
        break;
    case 3: /* an aligned number: where lengths and counts stand */
    case 4:
        if (length >= 4) {
            put_u32(s->bytes + at / 4 * 4 - (at / 4 * 4 + 4 > length ? 4 : 0), liked_number(r));
        }
        break;
    case 5: /* the same, one up or down */
        if (length != 0) {
            s->bytes[at] = (uint8_t)(s->bytes[at] + (random_below(r, 2) != 0 ? 1 : 255));
        }
        break;
    case 6: /* cut */
        s->length = at;
        break;
    case 7: /* grow */
        for (uint32_t n = 1 + random_below(r, 24); n > 0 && s->length < MOST; n--) {
            s->bytes[s->length++] = random_below(r, 2) != 0 ? 0 : (uint8_t)random_u64(r);
        }
        break;
    default: /* a piece of another vector */
        if (other->length != 0 && length != 0) {
            const uint32_t from = random_below(r, (uint32_t)other->length);
            uint32_t n = 1 + random_below(r, 32);
            n = n < other->length - from ? n : (uint32_t)other->length - from;
            n = n < length - at ? n : length - at;
            memcpy(s->bytes + at, other->bytes + from, n);
        }
        break;
    }
}

/* Lets a packet of another length still be a packet, so that changes reach what stands behind the header. */
static void mend_lengths(subject *s)
{
    if (s->length < HEADER) {
        return;
    }
    const uint32_t present = (uint32_t)(s->length - HEADER);
    const uint32_t meta_len = nnrp_load_u32(s->bytes + NNRP_COMMON_HEADER_AT_META_LEN);
    if (meta_len > present) {
        put_u32(s->bytes + NNRP_COMMON_HEADER_AT_META_LEN, present);
    }
    put_u32(s->bytes + NNRP_COMMON_HEADER_AT_BODY_LEN, present - (meta_len < present ? meta_len : present));
}

static void take(subject *s, const vector *v)
{
    s->length = v->length < MOST ? v->length : MOST;
    if (s->length != 0) {
        memcpy(s->bytes, v->bytes, s->length);
    }
}

static void probe_changed_body(const subject *s, probe_setting *setting, rng *r)
{
    static cut_run run;
    const nnrp_message *message;
    nnrp_packet packet;
    nnrp_error error;
    if (nnrp_packet_check(s->bytes, s->length, setting->limit, &packet, &error) != NNRP_OK) {
        return;
    }
    message = &nnrp_messages[packet.message];
    if (message->body_format != NNRP_BODY_DATA_PLANE) {
        return;
    }
    (message->layout == NNRP_L_FRAME_SUBMIT ? nnrp_body_frame_of_submit : nnrp_body_frame_of_result)(&setting->frame,
                                                                                                     s->bytes + HEADER);
    const uint8_t *body = s->bytes + HEADER + packet.meta_len;
    probe_body(guard_at_end(body, packet.body_len), packet.body_len, setting);
    if (random_below(r, 4) == 0) {
        const int status = cut_both_ways(&setting->frame, body, packet.body_len, &run);
        expect_documented(status, 0, &run.error, packet.body_len);
    }
}

/* Layouts are most of the vectors and the least of the work: half of the rounds go to whole packets. */
static const vector *draw(const vector *vectors, size_t count, rng *r)
{
    const int whole_packets = random_below(r, 2) != 0;
    const vector *v;
    do {
        v = &vectors[random_below(r, (uint32_t)count)];
    } while (whole_packets && v->kind != VECTOR_PACKET && v->kind != VECTOR_FLOW_ROUTING && v->kind != VECTOR_BODY);
    return v;
}

static void round_of(const vector *vectors, size_t count, rng *r)
{
    static subject s, other;
    const vector *v = draw(vectors, count, r);
    probe_setting setting = {.a = random_below(r, 2) != 0 ? v->a : random_below(r, 0x81),
                             .b = random_below(r, 2) != 0 ? v->b : random_below(r, 5),
                             .frame_bytes = random_below(r, 2) != 0 ? (uint32_t)v->payload_length : liked_number(r),
                             .limit = NNRP_DEFAULT_MAX_PACKET_BYTES};
    take(&s, v);
    take(&other, &vectors[random_below(r, (uint32_t)count)]);
    for (unsigned n = 1 + random_below(r, 4); n > 0; n--) {
        mutate_once(&s, &other, r);
    }
    if (v->kind != VECTOR_LAYOUT && random_below(r, 4) != 0) {
        mend_lengths(&s);
    }
    switch (v->kind) {
    case VECTOR_LAYOUT:
    case VECTOR_SEMANTIC:
        if (random_below(r, 8) == 0) {
            probe_layouts(guard_at_end(s.bytes, s.length), s.length);
        } else {
            nnrp_error error;
            const uint8_t *p = guard_at_end(s.bytes, s.length);
            const int status = nnrp_layout_check(&nnrp_layouts[v->layout], p, s.length, &error);
            expect_documented(status, 0, &error, s.length);
        }
        break;
    case VECTOR_TYPED_REGION:
    case VECTOR_REFERENCE_REGION:
        setting.frame.tile_base_id = liked_number(r);
        probe_regions(guard_at_end(s.bytes, s.length), s.length, &setting);
        break;
    default:
        probe_packet(guard_at_end(s.bytes, s.length), s.length, &setting);
        probe_changed_body(&s, &setting, r);
        break;
    }
}

int main(int argc, char **argv)
{
    size_t count;
    const vector *vectors = vectors_read(argc > 1 ? argv[1] : NULL, &count);
    const unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    rng r = {0x4e4e5250};
    if (count == 0 || rounds == 0) {
        printf("mutation_test FILE ROUNDS\n");
        return 2;
    }
    for (unsigned long round = 0; round < rounds; round++) {
        expect_round(round + 1);
        round_of(vectors, count, &r);
    }
    printf("rounds %lu\n", rounds);
    return expect_end();
}
