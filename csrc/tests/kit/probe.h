/* Arbitrary bytes through every entry point: whatever they are, the answers must be of the documented kind and agree
 * with each other. */
#ifndef NNRP_TEST_PROBE_H
#define NNRP_TEST_PROBE_H

#include "nnrp/body.h"

/* What the bytes are judged against where they do not say it themselves. */
typedef struct probe_setting {
    nnrp_body_frame frame;
    uint32_t a, b; /* bitmap and count, or mode and mask */
    uint32_t frame_bytes;
    uint64_t limit;
} probe_setting;

/* A status is OK, one of the extra ones allowed (0: none), or an error that describes itself correctly. */
void expect_documented(int status, int extra, const nnrp_error *error, uint64_t length);

void probe_layouts(const uint8_t *p, size_t length);
void probe_packet(const uint8_t *p, size_t length, const probe_setting *setting);
void probe_regions(const uint8_t *p, size_t length, const probe_setting *setting);
/* The bytes as the body of setting->frame. */
void probe_body(const uint8_t *p, size_t length, const probe_setting *setting);

#endif
