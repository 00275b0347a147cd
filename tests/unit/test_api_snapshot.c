/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots: sizes, counters by outcome, waits. */
#include "support.h"

START_TEST(sizes)
{
    bh_limiter *limiter = limiter_make(1, 0);
    struct {
        bh_snapshot snapshot;
        unsigned char behind[64];
    } room;
    POISON(room);
    room.snapshot.size = 0;
    ck_assert_int_eq(bh_limiter_snapshot(limiter, &room.snapshot), -EINVAL);
    room.snapshot.size = 4;
    ck_assert_int_eq(bh_limiter_snapshot(limiter, &room.snapshot), -EINVAL);
    room.snapshot.size = sizeof(bh_snapshot) - 1;
    ck_assert_int_eq(bh_limiter_snapshot(limiter, &room.snapshot), -EINVAL);
    ck_assert_int_eq(bh_limiter_snapshot(limiter, NULL), -EINVAL);
    room.snapshot.size = sizeof(bh_snapshot);
    ck_assert_int_eq(bh_limiter_snapshot(NULL, &room.snapshot), -EINVAL);
    check_poisoned((const unsigned char *)&room + sizeof(uint32_t), sizeof(room) - sizeof(uint32_t));

    ck_assert_int_eq(bh_limiter_snapshot(limiter, &room.snapshot), 0);
    ck_assert_uint_eq(room.snapshot.limit, 1);
    CHECK_UNTOUCHED(room.behind);
    room.snapshot.size = sizeof(room);
    ck_assert_int_eq(bh_limiter_snapshot(limiter, &room.snapshot), 0);
    ck_assert_uint_eq(room.snapshot.free, 1);
    ck_assert_uint_ge(room.snapshot.size, sizeof(bh_snapshot));
    limiter_done(limiter);
}
END_TEST

START_TEST(untouched_limiter)
{
    bh_limiter *limiter = limiter_make_with(
        &BH_OPTIONS(.name = "db", .limit = 3, .queue = 9, .order = BH_ORDER_BARGING, .max_permits = 11));
    bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.limit, 3);
    ck_assert_uint_eq(now.max_permits, 11);
    ck_assert_uint_eq(now.queue, 9);
    ck_assert_uint_eq(now.order, BH_ORDER_BARGING);
    ck_assert_uint_eq(now.closed, 0);
    const uint64_t counters[] = {
        now.granted,      now.granted_weight,  now.released,       now.recovered,  now.queued,     now.refused_busy,
        now.refused_full, now.refused_too_big, now.refused_closed, now.timed_out,  now.cancelled,  now.invalid,
        now.late,         now.violations,      now.limit_changes,  now.wait_count, now.wait_sum_ns};
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        ck_assert_uint_eq(counters[i], 0);
    check_all_back(limiter, 3);
    limiter_done(limiter);
}
END_TEST

START_TEST(each_outcome_has_its_counter)
{
    bh_limiter *limiter = limiter_make(2, 1);
    bh_permit permit = {0};
    bh_permit held = take(limiter, 2);
    bh_cancel *token = NULL;
    ck_assert_int_eq(bh_cancel_new(&token), 0);
    ck_assert_int_eq(bh_try_acquire(limiter, &permit), -EAGAIN);
    ck_assert_int_eq(bh_acquire_for(limiter, 3, 1, &permit), -EMSGSIZE);
    ck_assert_int_eq(bh_acquire_for(limiter, 0, 1, &permit), -EINVAL);
    ck_assert_int_eq(bh_acquire_for(limiter, 1, 1000, &permit), -ETIMEDOUT);
    struct waiter waiter = {.limiter = limiter, .weight = 2, .cancel = token};
    waiter_queue(&waiter);
    bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.waiting, 1);
    ck_assert_uint_eq(now.waiting_weight, 2);
    ck_assert_int_eq(bh_acquire(limiter, &permit), -ENOBUFS);
    ck_assert_int_eq(bh_cancel_all(token), 0);
    ck_assert_int_eq(waiter_end(&waiter), -ECANCELED);
    give_back(&held);
    ck_assert_int_eq(bh_limiter_close(limiter), 0);
    ck_assert_int_eq(bh_acquire(limiter, &permit), -ESHUTDOWN);

    now = look(limiter);
    ck_assert_uint_eq(now.granted, 1);
    ck_assert_uint_eq(now.granted_weight, 2);
    ck_assert_uint_eq(now.released, 1);
    ck_assert_uint_eq(now.recovered, 0);
    ck_assert_uint_ge(now.queued, 1); /* a wait of 1 us may be over before it queues */
    ck_assert_uint_le(now.queued, 2);
    ck_assert_uint_eq(now.refused_busy, 1);
    ck_assert_uint_eq(now.refused_full, 1);
    ck_assert_uint_eq(now.refused_too_big, 1);
    ck_assert_uint_eq(now.refused_closed, 1);
    ck_assert_uint_eq(now.timed_out, 1);
    ck_assert_uint_eq(now.cancelled, 1);
    ck_assert_uint_eq(now.invalid, 1);
    ck_assert_uint_eq(now.violations, 0);
    ck_assert_uint_eq(now.wait_count, 0);
    ck_assert_uint_eq(now.closed, 2);
    ck_assert_int_eq(bh_cancel_free(token), 0);
    limiter_done(limiter);
}
END_TEST

