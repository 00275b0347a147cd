/* SPDX-License-Identifier: Apache-2.0 */
/* Permits acquired by a thread on CPU 0 and released by one on CPU 1, to the same with sem_t over the same ring. */
#include <semaphore.h>
#include <stdio.h>

#include "clock.h"
#include "duo.h"
#include "own.h"
#include "ring.h"
#include "stats.h"

#define WINDOW 2000u
#define WARM_UP_ROUNDS 10u
#define ROUNDS 200u

/* Where others use the CPUs too, fewer rounds have to do. */
#define LONGEST_NS 4000000000u

/* One more can be in the hands of each thread than the ring holds: so nothing is ever refused. */
#define LIMIT (2u * RING_SIZE)

static ring handover;
static _Alignas(128) sem_t sem;

static void own_acquirer(void *limiter)
{
    for (unsigned i = 0; i < WINDOW; i++) {
        bh_permit permit = {0};
        own_try(limiter, &permit);
        ring_push(&handover, &permit);
    }
}

static void own_releaser(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < WINDOW; i++) {
        bh_permit permit = ring_pop(&handover);
        own_release(&permit);
    }
}

static void sem_acquirer(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < WINDOW; i++) {
        bh_permit nothing = {0};
        if (sem_trywait(&sem) != 0)
            unexpected("the semaphore ran out", 0);
        ring_push(&handover, &nothing);
    }
}

static void sem_releaser(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < WINDOW; i++) {
        bh_permit nothing = ring_pop(&handover);
        if (nothing.limiter != NULL)
            unexpected("the ring mixed up its entries", 0);
        sem_post(&sem);
    }
}

int main(void)
{
    static series ratio;
    static series own_ns;
    static series sem_ns;
    sem_init(&sem, 0, LIMIT);
    bh_limiter *limiter = own_limiter(LIMIT, 0, BH_ORDER_FIFO);
    duo_start();
    uint64_t end = now_ns() + LONGEST_NS;
    for (unsigned round = 0; round < WARM_UP_ROUNDS + ROUNDS && now_ns() < end; round++) {
        double own = (double)duo_run_undisturbed(own_acquirer, own_releaser, limiter) / WINDOW;
        double other = (double)duo_run_undisturbed(sem_acquirer, sem_releaser, NULL) / WINDOW;
        if (round < WARM_UP_ROUNDS || own <= 0 || other <= 0)
            continue;
        series_add(&ratio, own / other);
        series_add(&own_ns, own);
        series_add(&sem_ns, other);
    }
    duo_end();
    own_limiter_end(limiter);
    if (ratio.count == 0)
        return 0; /* no undisturbed window: nothing to say */
    printf("pair-cross=%.4f own-ns=%.3f sem-ns=%.3f rounds=%zu\n", series_median(&ratio), series_median(&own_ns),
           series_median(&sem_ns), ratio.count);
    return 0;
}
