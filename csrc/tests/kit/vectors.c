#include "kit/vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_LINE (1 << 16)

enum { ID, KIND, LAYOUT, MESSAGE, A, B, HEX, PAYLOAD, EXPECTED, FIELDS, HEADER, REGIONS, COLUMNS };

const char *const vector_kind_names[VECTOR_KINDS] = {"layout",       "packet",           "semantic", "flow_routing",
                                                     "typed_region", "reference_region", "body"};

static void refuse(const char *what, const char *about)
{
    printf("vectors: %s: %s\n", what, about);
    exit(2);
}

static void *take(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL) {
        refuse("no memory", "");
    }
    return memory;
}

static const char *kept(const char *text)
{
    if (strcmp(text, "-") == 0) {
        return NULL;
    }
    char *copy = take(strlen(text) + 1);
    strcpy(copy, text);
    return copy;
}

static uint32_t number(const char *text)
{
    return strcmp(text, "-") == 0 ? 0 : (uint32_t)strtoul(text, NULL, 10);
}

static uint8_t digit(char c)
{
    const char *const digits = "0123456789abcdef";
    const char *at = c != 0 ? strchr(digits, c) : NULL;
    if (at == NULL) {
        refuse("not a hex digit", "");
    }
    return (uint8_t)(at - digits);
}

static uint8_t *from_hex(const char *text, size_t *length)
{
    *length = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;
    uint8_t *bytes = *length == 0 ? NULL : take(*length);
    for (size_t i = 0; i < *length; i++) {
        bytes[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    }
    return bytes;
}

static void split(char *line, char *columns[COLUMNS])
{
    unsigned n = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *at = line; at != NULL; n++) {
        if (n == COLUMNS) {
            refuse("too many columns", columns[ID]);
        }
        columns[n] = at;
        at = strchr(at, '\t');
        if (at != NULL) {
            *at++ = 0;
        }
    }
    if (n != COLUMNS) {
        refuse("too few columns", columns[ID]);
    }
}

static void read_one(char *line, vector *v)
{
    char *c[COLUMNS];
    split(line, c);
    v->id = kept(c[ID]);
    v->expect = kept(c[EXPECTED]);
    v->fields = kept(c[FIELDS]);
    v->header = kept(c[HEADER]);
    v->regions = kept(c[REGIONS]);
    v->bytes = from_hex(c[HEX], &v->length);
    free(from_hex(c[PAYLOAD], &v->payload_length));
    v->a = number(c[A]);
    v->b = number(c[B]);
    v->message = (uint8_t)number(c[MESSAGE]);
    v->kind = 0;
    while (v->kind < VECTOR_KINDS && strcmp(c[KIND], vector_kind_names[v->kind]) != 0) {
        v->kind++;
    }
    v->layout = NNRP_NONE;
    for (uint16_t i = 0; i < NNRP_LAYOUT_COUNT; i++) {
        if (strcmp(c[LAYOUT], nnrp_layouts[i].name) == 0) {
            v->layout = i;
        }
    }
    if (v->id == NULL || v->expect == NULL || v->kind == VECTOR_KINDS ||
        (v->layout == NNRP_NONE && strcmp(c[LAYOUT], "-") != 0)) {
        refuse("a column without meaning", c[ID]);
    }
}

vector *vectors_read(const char *path, size_t *count)
{
    static char line[LONGEST_LINE];
    static vector *vectors; /* static, so that a leak checker finds them held to the end */
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    size_t room = 0;
    *count = 0;
    if (file == NULL) {
        refuse("cannot read", path != NULL ? path : "(no file named)");
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (strchr(line, '\n') == NULL) {
            refuse("a line that is too long or cut off", path);
        }
        if (*count == room) {
            room = 2 * room + 64;
            vectors = realloc(vectors, room * sizeof *vectors);
            if (vectors == NULL) {
                refuse("no memory", path);
            }
        }
        read_one(line, &vectors[(*count)++]);
    }
    fclose(file);
    return vectors;
}
