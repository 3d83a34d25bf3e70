#include "kit/samples.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t sample_load(const uint8_t *p, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = size; i > 0; i--) {
        value = value * 256 + p[i - 1];
    }
    return value;
}

static void sample_store(uint8_t *p, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size; i++) {
        p[i] = (uint8_t)(value % 256);
        value /= 256;
    }
}

static unsigned type_size(uint8_t type)
{
    static const unsigned sizes[] = {[NNRP_U8] = 1,  [NNRP_U16] = 2, [NNRP_U32] = 4,
                                     [NNRP_U64] = 8, [NNRP_I16] = 2, [NNRP_BYTES4] = 4};
    return sizes[type];
}

static uint64_t most(const nnrp_operand *o)
{
    const unsigned size = type_size(o->type);
    return size == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * size)) - 1;
}

/* Where an operand stands inside the sample. No rule reads a signed field, so every operand is unsigned. */
static size_t place(const nnrp_operand *o)
{
    static const size_t spaces[] = {[NNRP_OWN] = offsetof(sample, own),
                                    [NNRP_HEADER] = offsetof(sample, header),
                                    [NNRP_REQUEST] = offsetof(sample, request)};
    return spaces[o->space] + o->offset;
}

static uint64_t get(const sample *s, const nnrp_operand *o)
{
    return sample_load((const uint8_t *)s + place(o), type_size(o->type));
}

static void set(sample *s, const nnrp_operand *o, uint64_t value)
{
    sample_store((uint8_t *)s + place(o), type_size(o->type), value);
}

static int member(const nnrp_set *set, uint64_t value)
{
    for (uint64_t candidate = 0; candidate < 256; candidate++) {
        if (candidate == value) {
            return (set->words[candidate >> 6] & (uint64_t)1 << (candidate & 63)) != 0;
        }
    }
    return 0;
}

static unsigned children(const nnrp_node *node, const nnrp_node *found[32])
{
    unsigned n = 0;
    for (const nnrp_node *child = node + 1; child < node + node->span; child += child->span) {
        found[n++] = child;
    }
    return n;
}

int sample_holds(const nnrp_node *node, const sample *s)
{
    const nnrp_node *child[32];
    const unsigned n = children(node, child);
    const uint64_t v = get(s, &node->value);
    const uint64_t other = get(s, &node->other);
    unsigned true_children = 0;
    for (unsigned i = 0; i < n; i++) {
        true_children += sample_holds(child[i], s) ? 1 : 0;
    }
    switch (node->op) {
    case NNRP_OP_ALL:
        return true_children == n;
    case NNRP_OP_ANY:
        return true_children != 0;
    case NNRP_OP_NOT:
        return true_children == 0;
    case NNRP_OP_SAME:
        return true_children != 1;
    case NNRP_OP_EQ:
        return v == node->a;
    case NNRP_OP_NE:
        return v != node->a;
    case NNRP_OP_RANGE:
        return node->a <= v && v <= node->b;
    case NNRP_OP_WITHIN:
        return (v | node->a) == node->a;
    case NNRP_OP_HAS_ANY:
        return (v & node->a) != 0;
    case NNRP_OP_MULTIPLE:
        return v == v / node->a * node->a;
    case NNRP_OP_IN_SET:
        return member(&nnrp_sets[node->a], v);
    case NNRP_OP_NOT_ABOVE:
        return v <= other;
    case NNRP_OP_SUBSET:
        return (v | other) == other;
    case NNRP_OP_DIFFERS:
        return v != other;
    case NNRP_OP_BIT_NUMBER_IN:
        return v < 64 && (other & (uint64_t)1 << v) != 0;
    case NNRP_OP_SUM:
        return v == other + get(s, &node->other2);
    default:
        printf("an operation that the tests do not know: %d\n", node->op);
        exit(2);
    }
}

int sample_applies(uint16_t rule, const sample *s)
{
    const nnrp_rule *r = &nnrp_rules[rule];
    int listed = r->message_count == 0;
    for (unsigned i = 0; i < r->message_count; i++) {
        listed |= nnrp_rule_messages[r->first_message + i] == s->header[NNRP_COMMON_HEADER_AT_MESSAGE_TYPE];
    }
    return listed;
}

