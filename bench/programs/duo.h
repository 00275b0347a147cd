/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads, one on CPU 0 (the caller) and one on CPU 1, that start each window at the same moment. */
#ifndef BENCH_DUO_H
#define BENCH_DUO_H

#include <stdbool.h>
#include <stdint.h>

typedef struct duo_window {
    uint64_t elapsed_ns;
    bool disturbed; /* something else took one of the CPUs */
} duo_window;

void duo_start(void);

/* Runs `first` on CPU 0 and `second` on CPU 1, and returns when both are through. */
duo_window duo_run(void (*first)(void *), void (*second)(void *), void *argument);

/* The same again, up to DUO_ATTEMPTS times, until nothing disturbs it; the time it took, or 0 when all were disturbed. */
#define DUO_ATTEMPTS 40u
uint64_t duo_run_undisturbed(void (*first)(void *), void (*second)(void *), void *argument);

/* Lets the caller run on all its CPUs again. */
void duo_end(void);

static inline void duo_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
