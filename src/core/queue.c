/* SPDX-License-Identifier: Apache-2.0 */
/* The waiters' table: a queue in the order of tickets, and a free list used from its far end. */
#include "core/queue.h"

#include "core/ledger.h"

bool bh__queue_has_room_locked(const struct bh_core *core, uint32_t weight)
{
    uint64_t waiting = bh_stat_load(&core->waiting);
    uint64_t waiting_weight = bh_stat_load(&core->waiting_weight);
    return waiting < core->queue && (core->queue_weight == 0 || waiting_weight + weight <= core->queue_weight);
}

void bh__waiter_free_locked(struct bh_limiter *limiter, uint32_t index)
{
    struct bh_core *core = limiter->core;
    limiter->waiters[index].next = BH_NONE;
    if (core->free_waiter == BH_NONE)
        core->free_waiter = index;
    else
        limiter->waiters[core->last_free_waiter].next = index;
    core->last_free_waiter = index;
}

static uint32_t take_free_waiter(struct bh_limiter *limiter)
{
    uint32_t index = limiter->core->free_waiter;
    limiter->core->free_waiter = limiter->waiters[index].next;
    return index;
}

/* What the first in line changed means for those who look from outside. */
static void head_changed(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    bool empty = bh__queue_is_empty_locked(core);
    if (empty)
        core->handing_over = 0;
    bh_stat_store(&core->oldest_ns, empty ? 0 : bh_stat_load(&limiter->waiters[core->head].since_ns));
    if (!empty && (core->order == BH_ORDER_FIFO || core->handing_over))
        bh__pool_mark_locked(core, BH_POOL_SPOKEN_FOR, 0);
    else
        bh__pool_mark_locked(core, 0, BH_POOL_SPOKEN_FOR);
}

/* Links `index` behind `before`, which may be BH_NONE: at the head. */
static void link_behind(struct bh_limiter *limiter, uint32_t index, uint32_t before)
{
    struct bh_core *core = limiter->core;
    struct bh_waiter *waiter = &limiter->waiters[index];
    waiter->previous = before;
    waiter->next = before == BH_NONE ? core->head : limiter->waiters[before].next;
    if (before == BH_NONE)
        core->head = index;
    else
        limiter->waiters[before].next = index;
    if (waiter->next == BH_NONE)
        core->tail = index;
    else
        limiter->waiters[waiter->next].previous = index;
    bh_stat_bump(&core->waiting, 1);
    bh_stat_bump(&core->waiting_weight, waiter->weight);
    if (before == BH_NONE)
        head_changed(limiter);
}

void bh__relink_waiter_locked(struct bh_limiter *limiter, uint32_t index)
{
    uint32_t before = limiter->core->tail;
    while (before != BH_NONE && limiter->waiters[before].ticket > limiter->waiters[index].ticket)
        before = limiter->waiters[before].previous;
    link_behind(limiter, index, before);
}

uint32_t bh__enqueue_locked(struct bh_limiter *limiter, uint32_t weight, bh_ns now, bh_ns deadline)
{
    struct bh_core *core = limiter->core;
    uint32_t index = take_free_waiter(limiter);
    struct bh_waiter *waiter = &limiter->waiters[index];
    waiter->weight = weight;
    waiter->slot = BH_NONE;
    waiter->process = limiter->process;
    waiter->ticket = core->next_ticket++;
    waiter->deadline_ns = deadline;
    waiter->seat = BH_NONE;
    bh_stat_store(&waiter->since_ns, now);
    uint32_t turn = (bh_load_relaxed(&waiter->word) & ~BH_OUTCOME_MASK) + BH_TURN_ONE;
    bh_store_relaxed(&waiter->word, turn | BH_WAITING);
    link_behind(limiter, index, core->tail);
    bh_stat_bump(&core->counters.queued, 1);
    return index;
}

static void set_outcome(struct bh_waiter *waiter, enum bh_outcome outcome)
{
    uint32_t turn = bh_load_relaxed(&waiter->word) & ~BH_OUTCOME_MASK;
    bh_store_release(&waiter->word, turn | (uint32_t)outcome); /* pairs: wait_for_turn, word */
}

static void dequeue(struct bh_limiter *limiter, uint32_t index, enum bh_outcome outcome)
{
    struct bh_core *core = limiter->core;
    struct bh_waiter *waiter = &limiter->waiters[index];
    bool was_head = core->head == index;
    if (bh__outcome(bh_load_relaxed(&waiter->word)) == BH_AWAKE)
        core->awake--;
    if (was_head)
        core->head = waiter->next;
    else
        limiter->waiters[waiter->previous].next = waiter->next;
    if (core->tail == index)
        core->tail = waiter->previous;
    else
        limiter->waiters[waiter->next].previous = waiter->previous;
    bh_stat_bump(&core->waiting, UINT64_MAX); /* one less */
    bh_stat_bump(&core->waiting_weight, UINT64_C(0) - waiter->weight);
    set_outcome(waiter, outcome);
    if (was_head)
        head_changed(limiter);
}

void bh__dequeue_granted_locked(struct bh_limiter *limiter, uint32_t index, uint32_t slot)
{
    limiter->waiters[index].slot = slot;
    dequeue(limiter, index, BH_WAS_GRANTED);
}

static bh_atomic_u64 *outcome_counter(struct bh_counters *counters, enum bh_outcome outcome)
{
    switch (outcome) {
    case BH_TIMED_OUT:
        return &counters->timed_out;
    case BH_CANCELLED:
        return &counters->cancelled;
    case BH_TOO_BIG:
        return &counters->refused_too_big;
    default:
        return &counters->refused_closed;
    }
}

void bh__end_wait_locked(struct bh_limiter *limiter, uint32_t index, enum bh_outcome outcome)
{
    dequeue(limiter, index, outcome);
    if (BH_FAULT(LEAVE_STAYS_COUNTED) && outcome != BH_CLOSED)
        bh_stat_bump(&limiter->core->waiting, 1);
    bh_stat_bump(outcome_counter(&limiter->core->counters, outcome), 1);
    bh__waiter_free_locked(limiter, index);
}

void bh__queue_empty(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    core->head = core->tail = BH_NONE;
    core->free_waiter = core->last_free_waiter = BH_NONE;
    core->awake = core->handing_over = 0;
    bh_stat_store(&core->waiting, 0);
    bh_stat_store(&core->waiting_weight, 0);
    bh_stat_store(&core->oldest_ns, 0);
    for (uint32_t index = 0; index < core->waiters; index++) {
        uint32_t turn = bh_load_relaxed(&limiter->waiters[index].word) & ~BH_OUTCOME_MASK;
        bh_store_relaxed(&limiter->waiters[index].word, turn | BH_IDLE);
        bh__waiter_free_locked(limiter, index);
    }
}
