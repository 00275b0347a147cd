/* SPDX-License-Identifier: Apache-2.0 */
/* Signals and pthread_cancel() meet a waiting thread: neither shortens, lengthens nor ends its wait. */
#include "support.h"

#include <signal.h>

#if !UNDER_THREAD_SANITIZER /* it holds a signal back until the system call returns, for it does not know that one */
static atomic_uint signals_handled;

static void count_signal(int signal_number)
{
    (void)signal_number;
    atomic_fetch_add(&signals_handled, 1);
}

static void handle_without_restart(void)
{
    struct sigaction action = {.sa_handler = count_signal};
    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
}

/* Sends one signal and sees it handled, or the waiter ended. */
static void interrupt(struct waiter *waiter)
{
    const unsigned before = atomic_load(&signals_handled);
    ck_assert_int_eq(pthread_kill(waiter->thread, SIGUSR1), 0);
    UNTIL(atomic_load(&signals_handled) > before || waiter_has_ended(waiter));
}

START_TEST(signals_do_not_end_a_wait)
{
    handle_without_restart();
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit held = take(limiter, 1);
    struct waiter waiter = {.limiter = limiter, .wait_ns = BH_FOREVER};
    waiter_queue(&waiter);
    for (unsigned i = 0; i < 200; i++)
        interrupt(&waiter);
    ck_assert_uint_ge(atomic_load(&signals_handled), 200);
    ck_assert(!waiter_has_ended(&waiter));
    ck_assert_uint_eq(waiting(limiter), 1);
    ck_assert_uint_eq(look(limiter).queued, 1);
    give_back(&held);
    waiter_end_granted(&waiter);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

static void check_interrupted_wait(uint32_t order)
{
    handle_without_restart();
    bh_limiter *limiter = limiter_make_with(&BH_OPTIONS(.name = "db", .limit = 1, .queue = 1, .order = order));
    bh_permit held = take(limiter, 1);
    struct waiter waiter = {.limiter = limiter, .wait_ns = bh_ms(200)};
    waiter_start(&waiter);
    while (!waiter_has_ended(&waiter))
        interrupt(&waiter);
    ck_assert_int_eq(waiter_end(&waiter), -ETIMEDOUT);
    ck_assert_uint_gt(atomic_load(&signals_handled), 0);
    ck_assert_uint_ge(waiter.ended_at - waiter.started_at, bh_ms(200));
    ck_assert_uint_lt(waiter.ended_at - waiter.started_at, bh_seconds(WATCHDOG_SECONDS));
    give_back(&held);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}

START_TEST(signals_do_not_change_a_fifo_wait)
{
    check_interrupted_wait(BH_ORDER_FIFO);
}
END_TEST

START_TEST(signals_do_not_change_a_barging_wait)
{
    check_interrupted_wait(BH_ORDER_BARGING);
}
END_TEST
#endif

struct victim {
    bh_limiter *limiter;
    int acquire_result;
    int release_result;
    atomic_bool released;
    atomic_bool survived;
};

/* Asserts nothing: an assertion of the library `check` writes to a pipe, which is a cancellation point. */
static void *victim_body(void *argument)
{
    struct victim *victim = argument;
    bh_permit permit = {0};
    victim->acquire_result = bh_acquire_for(victim->limiter, 1, BH_FOREVER, &permit);
    victim->release_result = bh_release(&permit);
    atomic_store(&victim->released, true);
    pthread_testcancel();
    atomic_store(&victim->survived, true);
    return NULL;
}

START_TEST(acquire_is_no_cancellation_point)
{
    struct victim victim = {.limiter = limiter_make(1, 1)};
    bh_permit held = take(victim.limiter, 1);
    const pthread_t thread = thread_start(victim_body, &victim);
    UNTIL(waiting(victim.limiter) == 1);
    ck_assert_int_eq(pthread_cancel(thread), 0);
    ck_assert_uint_eq(waiting(victim.limiter), 1);
    give_back(&held);
    void *ending = NULL;
    ck_assert_int_eq(pthread_join(thread, &ending), 0);
    ck_assert_ptr_eq(ending, PTHREAD_CANCELED);
    ck_assert(atomic_load(&victim.released));
    ck_assert(!atomic_load(&victim.survived));
    ck_assert_int_eq(victim.acquire_result, 0);
    ck_assert_int_eq(victim.release_result, 0);
    check_all_back(victim.limiter, 1);
    limiter_done(victim.limiter);
}
END_TEST

#if UNDER_THREAD_SANITIZER
SUITE_MAIN("interruptions", acquire_is_no_cancellation_point)
#else
SUITE_MAIN("interruptions", signals_do_not_end_a_wait, signals_do_not_change_a_fifo_wait,
           signals_do_not_change_a_barging_wait, acquire_is_no_cancellation_point)
#endif
