/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

#define CALIBRATION_ROUNDS 20
#define CALIBRATION_STEPS 200000u

static unsigned hold_steps;

void pin_to_cpu(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        fprintf(stderr, "cannot run on CPU %d\n", cpu);
        exit(1);
    }
}

/* Each step needs the result of the one before, so that no processor can overlap them. */
static void work(unsigned steps)
{
    uint64_t x = steps;
    for (unsigned i = 0; i < steps; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
}

void calibrate_hold(void)
{
    double fastest = 1e9;
    for (int round = 0; round < CALIBRATION_ROUNDS; round++) {
        uint64_t start = now_ns();
        work(CALIBRATION_STEPS);
        double step = (double)(now_ns() - start) / CALIBRATION_STEPS;
        if (step < fastest)
            fastest = step;
    }
    hold_steps = (unsigned)(HOLD_NS / fastest + 0.5);
}

void hold(void)
{
    work(hold_steps);
}
