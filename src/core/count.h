/* SPDX-License-Identifier: Apache-2.0 */
/* Counting how requests ended. */
#ifndef BH_CORE_COUNT_H
#define BH_CORE_COUNT_H

#include "core/core.h"

/* Counts a refusal by its answer, wherever it was decided; the answer. Without the lock, so with locked instructions. */
int bh__count_refusal(struct bh_counters *counters, int error);

/* A waiter was granted what it asked for since `since`. */
void bh__count_wait_locked(struct bh_counters *counters, bh_ns since, bh_ns now);

#endif
