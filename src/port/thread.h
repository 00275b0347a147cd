/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread is: one pointer to what the core keeps for it. Fibers of the schedule tester are threads too.
 *
 * One initial-exec pointer is all the thread-local storage that a late-loaded library may take on glibc without asking;
 * musl gives a late-loaded library any, but in its default model only.
 */
#ifndef BH_PORT_THREAD_H
#define BH_PORT_THREAD_H

#include <stdint.h>

/* The head of a thread's own memory; the core's entries follow it. A thread that is not known yet has the one that is
 * shared by all of them, with a count of 0. */
struct bh_thread {
    _Alignas(64) uint32_t count;
};

extern struct bh_thread bh__no_thread;

#ifdef BH_SIM
#include "sim.h"

static inline struct bh_thread *bh__thread_self(void)
{
    struct bh_thread *self = *sim_thread_slot();
    return self ? self : &bh__no_thread;
}
#else
#if defined(__GLIBC__)
#define BH_TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define BH_TLS_MODEL
#endif
extern __thread struct bh_thread *bh__thread_pointer BH_TLS_MODEL;

static inline struct bh_thread *bh__thread_self(void)
{
    return bh__thread_pointer;
}
#endif

/* Sets the calling thread's memory, and what is called with it when the thread ends: always the same function.
 * Returns 0, or -ENOMEM (nothing is set then). */
int bh__thread_set(struct bh_thread *thread, void (*when_leaving)(struct bh_thread *thread));

/* Gives the processor to others that can run. */
void bh__thread_yield(void);

/* Has `child` called in every child process that fork() makes. Returns 0, or -ENOMEM. */
int bh__process_at_fork(void (*child)(void));

#endif
