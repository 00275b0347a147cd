/* SPDX-License-Identifier: Apache-2.0 */
/* A limiter's life: setting the limit, closing, draining, freeing. */
#include "support.h"

#include <stdio.h>

START_TEST(null_limiter)
{
    ck_assert_int_eq(bh_limiter_free(NULL), 0);
    ck_assert_int_eq(bh_limiter_close(NULL), -EINVAL);
    ck_assert_int_eq(bh_limiter_drain(NULL, 0), -EINVAL);
    ck_assert_int_eq(bh_limiter_set_limit(NULL, 1), -EINVAL);
}
END_TEST

START_TEST(limit_above_max_permits)
{
    bh_limiter *limiter = limiter_make_with(&BH_OPTIONS(.name = "db", .limit = 2, .max_permits = 5));
    ck_assert_int_eq(bh_limiter_set_limit(limiter, 6), -ERANGE);
    ck_assert_int_eq(bh_limiter_set_limit(limiter, UINT32_MAX), -ERANGE);
    ck_assert_uint_eq(bh_limiter_limit(limiter), 2);
    ck_assert_uint_eq(look(limiter).limit_changes, 0);
    ck_assert_uint_eq(count_free(limiter), 2);
    ck_assert_int_eq(bh_limiter_set_limit(limiter, 5), 0);
    ck_assert_uint_eq(bh_limiter_limit(limiter), 5);
    ck_assert_uint_eq(bh_limiter_max_permits(limiter), 5);
    ck_assert_uint_eq(count_free(limiter), 5);
    limiter_done(limiter);
}
END_TEST

START_TEST(limit_up_and_down)
{
    bh_limiter *limiter = limiter_make_with(&BH_OPTIONS(.name = "db", .limit = 3, .max_permits = 40));
    static const uint32_t limits[] = {0, 1, 40, 7, 0, 0, 25, 25, 3};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        ck_assert_int_eq(bh_limiter_set_limit(limiter, limits[i]), 0);
        ck_assert_uint_eq(count_free(limiter), limits[i]);
        check_all_back(limiter, limits[i]);
    }
    ck_assert_uint_eq(look(limiter).limit_changes, 7);
    limiter_done(limiter);
}
END_TEST

START_TEST(limit_of_zero_pauses)
{
    bh_limiter *limiter = limiter_make(0, 2);
    bh_permit permit;
    POISON(permit);
    ck_assert_int_eq(bh_try_acquire(limiter, &permit), -EAGAIN);
    ck_assert_int_eq(bh_acquire_for(limiter, 1, bh_ms(1), &permit), -ETIMEDOUT);
    CHECK_UNTOUCHED(permit);
    struct waiter first = {.limiter = limiter};
    struct waiter second = {.limiter = limiter, .weight = 2};
    waiter_queue(&first);
    waiter_queue(&second);
    ck_assert_int_eq(bh_acquire(limiter, &permit), -ENOBUFS);
    CHECK_UNTOUCHED(permit);

    ck_assert_int_eq(bh_limiter_set_limit(limiter, 2), 0);
    ck_assert_int_eq(waiter_end(&first), 0);
    ck_assert_uint_eq(waiting(limiter), 1);
    give_back(&first.permit);
    waiter_end_granted(&second);
    check_all_back(limiter, 2);
    limiter_done(limiter);
}
END_TEST

