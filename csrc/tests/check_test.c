/* check.c: every field is read and written where the table says, every rule of every layout can be broken and is named
 * exactly when it is, and the straight-line checks of hot_generated.h agree with the generic one. */
#include <stdio.h>
#include <string.h>

#include "hot_generated.h"
#include "kit/expect.h"
#include "kit/guard.h"
#include "kit/samples.h"

static void test_fields_are_read_and_written_in_place(void)
{
    static const uint64_t values[] = {0, 1, 0x7f, 0x80, 0x7fff, 0x8000, 0x80000000u, 0x0102030405060708u, UINT64_MAX};
    for (unsigned l = 0; l < NNRP_LAYOUT_COUNT; l++) {
        const nnrp_layout *layout = &nnrp_layouts[l];
        for (unsigned i = 0; i < layout->field_count; i++) {
            const nnrp_field *field = &nnrp_layout_fields(layout)[i];
            const uint64_t limit = field->size == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * field->size)) - 1;
            expect_about("%s.%s", layout->name, field->name);
            EXPECT_EQ(nnrp_field_max(field), field->type == NNRP_I16 ? 0x7fff : limit);
            for (unsigned v = 0; v < sizeof values / sizeof *values; v++) {
                uint8_t bytes[NNRP_LARGEST_LAYOUT], wanted[NNRP_LARGEST_LAYOUT];
                memset(bytes, 0xa5, sizeof bytes);
                memset(wanted, 0xa5, sizeof wanted);
                for (unsigned b = 0; b < field->size; b++) {
                    wanted[field->offset + b] = (uint8_t)(values[v] >> (8 * b));
                }
                nnrp_field_store(field, guard_at_end(bytes, layout->size), values[v]);
                nnrp_field_store(field, bytes, values[v]);
                EXPECT_BYTES(bytes, wanted, sizeof bytes);
                const uint64_t low = values[v] & limit;
                const uint64_t signed_value = (low & 0x8000u) != 0 ? low | ~(uint64_t)0xffff : low;
                EXPECT_EQ(nnrp_field_load(field, bytes), field->type == NNRP_I16 ? signed_value : low);
            }
        }
    }
}

static void test_a_short_source_is_refused_unread(void)
{
    for (uint16_t l = 0; l < NNRP_LAYOUT_COUNT; l++) {
        const nnrp_layout *layout = &nnrp_layouts[l];
        expect_about("%s", layout->name);
        for (size_t length = 0; length < layout->size; length++) {
            nnrp_error error;
            const int status = nnrp_layout_check(layout, NULL, length, &error);
            EXPECT_EQ(status,
                      l == NNRP_L_RECOVERY_TICKET_PREFIX ? NNRP_E_INVALID_RECOVERY_TICKET : NNRP_E_SOURCE_TOO_SHORT);
            EXPECT_EQ(status, nnrp_rules[layout->size_rule].status);
            EXPECT_EQ(error.status, status);
            EXPECT_EQ(error.rule, layout->size_rule);
            EXPECT_EQ(error.layout, l);
            EXPECT_EQ(error.field, NNRP_NONE);
            EXPECT_EQ(error.offset, length);
            EXPECT_EQ(error.expected, layout->size);
            EXPECT_EQ(error.found, length);
            EXPECT_EQ(error.detail, NNRP_HAS_EXPECTED | NNRP_HAS_FOUND);
        }
    }
}

static int run(uint16_t layout, enum nnrp_stage stage, const sample *s, nnrp_error *error)
{
    if (stage == NNRP_STAGE_LAYOUT) {
        return nnrp_layout_check(&nnrp_layouts[layout], s->own, nnrp_layouts[layout].size, error);
    }
    return nnrp_stage_check(&nnrp_layouts[layout], stage, s->header, s->own, s->request, error);
}

