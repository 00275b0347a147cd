/* SPDX-License-Identifier: Apache-2.0 */
/* How late a wait of 1 ms ends on a limiter that stays full; and that none ends early. sem_clockwait stands beside it,
 * for what the kernel's timers cost anybody. */
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>

#include "clock.h"
#include "own.h"
#include "stats.h"

#define WAITS 300u
#define WAIT_NS 1000000u

static unsigned early;

static double lateness_us(uint64_t start)
{
    uint64_t took = now_ns() - start;
    if (took < WAIT_NS)
        early++;
    return ((double)took - WAIT_NS) / 1e3;
}

static double own_wait(bh_limiter *limiter)
{
    bh_permit permit = {0};
    uint64_t start = now_ns();
    int r = bh_acquire_for(limiter, 1, WAIT_NS, &permit);
    double late = lateness_us(start);
    if (r != -ETIMEDOUT)
        unexpected("a wait on a full limiter", r);
    return late;
}

static double sem_wait_us(sem_t *sem)
{
    uint64_t start = now_ns();
    uint64_t end = start + WAIT_NS;
    struct timespec deadline = {.tv_sec = (time_t)(end / 1000000000u), .tv_nsec = (long)(end % 1000000000u)};
    while (sem_clockwait(sem, CLOCK_MONOTONIC, &deadline) != 0 && errno == EINTR)
        continue;
    return ((double)(now_ns() - start) - WAIT_NS) / 1e3;
}

int main(void)
{
    static series own;
    static series other;
    sem_t sem;
    sem_init(&sem, 0, 0);
    bh_limiter *limiter = own_limiter(1, 16, BH_ORDER_FIFO);
    bh_permit only = {0};
    own_try(limiter, &only);
    for (unsigned i = 0; i < WAITS; i++) {
        series_add(&own, own_wait(limiter));
        series_add(&other, sem_wait_us(&sem));
    }
    own_release(&only);
    own_limiter_end(limiter);
    printf("late=%.3f early=%u p50-us=%.3f sem-p50-us=%.3f sem-p99-us=%.3f\n", series_quantile(&own, 0.99), early,
           series_median(&own), series_median(&other), series_quantile(&other, 0.99));
    return 0;
}
