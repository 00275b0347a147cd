/* SPDX-License-Identifier: Apache-2.0 */
/* The law that holds whenever the lock is free: every number agrees with the slots and the queue. */
#include "core/ledger.h"
#include "core/queue.h"
#include "core/repair.h"

static const char *check_ledger(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    int64_t out = 0;
    uint32_t free_slots = 0, listed = 0;
    for (uint32_t index = 0; index < bh_stat_load(&core->slots_used); index++) {
        if (bh__state(bh_load_relaxed(&limiter->slots[index].word)) == BH_FREE)
            free_slots++;
        else
            out += bh_load_relaxed(&limiter->slots[index].weight);
    }
    for (uint32_t index = core->free_slot; index != BH_NONE && listed <= free_slots; index = limiter->slots[index].next)
        listed++;
    if (listed != free_slots)
        return "the free list and the free slots differ";
    if (out + bh__pool_locked(core) != (int64_t)bh_load_relaxed(&core->limit))
        return "pool and slots do not add up to the limit";
    return NULL;
}

static const char *check_queue(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    uint64_t count = 0, weight = 0, ticket = 0;
    uint32_t awake = 0, previous = BH_NONE;
    for (uint32_t index = core->line.head; index != BH_NONE; index = limiter->waiters[index].next) {
        const struct bh_waiter *waiter = &limiter->waiters[index];
        enum bh_outcome outcome = bh__outcome(bh_load_relaxed(&waiter->word));
        if (outcome != BH_WAITING && outcome != BH_AWAKE)
            return "somebody in the queue does not wait";
        if (waiter->ticket <= ticket || waiter->previous != previous)
            return "the queue is not in the order of its tickets";
        awake += outcome == BH_AWAKE;
        weight += waiter->weight;
        ticket = waiter->ticket;
        previous = index;
        if (++count > core->waiters)
            return "the queue is a circle";
    }
    if (core->line.tail != previous || count != bh_stat_load(&core->waiting) || awake != core->awake ||
        weight != bh_stat_load(&core->waiting_weight))
        return "the queue and its counts differ";
    if (count > core->queue)
        return "more wait than may";
    return NULL;
}

static const char *check_pressure(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    uint32_t pressure = bh_load_relaxed(&core->pressure);
    bool drained = bh_load_relaxed(&core->pool) & BH_POOL_DRAINED;
    if (drained && !pressure)
        return "drained without pressure";
    if (bh__pool_locked(core) < 0 && !(pressure & BH_PRESSURE_OVERAGE))
        return "overage without its pressure";
    if (bh_load_relaxed(&core->closed) && !(pressure & BH_PRESSURE_CLOSED))
        return "closed without its pressure";
    if (bh__queue_is_empty_locked(core) || core->awake)
        return NULL;
    if (!(pressure & BH_PRESSURE_SHORT) || !drained)
        return "somebody waits without pressure";
    if (bh__pool_locked(core) >= (int32_t)limiter->waiters[core->line.head].weight)
        return "the head waits beside what it asked for";
    return NULL;
}

const char *bh__core_check(struct bh_limiter *limiter)
{
    bh__core_lock(limiter);
    const char *wrong = check_ledger(limiter);
    if (!wrong)
        wrong = check_queue(limiter);
    if (!wrong)
        wrong = check_pressure(limiter);
    bh__core_unlock(limiter);
    return wrong;
}
