/* csrc/tests/kit/expect.h for a hunt: the first failed expectation is a crash, so the fuzzer keeps the input. */
#include "kit/expect.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t expect_count;

void expect_about(const char *format, ...)
{
    (void)format;
}

void expect_round(unsigned long round)
{
    (void)round;
}

void expect_failed(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s:%d: ", file, line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    abort();
}

void expect_equal(const char *file, int line, const char *what, long long found, long long wanted)
{
    expect_count++;
    if (found != wanted) {
        expect_failed(file, line, "%s is %lld, wanted %lld", what, found, wanted);
    }
}

void expect_bytes(const char *file, int line, const char *what, const void *found, const void *wanted, uint64_t length)
{
    expect_count++;
    if (length != 0 && memcmp(found, wanted, (size_t)length) != 0) {
        expect_failed(file, line, "%s differs from what was wanted", what);
    }
}

int expect_end(void)
{
    return 0;
}
