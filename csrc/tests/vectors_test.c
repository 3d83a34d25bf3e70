/* Every vector through the call that its kind names (wire.md section 1): `vectors_test FILE`, the lines of
 * kit/vectors.h. Prints how many of each kind it ran. */
#include "kit/vectors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/bodies.h"
#include "kit/expect.h"
#include "kit/guard.h"
#include "nnrp/tile_index.h"

#define HEADER NNRP_COMMON_HEADER_SIZE
#define LIMIT  NNRP_DEFAULT_MAX_PACKET_BYTES

/* Every field read, then written over other bytes: the layout must come back. */
static void expect_round_trip(uint16_t layout, const uint8_t *bytes)
{
    const nnrp_layout *l = &nnrp_layouts[layout];
    uint8_t again[NNRP_LARGEST_LAYOUT];
    memset(again, 0xa5, sizeof again);
    for (uint16_t i = 0; i < l->field_count; i++) {
        const nnrp_field *field = &nnrp_layout_fields(l)[i];
        nnrp_field_store(field, again, nnrp_field_load(field, bytes));
    }
    EXPECT_BYTES(again, bytes, l->size);
}

/* name=value,name=value: each is the field's value, and no field is missing. */
static void expect_fields(uint16_t layout, const uint8_t *bytes, const char *stated)
{
    const nnrp_layout *l = &nnrp_layouts[layout];
    unsigned n = 0;
    for (const char *at = stated; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        const size_t name = strcspn(at, "=");
        uint16_t i = 0;
        while (i < l->field_count && (strlen(nnrp_layout_fields(l)[i].name) != name ||
                                      strncmp(nnrp_layout_fields(l)[i].name, at, name) != 0)) {
            i++;
        }
        EXPECT(i < l->field_count);
        if (i < l->field_count) {
            const char *value = at + name + 1;
            EXPECT_EQ(nnrp_field_load(&nnrp_layout_fields(l)[i], bytes),
                      *value == '-' ? (uint64_t)strtoll(value, NULL, 10) : strtoull(value, NULL, 10));
        }
        n++;
    }
    EXPECT_EQ(n, l->field_count);
}

static int run_layout(const vector *v, nnrp_error *error)
{
    const uint8_t *p = guard_at_end(v->bytes, v->length);
    const int status = nnrp_layout_check(&nnrp_layouts[v->layout], p, v->length, error);
    if (status == NNRP_OK) {
        expect_round_trip(v->layout, p);
    }
    if (v->fields != NULL && v->length >= nnrp_layouts[v->layout].size) {
        expect_fields(v->layout, p, v->fields);
    }
    return status;
}

static int run_packet(const vector *v, nnrp_packet *packet, nnrp_error *error)
{
    const uint8_t *p = guard_at_end(v->bytes, v->length);
    const int status = nnrp_packet_check(p, v->length, LIMIT, packet, error);
    if (status != NNRP_OK) {
        return status;
    }
    nnrp_packet streamed;
    EXPECT_EQ(nnrp_packet_next(p, v->length, LIMIT, &streamed, error), NNRP_OK);
    EXPECT_EQ(streamed.total, v->length);
    EXPECT_EQ(nnrp_messages[packet->message].layout, v->layout);
    expect_round_trip(NNRP_L_COMMON_HEADER, p);
    if (v->header != NULL) {
        expect_fields(NNRP_L_COMMON_HEADER, p, v->header);
    }
    if (v->layout != NNRP_NONE) {
        expect_round_trip(v->layout, p + HEADER);
    }
    if (v->fields != NULL) {
        expect_fields(v->layout, p + HEADER, v->fields);
    }
    return status;
}

/* The message stage of metadata alone: under a header of its message, in session 1. */
static int run_semantic(const vector *v, nnrp_error *error)
{
    uint8_t packet_bytes[HEADER + NNRP_LARGEST_LAYOUT] = {0};
    const uint32_t meta_len = (uint32_t)v->length;
    nnrp_packet packet;
    const int status = run_layout(v, error);
    if (status != NNRP_OK) {
        return status;
    }
    nnrp_header_write(packet_bytes, v->message, &(nnrp_routing){.session_id = 1, .frame_id = 1}, meta_len, 0);
    memcpy(packet_bytes + HEADER, v->bytes, v->length);
    const uint8_t *p = guard_at_end(packet_bytes, HEADER + v->length);
    EXPECT_EQ(nnrp_packet_check(p, HEADER + v->length, LIMIT, &packet, error), NNRP_OK);
    return nnrp_message_check(p, &packet, 0, error);
}

static int run_flow_routing(const vector *v, nnrp_error *error)
{
    nnrp_packet packet;
    const int status = run_packet(v, &packet, error);
    return status != NNRP_OK ? status : nnrp_message_check(v->bytes, &packet, 0, error);
}

/* The regions of an accepted body as the driver writes them, `objects|references|typed|tile_ids|sections`:
 *
 *   kind/length ...|kind ...|kind/offset/length ...|id ...|role/codecs/lengths ...
 *
 * with a space between items, codecs and lengths joined by a comma. */
typedef struct found_regions {
    char objects[512], sections[2048];
    uint32_t tiles;
} found_regions;

static void more(char *text, size_t room, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, room - length, format, arguments);
    va_end(arguments);
}

static int on_object(void *context, const nnrp_object *object)
{
    found_regions *f = context;
    more(f->objects, sizeof f->objects, "%s%u/%u", *f->objects != 0 ? " " : "", object->kind, object->payload.length);
    return 0;
}

