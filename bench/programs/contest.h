/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads that take, hold for 200 ns and give back, over and over, for a while. */
#ifndef BENCH_CONTEST_H
#define BENCH_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

#include <bulkhead/permit.h>

#define CONTEST_THREADS_MAX 64u

typedef struct contest_subject {
    bool (*take)(void *subject, bh_permit *permit); /* false: refused */
    void (*give)(void *subject, bh_permit *permit);
    void *subject;
} contest_subject;

typedef struct contest {
    unsigned threads;
    unsigned milliseconds;
    bool yields; /* once while holding */
    bool timed;  /* reads the clock around each take */
} contest;

typedef struct contest_result {
    double takes_per_ms;                            /* granted or refused */
    double jain;                                    /* over the threads' takes */
    uint64_t wait_p50_ns, wait_p99_ns, wait_max_ns; /* when timed; 0 otherwise */
} contest_result;

/* The clock starts when every thread has been served once. Waits that begin inside the window count in full, also
 * when they end after it. calibrate_hold() must have been called. */
contest_result contest_run(const contest *rules, contest_subject subject);

#endif
