/* SPDX-License-Identifier: Apache-2.0 */
/* The limiter, for the models that include this file: cached permits, weights, seats shared by threads, the pressure
 * word, the queue, deadlines; strict FIFO or, with -DBARGING, barging with bounded patience. cached-permit.pml looks at
 * it under a fixed limit, resize-close.pml with an operator who changes the limit, closes or drains. The names are
 * those of src/core.
 *
 * Memory is sequentially consistent, as the accesses in the code are. One step is one access that somebody without
 * the lock could see; what only the lock's owner sees is one step together. The futex is a flag per actor: to sleep
 * compares and sleeps in one step. Each actor has one waiter (repair.pml has the places of the table). The generation
 * of a slot's word is modelled by its use: `cached_by` tells one release's cached permit from another's, and weight and
 * state of a slot are read in one step (slot-word.pml has the generation itself). A deadline may strike at any time, but
 * only for the LEAVER: the others wait for ever, so that one who is forgotten is stuck, which Spin reports as an invalid
 * end state. Patience may run out at any look.
 *
 * Sizes: N actors, ROUNDS each, LIMIT units at first and never more than MAX, weight HEAVY for the last actor and 1
 * for the others; actor i sits on slot i % SLOTS, so seats are shared when N > SLOTS, and looks at NEAR slots
 * from there for a cached permit; BATCH wakes for one time with the lock.
 */
#ifndef N
#define N 3
#endif
#ifndef LIMIT
#define LIMIT 2
#endif
#ifndef MAX
#define MAX LIMIT
#endif
#ifndef SLOTS
#define SLOTS MAX
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef HEAVY
#define HEAVY 1
#endif
#ifndef LEAVER
#define LEAVER 0
#endif
#ifndef NEAR
#define NEAR 1
#endif
#ifndef BATCH
#define BATCH (N + 1)     /* never full */
#endif
#define WEIGHT(i) ((i) == N - 1 -> HEAVY : 1)
#define PLENTY 1
#define NONE 255
#define DRAINER N

/* pressure */
#define SHORT 1
#define OVERAGE 2
#define CLOSED 4

mtype = { FREE, CACHED, HELD, GRANTED, IDLE, WAITING, AWAKE, ENDED };

mtype slot[SLOTS] = FREE;
byte weight_of[SLOTS] = 0;      /* changes only while FREE, under the lock */
byte cached_by[SLOTS] = NONE;   /* stands for the generation: whose release cached it */

byte pressure = 0;              /* stored under the lock */
short pool = LIMIT;             /* pool, drained and queued are one word, stored under the lock */
bool drained = false;
bool queued = false;

bool lock = false;
byte limit = LIMIT;
bool closed = false;
bool draining = false;
chan queue = [N] of { byte };
mtype waiter[N] = IDLE;
byte granted_slot[N] = NONE;
bool awake = false;             /* barging: the head was woken to look for itself */
bool handing_over = false;      /* barging: the head is out of patience and comes first */
byte leaving = 0;               /* refused after a wait, and not yet on their way without the limiter */
byte to_wake = 0, noted = 0;    /* set of actors, the lock owner's; how many */
bool asleep[N + 1] = false;

/* What is only here to be checked. */
byte inside = 0;                /* weights admitted (a grant is an admission) and not yet releasing */
byte settled_limit = LIMIT;     /* the limit; while it is being lowered, the old one */
byte allowed[N] = NONE;         /* for a fast take under way: the highest settled limit since it looked at pressure */
bool no_entry = false;          /* close or drain got past its critical section */
bool no_grants = false;         /* close did */
bool comes_first = false;       /* the head went out of patience, and whoever noticed gave the lock up */
byte in_hand = 0;               /* weights taken and not yet given back by a release that returned */
bool inexcusable = false;       /* the try under way has seen no moment at which a refusal was right */
byte owed = 0;                  /* threads that will serve again, for their batch of wakes was full */
byte ended = 0;

