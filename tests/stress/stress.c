/* SPDX-License-Identifier: Apache-2.0 */
#include "stress.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bulkhead/time.h>

uint64_t seed_from_environment(void)
{
    const char *given = getenv("BH_STRESS_SEED");
    const uint64_t seed = given && *given ? strtoull(given, NULL, 0) : bh_now() ^ (uint64_t)getpid() << 40;
    printf("seed: BH_STRESS_SEED=0x%" PRIx64 "\n", seed);
    fflush(stdout);
    return seed;
}

unsigned number_from_environment(const char *name, unsigned otherwise)
{
    const char *given = getenv(name);
    if (!given || !*given)
        return otherwise;
    char *end;
    const unsigned long number = strtoul(given, &end, 10);
    if (*end || number == 0 || number > UINT_MAX)
        die("%s=%s is not a number above 0", name, given);
    return (unsigned)number;
}

/* splitmix64 */
static uint64_t next(struct chance *chance)
{
    uint64_t mixed = chance->state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

struct chance chance_from(uint64_t seed, uint64_t stream)
{
    struct chance chance = {seed + stream * UINT64_C(0xd1342543de82ef95)};
    next(&chance);
    return chance;
}

uint32_t below(struct chance *chance, uint32_t bound)
{
    return (uint32_t)((next(chance) >> 32) * bound >> 32);
}

bool one_in(struct chance *chance, uint32_t n)
{
    return below(chance, n) == 0;
}

pthread_t start_thread(void *(*body)(void *), void *argument, bool detached)
{
    pthread_t thread;
    pthread_attr_t attributes;
    MUST(pthread_attr_init(&attributes) == 0);
    MUST(pthread_attr_setstacksize(&attributes, 256u * 1024u) == 0);
    if (detached)
        MUST(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    MUST(pthread_create(&thread, &attributes, body, argument) == 0);
    pthread_attr_destroy(&attributes);
    return thread;
}
