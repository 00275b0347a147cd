/* SPDX-License-Identifier: Apache-2.0 */
/* The waiters' table: those who wait in the order of their tickets, those whose wait ended, and free slots. */
#include "core/queue.h"

#include "core/ledger.h"
#include "port/processor.h"

bool bh__queue_has_room_locked(const struct bh_core *core, uint32_t weight)
{
    uint64_t waiting_weight = bh_stat_load(&core->waiting_weight);
    return bh_stat_load(&core->waiting) < core->queue &&
           (core->queue_weight == 0 || waiting_weight + weight <= core->queue_weight);
}

/* What is before the head is not kept, so that taking a head off leaves the next one's line alone. */
static void list_insert(struct bh_limiter *limiter, struct bh_waiter_list *list, uint32_t index, uint32_t before)
{
    struct bh_waiter *waiter = &limiter->waiters[index];
    waiter->previous = before;
    waiter->next = before == BH_NONE ? bh_stat_load(&list->head) : limiter->waiters[before].next;
    if (before == BH_NONE)
        bh_stat_store(&list->head, index);
    else
        limiter->waiters[before].next = index;
    if (waiter->next == BH_NONE)
        list->tail = index;
    else
        limiter->waiters[waiter->next].previous = index;
}

static void list_remove(struct bh_limiter *limiter, struct bh_waiter_list *list, uint32_t index)
{
    struct bh_waiter *waiter = &limiter->waiters[index];
    bool is_head = bh_stat_load(&list->head) == index;
    if (is_head)
        bh_stat_store(&list->head, waiter->next);
    else
        limiter->waiters[waiter->previous].next = waiter->next;
    if (waiter->next == BH_NONE)
        list->tail = is_head ? BH_NONE : waiter->previous;
    else if (!is_head)
        limiter->waiters[waiter->next].previous = waiter->previous;
}

static void set_outcome(struct bh_waiter *waiter, enum bh_outcome outcome)
{
    uint32_t turn = bh_load_relaxed(&waiter->word) & ~BH_OUTCOME_MASK;
    bh_store_release(&waiter->word, turn | (uint32_t)outcome); /* pairs: wait_for_outcome, word */
}

void bh__waiter_free_locked(struct bh_limiter *limiter, uint32_t index)
{
    set_outcome(&limiter->waiters[index], BH_IDLE);
    limiter->waiters[index].next = limiter->core->free_waiter;
    limiter->core->free_waiter = index;
}

void bh__waiter_ended_locked(struct bh_limiter *limiter, uint32_t index)
{
    list_insert(limiter, &limiter->core->ended, index, limiter->core->ended.tail);
}

void bh__waiter_left_locked(struct bh_limiter *limiter, uint32_t index, uint32_t turn)
{
    uint32_t word = bh_load_relaxed(&limiter->waiters[index].word);
    if ((word & ~BH_OUTCOME_MASK) != turn)
        return;
    list_remove(limiter, &limiter->core->ended, index);
    bh__waiter_free_locked(limiter, index);
}

/* There is one: see waiter_count() in limiter.c. */
static uint32_t take_free_waiter(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    uint32_t index = core->free_waiter;
    if (index != BH_NONE) {
        core->free_waiter = limiter->waiters[index].next;
    } else if (core->waiters_used < core->waiters) {
        index = core->waiters_used++;
    } else {
        index = bh_stat_load(&core->ended.head);
        list_remove(limiter, &core->ended, index);
    }
    return index;
}

/* What the first in line changed means for those who look from outside. */
static void head_changed(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    uint32_t head = bh__head_locked(core);
    bool empty = head == BH_NONE;
    if (empty)
        core->handing_over = 0;
    if (core->order == BH_ORDER_FIFO)
        bh_stat_store(&core->near.head_processor, empty ? BH_NO_PROCESSOR : limiter->waiters[head].processor);
    if (!empty && (core->order == BH_ORDER_FIFO || core->handing_over))
        bh__pool_mark_locked(core, BH_POOL_SPOKEN_FOR, 0);
    else
        bh__pool_mark_locked(core, 0, BH_POOL_SPOKEN_FOR);
}