#ifdef TRY
#define IN_HAND(w) \
    in_hand = in_hand + w; \
    if :: LIMIT - in_hand < TRY -> inexcusable = false :: else fi
#define OUT_OF_HAND(w) in_hand = in_hand - w
#define SOMEONE_WAITS inexcusable = false
#else
#define IN_HAND(w) skip
#define OUT_OF_HAND(w) skip
#define SOMEONE_WAITS skip
#endif

#define ADMIT(w) inside = inside + (w); assert(inside <= settled_limit)
#ifdef BARGING
#define COMES_TOO_LATE (comes_first && handing_over || no_entry)
#else
#define COMES_TOO_LATE (len(queue) > 0 || no_entry)
#endif
#define LOCK atomic { !lock -> lock = true }
#define IS_ALL_BACK (leaving == 0 && len(queue) == 0 && pool == limit)
#ifdef BARGING
#define SPOKEN_FOR (len(queue) > 0 && handing_over)
#ifdef BUG_BARGE_NO_PATIENCE
#define MUST_QUEUE false
#else
#define MUST_QUEUE handing_over
#endif
#ifdef BUG_BARGE_RELAX_ASLEEP
#define NOBODY_NEEDS_A_RELEASE true
#else
#define NOBODY_NEEDS_A_RELEASE (len(queue) == 0 || (awake && !handing_over))
#endif
#else
#define SPOKEN_FOR (len(queue) > 0)
#define MUST_QUEUE (len(queue) > 0)
#define NOBODY_NEEDS_A_RELEASE (len(queue) == 0)
#endif
#define NOTE_WAKE(i) to_wake = to_wake | (1 << (i)); noted++
#define END_WAIT(i) waiter[i] = ENDED; leaving++

inline tell_if_all_back()
{
#ifndef BUG_DRAIN_NO_WAKE
    if :: draining && IS_ALL_BACK -> to_wake = to_wake | (1 << DRAINER) :: else fi
#else
    skip
#endif
}

/* Calls in all cached permits; what was found goes into the pool by one store. */
inline call_in(k, sum)
{
    k = 0; sum = 0;
    do
    :: k < SLOTS ->
#ifdef BUG_PLAIN_STEAL
        if
        :: slot[k] == CACHED -> slot[k] = FREE; cached_by[k] = NONE; sum = sum + weight_of[k]
        :: else
        fi;
        k++
#else
        atomic {
            if
            :: slot[k] == CACHED -> slot[k] = FREE; cached_by[k] = NONE; sum = sum + weight_of[k]
            :: else
            fi;
#ifdef BUG_HALF_SCAN
            if :: sum > 0 -> k = SLOTS :: else -> k++ fi
#else
            k++
#endif
        }
#endif
    :: else -> break
    od;
    atomic { pool = pool + sum; sum = 0; k = 0 }
}

/* Sets a pressure, then calls in all there is, and only then marks the pool drained. */
inline press(reason, k, sum)
{
#ifdef BUG_DRAINED_EARLY
    drained = true;
    pressure = pressure | reason;
    call_in(k, sum)
#else
    pressure = pressure | reason;
    if
    :: drained
    :: else ->
#ifndef BUG_NO_RESCAN
        call_in(k, sum);
#endif
        drained = true
    fi
#endif
}

/* Takes back the pressures whose reason is gone. */
inline relax(k)
{
    atomic {
        k = pressure;
        if :: pool >= 0 -> k = k & ~OVERAGE :: else fi;
        if :: NOBODY_NEEDS_A_RELEASE && pool >= PLENTY -> k = k & ~SHORT :: else fi
#ifdef BUG_CLEAR_ALL
        ; if :: pool >= PLENTY -> k = 0 :: else fi
#endif
    };
    if
    :: k == pressure
    :: else ->
#ifdef BUG_PRESSURE_FIRST
        pressure = k;
        if :: k == 0 -> drained = false :: else fi
#else
        if :: k == 0 -> drained = false :: else fi;
        pressure = k
#endif
    fi;
    k = 0
}