/* What an error says beside its rule must fit the bytes it is about. */
static void expect_a_true_report(const sample *s, int status, const nnrp_error *error)
{
    const nnrp_rule *rule = &nnrp_rules[error->rule];
    const nnrp_node *node = &nnrp_nodes[rule->first_node];
    EXPECT_EQ(status, rule->status);
    EXPECT_EQ(error->status, status);
    EXPECT_EQ(error->layout, rule->layout);
    EXPECT_EQ(error->field, rule->field);
    if (rule->field == NNRP_NONE) {
        EXPECT_EQ(error->offset, 0);
        EXPECT_EQ(error->detail & NNRP_HAS_FOUND, 0);
        return;
    }
    const nnrp_field *field = &nnrp_layout_fields(&nnrp_layouts[rule->layout])[rule->field];
    EXPECT_EQ(error->offset, field->offset);
    EXPECT_EQ(error->detail & NNRP_HAS_FOUND, NNRP_HAS_FOUND);
    EXPECT_EQ(error->found, sample_load(s->own + field->offset, field->size));
    if ((error->detail & NNRP_HAS_EXPECTED) == 0) {
        return;
    }
    /* The expected value must be one about this very field. */
    EXPECT_EQ(node->value.space, NNRP_OWN);
    EXPECT_EQ(node->value.offset, field->offset);
    EXPECT(node->op == NNRP_OP_EQ ? error->found != error->expected : (error->found & ~error->expected) != 0);
    sample mended = *s;
    nnrp_field_store(field, mended.own, node->op == NNRP_OP_EQ ? error->expected : error->found & error->expected);
    EXPECT(sample_holds(node, &mended));
}

/* Breaks one rule of a good sample while every rule before it in its stage still holds. */
static int break_exactly(uint16_t layout, enum nnrp_stage stage, uint16_t target, sample *s, rng *chance)
{
    const nnrp_node *node = &nnrp_nodes[nnrp_rules[target].first_node];
    sample_force(node, 0, s, chance);
    for (unsigned repairs = 0; repairs < 20; repairs++) {
        const uint16_t first = sample_first_broken(layout, stage, s);
        if (first == target) {
            return 1;
        }
        if (first > target) {
            return 0;
        }
        sample_force(&nnrp_nodes[nnrp_rules[first].first_node], 1, s, chance);
    }
    return 0;
}

static void test_every_rule_can_be_broken_alone(void)
{
    unsigned broken = 0;
    rng chance = {1};
    for (uint16_t l = 0; l < NNRP_LAYOUT_COUNT; l++) {
        const nnrp_layout *layout = &nnrp_layouts[l];
        for (int stage = NNRP_STAGE_LAYOUT; stage <= NNRP_STAGE_PAIR; stage++) {
            for (uint16_t rule = layout->first_rule[stage]; rule < layout->first_rule[stage + 1]; rule++) {
                const nnrp_rule *r = &nnrp_rules[rule];
                const uint8_t message =
                    r->message_count != 0 ? nnrp_rule_messages[r->first_message] : sample_message_of(l);
                nnrp_error error;
                sample s;
                int found = 0;
                expect_about("%s: %s", layout->name, r->text);
                for (unsigned attempt = 0; attempt < 2000 && !found; attempt++) {
                    sample_make(l, message, NNRP_STAGE_PAIR, &s);
                    EXPECT_EQ(run(l, (enum nnrp_stage)stage, &s, &error), NNRP_OK);
                    found = break_exactly(l, (enum nnrp_stage)stage, rule, &s, &chance);
                }
                EXPECT(found);
                memset(&error, 0xee, sizeof error);
                const int status = run(l, (enum nnrp_stage)stage, &s, &error);
                EXPECT_EQ(error.rule, rule);
                expect_a_true_report(&s, status, &error);
                broken++;
            }
        }
        broken++; /* the rule of the size: test_a_short_source_is_refused_unread */
    }
    EXPECT_EQ(broken, NNRP_RULE_COUNT - NNRP_PROCEDURAL_RULE_COUNT);
}

