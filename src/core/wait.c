/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for one's turn, as a parked thread: see docs/design/waiting.md.
 *
 * The waiter reads its word without the lock and parks on it; whatever ends or changes the wait is done with the lock held,
 * by whoever does it first, and the waiter only reads what was decided. A deadline is decided by the waiter itself, or by who
 * serves the queue and finds it over, under the lock too, so that leaving and being counted out are one step. */
#include <errno.h>

#include "core/acquire.h"
#include "core/cancel.h"
#include "core/count.h"
#include "core/entry.h"
#include "core/ledger.h"
#include "core/queue.h"
#include "core/serve.h"
#include "port/clock.h"
#include "port/futex.h"

static int error_of(enum bh_outcome outcome)
{
    switch (outcome) {
    case BH_TIMED_OUT:
        return -ETIMEDOUT;
    case BH_CANCELLED:
        return -ECANCELED;
    case BH_TOO_BIG:
        return -EMSGSIZE;
    default:
        return -ESHUTDOWN;
    }
}

/* Takes over the permit that was granted, without the lock: nobody else changes a GRANTED slot whose waiter lives. */
static uint64_t claim(struct bh_limiter *limiter, uint32_t slot_index)
{
    struct bh_slot *slot = &limiter->slots[slot_index];
    uint64_t word = bh__word_as(bh_load_relaxed(&slot->word), BH_HELD, limiter->process);
    if (!BH_FAULT(CLAIM_STAYS_GRANTED))
        bh_store_release(&slot->word, word);
    return word;
}

/* After this the thread touches nothing of the limiter that could be freed. */
static void leave(struct bh_limiter *limiter, uint32_t index, uint32_t turn, enum bh_outcome outcome)
{
    struct bh_wakes wakes = {0};
    bh__core_lock(limiter);
    bh__count_refusal(&limiter->core->counters, error_of(outcome));
    bh__waiter_left_locked(limiter, index, turn);
    if (!limiter->core->shared)
        limiter->inside--;
    bh__tell_if_all_back_locked(limiter, &wakes);
    bh__unlock_and_wake(limiter, &wakes);
}

/* The waiter was woken to look for itself, or its time is up. */
static void look(struct bh_limiter *limiter, uint32_t index, uint32_t turn)
{
    struct bh_waiter *waiter = &limiter->waiters[index];
    struct bh_wakes wakes = {0};
    bh__core_lock(limiter);
    bh_ns now = bh__clock_now();
    if (bh_load_relaxed(&waiter->word) == (turn | BH_AWAKE))
        bh__look_again_locked(limiter, index, now, &wakes);
    uint32_t word = bh_load_relaxed(&waiter->word);
    if ((word == (turn | BH_WAITING) || word == (turn | BH_AWAKE)) && now >= waiter->deadline_ns) {
        bh__end_wait_locked(limiter, index, BH_TIMED_OUT);
        if (!BH_FAULT(LEAVE_NO_SERVE))
            bh__serve_locked(limiter, &wakes);
    }
    bh__unlock_and_wake(limiter, &wakes);
}

/* The slot serves another by now, so this wait was ended without a grant, some time ago. */
static enum bh_outcome outcome_of_past_turn(const struct bh_limiter *limiter, const struct bh_ask *ask, bh_ns deadline)
{
    if (bh_cancel_is_cancelled(ask->cancel))
        return BH_CANCELLED;
    if (bh_load_relaxed(&limiter->core->closed) == BH_SHUT)
        return BH_CLOSED;
    if (deadline != BH_FOREVER && bh__clock_now() >= deadline)
        return BH_TIMED_OUT;
    return BH_TOO_BIG;
}

static enum bh_outcome wait_for_outcome(struct bh_limiter *limiter, uint32_t index, uint32_t turn,
                                        const struct bh_ask *ask, bh_ns deadline)
{
    struct bh_waiter *waiter = &limiter->waiters[index];
    for (;;) {
        uint32_t word = bh_load_acquire(&waiter->word); /* pairs: set_outcome and set_awake, word */
        if ((word & ~BH_OUTCOME_MASK) != turn)
            return outcome_of_past_turn(limiter, ask, deadline);
        enum bh_outcome outcome = bh__outcome(word);
        if (outcome != BH_WAITING && outcome != BH_AWAKE)
            return outcome;
        if (BH_FAULT(PARK_NO_CHECK))
            word = bh_load_acquire(&waiter->word);
        if (outcome == BH_AWAKE || bh__futex_wait(&waiter->word, word, deadline, limiter->core->shared) == -ETIMEDOUT)
            look(limiter, index, turn);
    }
}

int bh__wait_for_turn(struct bh_limiter *limiter, uint32_t index, uint32_t turn, uint32_t weight,
                      const struct bh_ask *ask, bh_ns deadline, struct bh_permit *ret_permit)
{
    struct bh_watch watch = {.limiter = limiter, .index = index, .turn = turn};
    if (ask->cancel)
        bh__cancel_watch(ask->cancel, &watch);
    enum bh_outcome outcome = wait_for_outcome(limiter, index, turn, ask, deadline);
    if (ask->cancel)
        bh__cancel_unwatch(ask->cancel, &watch);
    if (outcome != BH_WAS_GRANTED) {
        leave(limiter, index, turn, outcome);
        return error_of(outcome);
    }
    uint32_t slot = limiter->waiters[index].slot;
    uint64_t word = claim(limiter, slot);
    struct bh_entry *entry = bh__entry_known(limiter);
    if (entry)
        *bh__seat(entry, weight) = slot;
    bh__permit_fill(limiter, slot, word, ask->label, ret_permit);
    return 0;
}
