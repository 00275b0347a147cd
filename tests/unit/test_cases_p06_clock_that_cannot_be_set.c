/* SPDX-License-Identifier: Apache-2.0 */
/* Case P06: a wait is measured on a clock that nobody can set.
 *
 * This program puts its own clock_gettime, gettimeofday, time and syscall before the C library's: the wall clock can be
 * stepped, the monotonic one is left alone, and a futex wait on the wall clock is noticed.
 */
#include "support.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define HOUR_SECONDS 3600

static atomic_int wall_step_seconds;
static atomic_uint wall_clock_waits;

static long real_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    static long (*next)(long, ...);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    return next(number, a, b, c, d, e, f);
}

long syscall(long number, ...)
{
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (unsigned i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    const bool parks = number == SYS_futex && ((arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET ||
                                               (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT);
    if (parks && (arguments[1] & FUTEX_CLOCK_REALTIME))
        atomic_fetch_add(&wall_clock_waits, 1);
    return real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int result = (int)real_syscall(SYS_clock_gettime, clock, (long)now, 0, 0, 0, 0);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += atomic_load(&wall_step_seconds);
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    struct timespec precise;
    if (clock_gettime(CLOCK_REALTIME, &precise) != 0)
        return -1;
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *ret_now)
{
    struct timespec precise;
    if (clock_gettime(CLOCK_REALTIME, &precise) != 0)
        return (time_t)-1;
    if (ret_now)
        *ret_now = precise.tv_sec;
    return precise.tv_sec;
}

static bh_ns true_monotonic(void)
{
    struct timespec now;
    ck_assert_int_eq(real_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0), 0);
    return (bh_ns)now.tv_sec * 1000000000u + (bh_ns)now.tv_nsec;
}

static void check_wait_ignores_step(int step_seconds, bool as_deadline)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit held = take(limiter, 1);
    const time_t before = time(NULL);
    const bh_ns started = true_monotonic();
    struct waiter waiter = {.limiter = limiter, .wait_ns = bh_ms(500)};
    if (as_deadline) {
        waiter.deadline_ns = bh_deadline_after(bh_ms(500));
        waiter.wait_ns = BH_FOREVER;
    }
    waiter_queue(&waiter);
    UNTIL(true_monotonic() >= started + bh_ms(100));
    atomic_store(&wall_step_seconds, step_seconds);
    ck_assert_int_ge(labs(time(NULL) - before), HOUR_SECONDS - 60);

    ck_assert_int_eq(waiter_end(&waiter), -ETIMEDOUT);
    ck_assert_uint_ge(waiter.ended_at - started, bh_ms(500));
    ck_assert_uint_lt(waiter.ended_at - started, bh_seconds(WATCHDOG_SECONDS));
    ck_assert_uint_le(waiter.ended_at, true_monotonic());
    ck_assert_uint_eq(atomic_load(&wall_clock_waits), 0);

    atomic_store(&wall_step_seconds, 0);
    give_back(&held);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}

START_TEST(wait_ignores_a_step_forward)
{
    check_wait_ignores_step(HOUR_SECONDS, false);
}
END_TEST

START_TEST(wait_ignores_a_step_back)
{
    check_wait_ignores_step(-HOUR_SECONDS, false);
}
END_TEST

START_TEST(deadline_ignores_a_step_forward)
{
    check_wait_ignores_step(HOUR_SECONDS, true);
}
END_TEST

START_TEST(deadline_ignores_a_step_back)
{
    check_wait_ignores_step(-HOUR_SECONDS, true);
}
END_TEST

START_TEST(now_is_the_monotonic_clock)
{
    atomic_store(&wall_step_seconds, HOUR_SECONDS);
    const bh_ns before = true_monotonic();
    const bh_ns now = bh_now();
    const bh_ns after = true_monotonic();
    ck_assert_uint_le(before, now);
    ck_assert_uint_le(now, after);
}
END_TEST

SUITE_MAIN("P06 clock that cannot be set", wait_ignores_a_step_forward, wait_ignores_a_step_back,
           deadline_ignores_a_step_forward, deadline_ignores_a_step_back, now_is_the_monotonic_clock)
