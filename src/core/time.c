/* SPDX-License-Identifier: Apache-2.0 */
#include <bulkhead/time.h>

#include "port/clock.h"

bh_ns bh_now(void)
{
    return bh__clock_now();
}

bh_ns bh_deadline_after(bh_ns wait)
{
    bh_ns now = bh__clock_now();
    if (wait == BH_NO_WAIT)
        return now;
    return wait >= BH_FOREVER - now ? BH_FOREVER : now + wait;
}

bh_ns bh_remaining(bh_ns deadline)
{
    if (deadline == BH_FOREVER)
        return BH_FOREVER;
    bh_ns now = bh__clock_now();
    return deadline > now ? deadline - now : 0;
}
