/* SPDX-License-Identifier: Apache-2.0 */
/* Serving the queue: whoever changed what would fit, or who is first, has the queue served before it gives the lock up. */
#ifndef BH_CORE_SERVE_H
#define BH_CORE_SERVE_H

#include "core/core.h"

/* Grants what fits, in the limiter's order, and settles pressure. Whom to wake is noted in `wakes`. */
void bh__serve_locked(struct bh_limiter *limiter, struct bh_wakes *wakes);

/* Notes that a waiter is to be woken; there must be room. */
void bh__note_wake(struct bh_wakes *wakes, struct bh_waiter *waiter);

static inline bool bh__wakes_are_full(const struct bh_wakes *wakes)
{
    return wakes->count == BH_WAKE_BATCH;
}

/* Is nothing out, nobody waiting, and no thread of this process still on its way out of a wait? */
bool bh__is_all_back_locked(const struct bh_limiter *limiter);

/* Tells those who drain, if that is so now. */
void bh__tell_if_all_back_locked(struct bh_limiter *limiter, struct bh_wakes *wakes);

/* Gives the lock up and wakes. When the batch was full there may be more to grant, and this goes on until there is not:
 * each round grants what is there, so it ends with the pool or with the queue. */
void bh__unlock_and_wake(struct bh_limiter *limiter, struct bh_wakes *wakes);

/* A barging waiter that was woken looks for itself. */
void bh__look_again_locked(struct bh_limiter *limiter, uint32_t index, bh_ns now, struct bh_wakes *wakes);

#endif
