/* Equal layouts by the row: checked in place, gathered by position, gathered from packets. */
#include "nnrp/columns.h"

#include <string.h>

#include "kit/expect.h"
#include "kit/guard.h"
#include "kit/samples.h"

#define HEADER NNRP_COMMON_HEADER_SIZE
#define ROWS   5

/* ROWS sound layouts back to back, each a little different where its rules allow. */
static size_t rows_of(uint16_t number, uint8_t *out)
{
    const nnrp_layout *layout = &nnrp_layouts[number];
    for (unsigned i = 0; i < ROWS; i++) {
        sample s;
        sample_make(number, sample_message_of(number), NNRP_STAGE_LAYOUT, &s);
        memcpy(out + i * layout->size, s.own, layout->size);
    }
    return (size_t)ROWS * layout->size;
}

/* Breaks the layout stage of one layout; 0 for a layout that has no rule beyond its size. */
static int break_row(uint16_t number, uint8_t *row, nnrp_error *error)
{
    const nnrp_layout *layout = &nnrp_layouts[number];
    for (size_t at = 0; at < layout->size; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            row[at] = (uint8_t)(row[at] ^ 1u << bit);
            if (nnrp_layout_check(layout, row, layout->size, error) != NNRP_OK) {
                return 1;
            }
            row[at] = (uint8_t)(row[at] ^ 1u << bit);
        }
    }
    return 0;
}

static void test_rows_are_checked_where_they_stand(void)
{
    uint8_t rows[ROWS * NNRP_LARGEST_LAYOUT];
    for (uint16_t number = 0; number < NNRP_LAYOUT_COUNT; number++) {
        const nnrp_layout *layout = &nnrp_layouts[number];
        const size_t length = rows_of(number, rows);
        nnrp_error error, alone;
        size_t done = 99;
        expect_about("%s", layout->name);
        for (size_t count = 0; count <= ROWS; count++) {
            EXPECT_EQ(nnrp_columns_check(layout, guard_at_end(rows, length), length, count, &done, &error), NNRP_OK);
            EXPECT_EQ(done, count);
        }
        for (size_t present = 0; present < length; present++) {
            EXPECT_EQ(nnrp_columns_check(layout, guard_at_end(rows, present), present, ROWS, &done, &error),
                      nnrp_rules[layout->size_rule].status);
            EXPECT_EQ(done, present / layout->size);
            EXPECT_EQ(error.offset, present);
        }
        if (break_row(number, rows + 3 * layout->size, &alone)) {
            EXPECT_EQ(nnrp_columns_check(layout, rows, length, ROWS, &done, &error), alone.status);
            EXPECT_EQ(done, 3);
            EXPECT_EQ(error.offset, 3u * layout->size + alone.offset);
            EXPECT_EQ(error.rule, alone.rule);
        }
    }
}

static void test_rows_are_gathered_from_any_place(void)
{
    uint8_t rows[ROWS * NNRP_LARGEST_LAYOUT], source[1 + ROWS * NNRP_LARGEST_LAYOUT], out[ROWS * NNRP_LARGEST_LAYOUT];
    for (uint16_t number = 0; number < NNRP_LAYOUT_COUNT; number++) {
        const nnrp_layout *layout = &nnrp_layouts[number];
        const size_t size = layout->size, length = rows_of(number, rows);
        const uint64_t backwards[ROWS] = {1 + 4 * size, 1 + 2 * size, 1, 1 + 3 * size, 1 + size};
        nnrp_error error, alone;
        size_t done = 99;
        expect_about("%s", layout->name);
        source[0] = 0xee; /* nothing is aligned */
        memcpy(source + 1, rows, length);
        const uint8_t *p = guard_at_end(source, 1 + length);
        EXPECT_EQ(nnrp_columns_gather(layout, p, 1 + length, backwards, ROWS, out, &done, &error), NNRP_OK);
        EXPECT_EQ(done, ROWS);
        for (unsigned i = 0; i < ROWS; i++) {
            EXPECT_BYTES(out + i * size, source + backwards[i], size);
        }
        const uint64_t beyond[4] = {2 + 4 * size, 1 + length, 2 + length, UINT64_MAX};
        for (unsigned i = 0; i < 4; i++) {
            const uint64_t positions[2] = {1, beyond[i]};
            EXPECT_EQ(nnrp_columns_gather(layout, p, 1 + length, positions, 2, out, &done, &error),
                      nnrp_rules[layout->size_rule].status);
            EXPECT_EQ(done, 1);
            EXPECT_EQ(error.offset, 1 + length);
        }
        if (break_row(number, source + 1 + 3 * size, &alone)) {
            EXPECT_EQ(nnrp_columns_gather(layout, source, 1 + length, backwards, ROWS, out, &done, &error),
                      alone.status);
            EXPECT_EQ(done, 3);
            EXPECT_EQ(error.offset, 1 + 3 * size + alone.offset);
        }
    }
}

