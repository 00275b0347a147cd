/* SPDX-License-Identifier: Apache-2.0 */
/* Case P04: a waiter that was cancelled frees its place in the queue at once. */
#include "support.h"

START_TEST(place_is_free_after_cancel)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit held = take(limiter, 1);
    bh_cancel *token = NULL;
    ck_assert_int_eq(bh_cancel_new(&token), 0);
    struct waiter w1 = {.limiter = limiter, .cancel = token};
    waiter_queue(&w1);

    ck_assert_int_eq(bh_cancel_all(token), 0);
    struct waiter w2 = {.limiter = limiter};
    waiter_start(&w2);
    UNTIL(look(limiter).queued == 2);
    ck_assert(!waiter_has_ended(&w2));
    ck_assert_uint_eq(waiting(limiter), 1);

    bh_permit w3;
    POISON(w3);
    ck_assert_int_eq(bh_acquire(limiter, &w3), -ENOBUFS);
    CHECK_UNTOUCHED(w3);
    ck_assert_uint_eq(waiting(limiter), 1);
    ck_assert_uint_eq(look(limiter).refused_full, 1);

    ck_assert_int_eq(waiter_end(&w1), -ECANCELED);
    give_back(&held);
    waiter_end_granted(&w2);
    check_all_back(limiter, 1);
    ck_assert_int_eq(bh_cancel_free(token), 0);
    limiter_done(limiter);
}
END_TEST

START_TEST(place_is_free_after_the_deadline)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit held = take(limiter, 1);
    bh_permit permit;
    POISON(permit);
    for (unsigned i = 0; i < 20; i++)
        ck_assert_int_eq(bh_acquire_for(limiter, 1, 1000, &permit), -ETIMEDOUT);
    CHECK_UNTOUCHED(permit);
    ck_assert_uint_eq(waiting(limiter), 0);
    ck_assert_uint_eq(look(limiter).timed_out, 20);
    give_back(&held);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

struct race {
    bh_limiter *limiter;
    unsigned round_count;
    pthread_barrier_t begin;
    pthread_barrier_t end;
    bh_cancel *token;
    atomic_uint above_bound;
    unsigned granted;
    unsigned cancelled;
};

static void *race_waiter(void *argument)
{
    struct race *race = argument;
    for (unsigned round = 0; round < race->round_count; round++) {
        pthread_barrier_wait(&race->begin);
        bh_permit permit = {0};
        const int result = bh_acquire_request(race->limiter, 1, &BH_REQUEST(.cancel = race->token), &permit);
        if (result == 0) {
            race->granted++;
            give_back(&permit);
        } else {
            ck_assert_int_eq(result, -ECANCELED);
            race->cancelled++;
        }
        pthread_barrier_wait(&race->end);
    }
    return NULL;
}

static void *race_canceller(void *argument)
{
    struct race *race = argument;
    for (unsigned round = 0; round < race->round_count; round++) {
        pthread_barrier_wait(&race->begin);
        for (unsigned look_count = 0; look_count < round % 4; look_count++) {
            if (waiting(race->limiter) > 1)
                atomic_fetch_add(&race->above_bound, 1);
        }
        ck_assert_int_eq(bh_cancel_all(race->token), 0);
        pthread_barrier_wait(&race->end);
    }
    return NULL;
}

START_TEST(cancel_races_with_the_holder)
{
    struct race race = {.limiter = limiter_make(1, 1), .round_count = rounds(10000)};
    pthread_barrier_init(&race.begin, NULL, 3);
    pthread_barrier_init(&race.end, NULL, 3);
    const pthread_t waiter = thread_start(race_waiter, &race);
    const pthread_t canceller = thread_start(race_canceller, &race);
    bh_permit held = take(race.limiter, 1);
    for (unsigned round = 0; round < race.round_count; round++) {
        ck_assert_int_eq(bh_cancel_new(&race.token), 0);
        pthread_barrier_wait(&race.begin);
        give_back(&held);
        UNTIL(bh_try_acquire(race.limiter, &held) == 0);
        pthread_barrier_wait(&race.end);
        ck_assert_uint_eq(waiting(race.limiter), 0);
        ck_assert_int_eq(bh_cancel_free(race.token), 0);
    }
    thread_join(waiter);
    thread_join(canceller);
    give_back(&held);

    ck_assert_uint_eq(atomic_load(&race.above_bound), 0);
    ck_assert_uint_eq(race.granted + race.cancelled, race.round_count);
    ck_assert_uint_eq(look(race.limiter).cancelled, race.cancelled);
    check_all_back(race.limiter, 1);
    pthread_barrier_destroy(&race.begin);
    pthread_barrier_destroy(&race.end);
    limiter_done(race.limiter);
}
END_TEST

SUITE_MAIN("P04 leaving frees the place", place_is_free_after_cancel, place_is_free_after_the_deadline,
           cancel_races_with_the_holder)
