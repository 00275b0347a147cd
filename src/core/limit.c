/* SPDX-License-Identifier: Apache-2.0 */
/* Changing the limit. The pool is signed, so a lowered limit is plain arithmetic: what is out above it is a pool below 0. */
#include <errno.h>

#include "core/ledger.h"
#include "core/queue.h"
#include "core/serve.h"

/* Ends the waits that can never fit, as many as can be woken at once. */
static void end_too_big(struct bh_limiter *limiter, uint32_t limit, struct bh_wakes *wakes)
{
    uint32_t next;
    for (uint32_t index = limiter->core->line.head; index != BH_NONE && !bh__wakes_are_full(wakes); index = next) {
        struct bh_waiter *waiter = &limiter->waiters[index];
        next = waiter->next;
        if (waiter->weight > limit && !BH_FAULT(LOWER_KEEPS_TOO_BIG)) {
            bh__end_wait_locked(limiter, index, BH_TOO_BIG);
            bh__note_wake(wakes, waiter);
        }
    }
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
    bool first = true;
    bool more;
    do {
        struct bh_wakes wakes = {0};
        bh__core_lock(limiter);
        if (bh_load_relaxed(&limiter->core->closed) == BH_SHUT) {
            bh__core_unlock(limiter);
            return first ? -ESHUTDOWN : 0;
        }
        if (first)
            move_limit(limiter, limit);
        first = false;
        if (limit > 0)
            end_too_big(limiter, bh_load_relaxed(&limiter->core->limit), &wakes);
        more = bh__wakes_are_full(&wakes);
        if (!BH_FAULT(RAISE_NO_SERVE))
            bh__serve_locked(limiter, &wakes);
        bh__unlock_and_wake(limiter, &wakes);
    } while (more);
    return 0;
}
