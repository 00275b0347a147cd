/* SPDX-License-Identifier: Apache-2.0 */
/* Repair after the death of a process, and the check that the books are right. */
#ifndef BH_CORE_REPAIR_H
#define BH_CORE_REPAIR_H

#include "core/core.h"

/* Takes back all that a process had, which must be proven dead, and rebuilds the index from the slots and waiters: also
 * when it died with the lock held. Others may go on meanwhile. When several have died, begin with the one that holds the
 * lock, if any: this call waits for the lock as long as another has it. Returns how many permits were taken back. */
uint32_t bh__core_repair(struct bh_limiter *limiter, uint32_t dead);

/* NULL when every number agrees with the slots and the queue; else what does not. Takes the lock. */
const char *bh__core_check(struct bh_limiter *limiter);

#endif
