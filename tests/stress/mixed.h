/* SPDX-License-Identifier: Apache-2.0 */
/* Mixed stress: what the rounds (mixed.c) and the threads' deeds (mixed_deeds.c) share. */
#ifndef BH_TESTS_STRESS_MIXED_H
#define BH_TESTS_STRESS_MIXED_H

#include <stdatomic.h>

#include <bulkhead/bulkhead.h>

#include "stress.h"

#define MAX_PERMITS 16u
#define QUEUE 24u
#define QUEUE_WEIGHT 60u
#define MAX_WEIGHT 8u
#define THREADS_MAX 80u /* above the number of counter cells in a limiter */
#define SHELF 4u
#define GROUPS 4u

/* What one thread, or the test itself, counted. One writer each; read when the writer has ended. */
struct tally {
    uint64_t granted, granted_weight, released, busy, full, too_big, timed_out, cancelled, late, violations;
    uint64_t resizes, snapshots, stable_checks;
    bh_ns latest; /* how long after its deadline a request returned, at worst */
};

struct held {
    bh_permit permit;
    uint32_t weight;
};

/* Permits that wait for another thread to release them. */
struct shelf {
    pthread_mutex_t lock;
    struct held items[SHELF];
    unsigned count;
};

/* Threads that wait with one token. */
struct group {
    pthread_mutex_t lock;
    bh_cancel *token;
    unsigned users;
};

/* How a round is to go. */
struct plan {
    unsigned threads;
    unsigned churners; /* of the threads: whose place is taken by new threads all the time */
    uint32_t most_weight;
    uint32_t highest;     /* the highest limit that is set */
    uint32_t sleep_odds;  /* one body in so many sleeps */
    uint32_t resize_odds; /* one deed in so many sets the limit */
    uint32_t cancel_odds; /* one deed in so many cancels a token */
};

struct stress {
    bh_limiter *limiter;
    const char *order;
    uint64_t seed;
    struct plan plan;
    atomic_uint inside;          /* units in bodies, counted by the test alone */
    atomic_uint ceiling;         /* no more can be inside in this round */
    atomic_uint_fast64_t stable; /* the limit, and how often it was changed << 33; bit 32: a change is under way */
    atomic_bool stop;
    atomic_uint finished;
    pthread_mutex_t resizing;
    struct shelf shelf;
    struct group groups[GROUPS];
};

struct worker {
    struct stress *stress;
    struct tally tally;
    struct chance chance;
    unsigned deeds; /* still to do by this thread */
    bool churns;
    pthread_t thread;
};

void *worker_body(void *worker);

/* Puts a permit that was just acquired into a body: the test's own count, and what it must not exceed. `before` is what
 * `stable` said before the request. */
void enter(struct stress *stress, struct tally *tally, uint32_t weight, uint64_t before);
void give_back(struct stress *stress, struct tally *tally, struct held *held);
bool shelf_take(struct stress *stress, struct held *ret_held);
bool shelf_put(struct stress *stress, const struct held *held);

/* Sets the limit, in the way that lets others tell whether it was stable while they were admitted. False: somebody else is
 * about it. */
bool resize(struct stress *stress, struct tally *tally, uint32_t limit);

void groups_begin(struct stress *stress);
void groups_end(struct stress *stress);

#endif
