/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of acquire and their answers. */
#include "support.h"

static bh_limiter *limiter;
static bh_permit untouched;

static void set_up(uint32_t limit, uint32_t queue)
{
    limiter = limiter_make(limit, queue);
    POISON(untouched);
}

static void tear_down(uint32_t limit)
{
    CHECK_UNTOUCHED(untouched);
    check_all_back(limiter, limit);
    limiter_done(limiter);
}

START_TEST(null_arguments)
{
    set_up(1, 1);
    ck_assert_int_eq(bh_try_acquire(NULL, &untouched), -EINVAL);
    ck_assert_int_eq(bh_try_acquire_weight(NULL, 1, &untouched), -EINVAL);
    ck_assert_int_eq(bh_acquire(NULL, &untouched), -EINVAL);
    ck_assert_int_eq(bh_acquire_for(NULL, 1, 1, &untouched), -EINVAL);
    ck_assert_int_eq(bh_acquire_until(NULL, 1, BH_FOREVER, &untouched), -EINVAL);
    ck_assert_int_eq(bh_acquire_request(NULL, 1, NULL, &untouched), -EINVAL);
    ck_assert_int_eq(bh_try_acquire(limiter, NULL), -EINVAL);
    ck_assert_int_eq(bh_try_acquire_weight(limiter, 1, NULL), -EINVAL);
    ck_assert_int_eq(bh_acquire(limiter, NULL), -EINVAL);
    ck_assert_int_eq(bh_acquire_for(limiter, 1, 1, NULL), -EINVAL);
    ck_assert_int_eq(bh_acquire_until(limiter, 1, BH_FOREVER, NULL), -EINVAL);
    ck_assert_int_eq(bh_acquire_request(limiter, 1, NULL, NULL), -EINVAL);
    ck_assert_uint_eq(look(limiter).granted, 0);
    tear_down(1);
}
END_TEST

START_TEST(every_form_admits)
{
    set_up(6, 1);
    bh_permit permits[6] = {0};
    ck_assert_int_eq(bh_try_acquire(limiter, &permits[0]), 0);
    ck_assert_int_eq(bh_try_acquire_weight(limiter, 1, &permits[1]), 0);
    ck_assert_int_eq(bh_acquire(limiter, &permits[2]), 0);
    ck_assert_int_eq(bh_acquire_for(limiter, 1, 0, &permits[3]), 0);
    ck_assert_int_eq(bh_acquire_until(limiter, 1, BH_FOREVER, &permits[4]), 0);
    ck_assert_int_eq(bh_acquire_request(limiter, 1, NULL, &permits[5]), 0);
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.held, 6);
    ck_assert_uint_eq(now.granted, 6);
    ck_assert_uint_eq(now.granted_weight, 6);
    ck_assert_uint_eq(now.queued, 0);
    for (unsigned i = 0; i < 6; i++) {
        ck_assert_int_eq(bh_permit_is_held(&permits[i]), 1);
        give_back(&permits[i]);
        ck_assert_int_eq(bh_permit_is_held(&permits[i]), 0);
    }
    tear_down(6);
}
END_TEST

START_TEST(weights_add_up)
{
    set_up(36, 0);
    bh_permit permits[8];
    uint64_t held = 0;
    for (uint32_t weight = 1; weight <= 8; weight++) {
        permits[weight - 1] = take(limiter, weight);
        held += weight;
        ck_assert_uint_eq(look(limiter).held, held);
    }
    ck_assert_int_eq(bh_try_acquire(limiter, &untouched), -EAGAIN);
    ck_assert_uint_eq(look(limiter).permits_out, 8);
    ck_assert_uint_eq(look(limiter).granted_weight, 36);
    for (uint32_t weight = 1; weight <= 8; weight++) {
        give_back(&permits[weight - 1]);
        held -= weight;
        ck_assert_uint_eq(look(limiter).held, held);
        ck_assert_uint_eq(look(limiter).free, 36 - held);
    }
    tear_down(36);
}
END_TEST

