/* SPDX-License-Identifier: Apache-2.0 */
/* What the process tests share: a limiter in memory that processes share, processes that are killed, and a watchdog.
 *
 * The parent has one thread, is process 0 of the limiter, and repairs. A process that fails says why and exits with 1,
 * which the parent finds when it reaps it.
 */
#ifndef BH_TESTS_PROCESS_H
#define BH_TESTS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <bulkhead/bulkhead.h>

#include "watchdog.h"

/* Waits for a condition that others bring about; the watchdog ends it. */
#define UNTIL(condition)     \
    do {                     \
        while (!(condition)) \
            sleep_us(200);   \
    } while (0)

/* Zeroed memory that forked processes share. */
void *share(size_t size);
void share_no_more(void *memory, size_t size);

/* A limiter in shared memory, and the parent's handle on it. */
struct shared_limiter {
    void *memory;
    size_t size;
    bh_limiter *handle;
};
struct shared_limiter shared_limiter_make(const bh_options *options);
void shared_limiter_done(struct shared_limiter *limiter);
bh_limiter *attach(const struct shared_limiter *limiter, uint32_t process);

/* Forks; the child runs the body, then exits with 0. It dies with its parent. */
pid_t spawn(void (*body)(void *argument), void *argument);
/* Both return once the process is known to be dead, and fail when it died otherwise. */
void kill_and_reap(pid_t pid);
void reap_exited(pid_t pid);
/* Whether it has, and if so it is reaped. */
bool has_exited(pid_t pid);
/* Fails if a process has exited that nobody killed. */
void check_nobody_failed(void);

bh_snapshot look(const bh_limiter *limiter);
void check_core(bh_limiter *limiter);
/* Nothing is out and nobody waits: `limit` units can be taken, and no more. */
void check_all_back(bh_limiter *limiter, uint32_t limit);

struct chance {
    uint64_t state;
};
/* Below `bound`, which is above 0. */
uint32_t below(struct chance *chance, uint32_t bound);

#endif
