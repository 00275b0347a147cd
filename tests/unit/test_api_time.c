/* SPDX-License-Identifier: Apache-2.0 */
/* Durations, instants and their edges. */
#include "support.h"

START_TEST(units)
{
    ck_assert_uint_eq(bh_ms(0), 0);
    ck_assert_uint_eq(bh_ms(1), 1000000);
    ck_assert_uint_eq(bh_seconds(1), 1000000000);
    ck_assert_uint_eq(bh_seconds(0), 0);
    ck_assert_uint_eq(bh_ms(UINT64_MAX), BH_NO_WAIT - 1);
    ck_assert_uint_eq(bh_seconds(UINT64_MAX), BH_NO_WAIT - 1);
    ck_assert_uint_eq(bh_ms(UINT64_MAX / 1000000u), BH_NO_WAIT - 1);
    ck_assert_uint_eq(bh_seconds(UINT64_MAX / 1000000000u), BH_NO_WAIT - 1);
    ck_assert_uint_lt(bh_ms(UINT64_MAX / 1000000u - 1), BH_NO_WAIT - 1);
    ck_assert_uint_lt(bh_seconds(UINT64_MAX / 1000000000u - 1), BH_NO_WAIT - 1);
}
END_TEST

START_TEST(now_only_grows)
{
    bh_ns before = bh_now();
    ck_assert_uint_gt(before, 0);
    for (unsigned i = 0; i < 10000; i++) {
        const bh_ns now = bh_now();
        ck_assert_uint_ge(now, before);
        before = now;
    }
}
END_TEST

START_TEST(deadlines)
{
    const bh_ns before = bh_now();
    const bh_ns deadline = bh_deadline_after(bh_seconds(10));
    const bh_ns after = bh_now();
    ck_assert_uint_ge(deadline, before + bh_seconds(10));
    ck_assert_uint_le(deadline, after + bh_seconds(10));
    ck_assert_uint_le(bh_deadline_after(0), bh_now());
    ck_assert_uint_eq(bh_deadline_after(BH_FOREVER), BH_FOREVER);
    ck_assert_uint_le(bh_deadline_after(BH_NO_WAIT), bh_now());
    ck_assert_uint_eq(bh_deadline_after(BH_NO_WAIT - 1), BH_FOREVER);
    ck_assert_uint_eq(bh_deadline_after(BH_FOREVER - before), BH_FOREVER);
    ck_assert_uint_lt(bh_deadline_after(BH_FOREVER - bh_now() - bh_seconds(100)), BH_FOREVER);
}
END_TEST

START_TEST(what_remains)
{
    ck_assert_uint_eq(bh_remaining(0), 0);
    ck_assert_uint_eq(bh_remaining(1), 0);
    ck_assert_uint_eq(bh_remaining(bh_now()), 0);
    ck_assert_uint_eq(bh_remaining(BH_FOREVER), BH_FOREVER);
    const bh_ns left = bh_remaining(bh_deadline_after(bh_seconds(1000)));
    ck_assert_uint_le(left, bh_seconds(1000));
    ck_assert_uint_gt(left, bh_seconds(1000 - WATCHDOG_SECONDS));
}
END_TEST

SUITE_MAIN("time", units, now_only_grows, deadlines, what_remains)
