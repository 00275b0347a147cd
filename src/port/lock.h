/* SPDX-License-Identifier: Apache-2.0 */
/* A small lock over a futex. Its word names the owner's process, so that a lock whose owner died can be told from one
 * that is merely busy, and taken over.
 *
 *     bits 0-15   the owner's process index + 1; 0: free
 *     bit  31     somebody may be parked on the word: who unlocks must wake one
 *
 * Wake obligation: whoever takes the contended bit out of the word wakes one sleeper, who puts it back in when it takes
 * the lock, for others may be asleep as well. Not promised: any order among those who wait for the lock.
 */
#ifndef BH_PORT_LOCK_H
#define BH_PORT_LOCK_H

#include "port/atomic.h"

struct bh_lock {
    bh_atomic_u32 word;
};

void bh__lock_contended(struct bh_lock *lock, uint32_t process, bool shared);
void bh__lock_wake(struct bh_lock *lock, bool shared);

#define BH_LOCK_OWNER 0xffffu
#define BH_LOCK_CONTENDED 0x80000000u

static inline void bh__lock(struct bh_lock *lock, uint32_t process, bool shared)
{
    uint32_t expected = 0;
    if (!bh_cas_acquire(&lock->word, &expected, process + 1)) /* pairs: bh__unlock, word */
        bh__lock_contended(lock, process, shared);
}

static inline void bh__unlock(struct bh_lock *lock, bool shared)
{
    if (bh_exchange_release(&lock->word, 0) & BH_LOCK_CONTENDED) /* pairs: bh__lock, word */
        bh__lock_wake(lock, shared);
}

/* Takes the lock over from a process that is known to be dead, without giving it up in between: what it guards is half
 * written. Returns false, and takes nothing, when another is the owner, or nobody. */
bool bh__lock_take_over(struct bh_lock *lock, uint32_t dead, uint32_t process);

#endif
