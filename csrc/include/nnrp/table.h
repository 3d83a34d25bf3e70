/* The shape of the table of the wire. What stands in it is generated (table_generated.h/.c) from schema/wire.json. */
#ifndef NNRP_TABLE_H
#define NNRP_TABLE_H

#include <stdint.h>

#define NNRP_NONE 0xffffu

enum nnrp_type { NNRP_U8, NNRP_U16, NNRP_U32, NNRP_U64, NNRP_I16, NNRP_BYTES4 };

/* What the layout stage asks of a field. OPEN fields have names for some values and accept all. */
enum nnrp_field_kind { NNRP_PLAIN, NNRP_RESERVED, NNRP_CONST, NNRP_ENUM, NNRP_MASK, NNRP_OPEN };

enum nnrp_stage { NNRP_STAGE_LAYOUT, NNRP_STAGE_MESSAGE, NNRP_STAGE_SENDER, NNRP_STAGE_PAIR, NNRP_STAGE_BODY };

typedef struct nnrp_field {
    const char *name;
    const char *enum_name; /* closed enum, mask or open registry; NULL for a plain number */
    uint64_t initial;      /* what a builder starts from: the constant of a CONST field, else 0 */
    uint16_t offset;
    uint8_t size;
    uint8_t type; /* enum nnrp_type */
    uint8_t kind; /* enum nnrp_field_kind */
} nnrp_field;

/* Members of a closed enum; all of them are below 256. */
typedef struct nnrp_set {
    uint64_t words[4];
} nnrp_set;

enum nnrp_op {
    NNRP_OP_EQ,            /* v == a */
    NNRP_OP_NE,            /* v != a */
    NNRP_OP_RANGE,         /* a <= v <= b */
    NNRP_OP_WITHIN,        /* no bit outside a */
    NNRP_OP_HAS_ANY,       /* some bit of a */
    NNRP_OP_MULTIPLE,      /* v % a == 0 */
    NNRP_OP_IN_SET,        /* v is a member of set a */
    NNRP_OP_NOT_ABOVE,     /* v <= other */
    NNRP_OP_SUBSET,        /* no bit outside other */
    NNRP_OP_DIFFERS,       /* v != other */
    NNRP_OP_BIT_NUMBER_IN, /* bit number v is set in other */
    NNRP_OP_SUM,           /* v == other + other2 */
    NNRP_OP_ALL,           /* every child holds */
    NNRP_OP_ANY,           /* some child holds */
    NNRP_OP_NOT,           /* the child does not hold */
    NNRP_OP_SAME           /* both children hold, or neither */
};

/* Where an operand is read from. */
enum nnrp_space { NNRP_OWN, NNRP_HEADER, NNRP_REQUEST };

typedef struct nnrp_operand {
    uint16_t offset;
    uint8_t type;
    uint8_t space;
} nnrp_operand;

/* One predicate; a rule is a tree of them in prefix order, span counts a node and all below it. */
typedef struct nnrp_node {
    uint64_t a, b;
    nnrp_operand value, other, other2;
    uint8_t op;
    uint8_t span;
} nnrp_node;

typedef struct nnrp_rule {
    const char *text;
    const char *enum_name; /* of the enum an UNKNOWN_ENUM_VALUE is about, or NULL */
    uint16_t layout;       /* NNRP_NONE for a procedural rule: those are code, named NNRP_RULE_... */
    uint16_t field;        /* index inside the layout, or NNRP_NONE */
    uint16_t first_node;
    uint16_t node_count;
    uint16_t first_message; /* message codes the rule is limited to, in nnrp_rule_messages */
    uint8_t message_count;  /* 0: every message of the layout */
    uint8_t stage;
    int16_t status;
} nnrp_rule;

typedef struct nnrp_layout {
    const char *name;
    uint16_t size;
    uint16_t first_field;
    uint16_t field_count;
    uint16_t first_rule[5]; /* per stage up to NNRP_STAGE_PAIR, and one past the last rule */
    uint16_t size_rule;     /* the rule of min_size */
    uint16_t request;       /* layout of the request that the pair stage compares with, or NNRP_NONE */
    uint16_t ext_type;      /* control extension type whose value has this layout, or 0 */
} nnrp_layout;

enum nnrp_body_format { NNRP_BODY_TAILS, NNRP_BODY_DATA_PLANE, NNRP_BODY_OPAQUE };

#define NNRP_MAX_TAILS 3

typedef struct nnrp_message {
    const char *name;
    const char *tail_names[NNRP_MAX_TAILS];
    uint16_t tail_fields[NNRP_MAX_TAILS]; /* fields of the metadata that hold the lengths */
    uint16_t layout;                      /* NNRP_NONE when the message has no metadata */
    uint16_t meta_len;
    uint16_t meta_len_rule; /* the rule that a longer metadata breaks at the message stage, or NNRP_NONE */
    uint8_t tail_count;
    uint8_t body_format;
    uint8_t code;
} nnrp_message;

#include "nnrp/table_generated.h"

#endif
