/* SPDX-License-Identifier: Apache-2.0 */
/* Death of a process at any step, also with the lock held, and repair beside the living. Strict FIFO, cached permits.
 *
 * Process 0 has one thread, actor 0, which dies at some point; process 1 has the others, and whoever repairs. Here
 * what the lock's owner does is not one step: the index (pool, free list, queue, free waiters) is left as it is found
 * halfway. Repair rebuilds it from the slots, the waiters, the limit and the closed mark, while the living take cached
 * permits and cache them without the lock. ROLE says what actor 0 does: 0 acquires and releases, 1 lowers the limit
 * by one, 2 raises it by one, 3 closes. A waiter's place in the table belongs to the permit that it was granted until
 * that comes back; an IDLE waiter's fields are not read, and are as at the beginning here. The names are those of
 * src/core.
 *
 * Checked
 *   - the weights inside (of the living, and of actor 0 while it lives) never add up to more than the limit;
 *   - at every unlock by the living, and at the end, pool + slots that are not FREE == limit, the free list has the
 *     FREE slots, and the head of the queue does not fit; each place in the table is free, or its waiter's, or comes back
 *     with one permit that is not FREE;
 *   - whoever claims a grant finds it as it was granted;
 *   - each grant goes to the living waiter with the lowest ticket, and there is always a free waiter to queue with;
 *   - a take that began when somebody waited passes nobody;
 *   - nobody sleeps for ever; no request that began after repair finished a close is admitted; at the end pressure is gone
 *     again.
 */
#ifndef N
#define N 3
#endif
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef ROLE
#define ROLE 0
#endif
#if ROLE == 2
#define MAX (LIMIT + 1)
#else
#define MAX LIMIT
#endif
#ifndef SLOTS
#define SLOTS MAX
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef HEAVY
#define HEAVY 1
#endif
#define WEIGHT(i) ((i) == N - 1 -> HEAVY : 1)
#define PROCESS(i) ((i) == 0 -> 0 : 1)
#define PLACES (N + SLOTS)  /* in the waiters' table: each that may wait, and one for each permit */
#define NONE 255
#define NOBODY 255

#define SHORT 1
#define OVERAGE 2
#define CLOSED 4

mtype = { FREE, CACHED, HELD, GRANTED, IDLE, WAITING, ENDED };

/* the slots' one word: state, owner, and (cached_by) what stands for the generation */
mtype slot[SLOTS] = FREE;
byte owner[SLOTS] = NOBODY;
byte cached_by[SLOTS] = NOBODY;
byte weight_of[SLOTS] = 0;
byte granted_to[SLOTS] = NONE;  /* the waiter whose place in the table comes back with this permit */

mtype waiter[PLACES] = IDLE;
byte waiter_of[PLACES] = NOBODY; /* the actor: its process, its weight */
byte ticket[PLACES] = 0;
byte granted_slot[PLACES] = NONE;

byte limit = LIMIT;
bool closed = false;

/* the index */
short pool = LIMIT;
bool drained = false;
byte pressure = 0;
byte free_slots = (1 << SLOTS) - 1, free_waiters = (1 << PLACES) - 1;
chan queue = [N] of { byte };
byte next_ticket = 0;

byte lock = NOBODY;             /* names the owner's process */
bool asleep[PLACES] = false;    /* by waiter */
bool dead = false, repaired = false;

byte inside = 0, settled_limit = LIMIT, ended = 0;
byte allowed[N] = 0;            /* the settled limit when a fast take looked at pressure */
bool zero_inside = false, no_grants = false;

#define LOCK(me) atomic { lock == NOBODY -> lock = PROCESS(me) }
#define ADMIT(i) /* the dead may still be granted what nobody will use */ \
    atomic { \
        if \
        :: (i) == 0 && dead \
        :: else -> \
            inside = inside + WEIGHT(i); \
            assert(inside <= settled_limit && !no_grants); \
            zero_inside = zero_inside || (i) == 0 \
        fi \
    }