START_TEST(cached_permits_do_not_strand_units)
{
    /* Units given back in ones must be there for a request of all of them, and the other way round. */
    set_up(8, 0);
    for (unsigned round = 0; round < 100; round++) {
        bh_permit ones[8];
        for (unsigned i = 0; i < 8; i++)
            ones[i] = take(limiter, 1);
        for (unsigned i = 0; i < 8; i++)
            give_back(&ones[i]);
        bh_permit all = take(limiter, 8);
        ck_assert_int_eq(bh_try_acquire(limiter, &untouched), -EAGAIN);
        give_back(&all);
    }
    tear_down(8);
}
END_TEST

START_TEST(full_without_a_wait)
{
    set_up(2, 5);
    bh_permit held = take(limiter, 2);
    ck_assert_int_eq(bh_try_acquire(limiter, &untouched), -EAGAIN);
    ck_assert_int_eq(bh_try_acquire_weight(limiter, 2, &untouched), -EAGAIN);
    ck_assert_int_eq(bh_acquire_for(limiter, 1, 0, &untouched), -EAGAIN);
    ck_assert_int_eq(bh_acquire_request(limiter, 1, &BH_REQUEST(.wait_ns = BH_NO_WAIT), &untouched), -EAGAIN);
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.refused_busy, 4);
    ck_assert_uint_eq(now.queued, 0);
    give_back(&held);
    tear_down(2);
}
END_TEST

START_TEST(queue_of_zero_refuses_at_once)
{
    set_up(1, 0);
    bh_permit held = take(limiter, 1);
    ck_assert_int_eq(bh_acquire(limiter, &untouched), -ENOBUFS);
    ck_assert_int_eq(bh_acquire_for(limiter, 1, BH_FOREVER, &untouched), -ENOBUFS);
    ck_assert_int_eq(bh_acquire_until(limiter, 1, BH_FOREVER, &untouched), -ENOBUFS);
    ck_assert_int_eq(bh_try_acquire(limiter, &untouched), -EAGAIN);
    ck_assert_uint_eq(look(limiter).refused_full, 3);
    ck_assert_uint_eq(look(limiter).refused_busy, 1);
    give_back(&held);
    tear_down(1);
}
END_TEST

START_TEST(queue_is_bounded_in_requests)
{
    set_up(1, 2);
    bh_permit held = take(limiter, 1);
    struct waiter first = {.limiter = limiter};
    struct waiter second = {.limiter = limiter};
    waiter_queue(&first);
    waiter_queue(&second);
    ck_assert_int_eq(bh_acquire(limiter, &untouched), -ENOBUFS);
    ck_assert_int_eq(bh_try_acquire(limiter, &untouched), -EAGAIN);
    give_back(&held);
    waiter_end_granted(&first);
    waiter_end_granted(&second);
    ck_assert_uint_eq(look(limiter).refused_full, 1);
    tear_down(1);
}
END_TEST

START_TEST(queue_is_bounded_in_weight)
{
    limiter = limiter_make_with(
        &BH_OPTIONS(.name = "db", .limit = 8, .queue = 100, .queue_weight = 10, .wait_ns = BH_FOREVER));
    POISON(untouched);
    bh_permit held = take(limiter, 8);
    struct waiter seven = {.limiter = limiter, .weight = 7};
    struct waiter three = {.limiter = limiter, .weight = 3};
    waiter_queue(&seven);
    ck_assert_int_eq(bh_acquire_for(limiter, 4, BH_FOREVER, &untouched), -ENOBUFS);
    waiter_queue(&three);
    ck_assert_uint_eq(look(limiter).waiting_weight, 10);
    ck_assert_int_eq(bh_acquire(limiter, &untouched), -ENOBUFS);
    give_back(&held);
    ck_assert_int_eq(waiter_end(&seven), 0);
    give_back(&seven.permit);
    waiter_end_granted(&three);
    ck_assert_uint_eq(look(limiter).refused_full, 2);
    tear_down(8);
}
END_TEST

START_TEST(request_wider_than_the_queue_in_weight)
{
    limiter = limiter_make_with(
        &BH_OPTIONS(.name = "db", .limit = 8, .queue = 100, .queue_weight = 3, .wait_ns = BH_FOREVER));
    POISON(untouched);
    bh_permit wide = take(limiter, 4);
    bh_permit more = take(limiter, 4);
    ck_assert_int_eq(bh_acquire_for(limiter, 4, BH_FOREVER, &untouched), -ENOBUFS);
    give_back(&wide);
    give_back(&more);
    tear_down(8);
}
END_TEST