static void test_a_rule_of_one_message_leaves_the_others_alone(void)
{
    unsigned seen = 0;
    rng chance = {2};
    for (uint16_t rule = NNRP_PROCEDURAL_RULE_COUNT; rule < NNRP_RULE_COUNT; rule++) {
        const nnrp_rule *r = &nnrp_rules[rule];
        if (r->message_count == 0) {
            continue;
        }
        expect_about("%s: %s", nnrp_layouts[r->layout].name, r->text);
        for (unsigned m = 0; m < NNRP_MESSAGE_COUNT; m++) {
            const uint8_t code = nnrp_messages[m].code;
            nnrp_error error;
            sample s;
            int listed = 0;
            if (nnrp_messages[m].layout != r->layout) {
                continue;
            }
            for (unsigned i = 0; i < r->message_count; i++) {
                listed |= nnrp_rule_messages[r->first_message + i] == code;
            }
            sample_make(r->layout, code, NNRP_STAGE_PAIR, &s);
            sample_force(&nnrp_nodes[r->first_node], 0, &s, &chance);
            EXPECT_EQ(run(r->layout, (enum nnrp_stage)r->stage, &s, &error) != NNRP_OK, listed);
            seen++;
        }
    }
    EXPECT(seen >= 9); /* CANCEL, ABORT; PRIORITY_UPDATE, DEADLINE, EXPIRE_AT; BACKPRESSURE, CREDIT_UPDATE twice */
}

/* Bytes near the rules: mostly 0, small numbers, single bits and all ones. */
static void scatter(uint8_t *bytes, size_t length, rng *r)
{
    static const uint8_t liked[] = {0, 0, 1, 1, 2, 3, 4, 7, 8, 16, 24, 40, 0x7f, 0x80, 0xff};
    for (unsigned n = random_below(r, 6); n > 0; n--) {
        uint8_t *at = &bytes[random_below(r, (uint32_t)length)];
        const uint8_t value = liked[random_below(r, sizeof liked)];
        *at = random_below(r, 8) == 0 ? (uint8_t)random_u64(r) : value;
    }
}

static void test_the_checker_agrees_with_a_second_reading_of_the_table(void)
{
    rng r = {3};
    for (uint16_t l = 0; l < NNRP_LAYOUT_COUNT; l++) {
        sample good;
        sample_make(l, sample_message_of(l), NNRP_STAGE_PAIR, &good);
        for (unsigned round = 0; round < 3000; round++) {
            const uint16_t rules =
                (uint16_t)(nnrp_layouts[l].first_rule[NNRP_STAGE_PAIR + 1] - nnrp_layouts[l].size_rule);
            sample s = good;
            /* Chance alone seldom meets a rule of several fields: some are made true or false on purpose. */
            for (unsigned n = random_below(&r, 4); n > 0 && rules > 1; n--) {
                const uint16_t rule = (uint16_t)(nnrp_layouts[l].size_rule + 1 + random_below(&r, rules - 1u));
                sample_force(&nnrp_nodes[nnrp_rules[rule].first_node], (int)random_below(&r, 2), &s, &r);
            }
            if (round % 2 == 0) {
                scatter(s.own, nnrp_layouts[l].size, &r);
                scatter(s.header, sizeof s.header, &r);
                scatter(s.request, sizeof s.request, &r);
            }
            for (int stage = NNRP_STAGE_LAYOUT; stage <= NNRP_STAGE_PAIR; stage++) {
                nnrp_error error;
                const uint16_t wanted = sample_first_broken(l, (enum nnrp_stage)stage, &s);
                const int status = run(l, (enum nnrp_stage)stage, &s, &error);
                expect_about("%s, round %u, stage %d", nnrp_layouts[l].name, round, stage);
                EXPECT_EQ(status == NNRP_OK ? NNRP_NONE : error.rule, wanted);
                if (status != NNRP_OK && wanted != NNRP_NONE) {
                    expect_a_true_report(&s, status, &error);
                }
            }
        }
    }
}

