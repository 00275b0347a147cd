/* SPDX-License-Identifier: Apache-2.0 */
/* Case P01: a big waiter at the head that leaves must not strand the small ones behind it. */
#include "support.h"

START_TEST(cancelled_head_lets_the_next_in)
{
    bh_limiter *limiter = limiter_make(10, 10);
    bh_permit a = take(limiter, 7);
    bh_cancel *token = NULL;
    ck_assert_int_eq(bh_cancel_new(&token), 0);
    struct waiter b = {.limiter = limiter, .weight = 5, .cancel = token};
    struct waiter c = {.limiter = limiter, .weight = 2};
    waiter_queue(&b);
    waiter_queue(&c);

    ck_assert_int_eq(bh_cancel_all(token), 0);

    ck_assert_int_eq(waiter_end(&b), -ECANCELED);
    ck_assert_int_eq(waiter_end(&c), 0);
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.held, 9);
    ck_assert_uint_eq(now.waiting, 0);
    ck_assert_uint_eq(now.cancelled, 1);

    give_back(&c.permit);
    give_back(&a);
    check_all_back(limiter, 10);
    ck_assert_int_eq(bh_cancel_free(token), 0);
    limiter_done(limiter);
}
END_TEST

START_TEST(timed_out_head_lets_the_next_in)
{
    bh_limiter *limiter = limiter_make(10, 10);
    bh_permit a = take(limiter, 7);
    struct waiter b = {.limiter = limiter, .weight = 5, .wait_ns = bh_ms(50)};
    struct waiter c = {.limiter = limiter, .weight = 2};
    waiter_start(&b);
    UNTIL(look(limiter).queued == 1 || waiter_has_ended(&b));
    waiter_start(&c);

    ck_assert_int_eq(waiter_end(&b), -ETIMEDOUT);
    ck_assert_int_eq(waiter_end(&c), 0);
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.held, 9);
    ck_assert_uint_eq(now.waiting, 0);
    ck_assert_uint_eq(now.timed_out, 1);

    give_back(&c.permit);
    give_back(&a);
    check_all_back(limiter, 10);
    limiter_done(limiter);
}
END_TEST

START_TEST(cancelled_head_lets_in_as_many_as_fit)
{
    bh_limiter *limiter = limiter_make(10, 10);
    bh_permit a = take(limiter, 7);
    bh_cancel *token = NULL;
    ck_assert_int_eq(bh_cancel_new(&token), 0);
    struct waiter b = {.limiter = limiter, .weight = 5, .cancel = token};
    struct waiter c = {.limiter = limiter, .weight = 1};
    struct waiter d = {.limiter = limiter, .weight = 1};
    struct waiter e = {.limiter = limiter, .weight = 3};
    waiter_queue(&b);
    waiter_queue(&c);
    waiter_queue(&d);
    waiter_queue(&e);

    ck_assert_int_eq(bh_cancel_all(token), 0);

    ck_assert_int_eq(waiter_end(&b), -ECANCELED);
    ck_assert_int_eq(waiter_end(&c), 0);
    ck_assert_int_eq(waiter_end(&d), 0);
    bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.held, 9);
    ck_assert_uint_eq(now.waiting, 1);
    ck_assert_uint_eq(now.waiting_weight, 3);
    ck_assert(!waiter_has_ended(&e));

    give_back(&c.permit);
    ck_assert(!waiter_has_ended(&e));
    ck_assert_uint_eq(waiting(limiter), 1);
    give_back(&d.permit);
    waiter_end_granted(&e);
    give_back(&a);
    check_all_back(limiter, 10);
    ck_assert_int_eq(bh_cancel_free(token), 0);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("P01 big waiter leaves", cancelled_head_lets_the_next_in, timed_out_head_lets_the_next_in,
           cancelled_head_lets_in_as_many_as_fit)
