/* SPDX-License-Identifier: Apache-2.0 */
/* Releasing. The fast way leaves the permit cached in its slot: one compare-and-swap, then a look at pressure. After it the
 * limiter may be freed, and its handle be somebody else's; what happens then rests on the serial, read with the lock held
 * (src/core/handle.c). */
#include "core/release.h"

#include <errno.h>

#include "core/ledger.h"
#include "core/near.h"
#include "core/serve.h"

_Static_assert(sizeof(uint64_t) == sizeof(bh_atomic_u64) && _Alignof(uint64_t) == _Alignof(bh_atomic_u64),
               "a permit's word can be accessed as an atomic (not so on i386, which is not supported)");

int bh__permit_fault(const struct bh_permit *permit)
{
    if (!permit || !permit->limiter)
        return -EINVAL;
    const struct bh_limiter *limiter = permit->limiter;
    uint64_t word = bh__permit_word(permit);
    uint32_t serial = (uint32_t)bh_load_relaxed(&limiter->serial);
    if (permit->serial != serial)
        return permit->serial == bh_load_relaxed(&limiter->parent_serial) ? -EPERM : -ESTALE;
    if (word == 0)
        return -EALREADY;
    if (permit->slot >= limiter->max_permits || bh__state(word) != BH_HELD)
        return -EINVAL;
    uint64_t now = bh_load_acquire(&limiter->slots[permit->slot].word);
    if (now == word || now == bh__word_as(word, BH_LATE, bh__owner(word)))
        return 0;
    bool is_unused = bh__state(now) == BH_CACHED || bh__state(now) == BH_FREE;
    return is_unused && now / BH_GENERATION_ONE == word / BH_GENERATION_ONE + 1 ? -EALREADY : -ESTALE;
}

/* The permit turned out not to be out. Between the look that said so and this one another thread may have used the slot
 * again, but this permit cannot have come back. When its limiter was freed there is nothing to count in: the handle may be
 * another limiter's by now, and nothing of it but the serials is looked at. */
__attribute__((cold, noinline)) static int refuse(const struct bh_permit *permit)
{
    int error = bh__permit_fault(permit);
    if (error == 0)
        error = -EALREADY;
    if (permit->serial == (uint32_t)bh_load_relaxed(&permit->limiter->serial) || error == -EPERM)
        bh_stat_add(&permit->limiter->core->counters.violations, 1);
    return error;
}

static bool free_late(struct bh_limiter *limiter, uint32_t slot, uint64_t word)
{
    return bh__slot_free_locked(limiter, slot, bh__word_as(word, BH_LATE, bh__owner(word)));
}

/* Through the lock, to the pool and the queue. */
__attribute__((noinline)) static int release_slow(struct bh_permit *permit, uint64_t word)
{
    struct bh_limiter *limiter = permit->limiter;
    struct bh_wakes wakes = {0};
    bh__near_first(limiter);
    bh__core_lock(limiter);
    if ((uint32_t)bh_load_relaxed(&limiter->serial) != permit->serial ||
        (!bh__slot_free_locked(limiter, permit->slot, word) && !free_late(limiter, permit->slot, word))) {
        bh__core_unlock(limiter);
        return refuse(permit);
    }
    bh__permit_clear(permit);
    bh__serve_locked(limiter, &wakes);
    bh__unlock_and_wake(limiter, &wakes);
    return 0;
}

/* Pressure was set while the permit was being cached: whoever set it may have looked at the slot too early. */
__attribute__((noinline)) static void take_back(struct bh_limiter *limiter, uint64_t serial, uint32_t slot,
                                                uint64_t cached)
{
    struct bh_wakes wakes = {0};
    bh__core_lock(limiter);
    if (bh_load_relaxed(&limiter->serial) == serial && bh__slot_free_locked(limiter, slot, cached))
        bh__serve_locked(limiter, &wakes);
    bh__unlock_and_wake(limiter, &wakes);
}

int bh_release(bh_permit *permit)
{
    if (!permit || !permit->limiter)
        return -EINVAL;
    struct bh_limiter *limiter = permit->limiter;
    uint64_t word = bh__permit_word(permit);
    uint64_t serial = bh_stat_load(&limiter->serial);
    uint32_t index = permit->slot;
    if (bh__state(word) != BH_HELD || permit->serial != (uint32_t)serial || index >= limiter->max_permits)
        return refuse(permit);
    struct bh_core *core = limiter->core;
    if (bh_load_relaxed(&core->pressure) != 0)
        return release_slow(permit, word);

    struct bh_slot *slot = &limiter->slots[index];
    uint64_t cached = bh__word_as(word + BH_GENERATION_ONE, BH_CACHED, 0);
    uint64_t expected = BH_FAULT(RELEASE_TWICE) ? bh_load_relaxed(&slot->word) : word;
    if (!bh_cas_seq(&slot->word, &expected, cached))
        return release_slow(permit, word);
    bh__permit_clear(permit);
    /* pairs: bh__press_locked, pressure. Without this look the permit stays cached beside somebody who waits for it. */
    if (bh_load_seq(&core->pressure) != 0 && !BH_FAULT(RELEASE_NO_RECHECK))
        take_back(limiter, serial, index, cached);
    return 0;
}

/* Was it made by this very limiter, and not by one before that had the same handle? */
static bool is_of(const struct bh_limiter *limiter, const struct bh_permit *permit)
{
    return permit->limiter == limiter && (permit->serial == (uint32_t)bh_load_relaxed(&limiter->serial) ||
                                          permit->serial == bh_load_relaxed(&limiter->parent_serial));
}

int bh_release_to(bh_limiter *limiter, bh_permit *permit)
{
    if (!limiter || !permit)
        return -EINVAL;
    if (!is_of(limiter, permit)) {
        bh_stat_add(&limiter->core->counters.violations, 1);
        return -EXDEV;
    }
    return bh_release(permit);
}

void bh_permit_cleanup(bh_permit *permit)
{
    if (bh_permit_is_held(permit))
        bh_release(permit);
}
