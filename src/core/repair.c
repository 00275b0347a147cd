/* SPDX-License-Identifier: Apache-2.0 */
/* Repair: all but slots, waiters, limit and closed is index, and is rebuilt from them: see docs/design/repair.md.
 *
 * The living may cache and take cached permits meanwhile, without the lock: HELD to CACHED and back. Either is outside the
 * pool, so it does not matter which of the two the rebuild meets. Nothing else changes without the lock.
 */
#include "core/repair.h"

#include "core/ledger.h"
#include "core/queue.h"
#include "core/serve.h"
#include "port/futex.h"

/* Does a living waiter wait to claim this slot? A granter may have died before it told the waiter. */
static bool grant_is_known(const struct bh_limiter *limiter, uint32_t index, uint32_t dead)
{
    uint32_t grantee = limiter->slots[index].granted_to;
    return grantee < limiter->core->waiters_used && bh__is_grantee_locked(limiter, grantee, index) &&
           limiter->waiters[grantee].process != dead;
}

enum fate { STAYS_OUT, COMES_BACK, IS_FREE };

static enum fate fate_of(const struct bh_limiter *limiter, uint32_t index, uint64_t word, uint32_t dead)
{
    switch (bh__state(word)) {
    case BH_FREE:
        return IS_FREE;
    case BH_CACHED:
        return COMES_BACK;
    case BH_GRANTED:
        return grant_is_known(limiter, index, dead) ? STAYS_OUT : COMES_BACK;
    default:
        return bh__owner(word) == dead && !BH_FAULT(REPAIR_KEEPS_DEAD) ? COMES_BACK : STAYS_OUT;
    }
}

/* Brings one slot's word and the pool in line; true when a permit was taken back from the dead. */
static bool rebuild_slot(struct bh_limiter *limiter, uint32_t index, uint32_t dead)
{
    struct bh_slot *slot = &limiter->slots[index];
    for (;;) {
        uint64_t word = bh_load_seq(&slot->word);
        switch (fate_of(limiter, index, word, dead)) {
        case IS_FREE:
            bh__slot_link_locked(limiter, index);
            return false;
        case STAYS_OUT:
            bh__pool_add_locked(limiter->core, -(int64_t)bh_load_relaxed(&slot->weight));
            return false;
        case COMES_BACK:
            if (bh_cas_seq(&slot->word, &word, bh__word_freed(word))) {
                bh__slot_link_locked(limiter, index);
                return bh__state(word) != BH_CACHED;
            }
            if (BH_FAULT(REPAIR_DROPS_CACHED))
                return false;
            break; /* a living thread took it: look again */
        }
    }
}

static uint32_t rebuild_ledger(struct bh_limiter *limiter, uint32_t dead)
{
    struct bh_core *core = limiter->core;
    uint32_t recovered = 0;
    uint64_t marks = bh_load_relaxed(&core->pool) & ~UINT64_C(0xffffffff);
    core->free_slot = BH_NONE;
    bh_store_seq(&core->pool, marks | bh_load_relaxed(&core->limit));
    for (uint32_t index = bh_stat_load(&core->slots_used); index-- > 0;)
        recovered += rebuild_slot(limiter, index, dead);
    return recovered;
}

/* A place that was granted a permit comes back with it, whoever has that by now: the slot decides, not the process. */
static bool comes_back_with_its_permit(const struct bh_limiter *limiter, uint32_t index, uint32_t dead)
{
    const struct bh_waiter *waiter = &limiter->waiters[index];
    if (BH_FAULT(REPAIR_KEEPS_PLACE) && waiter->process != dead)
        return true;
    if (BH_FAULT(REPAIR_FREES_PLACE) && waiter->process == dead)
        return false;
    return limiter->slots[waiter->slot].granted_to == index;
}

