/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMetrics text: the buffer protocol, and that the figures are the snapshot's. */
#include "openmetrics_reader.h"
#include "support.h"

#include <stdlib.h>

START_TEST(arguments)
{
    bh_limiter *limiter = limiter_make(1, 0);
    bh_limiter *with_gap[3] = {limiter, NULL, limiter};
    char buffer[64];
    POISON(buffer);
    ck_assert_int_eq(bh_openmetrics(NULL, 1, buffer, sizeof(buffer)), -EINVAL);
    ck_assert_int_eq(bh_openmetrics(with_gap, 3, buffer, sizeof(buffer)), -EINVAL);
    ck_assert_int_eq(bh_openmetrics(&limiter, 1, NULL, 1), -EINVAL);
    CHECK_UNTOUCHED(buffer);
    limiter_done(limiter);
}
END_TEST

START_TEST(no_limiters)
{
    struct om_text om;
    const long long length = bh_openmetrics(NULL, 0, NULL, 0);
    ck_assert_int_gt(length, 0);
    char *text = malloc((size_t)length + 1);
    ck_assert_int_eq(bh_openmetrics(NULL, 0, text, (size_t)length + 1), length);
    ck_assert_msg(om_read(&om, text, (size_t)length) == 0, "%s", om.error);
    ck_assert_uint_eq(om.sample_count, 0);
    om_done(&om);
    free(text);
}
END_TEST

START_TEST(too_small_a_buffer)
{
    bh_limiter *limiter = limiter_make(1, 0);
    const long long length = bh_openmetrics(&limiter, 1, NULL, 0);
    const size_t whole = (size_t)length;
    char *text = malloc(whole + 2);
    static const size_t steps[] = {1, 2, 3, 50, 159, 160, 161, 1000};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const size_t capacity = steps[i];
        memset(text, POISON_BYTE, whole + 2);
        ck_assert_int_eq(bh_openmetrics(&limiter, 1, text, capacity), length);
        ck_assert_uint_eq(strlen(text), 0);
        check_poisoned(text + capacity, whole + 2 - capacity);
    }
    memset(text, POISON_BYTE, whole + 2);
    ck_assert_int_eq(bh_openmetrics(&limiter, 1, text, whole), length);
    ck_assert_uint_eq(strlen(text), 0);
    check_poisoned(text + whole, 2);

    memset(text, POISON_BYTE, whole + 2);
    ck_assert_int_eq(bh_openmetrics(&limiter, 1, text, whole + 1), length);
    ck_assert_uint_eq(strlen(text), whole);
    ck_assert_str_eq(text + whole - 6, "# EOF\n");
    check_poisoned(text + whole + 1, 1);
    free(text);
    limiter_done(limiter);
}
END_TEST

static void scrape(bh_limiter *const *limiters, size_t count, struct om_text *om)
{
    const long long length = bh_openmetrics(limiters, count, NULL, 0);
    char *text = malloc((size_t)length + 1);
    ck_assert_int_eq(bh_openmetrics(limiters, count, text, (size_t)length + 1), length);
    ck_assert_msg(om_read(om, text, (size_t)length) == 0, "%s", om->error);
    free(text);
}

static void check_value(const struct om_text *om, const char *name, const char *limiter, uint64_t expected)
{
    const struct om_sample *sample = om_find(om, name, limiter, NULL, NULL);
    ck_assert_msg(sample != NULL, "no %s of %s", name, limiter);
    ck_assert_msg(sample->value == (double)expected, "%s of %s is %g and not %llu", name, limiter, sample->value,
                  (unsigned long long)expected);
}

static void check_refusals(const struct om_text *om, const char *limiter, const char *reason, uint64_t expected)
{
    const struct om_sample *sample = om_find(om, "bulkhead_refused_total", limiter, "reason", reason);
    ck_assert_msg(sample != NULL, "no refusals for %s", reason);
    ck_assert_msg(sample->value == (double)expected, "refused, %s: %g", reason, sample->value);
}