uint16_t sample_first_broken(uint16_t layout, enum nnrp_stage stage, const sample *s)
{
    const nnrp_layout *l = &nnrp_layouts[layout];
    for (uint16_t rule = l->first_rule[stage]; rule < l->first_rule[stage + 1]; rule++) {
        if (sample_applies(rule, s) && !sample_holds(&nnrp_nodes[nnrp_rules[rule].first_node], s)) {
            return rule;
        }
    }
    return NNRP_NONE;
}

static uint64_t a_bit_outside(uint64_t mask, uint64_t limit, rng *chance)
{
    uint64_t outside = limit & ~mask;
    unsigned skip = random_below(chance, 4);
    while (skip-- > 0 && (outside & (outside - 1)) != 0) {
        outside &= outside - 1;
    }
    return outside & (~outside + 1);
}

static void force_value(const nnrp_node *node, int wanted, sample *s, rng *chance)
{
    const nnrp_operand *o = &node->value;
    const uint64_t v = get(s, o);
    const uint64_t limit = most(o);
    switch (node->op) {
    case NNRP_OP_EQ:
    case NNRP_OP_NE:
        set(s, o, wanted == (node->op == NNRP_OP_EQ) ? node->a : node->a ^ (uint64_t)(1 + random_below(chance, 3)));
        return;
    case NNRP_OP_RANGE:
        set(s, o, wanted ? node->a : node->b < limit ? node->b + 1 : node->a - 1);
        return;
    case NNRP_OP_WITHIN:
        set(s, o, wanted ? v & node->a : v | a_bit_outside(node->a, limit, chance));
        return;
    case NNRP_OP_HAS_ANY:
        set(s, o, wanted ? v | (node->a & (~node->a + 1)) : v & ~node->a);
        return;
    case NNRP_OP_MULTIPLE:
        set(s, o, wanted ? v - v % node->a : v - v % node->a + 1);
        return;
    default:
        do { /* NNRP_OP_IN_SET */
            set(s, o, random_below(chance, limit < 300 ? (uint32_t)limit + 1 : 300));
        } while (member(&nnrp_sets[node->a], get(s, o)) != wanted);
        return;
    }
}

static void force_pair(const nnrp_node *node, int wanted, sample *s, rng *chance)
{
    const nnrp_operand *value = &node->value;
    const nnrp_operand *other = &node->other;
    uint64_t v = get(s, value);
    uint64_t o = get(s, other);
    switch (node->op) {
    case NNRP_OP_NOT_ABOVE:
        if (wanted && random_below(chance, 2) != 0 && v <= most(other)) {
            set(s, other, v);
        } else if (wanted) {
            set(s, value, o < most(value) ? o : most(value));
        } else if (o < most(value)) {
            set(s, value, o + 1);
        } else {
            set(s, other, 0);
            set(s, value, 1);
        }
        return;
    case NNRP_OP_SUBSET:
        set(s, value, wanted ? v & o : v | a_bit_outside(o, most(value), chance));
        return;
    case NNRP_OP_DIFFERS:
        set(s, value, wanted ? (o ^ 1 ? o ^ 1 : o ^ 2) : o);
        return;
    case NNRP_OP_BIT_NUMBER_IN:
        set(s, value, v % (8 * type_size(other->type)));
        v = get(s, value);
        set(s, other, wanted ? o | (uint64_t)1 << v : o & ~((uint64_t)1 << v));
        return;
    default: /* NNRP_OP_SUM */
        set(s, value, o + get(s, &node->other2) + (wanted ? 0 : 1));
        return;
    }
}

void sample_force(const nnrp_node *node, int wanted, sample *s, rng *chance)
{
    const nnrp_node *child[32];
    const unsigned n = children(node, child);
    const int first = (int)random_below(chance, 2);
    switch (node->op) {
    case NNRP_OP_NOT:
        sample_force(child[0], !wanted, s, chance);
        return;
    case NNRP_OP_SAME:
        sample_force(child[0], first, s, chance);
        sample_force(child[1], wanted ? first : !first, s, chance);
        return;
    case NNRP_OP_ALL:
    case NNRP_OP_ANY:
        if (wanted == (node->op == NNRP_OP_ALL)) {
            for (unsigned i = 0; i < n; i++) {
                sample_force(child[i], wanted, s, chance);
            }
        } else {
            sample_force(child[random_below(chance, n)], wanted, s, chance);
        }
        return;
    default:
        if (node->op >= NNRP_OP_NOT_ABOVE) {
            force_pair(node, wanted, s, chance);
        } else {
            force_value(node, wanted, s, chance);
        }
        return;
    }
}

