/* SPDX-License-Identifier: Apache-2.0 */
/* Cached permits under strict FIFO and a fixed limit: weights, seats shared by threads, deadlines, refusals by loads.
 *
 * Checked
 *   - the weights inside never add up to more than the limit;
 *   - at every unlock pool + slots that are not FREE == limit, and the same at the end, with pressure gone again;
 *   - at every unlock the head of the queue does not fit, and pressure is set while anybody waits;
 *   - FIFO: nobody is admitted while somebody waits, but by a fast take that looked at pressure before;
 *   - nobody sleeps for ever: the LEAVER may leave its wait, the others never do (a stuck actor is an invalid end);
 *   - with -DTRY=w: a try of weight w refused by loads alone is right: at some moment of it fewer than w units were
 *     not in somebody's hands (a release is in hand until it returns), or somebody waited.
 */
#include "limiter.pml"

active proctype books()
{
    byte k = 0;
    short sum = 0;
    ended == N;
    check_the_end(k, sum)
}

#ifdef TRY
active proctype try_by_loads()
{
    bool was_drained = false;
    byte k = 0;
    d_step {
        inexcusable = (LIMIT - in_hand >= TRY);
        do
        :: k < N -> inexcusable = inexcusable && waiter[k] != WAITING && waiter[k] != AWAKE; k++
        :: else -> break
        od;
        k = 0
    };
#ifdef BUG_TORN
    was_drained = drained;
#endif
    d_step {
#if defined(BUG_REFUSE_UNDRAINED)
        was_drained = true;
#elif !defined(BUG_TORN)
        was_drained = drained;
#endif
        assert(!inexcusable || !(queued || (was_drained && pool < TRY)));
        inexcusable = false; was_drained = false
    }
}
#endif
