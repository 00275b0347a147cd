/* SPDX-License-Identifier: Apache-2.0 */
/* Late permits, and what a permit says about itself. */
#include "support.h"

START_TEST(late_until_released)
{
    bh_limiter *limiter = limiter_make(3, 0);
    bh_permit first = take(limiter, 2);
    bh_permit second = take(limiter, 1);
    ck_assert_int_eq(bh_permit_mark_late(&first), 0);
    bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.permits_late, 1);
    ck_assert_uint_eq(now.permits_out, 2);
    ck_assert_uint_eq(now.held, 3);
    ck_assert_uint_eq(now.late, 1);
    ck_assert_int_eq(bh_permit_is_held(&first), 1);

    ck_assert_int_eq(bh_permit_mark_late(&first), -EALREADY);
    now = look(limiter);
    ck_assert_uint_eq(now.late, 1);
    ck_assert_uint_eq(now.permits_late, 1);

    give_back(&first);
    now = look(limiter);
    ck_assert_uint_eq(now.permits_late, 0);
    ck_assert_uint_eq(now.late, 1);
    ck_assert_uint_eq(now.held, 1);
    give_back(&second);
    check_all_back(limiter, 3);
    limiter_done(limiter);
}
END_TEST

START_TEST(late_permit_is_released_once)
{
    bh_limiter *limiter = limiter_make(1, 0);
    bh_permit permit = take(limiter, 1);
    bh_permit copy = permit;
    ck_assert_int_eq(bh_permit_mark_late(&copy), 0);
    give_back(&permit);
    ck_assert_int_eq(bh_release(&copy), -EALREADY);
    ck_assert_uint_eq(look(limiter).violations, 1);
    bh_permit next = take(limiter, 1);
    bh_permit_info info = {.size = sizeof(info)};
    ck_assert_int_eq(bh_permit_describe(&next, &info), 0);
    ck_assert_uint_eq(info.late, 0);
    give_back(&next);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(late_release_serves_the_queue)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit permit = take(limiter, 1);
    ck_assert_int_eq(bh_permit_mark_late(&permit), 0);
    struct waiter waiter = {.limiter = limiter};
    waiter_queue(&waiter);
    give_back(&permit);
    waiter_end_granted(&waiter);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(marking_what_is_not_out)
{
    bh_limiter *limiter = limiter_make(1, 0);
    bh_permit empty = {0};
    ck_assert_int_eq(bh_permit_mark_late(NULL), -EINVAL);
    ck_assert_int_eq(bh_permit_mark_late(&empty), -EINVAL);
    bh_permit permit = take(limiter, 1);
    bh_permit kept = permit;
    give_back(&permit);
    ck_assert_int_eq(bh_permit_mark_late(&permit), -EALREADY);
    ck_assert_int_eq(bh_permit_mark_late(&kept), -EALREADY);
    ck_assert_uint_eq(look(limiter).late, 0);
    ck_assert_uint_eq(look(limiter).permits_late, 0);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(description)
{
    bh_limiter *limiter = limiter_make(9, 0);
    bh_permit permit = {0};
    ck_assert_int_eq(bh_acquire_request(limiter, 7, &BH_REQUEST(.label = "export"), &permit), 0);
    bh_permit_info info;
    POISON(info);
    info.size = sizeof(info);
    ck_assert_int_eq(bh_permit_describe(&permit, &info), 0);
    ck_assert_uint_eq(info.size, sizeof(info));
    ck_assert_uint_eq(info.weight, 7);
    ck_assert_uint_eq(info.late, 0);
    ck_assert_uint_eq(info.reserved, 0);
    ck_assert_str_eq(info.label, "export");
    ck_assert_int_eq(bh_permit_mark_late(&permit), 0);
    ck_assert_int_eq(bh_permit_describe(&permit, &info), 0);
    ck_assert_uint_eq(info.late, 1);
    ck_assert_uint_eq(info.weight, 7);
    give_back(&permit);
    limiter_done(limiter);
}
END_TEST

START_TEST(description_refused)
{
    bh_limiter *limiter = limiter_make(1, 0);
    bh_permit permit = take(limiter, 1);
    bh_permit kept = permit;
    bh_permit empty = {0};
    struct {
        uint32_t size;
        unsigned char rest[sizeof(bh_permit_info) - sizeof(uint32_t)];
    } info;
    bh_permit_info *asked = (bh_permit_info *)(void *)&info;
    POISON(info.rest);
    info.size = sizeof(bh_permit_info);
    ck_assert_int_eq(bh_permit_describe(NULL, asked), -EINVAL);
    ck_assert_int_eq(bh_permit_describe(&empty, asked), -EINVAL);
    ck_assert_int_eq(bh_permit_describe(&permit, NULL), -EINVAL);
    info.size = sizeof(bh_permit_info) - 1;
    ck_assert_int_eq(bh_permit_describe(&permit, asked), -EINVAL);
    info.size = 0;
    ck_assert_int_eq(bh_permit_describe(&permit, asked), -EINVAL);

    info.size = sizeof(bh_permit_info);
    give_back(&permit);
    ck_assert_int_eq(bh_permit_describe(&permit, asked), -EALREADY);
    ck_assert_int_eq(bh_permit_describe(&kept, asked), -EALREADY);
    CHECK_UNTOUCHED(info.rest);
    ck_assert_uint_eq(look(limiter).violations, 0);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("late permits", late_until_released, late_permit_is_released_once, late_release_serves_the_queue,
           marking_what_is_not_out, description, description_refused)