static void initial(uint16_t layout, uint8_t *bytes)
{
    memset(bytes, 0, NNRP_LARGEST_LAYOUT);
    for (uint16_t i = 0; i < nnrp_layouts[layout].field_count; i++) {
        const nnrp_field *field = &nnrp_layout_fields(&nnrp_layouts[layout])[i];
        sample_store(bytes + field->offset, field->size, field->initial);
    }
}

void sample_make(uint16_t layout, uint8_t message, enum nnrp_stage last, sample *s)
{
    const uint16_t request = nnrp_layouts[layout].request;
    rng chance = {0x6e6e7270u + layout};
    memset(s, 0, sizeof *s);
    initial(layout, s->own);
    if (request != NNRP_NONE) {
        sample answered;
        sample_make(request, sample_message_of(request), NNRP_STAGE_MESSAGE, &answered);
        memcpy(s->request, answered.own, sizeof s->request);
    }
    nnrp_header_write(s->header, message, &(nnrp_routing){.session_id = 7}, nnrp_layouts[layout].size, 0);
    for (unsigned round = 0; round < 10000; round++) {
        uint16_t broken = NNRP_NONE;
        for (int stage = NNRP_STAGE_LAYOUT; broken == NNRP_NONE && stage <= (int)last; stage++) {
            broken = sample_first_broken(layout, (enum nnrp_stage)stage, s);
        }
        if (broken == NNRP_NONE) {
            return;
        }
        sample_force(&nnrp_nodes[nnrp_rules[broken].first_node], 1, s, &chance);
    }
    printf("no way found to satisfy the rules of %s\n", nnrp_layouts[layout].name);
    exit(2);
}

uint8_t sample_message_of(uint16_t layout)
{
    for (unsigned i = 0; i < NNRP_MESSAGE_COUNT; i++) {
        if (nnrp_messages[i].layout == layout) {
            return nnrp_messages[i].code;
        }
    }
    return NNRP_MT_PING;
}

size_t sample_packet(uint8_t message, uint32_t surplus, uint8_t packet[SAMPLE_CAPACITY])
{
    const nnrp_message *m = &nnrp_messages[message];
    uint32_t body = 0;
    sample s;
    memset(packet, 0, SAMPLE_CAPACITY);
    memset(s.header, 0, sizeof s.header);
    if (m->layout == NNRP_NONE) {
        nnrp_header_write(s.header, m->code, &(nnrp_routing){.session_id = 7}, 0, 0);
    } else {
        sample_make(m->layout, m->code, NNRP_STAGE_PAIR, &s);
        memcpy(packet + NNRP_COMMON_HEADER_SIZE, s.own, nnrp_layouts[m->layout].size);
    }
    for (unsigned i = 0; i < m->tail_count; i++) {
        const nnrp_field *field = &nnrp_layout_fields(&nnrp_layouts[m->layout])[m->tail_fields[i]];
        sample_store(packet + NNRP_COMMON_HEADER_SIZE + field->offset, 4, 3 + i);
        body += 3 + i;
    }
    if (m->code == NNRP_MT_SESSION_OPEN) {
        /* A token of some length asks for more of the metadata (wire.md 5.3). */
        packet[NNRP_COMMON_HEADER_SIZE + NNRP_SESSION_OPEN_AT_SESSION_FLAGS] |= 1;
        packet[NNRP_COMMON_HEADER_SIZE + NNRP_SESSION_OPEN_AT_REQUESTED_SESSION_ID] = 1;
    }
    memcpy(packet, s.header, sizeof s.header);
    sample_store(packet + NNRP_COMMON_HEADER_AT_META_LEN, 4, m->meta_len + surplus);
    sample_store(packet + NNRP_COMMON_HEADER_AT_BODY_LEN, 4, body);
    memset(packet + NNRP_COMMON_HEADER_SIZE + m->meta_len + surplus, 0x5a, body);
    return NNRP_COMMON_HEADER_SIZE + (size_t)m->meta_len + surplus + body;
}
