/* SPDX-License-Identifier: Apache-2.0 */
/* Freed while the last release is still on its way out. In each round a limiter is made and its permits are given to other
 * threads, which release them at the same moment as this one drains and frees it; its handle goes to the limiter of the
 * next round. Meanwhile permits of limiters that are gone are released again, by these threads and by this one.
 *
 *     BH_STRESS_ROUNDS   how many limiters (20000; under a sanitizer 4000)
 *     BH_STRESS_SEED     the chances of a run before
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <bulkhead/bulkhead.h>

#include "core/repair.h"
#include "stress.h"

#define LIMIT 4u
#define RELEASERS 3u
#define OLD 64u

/* One permit on its way to a releaser. */
struct errand {
    bh_permit permit;
    uint64_t round;
    atomic_uint full; /* 1: for the releaser; 0: taken out, the limiter may go */
};

static struct errand errands[RELEASERS];
static atomic_bool over;
static atomic_uint detached;
static atomic_uint_fast64_t rounds_ended;
static atomic_uint_fast64_t refused;
static bh_permit old[OLD]; /* permits of limiters that are gone; this thread alone */

/* ---- releasers ----------------------------------------------------------------------------------------------------- */

/* The permit is this thread's, and with it the limiter is there until bh_release() has given it back. A thread that has used
 * a limiter has its own counters there. */
static void release_now(bh_permit *permit, bool use_before)
{
    bh_permit own = {0};
    if (use_before && bh_try_acquire(permit->limiter, &own) == 0)
        MUST(bh_release(&own) == 0);
    const int error = bh_release(permit);
    if (error)
        die("the one release of a permit said %d", error);
}

/* Its limiter is gone, and its handle perhaps another's, which is just being made, or freed. */
static void release_gone(bh_permit permit)
{
    const int error = bh_release(&permit);
    if (error != -ESTALE)
        die("releasing a permit of a limiter that is gone said %d", error);
    atomic_fetch_add(&refused, 1);
}

static void *releaser_body(void *argument)
{
    struct errand *errand = argument;
    struct errand last = {.round = UINT64_MAX};
    while (!atomic_load(&over)) {
        if (!atomic_load(&errand->full)) {
            sched_yield();
            continue;
        }
        if (last.round < atomic_load(&rounds_ended))
            release_gone(last.permit);
        bh_permit permit = last.permit = errand->permit;
        last.round = errand->round;
        atomic_store(&errand->full, 0);
        release_now(&permit, permit.slot % 2);
    }
    return NULL;
}

static void *detached_body(void *argument)
{
    bh_permit *permit = argument;
    release_now(permit, true);
    free(permit);
    atomic_fetch_sub(&detached, 1);
    return NULL;
}

static void send(struct errand *errand, const bh_permit *permit, uint64_t round)
{
    while (atomic_load(&errand->full))
        sched_yield();
    errand->permit = *permit;
    errand->round = round;
    atomic_store(&errand->full, 1);
}

static void hand_over(struct chance *chance, const bh_permit *permit, uint64_t round)
{
    if (!one_in(chance, 16)) {
        send(&errands[below(chance, RELEASERS)], permit, round);
        return;
    }
    bh_permit *own = malloc(sizeof(*own));
    MUST(own);
    *own = *permit;
    atomic_fetch_add(&detached, 1);
    start_thread(detached_body, own, true);
}

/* ---- rounds -------------------------------------------------------------------------------------------------------- */

static uint64_t violations_of(const bh_limiter *limiter)
{
    bh_snapshot snapshot = {.size = sizeof(snapshot)};
    MUST(bh_limiter_snapshot(limiter, &snapshot) == 0);
    return snapshot.violations;
}

/* A permit of a limiter that is gone, released to one that perhaps has its handle. */
static void release_old(bh_limiter *limiter, struct chance *chance)
{
    bh_permit copy = old[below(chance, OLD)];
    if (!copy.limiter)
        return;
    const uint64_t before = violations_of(limiter);
    const int error = bh_release_to(limiter, &copy);
    if (error != -ESTALE && error != -EXDEV)
        die("releasing a permit of a limiter that is gone said %d", error);
    MUST(violations_of(limiter) == before + 1);
    atomic_fetch_add(&refused, 1);
}

static bh_limiter *make(struct chance *chance)
{
    bh_limiter *limiter = NULL;
    MUST(bh_limiter_new(&BH_OPTIONS(.name = "short-lived", .limit = LIMIT, .queue = below(chance, 3),
                                    .max_permits = LIMIT + below(chance, 60), .order = below(chance, 2)),
                        &limiter) == 0);
    return limiter;
}

static void end(bh_limiter *limiter, struct chance *chance)
{
    if (one_in(chance, 2)) {
        MUST(bh_limiter_drain(limiter, BH_FOREVER) == 0);
        MUST(bh_limiter_free(limiter) == 0);
        return;
    }
    int error;
    while ((error = bh_limiter_free(limiter)) == -EBUSY)
        sched_yield();
    MUST(error == 0);
}

static void round_of(struct chance *chance, uint64_t number)
{
    bh_permit permits[LIMIT];
    bh_limiter *limiter = make(chance);
    const uint32_t count = 1 + below(chance, LIMIT);
    release_old(limiter, chance);
    for (uint32_t i = 0; i < count; i++)
        MUST(bh_try_acquire(limiter, &permits[i]) == 0);
    MUST(bh__core_check(limiter) == NULL);
    old[number % OLD] = permits[0];
    for (uint32_t i = 0; i < count; i++) {
        if (one_in(chance, 4))
            MUST(bh_permit_mark_late(&permits[i]) == 0);
        hand_over(chance, &permits[i], number);
    }
    end(limiter, chance);
    atomic_store(&rounds_ended, number + 1);
}

int main(void)
{
    const unsigned rounds = number_from_environment("BH_STRESS_ROUNDS", UNDER_SANITIZER ? 4000 : 20000);
    struct chance chance = chance_from(seed_from_environment(), 0);
    pthread_t threads[RELEASERS];
    for (unsigned i = 0; i < RELEASERS; i++)
        threads[i] = start_thread(releaser_body, &errands[i], false);
    for (uint64_t number = 0; number < rounds; number++) {
        if (number % 100 == 0)
            step("a hundred limiters are made and freed");
        round_of(&chance, number);
    }
    step("the threads end");
    while (atomic_load(&detached) > 0)
        sched_yield();
    atomic_store(&over, true);
    for (unsigned i = 0; i < RELEASERS; i++)
        MUST(pthread_join(threads[i], NULL) == 0);
    printf("%u limiters freed under a release; %" PRIu64 " releases of permits of limiters that are gone refused\n",
           rounds, (uint64_t)atomic_load(&refused));
    return EXIT_SUCCESS;
}
