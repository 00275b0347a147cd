/* SPDX-License-Identifier: Apache-2.0 */
/* One slot of the ledger: its word (state and generation), and the weight beside it, which changes only while the slot
 * is FREE. Two threads take the slot, one for weight 1 and one for weight 2: the cached permit by one compare-and-swap
 * on the word after two loads, else under the lock, where what is cached is called in; there they may also be granted it,
 * and claim it without the lock by a load and a plain store. Each permit is released by its owner and by two others who
 * kept copies of the last permit they saw, whenever they like. The generation grows when a permit comes back.
 *
 * Checked
 *   - who took a cached permit got the weight that it wanted;
 *   - a claim overwrites nothing but the grant;
 *   - of all releases of one permit one succeeds, and never that of a permit whose slot serves another by now;
 *   - at the end the units add up.
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define LIMIT 2

#define FREE 0
#define CACHED 1
#define HELD 2
#define GRANTED 3
#define STATE(word) ((word) & 3)
#define AS(word, state) (((word) & ~3) | (state))
#ifdef BUG_NO_GENERATION
#define NEXT(word) (word)
#else
#define NEXT(word) ((word) + 4)
#endif

byte word = FREE, weight = 0;
byte pool = LIMIT;
bool lock = false;
byte copy = 0;                  /* the last permit given out */
byte owner = 0;                 /* who was given the permit that is out; 0: nobody */
byte held = 0;                  /* units out */
byte ended = 0;

#define LOCK atomic { !lock -> lock = true }
#define TAKEN(me) held = held + me; assert(held <= LIMIT && owner == 0); owner = me; copy = mine

/* mine: the permit's word. Cached again, if it is still out. */
inline release(mine, ok)
{
    atomic {
        if
#ifdef BUG_RELEASE_TWICE
        :: STATE(word) == HELD ->
#else
        :: word == mine ->
#endif
            assert(word == mine);
            word = AS(NEXT(word), CACHED); held = held - weight; owner = 0; ok = true
        :: else -> ok = false
        fi
    }
}

proctype taker(byte me)         /* who wants weight `me` */
{
    byte rounds = 0, mine = 0, seen = 0;
    bool ok = false;

    do
    :: rounds == ROUNDS -> break
    :: else ->
        rounds++; ok = false;
        seen = word;
        if
        :: STATE(seen) == CACHED ->
            if
            :: weight == me ->
                atomic {
                    if
                    :: word == seen ->
                        mine = AS(seen, HELD); word = mine; ok = true;
                        assert(weight == me)
                    :: else
                    fi
                };
                if
                :: ok -> atomic { TAKEN(me) }
                :: else
                fi
            :: else
            fi
        :: else
        fi;
        seen = 0;
        if
        :: !ok ->
            LOCK;
            atomic { if :: STATE(word) == CACHED -> word = AS(word, FREE); ok = true :: else fi };
            if :: ok -> pool = pool + weight :: else fi;
            if
            :: STATE(word) == FREE ->
                weight = me;
                pool = pool - me;
                if
                :: atomic { mine = AS(word, HELD); word = mine; TAKEN(me) }
                :: word = AS(word, GRANTED)
                fi;
                ok = true
            :: else -> ok = false
            fi;
            lock = false;
            if
            :: ok && mine == 0 ->
                mine = AS(word, HELD);
                atomic { assert(word == AS(mine, GRANTED)); word = mine; TAKEN(me) }
            :: else
            fi
        :: else
        fi;
        if :: ok -> release(mine, ok) :: else fi;
        mine = 0
    od;
    ended++
}

/* Releases a copy of a permit, at any time. */
active [2] proctype copier()
{
    byte mine;
    bool ok;
    mine = copy;
    if
    :: mine -> release(mine, ok)
    :: else
    fi;
    mine = 0; ok = false;
    ended++
}

active proctype books()
{
    ended == 4;
    assert(!lock && held == 0 && pool + (STATE(word) == FREE -> 0 : weight) == LIMIT && STATE(word) < HELD)
}

init { atomic { run taker(1); run taker(2) } }
