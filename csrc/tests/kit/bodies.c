#include "kit/bodies.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/expect.h"
#include "kit/guard.h"

#define PRELUDE NNRP_BODY_REGION_PRELUDE_SIZE

void put_u16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

void put_u32(uint8_t *p, uint32_t value)
{
    put_u16(p, value);
    put_u16(p + 2, value >> 16);
}

uint32_t add_zeroes(piece *to, uint32_t length)
{
    const uint32_t at = to->length;
    if (length > PIECE_CAPACITY - at) {
        printf("a test outgrew its piece\n");
        exit(2);
    }
    memset(to->bytes + at, 0, length);
    to->length += length;
    return at;
}

uint32_t add_bytes(piece *to, const void *bytes, uint32_t length)
{
    const uint32_t at = add_zeroes(to, length);
    if (length != 0) {
        memcpy(to->bytes + at, bytes, length);
    }
    return at;
}

static void pad(piece *to)
{
    add_zeroes(to, (8 - to->length % 8) % 8);
}

uint32_t add_object(piece *to, uint32_t kind, const void *payload, uint32_t length)
{
    const uint32_t at = add_zeroes(to, 16);
    put_u16(to->bytes + at, kind);
    put_u32(to->bytes + at + 8, length);
    add_bytes(to, payload, length);
    pad(to);
    return at;
}

uint32_t add_reference(piece *to, uint32_t kind)
{
    const uint32_t at = add_zeroes(to, 24);
    put_u16(to->bytes + at, kind);
    memset(to->bytes + at + 4, 0x77, 20);
    return at;
}

uint32_t add_descriptor(piece *to, uint32_t kind, uint32_t profile, uint32_t offset, uint32_t length)
{
    const uint32_t at = add_zeroes(to, 24);
    put_u16(to->bytes + at, profile);
    to->bytes[at + 2] = (uint8_t)kind;
    put_u32(to->bytes + at + 16, offset);
    put_u32(to->bytes + at + 20, length);
    return at;
}

uint32_t add_extension(piece *to, uint32_t offset, uint32_t length)
{
    const uint32_t at = add_zeroes(to, 16);
    put_u16(to->bytes + at, 0x8001);
    put_u32(to->bytes + at + 8, offset);
    put_u32(to->bytes + at + 12, length);
    return at;
}

uint32_t add_section(piece *table, uint32_t role, uint32_t tiles, const uint32_t *lengths, uint32_t stride,
                     const uint8_t *codecs)
{
    uint32_t payload = 0;
    pad(table);
    const uint32_t at = add_zeroes(table, 32);
    if (codecs != NULL) {
        add_bytes(table, codecs, tiles);
    }
    for (uint32_t i = 0; i < tiles; i++) {
        put_u32(table->bytes + add_zeroes(table, 4), lengths[i]);
    }
    for (uint32_t i = 0; i < tiles; i++) {
        const uint32_t room = stride != 0 ? stride : lengths[i];
        const uint32_t tile = add_zeroes(table, room);
        memset(table->bytes + tile, (int)(0x40 + i), lengths[i] < room ? lengths[i] : room);
        payload += room;
    }
    uint8_t *d = table->bytes + at;
    put_u16(d, role);
    put_u16(d + 6, (codecs != NULL ? 1u : 0u) | (stride != 0 ? 2u : 0u));
    put_u32(d + 8, 64);
    put_u32(d + 12, codecs != NULL ? tiles : 0);
    put_u32(d + 16, 4 * tiles);
    put_u32(d + 20, payload);
    put_u32(d + 24, stride);
    return at;
}

static uint32_t joined(uint8_t *body, uint32_t at, unsigned slot, const piece *p)
{
    put_u32(body + 4 * slot, p->length);
    memcpy(body + at, p->bytes, p->length);
    return at + p->length;
}

uint32_t join(const body_parts *parts, uint8_t body[BODY_CAPACITY])
{
    uint32_t at = PRELUDE;
    memset(body, 0, PRELUDE);
    at = joined(body, at, 0, &parts->objects);
    at = joined(body, at, 1, &parts->references);
    at = joined(body, at, 2, &parts->descriptors);
    at = joined(body, at, 3, &parts->frames);
    at = joined(body, at, 4, &parts->extension_descriptors);
    return joined(body, at, 5, &parts->extension_payloads);
}

uint32_t objects_at(const body_parts *parts)
{
    (void)parts;
    return PRELUDE;
}

uint32_t references_at(const body_parts *parts)
{
    return objects_at(parts) + parts->objects.length;
}

