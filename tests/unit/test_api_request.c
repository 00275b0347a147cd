/* SPDX-License-Identifier: Apache-2.0 */
/* bh_request: sizes, waits and deadlines together, tokens, labels. */
#include "support.h"

static void check_malformed(const bh_request *request, int expected)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit permit;
    POISON(permit);
    ck_assert_int_eq(bh_acquire_request(limiter, 1, request, &permit), expected);
    CHECK_UNTOUCHED(permit);
    check_all_back(limiter, 1);
    ck_assert_uint_eq(look(limiter).invalid, 1);
    limiter_done(limiter);
}

START_TEST(size_and_reserved)
{
    check_malformed(&(bh_request){.size = 0}, -EINVAL);
    check_malformed(&(bh_request){.size = 4}, -EINVAL);
    check_malformed(&(bh_request){.size = (uint32_t)sizeof(bh_request) - 1}, -EINVAL);
    check_malformed(&BH_REQUEST(.reserved = 1), -EINVAL);
    check_malformed(&BH_REQUEST(.reserved = UINT32_MAX), -EINVAL);
}
END_TEST

START_TEST(unknown_tail_must_be_zero)
{
    struct {
        bh_request known;
        unsigned char unknown[16];
    } newer;
    memset(&newer, 0, sizeof(newer));
    newer.known.size = sizeof(newer);
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit permit = {0};
    ck_assert_int_eq(bh_acquire_request(limiter, 1, &newer.known, &permit), 0);
    give_back(&permit);
    for (size_t i = 0; i < sizeof(newer.unknown); i++) {
        newer.unknown[i] = 0x80;
        check_malformed(&newer.known, -E2BIG);
        newer.unknown[i] = 0;
    }
    limiter_done(limiter);
}
END_TEST

START_TEST(earlier_of_wait_and_deadline)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit held = take(limiter, 1);
    bh_permit permit;
    POISON(permit);
    bh_ns started = bh_now();
    ck_assert_int_eq(
        bh_acquire_request(
            limiter, 1, &BH_REQUEST(.wait_ns = bh_ms(10), .deadline_ns = bh_deadline_after(bh_seconds(3600))), &permit),
        -ETIMEDOUT);
    ck_assert_uint_ge(bh_now() - started, bh_ms(10));
    ck_assert_uint_lt(bh_now() - started, bh_seconds(WATCHDOG_SECONDS));

    const bh_ns deadline = bh_deadline_after(bh_ms(10));
    ck_assert_int_eq(
        bh_acquire_request(limiter, 1, &BH_REQUEST(.wait_ns = bh_seconds(3600), .deadline_ns = deadline), &permit),
        -ETIMEDOUT);
    ck_assert_uint_ge(bh_now(), deadline);
    ck_assert_uint_lt(bh_now() - deadline, bh_seconds(WATCHDOG_SECONDS));
    CHECK_UNTOUCHED(permit);
    give_back(&held);
    limiter_done(limiter);
}
END_TEST

START_TEST(default_wait_is_the_limiters)
{
    bh_limiter *limiter = limiter_make_with(&BH_OPTIONS(.name = "db", .limit = 1, .queue = 1, .wait_ns = bh_ms(30)));
    bh_permit held = take(limiter, 1);
    bh_permit permit;
    POISON(permit);
    const bh_ns started = bh_now();
    ck_assert_int_eq(bh_acquire_request(limiter, 1, NULL, &permit), -ETIMEDOUT);
    ck_assert_int_eq(bh_acquire_request(limiter, 1, &BH_REQUEST(.label = "x"), &permit), -ETIMEDOUT);
    ck_assert_int_eq(bh_acquire(limiter, &permit), -ETIMEDOUT);
    ck_assert_uint_ge(bh_now() - started, 3 * bh_ms(30));
    CHECK_UNTOUCHED(permit);
    give_back(&held);
    limiter_done(limiter);
}
END_TEST

START_TEST(deadline_without_a_wait_of_its_own)
{
    bh_limiter *limiter = limiter_make_with(&BH_OPTIONS(.name = "db", .limit = 1, .queue = 1, .wait_ns = BH_FOREVER));
    bh_permit held = take(limiter, 1);
    bh_permit permit;
    POISON(permit);
    const bh_ns deadline = bh_deadline_after(bh_ms(5));
    ck_assert_int_eq(bh_acquire_request(limiter, 1, &BH_REQUEST(.deadline_ns = deadline), &permit), -ETIMEDOUT);
    ck_assert_uint_ge(bh_now(), deadline);
    CHECK_UNTOUCHED(permit);
    give_back(&held);
    limiter_done(limiter);
}
END_TEST

static void check_label(const char *label, int expected)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit permit;
    POISON(permit);
    ck_assert_int_eq(bh_acquire_request(limiter, 1, &BH_REQUEST(.label = label), &permit), expected);
    if (expected == 0) {
        bh_permit_info info = {.size = sizeof(info)};
        ck_assert_int_eq(bh_permit_describe(&permit, &info), 0);
        ck_assert_str_eq(info.label, label ? label : "");
        give_back(&permit);
    } else {
        CHECK_UNTOUCHED(permit);
        ck_assert_uint_eq(look(limiter).invalid, 1);
    }
    check_all_back(limiter, 1);
    limiter_done(limiter);
}

START_TEST(labels)
{
    check_label(NULL, 0);
    check_label("", 0);
    check_label("checkout", 0);
    check_label("1234567890123456789012345678901", 0);
    check_label("12345678901234567890123456789012", -EINVAL);
    check_label("a/b \"quoted\" \\ \n", 0);
    check_label("12345678901234567890123456789\xc3\xa9", 0);
    check_label("123456789012345678901234567890\xc3\xa9", -EINVAL);
    check_label("caf\xe9", -EINVAL);
    check_label("\xc0\xaf", -EINVAL);
    check_label("\xed\xa0\x80", -EINVAL);
    check_label("\xe2\x82", -EINVAL);
}
END_TEST

START_TEST(label_belongs_to_one_permit)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit_info info = {.size = sizeof(info)};
    bh_permit permit = {0};
    char text[] = "first";
    ck_assert_int_eq(bh_acquire_request(limiter, 1, &BH_REQUEST(.label = text), &permit), 0);
    memcpy(text, "xxxxx", 5);
    ck_assert_int_eq(bh_permit_describe(&permit, &info), 0);
    ck_assert_str_eq(info.label, "first");
    give_back(&permit);
    for (unsigned i = 0; i < 3; i++) {
        permit = take(limiter, 1);
        ck_assert_int_eq(bh_permit_describe(&permit, &info), 0);
        ck_assert_str_eq(info.label, "");
        give_back(&permit);
    }
    struct waiter waiter = {.limiter = limiter, .label = "after a wait"};
    permit = take(limiter, 1);
    waiter_queue(&waiter);
    give_back(&permit);
    ck_assert_int_eq(waiter_end(&waiter), 0);
    ck_assert_int_eq(bh_permit_describe(&waiter.permit, &info), 0);
    ck_assert_str_eq(info.label, "after a wait");
    give_back(&waiter.permit);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("requests", size_and_reserved, unknown_tail_must_be_zero, earlier_of_wait_and_deadline,
           default_wait_is_the_limiters, deadline_without_a_wait_of_its_own, labels, label_belongs_to_one_permit)
