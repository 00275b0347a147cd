/* SPDX-License-Identifier: Apache-2.0 */
/* What the stress programs share: chance from a printed seed, failing with a reason, and a watchdog over each step. */
#ifndef BH_TESTS_STRESS_H
#define BH_TESTS_STRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "watchdog.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif
#ifndef UNDER_SANITIZER
#define UNDER_SANITIZER 0
#endif

/* BH_STRESS_SEED, or a new one; printed either way. */
uint64_t seed_from_environment(void);
/* A whole number above 0 from the environment, or `otherwise`. */
unsigned number_from_environment(const char *name, unsigned otherwise);

struct chance {
    uint64_t state;
};
struct chance chance_from(uint64_t seed, uint64_t stream);
/* Below `bound`, which is above 0. */
uint32_t below(struct chance *chance, uint32_t bound);
bool one_in(struct chance *chance, uint32_t n);

pthread_t start_thread(void *(*body)(void *), void *argument, bool detached);
#endif
