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
    for (uint32_t index = bh__head_locked(core); index != BH_NONE; index = limiter->waiters[index].next) {
        const struct bh_waiter *waiter = &limiter->waiters[index];
        enum bh_outcome outcome = bh__outcome(bh_load_relaxed(&waiter->word));
        if (outcome != BH_WAITING && outcome != BH_AWAKE)
            return "somebody in the queue does not wait";
        if (waiter->ticket <= ticket || (previous != BH_NONE && waiter->previous != previous))
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

static uint32_t length_of(const struct bh_limiter *limiter, uint32_t head)
{
    uint32_t length = 0;
    for (uint32_t index = head; index != BH_NONE && length <= limiter->core->waiters; length++)
        index = limiter->waiters[index].next;
    return length;
}

/* Each place in the table that was ever used is free, in the queue, ended, or the grantee's of a permit that is not back. */
static const char *check_places(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    uint32_t granted = 0;
    for (uint32_t index = 0; index < bh_stat_load(&core->slots_used); index++) {
        uint32_t grantee = limiter->slots[index].granted_to;
        if (grantee == BH_NONE)
            continue;
        if (bh__state(bh_load_relaxed(&limiter->slots[index].word)) == BH_FREE)
            return "a permit that is back has a grantee";
        if (grantee >= core->waiters_used || !bh__is_grantee_locked(limiter, grantee, index))
            return "a permit's grantee knows nothing of it";
        granted++;
    }
    if (length_of(limiter, core->free_waiter) + length_of(limiter, bh__head_locked(core)) +
            length_of(limiter, bh_stat_load(&core->ended.head)) + granted !=
        core->waiters_used)
        return "the table's places do not add up";
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
    if (bh__pool_locked(core) >= (int32_t)limiter->waiters[bh__head_locked(core)].weight)
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
        wrong = check_places(limiter);
    if (!wrong)
        wrong = check_pressure(limiter);
    bh__core_unlock(limiter);
    return wrong;
}
