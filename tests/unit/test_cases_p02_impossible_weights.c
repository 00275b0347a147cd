/* SPDX-License-Identifier: Apache-2.0 */
/* Case P02: weights that can never fit, and nonsense weights, fail at once and change nothing. */
#include "support.h"

static void check_refused_weight(bh_limiter *limiter, uint32_t weight, int expected)
{
    const bh_snapshot before = look(limiter);
    bh_permit permit;
    POISON(permit);
    ck_assert_int_eq(bh_try_acquire_weight(limiter, weight, &permit), expected);
    ck_assert_int_eq(bh_acquire_for(limiter, weight, bh_seconds(2), &permit), expected);
    ck_assert_int_eq(bh_acquire_until(limiter, weight, bh_deadline_after(bh_seconds(2)), &permit), expected);
    ck_assert_int_eq(bh_acquire_request(limiter, weight, NULL, &permit), expected);
    ck_assert_int_eq(bh_acquire_request(limiter, weight, &BH_REQUEST(.wait_ns = bh_seconds(2)), &permit), expected);
    CHECK_UNTOUCHED(permit);

    const bh_snapshot after = look(limiter);
    ck_assert_uint_eq(after.held, before.held);
    ck_assert_uint_eq(after.free, before.free);
    ck_assert_uint_eq(after.waiting, 0);
    ck_assert_uint_eq(after.queued, before.queued);
    ck_assert_uint_eq(after.granted, before.granted);
    ck_assert_uint_eq(after.granted_weight, before.granted_weight);
    if (expected == -EINVAL)
        ck_assert_uint_eq(after.invalid, before.invalid + 5);
    else
        ck_assert_uint_eq(after.refused_too_big, before.refused_too_big + 5);
}

START_TEST(above_the_limit_can_never_fit)
{
    bh_limiter *limiter = limiter_make(4, 4);
    check_refused_weight(limiter, 5, -EMSGSIZE);

    bh_refusal refusal = {.size = sizeof(refusal)};
    ck_assert_int_eq(bh_refusal_describe(limiter, -EMSGSIZE, &refusal), 0);
    ck_assert_uint_eq(refusal.reason, BH_REASON_TOO_BIG);

    struct waiter too_big = {.limiter = limiter, .weight = 5, .wait_ns = bh_seconds(2)};
    struct waiter small = {.limiter = limiter, .weight = 1};
    waiter_start(&too_big);
    waiter_start(&small);
    ck_assert_int_eq(waiter_end(&too_big), -EMSGSIZE);
    waiter_end_granted(&small);
    check_all_back(limiter, 4);
    limiter_done(limiter);
}
END_TEST

START_TEST(nonsense_is_an_argument_error)
{
    bh_limiter *limiter = limiter_make(4, 4);
    const uint32_t most = bh_limiter_max_permits(limiter);
    check_refused_weight(limiter, 0, -EINVAL);
    check_refused_weight(limiter, (uint32_t)-1, -EINVAL);
    check_refused_weight(limiter, UINT32_MAX - 1, -EINVAL);
    check_refused_weight(limiter, (uint32_t)INT32_MAX + 1u, -EINVAL);
    check_refused_weight(limiter, most + 1, -EINVAL);
    check_refused_weight(limiter, most, -EMSGSIZE);

    bh_permit one = take(limiter, 1);
    check_refused_weight(limiter, UINT32_MAX, -EINVAL);
    check_refused_weight(limiter, 0, -EINVAL);
    ck_assert_uint_eq(look(limiter).held, 1);
    give_back(&one);

    bh_permit permits[4];
    for (unsigned i = 0; i < 4; i++)
        permits[i] = take(limiter, 1);
    bh_permit fifth = {0};
    ck_assert_int_eq(bh_try_acquire(limiter, &fifth), -EAGAIN);
    for (unsigned i = 0; i < 4; i++)
        give_back(&permits[i]);
    check_all_back(limiter, 4);
    limiter_done(limiter);
}
END_TEST

START_TEST(arithmetic_cannot_wrap)
{
    bh_limiter *limiter = limiter_make_with(&BH_OPTIONS(.name = "wide", .limit = BH_MAX_PERMITS_MAX, .queue = 4,
                                                        .queue_weight = INT64_MAX, .max_permits = BH_MAX_PERMITS_MAX));
    bh_permit all = take(limiter, BH_MAX_PERMITS_MAX);
    bh_permit more;
    POISON(more);
    ck_assert_int_eq(bh_try_acquire_weight(limiter, BH_MAX_PERMITS_MAX, &more), -EAGAIN);
    CHECK_UNTOUCHED(more);
    struct waiter next = {.limiter = limiter, .weight = BH_MAX_PERMITS_MAX, .wait_ns = BH_FOREVER};
    waiter_queue(&next);
    ck_assert_uint_eq(look(limiter).waiting_weight, BH_MAX_PERMITS_MAX);
    give_back(&all);
    waiter_end_granted(&next);
    check_all_back(limiter, BH_MAX_PERMITS_MAX);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("P02 impossible weights", above_the_limit_can_never_fit, nonsense_is_an_argument_error,
           arithmetic_cannot_wrap)
