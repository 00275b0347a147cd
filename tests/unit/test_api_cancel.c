/* SPDX-License-Identifier: Apache-2.0 */
/* Cancellation tokens: one for one wait, for many, on several limiters, before and after. */
#include "support.h"

static bh_cancel *token_make(void)
{
    bh_cancel *token = NULL;
    ck_assert_int_eq(bh_cancel_new(&token), 0);
    ck_assert_int_eq(bh_cancel_is_cancelled(token), 0);
    return token;
}

START_TEST(null_arguments)
{
    ck_assert_int_eq(bh_cancel_new(NULL), -EINVAL);
    ck_assert_int_eq(bh_cancel_all(NULL), -EINVAL);
    ck_assert_int_eq(bh_cancel_is_cancelled(NULL), 0);
    ck_assert_int_eq(bh_cancel_free(NULL), 0);
}
END_TEST

START_TEST(cancelled_before)
{
    bh_limiter *limiter = limiter_make(2, 2);
    bh_cancel *token = token_make();
    ck_assert_int_eq(bh_cancel_all(token), 0);
    ck_assert_int_eq(bh_cancel_all(token), 0);
    ck_assert_int_eq(bh_cancel_is_cancelled(token), 1);
    bh_permit permit;
    POISON(permit);
    ck_assert_int_eq(bh_acquire_request(limiter, 1, &BH_REQUEST(.cancel = token), &permit), -ECANCELED);
    ck_assert_int_eq(bh_acquire_request(limiter, 1, &BH_REQUEST(.cancel = token, .wait_ns = BH_NO_WAIT), &permit),
                     -ECANCELED);
    CHECK_UNTOUCHED(permit);
    ck_assert_uint_eq(look(limiter).cancelled, 2);
    ck_assert_uint_eq(look(limiter).granted, 0);
    check_all_back(limiter, 2);
    ck_assert_int_eq(bh_cancel_free(token), 0);
    limiter_done(limiter);
}
END_TEST

START_TEST(granted_first_keeps_its_permit)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_cancel *token = token_make();
    bh_permit permit = {0};
    ck_assert_int_eq(bh_acquire_request(limiter, 1, &BH_REQUEST(.cancel = token), &permit), 0);
    ck_assert_int_eq(bh_cancel_all(token), 0);
    ck_assert_int_eq(bh_permit_is_held(&permit), 1);
    ck_assert_uint_eq(look(limiter).held, 1);
    give_back(&permit);
    check_all_back(limiter, 1);
    ck_assert_int_eq(bh_cancel_free(token), 0);
    limiter_done(limiter);
}
END_TEST

START_TEST(one_token_for_many_waits)
{
    enum { WAITERS = 12 };
    bh_limiter *limiters[2] = {limiter_make(1, WAITERS), limiter_make(1, WAITERS)};
    bh_permit held[2] = {take(limiters[0], 1), take(limiters[1], 1)};
    bh_cancel *token = token_make();
    struct waiter waiters[WAITERS];
    memset(waiters, 0, sizeof(waiters));
    for (unsigned i = 0; i < WAITERS; i++) {
        waiters[i].limiter = limiters[i % 2];
        waiters[i].cancel = token;
        waiter_queue(&waiters[i]);
    }
    struct waiter bystander = {.limiter = limiters[0]};
    waiter_queue(&bystander);
    ck_assert_int_eq(bh_cancel_free(token), -EBUSY);

    ck_assert_int_eq(bh_cancel_all(token), 0);
    for (unsigned i = 0; i < WAITERS; i++)
        ck_assert_int_eq(waiter_end(&waiters[i]), -ECANCELED);
    ck_assert_uint_eq(waiting(limiters[0]), 1);
    ck_assert(!waiter_has_ended(&bystander));
    ck_assert_uint_eq(look(limiters[0]).cancelled, WAITERS / 2);
    ck_assert_uint_eq(look(limiters[1]).cancelled, WAITERS / 2);

    give_back(&held[0]);
    give_back(&held[1]);
    waiter_end_granted(&bystander);
    ck_assert_int_eq(bh_cancel_free(token), 0);
    for (unsigned i = 0; i < 2; i++) {
        check_all_back(limiters[i], 1);
        limiter_done(limiters[i]);
    }
}
END_TEST

START_TEST(waits_of_other_tokens_go_on)
{
    bh_limiter *limiter = limiter_make(1, 3);
    bh_permit held = take(limiter, 1);
    bh_cancel *mine = token_make();
    bh_cancel *other = token_make();
    struct waiter first = {.limiter = limiter, .cancel = other};
    struct waiter second = {.limiter = limiter, .cancel = mine};
    struct waiter third = {.limiter = limiter, .cancel = other};
    waiter_queue(&first);
    waiter_queue(&second);
    waiter_queue(&third);
    ck_assert_int_eq(bh_cancel_all(mine), 0);
    ck_assert_int_eq(waiter_end(&second), -ECANCELED);
    ck_assert_uint_eq(waiting(limiter), 2);
    give_back(&held);
    waiter_end_granted(&first);
    waiter_end_granted(&third);
    ck_assert_int_eq(bh_cancel_free(mine), 0);
    ck_assert_int_eq(bh_cancel_free(other), 0);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

struct cancel_race {
    bh_limiter *limiter;
    bh_cancel *token;
    pthread_barrier_t begin;
    pthread_barrier_t end;
    unsigned round_count;
};

static void *canceller_body(void *argument)
{
    struct cancel_race *race = argument;
    for (unsigned round = 0; round < race->round_count; round++) {
        pthread_barrier_wait(&race->begin);
        ck_assert_int_eq(bh_cancel_all(race->token), 0);
        pthread_barrier_wait(&race->end);
    }
    return NULL;
}

START_TEST(cancel_races_with_the_start_of_a_wait)
{
    struct cancel_race race = {.limiter = limiter_make(1, 1), .round_count = rounds(5000)};
    bh_permit held = take(race.limiter, 1);
    pthread_barrier_init(&race.begin, NULL, 2);
    pthread_barrier_init(&race.end, NULL, 2);
    race.token = token_make();
    const pthread_t canceller = thread_start(canceller_body, &race);
    for (unsigned round = 0; round < race.round_count; round++) {
        bh_permit permit;
        POISON(permit);
        pthread_barrier_wait(&race.begin);
        ck_assert_int_eq(bh_acquire_request(race.limiter, 1, &BH_REQUEST(.cancel = race.token), &permit), -ECANCELED);
        CHECK_UNTOUCHED(permit);
        pthread_barrier_wait(&race.end);
        ck_assert_int_eq(bh_cancel_free(race.token), 0);
        race.token = token_make();
    }
    thread_join(canceller);
    ck_assert_int_eq(bh_cancel_free(race.token), 0);
    give_back(&held);
    ck_assert_uint_eq(look(race.limiter).cancelled, race.round_count);
    check_all_back(race.limiter, 1);
    pthread_barrier_destroy(&race.begin);
    pthread_barrier_destroy(&race.end);
    limiter_done(race.limiter);
}
END_TEST

SUITE_MAIN("cancellation", null_arguments, cancelled_before, granted_first_keeps_its_permit, one_token_for_many_waits,
           waits_of_other_tokens_go_on, cancel_races_with_the_start_of_a_wait)