START_TEST(waits_are_measured)
{
    enum { WAITS = 10 };
    bh_limiter *limiter = limiter_make(1, 1);
    bh_ns at_most = 0;
    bh_ns at_least = 0;
    for (unsigned i = 0; i < WAITS; i++) {
        bh_permit held = take(limiter, 1);
        struct waiter waiter = {.limiter = limiter};
        waiter_queue(&waiter);
        const bh_ns seen_queued = bh_now();
        UNTIL(bh_now() >= seen_queued + i * 300000u);
        at_least += bh_now() - seen_queued;
        give_back(&held);
        ck_assert_int_eq(waiter_end(&waiter), 0);
        at_most += waiter.ended_at - waiter.started_at;
        give_back(&waiter.permit);
    }
    const bh_snapshot now = look(limiter);
    uint64_t in_buckets = 0;
    bh_ns lowest = 0;
    for (unsigned i = 0; i < BH_WAIT_BUCKETS; i++) {
        in_buckets += now.wait_buckets[i];
        lowest += i ? now.wait_buckets[i] * bh_wait_bucket_bound(i - 1) : 0;
    }
    ck_assert_uint_eq(now.queued, WAITS);
    ck_assert_uint_eq(now.wait_count, WAITS);
    ck_assert_uint_eq(in_buckets, WAITS);
    ck_assert_uint_ge(now.wait_sum_ns, at_least);
    ck_assert_uint_le(now.wait_sum_ns, at_most);
    ck_assert_uint_ge(now.wait_sum_ns, lowest);
    limiter_done(limiter);
}
END_TEST

START_TEST(waits_without_a_grant_are_not_measured)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit held = take(limiter, 1);
    struct waiter waiter = {.limiter = limiter};
    waiter_queue(&waiter);
    ck_assert_int_eq(bh_limiter_close(limiter), 0);
    ck_assert_int_eq(waiter_end(&waiter), -ESHUTDOWN);
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.queued, 1);
    ck_assert_uint_eq(now.wait_count, 0);
    ck_assert_uint_eq(now.wait_sum_ns, 0);
    give_back(&held);
    limiter_done(limiter);
}
END_TEST

START_TEST(bucket_bounds)
{
    for (unsigned i = 0; i + 1 < BH_WAIT_BUCKETS; i++)
        ck_assert_uint_eq(bh_wait_bucket_bound(i), UINT64_C(1000) << i);
    ck_assert_uint_eq(bh_wait_bucket_bound(BH_WAIT_BUCKETS - 1), BH_FOREVER);
    ck_assert_uint_eq(bh_wait_bucket_bound(BH_WAIT_BUCKETS), BH_FOREVER);
    ck_assert_uint_eq(bh_wait_bucket_bound(UINT32_MAX), BH_FOREVER);
}
END_TEST

START_TEST(oldest_wait)
{
    bh_limiter *limiter = limiter_make(1, 2);
    bh_permit held = take(limiter, 1);
    ck_assert_uint_eq(look(limiter).oldest_wait_ns, 0);
    const bh_ns before = bh_now();
    struct waiter first = {.limiter = limiter};
    waiter_queue(&first);
    const bh_ns first_is_queued = bh_now();
    UNTIL(bh_now() >= first_is_queued + bh_ms(3));
    struct waiter second = {.limiter = limiter};
    const bh_ns before_second = bh_now();
    waiter_queue(&second);
    ck_assert_uint_ge(look(limiter).oldest_wait_ns, bh_ms(3));
    ck_assert_uint_le(look(limiter).oldest_wait_ns, bh_now() - before);

    give_back(&held);
    ck_assert_int_eq(waiter_end(&first), 0);
    ck_assert_uint_le(look(limiter).oldest_wait_ns, bh_now() - before_second);
    give_back(&first.permit);
    waiter_end_granted(&second);
    ck_assert_uint_eq(look(limiter).oldest_wait_ns, 0);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("snapshots", sizes, untouched_limiter, each_outcome_has_its_counter, waits_are_measured,
           waits_without_a_grant_are_not_measured, bucket_bounds, oldest_wait)
