/* SPDX-License-Identifier: Apache-2.0 */
/* A crash, or a loop without points, in the code under test is a failed run like any other: fibers crash on their own
 * stacks, the handlers run on one more and leave by a jump.
 */
#include <signal.h>
#include <sys/time.h>

#include "sim_private.h"

#define WATCHDOG_SECONDS 1 /* of processor time in one run */

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM};
#define SIGNALS (sizeof signals / sizeof signals[0])

static struct sigaction former[SIGNALS];
static sigset_t mask;
static _Alignas(16) char handler_stack[64 * 1024];
static volatile sig_atomic_t run_number;
static volatile sig_atomic_t run_number_at_tick;

static const char *signal_text(int number)
{
    switch (number) {
    case SIGSEGV:
        return "crash: SIGSEGV";
    case SIGBUS:
        return "crash: SIGBUS";
    case SIGFPE:
        return "crash: SIGFPE";
    case SIGILL:
        return "crash: SIGILL";
    case SIGABRT:
        return "crash: SIGABRT";
    default:
        return "the run does not end: a loop without points";
    }
}

static void on_signal(int number)
{
    if (number == SIGVTALRM && run_number != run_number_at_tick) {
        run_number_at_tick = run_number;
        return;
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sim__fail_text(signal_text(number));
}

void sim__crash_new_run(void)
{
    run_number = (run_number + 1) & 0xffffff;
}

void sim__crash_guard(void)
{
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct itimerval timer = {{WATCHDOG_SECONDS, 0}, {WATCHDOG_SECONDS, 0}};

    sigaltstack(&stack, NULL);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    run_number_at_tick = -1;
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

        sigaction(signals[i], &action, &former[i]);
    }
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

void sim__crash_unguard(void)
{
    struct itimerval timer = {{0, 0}, {0, 0}};

    setitimer(ITIMER_VIRTUAL, &timer, NULL);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &former[i], NULL);
}