#define COMES_TOO_LATE (len(queue) > 0 || no_grants)
#define IS_GRANTEE(w, s) (waiter[w] == GRANTED && granted_slot[w] == s)
#define WAITER_IDLE(w) waiter[w] = IDLE; waiter_of[w] = NOBODY; ticket[w] = 0; granted_slot[w] = NONE
#define ADMIT_EARLIER(i) /* at a moment since it looked at pressure; there is one change of the limit */ \
    inside = inside + WEIGHT(i); \
    assert(inside <= allowed[i] || inside <= settled_limit); \
    allowed[i] = 0; \
    zero_inside = zero_inside || (i) == 0
#define LET_GO(i) \
    inside = inside - WEIGHT(i); zero_inside = zero_inside && (i) != 0

/* Whoever was granted this permit has claimed it, or is dead, for it came back. */
inline free_place_of_grantee(s, g)
{
    g = granted_to[s];
    granted_to[s] = NONE;
#ifndef BUG_PLACE_LOST
    if
    :: g == NONE
    :: g != NONE ->
        if
        :: IS_GRANTEE(g, s) -> atomic { WAITER_IDLE(g) }; free_waiters = free_waiters | (1 << g)
        :: else
        fi
    fi;
#endif
    g = 0
}

inline slot_free(s, g)          /* its word is FREE already */
{
    free_slots = free_slots | (1 << s);
    free_place_of_grantee(s, g);
    pool = pool + weight_of[s]
}

inline slot_take(s, seat, w, grantee, process)
{
    atomic {
        s = seat;
        if
        :: slot[s] == FREE
        :: else -> s = 0; do :: free_slots & (1 << s) -> break :: else -> s++ od
        fi;
        assert(slot[s] == FREE);
        free_slots = free_slots & ~(1 << s)
    };
    weight_of[s] = w;
    granted_to[s] = grantee;
    pool = pool - w;
    atomic { slot[s] = (grantee == NONE -> HELD : GRANTED); owner[s] = process }
}

inline call_in(k, g)
{
    k = 0;
    do
    :: k < SLOTS ->
        if
        :: atomic { slot[k] == CACHED -> slot[k] = FREE; cached_by[k] = NOBODY };
            slot_free(k, g)
        :: else
        fi;
        k++
    :: else -> break
    od;
    k = 0
}

inline press(reason, k, g)
{
    pressure = pressure | reason;
    if :: drained :: else -> call_in(k, g); drained = true fi
}

inline relax(k)
{
    atomic {
        k = pressure;
        if :: pool >= 0 -> k = k & ~OVERAGE :: else fi;
        if :: len(queue) == 0 && pool > 0 -> k = k & ~SHORT :: else fi
    };
    if :: k == 0 && pressure -> drained = false :: else fi;
    pressure = k;
    k = 0
}

/* Grants from the head while it fits. */
inline serve(h, s, k, wakes)
{
    do
    :: len(queue) > 0 ->
        queue ? <h>;
        if
        :: pool < WEIGHT(waiter_of[h]) -> break
        :: else
        fi;
        atomic {
            k = 0;
            do
            :: k < PLACES ->
                assert(waiter[k] != WAITING || k == h || ticket[k] > ticket[h] || (dead && waiter_of[k] == 0));
                k++
            :: else -> break
            od;
            k = 0
        };
        slot_take(s, SLOTS - 1, WEIGHT(waiter_of[h]), h, PROCESS(waiter_of[h]));
        granted_slot[h] = s;
        queue ? h;
        atomic {
            waiter[h] = GRANTED;
            assert(!(repaired && waiter_of[h] == 0));
            ADMIT(waiter_of[h]);
            wakes = wakes | (1 << h)
        }
    :: else -> break
    od;
    h = 0; s = 0;
    relax(k)
}

inline check_books(k, sum)
{
    sum = pool; k = 0;
    do
    :: k < SLOTS ->
        if :: slot[k] != FREE -> sum = sum + weight_of[k] :: else fi;
        assert((slot[k] == FREE) == ((free_slots & (1 << k)) != 0));
        if
        :: granted_to[k] != NONE -> assert(slot[k] != FREE && IS_GRANTEE(granted_to[k], k))
        :: else
        fi;
        k++
    :: else -> break
    od;
    k = 0;
    do
    :: k < PLACES ->
        assert((waiter[k] == IDLE) == ((free_waiters & (1 << k)) != 0));
        if :: waiter[k] == GRANTED -> assert(granted_to[granted_slot[k]] == k) :: else fi;
        k++
    :: else -> break
    od;
    assert(sum == limit && (pool >= 0 || (pressure & OVERAGE)));
    if
    :: len(queue) > 0 -> queue ? <k>; assert(pool < WEIGHT(waiter_of[k]) && (pressure & SHORT))
    :: else
    fi;
    k = 0; sum = 0
}

