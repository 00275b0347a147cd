/* SPDX-License-Identifier: Apache-2.0 */
#include "port/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

#include "port/atomic.h"

struct bh_thread bh__no_thread;

static void (*_Atomic leaving)(struct bh_thread *thread); /* every thread stores the same */

#ifdef BH_SIM
static void leave(void *thread)
{
    *sim_thread_slot() = NULL;
    bh_stat_load (&leaving)(thread);
}

int bh__thread_set(struct bh_thread *thread, void (*when_leaving)(struct bh_thread *thread))
{
    bh_stat_store(&leaving, when_leaving);
    *sim_thread_slot() = thread;
    sim_thread_at_exit(leave);
    return 0;
}
#else
__thread struct bh_thread *bh__thread_pointer BH_TLS_MODEL = &bh__no_thread;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_error;

/* Other destructors may use the library after this one: the thread is then met as a new one, and this runs again. */
static void leave(void *thread)
{
    bh__thread_pointer = &bh__no_thread;
    bh_stat_load (&leaving)(thread);
}

static void make_key(void)
{
    key_error = pthread_key_create(&key, leave);
}

int bh__thread_set(struct bh_thread *thread, void (*when_leaving)(struct bh_thread *thread))
{
    bh_stat_store(&leaving, when_leaving);
    pthread_once(&once, make_key);
    if (key_error || pthread_setspecific(key, thread))
        return -ENOMEM;
    bh__thread_pointer = thread;
    return 0;
}
#endif

#ifdef BH_SIM
void bh__thread_yield(void)
{
    sim_point();
}
#else
void bh__thread_yield(void)
{
    sched_yield();
}
#endif

int bh__process_at_fork(void (*child)(void))
{
    return pthread_atfork(NULL, NULL, child) ? -ENOMEM : 0;
}
