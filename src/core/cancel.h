/* SPDX-License-Identifier: Apache-2.0 */
/* A token and the waits that watch it. */
#ifndef BH_CORE_CANCEL_H
#define BH_CORE_CANCEL_H

#include "core/core.h"

/* A wait that watches a token; lies on the waiting thread's stack, and is the token's until it is unwatched. */
struct bh_watch {
    struct bh_limiter *limiter;
    uint32_t index;
    uint32_t turn;
    struct bh_watch *next, *previous; /* the token's lock */
};

struct bh_cancel {
    struct bh_lock lock;
    bh_atomic_u32 cancelled;  /* only ever set, with the lock held; read by anybody */
    struct bh_watch *watches; /* lock */
};

/* Has the token end this wait from now on; at once if it was cancelled already. */
void bh__cancel_watch(struct bh_cancel *cancel, struct bh_watch *watch);

/* Returns once the token knows nothing of the wait any more. */
void bh__cancel_unwatch(struct bh_cancel *cancel, struct bh_watch *watch);

#endif
