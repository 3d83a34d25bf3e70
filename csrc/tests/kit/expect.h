/* Expectations that count themselves and go on after a failure, so that one run shows everything that is wrong. */
#ifndef NNRP_TEST_EXPECT_H
#define NNRP_TEST_EXPECT_H

#include <stdint.h>

extern uint64_t expect_count;

/* Says what the following expectations are about; printed with each failure. */
void expect_about(const char *format, ...);
/* The same for loops of millions: formatted only when something fails. */
void expect_round(unsigned long round);
void expect_failed(const char *file, int line, const char *format, ...);
void expect_equal(const char *file, int line, const char *what, long long found, long long wanted);
void expect_bytes(const char *file, int line, const char *what, const void *found, const void *wanted, uint64_t length);

/* The last line of a test program and its exit status. */
int expect_end(void);

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        expect_count++;                                                                                                \
        if (!(condition)) {                                                                                            \
            expect_failed(__FILE__, __LINE__, "%s", #condition);                                                       \
        }                                                                                                              \
    } while (0)

#define EXPECT_EQ(found, wanted) expect_equal(__FILE__, __LINE__, #found, (long long)(found), (long long)(wanted))

#define EXPECT_BYTES(found, wanted, length) expect_bytes(__FILE__, __LINE__, #found, (found), (wanted), (length))

#endif
