/* SPDX-License-Identifier: Apache-2.0 */
/* How many pairs two threads make, each on its own CPU, when there is plenty for both. */
#ifndef BENCH_SCALE_H
#define BENCH_SCALE_H

typedef struct scale_subject {
    void (*pairs)(void *subject, unsigned count); /* takes and gives back `count` times */
    void *subject;
} scale_subject;

/* Pairs a microsecond, of both together, in an undisturbed window of a millisecond; 0 when there is none. Call duo_start()
 * first. */
double scale_rate(scale_subject subject);

#endif