inline unlock(k, sum, wakes)
{
    d_step {
        check_books(k, sum);
        settled_limit = limit; no_grants = closed;
        lock = NOBODY
    };
    if
    :: wakes ->
        d_step {
            do :: k < PLACES -> if :: wakes & (1 << k) -> asleep[k] = false :: else fi; k++ :: else -> break od;
            k = 0; wakes = 0
        }
    :: else
    fi
}

/* Ends waits: all, or those that can never fit. */
inline end_waits(all, h, k, wakes)
{
    k = len(queue);
    do
    :: k > 0 ->
        k--;
        queue ? <h>;
        if
        :: all || WEIGHT(waiter_of[h]) > limit ->
            queue ? h; waiter[h] = ENDED; wakes = wakes | (1 << h)
        :: else -> atomic { queue ? h; queue ! h }
        fi
    :: else -> break
    od;
    h = 0
}

inline set_limit(new, h, s, k, sum, wakes)
{
    LOCK(0);
    if :: new < limit -> press(OVERAGE, k, h) :: else fi;
    atomic { settled_limit = (new > settled_limit -> new : settled_limit); limit = new };
    atomic { pool = pool + new - LIMIT; settled_limit = limit };
    if :: limit > 0 -> end_waits(false, h, k, wakes) :: else fi;
    serve(h, s, k, wakes);
    unlock(k, sum, wakes)
}

inline close(h, s, k, sum, wakes)
{
    LOCK(0);
    closed = true;
    press(CLOSED, k, h);
    end_waits(true, h, k, wakes);
    serve(h, s, k, wakes);
    unlock(k, sum, wakes)
}

inline acquire_and_release(me, mine, w, h, s, k, sum, wakes)
{
    /* ---- acquire, fast: pressure, then the seat ---- */
    atomic { if :: pressure -> goto slow :: else -> assert(!COMES_TOO_LATE); allowed[me] = settled_limit fi };
    atomic {
        if
        :: slot[me % SLOTS] == CACHED && weight_of[me % SLOTS] == WEIGHT(me) ->
            mine = me % SLOTS; slot[mine] = HELD; owner[mine] = PROCESS(me); cached_by[mine] = NOBODY;
            ADMIT_EARLIER(me);
            goto work
        :: else -> allowed[me] = 0
        fi
    };

slow:
    /* ---- acquire, slow ---- */
    LOCK(me);
    if
    :: closed || (limit > 0 && WEIGHT(me) > limit) -> unlock(k, sum, wakes); goto out
    :: else
    fi;
    if
    :: len(queue) == 0 && pool < WEIGHT(me) ->
        if :: drained :: else -> call_in(k, h) fi;
        if :: pool < WEIGHT(me) -> press(SHORT, k, h) :: else fi
    :: else
    fi;
    if
    :: len(queue) == 0 && pool >= WEIGHT(me) ->
        slot_take(mine, me % SLOTS, WEIGHT(me), NONE, PROCESS(me));
        ADMIT(me);
        relax(k);
        unlock(k, sum, wakes);
        goto work
    :: else ->
        atomic {
            w = 0;
            do :: w < PLACES && !(free_waiters & (1 << w)) -> w++ :: else -> break od;
            assert(w < PLACES);
            free_waiters = free_waiters & ~(1 << w)
        };
        waiter_of[w] = me;
        ticket[w] = next_ticket; next_ticket++;
        queue ! w;
        waiter[w] = WAITING;
        unlock(k, sum, wakes)
    fi;

    /* ---- wait; then claim without the lock, or leave under it ---- */
    do
    :: atomic { if :: waiter[w] != WAITING -> break :: else -> asleep[w] = true fi };
        !asleep[w]
    od;
    if
    :: waiter[w] == GRANTED ->
        mine = granted_slot[w];
        atomic {
#ifndef BUG_CLAIM_STAYS_GRANTED
            assert(slot[mine] == GRANTED && granted_to[mine] == w);
            slot[mine] = HELD;
#endif
            w = NONE
        }
    :: else ->
        assert(waiter[w] == ENDED);
        LOCK(me);
        atomic { WAITER_IDLE(w) };
        free_waiters = free_waiters | (1 << w);
        w = NONE;
        unlock(k, sum, wakes);
        goto out
    fi;

work:
    /* ---- release ---- */
    atomic { LET_GO(me) };
#ifdef BUG_FREE_WITHOUT_LOCK
    if
    :: pressure ->
        atomic { slot[mine] = FREE; owner[mine] = NOBODY };
        LOCK(me);
        slot_free(mine, h);
        serve(h, s, k, wakes);
        unlock(k, sum, wakes);
        goto out
    :: else
    fi;
#endif
    if
    :: pressure ->
        LOCK(me);
        atomic { assert(slot[mine] == HELD); slot[mine] = FREE; owner[mine] = NOBODY };
        slot_free(mine, h);
        serve(h, s, k, wakes);
        unlock(k, sum, wakes)
    :: else ->
        atomic { assert(slot[mine] == HELD); slot[mine] = CACHED; owner[mine] = NOBODY; cached_by[mine] = me };
        if
        :: pressure ->
            LOCK(me);
            if
            :: atomic { slot[mine] == CACHED && cached_by[mine] == me -> slot[mine] = FREE; cached_by[mine] = NOBODY };
                slot_free(mine, h);
                serve(h, s, k, wakes)
            :: else
            fi;
            unlock(k, sum, wakes)
        :: else
        fi
    fi;
out:
    mine = NONE
}

