/* SPDX-License-Identifier: Apache-2.0 */
#include "port/clock.h"

#ifdef BH_SIM
#include "sim.h"

bh_ns bh__clock_now(void)
{
    return sim_now();
}
#else
#include <time.h>

bh_ns bh__clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (bh_ns)now.tv_sec * 1000000000u + (bh_ns)now.tv_nsec;
}
#endif
