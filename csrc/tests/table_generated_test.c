/* table_generated.c: the table is sound by itself, so that code which trusts it cannot be led astray. */
#include <string.h>

#include "kit/expect.h"
#include "kit/samples.h"

#define FIELD_COUNT (sizeof nnrp_fields / sizeof *nnrp_fields)
#define NODE_COUNT  (sizeof nnrp_nodes / sizeof *nnrp_nodes)
#define SET_COUNT   (sizeof nnrp_sets / sizeof *nnrp_sets)

static unsigned type_size(uint8_t type)
{
    switch (type) {
    case NNRP_U8:
        return 1;
    case NNRP_U16:
    case NNRP_I16:
        return 2;
    case NNRP_U32:
    case NNRP_BYTES4:
        return 4;
    default:
        return 8;
    }
}

/* wire.md section 1: no padding inside a layout, every byte belongs to exactly one field. */
static void test_fields_tile_their_layout(void)
{
    size_t first = 0;
    uint16_t largest = 0;
    for (uint16_t l = 0; l < NNRP_LAYOUT_COUNT; l++) {
        const nnrp_layout *layout = &nnrp_layouts[l];
        unsigned at = 0;
        expect_about("%s", layout->name);
        EXPECT_EQ(layout->first_field, first);
        for (uint16_t i = 0; i < layout->field_count; i++) {
            const nnrp_field *field = &nnrp_layout_fields(layout)[i];
            EXPECT_EQ(field->offset, at);
            EXPECT_EQ(field->size, type_size(field->type));
            EXPECT(field->kind <= NNRP_OPEN);
            EXPECT((field->enum_name != NULL) ==
                   (field->kind == NNRP_ENUM || field->kind == NNRP_MASK || field->kind == NNRP_OPEN));
            EXPECT(field->kind == NNRP_CONST || field->initial == 0);
            for (uint16_t j = 0; j < i; j++) {
                EXPECT(strcmp(field->name, nnrp_layout_fields(layout)[j].name) != 0);
            }
            at += field->size;
        }
        EXPECT_EQ(at, layout->size);
        first += layout->field_count;
        largest = layout->size > largest ? layout->size : largest;
    }
    EXPECT_EQ(first, FIELD_COUNT);
    EXPECT_EQ(largest, NNRP_LARGEST_LAYOUT);
}

static size_t space_size(uint16_t layout, uint8_t space)
{
    if (space == NNRP_OWN) {
        return nnrp_layouts[layout].size;
    }
    if (space == NNRP_HEADER) {
        return NNRP_COMMON_HEADER_SIZE;
    }
    return nnrp_layouts[layout].request == NNRP_NONE ? 0 : nnrp_layouts[nnrp_layouts[layout].request].size;
}

/* An operand is a whole field of the layout it is read from: a rule about half a field would be a slip. */
static void expect_a_field(uint16_t layout, const nnrp_operand *o)
{
    const uint16_t owner = o->space == NNRP_OWN      ? layout
                           : o->space == NNRP_HEADER ? (uint16_t)NNRP_L_COMMON_HEADER
                                                     : nnrp_layouts[layout].request;
    int found = 0;
    EXPECT(o->space <= NNRP_REQUEST);
    EXPECT(o->offset + type_size(o->type) <= space_size(layout, o->space));
    EXPECT(o->type != NNRP_I16); /* comparisons are of unsigned numbers */
    for (uint16_t i = 0; owner != NNRP_NONE && i < nnrp_layouts[owner].field_count; i++) {
        const nnrp_field *field = &nnrp_layout_fields(&nnrp_layouts[owner])[i];
        found |= field->offset == o->offset && field->type == o->type;
    }
    EXPECT(found);
}

