/* SPDX-License-Identifier: Apache-2.0 */
/* Case P05: a permit is never handed to a request that has left already. */
#include "support.h"

#include <time.h>

#define WAITERS 8u

static void check_eight_are_free(bh_limiter *limiter)
{
    bh_permit permits[WAITERS];
    bh_permit ninth;
    for (unsigned i = 0; i < WAITERS; i++)
        permits[i] = take(limiter, 1);
    POISON(ninth);
    ck_assert_int_eq(bh_try_acquire(limiter, &ninth), -EAGAIN);
    CHECK_UNTOUCHED(ninth);
    for (unsigned i = 0; i < WAITERS; i++)
        give_back(&permits[i]);
}

START_TEST(timed_out_waiters_cost_no_capacity)
{
    bh_limiter *limiter = limiter_make(WAITERS, WAITERS);
    bh_permit held[WAITERS];
    for (unsigned i = 0; i < WAITERS; i++)
        held[i] = take(limiter, 1);
    struct waiter waiters[WAITERS];
    memset(waiters, 0, sizeof(waiters));
    for (unsigned i = 0; i < WAITERS; i++) {
        waiters[i].limiter = limiter;
        waiters[i].wait_ns = bh_ms(50);
        waiter_start(&waiters[i]);
    }
    for (unsigned i = 0; i < WAITERS; i++) {
        ck_assert_int_eq(waiter_end(&waiters[i]), -ETIMEDOUT);
        ck_assert_uint_ge(waiters[i].ended_at - waiters[i].started_at, bh_ms(50));
    }
    for (unsigned i = 0; i < WAITERS; i++)
        give_back(&held[i]);

    ck_assert_uint_eq(look(limiter).free, WAITERS);
    check_eight_are_free(limiter);
    check_all_back(limiter, WAITERS);
    limiter_done(limiter);
}
END_TEST

struct race {
    bh_limiter *limiter;
    unsigned round_count;
    bh_ns deadline;
    pthread_barrier_t begin;
    pthread_barrier_t end;
    atomic_uint granted;
    atomic_uint timed_out;
    atomic_uint early;
};

static void *race_waiter(void *argument)
{
    struct race *race = argument;
    for (unsigned round = 0; round < race->round_count; round++) {
        pthread_barrier_wait(&race->begin);
        bh_permit permit = {0};
        const int result = bh_acquire_until(race->limiter, 1, race->deadline, &permit);
        if (result == 0) {
            give_back(&permit);
            atomic_fetch_add(&race->granted, 1);
        } else {
            ck_assert_int_eq(result, -ETIMEDOUT);
            if (bh_now() < race->deadline)
                atomic_fetch_add(&race->early, 1);
            atomic_fetch_add(&race->timed_out, 1);
        }
        pthread_barrier_wait(&race->end);
    }
    return NULL;
}

static void sleep_until(bh_ns instant)
{
    const struct timespec at = {.tv_sec = (time_t)(instant / 1000000000u), .tv_nsec = (long)(instant % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        ;
}

static void run_race(uint32_t order, unsigned round_count)
{
    struct race race = {
        .limiter = limiter_make_with(&BH_OPTIONS(.name = "race", .limit = WAITERS, .queue = WAITERS, .order = order)),
        .round_count = round_count};
    pthread_barrier_init(&race.begin, NULL, WAITERS + 1);
    pthread_barrier_init(&race.end, NULL, WAITERS + 1);
    pthread_t threads[WAITERS];
    for (unsigned i = 0; i < WAITERS; i++)
        threads[i] = thread_start(race_waiter, &race);

    for (unsigned round = 0; round < race.round_count; round++) {
        bh_permit held[WAITERS];
        for (unsigned i = 0; i < WAITERS; i++)
            held[i] = take(race.limiter, 1);
        race.deadline = bh_deadline_after(400000);
        const bh_ns release_at = race.deadline - 200000 + (round * 7919u) % 400000u;
        pthread_barrier_wait(&race.begin);
        sleep_until(release_at);
        for (unsigned i = 0; i < WAITERS; i++)
            give_back(&held[i]);
        pthread_barrier_wait(&race.end);
        check_all_back(race.limiter, WAITERS);
    }
    for (unsigned i = 0; i < WAITERS; i++)
        thread_join(threads[i]);

    ck_assert_uint_eq(atomic_load(&race.early), 0);
    ck_assert_uint_eq(race.granted + race.timed_out, race.round_count * WAITERS);
    check_eight_are_free(race.limiter);
    pthread_barrier_destroy(&race.begin);
    pthread_barrier_destroy(&race.end);
    limiter_done(race.limiter);
}

START_TEST(release_races_with_the_deadline)
{
    run_race(BH_ORDER_FIFO, rounds(5000));
}
END_TEST

START_TEST(release_races_with_the_deadline_barging)
{
    run_race(BH_ORDER_BARGING, rounds(1000));
}
END_TEST

SUITE_MAIN("P05 no grant to the departed", timed_out_waiters_cost_no_capacity, release_races_with_the_deadline,
           release_races_with_the_deadline_barging)
