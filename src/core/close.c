/* SPDX-License-Identifier: Apache-2.0 */
/* Closing and draining: both refuse newcomers for good; closing ends the waits, draining lets them be served. */
#include <errno.h>

#include "core/ledger.h"
#include "core/queue.h"
#include "core/serve.h"
#include "port/clock.h"
#include "port/futex.h"

static void shut_door(struct bh_limiter *limiter, enum bh_closed closed)
{
    struct bh_core *core = limiter->core;
    if (bh_load_relaxed(&core->closed) < (uint32_t)closed)
        bh_store_seq(&core->closed, closed);
    bh__press_locked(limiter, BH_PRESSURE_CLOSED);
    bh__pool_mark_locked(core, BH_POOL_CLOSED, 0);
}

/* Ends as many waits as can be woken at once. True when there are more. */
static bool end_waits(struct bh_limiter *limiter, struct bh_wakes *wakes)
{
    struct bh_core *core = limiter->core;
    while (!bh__queue_is_empty_locked(core) && !bh__wakes_are_full(wakes)) {
        if (BH_FAULT(CLOSE_KEEPS_WAITERS) && bh__head_locked(core) == core->line.tail)
            return false;
        bh__note_wake(wakes, &limiter->waiters[bh__head_locked(core)]);
        bh__end_wait_locked(limiter, bh__head_locked(core), BH_CLOSED);
    }
    return !bh__queue_is_empty_locked(core);
}

int bh_limiter_close(bh_limiter *limiter)
{
    if (!limiter)
        return -EINVAL;
    bh__core_lock(limiter);
    limiter->inside++; /* or another thread could free it between two rounds */
    shut_door(limiter, BH_SHUT);
    for (;;) {
        struct bh_wakes wakes = {0};
        bool more = end_waits(limiter, &wakes);
        if (!more)
            limiter->inside--;
        bh__serve_locked(limiter, &wakes);
        bh__unlock_and_wake(limiter, &wakes);
        if (!more)
            return 0;
        bh__core_lock(limiter);
    }
}

int bh_limiter_drain(bh_limiter *limiter, bh_ns wait_ns)
{
    if (!limiter)
        return -EINVAL;
    struct bh_core *core = limiter->core;
    bh_ns deadline = bh_deadline_after(wait_ns);
    bh__core_lock(limiter);
    shut_door(limiter, BH_DRAINING);
    core->draining++;
    bool all_back, in_time = true;
    while (!(all_back = bh__is_all_back_locked(limiter)) && in_time) {
        uint32_t seen = bh_load_relaxed(&core->all_back);
        bh__core_unlock(limiter);
        in_time = bh__futex_wait(&core->all_back, seen, deadline, core->shared) != -ETIMEDOUT;
        bh__core_lock(limiter);
    }
    core->draining--;
    bh__core_unlock(limiter);
    return all_back ? 0 : -ETIMEDOUT;
}