START_TEST(waits_end_never_early)
{
    set_up(1, 1);
    bh_permit held = take(limiter, 1);
    static const bh_ns waits[] = {1, 1000, 100000, 1000000, 5000000};
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        bh_ns started = bh_now();
        ck_assert_int_eq(bh_acquire_for(limiter, 1, waits[i], &untouched), -ETIMEDOUT);
        ck_assert_uint_ge(bh_now() - started, waits[i]);
        const bh_ns deadline = bh_deadline_after(waits[i]);
        ck_assert_int_eq(bh_acquire_until(limiter, 1, deadline, &untouched), -ETIMEDOUT);
        ck_assert_uint_ge(bh_now(), deadline);
    }
    ck_assert_uint_eq(look(limiter).timed_out, 10);
    give_back(&held);
    tear_down(1);
}
END_TEST

START_TEST(deadline_that_has_passed)
{
    set_up(2, 1);
    ck_assert_int_eq(bh_acquire_until(limiter, 1, bh_now(), &untouched), -ETIMEDOUT);
    ck_assert_int_eq(bh_acquire_until(limiter, 1, 1, &untouched), -ETIMEDOUT);
    ck_assert_int_eq(bh_acquire_until(limiter, 1, 0, &untouched), -ETIMEDOUT);
    ck_assert_int_eq(bh_acquire_request(limiter, 1, &BH_REQUEST(.deadline_ns = 1), &untouched), -ETIMEDOUT);
    ck_assert_uint_eq(look(limiter).timed_out, 4);
    ck_assert_uint_eq(look(limiter).granted, 0);
    tear_down(2);
}
END_TEST

START_TEST(granted_in_time)
{
    set_up(1, 1);
    bh_permit held = take(limiter, 1);
    struct waiter waiter = {.limiter = limiter, .wait_ns = bh_seconds(3600)};
    waiter_queue(&waiter);
    give_back(&held);
    waiter_end_granted(&waiter);
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.queued, 1);
    ck_assert_uint_eq(now.wait_count, 1);
    ck_assert_uint_eq(now.timed_out, 0);
    tear_down(1);
}
END_TEST

START_TEST(first_answer_that_holds)
{
    set_up(2, 0);
    bh_cancel *token = NULL;
    ck_assert_int_eq(bh_cancel_new(&token), 0);
    ck_assert_int_eq(bh_cancel_all(token), 0);
    const uint32_t beyond = bh_limiter_max_permits(limiter) + 1;
    bh_permit held = take(limiter, 2);
    ck_assert_int_eq(bh_limiter_close(limiter), 0);
#define ASK(units, ...) bh_acquire_request(limiter, (units), &BH_REQUEST(__VA_ARGS__), &untouched)
    ck_assert_int_eq(ASK(beyond, .cancel = token, .deadline_ns = 1), -EINVAL);
    ck_assert_int_eq(ASK(3, .cancel = token, .deadline_ns = 1), -ECANCELED);
    ck_assert_int_eq(ASK(3, .deadline_ns = 1), -ETIMEDOUT);
    ck_assert_int_eq(ASK(3, .wait_ns = 1), -ESHUTDOWN);
    give_back(&held);
    tear_down(2);

    set_up(2, 0);
    held = take(limiter, 2);
    ck_assert_int_eq(ASK(3, .wait_ns = 1), -EMSGSIZE);
    ck_assert_int_eq(ASK(2, .wait_ns = BH_NO_WAIT), -EAGAIN);
    ck_assert_int_eq(ASK(2, .wait_ns = 1), -ENOBUFS);
#undef ASK
    give_back(&held);
    ck_assert_int_eq(bh_cancel_free(token), 0);
    tear_down(2);
}
END_TEST

SUITE_MAIN("acquiring", null_arguments, every_form_admits, weights_add_up, cached_permits_do_not_strand_units,
           full_without_a_wait, queue_of_zero_refuses_at_once, queue_is_bounded_in_requests, queue_is_bounded_in_weight,
           request_wider_than_the_queue_in_weight, waits_end_never_early, deadline_that_has_passed, granted_in_time,
           first_answer_that_holds)
