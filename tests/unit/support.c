/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TEST_TIMEOUT_SECONDS (UNDER_SANITIZER ? 300 : 150)

void give_way(unsigned turn)
{
    if (turn < 200) {
        sched_yield();
        return;
    }
    const struct timespec moment = {.tv_nsec = turn < 1000 ? 50000 : 1000000};
    nanosleep(&moment, NULL);
}

unsigned rounds(unsigned full)
{
    unsigned divisor = UNDER_SANITIZER ? 20 : 1;
    const char *asked = getenv("BH_TEST_ROUNDS_DIVISOR");
    if (asked && atoi(asked) > 0)
        divisor = (unsigned)atoi(asked);
    return full / divisor > 0 ? full / divisor : 1;
}

int run_suite(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    for (size_t i = 0; i < count; i++) {
        TCase *one = tcase_create(tests[i]->name);
        tcase_set_timeout(one, TEST_TIMEOUT_SECONDS);
        tcase_add_test(one, tests[i]);
        suite_add_tcase(suite, one);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

pthread_t thread_start(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    pthread_attr_t small;
    ck_assert_int_eq(pthread_attr_init(&small), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&small, 256u * 1024u), 0);
    ck_assert_int_eq(pthread_create(&thread, &small, body, argument), 0);
    pthread_attr_destroy(&small);
    return thread;
}

void thread_join(pthread_t thread)
{
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

bh_limiter *limiter_make_with(const bh_options *options)
{
    bh_limiter *limiter = NULL;
    ck_assert_int_eq(bh_limiter_new(options, &limiter), 0);
    ck_assert_ptr_nonnull(limiter);
    return limiter;
}

bh_limiter *limiter_make(uint32_t limit, uint32_t queue)
{
    return limiter_make_with(&BH_OPTIONS(.name = "test", .limit = limit, .queue = queue, .wait_ns = BH_FOREVER));
}

void limiter_done(bh_limiter *limiter)
{
    ck_assert_int_eq(bh_limiter_free(limiter), 0);
}

bh_snapshot look(const bh_limiter *limiter)
{
    bh_snapshot snapshot = {.size = sizeof(snapshot)};
    ck_assert_int_eq(bh_limiter_snapshot(limiter, &snapshot), 0);
    return snapshot;
}

uint64_t waiting(const bh_limiter *limiter)
{
    return look(limiter).waiting;
}

bh_permit take(bh_limiter *limiter, uint32_t weight)
{
    bh_permit permit = {0};
    ck_assert_int_eq(bh_try_acquire_weight(limiter, weight, &permit), 0);
    return permit;
}

void give_back(bh_permit *permit)
{
    ck_assert_int_eq(bh_release(permit), 0);
}

unsigned count_free(bh_limiter *limiter)
{
    const uint32_t most = bh_limiter_max_permits(limiter);
    bh_permit *permits = calloc(most, sizeof(*permits));
    ck_assert_ptr_nonnull(permits);
    unsigned taken = 0;
    while (taken < most && bh_try_acquire(limiter, &permits[taken]) == 0)
        taken++;
    for (unsigned i = 0; i < taken; i++)
        give_back(&permits[i]);
    free(permits);
    return taken;
}

void check_books(const bh_limiter *limiter)
{
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.granted, now.released + now.recovered + now.permits_out);
    ck_assert_uint_ge(now.held, now.permits_out);
    ck_assert_uint_eq(now.overage, now.held > now.limit ? now.held - now.limit : 0);
    ck_assert_uint_eq(now.free, now.held < now.limit ? now.limit - now.held : 0);
}

void check_all_back(const bh_limiter *limiter, uint32_t limit)
{
    check_books(limiter);
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.held, 0);
    ck_assert_uint_eq(now.permits_out, 0);
    ck_assert_uint_eq(now.permits_late, 0);
    ck_assert_uint_eq(now.overage, 0);
    ck_assert_uint_eq(now.waiting, 0);
    ck_assert_uint_eq(now.waiting_weight, 0);
    ck_assert_uint_eq(now.oldest_wait_ns, 0);
    ck_assert_uint_eq(now.limit, limit);
    ck_assert_uint_eq(now.free, limit);
}

static void *waiter_body(void *argument)
{
    struct waiter *waiter = argument;
    waiter->started_at = bh_now();
    waiter->result = bh_acquire_request(waiter->limiter, waiter->weight ? waiter->weight : 1,
                                        &BH_REQUEST(.wait_ns = waiter->wait_ns, .deadline_ns = waiter->deadline_ns,
                                                    .cancel = waiter->cancel, .label = waiter->label),
                                        &waiter->permit);
    waiter->ended_at = bh_now();
    atomic_store(&waiter->ended, true);
    return NULL;
}

void waiter_start(struct waiter *waiter)
{
    waiter->thread = thread_start(waiter_body, waiter);
}

void waiter_queue(struct waiter *waiter)
{
    const uint64_t in_front = waiting(waiter->limiter);
    waiter_start(waiter);
    UNTIL(waiting(waiter->limiter) == in_front + 1);
}

int waiter_end(struct waiter *waiter)
{
    UNTIL(waiter_has_ended(waiter));
    thread_join(waiter->thread);
    return waiter->result;
}

void waiter_end_granted(struct waiter *waiter)
{
    ck_assert_int_eq(waiter_end(waiter), 0);
    give_back(&waiter->permit);
}

bool waiter_has_ended(struct waiter *waiter)
{
    return atomic_load(&waiter->ended);
}

void body_enter(struct bodies *bodies, unsigned units)
{
    const unsigned inside = atomic_fetch_add(&bodies->inside, units) + units;
    unsigned peak = atomic_load(&bodies->peak);
    while (inside > peak && !atomic_compare_exchange_weak(&bodies->peak, &peak, inside))
        ;
    atomic_fetch_add(&bodies->entered, 1);
}

void body_leave(struct bodies *bodies, unsigned units)
{
    atomic_fetch_sub(&bodies->inside, units);
}

void check_poisoned(const void *object, size_t size)
{
    const unsigned char *bytes = object;
    for (size_t i = 0; i < size; i++)
        ck_assert_msg(bytes[i] == POISON_BYTE, "byte %zu of an output was written", i);
}
