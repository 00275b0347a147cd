/* SPDX-License-Identifier: Apache-2.0 */
/* Admission under the lock: in one critical section a request is admitted, refused, or queued. */
#include <errno.h>

#include "core/acquire.h"
#include "core/count.h"
#include "core/entry.h"
#include "core/ledger.h"
#include "core/queue.h"
#include "core/serve.h"
#include "port/clock.h"

/* Is what there is left to those who wait already? */
static bool must_queue(const struct bh_core *core)
{
    if (bh__queue_is_empty_locked(core) || BH_FAULT(FIFO_TRY_BARGES))
        return false;
    return core->order == BH_ORDER_FIFO || core->handing_over;
}

/* Makes `weight` units available in the pool, if they are anywhere. */
static bool gather(struct bh_limiter *limiter, uint32_t weight)
{
    struct bh_core *core = limiter->core;
    if (bh__pool_locked(core) >= (int32_t)weight)
        return true;
    if (!(bh_load_relaxed(&core->pool) & BH_POOL_DRAINED))
        bh__call_in_locked(limiter);
    if (bh__pool_locked(core) >= (int32_t)weight)
        return true;
    if (core->short_of < weight)
        core->short_of = weight;
    bh__press_locked(limiter, BH_PRESSURE_SHORT);
    return bh__pool_locked(core) >= (int32_t)weight;
}

/* 0: may take now; -EAGAIN: would have to wait. */
static int admit(struct bh_limiter *limiter, uint32_t weight)
{
    struct bh_core *core = limiter->core;
    uint32_t limit = bh_load_relaxed(&core->limit);
    if (bh_load_relaxed(&core->pool) & BH_POOL_CLOSED)
        return -ESHUTDOWN;
    if (limit > 0 && weight > limit)
        return -EMSGSIZE;
    if (must_queue(core) || !gather(limiter, weight))
        return -EAGAIN;
    return 0;
}

static uint64_t take_now(struct bh_limiter *limiter, struct bh_entry *entry, uint32_t weight, uint32_t *ret_slot)
{
    uint32_t slot =
        bh__slot_take_locked(limiter, weight, entry ? *bh__seat(entry, weight) : BH_NONE, BH_NONE, limiter->process);
    if (entry)
        *bh__seat(entry, weight) = slot;
    bh_stat_bump(&limiter->core->counters.extra_weight, weight - 1);
    *ret_slot = slot;
    return bh_load_relaxed(&limiter->slots[slot].word);
}

static bh_ns end_of_wait(const struct bh_ask *ask, bh_ns now)
{
    bh_ns until = ask->wait_ns >= BH_FOREVER - now ? BH_FOREVER : now + ask->wait_ns;
    return until < ask->deadline_ns ? until : ask->deadline_ns;
}

/* Queues the request, which asks since `since`, or says why not. */
static int queue_up(struct bh_limiter *limiter, uint32_t weight, const struct bh_ask *ask, bh_ns since,
                    uint32_t *ret_index, bh_ns *ret_deadline)
{
    if (ask->wait_ns == 0)
        return -EAGAIN;
    if (!bh__queue_has_room_locked(limiter->core, weight))
        return -ENOBUFS;
    bh_ns now = bh__clock_now();
    if (since == 0)
        since = now;
    *ret_deadline = end_of_wait(ask, since);
    if (*ret_deadline <= now)
        return -ETIMEDOUT;
    *ret_index = bh__enqueue_locked(limiter, weight, since, *ret_deadline);
    return 0;
}

/* With short holds, more threads than processors and strict FIFO, a queue that has formed once never goes away: each release
 * hands over, and the thread that released queues and parks, a switch for every permit. A request that comes while no more
 * wait than can be served at once therefore gives the processor away once before it enters the queue, so that those who
 * hold permits can finish. It passes nobody: the order is that of entering the queue. */
static bool lets_others_finish(const struct bh_core *core, const struct bh_ask *ask, uint32_t weight)
{
    return core->order == BH_ORDER_FIFO && ask->wait_ns != 0 && bh__queue_has_room_locked(core, weight) &&
           bh_stat_load(&core->waiting) <= bh_stat_load(&core->limit);
}

static int admit_after_yield(struct bh_limiter *limiter, uint32_t weight, struct bh_wakes *wakes, bh_ns *ret_since)
{
    *ret_since = bh__clock_now();
    limiter->inside++;
    bh__unlock_and_wake(limiter, wakes);
    bh__thread_yield();
    *wakes = (struct bh_wakes){0};
    bh__core_lock(limiter);
    limiter->inside--;
    bh__tell_if_all_back_locked(limiter, wakes);
    return admit(limiter, weight);
}

int bh__acquire_slow(struct bh_limiter *limiter, uint32_t weight, const struct bh_ask *ask,
                     struct bh_permit *ret_permit)
{
    struct bh_core *core = limiter->core;
    if (!bh__weight_is_valid(limiter, weight))
        return bh__count_refusal(&core->counters, -EINVAL);
    struct bh_entry *entry = bh__entry(limiter);
    struct bh_wakes wakes = {0};
    bh__core_lock(limiter);
    int error = admit(limiter, weight);
    uint32_t slot = BH_NONE, index = BH_NONE;
    uint64_t word = 0;
    bh_ns since = 0, deadline = 0;
    if (error == -EAGAIN && lets_others_finish(core, ask, weight))
        error = admit_after_yield(limiter, weight, &wakes, &since);
    if (error == 0) {
        word = take_now(limiter, entry, weight, &slot);
        bh__relax_locked(limiter);
    } else if (error == -EAGAIN) {
        error = queue_up(limiter, weight, ask, since, &index, &deadline);
    }
    uint32_t turn = index == BH_NONE ? 0 : bh_load_relaxed(&limiter->waiters[index].word) & ~BH_OUTCOME_MASK;
    bh__unlock_and_wake(limiter, &wakes);
    if (error)
        return bh__count_refusal(&core->counters, error);
    if (index != BH_NONE)
        return bh__wait_for_turn(limiter, index, turn, weight, ask, deadline, ret_permit);
    bh__permit_fill(limiter, slot, word, ask->label, ret_permit);
    return 0;
}
