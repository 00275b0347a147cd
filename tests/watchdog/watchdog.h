/* SPDX-License-Identifier: Apache-2.0 */
/* What the plain test programs share: failing with a reason, and a watchdog over each step. */
#ifndef BH_TESTS_WATCHDOG_H
#define BH_TESTS_WATCHDOG_H

#define WATCHDOG_SECONDS 60u

/* Ends the program as failed. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define MUST(condition)                                               \
    do {                                                              \
        if (!(condition))                                             \
            die("%s:%d: not so: %s", __FILE__, __LINE__, #condition); \
    } while (0)

/* Begins the next step, which has WATCHDOG_SECONDS to end; `name` is a string constant. */
void step(const char *name);

/* For looking at a condition again and again, which the watchdog ends. */
void sleep_us(unsigned microseconds);

#endif