static void rebuild_queue(struct bh_limiter *limiter, uint32_t dead)
{
    struct bh_core *core = limiter->core;
    bh__queue_unlink_all(core);
    for (uint32_t index = 0; index < core->waiters_used; index++) {
        struct bh_waiter *waiter = &limiter->waiters[index];
        uint32_t word = bh_load_relaxed(&waiter->word);
        enum bh_outcome outcome = bh__outcome(word);
        bool alive = waiter->process != dead || BH_FAULT(REPAIR_KEEPS_WAITER);
        if (alive && (outcome == BH_WAITING || outcome == BH_AWAKE)) {
            bh_store_release(&waiter->word, (word & ~BH_OUTCOME_MASK) | BH_WAITING); /* pairs: wait_for_outcome, word */
            bh__relink_waiter_locked(limiter, index);
        } else if (outcome == BH_WAS_GRANTED && comes_back_with_its_permit(limiter, index, dead)) {
            continue;
        } else if (!alive || outcome == BH_IDLE || outcome == BH_WAS_GRANTED) {
            bh__waiter_free_locked(limiter, index);
        } else {
            bh__waiter_ended_locked(limiter, index);
        }
    }
}

/* The dead may have closed the limiter or lowered its limit, and not ended the waits that this ends. They are woken with
 * everybody else. */
static void end_impossible_waits(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    uint32_t limit = bh_load_relaxed(&core->limit);
    bool shut = bh_load_relaxed(&core->closed) == BH_SHUT;
    uint32_t next;
    for (uint32_t index = bh__head_locked(core); index != BH_NONE; index = next) {
        next = limiter->waiters[index].next;
        if (shut)
            bh__end_wait_locked(limiter, index, BH_CLOSED);
        else if (limit > 0 && limiter->waiters[index].weight > limit)
            bh__end_wait_locked(limiter, index, BH_TOO_BIG);
    }
}

static void free_cells(struct bh_core *core, uint32_t dead)
{
    for (uint32_t i = 0; i < BH_CELLS; i++)
        if (bh_stat_load(&core->cells[i].process) == dead + 1)
            bh_stat_store(&core->cells[i].process, 0);
}

/* The dead may have decided about a waiter and not woken it any more. */
static void wake_everybody(struct bh_limiter *limiter)
{
    for (uint32_t index = 0; index < limiter->core->waiters_used; index++)
        bh__futex_wake(&limiter->waiters[index].word, 1, limiter->core->shared);
    bh__futex_wake(&limiter->core->lock.word, UINT32_MAX, limiter->core->shared);
    bh__futex_wake(&limiter->core->all_back, UINT32_MAX, limiter->core->shared);
}

static void rebuild_pressure(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    uint32_t reasons = BH_PRESSURE_SHORT | BH_PRESSURE_OVERAGE;
    if (bh_load_relaxed(&core->closed))
        reasons |= BH_PRESSURE_CLOSED;
    bh_store_seq(&core->pressure, reasons); /* pairs: bh_release and acquire, pressure */
    bh__pool_mark_locked(core, bh_load_relaxed(&core->closed) ? BH_POOL_CLOSED : 0, BH_POOL_DRAINED);
}

uint32_t bh__core_repair(struct bh_limiter *limiter, uint32_t dead)
{
    struct bh_core *core = limiter->core;
    struct bh_wakes wakes = {0};
    if (!bh__lock_take_over(&core->lock, dead, limiter->process))
        bh__core_lock(limiter);
    rebuild_pressure(limiter);
    uint32_t recovered = rebuild_ledger(limiter, dead);
    rebuild_queue(limiter, dead);
    end_impossible_waits(limiter);
    free_cells(core, dead);
    bh__pool_mark_locked(core, BH_POOL_DRAINED, 0);
    bh_stat_bump(&core->counters.recovered, recovered);
    bh__serve_locked(limiter, &wakes);
    bh__unlock_and_wake(limiter, &wakes);
    wake_everybody(limiter);
    return recovered;
}
