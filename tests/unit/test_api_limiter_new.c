/* SPDX-License-Identifier: Apache-2.0 */
/* Making limiters: every field of the options, inside and outside its range. */
#include "support.h"

static void check_refused(const bh_options *options, int expected)
{
    bh_limiter *limiter;
    POISON(limiter);
    ck_assert_int_eq(bh_limiter_new(options, &limiter), expected);
    CHECK_UNTOUCHED(limiter);
}

static void check_accepted(const bh_options *options)
{
    limiter_done(limiter_make_with(options));
}

#define OPTIONS(...) &BH_OPTIONS(.name = "db", __VA_ARGS__)

START_TEST(pointers_and_size)
{
    check_refused(NULL, -EINVAL);
    ck_assert_int_eq(bh_limiter_new(OPTIONS(.limit = 4, .queue = 1), NULL), -EINVAL);
    check_refused(&(bh_options){.name = "db", .limit = 4, .size = 0}, -EINVAL);
    check_refused(&(bh_options){.name = "db", .limit = 4, .size = (uint32_t)sizeof(bh_options) - 1}, -EINVAL);
    check_refused(&(bh_options){.name = "db", .limit = 4, .size = 8}, -EINVAL);
}
END_TEST

START_TEST(unknown_tail_must_be_zero)
{
    struct {
        bh_options known;
        unsigned char unknown[24];
    } newer;
    memset(&newer, 0, sizeof(newer));
    newer.known = BH_OPTIONS(.name = "db", .limit = 4);
    newer.known.size = sizeof(newer);
    check_accepted(&newer.known);
    for (size_t i = 0; i < sizeof(newer.unknown); i++) {
        newer.unknown[i] = 1;
        check_refused(&newer.known, -E2BIG);
        newer.unknown[i] = 0;
    }
    newer.unknown[23] = 1;
    newer.known.size = sizeof(newer) - 1;
    check_accepted(&newer.known);
}
END_TEST

START_TEST(limit_and_max_permits)
{
    check_accepted(OPTIONS(.limit = 0));
    check_accepted(OPTIONS(.limit = 1, .max_permits = 1));
    check_accepted(OPTIONS(.limit = 4, .max_permits = 4));
    check_refused(OPTIONS(.limit = 4, .max_permits = 3), -ERANGE);
    check_refused(OPTIONS(.limit = BH_MAX_PERMITS_MAX, .max_permits = BH_MAX_PERMITS_MAX - 1), -ERANGE);
    check_refused(OPTIONS(.limit = 4, .max_permits = BH_MAX_PERMITS_MAX + 1), -EINVAL);
    check_refused(OPTIONS(.limit = 4, .max_permits = UINT32_MAX), -EINVAL);

    bh_limiter *limiter;
    POISON(limiter);
    const int beyond = bh_limiter_new(OPTIONS(.limit = BH_MAX_PERMITS_MAX + 1), &limiter);
    ck_assert_msg(beyond == -EINVAL || beyond == -ERANGE, "a limit beyond the largest answered %d", beyond);
    CHECK_UNTOUCHED(limiter);
}
END_TEST

static uint32_t default_max_permits(uint32_t limit)
{
    bh_limiter *limiter = limiter_make(limit, 0);
    const uint32_t most = bh_limiter_max_permits(limiter);
    ck_assert_uint_eq(look(limiter).max_permits, most);
    ck_assert_uint_eq(bh_limiter_limit(limiter), limit);
    limiter_done(limiter);
    return most;
}

START_TEST(default_of_max_permits)
{
    ck_assert_uint_eq(default_max_permits(0), 16);
    ck_assert_uint_eq(default_max_permits(1), 17);
    ck_assert_uint_eq(default_max_permits(15), 31);
    ck_assert_uint_eq(default_max_permits(16), 32);
    ck_assert_uint_eq(default_max_permits(17), 34);
    ck_assert_uint_eq(default_max_permits(1000), 2000);
    ck_assert_uint_eq(default_max_permits(BH_MAX_PERMITS_MAX), BH_MAX_PERMITS_MAX);
}
END_TEST