static void join_line(struct bh_limiter *limiter, uint32_t index, uint32_t before)
{
    struct bh_core *core = limiter->core;
    list_insert(limiter, &core->line, index, before);
    bh_stat_bump(&core->waiting, 1);
    bh_stat_bump(&core->waiting_weight, limiter->waiters[index].weight);
    if (before == BH_NONE)
        head_changed(limiter);
}

void bh__relink_waiter_locked(struct bh_limiter *limiter, uint32_t index)
{
    uint32_t before = limiter->core->line.tail;
    while (before != BH_NONE && limiter->waiters[before].ticket > limiter->waiters[index].ticket)
        before = limiter->waiters[before].previous;
    join_line(limiter, index, before);
}

uint32_t bh__enqueue_locked(struct bh_limiter *limiter, uint32_t weight, bh_ns now, bh_ns deadline)
{
    struct bh_core *core = limiter->core;
    uint32_t index = take_free_waiter(limiter);
    struct bh_waiter *waiter = &limiter->waiters[index];
    uint32_t turn = (bh_load_relaxed(&waiter->word) & ~BH_OUTCOME_MASK) + BH_TURN_ONE;
    bh_store_relaxed(&waiter->word, turn | BH_IDLE); /* until it is whole: this process may die in between */
    waiter->weight = weight;
    waiter->slot = BH_NONE;
    waiter->process = limiter->process;
    waiter->ticket = bh_stat_load(&core->next_ticket);
    waiter->deadline_ns = deadline;
    waiter->processor = bh__processor_now();
    bh_stat_store(&waiter->since_ns, now);
    join_line(limiter, index, core->line.tail);
    bh_stat_bump(&core->next_ticket, 1);
    set_outcome(waiter, BH_WAITING);
    return index;
}

static void dequeue(struct bh_limiter *limiter, uint32_t index, enum bh_outcome outcome)
{
    struct bh_core *core = limiter->core;
    struct bh_waiter *waiter = &limiter->waiters[index];
    bool was_head = bh__head_locked(core) == index;
    if (bh__outcome(bh_load_relaxed(&waiter->word)) == BH_AWAKE)
        core->awake--;
    list_remove(limiter, &core->line, index);
    bh_stat_bump(&core->waiting, UINT32_MAX); /* one less */
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

void bh__end_wait_locked(struct bh_limiter *limiter, uint32_t index, enum bh_outcome outcome)
{
    dequeue(limiter, index, outcome);
    if (BH_FAULT(LEAVE_STAYS_COUNTED) && outcome != BH_CLOSED)
        bh_stat_bump(&limiter->core->waiting, 1);
    bh__waiter_ended_locked(limiter, index);
    if (!limiter->core->shared)
        limiter->inside++; /* until its thread has left */
}

void bh__queue_unlink_all(struct bh_core *core)
{
    bh_stat_store(&core->line.head, BH_NONE);
    bh_stat_store(&core->ended.head, BH_NONE);
    core->line.tail = core->ended.tail = BH_NONE;
    core->free_waiter = BH_NONE;
    core->awake = core->handing_over = 0;
    bh_stat_store(&core->waiting, 0);
    bh_stat_store(&core->waiting_weight, 0);
    bh_stat_store(&core->near.head_processor, BH_NO_PROCESSOR);
    bh__pool_mark_locked(core, 0, BH_POOL_SPOKEN_FOR);
}

void bh__queue_reset(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    bh__queue_unlink_all(core);
    for (uint32_t index = 0; index < core->waiters_used; index++)
        set_outcome(&limiter->waiters[index], BH_IDLE);
    core->waiters_used = 0;
}
