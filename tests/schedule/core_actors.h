/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios on one limiter: a few actors, each a fiber that does one thing, and the books that must be right afterwards. */
#ifndef BH_TESTS_SCHEDULE_CORE_ACTORS_H
#define BH_TESTS_SCHEDULE_CORE_ACTORS_H

#include <bulkhead/bulkhead.h>

#include "sim.h"

#define CORE_ACTORS_MAX 5u
#define CORE_PROCESSES_MAX 2u

enum core_op {
    OP_NONE,
    OP_TRY,          /* tries, uses, releases */
    OP_ACQUIRE,      /* waits without bound, uses, releases */
    OP_DEADLINE,     /* the same with a deadline, and with the token if there is an OP_CANCEL */
    OP_TOKEN,        /* waits without bound, with the token that OP_CANCEL cancels */
    OP_CANCEL,       /* cancels the token; releases what is kept */
    OP_RELEASE,      /* releases a permit that was out before the start */
    OP_RELEASE_COPY, /* releases a copy of the first such permit: one of the two succeeds */
    OP_CLOSE,
    OP_UP,    /* sets the limit to one more than at the start */
    OP_DOWN,  /* to one less; from 1 to 0 and back again, for else waits would not end */
    OP_DRAIN, /* until all is back */
    OP_SNAPSHOT,
    OP_CHECK,  /* the law that must hold whenever the lock is free */
    OP_HOG,    /* barging: takes and releases while somebody waits, and lets it look while nothing is free */
    OP_NEW,    /* makes and frees another limiter and another token */
    OP_FREE,   /* frees the limiter as soon as it can, and uses another one, which has the same handle */
    OP_REPAIR, /* repairs when the mortal actor has died; releases what is kept */
    OP_COUNT
};

struct core_actor {
    enum core_op op;
    uint32_t weight; /* 0: 1 */
    uint32_t rounds; /* 0: 1 */
    uint32_t seat;   /* the slot that its thread likes best */
    /* Starts when so many of the others wait or have been through; FIFO: it may not be admitted before them. */
    uint32_t behind;
    uint32_t after;   /* starts when the actor of this number (the first is 1) is through; 0: at once */
    uint32_t until;   /* keeps its permit until the actor of this number is through; 0: gives it back at once */
    uint32_t process; /* on whose handle it acts, when the scenario has two processes */
    bool mortal;
};

struct core_scenario {
    const char *name;
    uint32_t order;
    uint32_t limit;
    uint32_t max_permits;      /* 0: the limit + 2 */
    uint32_t queue;            /* 0: 4 */
    uint32_t kept;             /* weight of a permit that OP_CANCEL or OP_REPAIR releases when it has done its thing */
    uint32_t cached;           /* so many permits are taken and given back before the start, so that they are cached */
    uint32_t refused_at_first; /* weight of a try before the start, which finds too little and so sets pressure */
    uint32_t spurious;
    uint32_t alloc_failures;
    uint32_t processes;                        /* 2: the core lies in shared memory */
    uint32_t preemptions;                      /* 0: 2 */
    bool cold;                                 /* threads use the limiter for the first time; else they know it */
    struct core_actor actors[CORE_ACTORS_MAX]; /* up to OP_NONE */
};

const char *core_op_name(enum core_op op);

/* How the tester is to run the scenario, with at most two pre-emptions; the scenario must outlive the options. */
struct sim_options core_options(const struct core_scenario *scenario);

#endif