typedef int hot_check(const uint8_t *p);

typedef struct hot_case {
    const char *name;
    hot_check *fast;
    uint16_t layout;
    enum nnrp_stage stage;
} hot_case;

static const hot_case hot_cases[] = {
    {"common_header", nnrp_hot_common_header_layout, NNRP_L_COMMON_HEADER, NNRP_STAGE_LAYOUT},
    {"partial_result", nnrp_hot_partial_result_layout, NNRP_L_PARTIAL_RESULT, NNRP_STAGE_LAYOUT},
    {"partial_result, message", nnrp_hot_partial_result_message, NNRP_L_PARTIAL_RESULT, NNRP_STAGE_MESSAGE},
    {"frame_submit", nnrp_hot_frame_submit_layout, NNRP_L_FRAME_SUBMIT, NNRP_STAGE_LAYOUT},
    {"frame_submit, message", nnrp_hot_frame_submit_message, NNRP_L_FRAME_SUBMIT, NNRP_STAGE_MESSAGE},
    {"result_push", nnrp_hot_result_push_layout, NNRP_L_RESULT_PUSH, NNRP_STAGE_LAYOUT},
    {"result_push, sender", nnrp_hot_result_push_sender, NNRP_L_RESULT_PUSH, NNRP_STAGE_SENDER},
    {"body_region_prelude", nnrp_hot_body_region_prelude_layout, NNRP_L_BODY_REGION_PRELUDE, NNRP_STAGE_LAYOUT},
    {"typed_payload_descriptor", nnrp_hot_typed_payload_descriptor_layout, NNRP_L_TYPED_PAYLOAD_DESCRIPTOR,
     NNRP_STAGE_LAYOUT},
};

static void expect_same_verdict(const hot_case *c, const sample *s)
{
    const uint16_t size = nnrp_layouts[c->layout].size;
    nnrp_error error;
    const int fast = c->fast(guard_at_end(s->own, size)) != 0;
    const int generic = run(c->layout, c->stage, s, &error) == NNRP_OK;
    EXPECT_EQ(fast, generic);
    if (fast != generic) {
        for (uint16_t at = 0; at < size; at++) {
            printf("%02x%s", s->own[at], at + 1 < size ? "" : "\n");
        }
    }
}

static void test_fast_checks_agree_with_the_generic_one(void)
{
    rng r = {4};
    for (unsigned i = 0; i < sizeof hot_cases / sizeof *hot_cases; i++) {
        const hot_case *c = &hot_cases[i];
        const uint16_t size = nnrp_layouts[c->layout].size;
        sample good;
        sample_make(c->layout, sample_message_of(c->layout), NNRP_STAGE_PAIR, &good);
        for (unsigned start = 0; start < 40; start++) {
            sample s = good;
            scatter(s.own, start == 0 ? 1 : size, &r);
            if (start == 0) {
                s = good;
            }
            for (uint16_t at = 0; at < size; at++) {
                expect_about("%s, start %u, byte %u", c->name, start, at);
                for (unsigned value = 0; value < 256; value++) {
                    sample changed = s;
                    changed.own[at] = (uint8_t)value;
                    expect_same_verdict(c, &changed);
                }
            }
        }
        expect_about("%s, random bytes", c->name);
        for (unsigned round = 0; round < 100000; round++) {
            sample s = good;
            scatter(s.own, size, &r);
            scatter(s.own, size, &r);
            expect_same_verdict(c, &s);
        }
    }
}

