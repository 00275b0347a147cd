/* SPDX-License-Identifier: Apache-2.0 */
/* A ring that one thread fills with permits and another empties. */
#ifndef BENCH_RING_H
#define BENCH_RING_H

#include <stdatomic.h>

#include <bulkhead/permit.h>

#include "duo.h"

#define RING_SIZE 64u

/* Each side keeps its own copy of the other's index and looks again only when it seems to be stuck, so that the ring
 * costs as little as a ring can. */
typedef struct ring {
    _Alignas(128) atomic_uint filled;
    unsigned emptied_seen;
    _Alignas(128) atomic_uint emptied;
    unsigned filled_seen;
    _Alignas(128) bh_permit entries[RING_SIZE];
} ring;

static inline void ring_push(ring *r, const bh_permit *permit)
{
    unsigned index = atomic_load_explicit(&r->filled, memory_order_relaxed);
    while (index - r->emptied_seen == RING_SIZE) {
        duo_relax();
        r->emptied_seen = atomic_load_explicit(&r->emptied, memory_order_acquire);
    }
    r->entries[index % RING_SIZE] = *permit;
    atomic_store_explicit(&r->filled, index + 1, memory_order_release);
}

static inline bh_permit ring_pop(ring *r)
{
    unsigned index = atomic_load_explicit(&r->emptied, memory_order_relaxed);
    while (index == r->filled_seen) {
        duo_relax();
        r->filled_seen = atomic_load_explicit(&r->filled, memory_order_acquire);
    }
    bh_permit permit = r->entries[index % RING_SIZE];
    atomic_store_explicit(&r->emptied, index + 1, memory_order_release);
    return permit;
}

#endif
