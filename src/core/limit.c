/* SPDX-License-Identifier: Apache-2.0 */
/* Changing the limit. The pool is signed, so a lowered limit is plain arithmetic: what is out above it is a pool below 0. */
#include <errno.h>

#include "core/ledger.h"
#include "core/queue.h"
#include "core/serve.h"

/* Ends the waits that can never fit, as many as can be woken at once. True when there may be more. The limit may be another
 * caller's by now. At 0 it is a pause, and nothing is too big. */
static bool end_too_big(struct bh_limiter *limiter, struct bh_wakes *wakes)
{
    uint32_t limit = bh_load_relaxed(&limiter->core->limit);
    uint32_t next;
    for (uint32_t index = bh__head_locked(limiter->core); index != BH_NONE && limit > 0; index = next) {
        struct bh_waiter *waiter = &limiter->waiters[index];
        next = waiter->next;
        if (waiter->weight <= limit || BH_FAULT(LOWER_KEEPS_TOO_BIG))
            continue;
        if (bh__wakes_are_full(wakes))
            return true;
        bh__end_wait_locked(limiter, index, BH_TOO_BIG);
        bh__note_wake(wakes, waiter);
    }
    return false;
}

static void move_limit(struct bh_limiter *limiter, uint32_t limit)
{
    struct bh_core *core = limiter->core;
    uint32_t before = bh_load_relaxed(&core->limit);
    if (limit < before && !BH_FAULT(LOWER_KEEPS_CACHED))
        bh__press_locked(limiter, BH_PRESSURE_OVERAGE); /* first: what is cached may be needed to make up for it */
    bh_store_relaxed(&core->limit, limit);
    bh__pool_add_locked(core, (int64_t)limit - (int64_t)before);
    if (BH_FAULT(CLOSE_REOPENED) && limit > before)
        bh_store_seq(&core->pressure, bh_load_relaxed(&core->pressure) & ~BH_PRESSURE_CLOSED);
    if (limit != before)
        bh_stat_bump(&core->counters.limit_changes, 1);
}

int bh_limiter_set_limit(bh_limiter *limiter, uint32_t limit)
{
    if (!limiter)
        return -EINVAL;
    if (limit > limiter->max_permits)
        return -ERANGE;
    bh__core_lock(limiter);
    if (bh_load_relaxed(&limiter->core->closed) == BH_SHUT) {
        bh__core_unlock(limiter);
        return -ESHUTDOWN;
    }
    limiter->inside++; /* or another thread could free it between two rounds */
    move_limit(limiter, limit);
    for (;;) {
        struct bh_wakes wakes = {0};
        bool more = end_too_big(limiter, &wakes);
        if (!more)
            limiter->inside--;
        if (!BH_FAULT(RAISE_NO_SERVE))
            bh__serve_locked(limiter, &wakes);
        bh__unlock_and_wake(limiter, &wakes);
        if (!more)
            return 0;
        bh__core_lock(limiter);
    }
}