/* Checks a subtree and returns the index after it. */
static size_t expect_a_tree(uint16_t layout, size_t index)
{
    const nnrp_node *node = &nnrp_nodes[index];
    const size_t end = index + node->span;
    size_t next = index + 1;
    unsigned children = 0;
    EXPECT(node->span >= 1 && end <= NODE_COUNT);
    if (node->op >= NNRP_OP_ALL) {
        while (next < end) {
            next = expect_a_tree(layout, next);
            children++;
        }
        EXPECT_EQ(next, end);
        EXPECT(node->op == NNRP_OP_NOT ? children == 1 : node->op == NNRP_OP_SAME ? children == 2 : children >= 1);
        return end;
    }
    EXPECT_EQ(node->span, 1);
    expect_a_field(layout, &node->value);
    if (node->op >= NNRP_OP_NOT_ABOVE) {
        expect_a_field(layout, &node->other);
    }
    if (node->op == NNRP_OP_SUM) {
        expect_a_field(layout, &node->other2);
        EXPECT(type_size(node->other.type) <= 4 && type_size(node->other2.type) <= 4); /* the sum cannot wrap */
    }
    EXPECT(node->op != NNRP_OP_MULTIPLE || node->a != 0);
    EXPECT(node->op != NNRP_OP_IN_SET || node->a < SET_COUNT);
    EXPECT(node->op != NNRP_OP_RANGE || node->a <= node->b);
    return end;
}

static void test_rules_are_trees_of_fields_that_exist(void)
{
    size_t node = 0;
    for (uint16_t rule = 0; rule < NNRP_RULE_COUNT; rule++) {
        const nnrp_rule *r = &nnrp_rules[rule];
        expect_about("rule %u: %s", rule, r->text);
        EXPECT(r->status < 0 && -1 - r->status < NNRP_STATUS_COUNT);
        EXPECT(r->stage <= NNRP_STAGE_BODY);
        EXPECT_EQ(r->layout == NNRP_NONE, rule < NNRP_PROCEDURAL_RULE_COUNT);
        EXPECT(r->layout == NNRP_NONE || r->stage != NNRP_STAGE_BODY);
        if (r->layout == NNRP_NONE) {
            EXPECT_EQ(r->field, NNRP_NONE);
            EXPECT_EQ(r->node_count, 0);
            continue;
        }
        EXPECT(r->field == NNRP_NONE || r->field < nnrp_layouts[r->layout].field_count);
        EXPECT_EQ(r->first_node, node);
        if (r->node_count != 0) {
            EXPECT_EQ(expect_a_tree(r->layout, r->first_node), r->first_node + r->node_count);
            EXPECT_EQ(nnrp_nodes[r->first_node].span, r->node_count);
        }
        for (unsigned i = 0; i < r->message_count; i++) {
            const uint8_t index = nnrp_message_by_code[nnrp_rule_messages[r->first_message + i]];
            EXPECT(index < NNRP_MESSAGE_COUNT && nnrp_messages[index].layout == r->layout);
        }
        node += r->node_count;
    }
    EXPECT_EQ(node, NODE_COUNT);
}

static void test_each_layout_owns_its_rules(void)
{
    uint16_t next = NNRP_PROCEDURAL_RULE_COUNT;
    for (uint16_t l = 0; l < NNRP_LAYOUT_COUNT; l++) {
        const nnrp_layout *layout = &nnrp_layouts[l];
        expect_about("%s", layout->name);
        EXPECT_EQ(layout->size_rule, next);
        EXPECT_EQ(layout->first_rule[NNRP_STAGE_LAYOUT], next + 1);
        for (unsigned stage = NNRP_STAGE_LAYOUT; stage <= NNRP_STAGE_PAIR; stage++) {
            EXPECT(layout->first_rule[stage] <= layout->first_rule[stage + 1]);
            for (uint16_t rule = layout->first_rule[stage]; rule < layout->first_rule[stage + 1]; rule++) {
                EXPECT_EQ(nnrp_rules[rule].layout, l);
                EXPECT_EQ(nnrp_rules[rule].stage, stage);
                EXPECT(nnrp_rules[rule].node_count != 0);
            }
        }
        EXPECT(layout->request == NNRP_NONE || layout->request < NNRP_LAYOUT_COUNT);
        EXPECT((layout->request != NNRP_NONE) ==
               (layout->first_rule[NNRP_STAGE_PAIR] != layout->first_rule[NNRP_STAGE_PAIR + 1]));
        next = layout->first_rule[NNRP_STAGE_PAIR + 1];
    }
    EXPECT_EQ(next, NNRP_RULE_COUNT);
}

