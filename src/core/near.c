/* SPDX-License-Identifier: Apache-2.0 */
/* A thread is woken cheaply on the processor that it ran on last by somebody who runs there too. To wake it from elsewhere
 * may take an interrupt to a processor that sleeps, or a move of all that it has in its caches, and costs as much as
 * several releases (docs/design/performance.md). In FIFO order the next in line is given, but not which release it meets:
 * a release that finds the head far away looks for some microseconds whether one from over there comes first. Nothing is
 * decided here, so nothing depends on it but speed.
 *
 * Lock cohorting (Dice, Marathe and Shavit, 2012) has the same aim and passes others for it; here the order stays.
 */
#include "core/near.h"

#include "port/clock.h"
#include "port/processor.h"

/* Not longer than what is to be saved costs: then the worst case is twice the best (Karlin, Li, Manasse and Owicki,
 * "Empirical studies of competitive spinning for a shared-memory multiprocessor", 1991). */
#define LOOK_NS 8000u

/* Where holds are long no other release comes in time, and looking is a loss. How often it was a success, of the last 16 or
 * so, tells: below one in eight only each 64th release looks. */
#define CERTAIN BH_NEAR_CERTAIN
#define WORTHWHILE (CERTAIN / 8)
#define PROBE_EACH 64u

static bool is_worthwhile(struct bh_near *near)
{
    bh_stat_bump(&near->far_heads, 1);
    return bh_stat_load(&near->chance) >= WORTHWHILE || bh_stat_load(&near->far_heads) % PROBE_EACH == 0;
}

static bool head_comes_near(const struct bh_near *near, uint32_t here)
{
    bh_ns until = bh__clock_now() + LOOK_NS;
    do {
        bh__processor_pause();
        uint32_t there = bh_stat_load(&near->head_processor);
        if (there == here || there == BH_NO_PROCESSOR)
            return true;
    } while (bh__clock_now() < until);
    return false;
}

void bh__near_first(const struct bh_limiter *limiter)
{
    struct bh_near *near = &limiter->core->near;
    uint32_t there = bh_stat_load(&near->head_processor);
    if (there == BH_NO_PROCESSOR)
        return;
    uint32_t here = bh__processor_now();
    if (there == here || !is_worthwhile(near))
        return;
    bool success = head_comes_near(near, here);
    uint32_t chance = bh_stat_load(&near->chance);
    bh_stat_store(&near->chance, chance - chance / 16 + (success ? CERTAIN / 16 : 0));
}