START_TEST(queue_order_patience_reserved)
{
    check_accepted(OPTIONS(.limit = 4, .queue = 0));
    check_accepted(OPTIONS(.limit = 4, .queue = BH_QUEUE_MAX));
    check_refused(OPTIONS(.limit = 4, .queue = BH_QUEUE_MAX + 1), -EINVAL);
    check_refused(OPTIONS(.limit = 4, .queue = UINT32_MAX), -EINVAL);
    check_accepted(OPTIONS(.limit = 4, .queue = 1, .queue_weight = INT64_MAX));
    check_accepted(OPTIONS(.limit = 4, .order = BH_ORDER_FIFO));
    check_accepted(OPTIONS(.limit = 4, .order = BH_ORDER_BARGING));
    check_accepted(OPTIONS(.limit = 4, .order = BH_ORDER_BARGING, .patience_ns = 1));
    check_accepted(OPTIONS(.limit = 4, .order = BH_ORDER_BARGING, .patience_ns = BH_FOREVER));
    check_refused(OPTIONS(.limit = 4, .order = 2), -EINVAL);
    check_refused(OPTIONS(.limit = 4, .order = UINT32_MAX), -EINVAL);
    check_refused(OPTIONS(.limit = 4, .order = BH_ORDER_FIFO, .patience_ns = 1), -EINVAL);
    check_refused(OPTIONS(.limit = 4, .reserved = 1), -EINVAL);
    check_accepted(OPTIONS(.limit = 4, .wait_ns = BH_NO_WAIT));
    check_accepted(OPTIONS(.limit = 4, .wait_ns = BH_FOREVER));
}
END_TEST

static void check_name(const char *name, bool accepted)
{
    if (!accepted) {
        check_refused(&BH_OPTIONS(.limit = 4, .name = name), -EINVAL);
        return;
    }
    bh_limiter *limiter = limiter_make_with(&BH_OPTIONS(.limit = 4, .name = name));
    ck_assert_str_eq(bh_limiter_name(limiter), name);
    ck_assert_ptr_ne(bh_limiter_name(limiter), name);
    limiter_done(limiter);
}

START_TEST(length_of_the_name)
{
    char name[BH_NAME_MAX + 2];
    memset(name, 'n', sizeof(name));
    name[BH_NAME_MAX + 1] = '\0';
    check_name(name, false);
    name[BH_NAME_MAX] = '\0';
    check_name(name, true);
    name[1] = '\0';
    check_name(name, true);
    check_name("", false);
    check_name(NULL, false);

    for (size_t i = 0; i < BH_NAME_MAX; i += 2)
        memcpy(name + i, "\xc3\xa9", 2);
    name[BH_NAME_MAX] = '\0';
    check_name(name, true);
    name[BH_NAME_MAX - 1] = '\0';
    check_name(name, false);
}
END_TEST

START_TEST(letters_of_the_name)
{
    check_name("a/b", false);
    check_name("/", false);
    check_name("a\"b\\c\nd\te\x01", true);
    check_name("\xe2\x82\xac", true);
    check_name("\xf0\x9f\x9a\xa2", true);
    check_name("\xf4\x8f\xbf\xbf", true);
    check_name("\xed\x9f\xbf", true);
    check_name("\xee\x80\x80", true);
}
END_TEST

START_TEST(broken_utf8_in_the_name)
{
    check_name("\x80", false);
    check_name("a\xbf", false);
    check_name("\xc3", false);
    check_name("\xc3(", false);
    check_name("\xe2\x82", false);
    check_name("\xe2\x82(", false);
    check_name("\xf0\x9f\x9a", false);
    check_name("\xc0\xaf", false); /* overlong '/' in two bytes */
    check_name("\xc1\xbf", false);
    check_name("\xe0\x80\xaf", false); /* in three */
    check_name("\xe0\x9f\xbf", false);
    check_name("\xf0\x80\x80\xaf", false); /* in four */
    check_name("\xf0\x8f\xbf\xbf", false);
    check_name("\xed\xa0\x80", false);     /* the first surrogate */
    check_name("\xed\xbf\xbf", false);     /* the last one */
    check_name("\xf4\x90\x80\x80", false); /* above U+10FFFF */
    check_name("\xf5\x80\x80\x80", false);
    check_name("\xf8\x88\x80\x80\x80", false);
    check_name("\xfe", false);
    check_name("\xff", false);
}
END_TEST

