/* SPDX-License-Identifier: Apache-2.0 */
#include "port/lock.h"

#include "port/fault.h"
#include "port/futex.h"
#include "port/processor.h"

/* A critical section is shorter than a switch to another thread by far, so a look or two more before parking pays where
 * the owner runs on another processor. */
#ifdef BH_SIM
#define SPINS 0
#else
#define SPINS 40
#endif

static bool spin(struct bh_lock *lock, uint32_t process)
{
    for (int i = 0; i < SPINS; i++) {
        uint32_t expected = 0;
        if (bh_load_relaxed(&lock->word) == 0 && bh_cas_acquire(&lock->word, &expected, process + 1))
            return true;
        bh__processor_pause();
    }
    return false;
}

void bh__lock_contended(struct bh_lock *lock, uint32_t process, bool shared)
{
    if (spin(lock, process))
        return;
    for (;;) {
        uint32_t seen = bh_load_relaxed(&lock->word);
        if (seen == 0) {
            if (bh_cas_acquire(&lock->word, &seen, (process + 1) | BH_LOCK_CONTENDED))
                return;
        } else if ((seen & BH_LOCK_CONTENDED) || bh_cas_acquire(&lock->word, &seen, seen | BH_LOCK_CONTENDED)) {
            bh__futex_wait(&lock->word, seen | BH_LOCK_CONTENDED, BH_FOREVER, shared);
        }
    }
}

void bh__lock_wake(struct bh_lock *lock, bool shared)
{
    if (!BH_FAULT(UNLOCK_NO_WAKE))
        bh__futex_wake(&lock->word, 1, shared);
}

bool bh__lock_take_over(struct bh_lock *lock, uint32_t dead, uint32_t process)
{
    uint32_t seen = bh_load_acquire(&lock->word);
    while ((seen & BH_LOCK_OWNER) == dead + 1)
        if (bh_cas_acquire(&lock->word, &seen, (seen & BH_LOCK_CONTENDED) | (process + 1)))
            return true;
    return false;
}