/* What the queue's change means for those who look from outside. */
#define QUEUE_CHANGED \
    if :: len(queue) == 0 -> handing_over = false :: else fi; \
    queued = SPOKEN_FOR

/* The head is granted what it asked for. */
inline grant_head(h)
{
    queue ? h;
    granted_slot[h] = 0;
    do :: slot[granted_slot[h]] == FREE -> break :: else -> granted_slot[h]++ od;
    slot[granted_slot[h]] = GRANTED; weight_of[granted_slot[h]] = WEIGHT(h);
    pool = pool - WEIGHT(h); waiter[h] = GRANTED;
    QUEUE_CHANGED;
    assert(!no_grants);
    ADMIT(WEIGHT(h));
    IN_HAND(WEIGHT(h))
}

/* Nobody waits any more in vain: the head is granted what it asked for, or (barging) woken to look for itself, or does
 * not fit. A head whose time is up is ended. As many as can be woken. */
inline serve(k, h, sum)
{
    do
    :: atomic {
            k = 0;
            if
            :: len(queue) == 0 || noted >= BATCH || awake
#ifdef BARGING
            :: awake && noted < BATCH && queue ? [eval(LEAVER)] ->
                queue ? h; END_WAIT(h); awake = false; NOTE_WAKE(h); QUEUE_CHANGED; k = 1
#endif
            :: else ->
                queue ? <h>;
                if
                :: h == LEAVER -> queue ? h; END_WAIT(h); NOTE_WAKE(h); QUEUE_CHANGED; k = 1
#ifdef BARGING
                :: pool < WEIGHT(h) ->
                    if :: true -> handing_over = true; queued = true :: true fi;
#ifndef BUG_BARGE_NO_RETRY
                    if :: pressure & SHORT :: else -> k = 2 fi
#endif
                :: pool >= WEIGHT(h) && !handing_over ->
                    waiter[h] = AWAKE; awake = true; k = 1;
#ifdef BUG_BARGE_NO_WAKE
                    noted++
#else
                    NOTE_WAKE(h)
#endif
                :: pool >= WEIGHT(h) && handing_over ->
                    grant_head(h); NOTE_WAKE(h); k = 1;
                    if :: true -> handing_over = false; queued = false :: true fi
#else
                :: pool < WEIGHT(h)
                :: pool >= WEIGHT(h) ->
                    grant_head(h); k = 1;
#ifdef BUG_GRANT_NO_WAKE
                    noted++
#else
                    NOTE_WAKE(h)
#endif
#endif
                fi
            fi;
            h = 0
        };
        if
#ifdef BUG_SERVE_ONE
        :: k == 1 -> break
#else
        :: k == 1
#endif
        :: k == 2 -> press(SHORT, k, sum)
        :: k == 0 -> break
        fi
    od;
    relax(k);
    d_step { tell_if_all_back() }
}

#ifdef BARGING
/* A waiter that was woken looks for itself; it is the head. */
inline look_again(me, k, h, sum)
{
    atomic { waiter[me] = WAITING; awake = false };
    if :: pool < WEIGHT(me) -> call_in(k, sum) :: else fi;
    atomic {
        queue ? <h>; assert(h == me);
        if
        :: pool >= WEIGHT(me) -> grant_head(h)
        :: else -> if :: true -> handing_over = true; queued = true :: true fi
        fi;
        h = 0
    };
#ifdef BUG_BARGE_LOOK_NO_SERVE
    relax(k)
#else
    serve(k, h, sum)
#endif
}
#endif

