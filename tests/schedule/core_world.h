/* SPDX-License-Identifier: Apache-2.0 */
/* What a scenario's actors share, and what the test knows by itself: nothing here is read from the limiter. */
#ifndef BH_TESTS_SCHEDULE_CORE_WORLD_H
#define BH_TESTS_SCHEDULE_CORE_WORLD_H

#include "core_actors.h"

/* What an actor asks for, and what was true since it asked. */
struct core_asking {
    uint32_t most_busy; /* units that anybody asked for, held or was giving back, itself included */
    uint32_t lowest_limit, highest_limit;
    bool cancelled, closed; /* before it asked */
};

struct core_world {
    const struct core_scenario *scenario;
    bh_limiter *limiters[CORE_PROCESSES_MAX];
    void *region; /* of two processes */
    bh_cancel *token;
    bh_permit held[CORE_ACTORS_MAX];
    struct core_asking asking[CORE_ACTORS_MAX];
    uint32_t busy_by[CORE_ACTORS_MAX];
    uint32_t inside_by[CORE_ACTORS_MAX];  /* units that it uses */
    bool through[CORE_ACTORS_MAX];        /* was admitted or refused, or has done its thing */
    uint32_t busy, inside;                /* sums */
    uint32_t lowest_limit, highest_limit; /* that may be in force */
    unsigned setters;                     /* calls that set the limit, under way */
    uint64_t granted;
    uint32_t copies, copies_released;
    uint32_t keepers;
    uint32_t recovered;
    bool cancelling, cancelled, closed, drained, freed;
};

extern struct core_world world;

static inline const struct core_actor *actor_of(unsigned index)
{
    return &world.scenario->actors[index];
}

static inline bh_limiter *limiter_of(unsigned index)
{
    return world.limiters[actor_of(index)->process];
}

uint32_t weight_of(unsigned index);
bool scenario_has(enum core_op op);
bool it_waits(enum core_op op); /* may queue */

/* core_books.c */
void books_limit_between(uint32_t lowest, uint32_t highest);
void books_ask(unsigned self);
void books_enter(unsigned self);
void books_leave(unsigned self); /* stops using; busy until it is released */
void books_released(unsigned self);
void books_refused(unsigned self, int error);
void books_hold(unsigned self); /* before the start */
void books_check_law(void);
void books_check_end(void); /* nothing is out, nothing was lost, nothing is too much */

/* core_actors.c */
void actor_body(void *index);

/* What a thread's first use of the limiter does, and the seat that chance might have given it; then takes what the actor
 * holds from the start. */
void actor_prepare(void *index);

#endif
