/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of waiters, and who is served from it. All of these need the core's lock. */
#ifndef BH_CORE_QUEUE_H
#define BH_CORE_QUEUE_H

#include "core/core.h"

static inline enum bh_outcome bh__outcome(uint32_t word)
{
    return (enum bh_outcome)(word & BH_OUTCOME_MASK);
}

static inline uint32_t bh__head_locked(const struct bh_core *core)
{
    return bh_stat_load(&core->line.head);
}

static inline bool bh__queue_is_empty_locked(const struct bh_core *core)
{
    return bh__head_locked(core) == BH_NONE;
}

/* May what is released be cached? Not while somebody waits who is only looked after by a release. A barging waiter that
 * is awake looks for itself. */
static inline bool bh__nobody_needs_a_release_locked(const struct bh_core *core)
{
    return bh__queue_is_empty_locked(core) || (core->awake > 0 && !core->handing_over);
}

/* May `weight` units be added to the queue? */
bool bh__queue_has_room_locked(const struct bh_core *core, uint32_t weight);

/* Adds a waiter at the end; its index. There must be room. */
uint32_t bh__enqueue_locked(struct bh_limiter *limiter, uint32_t weight, bh_ns now, bh_ns deadline);

/* Ends a wait that was not granted: outcome, unlinked, counted out. */
void bh__end_wait_locked(struct bh_limiter *limiter, uint32_t index, enum bh_outcome outcome);

/* Takes a waiter out of the queue because it is admitted; its place in the table comes back with the permit. */
void bh__dequeue_granted_locked(struct bh_limiter *limiter, uint32_t index, uint32_t slot);

/* Is this the waiter that was granted the slot? */
static inline bool bh__is_grantee_locked(const struct bh_limiter *limiter, uint32_t index, uint32_t slot)
{
    const struct bh_waiter *waiter = &limiter->waiters[index];
    return bh__outcome(bh_load_relaxed(&waiter->word)) == BH_WAS_GRANTED && waiter->slot == slot;
}

/* Its thread has read that it was refused: gives back the slot, unless that serves another turn already. */
void bh__waiter_left_locked(struct bh_limiter *limiter, uint32_t index, uint32_t turn);

/* For a rebuild: puts a slot into the free list, or among those that ended. */
void bh__waiter_free_locked(struct bh_limiter *limiter, uint32_t index);
void bh__waiter_ended_locked(struct bh_limiter *limiter, uint32_t index);

/* Links a waiter by its ticket; for a rebuild. */
void bh__relink_waiter_locked(struct bh_limiter *limiter, uint32_t index);

/* For a rebuild: empty lists and their counts; the slots of the waiters are as they are. */
void bh__queue_unlink_all(struct bh_core *core);

/* No waiters at all. */
void bh__queue_reset(struct bh_limiter *limiter);

#endif
