/* SPDX-License-Identifier: Apache-2.0 */
/* Toy protocols, right and wrong, that show what the schedule tester finds. */
#ifndef BH_TESTS_SCHEDULE_TOYS_H
#define BH_TESTS_SCHEDULE_TOYS_H

#include <stdatomic.h>

#include "sim.h"

#define LOAD(object) (sim_point(), atomic_load(&(object)))
#define STORE(object, value) (sim_point(), atomic_store(&(object), (value)))
#define ADD(object, value) (sim_point(), atomic_fetch_add(&(object), (value)))
#define SUBTRACT(object, value) (sim_point(), atomic_fetch_sub(&(object), (value)))
#define CAS(object, expected, desired) (sim_point(), atomic_compare_exchange_strong(&(object), (expected), (desired)))

struct toy {
    struct sim_options options; /* name, setup, finish and what it needs beyond two pre-emptions */
    const char *mistake;        /* part of the message with which it must fail; NULL: it is right */
    bool once;                  /* only depth-first: random runs repeat no beginnings, and loops are found by waiting */
};

#define TOY(title, prepare, check, argument)                                                                       \
    .options.name = (title), .options.setup = (prepare), .options.finish = (check), .options.context = (argument), \
    .options.preemptions = 2

/* toys_wait.c: a limiter that parks, deadlines, locks.  toys_memory.c: counting, memory, threads, death. */
extern const struct toy toys_wait[];
extern const struct toy toys_memory[];
extern const unsigned toys_wait_count, toys_memory_count;

#endif
