#include "cutting.h"

#include <stdlib.h>
#include <string.h>

#include "kit/expect.h"

static int says_no(cutting *c, enum refusal callback, unsigned count)
{
    if (c->refused == callback && c->refuse_at == count) {
        c->said_no = 1;
    }
    return c->said_no;
}

static const uint8_t *lend(void *context, uint32_t at, uint32_t length)
{
    cutting *c = context;
    EXPECT(!c->said_no);
    EXPECT(length != 0 && at <= c->length && length <= c->length - at);
    EXPECT(c->lent_count < MOST_LENT);
    if (says_no(c, REFUSE_LEND, c->lent_count + 1)) {
        return NULL;
    }
    uint8_t *copy = malloc(length);
    if (copy == NULL) {
        exit(2);
    }
    memcpy(copy, c->body + at, length);
    c->lent[c->lent_count++] = copy;
    for (uint32_t i = at; i < at + length; i++) {
        EXPECT(!c->taken[i]);
        c->taken[i] = 1;
        c->body[i] ^= 0xa5; /* whoever reads this again sees something else */
    }
    return copy;
}

static int on_object(void *context, const nnrp_object *object)
{
    cutting *c = context;
    EXPECT(!c->said_no && c->object_count < MOST_OBJECTS);
    c->objects[c->object_count++] = *object;
    return says_no(c, REFUSE_OBJECT, c->object_count);
}

static int on_section(void *context, const nnrp_section *section)
{
    cutting *c = context;
    EXPECT(!c->said_no && c->section_count < MOST_SECTIONS);
    c->sections[c->section_count++] = *section;
    return says_no(c, REFUSE_SECTION, c->section_count);
}

void cut(cutting *c, const nnrp_body_frame *frame, const uint8_t *body, uint32_t length)
{
    const nnrp_body_io io = {c, c->lends ? lend : NULL, on_object, on_section};
    while (c->lent_count > 0) {
        free(c->lent[--c->lent_count]);
    }
    free(c->body);
    c->body = malloc(length != 0 ? length : 1); /* its own allocation: a sanitizer sees its end */
    if (c->body == NULL) {
        exit(2);
    }
    if (length != 0) {
        memcpy(c->body, body, length);
    }
    c->length = length;
    c->object_count = c->section_count = 0;
    c->said_no = 0;
    memset(c->taken, 0, sizeof c->taken);
    memset(&c->error, 0, sizeof c->error);
    c->status = nnrp_body_cut(frame, c->body, length, &io, &c->out, &c->error);
    EXPECT_EQ(c->status == NNRP_STOPPED, c->said_no);
}

static void expect_same_span(nnrp_span a, nnrp_span b)
{
    EXPECT(a.at == b.at && a.length == b.length);
}

static void expect_same_regions(const nnrp_body *a, const nnrp_body *b)
{
    EXPECT((a->prelude == NULL) == (b->prelude == NULL));
    if (a->prelude == NULL) {
        return;
    }
    EXPECT_BYTES(a->prelude, b->prelude, NNRP_BODY_REGION_PRELUDE_SIZE);
    expect_same_span(a->objects, b->objects);
    expect_same_span(a->references, b->references);
    expect_same_span(a->descriptors, b->descriptors);
    expect_same_span(a->frames, b->frames);
    expect_same_span(a->extension_descriptors, b->extension_descriptors);
    expect_same_span(a->extension_payloads, b->extension_payloads);
    EXPECT_BYTES(a->reference_bytes, b->reference_bytes, a->references.length);
    EXPECT_BYTES(a->descriptor_bytes, b->descriptor_bytes, a->descriptors.length);
    EXPECT_BYTES(a->extension_descriptor_bytes, b->extension_descriptor_bytes, a->extension_descriptors.length);
    EXPECT_EQ(a->has_camera, b->has_camera);
    expect_same_span(a->camera, b->camera);
    EXPECT((a->tile_index == NULL) == (b->tile_index == NULL));
    if (a->tile_index != NULL) {
        expect_same_span(a->tile_index_span, b->tile_index_span);
        EXPECT_BYTES(a->tile_index, b->tile_index, a->tile_index_span.length);
    }
}

