/* SPDX-License-Identifier: Apache-2.0 */
/* Acquiring, and the fast way: one compare-and-swap on a slot that this thread used last. */
#include "core/acquire.h"

#include <errno.h>
#include <string.h>

#include "core/count.h"
#include "core/entry.h"
#include "core/text.h"
#include "port/clock.h"

#ifdef BH_SIM
#define SLOTS_NEAR_SEAT 1 /* one is enough to see it go wrong */
#else
#define SLOTS_NEAR_SEAT 4
#endif

/* The cached permit in a slot, if there is one of this weight: its word, or 0. */
__attribute__((always_inline)) static inline uint64_t take_slot(struct bh_limiter *limiter, uint32_t index,
                                                                uint32_t weight)
{
    struct bh_slot *slot = &limiter->slots[index];
    uint64_t word = bh_load_acquire(&slot->word); /* pairs: bh__slot_take_locked, word: weight is the word's */
    if (bh__state(word) != BH_CACHED || bh_load_relaxed(&slot->weight) != weight)
        return 0;
    uint64_t held = bh__word_as(word, BH_HELD, limiter->process);
    return bh_cas_seq(&slot->word, &word, held) ? held : 0;
}

/* The seat's permit is out, perhaps with another thread that will release it. Those released before it stand next to it: a
 * thread whose permits others release walks the same ring of slots as they do, without the lock. */
static uint64_t take_near_seat(struct bh_limiter *limiter, uint32_t *seat, uint32_t weight)
{
    uint32_t used = bh_load_relaxed(&limiter->core->slots_used);
    uint32_t index = *seat;
    for (unsigned i = 0; i < SLOTS_NEAR_SEAT; i++) {
        index = index + 1 < used ? index + 1 : 0;
        uint64_t word = take_slot(limiter, index, weight);
        if (word) {
            *seat = index;
            return word;
        }
    }
    return 0;
}

static inline void fill(struct bh_limiter *limiter, uint64_t serial, uint32_t slot, uint64_t word,
                        struct bh_permit *ret_permit)
{
    ret_permit->limiter = limiter;
    ret_permit->word = word;
    ret_permit->slot = slot;
    ret_permit->serial = (uint32_t)serial;
}

void bh__permit_fill(struct bh_limiter *limiter, uint32_t slot_index, uint64_t word, const uint64_t *label,
                     struct bh_permit *ret_permit)
{
    if (label) {
        struct bh_slot *slot = &limiter->slots[slot_index];
        for (int i = 0; i < 4; i++)
            bh_stat_store(&slot->label[i], label[i]);
        bh_stat_store(&slot->label_of, bh__label_mark(word));
    }
    fill(limiter, bh_stat_load(&limiter->serial), slot_index, word, ret_permit);
}

/* Is it certain, without the lock, that nothing can be had? Drained and the units are read as one word: with two loads a
 * permit could move from one to the other in between. */
static inline bool is_surely_refused(const struct bh_limiter *limiter, uint32_t weight)
{
    const struct bh_core *core = limiter->core;
    uint64_t pool = bh_load_seq(&core->pool); /* pairs: bh__press_locked, pool */
    if ((pool & BH_POOL_CLOSED) || weight - 1 >= bh_load_relaxed(&core->limit))
        return false; /* another answer */
    if (pool & BH_POOL_SPOKEN_FOR)
        return !BH_FAULT(FIFO_TRY_BARGES);
    if (BH_FAULT(REFUSE_TORN))
        return (pool & BH_POOL_DRAINED) && bh__pool_units(bh_load_seq(&core->pool)) < (int32_t)weight;
    return ((pool & BH_POOL_DRAINED) || BH_FAULT(REFUSE_UNDRAINED)) && bh__pool_units(pool) < (int32_t)weight;
}

static inline int admitted(struct bh_limiter *limiter, const struct bh_entry *entry, uint32_t weight,
                           const struct bh_ask *ask, uint64_t word, struct bh_permit *ret_permit)
{
    uint32_t slot = entry->seat[(weight - 1) % BH_SEATS];
    if (weight != 1)
        bh__count(entry, &entry->cell->extra_weight, weight - 1);
    if (ask->label)
        bh__permit_fill(limiter, slot, word, ask->label, ret_permit);
    else
        fill(limiter, entry->serial, slot, word, ret_permit);
    return 0;
}

/* The ways that are not fast are a function of their own: so the fast one needs no stack. */

/* The seat gave nothing: look next to it, then for a refusal that needs no lock, then go the slow way. */
__attribute__((noinline)) static int acquire_otherwise(struct bh_limiter *limiter, struct bh_entry *entry,
                                                       uint32_t weight, const struct bh_ask *ask,
                                                       struct bh_permit *ret_permit)
{
    if (!entry)
        return bh__acquire_slow(limiter, weight, ask, ret_permit);
    if (bh_load_acquire(&limiter->core->pressure) == 0) {
        uint64_t word = take_near_seat(limiter, bh__seat(entry, weight), weight);
        if (word)
            return admitted(limiter, entry, weight, ask, word, ret_permit);
    } else if (ask->wait_ns == 0 && is_surely_refused(limiter, weight)) {
        bh__count(entry, &entry->cell->refused_busy, 1);
        return -EAGAIN;
    }
    return bh__acquire_slow(limiter, weight, ask, ret_permit);
}