static int on_section(void *context, const nnrp_section *s)
{
    found_regions *f = context;
    const uint8_t *lengths = s->tables + s->codec_table_bytes;
    more(f->sections, sizeof f->sections, "%s%u/", *f->sections != 0 ? " " : "", nnrp_load_u16(s->descriptor));
    for (uint32_t i = 0; i < s->codec_table_bytes; i++) {
        more(f->sections, sizeof f->sections, "%s%u", i != 0 ? "," : "", s->tables[i]);
    }
    more(f->sections, sizeof f->sections, "/");
    for (uint32_t i = 0; i < f->tiles; i++) {
        more(f->sections, sizeof f->sections, "%s%u", i != 0 ? "," : "", nnrp_load_u32(lengths + 4 * (size_t)i));
    }
    return 0;
}

static void vector_regions(const nnrp_body_frame *frame, const uint8_t *body, uint32_t length, char *text, size_t room)
{
    found_regions f = {.tiles = frame->tile_count};
    const nnrp_body_io io = {&f, NULL, on_object, on_section};
    uint32_t ids[512];
    nnrp_body out;
    nnrp_error error;
    *text = 0;
    EXPECT_EQ(nnrp_body_cut(frame, body, length, &io, &out, &error), NNRP_OK);
    more(text, room, "%s|", f.objects);
    for (uint32_t at = 0; at < out.references.length; at += 24) {
        more(text, room, "%s%u", at != 0 ? " " : "", nnrp_load_u16(out.reference_bytes + at));
    }
    more(text, room, "|");
    for (uint32_t at = 0; at < out.descriptors.length; at += 24) {
        const uint8_t *d = out.descriptor_bytes + at;
        more(text, room, "%s%u/%u/%u", at != 0 ? " " : "", d[2], nnrp_load_u32(d + 16), nnrp_load_u32(d + 20));
    }
    more(text, room, "|");
    if (out.tile_index != NULL || frame->tile_index_mode == NNRP_TILE_INDEX_MODE_DENSE_RANGE) {
        nnrp_tile_index_read(frame->tile_index_mode, out.tile_index, out.tile_index_span.length, frame->tile_count,
                             frame->tile_base_id, ids);
        for (uint32_t i = 0; i < frame->tile_count; i++) {
            more(text, room, "%s%u", i != 0 ? " " : "", ids[i]);
        }
    }
    more(text, room, "|%s", f.sections);
}

static int run_body(const vector *v, nnrp_error *error)
{
    static cut_run run;
    nnrp_body_frame frame;
    nnrp_packet packet;
    int status = nnrp_packet_check(v->bytes, v->length, LIMIT, &packet, error);
    EXPECT_EQ(status, NNRP_OK);
    if (status != NNRP_OK) {
        return status;
    }
    (v->layout == NNRP_L_FRAME_SUBMIT ? nnrp_body_frame_of_submit : nnrp_body_frame_of_result)(&frame,
                                                                                               v->bytes + HEADER);
    const uint8_t *body = v->bytes + HEADER + packet.meta_len;
    status = cut_both_ways(&frame, body, packet.body_len, &run);
    if (status == NNRP_OK) {
        char text[4096];
        vector_regions(&frame, body, packet.body_len, text, sizeof text);
        const char *wanted = v->regions != NULL ? v->regions : "none stated";
        expect_count++;
        if (strcmp(text, wanted) != 0) {
            expect_failed(__FILE__, __LINE__, "regions are %s, wanted %s", text, wanted);
        }
    } else {
        EXPECT(run.error.offset <= packet.body_len);
    }
    *error = run.error;
    return status;
}

static int run_vector(const vector *v, nnrp_error *error)
{
    nnrp_packet packet;
    const uint8_t *p;
    switch (v->kind) {
    case VECTOR_LAYOUT:
        return run_layout(v, error);
    case VECTOR_PACKET:
        return run_packet(v, &packet, error);
    case VECTOR_SEMANTIC:
        return run_semantic(v, error);
    case VECTOR_FLOW_ROUTING:
        return run_flow_routing(v, error);
    case VECTOR_TYPED_REGION:
        p = guard_at_end(v->bytes, v->length);
        return nnrp_typed_region_check(p, v->length, v->payload_length, v->a, v->b, error);
    case VECTOR_REFERENCE_REGION:
        p = guard_at_end(v->bytes, v->length);
        return nnrp_reference_region_check(p, v->length, v->a, v->b, error);
    default:
        return run_body(v, error);
    }
}

int main(int argc, char **argv)
{
    unsigned ran[VECTOR_KINDS] = {0};
    size_t count;
    const vector *vectors = vectors_read(argc > 1 ? argv[1] : NULL, &count);
    for (size_t i = 0; i < count; i++) {
        const vector *v = &vectors[i];
        nnrp_error error = {0};
        expect_about("%s", v->id);
        const int status = run_vector(v, &error);
        expect_count++;
        if (strcmp(nnrp_status_name(status), v->expect) != 0) {
            expect_failed(__FILE__, __LINE__, "%s, wanted %s", nnrp_status_name(status), v->expect);
        }
        EXPECT(status == NNRP_OK || error.offset <= v->length + (v->kind == VECTOR_SEMANTIC ? HEADER : 0));
        ran[v->kind]++;
    }
    for (unsigned kind = 0; kind < VECTOR_KINDS; kind++) {
        printf("%s %u\n", vector_kind_names[kind], ran[kind]);
    }
    return expect_end();
}
