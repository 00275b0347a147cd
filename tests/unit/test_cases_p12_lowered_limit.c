/* SPDX-License-Identifier: Apache-2.0 */
/* Case P12: lowering the limit under load returns at once and keeps the books. */
#include "support.h"

struct change {
    bh_limiter *limiter;
    uint32_t limit;
    atomic_bool returned;
    int result;
};

static void *change_body(void *argument)
{
    struct change *change = argument;
    change->result = bh_limiter_set_limit(change->limiter, change->limit);
    atomic_store(&change->returned, true);
    return NULL;
}

/* From another thread, and it must return although permits are out. */
static void change_limit(bh_limiter *limiter, uint32_t limit)
{
    struct change change = {.limiter = limiter, .limit = limit};
    const pthread_t thread = thread_start(change_body, &change);
    UNTIL(atomic_load(&change.returned));
    thread_join(thread);
    ck_assert_int_eq(change.result, 0);
}

static void check_state(const bh_limiter *limiter, uint32_t limit, uint64_t held, uint64_t overage)
{
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.limit, limit);
    ck_assert_uint_eq(bh_limiter_limit(limiter), limit);
    ck_assert_uint_eq(now.held, held);
    ck_assert_uint_eq(now.overage, overage);
    ck_assert_uint_eq(now.free, held < limit ? limit - held : 0);
}

static void check_try_is_refused(bh_limiter *limiter)
{
    bh_permit permit;
    POISON(permit);
    ck_assert_int_eq(bh_try_acquire(limiter, &permit), -EAGAIN);
    CHECK_UNTOUCHED(permit);
}

START_TEST(lowering_keeps_what_is_out)
{
    bh_limiter *limiter = limiter_make(5, 0);
    bh_permit permits[4];
    for (unsigned i = 0; i < 4; i++)
        permits[i] = take(limiter, 1);
    change_limit(limiter, 2);
    check_state(limiter, 2, 4, 2);
    check_try_is_refused(limiter);

    give_back(&permits[0]);
    check_state(limiter, 2, 3, 1);
    check_try_is_refused(limiter);
    give_back(&permits[1]);
    check_state(limiter, 2, 2, 0);
    check_try_is_refused(limiter);

    give_back(&permits[2]);
    check_state(limiter, 2, 1, 0);
    bh_permit one = take(limiter, 1);
    check_try_is_refused(limiter);

    give_back(&one);
    give_back(&permits[3]);
    ck_assert_uint_eq(look(limiter).limit_changes, 1);
    ck_assert_uint_eq(count_free(limiter), 2);
    check_all_back(limiter, 2);
    limiter_done(limiter);
}
END_TEST

/* `held` are out at a limit of 2 and three wait; at 5, as many of them as fit are granted without any release. */
static void check_raise_serves(unsigned held, unsigned granted)
{
    bh_limiter *limiter = limiter_make(5, 3);
    bh_permit permits[4];
    for (unsigned i = 0; i < held; i++)
        permits[i] = take(limiter, 1);
    change_limit(limiter, 2);
    struct waiter waiters[3];
    memset(waiters, 0, sizeof(waiters));
    for (unsigned i = 0; i < 3; i++) {
        waiters[i].limiter = limiter;
        waiter_queue(&waiters[i]);
    }
    check_state(limiter, 2, held, held > 2 ? held - 2 : 0);

    change_limit(limiter, 5);
    for (unsigned i = 0; i < granted; i++)
        ck_assert_int_eq(waiter_end(&waiters[i]), 0);
    ck_assert_uint_eq(waiting(limiter), 3 - granted);
    check_state(limiter, 5, held + granted, 0);

    for (unsigned i = 0; i < held; i++)
        give_back(&permits[i]);
    for (unsigned i = granted; i < 3; i++)
        ck_assert_int_eq(waiter_end(&waiters[i]), 0);
    for (unsigned i = 0; i < 3; i++)
        give_back(&waiters[i].permit);
    check_all_back(limiter, 5);
    limiter_done(limiter);
}

START_TEST(raising_serves_one_of_three)
{
    check_raise_serves(4, 1);
}
END_TEST

START_TEST(raising_serves_two_of_three)
{
    check_raise_serves(3, 2);
}
END_TEST

START_TEST(raising_serves_all_three)
{
    check_raise_serves(2, 3);
}
END_TEST

START_TEST(waiter_too_big_for_the_lowered_limit_ends)
{
    bh_limiter *limiter = limiter_make(5, 3);
    bh_permit held = take(limiter, 4);
    struct waiter big = {.limiter = limiter, .weight = 3};
    struct waiter small = {.limiter = limiter, .weight = 2};
    waiter_queue(&big);
    waiter_queue(&small);
    change_limit(limiter, 2);
    ck_assert_int_eq(waiter_end(&big), -EMSGSIZE);
    check_state(limiter, 2, 4, 2);
    ck_assert_uint_eq(waiting(limiter), 1);
    give_back(&held);
    waiter_end_granted(&small);
    ck_assert_uint_eq(look(limiter).refused_too_big, 1);
    check_all_back(limiter, 2);
    limiter_done(limiter);
}
END_TEST

START_TEST(paused_at_zero_and_back)
{
    bh_limiter *limiter = limiter_make(3, 3);
    bh_permit held = take(limiter, 2);
    change_limit(limiter, 0);
    check_state(limiter, 0, 2, 2);
    check_try_is_refused(limiter);
    struct waiter waiter = {.limiter = limiter, .weight = 3};
    waiter_queue(&waiter);
    give_back(&held);
    check_state(limiter, 0, 0, 0);
    ck_assert(!waiter_has_ended(&waiter));
    change_limit(limiter, 3);
    waiter_end_granted(&waiter);
    check_all_back(limiter, 3);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("P12 lowered limit", lowering_keeps_what_is_out, raising_serves_one_of_three, raising_serves_two_of_three,
           raising_serves_all_three, waiter_too_big_for_the_lowered_limit_ends, paused_at_zero_and_back)
