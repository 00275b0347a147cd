/* SPDX-License-Identifier: Apache-2.0 */
/* Slots, pool and pressure: see docs/design/cached-permits.md.
 *
 * The order that everything rests on: whoever is short stores pressure, then looks at every slot; whoever caches a permit
 * stores the slot, then looks at pressure. All four are sequentially consistent, so one of the two sees the other.
 */
#include "core/ledger.h"

#include "core/queue.h"

void bh__pool_add_locked(struct bh_core *core, int64_t units)
{
    uint64_t pool = bh_load_relaxed(&core->pool);
    uint32_t sum = (uint32_t)(bh__pool_units(pool) + units);
    bh_store_seq(&core->pool, (pool & ~UINT64_C(0xffffffff)) | sum);
}

void bh__pool_mark_locked(struct bh_core *core, uint64_t set, uint64_t clear)
{
    uint64_t pool = bh_load_relaxed(&core->pool);
    uint64_t marked = (pool & ~clear) | set;
    if (marked != pool)
        bh_store_seq(&core->pool, marked);
}

/* Whoever was granted this permit has claimed it, or is dead, for it came back. */
static void free_place_of_grantee(struct bh_limiter *limiter, uint32_t index)
{
    struct bh_slot *slot = &limiter->slots[index];
    uint32_t grantee = slot->granted_to;
    slot->granted_to = BH_NONE;
    if (BH_FAULT(PLACE_LOST))
        return;
    if (grantee < limiter->core->waiters_used && bh__is_grantee_locked(limiter, grantee, index))
        bh__waiter_free_locked(limiter, grantee);
}

void bh__slot_link_locked(struct bh_limiter *limiter, uint32_t index)
{
    struct bh_core *core = limiter->core;
    struct bh_slot *slot = &limiter->slots[index];
    slot->next = core->free_slot;
    slot->previous = BH_NONE;
    if (slot->next != BH_NONE)
        limiter->slots[slot->next].previous = index;
    core->free_slot = index;
    free_place_of_grantee(limiter, index);
}

static void slot_unlink(struct bh_limiter *limiter, uint32_t index)
{
    struct bh_slot *slot = &limiter->slots[index];
    if (slot->previous == BH_NONE)
        limiter->core->free_slot = slot->next;
    else
        limiter->slots[slot->previous].next = slot->next;
    if (slot->next != BH_NONE)
        limiter->slots[slot->next].previous = slot->previous;
}

/* The seat if it is free, else the one freed last, else the first that was never used; not in the free list any more. */
static uint32_t choose_free_slot(struct bh_limiter *limiter, uint32_t seat)
{
    struct bh_core *core = limiter->core;
    uint32_t used = bh_stat_load(&core->slots_used);
    uint32_t index = core->free_slot;
    if (seat < used && bh__state(bh_load_relaxed(&limiter->slots[seat].word)) == BH_FREE)
        index = seat;
    if (index == BH_NONE) {
        bh_stat_store(&core->slots_used, used + 1);
        return used;
    }
    slot_unlink(limiter, index);
    return index;
}

uint32_t bh__slot_take_locked(struct bh_limiter *limiter, uint32_t weight, uint32_t seat, uint32_t granted_to,
                              uint32_t process)
{
    struct bh_core *core = limiter->core;
    uint32_t index = choose_free_slot(limiter, seat);
    struct bh_slot *slot = &limiter->slots[index];
    bh_store_relaxed(&slot->weight, weight);
    uint64_t word = bh_load_relaxed(&slot->word);
    slot->granted_to = granted_to;
    bh__pool_add_locked(core, -(int64_t)weight);
    bh_store_seq(&slot->word, bh__word_as(word, granted_to == BH_NONE ? BH_HELD : BH_GRANTED, process));
    return index;
}

bool bh__slot_free_locked(struct bh_limiter *limiter, uint32_t index, uint64_t word)
{
    struct bh_slot *slot = &limiter->slots[index];
    uint32_t weight = bh_load_relaxed(&slot->weight);
    if (!bh_cas_seq(&slot->word, &word, bh__word_freed(word)))
        return false;
    bh__slot_link_locked(limiter, index);
    bh__pool_add_locked(limiter->core, weight);
    return true;
}