proctype actor(byte me)
{
    byte rounds = 0, mine = NONE, w = NONE, h = 0, s = 0, k = 0, wakes = 0;
    short sum = 0;

    do
    :: rounds < ROUNDS -> rounds++; acquire_and_release(me, mine, w, h, s, k, sum, wakes)
    :: else -> break
    od;
    ended++
}

proctype mortal()
{
    byte rounds = 0, mine = NONE, w = NONE, h = 0, s = 0, k = 0, wakes = 0;
    short sum = 0;

    {
#if ROLE == 0
        do
        :: rounds < ROUNDS -> rounds++; acquire_and_release(0, mine, w, h, s, k, sum, wakes)
        :: else -> break
        od;
#elif ROLE == 1
        set_limit(LIMIT - 1, h, s, k, sum, wakes);
#elif ROLE == 2
        set_limit(LIMIT + 1, h, s, k, sum, wakes);
#else
        close(h, s, k, sum, wakes);
#endif
        false
    } unless {
        atomic { dead -> rounds = 0; mine = 0; w = 0; h = 0; s = 0; k = 0; wakes = 0; sum = 0 }
    };
    ended++
}

/* What repair makes of one slot. */
inline rebuild_slot(k, h, known)
{
    do
    :: atomic {
            h = 0;
            if
            :: slot[k] == FREE -> h = FREE
            :: slot[k] == CACHED -> h = CACHED
            :: slot[k] == HELD -> h = (owner[k] == 0 -> NONE : HELD)
            :: slot[k] == GRANTED ->
                known = (granted_to[k] != NONE);
                if
                :: known -> known = (IS_GRANTEE(granted_to[k], k) && waiter_of[granted_to[k]] != 0)
                :: else
                fi;
#ifdef BUG_REPAIR_UNKNOWN_GRANT
                known = (owner[k] != 0);
#endif
                h = (known -> HELD : NONE)
            fi
        };
        if
        :: h == FREE -> free_slots = free_slots | (1 << k); free_place_of_grantee(k, h); break
        :: h == HELD -> pool = pool - weight_of[k]; break
        :: h == CACHED ->                           /* a living thread may take it just now */
            if
            :: atomic { slot[k] == CACHED -> slot[k] = FREE; cached_by[k] = NOBODY };
                free_slots = free_slots | (1 << k); free_place_of_grantee(k, h); break
            :: else
#ifdef BUG_REPAIR_DROPS_CACHED
                -> break
#endif
            fi
        :: h == NONE ->                             /* the dead had it, or nobody knows of it */
#ifndef BUG_REPAIR_KEEPS_DEAD
            atomic { slot[k] = FREE; owner[k] = NOBODY };
            free_slots = free_slots | (1 << k);
            free_place_of_grantee(k, h);
#else
            pool = pool - weight_of[k];
#endif
            break
        fi
    od;
    known = false
}

