/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: zeroed, aligned to a cache line. */
#ifndef BH_PORT_MEMORY_H
#define BH_PORT_MEMORY_H

#include <stddef.h>

#define BH_CACHE_LINE 64u

/* NULL when there is none, or when size is above what can be rounded up. */
void *bh__alloc(size_t size);
void bh__free(void *memory);

/* Memory that is never given back: what a late releaser may still touch (see src/core/handle.c). */
void *bh__alloc_forever(size_t size);

#endif
