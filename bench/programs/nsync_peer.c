/* SPDX-License-Identifier: Apache-2.0 */
/* nsync: a counting semaphore made of its mutex and condition variable.
 * Reads one workload a line: pair, refuse, scale2, barge8, fifo64; answers with one line of key=value each. */
#include <nsync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "contest.h"
#include "cpu.h"
#include "duo.h"
#include "scale.h"
#include "stats.h"

#define WINDOW 4000u
#define ROUNDS 300u
#define SCALE_ROUNDS 30u

typedef struct semaphore {
    nsync_mu lock;
    nsync_cv freed;
    unsigned free;
} semaphore;

static _Alignas(128) semaphore sem;

static void reset(unsigned limit)
{
    nsync_mu_init(&sem.lock);
    nsync_cv_init(&sem.freed);
    sem.free = limit;
}

static bool try_take(void)
{
    nsync_mu_lock(&sem.lock);
    bool granted = sem.free > 0;
    if (granted)
        sem.free--;
    nsync_mu_unlock(&sem.lock);
    return granted;
}

static void give_back(void)
{
    nsync_mu_lock(&sem.lock);
    sem.free++;
    nsync_cv_signal(&sem.freed);
    nsync_mu_unlock(&sem.lock);
}

static void pairs(void *unused, unsigned count)
{
    (void)unused;
    for (unsigned i = 0; i < count; i++) {
        if (!try_take())
            abort();
        give_back();
    }
}

static void refusals(void *unused, unsigned count)
{
    (void)unused;
    for (unsigned i = 0; i < count; i++) {
        if (try_take())
            abort();
    }
}

static bool contest_take(void *unused, bh_permit *permit)
{
    (void)unused;
    (void)permit;
    nsync_mu_lock(&sem.lock);
    while (sem.free == 0)
        nsync_cv_wait(&sem.freed, &sem.lock);
    sem.free--;
    nsync_mu_unlock(&sem.lock);
    return true;
}

static void contest_give(void *unused, bh_permit *permit)
{
    (void)unused;
    (void)permit;
    give_back();
}

static void time_calls(void (*calls)(void *, unsigned), unsigned limit)
{
    static series ns;
    ns.count = 0;
    reset(limit);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t start = now_ns();
        calls(NULL, WINDOW);
        series_add(&ns, (double)(now_ns() - start) / WINDOW);
    }
    printf("ns=%.3f\n", series_median(&ns));
}

static void scale2(void)
{
    static series rate;
    rate.count = 0;
    reset(1024);
    duo_start();
    for (unsigned i = 0; i < SCALE_ROUNDS; i++)
        series_add(&rate, scale_rate((scale_subject){pairs, NULL}));
    duo_end();
    printf("rate=%.3f\n", series_median(&rate));
}

static void compete(const contest *rules, unsigned limit)
{
    reset(limit);
    contest_result result = contest_run(rules, (contest_subject){contest_take, contest_give, NULL});
    printf("rate=%.3f jain=%.5f p99-us=%.3f max-ms=%.4f\n", result.takes_per_ms, result.jain,
           (double)result.wait_p99_ns / 1e3, (double)result.wait_max_ns / 1e6);
}

static bool run(const char *workload)
{
    static const contest barge8 = {.threads = 8, .milliseconds = 200, .timed = true};
    static const contest fifo64 = {.threads = 64, .milliseconds = 200, .yields = true, .timed = true};
    if (strcmp(workload, "pair") == 0)
        time_calls(pairs, 64);
    else if (strcmp(workload, "refuse") == 0)
        time_calls(refusals, 0);
    else if (strcmp(workload, "scale2") == 0)
        scale2();
    else if (strcmp(workload, "barge8") == 0)
        compete(&barge8, 1);
    else if (strcmp(workload, "fifo64") == 0)
        compete(&fifo64, 4);
    else
        return false;
    return true;
}

int main(void)
{
    char line[64];
    calibrate_hold();
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (!run(line))
            return 2;
        fflush(stdout);
    }
    return 0;
}
