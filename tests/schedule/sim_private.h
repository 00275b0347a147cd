/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the schedule tester share. */
#ifndef BH_TESTS_SCHEDULE_SIM_PRIVATE_H
#define BH_TESTS_SCHEDULE_SIM_PRIVATE_H

#include <setjmp.h>

#include "sim.h"
#include "sim_context.h"

enum sim_state {
    SIM_UNUSED,
    SIM_RUNNABLE,
    SIM_PARKED,   /* on a futex word */
    SIM_AWAITING, /* a condition of the test */
    SIM_ENDED,
    SIM_DEAD,
};

struct sim_fiber {
    struct sim_context context;
    enum sim_state state;
    bool mortal;
    int wait_result;
    uint32_t yields_to; /* bits of fibers that go first */
    const void *word;
    uint64_t deadline;
    uint64_t park_order;
    bool (*condition)(void *argument);
    void *condition_argument;
    void *slot;
    void (*body)(void *argument);
    void *argument;
    const char *name;
};

/* One run. Fields below `fibers` that are zero at its start are reset by sim__world_reset(). */
struct sim_world {
    const struct sim_options *options;
    struct sim_fiber fibers[SIM_FIBERS_MAX];
    struct sim_fiber *current; /* NULL in setup and finish */
    struct sim_context outside;
    sigjmp_buf *failure; /* where a failed run goes */
    void *outside_slot;
    struct sim_fiber *acted_as; /* whose slot is used outside; NULL: its own */
    unsigned spawned;
    uint32_t runnable; /* bits of fibers in SIM_RUNNABLE */
    uint32_t parked;   /* and so on */
    uint32_t awaiting;
    uint32_t timed;    /* those of `parked` with a deadline */
    uint32_t yielding; /* those of `runnable` with yields_to */
    uint64_t now;
    uint64_t parkings;
    unsigned steps;
    unsigned lone_yields; /* in a row, with nobody else runnable */
    unsigned preemptions_left;
    unsigned spurious_left;
    unsigned failures_left;
    unsigned deaths_left;
    unsigned died;
    bool tracing;
};

extern struct sim_world sim__world;

/* sim_fiber.c */
void sim__world_reset(const struct sim_options *options, bool tracing);
void sim__run_fibers(void);
void sim__outside_exit(void);
void sim__set_state(struct sim_fiber *fiber, enum sim_state state);
static inline uint32_t sim__bit(const struct sim_fiber *fiber)
{
    return UINT32_C(1) << (unsigned)(fiber - sim__world.fibers);
}

/* sim_schedule.c: lets somebody go on, when the current fiber parked, ended or yields. */
void sim__give_way(void);

/* sim_choice.c: the decisions of a run. */
enum sim_search { SIM_DEPTH_FIRST, SIM_RANDOM, SIM_REPLAY };
void sim__choice_search(enum sim_search search, uint64_t seed);
void sim__choice_begin(void);
void sim__choice_end(void);
bool sim__choice_next(void);
unsigned sim__choose(unsigned total, unsigned allowed, bool default_stays);
bool sim__choice_parse(const char *text);
const char *sim__choice_text(void);

/* sim_memory.c */
void sim__memory_reset(void);
void sim__memory_check(bool leaks_allowed);
void sim__globals_restore(void);

/* sim_crash.c: turns a crash, or a loop without points, into a failed run. */
void sim__crash_guard(void);
void sim__crash_unguard(void);
void sim__crash_new_run(void);

/* sim_explore.c */
_Noreturn void sim__fail_text(const char *text);

#endif