uint32_t descriptors_at(const body_parts *parts)
{
    return references_at(parts) + parts->references.length;
}

uint32_t extensions_at(const body_parts *parts)
{
    return descriptors_at(parts) + parts->descriptors.length + parts->frames.length;
}

static void add_typed_frames(body_parts *parts)
{
    static const char frames[] = "abc{}";
    add_descriptor(&parts->descriptors, NNRP_PAYLOAD_KIND_TOKEN_CHUNK, NNRP_PROFILE_TOKEN, 0, 3);
    add_descriptor(&parts->descriptors, NNRP_PAYLOAD_KIND_OPAQUE_BYTES, 0, 3, 0);
    add_descriptor(&parts->descriptors, NNRP_PAYLOAD_KIND_STRUCTURED_EVENT, 0x0103, 3, 2);
    add_bytes(&parts->frames, frames, 5);
    parts->frame.payload_frame_count = 3;
    parts->frame.payload_kind_bitmap |=
        NNRP_PAYLOAD_KIND_TOKEN_CHUNK | NNRP_PAYLOAD_KIND_OPAQUE_BYTES | NNRP_PAYLOAD_KIND_STRUCTURED_EVENT;
}

static void add_extensions(body_parts *parts)
{
    add_extension(&parts->extension_descriptors, 0, 4);
    add_extension(&parts->extension_descriptors, 4, 0);
    add_extension(&parts->extension_descriptors, 4, 3);
    add_bytes(&parts->extension_payloads, "EXTEND!", 7);
}

static void add_sections(body_parts *parts)
{
    static const uint32_t packed[3] = {5, 0, 2}, strided[3] = {6, 0, 4};
    static const uint8_t codecs[3] = {9, 0, 7};
    piece table = {.length = 0};
    add_section(&table, 1, 3, packed, 0, NULL);
    add_section(&table, 2, 3, strided, 6, codecs);
    add_section(&table, 0xffff, 3, packed, 0, codecs);
    add_object(&parts->objects, NNRP_CACHE_OBJECT_KIND_TENSOR_SECTION_TABLE, table.bytes, table.length);
    parts->frame.section_count = 3;
}

void full_submit(body_parts *parts)
{
    static const uint8_t deltas[6] = {4, 0, 1, 0, 0xfa, 0xff}; /* 4, 5, 65535 */
    memset(parts, 0, sizeof *parts);
    parts->frame.is_submit = 1;
    parts->frame.payload_kind_bitmap = NNRP_PAYLOAD_KIND_TENSOR;
    parts->frame.submit_mode = NNRP_SUBMIT_MODE_MIXED;
    parts->frame.object_ref_mask = NNRP_SUBMIT_OBJECT_REF_MASK_PAYLOAD_LAYOUT_TEMPLATE;
    parts->frame.tile_index_mode = NNRP_TILE_INDEX_MODE_DELTA_U16;
    parts->frame.tile_count = 3;
    parts->frame.camera_bytes = 5;
    parts->frame.tile_index_bytes = sizeof deltas;
    add_object(&parts->objects, NNRP_CACHE_OBJECT_KIND_CAMERA_BLOCK, "camer", 5);
    add_object(&parts->objects, NNRP_CACHE_OBJECT_KIND_TILE_INDEX_BLOCK, deltas, sizeof deltas);
    add_object(&parts->objects, NNRP_CACHE_OBJECT_KIND_PROMPT_SEGMENT, "prompt!!", 8);
    add_sections(parts);
    add_object(&parts->objects, NNRP_CACHE_OBJECT_KIND_CODEC_TABLE, NULL, 0);
    add_reference(&parts->references, NNRP_CACHE_OBJECT_KIND_TOOL_SCHEMA);
    add_reference(&parts->references, NNRP_CACHE_OBJECT_KIND_PAYLOAD_LAYOUT_TEMPLATE);
    add_typed_frames(parts);
    add_extensions(parts);
}

void full_result(body_parts *parts)
{
    static const uint8_t ids[6] = {9, 0, 0xff, 0xff, 9, 0}; /* 9, 65535, 9 */
    memset(parts, 0, sizeof *parts);
    parts->frame.payload_kind_bitmap = NNRP_PAYLOAD_KIND_TENSOR;
    parts->frame.tile_index_mode = NNRP_TILE_INDEX_MODE_RAW_U16;
    parts->frame.tile_count = 3;
    parts->frame.tile_index_bytes = sizeof ids;
    add_object(&parts->objects, NNRP_CACHE_OBJECT_KIND_TILE_INDEX_BLOCK, ids, sizeof ids);
    add_sections(parts);
    add_reference(&parts->references, NNRP_CACHE_OBJECT_KIND_REUSABLE_RESULT_OBJECT);
    add_typed_frames(parts);
    add_extensions(parts);
}