static void check_unit(const char *unit, bool accepted)
{
    if (!accepted) {
        check_refused(OPTIONS(.limit = 4, .unit = unit), -EINVAL);
        return;
    }
    bh_limiter *limiter = limiter_make_with(OPTIONS(.limit = 4, .unit = unit));
    ck_assert_str_eq(bh_limiter_unit(limiter), unit ? unit : "calls");
    limiter_done(limiter);
}

START_TEST(unit)
{
    char name[BH_UNIT_MAX + 2];
    memset(name, 'u', sizeof(name));
    name[BH_UNIT_MAX + 1] = '\0';
    check_unit(name, false);
    name[BH_UNIT_MAX] = '\0';
    check_unit(name, true);
    check_unit(NULL, true);
    check_unit("KiB", true);
    check_unit("", false);
    check_unit("\xff", false);
    check_unit("\xed\xa0\x80", false);
}
END_TEST

START_TEST(name_and_unit_are_copied)
{
    char name[] = "orders";
    char unit_name[] = "rows";
    bh_limiter *limiter = limiter_make_with(&BH_OPTIONS(.limit = 4, .name = name, .unit = unit_name));
    memset(name, 'x', sizeof(name) - 1);
    memset(unit_name, 'x', sizeof(unit_name) - 1);
    ck_assert_str_eq(bh_limiter_name(limiter), "orders");
    ck_assert_str_eq(bh_limiter_unit(limiter), "rows");
    limiter_done(limiter);
}
END_TEST

START_TEST(plain_form)
{
    bh_limiter *limiter = NULL;
    ck_assert_int_eq(bh_limiter_new_simple("plain", 3, 7, bh_ms(5), &limiter), 0);
    ck_assert_str_eq(bh_limiter_name(limiter), "plain");
    ck_assert_str_eq(bh_limiter_unit(limiter), "calls");
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.limit, 3);
    ck_assert_uint_eq(now.queue, 7);
    ck_assert_uint_eq(now.order, BH_ORDER_FIFO);
    ck_assert_uint_eq(now.max_permits, 19);
    limiter_done(limiter);

    bh_limiter *refused;
    POISON(refused);
    ck_assert_int_eq(bh_limiter_new_simple(NULL, 3, 7, 0, &refused), -EINVAL);
    ck_assert_int_eq(bh_limiter_new_simple("", 3, 7, 0, &refused), -EINVAL);
    ck_assert_int_eq(bh_limiter_new_simple("a/b", 3, 7, 0, &refused), -EINVAL);
    ck_assert_int_eq(bh_limiter_new_simple("plain", 3, BH_QUEUE_MAX + 1, 0, &refused), -EINVAL);
    ck_assert_int_lt(bh_limiter_new_simple("plain", UINT32_MAX, 0, 0, &refused), 0);
    CHECK_UNTOUCHED(refused);
    ck_assert_int_eq(bh_limiter_new_simple("plain", 3, 7, 0, NULL), -EINVAL);
}
END_TEST

START_TEST(default_waits)
{
    /* 0: one second */
    bh_limiter *limiter = limiter_make_with(OPTIONS(.limit = 1, .queue = 1));
    bh_permit held = take(limiter, 1);
    bh_permit permit;
    POISON(permit);
    const bh_ns started = bh_now();
    ck_assert_int_eq(bh_acquire(limiter, &permit), -ETIMEDOUT);
    ck_assert_uint_ge(bh_now() - started, bh_seconds(1));
    give_back(&held);
    limiter_done(limiter);

    limiter = limiter_make_with(OPTIONS(.limit = 1, .queue = 1, .wait_ns = BH_NO_WAIT));
    held = take(limiter, 1);
    ck_assert_int_eq(bh_acquire(limiter, &permit), -EAGAIN);
    ck_assert_int_eq(bh_acquire_request(limiter, 1, NULL, &permit), -EAGAIN);
    CHECK_UNTOUCHED(permit);
    ck_assert_uint_eq(look(limiter).queued, 0);
    give_back(&held);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("making limiters", pointers_and_size, unknown_tail_must_be_zero, limit_and_max_permits,
           default_of_max_permits, queue_order_patience_reserved, length_of_the_name, letters_of_the_name,
           broken_utf8_in_the_name, unit, name_and_unit_are_copied, plain_form, default_waits)
