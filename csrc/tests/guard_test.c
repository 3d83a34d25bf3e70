/* Every vector, whole and cut at every length, right before and right after a page that cannot be read, through every
 * entry point: `guard_test FILE`, the lines of kit/vectors.h. A read outside of the input ends the program. */
#define _DEFAULT_SOURCE /* fork */

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit/bodies.h"
#include "kit/expect.h"
#include "kit/guard.h"
#include "kit/probe.h"
#include "kit/vectors.h"

#define HEADER NNRP_COMMON_HEADER_SIZE

typedef uint8_t *placement(const uint8_t *bytes, size_t length);

static placement *const placements[] = {guard_at_end, guard_at_start};

static void probe_everywhere(const uint8_t *bytes, size_t length, const probe_setting *setting)
{
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t *p = placements[i](bytes, length);
        probe_layouts(p, length);
        probe_packet(p, length, setting);
        probe_regions(p, length, setting);
        probe_body(p, length, setting);
    }
}

/* A test that cannot fail proves nothing: a child that reads one byte too far must not live. */
static void test_the_guard_bites(void)
{
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t *const volatile p = placements[i]((const uint8_t *)"abc", 3);
        const pid_t child = fork();
        if (child == 0) {
            close(STDERR_FILENO);
            (void)*(const volatile uint8_t *)(i == 0 ? p + 3 : p - 1);
            _exit(0);
        }
        int status = 0;
        expect_about("guard page %u", i);
        EXPECT(child > 0 && waitpid(child, &status, 0) == child);
        EXPECT(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
    }
}

/* Frames under which a body gets as far as its bytes allow. */
static void set_frame(probe_setting *setting, const vector *v, unsigned way)
{
    memset(&setting->frame, 0, sizeof setting->frame);
    if (v->layout == NNRP_L_FRAME_SUBMIT && v->length >= HEADER + NNRP_FRAME_SUBMIT_SIZE && way == 0) {
        nnrp_body_frame_of_submit(&setting->frame, v->bytes + HEADER);
    } else if (v->layout == NNRP_L_RESULT_PUSH && v->length >= HEADER + NNRP_RESULT_PUSH_SIZE && way == 0) {
        nnrp_body_frame_of_result(&setting->frame, v->bytes + HEADER);
    } else {
        setting->frame.is_submit = way == 1;
    }
}

static void probe_vector(const vector *v)
{
    probe_setting setting = {
        .a = v->a, .b = v->b, .frame_bytes = (uint32_t)v->payload_length, .limit = NNRP_DEFAULT_MAX_PACKET_BYTES};
    const int has_body = v->kind == VECTOR_BODY || v->kind == VECTOR_PACKET;
    for (size_t length = 0; length <= v->length; length++) {
        for (unsigned way = 0; way < 2; way++) {
            set_frame(&setting, v, way);
            probe_everywhere(v->bytes, length, &setting);
        }
    }
    if (!has_body || v->layout == NNRP_NONE) {
        return;
    }
    const size_t start = HEADER + (size_t)nnrp_layouts[v->layout].size;
    set_frame(&setting, v, 0);
    for (size_t length = 0; start < v->length && length <= v->length - start; length++) {
        for (unsigned i = 0; i < 2; i++) {
            probe_body(placements[i](v->bytes + start, length), length, &setting);
            probe_regions(placements[i](v->bytes + start, length), length, &setting);
        }
    }
}

/* The same for the bodies that use everything, whose truncated preludes are made to fit what is left. */
static void probe_full_bodies(void)
{
    void (*const makers[])(body_parts *) = {full_submit, full_result};
    static body_parts parts;
    for (unsigned maker = 0; maker < 2; maker++) {
        uint8_t body[BODY_CAPACITY];
        probe_setting setting = {.limit = 1};
        makers[maker](&parts);
        setting.frame = parts.frame;
        const uint32_t length = join(&parts, body);
        for (uint32_t present = 0; present <= length; present++) {
            expect_about("full body %u, %u bytes", maker, present);
            for (unsigned i = 0; i < 2; i++) {
                probe_body(placements[i](body, present), present, &setting);
            }
            /* One of the six regions takes the loss. */
            for (unsigned slot = 0; slot < 6 && present >= NNRP_BODY_REGION_PRELUDE_SIZE; slot++) {
                uint8_t lying[BODY_CAPACITY];
                memcpy(lying, body, length);
                put_u32(lying + 4 * slot, nnrp_load_u32(body + 4 * slot) - (length - present));
                for (unsigned i = 0; i < 2; i++) {
                    probe_body(placements[i](lying, present), present, &setting);
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    size_t count;
    const vector *vectors = vectors_read(argc > 1 ? argv[1] : NULL, &count);
    test_the_guard_bites();
    for (size_t i = 0; i < count; i++) {
        expect_about("%s", vectors[i].id);
        probe_vector(&vectors[i]);
    }
    probe_full_bodies();
    return expect_end();
}
