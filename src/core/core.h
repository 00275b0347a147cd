/* SPDX-License-Identifier: Apache-2.0 */
/* The limiter's state, for the files of src/core and src/observe alone.
 *
 * A limiter is three pieces of memory that refer to one another by index, never by pointer, so that they may lie in
 * private memory or be mapped by several processes: the core, the ledger (its slots) and the table of waiters. A process
 * reaches them through its handle, struct bh_limiter. docs/design/cached-permits.md and docs/design/waiting.md have the
 * protocols; who may change what stands here, beside each field:
 *
 *   lock     only with core->lock held; read under it too
 *   lock, r  changed only with the lock held; read by anybody
 *   fixed    set when the limiter is made
 */
#ifndef BH_CORE_CORE_H
#define BH_CORE_CORE_H

#include <bulkhead/bulkhead.h>

#include "port/atomic.h"
#include "port/fault.h"
#include "port/lock.h"
#include "port/memory.h"

#define BH_NONE UINT32_MAX /* no index */

/* ---- the ledger ----------------------------------------------------------------------------------------------------
 *
 * A slot's word: state (4 bits), the owner's process index (12), generation (48).
 *
 *   FREE     in the free list; the units are in the pool
 *   CACHED   given back, but kept here for the next taker; the units are not in the pool; process 0
 *   HELD     out
 *   LATE     out, and whoever asked for the work has left
 *   GRANTED  out, for a waiter that has not claimed it yet
 *
 * With the lock held:     FREE -> HELD, FREE -> GRANTED, CACHED -> FREE, HELD -> FREE, LATE -> FREE, HELD -> LATE
 * Without it, by compare-and-swap: CACHED -> HELD, HELD -> CACHED; by the waiter's own store: GRANTED -> HELD.
 *
 * The generation grows each time a permit comes back from an owner, so a permit, which is the word that it was given, can be
 * released once. Weight changes only while the slot is FREE: a compare-and-swap that finds the word unchanged has read the
 * right one. */
enum bh_slot_state { BH_FREE, BH_CACHED, BH_HELD, BH_LATE, BH_GRANTED };

#define BH_STATE_MASK UINT64_C(0xf)
#define BH_PROCESS_SHIFT 4
#define BH_PROCESS_MASK UINT64_C(0xfff0)
#define BH_GENERATION_ONE UINT64_C(0x10000)

struct bh_slot {
    _Alignas(BH_CACHE_LINE) bh_atomic_u64 word;
    bh_atomic_u32 weight;
    bh_atomic_u32 label_of;  /* whose the label is: the low half of the generation, + 1; 0: nobody's */
    uint32_t next, previous; /* lock: in the free list */
    uint32_t granted_to;     /* lock: the waiter whose place in the table comes back with this permit, or BH_NONE */
    bh_atomic_u64 label[4];  /* written by the owner; 0-padded */
};

static inline enum bh_slot_state bh__state(uint64_t word)
{
    return (enum bh_slot_state)(word & BH_STATE_MASK);
}

static inline uint32_t bh__owner(uint64_t word)
{
    return (uint32_t)((word & BH_PROCESS_MASK) >> BH_PROCESS_SHIFT);
}

/* The same generation in another state. */
static inline uint64_t bh__word_as(uint64_t word, enum bh_slot_state state, uint32_t process)
{
    return (word & ~(BH_STATE_MASK | BH_PROCESS_MASK)) | ((uint64_t)process << BH_PROCESS_SHIFT) | (uint64_t)state;
}

/* What a slot's word becomes when its units go to the pool. */
static inline uint64_t bh__word_freed(uint64_t word)
{
    bool was_out = bh__state(word) != BH_CACHED;
    return bh__word_as(was_out ? word + BH_GENERATION_ONE : word, BH_FREE, 0);
}

/* What a slot's label is marked with while `word` stands for the permit. */
static inline uint32_t bh__label_mark(uint64_t word)
{
    return (uint32_t)(word / BH_GENERATION_ONE) + 1;
}

/* ---- waiters -------------------------------------------------------------------------------------------------------
 *
 * A waiter's word: outcome (4 bits), turn (28 bits: how often the slot was used). It leaves WAITING or AWAKE once, with
 * the lock held, and whoever changes it unlinks the waiter and counts it out in the same critical section. A waiter parks
 * on its word. Its place in the table comes back with the permit that it was granted, so that claiming needs no lock. That
 * of any other is listed as ended until its thread has left, but should the table run out it serves the next one before:
 * the thread then sees a later turn, and concludes from what must have ended it (outcome_of_past_turn). */
