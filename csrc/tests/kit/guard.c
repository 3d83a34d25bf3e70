#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "kit/guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* page | GUARD_CAPACITY bytes | page, where neither page can be read. */
static uint8_t *arena(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *map = mmap(NULL, page + GUARD_CAPACITY + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + page, GUARD_CAPACITY, PROT_READ | PROT_WRITE) != 0) {
        perror("guard pages");
        exit(2);
    }
    return map + page;
}

static uint8_t *place(uint8_t *at, const uint8_t *bytes, size_t length)
{
    if (length != 0) {
        memcpy(at, bytes, length);
    }
    return at;
}

uint8_t *guard_at_end(const uint8_t *bytes, size_t length)
{
    static uint8_t *memory;
    if (memory == NULL) {
        memory = arena();
    }
    return place(memory + GUARD_CAPACITY - length, bytes, length);
}

uint8_t *guard_at_start(const uint8_t *bytes, size_t length)
{
    static uint8_t *memory;
    if (memory == NULL) {
        memory = arena();
    }
    return place(memory, bytes, length);
}
