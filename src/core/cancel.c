/* SPDX-License-Identifier: Apache-2.0 */
/* The token's lock is taken first and the core's inside it; nothing takes them the other way round. The token's flag is set
 * before its waits are looked at, and a wait looks at the flag after it is among them: one of the two sees the other. */
#include "core/cancel.h"

#include <errno.h>

#include "core/queue.h"
#include "core/serve.h"

static void end_wait(const struct bh_watch *watch)
{
    struct bh_limiter *limiter = watch->limiter;
    struct bh_waiter *waiter = &limiter->waiters[watch->index];
    struct bh_wakes wakes = {0};
    bh__core_lock(limiter);
    uint32_t word = bh_load_relaxed(&waiter->word);
    if (word == (watch->turn | BH_WAITING) || word == (watch->turn | BH_AWAKE)) {
        bh__end_wait_locked(limiter, watch->index, BH_CANCELLED);
        if (!BH_FAULT(CANCEL_NO_WAKE))
            bh__note_wake(&wakes, waiter);
        if (!BH_FAULT(LEAVE_NO_SERVE))
            bh__serve_locked(limiter, &wakes);
    }
    bh__unlock_and_wake(limiter, &wakes);
}

void bh__cancel_watch(struct bh_cancel *cancel, struct bh_watch *watch)
{
    bh__lock(&cancel->lock, 0, false);
    watch->previous = NULL;
    watch->next = cancel->watches;
    if (watch->next)
        watch->next->previous = watch;
    cancel->watches = watch;
    bool cancelled = bh_load_relaxed(&cancel->cancelled) && !BH_FAULT(CANCEL_UNSEEN);
    bh__unlock(&cancel->lock, false);
    if (cancelled)
        end_wait(watch);
}

void bh__cancel_unwatch(struct bh_cancel *cancel, struct bh_watch *watch)
{
    bh__lock(&cancel->lock, 0, false);
    if (watch->previous)
        watch->previous->next = watch->next;
    else
        cancel->watches = watch->next;
    if (watch->next)
        watch->next->previous = watch->previous;
    bh__unlock(&cancel->lock, false);
}

int bh_cancel_new(bh_cancel **ret_cancel)
{
    if (!ret_cancel)
        return -EINVAL;
    struct bh_cancel *cancel = bh__alloc(sizeof *cancel);
    if (!cancel)
        return -ENOMEM;
    *ret_cancel = cancel;
    return 0;
}

int bh_cancel_all(bh_cancel *cancel)
{
    if (!cancel)
        return -EINVAL;
    bh__lock(&cancel->lock, 0, false);
    bh_store_release(&cancel->cancelled, 1); /* pairs: bh_cancel_is_cancelled, cancelled */
    for (struct bh_watch *watch = cancel->watches; watch; watch = watch->next)
        end_wait(watch);
    bh__unlock(&cancel->lock, false);
    return 0;
}

int bh_cancel_is_cancelled(const bh_cancel *cancel)
{
    return cancel && bh_load_acquire(&cancel->cancelled) != 0; /* pairs: bh_cancel_all, cancelled */
}

int bh_cancel_free(bh_cancel *cancel)
{
    if (!cancel)
        return 0;
    bh__lock(&cancel->lock, 0, false);
    bool busy = cancel->watches != NULL;
    bh__unlock(&cancel->lock, false);
    if (busy)
        return -EBUSY;
    bh__free(cancel);
    return 0;
}
