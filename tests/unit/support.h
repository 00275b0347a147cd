/* SPDX-License-Identifier: Apache-2.0 */
/* What the unit tests share: threads, conditions with a watchdog, waiters, and the books.
 *
 * No test sleeps and hopes: each waits for a condition it can see, and the watchdog turns a hang into a failure.
 */
#ifndef BH_TESTS_UNIT_SUPPORT_H
#define BH_TESTS_UNIT_SUPPORT_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <bulkhead/bulkhead.h>
#include <check.h>

#ifndef WATCHDOG_SECONDS
#define WATCHDOG_SECONDS 30u
#endif

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif
#ifndef UNDER_SANITIZER
#define UNDER_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__)
#define UNDER_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_THREAD_SANITIZER 1
#endif
#endif
#ifndef UNDER_THREAD_SANITIZER
#define UNDER_THREAD_SANITIZER 0
#endif

/* Waits until the condition holds; fails the test after the watchdog's time. */
#define UNTIL(condition)                                                                 \
    do {                                                                                 \
        const bh_ns give_up_at_ = bh_deadline_after(bh_seconds(WATCHDOG_SECONDS));       \
        for (unsigned turn_ = 0; !(condition); turn_++) {                                \
            ck_assert_msg(bh_now() < give_up_at_, "%s", "never came true: " #condition); \
            give_way(turn_);                                                             \
        }                                                                                \
    } while (0)

/* Gives the processor to others; the longer the wait, the more of it. */
void give_way(unsigned turn);

/* How many rounds to run where the plain build runs `full`: fewer under a sanitizer, or as the environment says
 * (BH_TEST_ROUNDS_DIVISOR). */
unsigned rounds(unsigned full);

/* Runs the tests as one suite, each in its own process; what main() returns. */
int run_suite(const char *name, const TTest *const *tests, size_t count);

#define SUITE_MAIN(name, ...)                                            \
    int main(void)                                                       \
    {                                                                    \
        const TTest *const tests[] = {__VA_ARGS__};                      \
        return run_suite(name, tests, sizeof(tests) / sizeof(tests[0])); \
    }

pthread_t thread_start(void *(*body)(void *), void *argument);
void thread_join(pthread_t thread);

/* A limiter that waits without bound unless a request says otherwise; the test fails if it cannot be made. */
bh_limiter *limiter_make(uint32_t limit, uint32_t queue);
bh_limiter *limiter_make_with(const bh_options *options);
/* Frees it, and fails the test when it is busy. */
void limiter_done(bh_limiter *limiter);

bh_snapshot look(const bh_limiter *limiter);
uint64_t waiting(const bh_limiter *limiter);

/* Takes units that must be free. */
bh_permit take(bh_limiter *limiter, uint32_t weight);
void give_back(bh_permit *permit);
/* How many single permits can be taken now; they are given back. */
unsigned count_free(bh_limiter *limiter);

/* granted = released + recovered + out. Only while nothing is under way. */
void check_books(const bh_limiter *limiter);
/* The same, and nothing is out, nothing waits and all `limit` units are free. */
void check_all_back(const bh_limiter *limiter, uint32_t limit);

/* One request on a thread of its own. Set what it asks; wait_ns and deadline_ns as in bh_request. */
struct waiter {
    bh_limiter *limiter;
    uint32_t weight;
    bh_ns wait_ns;
    bh_ns deadline_ns;
    bh_cancel *cancel;
    const char *label;
    pthread_t thread;
    bh_permit permit;
    bh_ns started_at;
    bh_ns ended_at;
    int result;
    atomic_bool ended;
};

/* Starts it and returns once it is queued behind those that wait already. */
void waiter_queue(struct waiter *waiter);
void waiter_start(struct waiter *waiter);
/* Waits for its end and returns its result. */
int waiter_end(struct waiter *waiter);
/* The same, and gives back what it got; it must have got it. */
void waiter_end_granted(struct waiter *waiter);
bool waiter_has_ended(struct waiter *waiter);

/* How many bodies run at once, counted by the test and not by the limiter. */
struct bodies {
    atomic_uint inside;
    atomic_uint peak;
    atomic_ulong entered;
};
void body_enter(struct bodies *bodies, unsigned units);
void body_leave(struct bodies *bodies, unsigned units);

/* Outputs are filled with a pattern before a call that must leave them alone. */
#define POISON_BYTE 0x5a
#define POISON(object) memset(&(object), POISON_BYTE, sizeof(object))
#define CHECK_UNTOUCHED(object) check_poisoned(&(object), sizeof(object))
void check_poisoned(const void *object, size_t size);

#endif
