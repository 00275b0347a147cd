/* SPDX-License-Identifier: Apache-2.0 */
/* One thread on one CPU: what each call costs, beside a bare atomic pair and sem_t.
 *
 * All operations are timed in turn in windows of well under a millisecond; a ratio is taken within one round, where
 * the processor runs at one speed, and the median over the rounds is printed. */
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>

#include "clock.h"
#include "cpu.h"
#include "own.h"
#include "stats.h"

#define WINDOW 4000u
#define WARM_UP_ROUNDS 50u
#define ROUNDS 1500u
#define LIMIT 64u

static _Alignas(128) atomic_long bare_word = LIMIT;
static _Alignas(128) sem_t ample_sem;
static _Alignas(128) sem_t full_sem;
static bh_limiter *ample;
static bh_limiter *full;

static double per_call(uint64_t start)
{
    return (double)(now_ns() - start) / WINDOW;
}

static double time_bare_pair(void)
{
    uint64_t start = now_ns();
    for (unsigned i = 0; i < WINDOW; i++) {
        if (atomic_fetch_sub_explicit(&bare_word, 1, memory_order_acquire) < 1)
            unexpected("the bare word ran out", 0);
        atomic_fetch_add_explicit(&bare_word, 1, memory_order_release);
    }
    return per_call(start);
}

static double time_pair(void)
{
    uint64_t start = now_ns();
    for (unsigned i = 0; i < WINDOW; i++) {
        bh_permit permit = {0};
        own_try(ample, &permit);
        own_release(&permit);
    }
    return per_call(start);
}

static double time_pair_wait(void)
{
    uint64_t start = now_ns();
    for (unsigned i = 0; i < WINDOW; i++) {
        bh_permit permit = {0};
        int r = bh_acquire_for(ample, 1, bh_seconds(1), &permit);
        if (__builtin_expect(r != 0, 0))
            unexpected("bh_acquire_for", r);
        own_release(&permit);
    }
    return per_call(start);
}

static double time_weights(void)
{
    uint64_t start = now_ns();
    for (unsigned i = 0; i < WINDOW; i++) {
        bh_permit permit = {0};
        int r = bh_try_acquire_weight(ample, 1u + (i & 7u), &permit);
        if (__builtin_expect(r != 0, 0))
            unexpected("bh_try_acquire_weight", r);
        own_release(&permit);
    }
    return per_call(start);
}

static double time_refusal(void)
{
    uint64_t start = now_ns();
    for (unsigned i = 0; i < WINDOW; i++) {
        bh_permit permit = {0};
        int r = bh_try_acquire(full, &permit);
        if (__builtin_expect(r == 0, 0))
            unexpected("a full limiter granted", r);
    }
    return per_call(start);
}

static double time_sem_pair(void)
{
    uint64_t start = now_ns();
    for (unsigned i = 0; i < WINDOW; i++) {
        if (sem_trywait(&ample_sem) != 0)
            unexpected("the semaphore ran out", 0);
        sem_post(&ample_sem);
    }
    return per_call(start);
}

static double time_sem_refusal(void)
{
    uint64_t start = now_ns();
    for (unsigned i = 0; i < WINDOW; i++) {
        if (sem_trywait(&full_sem) == 0)
            unexpected("a full semaphore granted", 0);
    }
    return per_call(start);
}

enum operation { BARE, PAIR, PAIR_WAIT, WEIGHTS, REFUSAL, SEM_PAIR, SEM_REFUSAL, OPERATIONS };

static double (*const time_operation[OPERATIONS])(void) = {
    [BARE] = time_bare_pair,  [PAIR] = time_pair,         [PAIR_WAIT] = time_pair_wait,    [WEIGHTS] = time_weights,
    [REFUSAL] = time_refusal, [SEM_PAIR] = time_sem_pair, [SEM_REFUSAL] = time_sem_refusal};

static const struct ratio {
    const char *key;
    enum operation of;
    enum operation to;
} ratios[] = {
    {"pair", PAIR, BARE},      {"pair-wait", PAIR_WAIT, PAIR}, {"weights", WEIGHTS, PAIR},
    {"refuse", REFUSAL, BARE}, {"sem-pair", SEM_PAIR, BARE},   {"sem-refuse", SEM_REFUSAL, BARE},
};

#define RATIOS (sizeof ratios / sizeof ratios[0])

static series ns_of[OPERATIONS];
static series ratio_of[RATIOS];

static void run_round(unsigned round, int keep)
{
    double ns[OPERATIONS];
    for (unsigned i = 0; i < OPERATIONS; i++) {
        unsigned operation = (round + i) % OPERATIONS;
        ns[operation] = time_operation[operation]();
    }
    if (!keep)
        return;
    for (unsigned i = 0; i < OPERATIONS; i++)
        series_add(&ns_of[i], ns[i]);
    for (unsigned i = 0; i < RATIOS; i++)
        series_add(&ratio_of[i], ns[ratios[i].of] / ns[ratios[i].to]);
}

int main(void)
{
    pin_to_cpu(0);
    sem_init(&ample_sem, 0, LIMIT);
    sem_init(&full_sem, 0, 0);
    ample = own_limiter(LIMIT, 0, BH_ORDER_FIFO);
    full = own_limiter(1, 0, BH_ORDER_FIFO);
    bh_permit only = {0};
    own_try(full, &only);

    for (unsigned round = 0; round < WARM_UP_ROUNDS; round++)
        run_round(round, 0);
    for (unsigned round = 0; round < ROUNDS; round++)
        run_round(round, 1);

    own_release(&only);
    own_limiter_end(full);
    own_limiter_end(ample);
    for (unsigned i = 0; i < RATIOS; i++)
        printf("%s=%.4f %s-ns=%.3f ", ratios[i].key, series_median(&ratio_of[i]), ratios[i].key,
               series_median(&ns_of[ratios[i].of]));
    printf("bare-ns=%.3f\n", series_median(&ns_of[BARE]));
    return 0;
}
