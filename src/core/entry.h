/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread keeps of each limiter it uses: the slots it likes, and its counters. */
#ifndef BH_CORE_ENTRY_H
#define BH_CORE_ENTRY_H

#include "core/core.h"
#include "port/thread.h"

static inline struct bh_entry *bh__entries(struct bh_thread *thread)
{
    return (struct bh_entry *)(void *)(thread + 1);
}

/* The calling thread's entry, or NULL before its first use of the limiter. */
static inline struct bh_entry *bh__entry_known(const struct bh_limiter *limiter)
{
    struct bh_thread *thread = bh__thread_self();
    if (limiter->index < thread->count) {
        struct bh_entry *entry = &bh__entries(thread)[limiter->index];
        if (entry->serial == bh_stat_load(&limiter->serial))
            return entry;
    }
    return NULL;
}

/* The same, made if need be; NULL without memory. Takes the core's lock. */
struct bh_entry *bh__entry(struct bh_limiter *limiter);

static inline void bh__count(const struct bh_entry *entry, bh_atomic_u64 *counter, uint64_t value)
{
    if (entry->own_cell)
        bh_stat_bump(counter, value);
    else
        bh_stat_add(counter, value);
}

#endif
