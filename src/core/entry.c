/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's entries are found by the handle's index and are its own by the handle's serial; only the thread itself reads
 * or writes them. */
#include "core/entry.h"

#include <string.h>

static void give_back_cell(struct bh_entry *entry)
{
    struct bh_limiter *limiter = entry->limiter;
    if (!entry->own_cell || bh_load_relaxed(&limiter->serial) != entry->serial)
        return;
    bh__core_lock(limiter);
    if (bh_load_relaxed(&limiter->serial) == entry->serial)
        bh_stat_store(&entry->cell->process, 0);
    bh__core_unlock(limiter);
}

static void leave_all(struct bh_thread *thread)
{
    for (uint32_t i = 0; i < thread->count; i++)
        if (bh__entries(thread)[i].limiter)
            give_back_cell(&bh__entries(thread)[i]);
    bh__free(thread);
}

static struct bh_thread *grow(struct bh_thread *thread, uint32_t index)
{
    uint32_t count = thread->count * 2 > index + 1 ? thread->count * 2 : index + 1;
    struct bh_thread *grown = bh__alloc(sizeof *grown + (size_t)count * sizeof(struct bh_entry));
    if (!grown)
        return NULL;
    memcpy(bh__entries(grown), bh__entries(thread), (size_t)thread->count * sizeof(struct bh_entry));
    grown->count = count;
    if (bh__thread_set(grown, leave_all)) {
        bh__free(grown);
        return NULL;
    }
    if (thread != &bh__no_thread)
        bh__free(thread);
    return grown;
}

static void claim_cell(struct bh_limiter *limiter, struct bh_entry *entry)
{
    struct bh_core *core = limiter->core;
    entry->cell = &core->shared_cell;
    bh__core_lock(limiter);
    for (uint32_t i = 0; i < BH_CELLS; i++) {
        if (bh_stat_load(&core->cells[i].process) == 0) {
            bh_stat_store(&core->cells[i].process, limiter->process + 1);
            entry->cell = &core->cells[i];
            entry->own_cell = 1;
            break;
        }
    }
    bh__core_unlock(limiter);
}

struct bh_entry *bh__entry(struct bh_limiter *limiter)
{
    struct bh_entry *entry = bh__entry_known(limiter);
    if (entry)
        return entry;
    struct bh_thread *thread = bh__thread_self();
    if (limiter->index >= thread->count)
        thread = grow(thread, limiter->index);
    if (!thread)
        return NULL;
    entry = &bh__entries(thread)[limiter->index];
    memset(entry, 0, sizeof *entry);
    claim_cell(limiter, entry);
    entry->limiter = limiter;
    entry->serial = bh_stat_load(&limiter->serial);
    return entry;
}