/* In line everywhere, so that a try has its weight and what it does not ask as constants. Pressure is looked at first: a
 * request that begins when somebody waits passes nobody, and under pressure nothing is cached. */
__attribute__((always_inline)) static inline int acquire(struct bh_limiter *limiter, uint32_t weight,
                                                         const struct bh_ask *ask, struct bh_permit *ret_permit)
{
    struct bh_entry *entry = bh__entry_known(limiter);
    if (!entry || (bh_load_acquire(&limiter->core->pressure) != 0 && !BH_FAULT(TAKE_UNDER_PRESSURE)))
        return acquire_otherwise(limiter, entry, weight, ask, ret_permit);
    uint64_t word = take_slot(limiter, *bh__seat(entry, weight), weight);
    if (word)
        return admitted(limiter, entry, weight, ask, word, ret_permit);
    return acquire_otherwise(limiter, entry, weight, ask, ret_permit);
}

__attribute__((cold, noinline)) static int bad_call(struct bh_limiter *limiter)
{
    return limiter ? bh__count_refusal(&limiter->core->counters, -EINVAL) : -EINVAL;
}

static const struct bh_ask no_wait = {0, BH_FOREVER, NULL, NULL};

int bh_try_acquire(bh_limiter *limiter, bh_permit *ret_permit)
{
    if (!limiter || !ret_permit)
        return bad_call(limiter);
    return acquire(limiter, 1, &no_wait, ret_permit);
}

int bh_try_acquire_weight(bh_limiter *limiter, uint32_t weight, bh_permit *ret_permit)
{
    if (!limiter || !ret_permit)
        return bad_call(limiter);
    return acquire(limiter, weight, &no_wait, ret_permit);
}

int bh_acquire(bh_limiter *limiter, bh_permit *ret_permit)
{
    if (!limiter || !ret_permit)
        return bad_call(limiter);
    struct bh_ask ask = {limiter->core->wait_ns, BH_FOREVER, NULL, NULL};
    return acquire(limiter, 1, &ask, ret_permit);
}

int bh_acquire_for(bh_limiter *limiter, uint32_t weight, bh_ns wait_ns, bh_permit *ret_permit)
{
    if (!limiter || !ret_permit)
        return bad_call(limiter);
    struct bh_ask ask = {wait_ns == BH_NO_WAIT ? 0 : wait_ns, BH_FOREVER, NULL, NULL};
    return acquire(limiter, weight, &ask, ret_permit);
}

/* A clock is read here because a deadline, unlike a wait, may have passed before anything was asked. */
static int acquire_by_deadline(struct bh_limiter *limiter, uint32_t weight, const struct bh_ask *ask,
                               struct bh_permit *ret_permit)
{
    struct bh_counters *counters = &limiter->core->counters;
    if (!bh__weight_is_valid(limiter, weight))
        return bh__count_refusal(counters, -EINVAL);
    if (bh_cancel_is_cancelled(ask->cancel))
        return bh__count_refusal(counters, -ECANCELED);
    if (ask->deadline_ns != BH_FOREVER && bh__clock_now() >= ask->deadline_ns)
        return bh__count_refusal(counters, -ETIMEDOUT);
    return acquire(limiter, weight, ask, ret_permit);
}

int bh_acquire_until(bh_limiter *limiter, uint32_t weight, bh_ns deadline_ns, bh_permit *ret_permit)
{
    if (!limiter || !ret_permit)
        return bad_call(limiter);
    struct bh_ask ask = {BH_FOREVER, deadline_ns, NULL, NULL};
    return acquire_by_deadline(limiter, weight, &ask, ret_permit);
}

static int check_request(const bh_request *request)
{
    if (request->size < sizeof *request || request->reserved)
        return -EINVAL;
    if (!bh__tail_is_zero(request, request->size, sizeof *request))
        return -E2BIG;
    return 0;
}

int bh_acquire_request(bh_limiter *limiter, uint32_t weight, const bh_request *request, bh_permit *ret_permit)
{
    if (!limiter || !ret_permit)
        return bad_call(limiter);
    struct bh_ask ask = {limiter->core->wait_ns, BH_FOREVER, NULL, NULL};
    uint64_t label[4];
    if (request) {
        int error = check_request(request);
        if (!error && request->label && !bh__label_pack(request->label, label))
            error = -EINVAL;
        if (error)
            return bh__count_refusal(&limiter->core->counters, error);
        if (request->wait_ns)
            ask.wait_ns = request->wait_ns == BH_NO_WAIT ? 0 : request->wait_ns;
        if (request->deadline_ns)
            ask.deadline_ns = request->deadline_ns;
        ask.cancel = request->cancel;
        ask.label = request->label ? label : NULL;
    }
    return acquire_by_deadline(limiter, weight, &ask, ret_permit);
}
