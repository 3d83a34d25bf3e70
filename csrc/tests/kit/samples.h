/* Known-good layouts and packets, made from the table alone, and the table's rules judged a second time by other code.
 */
#ifndef NNRP_TEST_SAMPLES_H
#define NNRP_TEST_SAMPLES_H

#include "kit/random.h"
#include "nnrp/packet.h"

#define SAMPLE_CAPACITY 512

/* The bytes that rules read: a layout, the header before it, the request it answers. */
typedef struct sample {
    uint8_t own[NNRP_LARGEST_LAYOUT];
    uint8_t header[NNRP_COMMON_HEADER_SIZE];
    uint8_t request[NNRP_LARGEST_LAYOUT];
} sample;

/* A value read byte by byte: nothing of nnrp/bytes.h or check.c stands behind it. */
uint64_t sample_load(const uint8_t *p, unsigned size);

/* Whether the predicate holds. */
int sample_holds(const nnrp_node *node, const sample *s);

/* Whether a rule has something to say about this message. */
int sample_applies(uint16_t rule, const sample *s);

/* The first broken rule of a stage, NNRP_NONE when all hold. */
uint16_t sample_first_broken(uint16_t layout, enum nnrp_stage stage, const sample *s);

/* Changes bytes so that the predicate gets the wanted truth; where there are several ways, chance picks one. */
void sample_force(const nnrp_node *node, int wanted, sample *s, rng *chance);

/* Every stage up to the last one holds. message is the header's type; the header is otherwise one of a session. */
void sample_make(uint16_t layout, uint8_t message, enum nnrp_stage last, sample *s);

/* The code of some message that has this layout as metadata, or PING's. */
uint8_t sample_message_of(uint16_t layout);

/* A packet of nnrp_messages[message] that passes all stages but BODY of a data-plane message, with surplus bytes of
 * metadata and, for a message with tails, tails of 3, 4, 5 bytes. Returns its length. */
size_t sample_packet(uint8_t message, uint32_t surplus, uint8_t packet[SAMPLE_CAPACITY]);

#endif
