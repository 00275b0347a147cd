/* SPDX-License-Identifier: Apache-2.0 */
/* The library's limiters as the benchmarks use them. Anything unexpected ends the program: a figure measured on calls
 * that fail would be worth nothing. */
#ifndef BENCH_OWN_H
#define BENCH_OWN_H

#include <bulkhead/bulkhead.h>

bh_limiter *own_limiter(uint32_t limit, uint32_t queue, uint32_t order);

/* Fails unless everything came back and the books agree. */
void own_limiter_end(bh_limiter *limiter);

_Noreturn void unexpected(const char *what, int result);

static inline void own_try(bh_limiter *limiter, bh_permit *permit)
{
    int r = bh_try_acquire(limiter, permit);
    if (__builtin_expect(r != 0, 0))
        unexpected("bh_try_acquire", r);
}

static inline void own_release(bh_permit *permit)
{
    int r = bh_release(permit);
    if (__builtin_expect(r != 0, 0))
        unexpected("bh_release", r);
}

#endif