enum bh_outcome {
    BH_IDLE,
    BH_WAITING,
    BH_AWAKE, /* barging: woken to look for itself; still in the queue */
    BH_WAS_GRANTED,
    BH_TIMED_OUT,
    BH_CANCELLED,
    BH_CLOSED,
    BH_TOO_BIG
};

#define BH_OUTCOME_MASK 0xfu
#define BH_TURN_ONE 0x10u

struct bh_waiter {
    _Alignas(BH_CACHE_LINE) bh_atomic_u32 word; /* lock, r */
    uint32_t weight;                            /* lock */
    uint32_t next, previous;                    /* lock: in the line, the ended or the free list */
    uint32_t slot;                              /* lock: the ledger slot it was granted; the waiter reads it then */
    uint32_t process;                           /* lock */
    uint64_t ticket;                            /* lock: its place in the order */
    bh_atomic_u64 since_ns;                     /* lock, r */
    uint64_t deadline_ns;                       /* lock */
    uint32_t processor;                         /* lock: that its thread ran on when it queued */
};

/* ---- counters ------------------------------------------------------------------------------------------------------ */

/* Grants and releases need no counters: a slot's generation is how often it came back, released or recovered, and it was
 * granted as often and once more if it is out. What else a thread counts without the lock it counts for itself: one thread
 * writes a cell, anybody reads. Cells outlive their threads and are used again. */
struct bh_cell {
    _Alignas(BH_CACHE_LINE) bh_atomic_u64 extra_weight; /* granted on the fast way, above 1 for each permit */
    bh_atomic_u64 refused_busy;
    bh_atomic_u32 process; /* lock, r: the owner's process index + 1; 0: nobody's */
};

#define BH_CELLS 64u

/* What is counted with the lock held, or rarely. */
struct bh_counters {
    _Alignas(BH_CACHE_LINE) bh_atomic_u64 wait_count, wait_sum_ns, wait_recent_ns;
    bh_atomic_u64 extra_weight;
    bh_atomic_u64 refused_busy, refused_full, refused_too_big, refused_closed;
    bh_atomic_u64 timed_out, cancelled, invalid, late, violations, limit_changes, recovered;
    bh_atomic_u64 wait_buckets[BH_WAIT_BUCKETS];
};

/* ---- the core ------------------------------------------------------------------------------------------------------ */

/* Reasons why nothing may be cached. While any is set, whoever releases goes through the lock, and so to the queue. */
#define BH_PRESSURE_SHORT 1u   /* somebody found too little, since when nothing has been plenty */
#define BH_PRESSURE_OVERAGE 2u /* more is out than the limit */
#define BH_PRESSURE_CLOSED 4u  /* draining or closed */

/* The pool's one word: its units (signed, the low half), and what must be read together with them. */
#define BH_POOL_DRAINED (UINT64_C(1) << 32)    /* pressure is set and nothing is cached: the units are all there is */
#define BH_POOL_SPOKEN_FOR (UINT64_C(1) << 33) /* what there is belongs to those who wait */
#define BH_POOL_CLOSED (UINT64_C(1) << 34)

static inline int32_t bh__pool_units(uint64_t pool)
{
    return (int32_t)(uint32_t)pool;
}

/* Whoever releases looks at this before it takes the lock: see near.c. Approximate: written without regard to others. */
struct bh_near {
    _Alignas(BH_CACHE_LINE)
        bh_atomic_u32 head_processor; /* lock, r: BH_NO_PROCESSOR when nobody waits, or not in FIFO order */
    bh_atomic_u32 chance;             /* of success, as it was lately; BH_NEAR_CERTAIN: always */
    bh_atomic_u32 far_heads;          /* how many releases found the head far away */
};

#define BH_NEAR_CERTAIN 256u

struct bh_waiter_list {
    bh_atomic_u32 head;
    uint32_t tail;
};

enum bh_closed { BH_OPEN, BH_DRAINING, BH_SHUT };

struct bh_core {
    /* fixed */
    uint32_t max_permits;
    uint32_t queue;
    uint32_t waiters; /* in the table: each that may wait, and one for each permit, which may have been granted */
    uint32_t order;
    uint64_t queue_weight;
    bh_ns wait_ns;
    bh_ns patience_ns;
    uint32_t shared; /* lies in memory that several processes map */
    char name[BH_NAME_MAX + 1u];
    char unit[BH_UNIT_MAX + 1u];

