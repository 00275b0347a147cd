/* SPDX-License-Identifier: Apache-2.0 */
#include "port/futex.h"

#ifdef BH_SIM
#include "sim.h"

int bh__futex_wait(bh_atomic_u32 *word, uint32_t expected, bh_ns deadline, bool shared)
{
    (void)shared;
    return sim_futex_wait((const void *)word, expected, deadline);
}

void bh__futex_wake(bh_atomic_u32 *word, uint32_t count, bool shared)
{
    (void)shared;
    sim_futex_wake((const void *)word, count);
}
#else
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The kernel's 64-bit timespec, on 32-bit machines too. */
struct kernel_timespec {
    int64_t tv_sec;
    int64_t tv_nsec;
};

#if defined(SYS_futex_time64)
#define FUTEX_CALL SYS_futex_time64
#else
#define FUTEX_CALL SYS_futex
#endif

static int futex_operation(int operation, bool shared)
{
    return shared ? operation : operation | FUTEX_PRIVATE_FLAG;
}

int bh__futex_wait(bh_atomic_u32 *word, uint32_t expected, bh_ns deadline, bool shared)
{
    struct kernel_timespec until = {(int64_t)(deadline / 1000000000u), (int64_t)(deadline % 1000000000u)};
    int saved = errno;
    long result = syscall(FUTEX_CALL, word, futex_operation(FUTEX_WAIT_BITSET, shared), expected,
                          deadline == BH_FOREVER ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
    int outcome = result < 0 && errno == ETIMEDOUT ? -ETIMEDOUT : 0;
    errno = saved;
    return outcome;
}

void bh__futex_wake(bh_atomic_u32 *word, uint32_t count, bool shared)
{
    int saved = errno;
    syscall(FUTEX_CALL, word, futex_operation(FUTEX_WAKE, shared), count > INT_MAX ? INT_MAX : (int)count, NULL, NULL,
            0);
    errno = saved;
}
#endif