START_TEST(close_ends_all_waits)
{
    bh_limiter *limiter = limiter_make(2, 40);
    bh_permit held = take(limiter, 2);
    struct waiter waiters[40];
    memset(waiters, 0, sizeof(waiters));
    for (unsigned i = 0; i < 40; i++) {
        waiters[i].limiter = limiter;
        waiter_queue(&waiters[i]);
    }
    ck_assert_uint_eq(look(limiter).closed, 0);
    ck_assert_int_eq(bh_limiter_close(limiter), 0);
    for (unsigned i = 0; i < 40; i++)
        ck_assert_int_eq(waiter_end(&waiters[i]), -ESHUTDOWN);

    bh_permit permit;
    POISON(permit);
    ck_assert_int_eq(bh_try_acquire(limiter, &permit), -ESHUTDOWN);
    ck_assert_int_eq(bh_acquire(limiter, &permit), -ESHUTDOWN);
    ck_assert_int_eq(bh_limiter_close(limiter), 0);
    ck_assert_int_eq(bh_limiter_set_limit(limiter, 1), -ESHUTDOWN);
    ck_assert_int_eq(bh_limiter_set_limit(limiter, bh_limiter_max_permits(limiter) + 1), -ERANGE);
    bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.closed, 2);
    ck_assert_uint_eq(now.waiting, 0);
    ck_assert_uint_eq(now.held, 2);
    ck_assert_uint_eq(now.refused_closed, 42);
    ck_assert_uint_eq(now.limit, 2);
    ck_assert_int_eq(bh_limiter_free(limiter), -EBUSY);

    give_back(&held);
    ck_assert_int_eq(bh_try_acquire(limiter, &permit), -ESHUTDOWN);
    CHECK_UNTOUCHED(permit);
    check_all_back(limiter, 2);
    ck_assert_int_eq(bh_limiter_drain(limiter, 0), 0);
    ck_assert_uint_eq(look(limiter).closed, 2);
    limiter_done(limiter);
}
END_TEST

START_TEST(drain_that_only_looks)
{
    bh_limiter *limiter = limiter_make(2, 2);
    bh_permit held = take(limiter, 1);
    ck_assert_int_eq(bh_limiter_drain(limiter, 0), -ETIMEDOUT);
    ck_assert_uint_eq(look(limiter).closed, 1);
    bh_permit permit;
    POISON(permit);
    ck_assert_int_eq(bh_try_acquire(limiter, &permit), -ESHUTDOWN);
    ck_assert_int_eq(bh_acquire(limiter, &permit), -ESHUTDOWN);
    CHECK_UNTOUCHED(permit);
    const bh_ns started = bh_now();
    ck_assert_int_eq(bh_limiter_drain(limiter, bh_ms(20)), -ETIMEDOUT);
    ck_assert_uint_ge(bh_now() - started, bh_ms(20));
    give_back(&held);
    ck_assert_int_eq(bh_limiter_drain(limiter, 0), 0);
    ck_assert_int_eq(bh_limiter_drain(limiter, BH_FOREVER), 0);
    limiter_done(limiter);
}
END_TEST

struct drainer {
    bh_limiter *limiter;
    atomic_bool returned;
    int result;
};

static void *drainer_body(void *argument)
{
    struct drainer *drainer = argument;
    drainer->result = bh_limiter_drain(drainer->limiter, BH_FOREVER);
    atomic_store(&drainer->returned, true);
    return NULL;
}

