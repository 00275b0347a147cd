/* SPDX-License-Identifier: Apache-2.0 */
/* What endpoint B reads: a hash table in memory, behind a lock. */
#ifndef DEMO_CACHE_H
#define DEMO_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct cache;

/* Holds the keys item-0 to item-(entries - 1). NULL: no memory. Lives as long as the process. */
struct cache *cache_new(uint32_t entries);

/* Copies the value of `key` into `value`. Returns its length; 0: not there. */
size_t cache_get(struct cache *cache, const char *key, char *value, size_t capacity);

#endif
