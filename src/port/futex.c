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

#include "port/clock.h"

static int futex_operation(int operation, bool shared)
{
    return shared ? operation : operation | FUTEX_PRIVATE_FLAG;
}

#if defined(SYS_futex_time64)
/* On 32-bit machines there are two calls: a newer one, which older kernels and filters do not know, and the one before it,
 * whose seconds end in 2038. */
static long futex_wait_until(bh_atomic_u32 *word, uint32_t expected, bh_ns deadline, bool shared)
{
    int64_t until[2] = {(int64_t)(deadline / 1000000000u), (int64_t)(deadline % 1000000000u)};
    long until_before[2] = {(long)until[0], (long)until[1]};
    int operation = futex_operation(FUTEX_WAIT_BITSET, shared);
    bool no_deadline = deadline == BH_FOREVER;
    long result =
        syscall(SYS_futex_time64, word, operation, expected, no_deadline ? NULL : until, NULL, FUTEX_BITSET_MATCH_ANY);
    if (result == 0 || (errno != ENOSYS && errno != EPERM))
        return result;
    return syscall(SYS_futex, word, operation, expected, no_deadline ? NULL : until_before, NULL,
                   FUTEX_BITSET_MATCH_ANY);
}
#else
static long futex_wait_until(bh_atomic_u32 *word, uint32_t expected, bh_ns deadline, bool shared)
{
    struct timespec until = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    return syscall(SYS_futex, word, futex_operation(FUTEX_WAIT_BITSET, shared), expected,
                   deadline == BH_FOREVER ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
}
#endif

/* Whatever goes wrong, a wait must not outlast its deadline: an error that is none of the usual ones looks at the clock. */
int bh__futex_wait(bh_atomic_u32 *word, uint32_t expected, bh_ns deadline, bool shared)
{
    int saved = errno;
    int error = futex_wait_until(word, expected, deadline, shared) < 0 ? errno : 0;
    errno = saved;
    bool usual = error == 0 || error == EAGAIN || error == EINTR;
    return error == ETIMEDOUT || (!usual && bh__clock_now() >= deadline) ? -ETIMEDOUT : 0;
}

void bh__futex_wake(bh_atomic_u32 *word, uint32_t count, bool shared)
{
    int saved = errno;
    syscall(SYS_futex, word, futex_operation(FUTEX_WAKE, shared), count > INT_MAX ? INT_MAX : (int)count, NULL, NULL,
            0);
    errno = saved;
}
#endif
