/* SPDX-License-Identifier: Apache-2.0 */
/* A client hangs up, and everything that waits on its behalf ends: one token, several waits, on several limiters. */
#include <bulkhead/bulkhead.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define PARTS 4

static bh_limiter *limiters[2];

struct part {
    bh_limiter *limiter;
    bh_cancel *client_left;
    pthread_t thread;
    int answer;
};

static void *wait_for_place(void *argument)
{
    struct part *part = argument;
    bh_permit permit BH_SCOPED = {0};
    /* No bound but the token: it has to be asked for by name. */
    part->answer =
        bh_acquire_request(part->limiter, 1, &BH_REQUEST(.wait_ns = BH_FOREVER, .cancel = part->client_left), &permit);
    return NULL;
}

static unsigned long waiting(const bh_limiter *limiter)
{
    bh_snapshot now = {.size = sizeof now};
    return bh_limiter_snapshot(limiter, &now) == 0 ? (unsigned long)now.waiting : 0;
}

int main(void)
{
    bh_permit taken[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        if (bh_limiter_new_simple(i == 0 ? "search" : "images", 1, PARTS, 0, &limiters[i]) != 0 ||
            bh_try_acquire(limiters[i], &taken[i]) != 0)
            return 1;
    }
    bh_cancel *client_left = NULL;
    if (bh_cancel_new(&client_left) != 0)
        return 1;
    struct part parts[PARTS];
    for (int i = 0; i < PARTS; i++) {
        parts[i] = (struct part){.limiter = limiters[i % 2], .client_left = client_left};
        if (pthread_create(&parts[i].thread, NULL, wait_for_place, &parts[i]) != 0)
            return 1;
    }
    while (waiting(limiters[0]) + waiting(limiters[1]) < PARTS)
        sched_yield();

    bh_cancel_all(client_left); /* any thread may; what had been granted first would keep its permit */
    int cancelled = 0;
    for (int i = 0; i < PARTS; i++) {
        pthread_join(parts[i].thread, NULL);
        cancelled += parts[i].answer == -ECANCELED;
    }
    printf("%d of %d waits cancelled; %lu left in the queues\n", cancelled, PARTS,
           waiting(limiters[0]) + waiting(limiters[1]));

    int failed = bh_cancel_free(client_left); /* after the waits: they used it */
    for (int i = 0; i < 2; i++)
        failed |= bh_release(&taken[i]) | bh_limiter_free(limiters[i]);
    return failed != 0 || cancelled != PARTS;
}
