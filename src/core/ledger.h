/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger: slots, the pool, and pressure. All of these need the core's lock. */
#ifndef BH_CORE_LEDGER_H
#define BH_CORE_LEDGER_H

#include "core/core.h"

static inline int32_t bh__pool_locked(struct bh_core *core)
{
    return bh__pool_units(bh_load_relaxed(&core->pool));
}

void bh__pool_add_locked(struct bh_core *core, int64_t units);
void bh__pool_mark_locked(struct bh_core *core, uint64_t set, uint64_t clear);

/* Takes `weight` units out of the pool into a FREE slot, `seat` if that one is, and gives it to `process`: HELD, or GRANTED
 * to a waiter of that process. Never fails: there are as many slots as units. */
uint32_t bh__slot_take_locked(struct bh_limiter *limiter, uint32_t weight, uint32_t seat, uint32_t granted_to,
                              uint32_t process);

/* Moves a slot from exactly `word` to FREE, and its units to the pool. False when the word is another by now. */
bool bh__slot_free_locked(struct bh_limiter *limiter, uint32_t index, uint64_t word);

/* Puts a slot that is FREE already into the free list, and with it the place of the waiter that had been granted it. */
void bh__slot_link_locked(struct bh_limiter *limiter, uint32_t index);

/* Brings all cached permits into the pool. */
void bh__call_in_locked(struct bh_limiter *limiter);

/* Sets a pressure, calls in all there is, and marks the pool drained. */
void bh__press_locked(struct bh_limiter *limiter, uint32_t reason);

/* Leaves only these pressures. */
void bh__unpress_locked(struct bh_core *core, uint32_t left);

/* Takes back the pressures whose reason is gone. */
void bh__relax_locked(struct bh_limiter *limiter);

/* Nothing out, nothing cached, nobody waiting, nothing counted; limit and closed stay. For a core that no
 * other thread uses. */
void bh__core_reset(struct bh_limiter *limiter);

#endif