/* The lock is given up with the books in order; the wakes follow. `h`: the batch was full. */
inline unlock_once(k, h, sum, wakes)
{
    d_step {
        sum = pool; k = 0;
        do
        :: k < SLOTS -> if :: slot[k] != FREE -> sum = sum + weight_of[k] :: else fi; k++
        :: else -> break
        od;
        assert(sum == limit && (pool >= 0 || (pressure & OVERAGE)));
        assert(closed == ((pressure & CLOSED) != 0));
        if
        :: len(queue) > 0 ->
            queue ? <k>;
#ifdef BARGING
            assert(awake || noted == BATCH || owed || (pool < WEIGHT(k) && (pressure & SHORT)));
            assert(!handing_over || (!awake && (pressure & SHORT)))
#else
            assert((pool < WEIGHT(k) || noted == BATCH || owed) && (pressure & SHORT) && queued)
#endif
        :: else
        fi;
        no_entry = closed; comes_first = handing_over; no_grants = closed && !draining;
        wakes = to_wake; h = (noted == BATCH); owed = owed + h; to_wake = 0; noted = 0; lock = false; k = 0; sum = 0
    };
    if
    :: wakes ->
        d_step {
            k = 0;
            do
            :: k <= N -> if :: wakes & (1 << k) -> asleep[k] = false :: else fi; k++
            :: else -> break
            od;
            k = 0; wakes = 0
        }
    :: else
    fi
}

#if BATCH > N
#define unlock(k, h, sum, wakes) unlock_once(k, h, sum, wakes)
#else
/* When the batch was full there may be more to grant. */
inline unlock(k, h, sum, wakes)
{
    do
    :: unlock_once(k, h, sum, wakes);
        if
        :: h -> atomic { LOCK; owed--; h = 0 }; serve(k, h, sum)
        :: else -> break
        fi
    od
}
#endif

