/* SPDX-License-Identifier: Apache-2.0 */
/* The schedule tester: runs small tests of concurrent code again and again, each time in another order.
 *
 * The threads of a test are fibers on one OS thread. The code under test calls sim_point() before every shared access
 * (src/port does so when it is compiled with -DBH_SIM) and reaches futex, clock, memory and its thread-local pointer
 * through the functions below. At each point the tester decides who goes on, so one run is one sequence of decisions;
 * they are written down, and a run that fails is printed as a string that repeats it: SIM_REPLAY='name=12a3b' program.
 *
 * What is decided: which fiber goes on; when a deadline of a parked fiber strikes (the clock is virtual and jumps to it);
 * and, as far as the test asks for it, spurious wake-ups, allocations that fail, and the death of a fiber.
 *
 * Depth-first search tries every sequence with at most `preemptions` pre-emptions: switches away from a fiber that could
 * have gone on. Most mistakes need one or two. Random search has no such bound and repeats itself from its seed.
 *
 * What it cannot see: orders that only a weakly ordered machine makes (each access is sequentially consistent here),
 * and anything that happens between two points.
 */
#ifndef BH_TESTS_SCHEDULE_SIM_H
#define BH_TESTS_SCHEDULE_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_FIBERS_MAX 8u
#define SIM_FOREVER UINT64_MAX

/* ---- For the code under test ---- */

/* Here another fiber may go on. Does nothing outside fibers (in setup and finish). */
void sim_point(void);

/* A point in a loop that spins: others go first, each of them by at least one step. No pre-emption. */
void sim_yield(void);

/* Parks while *word is `expected`. 0: woken, not as expected, or woken for no reason; -ETIMEDOUT: `deadline_ns` struck,
 * never before it (SIM_FOREVER: none). */
int sim_futex_wait(const void *word, uint32_t expected, uint64_t deadline_ns);

/* Wakes at most `count` of those parked on the word, in the order in which they parked. */
void sim_futex_wake(const void *word, uint32_t count);

uint64_t sim_now(void);

/* Zeroed, 64 bytes aligned, never memory that was freed in this run; NULL when the allocation is chosen to fail. */
void *sim_alloc(size_t size);
void sim_free(void *memory);

/* The one thread-local pointer of the fiber, NULL at first; the destructor is called with it by a fiber that ends while
 * it is not NULL. */
void **sim_thread_slot(void);
void sim_thread_at_exit(void (*destructor)(void *slot));

/* ---- For the bodies of a test ---- */

/* Ends the run as failed; does not return. The text is printed with the decisions. */
_Noreturn void sim_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define SIM_CHECK(condition, text)                                              \
    do {                                                                        \
        if (!(condition))                                                       \
            sim_fail("%s [%s, %s:%d]", (text), #condition, __func__, __LINE__); \
    } while (0)

/* Prints a line, indented under the switches, when a run is replayed; else nothing. */
void sim_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Waits until the condition holds; it is looked at between steps, so it must change nothing and have no points. */
void sim_await(bool (*condition)(void *argument), void *argument);

/* Moves the clock. */
void sim_advance(uint64_t nanoseconds);

/* The fiber that runs (0, 1, ... as spawned), or SIM_FIBERS_MAX outside fibers. */
unsigned sim_self(void);
bool sim_fiber_parked(unsigned fiber);
bool sim_fiber_ended(unsigned fiber); /* its body returned and its destructor ran */
bool sim_fiber_died(unsigned fiber);  /* abandoned at some point, for ever */

/* ---- For the test itself ---- */

/* Only in setup. Returns the fiber's number. */
unsigned sim_spawn(void (*body)(void *argument), void *argument, const char *name);

/* Only in setup: calls the action with the fiber's thread slot, as if the fiber had done it before the start. */
void sim_act_as(unsigned fiber, void (*action)(void *argument), void *argument);

/* Only in setup: this fiber may die at any of its points (as often as options.deaths allows, over all fibers). */
void sim_mortal(unsigned fiber);

/* Restores these bytes to what they are now before each run of every later exploration: for variables of the code under
 * test that outlive a run. */
void sim_restore_each_run(void *address, size_t size);

struct sim_options {
    const char *name;              /* names the test in messages and in SIM_REPLAY; no '=' */
    void (*setup)(void *context);  /* before the fibers start: makes the objects, spawns the fibers */
    void (*finish)(void *context); /* after all have ended: checks the books, frees; NULL: nothing */
    void *context;
    unsigned preemptions;    /* depth-first: at most so many in one run */
    uint64_t max_schedules;  /* depth-first: stop after so many; 0: search all */
    uint64_t random_runs;    /* not 0: so many random runs instead of the depth-first search */
    uint64_t seed;           /* of the random runs */
    unsigned spurious;       /* wake-ups for no reason, in one run */
    unsigned alloc_failures; /* allocations that fail, in one run */
    unsigned deaths;         /* fibers that die, in one run */
    unsigned max_steps;      /* points in one run, more are a livelock; 0: 20000 */
    bool leaks_allowed;      /* memory may be left at the end (as it always may when a fiber died) */
    bool quiet;              /* a failure is expected: do not print it */
};

struct sim_result {
    uint64_t schedules;  /* runs made */
    uint64_t points;     /* in all of them */
    bool failed;         /* the last run failed */
    bool complete;       /* depth-first: every schedule within the bound was run */
    bool skipped;        /* SIM_REPLAY names another test */
    const char *message; /* of the failure, else ""; valid until the next exploration */
    const char *choices; /* the decisions of the run that failed, else ""; as long */
};

/* Runs the test until a run fails or the search is done. When SIM_REPLAY is set: repeats that run, if it is of this test,
 * and prints every switch unless the test is quiet. */
struct sim_result sim_explore(const struct sim_options *options);

/* Repeats one run from its decisions. With `trace`, prints every switch. */
struct sim_result sim_replay(const struct sim_options *options, const char *choices, bool trace);

#endif
