/* SPDX-License-Identifier: Apache-2.0 */
#include "port/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *alloc_lines(size_t size)
{
    if (size > SIZE_MAX - BH_CACHE_LINE)
        return NULL;
    size_t rounded = (size + BH_CACHE_LINE - 1) / BH_CACHE_LINE * BH_CACHE_LINE;
    void *memory = aligned_alloc(BH_CACHE_LINE, rounded);
    if (memory)
        memset(memory, 0, rounded);
    return memory;
}

void *bh__alloc_forever(size_t size)
{
    return alloc_lines(size);
}

#ifdef BH_SIM
#include "sim.h"

void *bh__alloc(size_t size)
{
    return sim_alloc(size);
}

void bh__free(void *memory)
{
    sim_free(memory);
}
#else
void *bh__alloc(size_t size)
{
    return alloc_lines(size);
}

void bh__free(void *memory)
{
    free(memory);
}
#endif