proctype actor(byte me)
{
    byte rounds = 0, mine = NONE, k = 0, h = 0, wakes = 0;
    short sum = 0;
    bool expired = false, under_pressure = false, too_late = false;

    do
    :: rounds == ROUNDS -> break
    :: else ->
        rounds++;

        /* ---- acquire, fast: pressure, then the seat; pressure again, then those near the seat ---- */
        h = 0;
        do
        :: h < NEAR ->
            if
            :: h < 2 ->
#ifdef BUG_TAKE_UNDER_PRESSURE
                d_step { under_pressure = false; too_late = COMES_TOO_LATE; allowed[me] = settled_limit }
#else
                d_step { under_pressure = (pressure != 0); too_late = COMES_TOO_LATE; allowed[me] = settled_limit }
#endif
            :: else
            fi;
            atomic {
                k = (me + h) % SLOTS; h++;
                if
                :: !under_pressure && slot[k] == CACHED && weight_of[k] == WEIGHT(me) ->
                    slot[k] = HELD; cached_by[k] = NONE; mine = k;
                    assert(!too_late);
                    inside = inside + WEIGHT(me); assert(inside <= allowed[me]);
                    IN_HAND(WEIGHT(me));
                    break
                :: else
                fi
            }
        :: else -> break
        od;
        atomic { h = 0; k = 0; under_pressure = false; too_late = false; allowed[me] = NONE };
        if
        :: mine != NONE -> goto work
        :: else
        fi;

        /* ---- acquire, slow ---- */
        LOCK;
        if
        :: closed || (limit > 0 && WEIGHT(me) > limit) -> unlock(k, h, sum, wakes); goto refused
        :: else
        fi;
        if
        :: !MUST_QUEUE && pool < WEIGHT(me) ->
            if :: drained :: else -> call_in(k, sum) fi;
            if :: pool < WEIGHT(me) -> press(SHORT, k, sum) :: else fi
        :: else
        fi;
        atomic {
            if
            :: !MUST_QUEUE && pool >= WEIGHT(me) ->
                mine = me % SLOTS;
                if
                :: slot[mine] == FREE
                :: else -> mine = 0; do :: slot[mine] == FREE -> break :: else -> mine++ od
                fi;
                slot[mine] = HELD; weight_of[mine] = WEIGHT(me); pool = pool - WEIGHT(me);
                assert(!COMES_TOO_LATE);
                ADMIT(WEIGHT(me));
                IN_HAND(WEIGHT(me))
            :: else ->
                waiter[me] = WAITING; queue ! me; queued = SPOKEN_FOR;
                SOMEONE_WAITS
            fi
        };
        if :: mine != NONE -> relax(k) :: else fi;
        unlock(k, h, sum, wakes);

        if
        :: mine != NONE -> goto work
        :: else
        fi;

        /* ---- wait: to sleep compares the word; then woken, or out of time ---- */
        do
#ifdef BUG_PARK_NO_CHECK
        :: asleep[me] = true;
#else
        :: atomic {
                if
                :: waiter[me] == GRANTED || waiter[me] == ENDED -> break
                :: waiter[me] == WAITING -> asleep[me] = true
                :: waiter[me] == AWAKE
                fi
            };
#endif
            if
            :: !asleep[me]
            :: me == LEAVER -> asleep[me] = false; expired = true
            fi;
            if
            :: waiter[me] == AWAKE || expired ->
                LOCK;
#ifdef BARGING
                if :: waiter[me] == AWAKE -> look_again(me, k, h, sum) :: else fi;
#endif
                if
                :: (waiter[me] == WAITING || waiter[me] == AWAKE) && expired ->
                    d_step {
                        queue ?? eval(me);
#ifndef BUG_BARGE_AWAKE_LOST
                        if :: waiter[me] == AWAKE -> awake = false :: else fi;
#endif
                        END_WAIT(me); QUEUE_CHANGED
                    };
#ifndef BUG_LEAVE_NO_SERVE
                    serve(k, h, sum)
#endif
#ifdef BUG_LOST_GRANT
                :: waiter[me] == GRANTED && expired -> END_WAIT(me)
#endif
                :: else
                fi;
                expired = false;
                unlock(k, h, sum, wakes)
            :: else
            fi
        od;

        /* ---- claim without the lock, or leave under it ---- */
        if
        :: waiter[me] == GRANTED ->
            d_step {
                mine = granted_slot[me]; granted_slot[me] = NONE; waiter[me] = IDLE;
                assert(slot[mine] == GRANTED); slot[mine] = HELD
            }
        :: else ->
            LOCK;
            d_step { waiter[me] = IDLE; leaving--; tell_if_all_back() };
            unlock(k, h, sum, wakes);
            goto refused
        fi;
work:
        /* ---- release ---- */
        inside = inside - WEIGHT(me);
        if
        :: pressure ->
            LOCK;
            d_step { assert(slot[mine] == HELD); slot[mine] = FREE; pool = pool + WEIGHT(me) };
            serve(k, h, sum);
            unlock(k, h, sum, wakes)
        :: else ->
            d_step { assert(slot[mine] == HELD); slot[mine] = CACHED; cached_by[mine] = me };
#ifndef BUG_NO_RECHECK_RELEASE
            if
            :: pressure ->
                LOCK;
                if
                :: atomic { slot[mine] == CACHED && cached_by[mine] == me ->
                        slot[mine] = FREE; cached_by[mine] = NONE; pool = pool + WEIGHT(me)
                    };
                    serve(k, h, sum)
                :: else
                fi;
                unlock(k, h, sum, wakes)
            :: else
            fi
#endif
        fi;
        atomic { mine = NONE; OUT_OF_HAND(WEIGHT(me)) };
refused:
        skip
    od;
    ended++
}

/* When all have ended the books balance, and nothing is left behind. */
inline check_the_end(k, sum)
{
    d_step {
        sum = pool; k = 0;
        do
        :: k < SLOTS ->
            assert(slot[k] == FREE || slot[k] == CACHED);
            if :: slot[k] == CACHED -> sum = sum + weight_of[k] :: else fi;
            k++
        :: else -> break
        od;
        assert(!lock && sum == limit && inside == 0 && len(queue) == 0 && !queued && leaving == 0);
        if
        :: closed -> assert(pool == limit)
        :: else -> assert(!drained && !pressure)
        fi
    }
}

init
{
    byte k = 0;
    atomic { do :: k < N -> run actor(k); k++ :: else -> break od }
}
