/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads on two CPUs with ample permits: our limiter and sem_t, to two threads on one bare word. */
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>

#include "clock.h"
#include "duo.h"
#include "own.h"
#include "scale.h"
#include "stats.h"

#define LIMIT 1024u
#define ROUNDS 150u
#define LONGEST_NS 3000000000u

static _Alignas(128) atomic_long bare_word = LIMIT;
static _Alignas(128) sem_t sem;

static void bare_pairs(void *subject, unsigned count)
{
    atomic_long *word = subject;
    for (unsigned i = 0; i < count; i++) {
        if (atomic_fetch_sub_explicit(word, 1, memory_order_acquire) < 1)
            unexpected("the bare word ran out", 0);
        atomic_fetch_add_explicit(word, 1, memory_order_release);
    }
}

static void sem_pairs(void *subject, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (sem_trywait(subject) != 0)
            unexpected("the semaphore ran out", 0);
        sem_post(subject);
    }
}

static void own_pairs(void *subject, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bh_permit permit = {0};
        own_try(subject, &permit);
        own_release(&permit);
    }
}

int main(void)
{
    static series own_ratio, sem_ratio, bare_rate, own_rate;
    sem_init(&sem, 0, LIMIT);
    bh_limiter *limiter = own_limiter(LIMIT, 0, BH_ORDER_FIFO);
    duo_start();
    uint64_t end = now_ns() + LONGEST_NS;
    for (unsigned i = 0; i < ROUNDS && now_ns() < end; i++) {
        double bare = scale_rate((scale_subject){bare_pairs, &bare_word});
        double own = scale_rate((scale_subject){own_pairs, limiter});
        double other = scale_rate((scale_subject){sem_pairs, &sem});
        if (bare > 0 && own > 0 && other > 0) {
            series_add(&own_ratio, own / bare);
            series_add(&sem_ratio, other / bare);
            series_add(&bare_rate, bare);
            series_add(&own_rate, own);
        }
    }
    duo_end();
    own_limiter_end(limiter);
    if (own_ratio.count == 0)
        return 0; /* no undisturbed window: nothing to say */
    printf("scale2=%.4f sem-scale2=%.4f bare-rate=%.3f own-rate=%.3f rounds=%zu\n", series_median(&own_ratio),
           series_median(&sem_ratio), series_median(&bare_rate), series_median(&own_rate), own_ratio.count);
    return 0;
}