    _Alignas(BH_CACHE_LINE) bh_atomic_u32 pressure; /* lock, r; the fast paths read this line, and it changes seldom */
    bh_atomic_u32 slots_used;                       /* lock, r: no slot from here on was ever used */

    /* One line for all that decides about a request in the common case: each line that two processors write in turn costs
     * as much as a hundred instructions. */
    _Alignas(BH_CACHE_LINE) struct bh_lock lock;
    bh_atomic_u32 limit;          /* lock, r */
    bh_atomic_u64 pool;           /* lock, r */
    bh_atomic_u64 waiting_weight; /* lock, r */
    bh_atomic_u64 next_ticket;    /* lock, r */
    bh_atomic_u32 waiting;        /* lock, r */
    struct bh_waiter_list line;   /* lock, and its head r: those who wait, in their order */
    uint32_t free_slot;           /* lock: head of the free list, last freed first */
    uint32_t free_waiter;         /* lock: head of the free list */
    uint32_t short_of;            /* lock: the largest weight that was not there since SHORT was set */
    uint32_t awake;               /* lock: waiters in state AWAKE */
    uint32_t handing_over;        /* lock: barging, the head is out of patience and comes first */

    struct bh_near near;
    struct bh_counters counters; /* begins with what each wait counts */

    bh_atomic_u32 closed;        /* lock, r: enum bh_closed */
    uint32_t waiters_used;       /* lock: no waiter's slot from here on was ever used */
    struct bh_waiter_list ended; /* lock: their waits ended without a grant, and their threads have not left yet */
    uint32_t draining;           /* lock: calls of bh_limiter_drain() under way */
    bh_atomic_u32 all_back;      /* lock, r: who drains parks here; changed when nothing is out or waiting any more */

    struct bh_cell cells[BH_CELLS];
    struct bh_cell shared_cell; /* for threads that got none of their own; counted with locked instructions */
};

/* ---- the handle ----------------------------------------------------------------------------------------------------
 *
 * One process's way to a limiter. Handles are never given back to the system, only used again: a permit that was kept too
 * long, or a release that is still looking at pressure while another thread frees the limiter, finds a handle whose serial
 * is not the one it knows. What it may touch until then is the serials, pressure and the lock, and these never move. */
struct bh_limiter {
    bh_atomic_u64 serial; /* core lock, r: unique in this process; 0 while unused */
    uint32_t index;       /* fixed for ever */
    uint32_t process;     /* this process's index among those that share the core; 0, for ever, in private memory */
    struct bh_core *core; /* fixed for ever in private memory: &own */
    struct bh_slot *slots;
    struct bh_waiter *waiters;
    uint32_t max_permits;        /* a copy */
    bh_atomic_u32 parent_serial; /* after a fork: what the parent called it */
    struct bh_limiter *next;     /* all handles of the process */
    struct bh_limiter *next_unused;
    _Alignas(
        BH_CACHE_LINE) uint32_t inside; /* core lock: calls that still need it, and that neither queue nor pool show */
    bh_atomic_u64 shown_granted;        /* the highest that this process's OpenMetrics text showed */
    bh_atomic_u64 shown_released;
    bh_atomic_u64 shown_granted_weight;
    struct bh_core own; /* the core of a private limiter */
};

/* What a thread keeps of a limiter. */
#define BH_SEATS 8u

struct bh_entry {
    _Alignas(BH_CACHE_LINE) uint64_t serial;
    struct bh_limiter *limiter;
    struct bh_cell *cell;
    uint32_t own_cell;
    uint32_t seat[BH_SEATS]; /* the slots it used last, by weight */
};

static inline uint32_t *bh__seat(struct bh_entry *entry, uint32_t weight)
{
    return &entry->seat[(weight - 1) % BH_SEATS];
}

/* Whom to wake once the lock is given up. */
#ifdef BH_SIM
#define BH_WAKE_BATCH 2u /* so that few actors see what happens between two batches */
#else
#define BH_WAKE_BATCH 16u
#endif

struct bh_wakes {
    uint32_t count;
    uint32_t all_back; /* also those who drain */
    bh_atomic_u32 *words[BH_WAKE_BATCH];
};

static inline void bh__core_lock(struct bh_limiter *limiter)
{
    bh__lock(&limiter->core->lock, limiter->process, limiter->core->shared);
}

static inline void bh__core_unlock(struct bh_limiter *limiter)
{
    bh__unlock(&limiter->core->lock, limiter->core->shared);
}

#endif
