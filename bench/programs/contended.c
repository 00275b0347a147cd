/* SPDX-License-Identifier: Apache-2.0 */
/* More threads than permits: our limiter and sem_t by turns.
 * usage: contended near-full | near-full-refuse | barge8 | fifo64 */
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#include "contest.h"
#include "cpu.h"
#include "own.h"
#include "stats.h"

typedef struct workload {
    const char *id;
    contest rules;
    uint32_t limit;
    uint32_t queue;
    uint32_t order;
    unsigned rounds;
} workload;

static const workload workloads[] = {
    {"near-full", {.threads = 32, .milliseconds = 100}, 16, 32, BH_ORDER_FIFO, 3},
    {"near-full-refuse", {.threads = 32, .milliseconds = 100}, 16, 0, BH_ORDER_FIFO, 3},
    {"barge8", {.threads = 8, .milliseconds = 100, .timed = true}, 1, 64, BH_ORDER_BARGING, 3},
    {"fifo64", {.threads = 64, .milliseconds = 400, .yields = true, .timed = true}, 4, 64, BH_ORDER_FIFO, 1},
};

static bool own_take_waiting(void *limiter, bh_permit *permit)
{
    int r = bh_acquire_for(limiter, 1, BH_FOREVER, permit);
    if (r != 0)
        unexpected("bh_acquire_for", r);
    return true;
}

static bool own_take_trying(void *limiter, bh_permit *permit)
{
    int r = bh_try_acquire(limiter, permit);
    if (r != 0 && r != -EAGAIN)
        unexpected("bh_try_acquire", r);
    return r == 0;
}

static void own_give(void *unused, bh_permit *permit)
{
    (void)unused;
    own_release(permit);
}

static bool sem_take_waiting(void *sem, bh_permit *unused)
{
    (void)unused;
    while (sem_wait(sem) != 0)
        continue;
    return true;
}

static bool sem_take_trying(void *sem, bh_permit *unused)
{
    (void)unused;
    return sem_trywait(sem) == 0;
}

static void sem_give(void *sem, bh_permit *unused)
{
    (void)unused;
    sem_post(sem);
}

static contest_result run_own(const workload *load)
{
    bh_limiter *limiter = own_limiter(load->limit, load->queue, load->order);
    contest_subject subject = {load->queue > 0 ? own_take_waiting : own_take_trying, own_give, limiter};
    contest_result result = contest_run(&load->rules, subject);
    own_limiter_end(limiter);
    return result;
}

static contest_result run_sem(const workload *load)
{
    static _Alignas(128) sem_t sem;
    sem_init(&sem, 0, load->limit);
    contest_subject subject = {load->queue > 0 ? sem_take_waiting : sem_take_trying, sem_give, &sem};
    contest_result result = contest_run(&load->rules, subject);
    sem_destroy(&sem);
    return result;
}

typedef struct findings {
    series rate;
    series jain;
    series p50, p99;
    uint64_t longest_ns;
} findings;

static void note(findings *all, contest_result result)
{
    series_add(&all->rate, result.takes_per_ms);
    series_add(&all->jain, result.jain);
    series_add(&all->p50, (double)result.wait_p50_ns / 1e3);
    series_add(&all->p99, (double)result.wait_p99_ns / 1e3);
    if (result.wait_max_ns > all->longest_ns)
        all->longest_ns = result.wait_max_ns;
}

static void print(const char *who, findings *all)
{
    printf("%s-rate=%.3f %s-jain=%.5f %s-p50-us=%.3f %s-p99-us=%.3f %s-max-ms=%.4f ", who, series_median(&all->rate),
           who, series_median(&all->jain), who, series_median(&all->p50), who, series_median(&all->p99), who,
           (double)all->longest_ns / 1e6);
}

static void run(const workload *load)
{
    static findings own;
    static findings sem;
    static series ratio;
    calibrate_hold();
    for (unsigned round = 0; round < load->rounds; round++) {
        contest_result ours = run_own(load);
        contest_result theirs = run_sem(load);
        note(&own, ours);
        note(&sem, theirs);
        series_add(&ratio, ours.takes_per_ms / theirs.takes_per_ms);
    }
    print("own", &own);
    print("sem", &sem);
    printf("to-sem=%.4f\n", series_median(&ratio));
}

int main(int argc, char **argv)
{
    for (unsigned i = 0; argc == 2 && i < sizeof workloads / sizeof workloads[0]; i++) {
        if (strcmp(argv[1], workloads[i].id) == 0) {
            run(&workloads[i]);
            return 0;
        }
    }
    fprintf(stderr, "usage: contended near-full | near-full-refuse | barge8 | fifo64\n");
    return 2;
}
