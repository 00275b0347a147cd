/* SPDX-License-Identifier: Apache-2.0 */
/* Where threads run, and work of a known length. */
#ifndef BENCH_CPU_H
#define BENCH_CPU_H

#define HOLD_NS 200.0

/* Ties the calling thread to one CPU; ends the program when the CPU is not to be had. */
void pin_to_cpu(int cpu);

/* Finds how much work takes HOLD_NS. Call once, before any thread holds anything. */
void calibrate_hold(void);

/* Keeps the CPU busy for about HOLD_NS, without touching memory. */
void hold(void);

#endif