void plain_submit(body_parts *parts)
{
    memset(parts, 0, sizeof *parts);
    parts->frame.is_submit = 1;
    parts->frame.payload_kind_bitmap = NNRP_PAYLOAD_KIND_STRUCTURED_EVENT;
    parts->frame.payload_frame_count = 1;
    parts->frame.tile_index_mode = NNRP_TILE_INDEX_MODE_RAW_U16;
    add_descriptor(&parts->descriptors, NNRP_PAYLOAD_KIND_STRUCTURED_EVENT, 0, 0, 2);
    add_bytes(&parts->frames, "{}", 2);
}

/* One cut on its way. */
typedef struct cutting {
    cut_run *run;
    enum lend_way way;
    uint8_t *body;
    uint32_t length;
    uint8_t lent[BODY_CAPACITY]; /* 1 for each byte that was lent */
    uint8_t *copies[512];
    unsigned copy_count;
    size_t written;
} cutting;

static void say(cutting *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(c->run->text + c->written, sizeof c->run->text - c->written, format, arguments);
    va_end(arguments);
    c->written += n > 0 ? (size_t)n : 0;
    if (c->written >= sizeof c->run->text) {
        printf("a cut said too much\n");
        exit(2);
    }
}

static void say_bytes(cutting *c, const char *name, const uint8_t *bytes, uint32_t length)
{
    say(c, "%s", name);
    for (uint32_t i = 0; i < length; i++) {
        say(c, " %02x", bytes[i]);
    }
    say(c, "\n");
}

static void say_span(cutting *c, const char *name, nnrp_span span)
{
    EXPECT(span.at <= c->length && span.length <= c->length - span.at);
    say(c, "%s at %u, %u bytes\n", name, span.at, span.length);
}

static const uint8_t *lend(void *context, uint32_t at, uint32_t length)
{
    cutting *c = context;
    if (++c->run->lends == c->run->refuse_lend_at) {
        return NULL;
    }
    EXPECT(length != 0 && at <= c->length && length <= c->length - at);
    EXPECT(c->copy_count < sizeof c->copies / sizeof *c->copies);
    uint8_t *copy = malloc(length); /* its own allocation, so that a sanitizer sees its end */
    if (copy == NULL) {
        exit(2);
    }
    memcpy(copy, c->body + at, length);
    c->copies[c->copy_count++] = copy;
    for (uint32_t i = 0; i < length; i++) {
        EXPECT_EQ(c->lent[at + i], 0);
        c->lent[at + i] = 1;
        c->body[at + i] ^= 0xa5; /* whoever reads this again will see something else */
    }
    return copy;
}

static int on_object(void *context, const nnrp_object *object)
{
    cutting *c = context;
    if (++c->run->objects == c->run->refuse_object_at) {
        return 1;
    }
    say(c, "object of kind %u\n", object->kind);
    say_span(c, " head", object->head);
    say_span(c, " payload", object->payload);
    say_bytes(c, " header", object->header, 16);
    EXPECT_EQ(object->head.length, 16);
    EXPECT_EQ(object->payload.at, object->head.at + 16);
    return 0;
}

static int on_section(void *context, const nnrp_section *section)
{
    cutting *c = context;
    if (++c->run->sections == c->run->refuse_section_at) {
        return 1;
    }
    say(c, "section, stride %u\n", section->stride);
    say_span(c, " head", section->head);
    say_span(c, " tables", section->tables_span);
    say_span(c, " payload", section->payload);
    say_bytes(c, " descriptor", section->descriptor, 32);
    say_bytes(c, " tables", section->tables, section->codec_table_bytes + section->length_table_bytes);
    /* Payload bytes are never lent. */
    say_bytes(c, " bytes", c->body + section->payload.at, section->payload.length);
    EXPECT_EQ(section->tables_span.length, section->codec_table_bytes + section->length_table_bytes);
    return 0;
}

