/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef NNRP_UTF8_H
#define NNRP_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes from the start are whole valid sequences; length when all of them are. */
size_t nnrp_utf8_valid_prefix(const uint8_t *source, size_t length);

#endif
