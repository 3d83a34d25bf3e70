/* The generic checker: walks the rule trees of the table. */
#include "nnrp/check.h"

const char *nnrp_status_name(int status)
{
    if (status < 0 && -1 - status < NNRP_STATUS_COUNT) {
        return nnrp_status_names[-1 - status];
    }
    return status == NNRP_OK ? "ok" : status == NNRP_NEED_MORE ? "need_more" : "unknown";
}

static uint64_t load(const uint8_t *p, uint8_t type)
{
    switch (type) {
    case NNRP_U8:
        return nnrp_load_u8(p);
    case NNRP_U16:
        return nnrp_load_u16(p);
    case NNRP_U32:
    case NNRP_BYTES4:
        return nnrp_load_u32(p);
    case NNRP_I16:
        /* Sign extension without relying on how the compiler converts out-of-range values. */
        return (nnrp_load_u16(p) ^ 0x8000u) - (uint64_t)0x8000u;
    default:
        return nnrp_load_u64(p);
    }
}

uint64_t nnrp_field_load(const nnrp_field *field, const uint8_t *layout_start)
{
    return load(layout_start + field->offset, field->type);
}

void nnrp_field_store(const nnrp_field *field, uint8_t *layout_start, uint64_t value)
{
    uint8_t *p = layout_start + field->offset;
    switch (field->size) {
    case 1:
        nnrp_store_u8(p, (uint32_t)value);
        break;
    case 2:
        nnrp_store_u16(p, (uint32_t)value);
        break;
    case 4:
        nnrp_store_u32(p, (uint32_t)value);
        break;
    default:
        nnrp_store_u64(p, value);
        break;
    }
}

uint64_t nnrp_field_max(const nnrp_field *field)
{
    if (field->type == NNRP_I16) {
        return INT16_MAX;
    }
    return field->size == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * field->size)) - 1;
}

static uint64_t operand(const nnrp_operand *o, const uint8_t *const spaces[3])
{
    return load(spaces[o->space] + o->offset, o->type);
}

/* Depth is bounded by the table, not by input. */
static int holds(const nnrp_node *node, const uint8_t *const spaces[3])
{
    const nnrp_node *end = node + node->span;
    uint64_t v;
    switch (node->op) {
    case NNRP_OP_ALL:
        for (const nnrp_node *child = node + 1; child < end; child += child->span) {
            if (!holds(child, spaces)) {
                return 0;
            }
        }
        return 1;
    case NNRP_OP_ANY:
        for (const nnrp_node *child = node + 1; child < end; child += child->span) {
            if (holds(child, spaces)) {
                return 1;
            }
        }
        return 0;
    case NNRP_OP_NOT:
        return !holds(node + 1, spaces);
    case NNRP_OP_SAME:
        return holds(node + 1, spaces) == holds(node + 1 + node[1].span, spaces);
    default:
        break;
    }
    v = operand(&node->value, spaces);
    switch (node->op) {
    case NNRP_OP_EQ:
        return v == node->a;
    case NNRP_OP_NE:
        return v != node->a;
    case NNRP_OP_RANGE:
        return v >= node->a && v <= node->b;
    case NNRP_OP_WITHIN:
        return (v & ~node->a) == 0;
    case NNRP_OP_HAS_ANY:
        return (v & node->a) != 0;
    case NNRP_OP_MULTIPLE:
        return v % node->a == 0;
    case NNRP_OP_IN_SET:
        return v < 256 && (nnrp_sets[node->a].words[v / 64] >> (v % 64) & 1) != 0;
    case NNRP_OP_NOT_ABOVE:
        return v <= operand(&node->other, spaces);
    case NNRP_OP_SUBSET:
        return (v & ~operand(&node->other, spaces)) == 0;
    case NNRP_OP_DIFFERS:
        return v != operand(&node->other, spaces);
    case NNRP_OP_BIT_NUMBER_IN:
        return v < 64 && (operand(&node->other, spaces) >> v & 1) != 0;
    default: /* NNRP_OP_SUM: the operands are at most 32 bits wide, the sum cannot wrap */
        return v == operand(&node->other, spaces) + operand(&node->other2, spaces);
    }
}