static void say_outcome(cutting *c)
{
    const nnrp_body *out = &c->run->out;
    if (c->run->status != NNRP_OK || out->prelude == NULL) {
        return;
    }
    say_bytes(c, "prelude", out->prelude, PRELUDE);
    say_span(c, "objects", out->objects);
    say_span(c, "references", out->references);
    say_bytes(c, " bytes", out->reference_bytes, out->references.length);
    say_span(c, "descriptors", out->descriptors);
    say_bytes(c, " bytes", out->descriptor_bytes, out->descriptors.length);
    say_span(c, "frames", out->frames);
    say_bytes(c, " bytes", c->body + out->frames.at, out->frames.length);
    say_span(c, "extension descriptors", out->extension_descriptors);
    say_bytes(c, " bytes", out->extension_descriptor_bytes, out->extension_descriptors.length);
    say_span(c, "extension payloads", out->extension_payloads);
    say_bytes(c, " bytes", c->body + out->extension_payloads.at, out->extension_payloads.length);
    if (out->has_camera) {
        say_span(c, "camera", out->camera);
        say_bytes(c, " bytes", c->body + out->camera.at, out->camera.length);
    }
    if (out->tile_index != NULL) {
        say_span(c, "tile index", out->tile_index_span);
        say_bytes(c, " bytes", out->tile_index, out->tile_index_span.length);
    }
}

void cut_body(const nnrp_body_frame *frame, const uint8_t *body, uint32_t length, enum lend_way way, cut_run *run)
{
    static cutting c;
    memset(&c, 0, offsetof(cutting, copies));
    c.copy_count = 0;
    c.written = 0;
    c.run = run;
    c.way = way;
    c.body = guard_at_end(body, length);
    c.length = length;
    run->lends = run->objects = run->sections = 0;
    run->text[0] = 0;
    memset(&run->error, 0, sizeof run->error);
    const nnrp_body_io io = {&c, way == LEND_NOT ? NULL : lend, on_object, on_section};
    run->status = nnrp_body_cut(frame, c.body, length, &io, &run->out, &run->error);
    say_outcome(&c);
    while (c.copy_count > 0) {
        free(c.copies[--c.copy_count]);
    }
}

static void expect_same_error(const nnrp_error *found, const nnrp_error *wanted)
{
    EXPECT_EQ(found->status, wanted->status);
    EXPECT_EQ(found->rule, wanted->rule);
    EXPECT_EQ(found->layout, wanted->layout);
    EXPECT_EQ(found->field, wanted->field);
    EXPECT_EQ(found->offset, wanted->offset);
    EXPECT_EQ(found->expected, wanted->expected);
    EXPECT_EQ(found->found, wanted->found);
    EXPECT_EQ(found->detail, wanted->detail);
}

int cut_both_ways(const nnrp_body_frame *frame, const uint8_t *body, uint32_t length, cut_run *run)
{
    static cut_run lent;
    nnrp_body out;
    nnrp_error error = {0};
    lent.refuse_lend_at = lent.refuse_object_at = lent.refuse_section_at = 0;
    run->refuse_lend_at = run->refuse_object_at = run->refuse_section_at = 0;
    cut_body(frame, body, length, LEND_SCRAMBLE, &lent);
    cut_body(frame, body, length, LEND_NOT, run);
    EXPECT_EQ(lent.status, run->status);
    EXPECT_EQ(strcmp(lent.text, run->text), 0);
    expect_same_error(&lent.error, &run->error);
    /* Without callbacks at all the verdict is the same. */
    EXPECT_EQ(nnrp_body_cut(frame, body, length, NULL, &out, &error), run->status);
    expect_same_error(&error, &run->error);
    return run->status;
}

static void expect_status(const body_parts *parts, int status, cut_run *run)
{
    uint8_t body[BODY_CAPACITY];
    const uint32_t length = join(parts, body);
    EXPECT_EQ(cut_both_ways(&parts->frame, body, length, run), status);
}

const nnrp_error *expect_breach(const body_parts *parts, uint16_t rule, uint64_t offset)
{
    static cut_run run;
    expect_about("%s", nnrp_rules[rule].text);
    expect_status(parts, nnrp_rules[rule].status, &run);
    EXPECT_EQ(run.error.rule, rule);
    EXPECT_EQ(run.error.status, nnrp_rules[rule].status);
    EXPECT_EQ(run.error.offset, offset);
    return &run.error;
}

void expect_layout_breach(const body_parts *parts, int status, uint16_t layout, uint64_t offset)
{
    static cut_run run;
    expect_about("%s of %s", nnrp_status_name(status), nnrp_layouts[layout].name);
    expect_status(parts, status, &run);
    EXPECT_EQ(run.error.layout, layout);
    EXPECT_EQ(nnrp_rules[run.error.rule].layout, layout);
    EXPECT_EQ(run.error.offset, offset);
}

void expect_accepted(const body_parts *parts)
{
    static cut_run run;
    expect_status(parts, NNRP_OK, &run);
}
