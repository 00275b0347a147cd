/* SPDX-License-Identifier: Apache-2.0 */
/* The lock over a futex (src/port/lock.h): its word names the owner's process and has a contended bit.
 *
 * Threads 1 to N take it and give it up ROUNDS times. With -DDEATH thread 0, alone in its process, does so too and dies
 * at some point; whoever repairs then takes the lock over if the dead had it, else takes it as anybody does, and wakes
 * all who sleep on it, for the dead may have taken the contended bit out and not woken any more.
 *
 * Checked
 *   - one owner at a time, and after a death inside nobody enters before the repairer;
 *   - nobody sleeps for ever.
 */
#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define CONTENDED 16
#define OWNER(word) ((word) & 15)
#define NAME(me) ((me) == 0 -> 1 : 2)   /* process index + 1; 0 is nobody */

byte word = 0;
bool asleep[N + 2] = false;
byte sleepers = 0;
bool dead = false, half_done = false;
byte inside = 0, ended = 0;

#define CAS(old, new, ok) atomic { if :: word == (old) -> word = (new); ok = true :: else -> ok = false fi }

/* Sleeps if the word is as expected, in one step; may wake for no reason. */
inline futex_wait(me, expected)
{
    atomic {
        if
#ifdef BUG_PARK_NO_CHECK
        :: true -> asleep[me] = true; sleepers++
#else
        :: word == (expected) -> asleep[me] = true; sleepers++
        :: else
#endif
        fi
    };
    !asleep[me]
}

/* Wakes anyone. */
inline futex_wake_one(i)
{
    atomic {
        if
        :: sleepers > 0 ->
            select(i : 0 .. N + 1);
            do :: asleep[i] -> break :: else -> i = (i + 1) % (N + 2) od;
            asleep[i] = false; sleepers--
        :: else
        fi;
        i = 0
    }
}

inline take(me, seen, ok)
{
    CAS(0, NAME(me), ok);
    do
    :: ok -> break
    :: else ->
        seen = word;
        if
        :: seen == 0 ->
#ifdef BUG_WOKEN_FORGETS
            CAS(0, NAME(me), ok)
#else
            CAS(0, NAME(me) | CONTENDED, ok)
#endif
        :: seen & CONTENDED -> futex_wait(me, seen)
        :: else ->
            CAS(seen, seen | CONTENDED, ok);
            if :: ok -> ok = false; futex_wait(me, seen | CONTENDED) :: else fi
        fi
    od;
    seen = 0; ok = false
}

inline give_up(seen, i)
{
#ifdef BUG_UNLOCK_TORN
    seen = word; word = 0;
#else
    atomic { seen = word; word = 0 };
#endif
    if
#ifdef BUG_UNLOCK_NO_WAKE
    :: seen & CONTENDED
#else
    :: seen & CONTENDED -> seen = 0; futex_wake_one(i)
#endif
    :: else
    fi;
    seen = 0
}

inline critical_section()
{
    atomic { inside++; assert(inside == 1 && !half_done) };
    inside--
}

proctype thread(byte me)
{
    byte rounds = 0, seen = 0, i = 0;
    bool ok = false;
    do
    :: rounds < ROUNDS -> rounds++; take(me, seen, ok); critical_section(); give_up(seen, i)
    :: else -> break
    od;
    ended++
}

#ifdef DEATH
proctype mortal()
{
    byte rounds = 0, seen = 0, i = 0;
    bool ok = false;
    {
        do
        :: rounds < ROUNDS -> rounds++; take(0, seen, ok); critical_section(); give_up(seen, i)
        :: else -> break
        od;
        false
    } unless { atomic { dead -> rounds = 0; seen = 0; i = 0; ok = false } }
}

active proctype death()
{
    atomic {
        dead = true; half_done = (OWNER(word) == NAME(0));
        if :: OWNER(word) == NAME(0) && inside > 0 -> inside = 0 :: else fi;
        if :: asleep[0] -> asleep[0] = false; sleepers-- :: else fi
    }
}

active proctype repairer()
{
    byte seen = 0, i = 0;
    bool ok = false;
    dead;
    seen = word;
    do
    :: OWNER(seen) == NAME(0) ->
#if defined(BUG_BREAK)
        CAS(seen, 0, ok);
        if :: ok -> ok = false; take(N + 1, seen, ok); break :: else -> seen = word fi
#else
        CAS(seen, NAME(N + 1) | (seen & CONTENDED), ok);
        if :: ok -> break :: else -> seen = word fi
#endif
    :: else -> take(N + 1, seen, ok); break
    od;
    half_done = false;
    critical_section();
    give_up(seen, i);
#ifndef BUG_REPAIR_NO_WAKE
    atomic { do :: sleepers > 0 -> futex_wake_one(i) :: else -> break od };
#endif
    ended == N;
    assert(OWNER(word) == 0)
}
#endif

init
{
    byte k = 1;
    atomic {
#ifdef DEATH
        run mortal();
#endif
        do :: k <= N -> run thread(k); k++ :: else -> break od
    }
}