/* Links a waiter by its ticket. */
inline relink(k, h, n)
{
    atomic {
        n = len(queue);
        do
        :: n > 0 -> queue ? h; if :: ticket[h] < ticket[k] -> queue ! h; n-- :: else -> break fi
        :: else -> break
        od;
        if
        :: n > 0 ->         /* h comes after k, and so do the n - 1 behind it */
            queue ! k; queue ! h; n--;
            do :: n > 0 -> queue ? h; queue ! h; n-- :: else -> break od
        :: else -> queue ! k
        fi;
        h = 0
    }
}

active proctype repairer()
{
    byte h = 0, s = 0, k = 0, wakes = 0, n = 0;
    short sum = 0;
    bool known = false;

    dead;
#ifdef BUG_BREAK_THEN_LOCK
    if :: lock == 0 -> lock = NOBODY :: else fi;
    LOCK(1);
#else
    atomic { lock == 0 || lock == NOBODY -> lock = 1 };
#endif
#ifndef BUG_REPAIR_NO_PRESSURE
    pressure = SHORT | OVERAGE | (closed -> CLOSED : 0);
    drained = false;
#endif
    atomic { free_slots = 0; pool = limit };
    k = 0;
    do
    :: k < SLOTS -> rebuild_slot(k, h, known); k++
    :: else -> break
    od;
    atomic {
        do :: len(queue) > 0 -> queue ? h :: else -> break od;
        free_waiters = 0; k = 0;
        do
        :: k < PLACES ->
            if
#ifdef BUG_REPAIR_KEEPS_WAITER
            :: waiter[k] == WAITING -> relink(k, h, n)
#else
            :: waiter[k] == WAITING && waiter_of[k] != 0 -> relink(k, h, n)
#endif
            /* it comes back with its permit, whoever has that by now */
#ifdef BUG_REPAIR_FREES_PLACE
            :: waiter[k] == GRANTED && granted_to[granted_slot[k]] == k && waiter_of[k] != 0
#else
            :: waiter[k] == GRANTED && granted_to[granted_slot[k]] == k
#endif
#ifdef BUG_REPAIR_KEEPS_PLACE
            :: waiter[k] == GRANTED && granted_to[granted_slot[k]] != k && waiter_of[k] != 0
#endif
            :: waiter[k] == ENDED && waiter_of[k] != 0
            :: else -> WAITER_IDLE(k); free_waiters = free_waiters | (1 << k)
            fi;
            k++
        :: else -> break
        od;
        k = 0; drained = true; settled_limit = limit
    };
#ifndef BUG_REPAIR_UNFINISHED
    if
    :: closed -> end_waits(true, h, k, wakes)
    :: !closed && limit > 0 -> end_waits(false, h, k, wakes)
    :: else
    fi;
#endif
    repaired = true;
#ifdef BUG_REPAIR_NO_SERVE
    relax(k);
#else
    serve(h, s, k, wakes);
#endif
#ifndef BUG_REPAIR_NO_WAKE
    wakes = (1 << PLACES) - 1;
#endif
    unlock(k, sum, wakes);

    /* ---- when all have ended the books balance ---- */
    ended == N;
    d_step {
        check_books(k, sum);
        do
        :: k < SLOTS -> assert(slot[k] == FREE || slot[k] == CACHED); k++
        :: else -> break
        od;
        k = 0;
        do
        :: k < PLACES -> assert(waiter[k] == IDLE || waiter[k] == GRANTED); k++
        :: else -> break
        od;
        assert(lock == NOBODY && inside == 0 && len(queue) == 0);
        assert(closed || (!pressure && !drained))
    }
}

active proctype death()
{
    atomic { dead = true; if :: zero_inside -> LET_GO(0) :: else fi }
}

init
{
    byte k = 1;
    atomic { run mortal(); do :: k < N -> run actor(k); k++ :: else -> break od }
}
