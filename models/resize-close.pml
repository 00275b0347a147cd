/* SPDX-License-Identifier: Apache-2.0 */
/* An operator beside the actors of limiter.pml: sets the limit CHANGES times to anything from 0 to MAX, and at last
 * either sets it to MAX or closes or, while not paused, drains or leaves it.
 *
 * Checked, beside what cached-permit.pml checks
 *   - whoever is admitted fits under the limit of that moment, or with a fast take of some moment since it looked at
 *     pressure; above it there is only what was out before, and OVERAGE is set exactly while the pool is negative;
 *   - after close returned nobody who begins then is admitted, and no waiter is left;
 *   - a drain ends, and only when all is back;
 *   - waiters that a lower limit makes too big are ended.
 */
#include "limiter.pml"

#ifndef CHANGES
#define CHANGES 1
#endif

/* Ends waits, as many as can be woken: all, or those that can never fit. */
inline end_waits(all, k, h)
{
    d_step {
        k = len(queue);
        do
        :: k > 0 ->
            k--; queue ? h;
            if
#ifdef BUG_CLOSE_KEEPS_WAITER
            :: (all && k > 0 || !all && WEIGHT(h) > limit) && noted < BATCH ->
#else
            :: (all || WEIGHT(h) > limit) && noted < BATCH ->
#endif
                if :: waiter[h] == AWAKE -> awake = false :: else fi;
                END_WAIT(h); NOTE_WAKE(h)
            :: else -> queue ! h
            fi
        :: else -> break
        od;
        QUEUE_CHANGED; k = 0; h = 0
    }
}

/* The pressure comes first: what is cached may be needed to make up for the lower limit. */
inline set_limit(new, k, h, sum, wakes)
{
    LOCK;
#ifndef BUG_LOWER_NO_PRESSURE
    if :: new < limit -> press(OVERAGE, k, sum) :: else fi;
#endif
    d_step {
        pool = pool + new - limit; limit = new; settled_limit = new;
        k = 0;
        do
        :: k < N -> if :: allowed[k] < new -> allowed[k] = new :: else fi; k++
        :: else -> break
        od;
        k = 0
    };
    do
    :: true ->
#ifndef BUG_KEEPS_TOO_BIG
        if :: limit > 0 -> end_waits(false, k, h) :: else fi;
#endif
        more = (noted == BATCH);
#ifndef BUG_RAISE_NO_SERVE
        serve(k, h, sum);
#endif
        unlock(k, h, sum, wakes);
        if :: more -> LOCK :: else -> break fi
    od
}

inline close(k, h, sum, wakes)
{
    do
    :: LOCK;
        closed = true;
#ifdef BUG_CLOSE_KEEPS_CACHED
        pressure = pressure | CLOSED;
#else
        press(CLOSED, k, sum);
#endif
        end_waits(true, k, h);
        more = (noted == BATCH);
        serve(k, h, sum);
        unlock(k, h, sum, wakes);
        if :: more :: else -> break fi
    od
}

inline drain(k, h, sum, wakes)
{
    LOCK;
    closed = true; draining = true;
#ifdef BUG_DRAIN_KEEPS_CACHED
    pressure = pressure | CLOSED;
#else
    press(CLOSED, k, sum);
#endif
    do
#ifdef BUG_DRAIN_FORGETS_THREADS
    :: len(queue) == 0 && pool == limit -> break
#else
    :: IS_ALL_BACK -> break
#endif
    :: else ->
        asleep[DRAINER] = true;
        unlock(k, h, sum, wakes);
        !asleep[DRAINER];
        LOCK
    od;
    atomic {
        draining = false;
        k = 0;
        do :: k < N -> assert(waiter[k] == IDLE); k++ :: else -> break od;
        k = 0
    };
    unlock(k, h, sum, wakes);
    assert(inside == 0)
}

active proctype operator()
{
    byte changes = 0, new, k = 0, h = 0, wakes = 0;
    short sum = 0;
    bool more = false;

    do
    :: changes < CHANGES ->
        changes++;
        atomic { select(new : 0 .. MAX) };
        set_limit(new, k, h, sum, wakes)
    :: else -> break
    od;
    if
    :: new = MAX; set_limit(new, k, h, sum, wakes)
    :: close(k, h, sum, wakes)
    :: limit > 0 -> drain(k, h, sum, wakes)
    :: limit > 0
    fi;
    ended == N;
    check_the_end(k, sum)
}