START_TEST(drain_serves_those_who_wait)
{
    bh_limiter *limiter = limiter_make(1, 4);
    bh_permit held = take(limiter, 1);
    struct waiter first = {.limiter = limiter};
    struct waiter second = {.limiter = limiter};
    waiter_queue(&first);
    waiter_queue(&second);
    struct drainer drainer = {.limiter = limiter};
    const pthread_t thread = thread_start(drainer_body, &drainer);
    UNTIL(look(limiter).closed == 1);
    ck_assert_int_eq(bh_limiter_free(limiter), -EBUSY);

    give_back(&held);
    waiter_end_granted(&first);
    ck_assert_int_eq(waiter_end(&second), 0);
    ck_assert(!atomic_load(&drainer.returned));
    give_back(&second.permit);
    UNTIL(atomic_load(&drainer.returned));
    thread_join(thread);
    ck_assert_int_eq(drainer.result, 0);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(drain_after_a_lowered_limit)
{
    bh_limiter *limiter = limiter_make(4, 0);
    bh_permit held = take(limiter, 3);
    ck_assert_int_eq(bh_limiter_set_limit(limiter, 1), 0);
    struct drainer drainer = {.limiter = limiter};
    const pthread_t thread = thread_start(drainer_body, &drainer);
    UNTIL(look(limiter).closed == 1);
    ck_assert_int_eq(bh_limiter_set_limit(limiter, 2), 0);
    ck_assert(!atomic_load(&drainer.returned));
    give_back(&held);
    UNTIL(atomic_load(&drainer.returned));
    thread_join(thread);
    ck_assert_int_eq(drainer.result, 0);
    limiter_done(limiter);
}
END_TEST

START_TEST(raising_while_draining_does_not_reopen)
{
    bh_limiter *limiter = limiter_make(2, 0);
    bh_permit first = take(limiter, 1);
    bh_permit second = take(limiter, 1);
    ck_assert_int_eq(bh_limiter_drain(limiter, 0), -ETIMEDOUT);
    ck_assert_int_eq(bh_limiter_set_limit(limiter, 8), 0);
    give_back(&first);
    bh_permit permit;
    POISON(permit);
    ck_assert_int_eq(bh_try_acquire(limiter, &permit), -ESHUTDOWN);
    ck_assert_int_eq(bh_acquire_for(limiter, 8, 1, &permit), -ESHUTDOWN);
    CHECK_UNTOUCHED(permit);
    give_back(&second);
    ck_assert_int_eq(bh_limiter_drain(limiter, 0), 0);
    check_all_back(limiter, 8);
    limiter_done(limiter);
}
END_TEST

START_TEST(free_while_in_use)
{
    bh_limiter *limiter = limiter_make(1, 2);
    bh_permit held = take(limiter, 1);
    ck_assert_int_eq(bh_limiter_free(limiter), -EBUSY);
    struct waiter waiter = {.limiter = limiter};
    waiter_queue(&waiter);
    ck_assert_int_eq(bh_limiter_free(limiter), -EBUSY);

    give_back(&held);
    ck_assert_int_eq(waiter_end(&waiter), 0);
    ck_assert_int_eq(bh_limiter_free(limiter), -EBUSY);
    ck_assert_int_eq(bh_permit_mark_late(&waiter.permit), 0);
    ck_assert_int_eq(bh_limiter_free(limiter), -EBUSY);
    give_back(&waiter.permit);
    ck_assert_uint_eq(count_free(limiter), 1);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(free_while_over_the_limit)
{
    bh_limiter *limiter = limiter_make(3, 0);
    bh_permit held = take(limiter, 3);
    ck_assert_int_eq(bh_limiter_set_limit(limiter, 0), 0);
    ck_assert_int_eq(bh_limiter_free(limiter), -EBUSY);
    give_back(&held);
    limiter_done(limiter);
}
END_TEST

START_TEST(many_limiters_one_after_the_other)
{
    for (unsigned i = 0; i < rounds(2000); i++) {
        bh_limiter *limiter = limiter_make(1 + i % 50, i % 7);
        bh_permit permit = take(limiter, 1);
        ck_assert_uint_eq(look(limiter).granted, 1);
        give_back(&permit);
        check_all_back(limiter, 1 + i % 50);
        limiter_done(limiter);
    }
}
END_TEST

START_TEST(many_limiters_at_once)
{
    enum { LIMITERS = 200 };
    bh_limiter *limiters[LIMITERS];
    bh_permit permits[LIMITERS];
    for (unsigned i = 0; i < LIMITERS; i++) {
        limiters[i] = limiter_make(2, 0);
        permits[i] = take(limiters[i], 1 + i % 2);
    }
    for (unsigned i = 0; i < LIMITERS; i++) {
        ck_assert_uint_eq(look(limiters[i]).held, 1 + i % 2);
        give_back(&permits[i]);
        check_all_back(limiters[i], 2);
        limiter_done(limiters[i]);
    }
}
END_TEST

START_TEST(version)
{
    ck_assert_str_eq(bh_version(), BH_VERSION);
    char expected[32];
    snprintf(expected, sizeof(expected), "%d.%d.%d", BH_VERSION_MAJOR, BH_VERSION_MINOR, BH_VERSION_PATCH);
    ck_assert_str_eq(bh_version(), expected);
}
END_TEST

SUITE_MAIN("life of a limiter", null_limiter, limit_above_max_permits, limit_up_and_down, limit_of_zero_pauses,
           close_ends_all_waits, drain_that_only_looks, drain_serves_those_who_wait, drain_after_a_lowered_limit,
           raising_while_draining_does_not_reopen, free_while_in_use, free_while_over_the_limit,
           many_limiters_one_after_the_other, many_limiters_at_once, version)
