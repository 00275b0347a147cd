/* SPDX-License-Identifier: Apache-2.0 */
/* The wake obligation, in one sentence: when the lock is given up, either nobody waits, or the head does not fit what is in
 * the pool and nothing is cached, or (barging) the head is awake and will look for itself.
 *
 * FIFO hands permits over: a waiter finds its grant done. Barging wakes the head to look for itself, at most one at a time,
 * while whoever runs goes on taking and caching; a head that was passed for longer than the patience has permits handed to
 * it, and so has each one after it that is out of patience too. The idea is that of Go's sync.Mutex (its starvation mode).
 */
#include "core/serve.h"

#include "core/count.h"
#include "core/ledger.h"
#include "core/queue.h"
#include "port/clock.h"
#include "port/futex.h"

void bh__note_wake(struct bh_wakes *wakes, struct bh_waiter *waiter)
{
    wakes->words[wakes->count++] = &waiter->word;
}

/* The clock, read once and only if somebody asks. */
static bh_ns read_once(bh_ns *now)
{
    if (*now == 0)
        *now = bh__clock_now();
    return *now;
}

static void drop_expired_heads(struct bh_limiter *limiter, bh_ns *now, struct bh_wakes *wakes)
{
    struct bh_core *core = limiter->core;
    while (!bh__queue_is_empty_locked(core) && !bh__wakes_are_full(wakes)) {
        struct bh_waiter *head = &limiter->waiters[bh__head_locked(core)];
        if (head->deadline_ns == BH_FOREVER || read_once(now) < head->deadline_ns)
            return;
        bh__note_wake(wakes, head);
        bh__end_wait_locked(limiter, bh__head_locked(core), BH_TIMED_OUT);
    }
}

static bool head_fits(const struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    return bh__pool_locked(core) >= (int32_t)limiter->waiters[bh__head_locked(core)].weight;
}

/* Grants the head what it asked for; the waiter, who is to be woken unless it is the caller. */
static struct bh_waiter *grant_head(struct bh_limiter *limiter, bh_ns now)
{
    struct bh_core *core = limiter->core;
    uint32_t index = bh__head_locked(core);
    struct bh_waiter *waiter = &limiter->waiters[index];
    uint32_t slot = bh__slot_take_locked(limiter, waiter->weight, BH_NONE, index, waiter->process);
    if (waiter->weight > 1)
        bh_stat_bump(&core->counters.extra_weight, waiter->weight - 1);
    bh__count_wait_locked(&core->counters, bh_stat_load(&waiter->since_ns), now);
    bh__dequeue_granted_locked(limiter, index, slot);
    return waiter;
}

static void grant_and_wake_head(struct bh_limiter *limiter, bh_ns now, struct bh_wakes *wakes)
{
    struct bh_waiter *waiter = grant_head(limiter, now);
    if (!BH_FAULT(GRANT_NO_WAKE))
        bh__note_wake(wakes, waiter);
}

static void serve_fifo(struct bh_limiter *limiter, struct bh_wakes *wakes)
{
    struct bh_core *core = limiter->core;
    bh_ns now = 0;
    for (;;) {
        drop_expired_heads(limiter, &now, wakes);
        if (bh__queue_is_empty_locked(core) || bh__wakes_are_full(wakes) || !head_fits(limiter))
            return;
        grant_and_wake_head(limiter, read_once(&now), wakes);
        if (BH_FAULT(SERVE_ONE))
            return;
    }
}

static bool out_of_patience(const struct bh_limiter *limiter, const struct bh_waiter *waiter, bh_ns now)
{
    bh_ns since = bh_stat_load(&waiter->since_ns);
    return now > since && now - since >= limiter->core->patience_ns && !BH_FAULT(BARGE_NO_PATIENCE);
}

static void set_handing_over(struct bh_core *core, bool on)
{
    core->handing_over = on;
    if (on)
        bh__pool_mark_locked(core, BH_POOL_SPOKEN_FOR, 0);
    else
        bh__pool_mark_locked(core, 0, BH_POOL_SPOKEN_FOR);
}