static bool call_in_slot(struct bh_limiter *limiter, uint32_t index)
{
    uint64_t word = bh_load_seq(&limiter->slots[index].word); /* pairs: bh_release, word and pressure */
    if (bh__state(word) != BH_CACHED)
        return false;
    if (BH_FAULT(CALL_IN_PLAIN)) {
        bh_store_seq(&limiter->slots[index].word, bh__word_as(word, BH_FREE, 0));
        bh__slot_link_locked(limiter, index);
        bh__pool_add_locked(limiter->core, bh_load_relaxed(&limiter->slots[index].weight));
        return true;
    }
    return bh__slot_free_locked(limiter, index, word);
}

void bh__call_in_locked(struct bh_limiter *limiter)
{
    uint32_t used = bh_stat_load(&limiter->core->slots_used);
    for (uint32_t index = 0; index < used; index++)
        if (call_in_slot(limiter, index) && BH_FAULT(SHORT_HALF_SCAN))
            return;
}

void bh__press_locked(struct bh_limiter *limiter, uint32_t reason)
{
    struct bh_core *core = limiter->core;
    uint32_t pressure = bh_load_relaxed(&core->pressure);
    if ((pressure & reason) != reason)
        bh_store_seq(&core->pressure, pressure | reason); /* pairs: bh_release and acquire, pressure */
    if (bh_load_relaxed(&core->pool) & BH_POOL_DRAINED)
        return; /* another reason has stood since all was called in */
    if (!BH_FAULT(SHORT_NO_RESCAN))
        bh__call_in_locked(limiter);
    bh__pool_mark_locked(core, BH_POOL_DRAINED, 0);
}

void bh__unpress_locked(struct bh_core *core, uint32_t left)
{
    if (left == 0) {
        core->short_of = 0;
        bh__pool_mark_locked(core, 0, BH_POOL_DRAINED); /* first: drained may not stand while permits are cached */
    }
    bh_store_seq(&core->pressure, left);
}

/* Near the limit pressure must not flap, for each time it is set costs a scan: there has to be room to speak of. */
static bool has_plenty(const struct bh_core *core, int32_t pool)
{
    uint32_t limit = bh_stat_load(&core->limit);
    uint32_t wanted = core->short_of < limit / 2 ? core->short_of : limit / 2;
    if (wanted < limit / 8)
        wanted = limit / 8;
    return pool > 0 && (uint32_t)pool >= wanted;
}

void bh__relax_locked(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    uint32_t pressure = bh_load_relaxed(&core->pressure);
    int32_t pool = bh__pool_locked(core);
    uint32_t left = pressure;
    if (pool >= 0)
        left &= ~BH_PRESSURE_OVERAGE;
    if (bh__nobody_needs_a_release_locked(core) && has_plenty(core, pool))
        left &= ~BH_PRESSURE_SHORT;
    if (left != pressure)
        bh__unpress_locked(core, left);
}

static void reset_slots(struct bh_limiter *limiter)
{
    uint32_t used = bh_stat_load(&limiter->core->slots_used);
    for (uint32_t index = 0; index < used; index++) {
        bh_store_relaxed(&limiter->slots[index].word, BH_FREE);
        bh_stat_store(&limiter->slots[index].label_of, 0);
    }
    limiter->core->free_slot = BH_NONE;
    bh_stat_store(&limiter->core->slots_used, 0);
}

_Static_assert(sizeof(struct bh_counters) % sizeof(bh_atomic_u64) == 0, "counters are nothing but such words");

static void reset_counters(struct bh_core *core)
{
    bh_atomic_u64 *counters = (bh_atomic_u64 *)(void *)&core->counters;
    for (size_t i = 0; i < sizeof core->counters / sizeof *counters; i++)
        bh_stat_store(&counters[i], 0);
    for (unsigned i = 0; i <= BH_CELLS; i++) {
        struct bh_cell *cell = i < BH_CELLS ? &core->cells[i] : &core->shared_cell;
        bh_stat_store(&cell->extra_weight, 0);
        bh_stat_store(&cell->refused_busy, 0);
        bh_stat_store(&cell->process, 0);
    }
}

void bh__core_reset(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    uint32_t closed = bh_load_relaxed(&core->closed);
    reset_slots(limiter);
    bh__queue_reset(limiter);
    reset_counters(core);
    core->short_of = 0;
    bh_stat_store(&core->next_ticket, 1);
    core->draining = 0;
    bh_store_relaxed(&core->pool, bh_load_relaxed(&core->limit));
    bh_store_relaxed(&core->pressure, 0);
    if (closed) {
        bh__pool_mark_locked(core, BH_POOL_CLOSED, 0);
        bh__press_locked(limiter, BH_PRESSURE_CLOSED);
    }
}
