/* SPDX-License-Identifier: Apache-2.0 */
#include "contest.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "cpu.h"
#include "stats.h"

typedef struct field {
    const contest *rules;
    contest_subject subject;
    atomic_uint served_once;
    _Alignas(128) atomic_bool measuring;
    atomic_bool over;
} field;

typedef struct contestant {
    field *field;
    pthread_t thread;
    uint64_t takes;
    histogram waits;
    char apart[128]; /* no two threads' counts on one cache line */
} contestant;

/* Takes once, holds, gives back; returns how long the take took, if that is asked for. */
static uint64_t take_hold_give(const field *on)
{
    bh_permit permit = {0};
    uint64_t start = on->rules->timed ? now_ns() : 0;
    bool granted = on->subject.take(on->subject.subject, &permit);
    uint64_t waited = on->rules->timed ? now_ns() - start : 0;
    if (granted) {
        hold();
        if (on->rules->yields)
            sched_yield();
        on->subject.give(on->subject.subject, &permit);
    }
    return waited;
}

static void *compete(void *argument)
{
    contestant *self = argument;
    field *on = self->field;
    uint64_t takes = 0;
    take_hold_give(on);
    atomic_fetch_add(&on->served_once, 1);
    while (!atomic_load_explicit(&on->over, memory_order_relaxed)) {
        bool counts = atomic_load_explicit(&on->measuring, memory_order_relaxed);
        uint64_t waited = take_hold_give(on);
        if (counts) {
            takes++;
            if (on->rules->timed)
                histogram_add(&self->waits, waited);
        }
    }
    self->takes = takes;
    return NULL;
}

static void start_all(field *on, contestant *all)
{
    for (unsigned i = 0; i < on->rules->threads; i++) {
        all[i].field = on;
        if (pthread_create(&all[i].thread, NULL, compete, &all[i]) != 0) {
            fprintf(stderr, "cannot start thread %u\n", i + 1);
            exit(1);
        }
    }
    while (atomic_load(&on->served_once) < on->rules->threads)
        usleep(200);
}

static contest_result summarise(const contestant *all, unsigned threads, uint64_t elapsed_ns)
{
    uint64_t takes[CONTEST_THREADS_MAX];
    static histogram waits;
    double sum = 0;
    memset(&waits, 0, sizeof waits);
    for (unsigned i = 0; i < threads; i++) {
        takes[i] = all[i].takes;
        sum += (double)all[i].takes;
        histogram_merge(&waits, &all[i].waits);
    }
    return (contest_result){.takes_per_ms = sum * 1e6 / (double)elapsed_ns,
                            .jain = jain_index(takes, threads),
                            .wait_p50_ns = histogram_quantile(&waits, 0.5),
                            .wait_p99_ns = histogram_quantile(&waits, 0.99),
                            .wait_max_ns = waits.max};
}

contest_result contest_run(const contest *rules, contest_subject subject)
{
    static contestant all[CONTEST_THREADS_MAX];
    memset(all, 0, sizeof all);
    field on = {.rules = rules, .subject = subject};
    start_all(&on, all);
    uint64_t start = now_ns();
    atomic_store(&on.measuring, true);
    usleep(rules->milliseconds * 1000u);
    atomic_store(&on.measuring, false);
    uint64_t elapsed = now_ns() - start;
    atomic_store(&on.over, true);
    for (unsigned i = 0; i < rules->threads; i++)
        pthread_join(all[i].thread, NULL);
    return summarise(all, rules->threads, elapsed);
}