static void test_metadata_is_gathered_from_packets_of_its_layout(void)
{
    for (uint8_t message = 0; message < NNRP_MESSAGE_COUNT; message++) {
        const uint16_t own = nnrp_messages[message].layout;
        uint8_t stream[3 + 2 * SAMPLE_CAPACITY], out[2 * NNRP_LARGEST_LAYOUT];
        const uint64_t positions[2] = {3, 3 + (uint64_t)sample_packet(message, 7, stream + 3)};
        const size_t length = (size_t)positions[1] + sample_packet(message, 0, stream + positions[1]);
        const uint8_t *p = guard_at_end(stream, length);
        nnrp_error error;
        size_t done;
        for (uint16_t number = 0; number < NNRP_LAYOUT_COUNT; number++) {
            const nnrp_layout *layout = &nnrp_layouts[number];
            expect_about("%s from %s", layout->name, nnrp_messages[message].name);
            done = 99;
            EXPECT_EQ(nnrp_columns_metadata(layout, p, length, positions, 2, out, &done, &error),
                      number == own ? NNRP_OK : NNRP_OTHER_LAYOUT);
            EXPECT_EQ(done, number == own ? 2 : 0);
            if (number == own) {
                EXPECT_BYTES(out, stream + positions[0] + HEADER, layout->size);
                EXPECT_BYTES(out + layout->size, stream + positions[1] + HEADER, layout->size);
            }
        }
        if (own == NNRP_NONE) {
            continue;
        }
        expect_about("%s", nnrp_messages[message].name);
        /* Cut anywhere, the second packet is refused as a packet alone would be; nothing is read behind the cut. */
        for (size_t present = (size_t)positions[1]; present < length; present++) {
            const uint8_t *cut = guard_at_end(stream, present);
            const int status =
                present - positions[1] < HEADER ? NNRP_E_SOURCE_TOO_SHORT : NNRP_E_PACKET_LENGTH_MISMATCH;
            EXPECT_EQ(nnrp_columns_metadata(&nnrp_layouts[own], cut, present, positions, 2, out, &done, &error),
                      status);
            EXPECT_EQ(done, 1);
            EXPECT_EQ(error.offset, present);
        }
        const uint64_t far[1] = {UINT64_MAX};
        EXPECT_EQ(nnrp_columns_metadata(&nnrp_layouts[own], p, length, far, 1, out, &done, &error),
                  NNRP_E_SOURCE_TOO_SHORT);
        /* Metadata one byte too short for its layout. */
        uint8_t *second = stream + positions[1];
        nnrp_store_u32(second + NNRP_COMMON_HEADER_AT_META_LEN, nnrp_layouts[own].size - 1u);
        EXPECT_EQ(nnrp_columns_metadata(&nnrp_layouts[own], stream, length, positions, 2, out, &done, &error),
                  nnrp_rules[nnrp_layouts[own].size_rule].status);
        EXPECT_EQ(done, 1);
        EXPECT_EQ(error.offset, positions[1] + HEADER + nnrp_layouts[own].size - 1u);
        nnrp_store_u32(second + NNRP_COMMON_HEADER_AT_META_LEN, nnrp_layouts[own].size);
        nnrp_error alone;
        if (break_row(own, second + HEADER, &alone)) {
            EXPECT_EQ(nnrp_columns_metadata(&nnrp_layouts[own], stream, length, positions, 2, out, &done, &error),
                      alone.status);
            EXPECT_EQ(error.offset, positions[1] + HEADER + alone.offset);
        }
        second[0] = 'X';
        EXPECT_EQ(nnrp_columns_metadata(&nnrp_layouts[own], stream, length, positions, 2, out, &done, &error),
                  NNRP_E_INVALID_MAGIC);
        EXPECT_EQ(error.offset, positions[1]);
        EXPECT_EQ(done, 1);
    }
}

int main(void)
{
    test_rows_are_checked_where_they_stand();
    test_rows_are_gathered_from_any_place();
    test_metadata_is_gathered_from_packets_of_its_layout();
    return expect_end();
}
