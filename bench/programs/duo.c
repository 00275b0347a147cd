/* SPDX-License-Identifier: Apache-2.0 */
#include "duo.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "clock.h"
#include "cpu.h"

/* The helper spins between windows: a sleeping thread would start late. */
static pthread_t helper;
static atomic_uint windows_begun;
static unsigned first_window;
static atomic_uint helper_ready;
static atomic_uint helper_done;
static void (*helper_work)(void *);
static void *helper_argument;
static long helper_preemptions;
static cpu_set_t cpus_before;

/* How often the calling thread was made to give up its CPU. Sleeping of its own accord does not count. */
static long preemptions(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

static void *help(void *unused)
{
    for (unsigned window = first_window;; window++) {
        while (atomic_load_explicit(&windows_begun, memory_order_acquire) != window)
            duo_relax();
        if (helper_work == NULL)
            return unused;
        long before = preemptions();
        atomic_store_explicit(&helper_ready, window, memory_order_release);
        helper_work(helper_argument);
        helper_preemptions = preemptions() - before;
        atomic_store_explicit(&helper_done, window, memory_order_release);
    }
}

static unsigned begin_window(void (*work)(void *), void *argument)
{
    helper_work = work;
    helper_argument = argument;
    return atomic_fetch_add_explicit(&windows_begun, 1, memory_order_release) + 1u;
}

/* The helper is created on its CPU: on the caller's it might never get to run. */
static int create_helper(void)
{
    cpu_set_t second;
    CPU_ZERO(&second);
    CPU_SET(1, &second);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    int r = pthread_attr_setaffinity_np(&attributes, sizeof second, &second);
    if (r == 0)
        r = pthread_create(&helper, &attributes, help, NULL);
    pthread_attr_destroy(&attributes);
    return r;
}

void duo_start(void)
{
    sched_getaffinity(0, sizeof cpus_before, &cpus_before);
    pin_to_cpu(0);
    first_window = atomic_load(&windows_begun) + 1u;
    if (create_helper() != 0) {
        fprintf(stderr, "cannot start a thread on CPU 1\n");
        exit(1);
    }
}

duo_window duo_run(void (*first)(void *), void (*second)(void *), void *argument)
{
    unsigned window = begin_window(second, argument);
    while (atomic_load_explicit(&helper_ready, memory_order_acquire) != window)
        duo_relax();
    long before = preemptions();
    uint64_t start = now_ns();
    first(argument);
    while (atomic_load_explicit(&helper_done, memory_order_acquire) != window)
        duo_relax();
    uint64_t elapsed = now_ns() - start;
    return (duo_window){.elapsed_ns = elapsed, .disturbed = preemptions() != before || helper_preemptions != 0};
}

uint64_t duo_run_undisturbed(void (*first)(void *), void (*second)(void *), void *argument)
{
    for (unsigned attempt = 0; attempt < DUO_ATTEMPTS; attempt++) {
        duo_window window = duo_run(first, second, argument);
        if (!window.disturbed)
            return window.elapsed_ns;
    }
    return 0;
}

void duo_end(void)
{
    begin_window(NULL, NULL);
    pthread_join(helper, NULL);
    sched_setaffinity(0, sizeof cpus_before, &cpus_before);
}
