/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text.h"

#include <string.h>

#define STRUCTURE_MAX 4096u

/* The length of the well-formed sequence at `s`, at most `left` bytes, or 0: the table of RFC 3629, section 4. */
static size_t sequence_length(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || length > left)
        return 0;
    unsigned char low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    return length;
}

bool bh__text_is_valid(const char *text, size_t least, size_t most)
{
    size_t length = strnlen(text, most + 1);
    if (length < least || length > most)
        return false;
    for (size_t at = 0; at < length;) {
        size_t step = sequence_length((const unsigned char *)text + at, length - at);
        if (step == 0)
            return false;
        at += step;
    }
    return true;
}

bool bh__label_pack(const char *label, uint64_t packed[4])
{
    char copy[4 * sizeof packed[0]] = {0};
    for (size_t i = 0; i < sizeof copy && (copy[i] = label[i]); i++)
        ;
    memcpy(packed, copy, sizeof copy);
    return copy[sizeof copy - 1] == 0 && bh__text_is_valid(copy, 0, sizeof copy - 1);
}

bool bh__tail_is_zero(const void *structure, size_t size, size_t known)
{
    const unsigned char *bytes = structure;
    if (size > STRUCTURE_MAX)
        return false;
    for (size_t at = known; at < size; at++)
        if (bytes[at])
            return false;
    return true;
}
