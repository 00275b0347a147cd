/* SPDX-License-Identifier: Apache-2.0 */
/* Barging with bounded patience: whoever comes may take what is free; the head of the queue is woken to look for
 * itself, one at a time, and while it is on its way releases are cached as if nobody waited. A head that is out of
 * patience has permits handed to it.
 *
 * Checked
 *   - the weights inside never add up to more than the limit, and the books balance at every unlock;
 *   - at every unlock either nobody waits, or the head is awake, or it does not fit and pressure is set;
 *   - once a head is out of patience, and whoever noticed gave the lock up, no newcomer that begins then is admitted
 *     before it;
 *   - nobody sleeps for ever; at the end pressure is gone again.
 */
#define BARGING
#include "limiter.pml"

active proctype books()
{
    byte k = 0;
    short sum = 0;
    ended == N;
    check_the_end(k, sum)
}