/* SERVER_HELLO_ACK may select a wire format up to 255, the offer has 16 bits. */
static void test_a_bit_number_beyond_the_bitmap_is_not_in_it(void)
{
    sample s;
    nnrp_error error;
    sample_make(NNRP_L_SERVER_HELLO_ACK, NNRP_MT_SERVER_HELLO_ACK, NNRP_STAGE_PAIR, &s);
    s.request[NNRP_CLIENT_HELLO_AT_SUPPORTED_WIRE_FORMAT_BITMAP] = 0xff;
    s.request[NNRP_CLIENT_HELLO_AT_SUPPORTED_WIRE_FORMAT_BITMAP + 1] = 0xff;
    for (unsigned format = 0; format < 256; format++) {
        expect_about("wire format %u", format);
        s.own[NNRP_SERVER_HELLO_ACK_AT_SELECTED_WIRE_FORMAT] = (uint8_t)format;
        EXPECT_EQ(run(NNRP_L_SERVER_HELLO_ACK, NNRP_STAGE_PAIR, &s, &error) == NNRP_OK, format < 16);
    }
}

static void test_statuses_have_names(void)
{
    static const int statuses[] = {NNRP_E_SOURCE_TOO_SHORT, NNRP_E_FRAME_TOO_LARGE, NNRP_E_INVALID_RECOVERY_TICKET};
    static const char *const names[] = {"source_too_short", "frame_too_large", "invalid_recovery_ticket"};
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_EQ(strcmp(nnrp_status_name(statuses[i]), names[i]), 0);
    }
    for (int status = -NNRP_STATUS_COUNT; status < 0; status++) {
        EXPECT(nnrp_status_name(status) == nnrp_status_names[-1 - status]);
    }
    EXPECT_EQ(strcmp(nnrp_status_name(NNRP_OK), "ok"), 0);
    EXPECT_EQ(strcmp(nnrp_status_name(NNRP_NEED_MORE), "need_more"), 0);
}

static void test_breaches_are_reported_as_said(void)
{
    nnrp_error error;
    memset(&error, 0xee, sizeof error);
    EXPECT_EQ(nnrp_breach(&error, NNRP_RULE_PACKET_IS_EXACT, 5), NNRP_E_PACKET_LENGTH_MISMATCH);
    EXPECT_EQ(error.status, NNRP_E_PACKET_LENGTH_MISMATCH);
    EXPECT_EQ(error.rule, NNRP_RULE_PACKET_IS_EXACT);
    EXPECT_EQ(error.offset, 5);
    EXPECT_EQ(error.layout, NNRP_NONE);
    EXPECT_EQ(error.field, NNRP_NONE);
    EXPECT_EQ(error.detail, 0);
    nnrp_breach_values(&error, NNRP_RULE_PACKET_IS_EXACT, 6, UINT64_MAX, 8);
    EXPECT_EQ(error.offset, 6);
    EXPECT(error.expected == UINT64_MAX);
    EXPECT_EQ(error.found, 8);
    EXPECT_EQ(error.detail, NNRP_HAS_EXPECTED | NNRP_HAS_FOUND);
    for (uint16_t l = 0; l < NNRP_LAYOUT_COUNT; l++) {
        for (uint16_t i = 0; i < nnrp_layouts[l].field_count; i++) {
            const uint16_t offset = nnrp_layout_fields(&nnrp_layouts[l])[i].offset;
            nnrp_breach_field(&error, NNRP_RULE_TAILS_FILL_BODY, 1000, l, offset, 1, 2);
            EXPECT_EQ(error.offset, 1000 + offset);
            EXPECT_EQ(error.layout, l);
            EXPECT_EQ(error.field, i);
        }
    }
}

int main(void)
{
    test_fields_are_read_and_written_in_place();
    test_a_short_source_is_refused_unread();
    test_every_rule_can_be_broken_alone();
    test_a_rule_of_one_message_leaves_the_others_alone();
    test_the_checker_agrees_with_a_second_reading_of_the_table();
    test_fast_checks_agree_with_the_generic_one();
    test_a_bit_number_beyond_the_bitmap_is_not_in_it();
    test_statuses_have_names();
    test_breaches_are_reported_as_said();
    return expect_end();
}
