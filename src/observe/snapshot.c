/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots, read without the lock: gauges, grants and releases from the slots, which
 * are the truth; all else from the cells and the core. */
#include <bulkhead/snapshot.h>

#include <errno.h>
#include <string.h>

#include "core/core.h"
#include "port/clock.h"

bh_ns bh_wait_bucket_bound(unsigned index)
{
    return index >= BH_WAIT_BUCKETS - 1 ? BH_FOREVER : UINT64_C(1000) << index;
}

static void read_slots(const struct bh_limiter *limiter, bh_snapshot *snapshot)
{
    uint32_t used = bh_stat_load(&limiter->core->slots_used);
    for (uint32_t index = 0; index < used; index++) {
        const struct bh_slot *slot = &limiter->slots[index];
        uint64_t word = bh_load_acquire(&slot->word);
        snapshot->released += word / BH_GENERATION_ONE;
        enum bh_slot_state state = bh__state(word);
        if (state == BH_FREE || state == BH_CACHED)
            continue;
        snapshot->held += bh_load_relaxed(&slot->weight);
        snapshot->permits_out++;
        snapshot->permits_late += state == BH_LATE;
    }
    snapshot->granted = snapshot->released + snapshot->permits_out;
    snapshot->released -= snapshot->recovered;
}

static void read_cells(const struct bh_core *core, bh_snapshot *snapshot)
{
    uint64_t extra = bh_stat_load(&core->counters.extra_weight);
    for (unsigned i = 0; i <= BH_CELLS; i++) {
        const struct bh_cell *cell = i < BH_CELLS ? &core->cells[i] : &core->shared_cell;
        extra += bh_stat_load(&cell->extra_weight);
        snapshot->refused_busy += bh_stat_load(&cell->refused_busy);
    }
    snapshot->granted_weight = snapshot->granted + extra;
}

static void read_counters(const struct bh_core *core, bh_snapshot *snapshot)
{
    const struct bh_counters *counters = &core->counters;
    snapshot->recovered = bh_stat_load(&counters->recovered);
    snapshot->queued = bh_stat_load(&core->next_ticket) - 1;
    snapshot->refused_busy = bh_stat_load(&counters->refused_busy);
    snapshot->refused_full = bh_stat_load(&counters->refused_full);
    snapshot->refused_too_big = bh_stat_load(&counters->refused_too_big);
    snapshot->refused_closed = bh_stat_load(&counters->refused_closed);
    snapshot->timed_out = bh_stat_load(&counters->timed_out);
    snapshot->cancelled = bh_stat_load(&counters->cancelled);
    snapshot->invalid = bh_stat_load(&counters->invalid);
    snapshot->late = bh_stat_load(&counters->late);
    snapshot->violations = bh_stat_load(&counters->violations);
    snapshot->limit_changes = bh_stat_load(&counters->limit_changes);
    snapshot->wait_count = bh_stat_load(&counters->wait_count);
    snapshot->wait_sum_ns = bh_stat_load(&counters->wait_sum_ns);
    for (unsigned i = 0; i < BH_WAIT_BUCKETS; i++)
        snapshot->wait_buckets[i] = bh_stat_load(&counters->wait_buckets[i]);
}

/* Since when the head waits; 0: nobody does. Should the head change under the eyes again and again, what one of them said. */
static bh_ns oldest_since(const struct bh_limiter *limiter)
{
    const bh_atomic_u32 *head = &limiter->core->line.head;
    uint32_t index = bh_load_acquire(head); /* pairs: list_insert, head */
    bh_ns since = 0;
    for (int i = 0; i < 4 && index != BH_NONE; i++) {
        since = bh_stat_load(&limiter->waiters[index].since_ns);
        uint32_t again = bh_load_acquire(head);
        if (again == index)
            return since;
        index = again;
    }
    return index == BH_NONE ? 0 : since;
}

static void read_gauges(const struct bh_limiter *limiter, bh_snapshot *snapshot)
{
    const struct bh_core *core = limiter->core;
    snapshot->limit = bh_load_relaxed(&core->limit);
    snapshot->free = snapshot->held < snapshot->limit ? snapshot->limit - snapshot->held : 0;
    snapshot->overage = snapshot->held > snapshot->limit ? snapshot->held - snapshot->limit : 0;
    snapshot->waiting = bh_stat_load(&core->waiting);
    snapshot->waiting_weight = bh_stat_load(&core->waiting_weight);
    bh_ns oldest = oldest_since(limiter);
    bh_ns now = oldest ? bh__clock_now() : 0;
    snapshot->oldest_wait_ns = now > oldest ? now - oldest : 0;
    snapshot->max_permits = core->max_permits;
    snapshot->queue = core->queue;
    snapshot->order = core->order;
    snapshot->closed = bh_load_relaxed(&core->closed);
}

int bh_limiter_snapshot(const bh_limiter *limiter, bh_snapshot *ret_snapshot)
{
    if (!limiter || !ret_snapshot || ret_snapshot->size < sizeof *ret_snapshot)
        return -EINVAL;
    bh_snapshot snapshot = {.size = (uint32_t)sizeof snapshot};
    read_counters(limiter->core, &snapshot);
    read_slots(limiter, &snapshot);
    read_cells(limiter->core, &snapshot);
    read_gauges(limiter, &snapshot);
    memcpy(ret_snapshot, &snapshot, sizeof snapshot);
    return 0;
}
