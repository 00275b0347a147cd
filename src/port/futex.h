/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting on an address, and waking who waits there.
 *
 * Waking touches no memory: it is safe after the memory behind the address was given back, which is what a release that
 * hands its permit over relies on (the new owner may free the limiter at once).
 */
#ifndef BH_PORT_FUTEX_H
#define BH_PORT_FUTEX_H

#include <bulkhead/time.h>

#include "port/atomic.h"

/* Sleeps while *word is `expected`, until woken or until the instant `deadline` (BH_FOREVER: none). Returns 0 when woken,
 * when *word differs, or for no reason at all; -ETIMEDOUT not before the deadline. `shared`: the word lies in memory that
 * several processes map. */
int bh__futex_wait(bh_atomic_u32 *word, uint32_t expected, bh_ns deadline, bool shared);

void bh__futex_wake(bh_atomic_u32 *word, uint32_t count, bool shared);

#endif
