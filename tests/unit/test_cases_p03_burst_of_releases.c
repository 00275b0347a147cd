/* SPDX-License-Identifier: Apache-2.0 */
/* Case P03: releases in one burst wake as many sleepers as can use them. */
#include "support.h"

#include <semaphore.h>

#define MOST_SLEEPERS 16u

struct sleepers {
    bh_limiter *limiter;
    sem_t again;
    atomic_uint places;
    atomic_uint granted;
    bh_permit permits[MOST_SLEEPERS];
    pthread_t threads[MOST_SLEEPERS];
};

static void *sleeper_body(void *argument)
{
    struct sleepers *sleepers = argument;
    for (;;) {
        bh_permit permit = {0};
        const int result = bh_acquire_for(sleepers->limiter, 1, BH_FOREVER, &permit);
        if (result == -ESHUTDOWN)
            return NULL;
        ck_assert_int_eq(result, 0);
        sleepers->permits[atomic_fetch_add(&sleepers->places, 1)] = permit;
        atomic_fetch_add(&sleepers->granted, 1);
        while (sem_wait(&sleepers->again) != 0)
            ;
    }
}

static void run_bursts(uint32_t order, uint32_t limit, unsigned sleeper_count, unsigned round_count)
{
    struct sleepers sleepers = {.limiter = limiter_make_with(&BH_OPTIONS(.name = "burst", .limit = limit,
                                                                         .queue = sleeper_count, .order = order))};
    ck_assert_int_eq(sem_init(&sleepers.again, 0, 0), 0);
    bh_permit held[MOST_SLEEPERS];
    for (unsigned i = 0; i < limit; i++)
        held[i] = take(sleepers.limiter, 1);
    for (unsigned i = 0; i < sleeper_count; i++)
        sleepers.threads[i] = thread_start(sleeper_body, &sleepers);

    for (unsigned round = 0; round < round_count; round++) {
        UNTIL(waiting(sleepers.limiter) == sleeper_count);
        for (unsigned i = 0; i < limit; i++)
            give_back(&held[i]);
        UNTIL(atomic_load(&sleepers.granted) == limit);
        ck_assert_uint_eq(waiting(sleepers.limiter), sleeper_count - limit);
        ck_assert_uint_eq(look(sleepers.limiter).held, limit);
        memcpy(held, sleepers.permits, limit * sizeof(held[0]));
        atomic_store(&sleepers.places, 0);
        atomic_store(&sleepers.granted, 0);
        for (unsigned i = 0; i < limit; i++)
            ck_assert_int_eq(sem_post(&sleepers.again), 0);
    }

    UNTIL(waiting(sleepers.limiter) == sleeper_count);
    ck_assert_int_eq(bh_limiter_close(sleepers.limiter), 0);
    for (unsigned i = 0; i < sleeper_count; i++)
        thread_join(sleepers.threads[i]);
    for (unsigned i = 0; i < limit; i++)
        give_back(&held[i]);
    check_books(sleepers.limiter);
    ck_assert_uint_eq(look(sleepers.limiter).granted, (uint64_t)limit * (round_count + 1));
    ck_assert_int_eq(sem_destroy(&sleepers.again), 0);
    limiter_done(sleepers.limiter);
}

START_TEST(two_releases_wake_two_sleepers)
{
    run_bursts(BH_ORDER_FIFO, 2, 2, rounds(10000));
}
END_TEST

START_TEST(eight_releases_wake_eight_of_sixteen)
{
    run_bursts(BH_ORDER_FIFO, 8, 16, rounds(10000));
}
END_TEST

START_TEST(two_releases_wake_two_barging_sleepers)
{
    run_bursts(BH_ORDER_BARGING, 2, 2, rounds(2000));
}
END_TEST

START_TEST(eight_releases_wake_eight_of_sixteen_barging)
{
    run_bursts(BH_ORDER_BARGING, 8, 16, rounds(2000));
}
END_TEST

SUITE_MAIN("P03 burst of releases", two_releases_wake_two_sleepers, eight_releases_wake_eight_of_sixteen,
           two_releases_wake_two_barging_sleepers, eight_releases_wake_eight_of_sixteen_barging)