static void set_awake(struct bh_limiter *limiter, uint32_t index, bool awake)
{
    struct bh_waiter *waiter = &limiter->waiters[index];
    uint32_t turn = bh_load_relaxed(&waiter->word) & ~BH_OUTCOME_MASK;
    bh_store_release(&waiter->word, turn | (awake ? BH_AWAKE : BH_WAITING)); /* pairs: wait_for_outcome, word */
    limiter->core->awake = awake;
}

static void serve_barging(struct bh_limiter *limiter, struct bh_wakes *wakes)
{
    struct bh_core *core = limiter->core;
    bh_ns now = 0;
    for (;;) {
        drop_expired_heads(limiter, &now, wakes);
        if (bh__queue_is_empty_locked(core) || bh__wakes_are_full(wakes) || core->awake)
            return;
        if (!head_fits(limiter)) {
            /* A big head may never be woken, for newcomers take what comes back before it adds up. */
            if (!core->handing_over &&
                out_of_patience(limiter, &limiter->waiters[bh__head_locked(core)], read_once(&now)))
                set_handing_over(core, true);
            if (bh_load_relaxed(&core->pressure) & BH_PRESSURE_SHORT)
                return;
            if (BH_FAULT(BARGE_NO_RETRY))
                return;
            bh__press_locked(limiter, BH_PRESSURE_SHORT);
        } else if (core->handing_over) {
            grant_and_wake_head(limiter, read_once(&now), wakes);
            if (core->handing_over &&
                !out_of_patience(limiter, &limiter->waiters[bh__head_locked(core)], read_once(&now)))
                set_handing_over(core, false);
        } else {
            set_awake(limiter, bh__head_locked(core), true);
            if (!BH_FAULT(BARGE_NO_WAKE))
                bh__note_wake(wakes, &limiter->waiters[bh__head_locked(core)]);
        }
    }
}

bool bh__is_all_back_locked(const struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    return limiter->inside == 0 && bh__queue_is_empty_locked(core) &&
           bh__pool_locked(core) == (int32_t)bh_stat_load(&core->limit);
}

void bh__tell_if_all_back_locked(struct bh_limiter *limiter, struct bh_wakes *wakes)
{
    struct bh_core *core = limiter->core;
    if (core->draining == 0 || !bh__is_all_back_locked(limiter))
        return;
    bh_store_seq(&core->all_back, bh_load_relaxed(&core->all_back) + 1); /* pairs: bh_limiter_drain, all_back */
    wakes->all_back = !BH_FAULT(DRAIN_NO_WAKE);
}

void bh__serve_locked(struct bh_limiter *limiter, struct bh_wakes *wakes)
{
    struct bh_core *core = limiter->core;
    if (!bh__queue_is_empty_locked(core)) {
        if (core->order == BH_ORDER_FIFO)
            serve_fifo(limiter, wakes);
        else
            serve_barging(limiter, wakes);
    }
    bh__relax_locked(limiter);
    bh__tell_if_all_back_locked(limiter, wakes);
}

void bh__look_again_locked(struct bh_limiter *limiter, uint32_t index, bh_ns now, struct bh_wakes *wakes)
{
    struct bh_core *core = limiter->core;
    struct bh_waiter *waiter = &limiter->waiters[index];
    set_awake(limiter, index, false);
    if (!head_fits(limiter))
        bh__call_in_locked(limiter);
    if (head_fits(limiter)) {
        grant_head(limiter, now);
    } else if (out_of_patience(limiter, waiter, now)) {
        set_handing_over(core, true);
    }
    bh__serve_locked(limiter, wakes);
}

void bh__unlock_and_wake(struct bh_limiter *limiter, struct bh_wakes *wakes)
{
    bool shared = limiter->core->shared;
    for (;;) {
        bool more = bh__wakes_are_full(wakes);
        bh_atomic_u32 *all_back = wakes->all_back ? &limiter->core->all_back : NULL;
        bh__core_unlock(limiter);
        for (uint32_t i = 0; i < wakes->count; i++)
            bh__futex_wake(wakes->words[i], 1, shared);
        if (all_back)
            bh__futex_wake(all_back, UINT32_MAX, shared);
        if (!more)
            return;
        *wakes = (struct bh_wakes){0};
        bh__core_lock(limiter);
        bh__serve_locked(limiter, wakes);
    }
}
