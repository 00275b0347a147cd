/* SPDX-License-Identifier: Apache-2.0 */
/* Case P35: clean-up runs only for the stages that admitted the call; books stay right and gauges never fall below 0. */
#include "support.h"

#define CALLS 100u

/* A rate stage as simple as can be: every second call passes. It holds nothing, so it has nothing to give back. */
struct rate_stage {
    atomic_uint seen;
    atomic_uint passed;
};

static bool rate_admits(struct rate_stage *rate)
{
    if (atomic_fetch_add(&rate->seen, 1) % 2 != 0)
        return false;
    atomic_fetch_add(&rate->passed, 1);
    return true;
}

static void check_balance(const bh_limiter *limiter, uint64_t held)
{
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.granted - now.released, held);
    ck_assert_uint_eq(now.held, held);
}

static bool call_rate_first(struct rate_stage *rate, bh_limiter *concurrency)
{
    if (!rate_admits(rate))
        return false;
    bh_permit permit BH_SCOPED = {0};
    if (bh_try_acquire(concurrency, &permit) != 0)
        return false;
    check_balance(concurrency, 1);
    return true;
}

static bool call_concurrency_first(bh_limiter *concurrency, struct rate_stage *rate)
{
    bh_permit permit BH_SCOPED = {0};
    if (bh_try_acquire(concurrency, &permit) != 0)
        return false;
    check_balance(concurrency, 1);
    return rate_admits(rate);
}

static void check_idle(const bh_limiter *limiter, uint32_t limit, uint64_t passed)
{
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.granted, passed);
    ck_assert_uint_eq(now.released, passed);
    ck_assert_uint_eq(now.violations, 0);
    check_all_back(limiter, limit);
}

START_TEST(rate_before_concurrency)
{
    bh_limiter *concurrency = limiter_make(10, 0);
    struct rate_stage rate = {0};
    unsigned passed = 0;
    for (unsigned i = 0; i < CALLS; i++) {
        passed += call_rate_first(&rate, concurrency);
        check_balance(concurrency, 0);
    }
    ck_assert_uint_eq(passed, 50);
    check_idle(concurrency, 10, 50);
    bh_permit next = take(concurrency, 1);
    give_back(&next);
    check_idle(concurrency, 10, 51);
    limiter_done(concurrency);
}
END_TEST

START_TEST(concurrency_before_rate)
{
    bh_limiter *concurrency = limiter_make(10, 0);
    struct rate_stage rate = {0};
    unsigned passed = 0;
    for (unsigned i = 0; i < CALLS; i++) {
        passed += call_concurrency_first(concurrency, &rate);
        check_balance(concurrency, 0);
    }
    ck_assert_uint_eq(passed, 50);
    check_idle(concurrency, 10, CALLS);
    bh_permit next = take(concurrency, 1);
    give_back(&next);
    limiter_done(concurrency);
}
END_TEST

/* Two limiters in series, by many threads: the narrow one refuses, the wide one must get back what it gave. */
struct series {
    bh_limiter *outer;
    bh_limiter *inner;
    pthread_barrier_t begin;
    atomic_uint outer_refused;
    atomic_uint inner_refused;
    atomic_uint through;
    struct bodies in_outer;
    struct bodies in_inner;
};

static void call_through(struct series *series)
{
    bh_permit outer BH_SCOPED = {0};
    if (bh_try_acquire(series->outer, &outer) != 0) {
        atomic_fetch_add(&series->outer_refused, 1);
        return;
    }
    body_enter(&series->in_outer, 1);
    bh_permit inner BH_SCOPED = {0};
    if (bh_try_acquire(series->inner, &inner) != 0) {
        atomic_fetch_add(&series->inner_refused, 1);
    } else {
        body_enter(&series->in_inner, 1);
        atomic_fetch_add(&series->through, 1);
        give_way(0);
        body_leave(&series->in_inner, 1);
    }
    body_leave(&series->in_outer, 1);
}

static void *series_body(void *argument)
{
    struct series *series = argument;
    pthread_barrier_wait(&series->begin);
    for (unsigned i = 0; i < rounds(5000); i++)
        call_through(series);
    return NULL;
}

static void run_series(uint32_t outer_limit, uint32_t inner_limit)
{
    enum { THREADS = 8 };
    struct series series = {.outer = limiter_make(outer_limit, 0), .inner = limiter_make(inner_limit, 0)};
    pthread_barrier_init(&series.begin, NULL, THREADS);
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        threads[i] = thread_start(series_body, &series);
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(threads[i]);

    const unsigned calls = THREADS * rounds(5000);
    ck_assert_uint_eq(series.outer_refused + series.inner_refused + series.through, calls);
    ck_assert_uint_le(series.in_outer.peak, outer_limit);
    ck_assert_uint_le(series.in_inner.peak, inner_limit);
    check_idle(series.outer, outer_limit, calls - series.outer_refused);
    check_idle(series.inner, inner_limit, series.through);
    ck_assert_uint_eq(look(series.outer).refused_busy, series.outer_refused);
    ck_assert_uint_eq(look(series.inner).refused_busy, series.inner_refused);
    pthread_barrier_destroy(&series.begin);
    limiter_done(series.outer);
    limiter_done(series.inner);
}

START_TEST(wide_before_narrow)
{
    run_series(6, 2);
}
END_TEST

START_TEST(narrow_before_wide)
{
    run_series(2, 6);
}
END_TEST

START_TEST(giving_back_what_was_never_taken)
{
    bh_limiter *limiter = limiter_make(2, 0);
    bh_permit never_filled = {0};
    for (unsigned i = 1; i <= 3; i++) {
        ck_assert_int_eq(bh_release_to(limiter, &never_filled), -EXDEV);
        const bh_snapshot now = look(limiter);
        ck_assert_uint_eq(now.violations, i);
        ck_assert_uint_eq(now.held, 0);
        ck_assert_uint_eq(now.free, 2);
        ck_assert_uint_eq(now.released, 0);
    }
    ck_assert_uint_eq(count_free(limiter), 2);
    check_all_back(limiter, 2);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("P35 stages in series", rate_before_concurrency, concurrency_before_rate, wide_before_narrow,
           narrow_before_wide, giving_back_what_was_never_taken)