void expect_same_cut(const cutting *a, const cutting *b)
{
    EXPECT_EQ(a->status, b->status);
    EXPECT_EQ(a->object_count, b->object_count);
    EXPECT_EQ(a->section_count, b->section_count);
    for (unsigned i = 0; i < a->object_count; i++) {
        const nnrp_object *x = &a->objects[i], *y = &b->objects[i];
        EXPECT_EQ(x->kind, y->kind);
        expect_same_span(x->head, y->head);
        expect_same_span(x->payload, y->payload);
        EXPECT_BYTES(x->header, y->header, NNRP_INLINE_OBJECT_BLOCK_HEADER_SIZE);
    }
    for (unsigned i = 0; i < a->section_count; i++) {
        const nnrp_section *x = &a->sections[i], *y = &b->sections[i];
        EXPECT_EQ(x->stride, y->stride);
        EXPECT_EQ(x->codec_table_bytes, y->codec_table_bytes);
        EXPECT_EQ(x->length_table_bytes, y->length_table_bytes);
        expect_same_span(x->head, y->head);
        expect_same_span(x->tables_span, y->tables_span);
        expect_same_span(x->payload, y->payload);
        EXPECT_BYTES(x->descriptor, y->descriptor, NNRP_TENSOR_SECTION_DESCRIPTOR_SIZE);
        EXPECT_BYTES(x->tables, y->tables, x->tables_span.length);
    }
    if (a->status == NNRP_OK) {
        expect_same_regions(&a->out, &b->out);
    } else if (a->status < 0) {
        EXPECT(a->error.rule == b->error.rule && a->error.offset == b->error.offset);
        EXPECT(a->error.layout == b->error.layout && a->error.field == b->error.field);
        EXPECT(a->error.expected == b->error.expected && a->error.found == b->error.found);
        EXPECT_EQ(a->error.detail, b->error.detail);
    }
}

static uint32_t put(uint8_t *made, uint32_t at, const void *bytes, uint32_t length)
{
    EXPECT(length <= INPUT_CAPACITY - at);
    if (length != 0) {
        memcpy(made + at, bytes, length);
    }
    return at + length;
}

/* Zeroes up to a multiple of 8 from start on. */
static uint32_t pad(uint8_t *made, uint32_t at, uint32_t start)
{
    while ((at - start) % 8 != 0) {
        EXPECT(at < INPUT_CAPACITY);
        made[at++] = 0;
    }
    return at;
}

static uint32_t put_section(const nnrp_section *s, uint32_t tiles, const uint8_t *body, uint8_t *made, uint32_t at)
{
    const uint8_t *lengths = s->tables + s->codec_table_bytes;
    uint32_t from = s->payload.at;
    at = put(made, at, s->descriptor, NNRP_TENSOR_SECTION_DESCRIPTOR_SIZE);
    at = put(made, at, s->tables, s->codec_table_bytes + s->length_table_bytes);
    for (uint32_t i = 0; i < tiles; i++) {
        const uint32_t length = nnrp_load_u32(lengths + 4 * (size_t)i);
        at = put(made, at, body + from, length);
        for (uint32_t filler = length; filler < s->stride; filler++) {
            EXPECT(at < INPUT_CAPACITY);
            made[at++] = 0;
        }
        from += s->stride != 0 ? s->stride : length;
    }
    return at;
}

uint32_t body_from_parts(const cutting *c, const nnrp_body_frame *frame, const uint8_t *body, uint8_t *made)
{
    const nnrp_body *out = &c->out;
    const uint32_t lengths[6] = {out->objects.length,
                                 out->references.length,
                                 out->descriptors.length,
                                 out->frames.length,
                                 out->extension_descriptors.length,
                                 out->extension_payloads.length};
    uint32_t at = NNRP_BODY_REGION_PRELUDE_SIZE;
    memset(made, 0, at);
    for (unsigned i = 0; i < 6; i++) {
        nnrp_store_u32(made + 4 * i, lengths[i]); /* the prelude begins with the six lengths (wire.md section 6.4) */
    }
    for (unsigned i = 0; i < c->object_count; i++) {
        const nnrp_object *object = &c->objects[i];
        at = put(made, at, object->header, NNRP_INLINE_OBJECT_BLOCK_HEADER_SIZE);
        if (object->kind == NNRP_CACHE_OBJECT_KIND_TENSOR_SECTION_TABLE) {
            const uint32_t start = at;
            for (unsigned section = 0; section < c->section_count; section++) {
                at = put_section(&c->sections[section], frame->tile_count, body, made, pad(made, at, start));
            }
        } else {
            at = put(made, at, body + object->payload.at, object->payload.length);
        }
        at = pad(made, at, 0);
    }
    at = put(made, at, out->reference_bytes, out->references.length);
    at = put(made, at, out->descriptor_bytes, out->descriptors.length);
    at = put(made, at, body + out->frames.at, out->frames.length);
    at = put(made, at, out->extension_descriptor_bytes, out->extension_descriptors.length);
    return put(made, at, body + out->extension_payloads.at, out->extension_payloads.length);
}