static int applies(const nnrp_rule *rule, const uint8_t *header)
{
    if (rule->message_count == 0) {
        return 1;
    }
    for (unsigned i = 0; i < rule->message_count; i++) {
        if (nnrp_rule_messages[rule->first_message + i] == header[NNRP_COMMON_HEADER_AT_MESSAGE_TYPE]) {
            return 1;
        }
    }
    return 0;
}

static int broken(nnrp_error *error, uint16_t index, const uint8_t *const spaces[3])
{
    const nnrp_rule *rule = &nnrp_rules[index];
    const nnrp_node *node = &nnrp_nodes[rule->first_node];
    nnrp_breach(error, index, 0);
    error->layout = rule->layout;
    error->field = rule->field;
    if (rule->field != NNRP_NONE) {
        const nnrp_field *field = &nnrp_layout_fields(&nnrp_layouts[rule->layout])[rule->field];
        error->offset = field->offset;
        error->found = nnrp_field_load(field, spaces[NNRP_OWN]);
        error->detail |= NNRP_HAS_FOUND;
    }
    if (node->op == NNRP_OP_EQ || node->op == NNRP_OP_WITHIN) {
        error->expected = node->a;
        error->detail |= NNRP_HAS_EXPECTED;
    }
    return error->status;
}

static int run(const nnrp_layout *layout, enum nnrp_stage stage, const uint8_t *const spaces[3], nnrp_error *error)
{
    for (uint16_t i = layout->first_rule[stage]; i < layout->first_rule[stage + 1]; i++) {
        const nnrp_rule *rule = &nnrp_rules[i];
        if (applies(rule, spaces[NNRP_HEADER]) && !holds(&nnrp_nodes[rule->first_node], spaces)) {
            return broken(error, i, spaces);
        }
    }
    return NNRP_OK;
}

int nnrp_layout_check(const nnrp_layout *layout, const uint8_t *source, size_t length, nnrp_error *error)
{
    if (length < layout->size) {
        nnrp_breach_values(error, layout->size_rule, length, layout->size, length);
        error->layout = (uint16_t)(layout - nnrp_layouts);
        return error->status;
    }
    const uint8_t *const spaces[3] = {source, NULL, NULL};
    return run(layout, NNRP_STAGE_LAYOUT, spaces, error);
}

int nnrp_stage_check(const nnrp_layout *layout, enum nnrp_stage stage, const uint8_t *header, const uint8_t *metadata,
                     const uint8_t *request, nnrp_error *error)
{
    const uint8_t *const spaces[3] = {metadata, header, request};
    return run(layout, stage, spaces, error);
}

int nnrp_breach(nnrp_error *error, uint16_t rule, uint64_t offset)
{
    error->offset = offset;
    error->expected = 0;
    error->found = 0;
    error->status = nnrp_rules[rule].status;
    error->rule = rule;
    error->layout = NNRP_NONE;
    error->field = NNRP_NONE;
    error->detail = 0;
    return error->status;
}

int nnrp_breach_values(nnrp_error *error, uint16_t rule, uint64_t offset, uint64_t expected, uint64_t found)
{
    nnrp_breach(error, rule, offset);
    error->expected = expected;
    error->found = found;
    error->detail = NNRP_HAS_EXPECTED | NNRP_HAS_FOUND;
    return error->status;
}

int nnrp_breach_field(nnrp_error *error, uint16_t rule, uint64_t base, uint16_t layout, uint16_t field_offset,
                      uint64_t expected, uint64_t found)
{
    const nnrp_layout *owner = &nnrp_layouts[layout];
    nnrp_breach_values(error, rule, base + field_offset, expected, found);
    error->layout = layout;
    for (uint16_t i = 0; i < owner->field_count; i++) {
        if (nnrp_layout_fields(owner)[i].offset == field_offset) {
            error->field = i;
        }
    }
    return error->status;
}
