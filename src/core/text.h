/* SPDX-License-Identifier: Apache-2.0 */
/* Names, units and labels: what is accepted, and how a label is kept. */
#ifndef BH_CORE_TEXT_H
#define BH_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is this well-formed UTF-8 (RFC 3629) of at least `least` and at most `most` bytes? */
bool bh__text_is_valid(const char *text, size_t least, size_t most);

/* A label of at most BH_LABEL_MAX bytes as four words, padded with NULs; false when it is none. It is read once. */
bool bh__label_pack(const char *label, uint64_t packed[4]);

/* Is the tail of a structure of `size` bytes zero beyond the `known` ones? Not if it is larger than any will ever be. */
bool bh__tail_is_zero(const void *structure, size_t size, size_t known);

#endif
