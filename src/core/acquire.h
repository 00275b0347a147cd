/* SPDX-License-Identifier: Apache-2.0 */
/* The slow way of acquiring: through the lock, and perhaps the queue. */
#ifndef BH_CORE_ACQUIRE_H
#define BH_CORE_ACQUIRE_H

#include "core/core.h"

/* What a request asks, validated. */
struct bh_ask {
    bh_ns wait_ns;     /* 0: may not wait */
    bh_ns deadline_ns; /* BH_FOREVER: none */
    bh_cancel *cancel;
    const uint64_t *label; /* packed; NULL: none */
};

static inline bool bh__weight_is_valid(const struct bh_limiter *limiter, uint32_t weight)
{
    return weight >= 1 && weight <= limiter->max_permits;
}

int bh__acquire_slow(struct bh_limiter *limiter, uint32_t weight, const struct bh_ask *ask,
                     struct bh_permit *ret_permit);

/* Waits for the outcome of a waiter that is queued. */
int bh__wait_for_turn(struct bh_limiter *limiter, uint32_t index, uint32_t turn, uint32_t weight,
                      const struct bh_ask *ask, bh_ns deadline, struct bh_permit *ret_permit);

/* Fills a permit for a slot that holds `word`, and labels the slot. */
void bh__permit_fill(struct bh_limiter *limiter, uint32_t slot, uint64_t word, const uint64_t *label,
                     struct bh_permit *ret_permit);

#endif
