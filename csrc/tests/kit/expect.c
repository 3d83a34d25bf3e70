#include "kit/expect.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A loop over millions of inputs must not print millions of lines. */
#define MOST_FAILURES 25

uint64_t expect_count;
static unsigned failures;
static char about[256];
static unsigned long about_round;

void expect_about(const char *format, ...)
{
    va_list arguments;
    about_round = 0;
    va_start(arguments, format);
    vsnprintf(about, sizeof about, format, arguments);
    va_end(arguments);
}

void expect_round(unsigned long round)
{
    about_round = round;
}

void expect_failed(const char *file, int line, const char *format, ...)
{
    const char *name = strrchr(file, '/');
    va_list arguments;
    printf("%s:%d: ", name != NULL ? name + 1 : file, line);
    if (about_round != 0) {
        printf("[round %lu] ", about_round);
    } else {
        printf("[%s] ", about);
    }
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    if (++failures == MOST_FAILURES) {
        printf("failed: too many to go on\n");
        exit(1);
    }
}

void expect_equal(const char *file, int line, const char *what, long long found, long long wanted)
{
    expect_count++;
    if (found != wanted) {
        expect_failed(file, line, "%s is %lld (0x%llx), wanted %lld (0x%llx)", what, found, (unsigned long long)found,
                      wanted, (unsigned long long)wanted);
    }
}

void expect_bytes(const char *file, int line, const char *what, const void *found, const void *wanted, uint64_t length)
{
    expect_count++;
    if (length == 0) {
        return;
    }
    if (memcmp(found, wanted, (size_t)length) != 0) {
        expect_failed(file, line, "%s differs from what was wanted", what);
    }
}

int expect_end(void)
{
    if (failures != 0) {
        printf("failed: %u of %llu expectations\n", failures, (unsigned long long)expect_count);
        return 1;
    }
    printf("passed: %llu expectations\n", (unsigned long long)expect_count);
    return 0;
}