static void test_messages_are_found_by_code(void)
{
    unsigned assigned = 0;
    for (unsigned code = 0; code < 256; code++) {
        const uint8_t index = nnrp_message_by_code[code];
        EXPECT(index == 0xff || index < NNRP_MESSAGE_COUNT);
        if (index != 0xff) {
            EXPECT_EQ(nnrp_messages[index].code, code);
            assigned++;
        }
        /* What the header lets through is exactly what has a row here. */
        nnrp_error error;
        uint8_t header[NNRP_COMMON_HEADER_SIZE];
        nnrp_header_write(header, (uint8_t)code, &(nnrp_routing){0}, 0, 0);
        expect_about("message type %#x", code);
        EXPECT_EQ(nnrp_header_check(header, sizeof header, &error),
                  index == 0xff ? NNRP_E_UNKNOWN_MESSAGE_TYPE : NNRP_OK);
    }
    EXPECT_EQ(assigned, NNRP_MESSAGE_COUNT);
}

static void test_messages_name_their_metadata_and_tails(void)
{
    for (unsigned i = 0; i < NNRP_MESSAGE_COUNT; i++) {
        const nnrp_message *m = &nnrp_messages[i];
        expect_about("%s", m->name);
        EXPECT_EQ(m->meta_len, m->layout == NNRP_NONE ? 0 : nnrp_layouts[m->layout].size);
        EXPECT(m->tail_count <= NNRP_MAX_TAILS);
        EXPECT(m->tail_count == 0 || m->body_format == NNRP_BODY_TAILS);
        EXPECT(m->meta_len_rule == NNRP_NONE || m->meta_len_rule == NNRP_RULE_META_LEN_IS_EXACT ||
               m->meta_len_rule == NNRP_RULE_CLOSE_META_LEN_IS_ZERO);
        for (unsigned t = 0; t < NNRP_MAX_TAILS; t++) {
            EXPECT_EQ(m->tail_fields[t] != NNRP_NONE, t < m->tail_count);
            EXPECT_EQ(m->tail_names[t] != NULL, t < m->tail_count);
            if (t < m->tail_count) {
                const nnrp_field *field = &nnrp_layout_fields(&nnrp_layouts[m->layout])[m->tail_fields[t]];
                EXPECT_EQ(field->type, NNRP_U32);
                EXPECT(strlen(field->name) > 6 && strcmp(field->name + strlen(field->name) - 6, "_bytes") == 0);
            }
        }
    }
}

static void test_extension_types_are_distinct(void)
{
    uint16_t seen = 0;
    for (uint16_t l = 0; l < NNRP_LAYOUT_COUNT; l++) {
        const uint16_t type = nnrp_layouts[l].ext_type;
        if (type != 0) {
            EXPECT_EQ(type, 0x0101 + seen); /* wire.md section 9: 0x0101 to 0x0106 */
            seen++;
        }
    }
    EXPECT_EQ(seen, 6);
}

static void test_no_two_statuses_share_a_name(void)
{
    for (unsigned i = 0; i < NNRP_STATUS_COUNT; i++) {
        for (unsigned j = 0; j < i; j++) {
            EXPECT(strcmp(nnrp_status_names[i], nnrp_status_names[j]) != 0);
        }
    }
}

int main(void)
{
    test_fields_tile_their_layout();
    test_rules_are_trees_of_fields_that_exist();
    test_each_layout_owns_its_rules();
    test_messages_are_found_by_code();
    test_messages_name_their_metadata_and_tails();
    test_extension_types_are_distinct();
    test_no_two_statuses_share_a_name();
    return expect_end();
}
