/* SPDX-License-Identifier: Apache-2.0 */
/* Handing over to whoever ran last on this processor. */
#ifndef BH_CORE_NEAR_H
#define BH_CORE_NEAR_H

#include "core/core.h"

/* Before a release in FIFO order: when the head of the queue ran last on another processor, lets a release from there come
 * first. Ends after some microseconds whatever happens, takes no lock, and touches nothing that is ever freed. */
void bh__near_first(const struct bh_limiter *limiter);

#endif