static void make_history(bh_limiter *limiter)
{
    bh_permit permit = {0};
    bh_permit held = take(limiter, 2);
    bh_permit more = take(limiter, 1);
    struct waiter waiter = {.limiter = limiter};
    waiter_queue(&waiter);
    give_back(&more);
    ck_assert_int_eq(waiter_end(&waiter), 0);
    ck_assert_int_eq(bh_try_acquire(limiter, &permit), -EAGAIN);
    ck_assert_int_eq(bh_acquire_for(limiter, 4, 1, &permit), -EMSGSIZE);
    ck_assert_int_eq(bh_acquire_for(limiter, 0, 1, &permit), -EINVAL);
    ck_assert_int_eq(bh_acquire_for(limiter, 1, 1000, &permit), -ETIMEDOUT);
    ck_assert_int_eq(bh_release(&more), -EALREADY);
    ck_assert_int_eq(bh_permit_mark_late(&held), 0);
    ck_assert_int_eq(bh_limiter_set_limit(limiter, 1), 0);
}

START_TEST(figures_are_the_snapshots)
{
    bh_limiter *limiters[2] = {
        limiter_make_with(&BH_OPTIONS(.name = "busy", .limit = 3, .queue = 4, .wait_ns = BH_FOREVER)),
        limiter_make_with(&BH_OPTIONS(.name = "idle", .limit = 5))};
    make_history(limiters[0]);
    const bh_snapshot now = look(limiters[0]);
    ck_assert_uint_eq(now.overage, 2);
    struct om_text om;
    scrape(limiters, 2, &om);
    check_value(&om, "bulkhead_limit", "busy", now.limit);
    check_value(&om, "bulkhead_max_permits", "busy", now.max_permits);
    check_value(&om, "bulkhead_held", "busy", now.held);
    check_value(&om, "bulkhead_free", "busy", now.free);
    check_value(&om, "bulkhead_overage", "busy", now.overage);
    check_value(&om, "bulkhead_permits_out", "busy", now.permits_out);
    check_value(&om, "bulkhead_permits_late", "busy", now.permits_late);
    check_value(&om, "bulkhead_waiting", "busy", now.waiting);
    check_value(&om, "bulkhead_waiting_weight", "busy", now.waiting_weight);
    check_value(&om, "bulkhead_granted_total", "busy", now.granted);
    check_value(&om, "bulkhead_granted_weight_total", "busy", now.granted_weight);
    check_value(&om, "bulkhead_released_total", "busy", now.released);
    check_value(&om, "bulkhead_recovered_total", "busy", now.recovered);
    check_value(&om, "bulkhead_queued_total", "busy", now.queued);
    check_value(&om, "bulkhead_late_total", "busy", now.late);
    check_value(&om, "bulkhead_violations_total", "busy", now.violations);
    check_value(&om, "bulkhead_limit_changes_total", "busy", now.limit_changes);
    check_value(&om, "bulkhead_wait_seconds_count", "busy", now.wait_count);
    ck_assert(om_find(&om, "bulkhead_wait_seconds_sum", "busy", NULL, NULL)->value > 0.0);
    check_refusals(&om, "busy", "busy", 1);
    check_refusals(&om, "busy", "too_big", 1);
    check_refusals(&om, "busy", "invalid", 1);
    check_refusals(&om, "busy", "timed_out", 1);
    check_refusals(&om, "busy", "queue_full", 0);
    check_refusals(&om, "busy", "cancelled", 0);
    check_refusals(&om, "busy", "closed", 0);
    check_value(&om, "bulkhead_limit", "idle", 5);
    check_value(&om, "bulkhead_granted_total", "idle", 0);
    ck_assert_uint_eq(om.sample_count % 2, 0);
    om_done(&om);
}
END_TEST

START_TEST(waiting_shows)
{
    bh_limiter *limiter = limiter_make(1, 2);
    bh_permit held = take(limiter, 1);
    struct waiter waiter = {.limiter = limiter};
    waiter_queue(&waiter);
    struct om_text om;
    scrape(&limiter, 1, &om);
    check_value(&om, "bulkhead_waiting", "test", 1);
    ck_assert(om_find(&om, "bulkhead_oldest_wait_seconds", "test", NULL, NULL)->value > 0.0);
    om_done(&om);
    give_back(&held);
    waiter_end_granted(&waiter);
    scrape(&limiter, 1, &om);
    check_value(&om, "bulkhead_waiting", "test", 0);
    check_value(&om, "bulkhead_oldest_wait_seconds", "test", 0);
    om_done(&om);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("OpenMetrics text", arguments, no_limiters, too_small_a_buffer, figures_are_the_snapshots, waiting_shows)
