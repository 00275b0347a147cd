/* SPDX-License-Identifier: Apache-2.0 */
/* fork(): the child neither holds nor frees its parent's permits, and its limiters are empty and usable. */
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child no assertion of the library `check` may run: it reports through its parent's file. */
#define CHILD_EXPECTS(condition)                                                     \
    do {                                                                             \
        if (!(condition)) {                                                          \
            fprintf(stderr, "child, line %d: not true: %s\n", __LINE__, #condition); \
            _exit(1);                                                                \
        }                                                                            \
    } while (0)

static bh_snapshot child_look(const bh_limiter *limiter)
{
    bh_snapshot snapshot = {.size = sizeof(snapshot)};
    CHILD_EXPECTS(bh_limiter_snapshot(limiter, &snapshot) == 0);
    return snapshot;
}

/* An empty limiter that can do everything. */
static void child_uses(bh_limiter *limiter, uint32_t limit)
{
    bh_snapshot now = child_look(limiter);
    CHILD_EXPECTS(now.held == 0 && now.permits_out == 0 && now.waiting == 0);
    CHILD_EXPECTS(now.limit == limit && now.free == limit);
    bh_permit permits[16] = {0};
    for (uint32_t i = 0; i < limit; i++)
        CHILD_EXPECTS(bh_try_acquire(limiter, &permits[i]) == 0);
    bh_permit more = {0};
    CHILD_EXPECTS(bh_try_acquire(limiter, &more) == -EAGAIN);
    CHILD_EXPECTS(bh_acquire_for(limiter, 1, 1000, &more) == -ETIMEDOUT);
    for (uint32_t i = 0; i < limit; i++)
        CHILD_EXPECTS(bh_release(&permits[i]) == 0);
    CHILD_EXPECTS(bh_limiter_set_limit(limiter, limit + 1) == 0);
    CHILD_EXPECTS(bh_limiter_set_limit(limiter, limit) == 0);
    now = child_look(limiter);
    CHILD_EXPECTS(now.held == 0 && now.free == limit && now.granted == limit && now.released == limit);
}

static void check_child(pid_t child)
{
    int status = 0;
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %x", (unsigned)status);
}

static pid_t fork_child(void)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(WATCHDOG_SECONDS);
    }
    return child;
}

START_TEST(permit_of_the_parent)
{
    bh_limiter *limiter = limiter_make(3, 2);
    bh_permit held = take(limiter, 2);
    bh_permit late = take(limiter, 1);
    ck_assert_int_eq(bh_permit_mark_late(&late), 0);
    const pid_t child = fork_child();
    if (child == 0) {
        CHILD_EXPECTS(bh_release(&held) == -EPERM);
        CHILD_EXPECTS(child_look(limiter).violations == 1);
        CHILD_EXPECTS(bh_release_to(limiter, &late) == -EPERM);
        CHILD_EXPECTS(bh_permit_mark_late(&held) == -EPERM);
        CHILD_EXPECTS(child_look(limiter).violations == 3);
        bh_permit_info info = {.size = sizeof(info)};
        CHILD_EXPECTS(bh_permit_describe(&held, &info) == -EPERM);
        CHILD_EXPECTS(child_look(limiter).violations == 3);
        CHILD_EXPECTS(child_look(limiter).released == 0);
        child_uses(limiter, 3);
        CHILD_EXPECTS(bh_release(&held) == -EPERM);
        CHILD_EXPECTS(bh_limiter_free(limiter) == 0);
        _exit(0);
    }
    check_child(child);
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.held, 3);
    ck_assert_uint_eq(now.violations, 0);
    give_back(&held);
    ck_assert_int_eq(bh_release(&held), -EALREADY);
    give_back(&late);
    check_all_back(limiter, 3);
    limiter_done(limiter);
}
END_TEST

START_TEST(child_that_is_killed)
{
    bh_limiter *limiter = limiter_make(1, 0);
    bh_permit held = take(limiter, 1);
    const pid_t child = fork_child();
    if (child == 0) {
        for (;;)
            pause();
    }
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_uint_eq(look(limiter).held, 1);
    give_back(&held);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(scoped_permit_in_the_child)
{
    bh_limiter *limiter = limiter_make(1, 0);
    bh_permit held = take(limiter, 1);
    const pid_t child = fork_child();
    if (child == 0) {
        bh_permit_cleanup(&held); /* what BH_SCOPED does in the child's copy of the stack */
        bh_permit mine = {0};
        CHILD_EXPECTS(bh_try_acquire(limiter, &mine) == 0);
        CHILD_EXPECTS(bh_release(&mine) == 0);
        _exit(0);
    }
    check_child(child);
    ck_assert_uint_eq(look(limiter).held, 1);
    give_back(&held);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(threads_of_the_parent_wait)
{
    enum { WAITERS = 5 };
    bh_limiter *limiter = limiter_make(2, WAITERS);
    bh_permit held = take(limiter, 2);
    struct waiter waiters[WAITERS];
    memset(waiters, 0, sizeof(waiters));
    for (unsigned i = 0; i < WAITERS; i++) {
        waiters[i].limiter = limiter;
        waiter_queue(&waiters[i]);
    }
    const pid_t child = fork_child();
    if (child == 0) {
        CHILD_EXPECTS(bh_release(&held) == -EPERM);
        child_uses(limiter, 2);
        CHILD_EXPECTS(bh_limiter_drain(limiter, 0) == 0);
        CHILD_EXPECTS(bh_limiter_free(limiter) == 0);
        _exit(0);
    }
    check_child(child);
    ck_assert_uint_eq(waiting(limiter), WAITERS);
    give_back(&held);
    for (unsigned i = 0; i < WAITERS; i++)
        waiter_end_granted(&waiters[i]);
    check_all_back(limiter, 2);
    limiter_done(limiter);
}
END_TEST

START_TEST(closed_stays_closed)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit held = take(limiter, 1);
    ck_assert_int_eq(bh_limiter_close(limiter), 0);
    const pid_t child = fork_child();
    if (child == 0) {
        bh_permit permit = {0};
        CHILD_EXPECTS(bh_try_acquire(limiter, &permit) == -ESHUTDOWN);
        CHILD_EXPECTS(child_look(limiter).held == 0);
        CHILD_EXPECTS(bh_limiter_free(limiter) == 0);
        _exit(0);
    }
    check_child(child);
    give_back(&held);
    limiter_done(limiter);
}
END_TEST

START_TEST(limit_and_overage_of_the_parent)
{
    bh_limiter *limiter = limiter_make(5, 1);
    bh_permit held = take(limiter, 5);
    ck_assert_int_eq(bh_limiter_set_limit(limiter, 2), 0);
    const pid_t child = fork_child();
    if (child == 0) {
        child_uses(limiter, 2);
        _exit(0);
    }
    check_child(child);
    ck_assert_uint_eq(look(limiter).overage, 3);
    give_back(&held);
    check_all_back(limiter, 2);
    limiter_done(limiter);
}
END_TEST

struct hammering {
    bh_limiter *limiter;
    atomic_bool stop;
};

static void *hammer_body(void *argument)
{
    struct hammering *hammering = argument;
    while (!atomic_load(&hammering->stop)) {
        bh_permit permit = {0};
        if (bh_acquire_for(hammering->limiter, 1, 20000, &permit) == 0)
            give_back(&permit);
    }
    return NULL;
}

/* Many forks while other threads hammer: at some of them the limiter's lock is held by a thread the child has not. */
START_TEST(lock_may_be_held_at_the_fork)
{
    enum { THREADS = 4 };
    struct hammering hammering = {.limiter = limiter_make(2, THREADS)};
    bh_permit held = take(hammering.limiter, 1);
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        threads[i] = thread_start(hammer_body, &hammering);
    for (unsigned i = 0; i < rounds(300); i++) {
        const pid_t child = fork_child();
        if (child == 0) {
            CHILD_EXPECTS(bh_release(&held) == -EPERM);
            child_uses(hammering.limiter, 2);
            _exit(0);
        }
        check_child(child);
    }
    atomic_store(&hammering.stop, true);
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    give_back(&held);
    check_all_back(hammering.limiter, 2);
    limiter_done(hammering.limiter);
}
END_TEST

START_TEST(child_of_a_child)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit held = take(limiter, 1);
    const pid_t child = fork_child();
    if (child == 0) {
        bh_permit mine = {0};
        CHILD_EXPECTS(bh_try_acquire(limiter, &mine) == 0);
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            CHILD_EXPECTS(bh_release(&mine) == -EPERM);
            CHILD_EXPECTS(bh_release(&held) < 0);
            child_uses(limiter, 1);
            _exit(0);
        }
        int status = 0;
        CHILD_EXPECTS(waitpid(grandchild, &status, 0) == grandchild);
        CHILD_EXPECTS(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        CHILD_EXPECTS(bh_release(&mine) == 0);
        _exit(0);
    }
    check_child(child);
    give_back(&held);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("fork", permit_of_the_parent, child_that_is_killed, scoped_permit_in_the_child, threads_of_the_parent_wait,
           closed_stays_closed, limit_and_overage_of_the_parent, lock_may_be_held_at_the_fork, child_of_a_child)
