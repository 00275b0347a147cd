/* SPDX-License-Identifier: Apache-2.0 */
/* Permits: the right to use `weight` units of a limiter's resource; owned, and released exactly once.
 *
 * A permit has no tie to a thread: any thread may release what another acquired. It stays out until it is released,
 * whatever becomes of whoever waits for the work: a timed-out caller marks it late (bh_permit_mark_late) and the work
 * releases it when its use of the resource ends.
 *
 * A limit of 1 is not a recursive lock: a second acquire by the same thread waits for the first, and ends by its bound.
 * Who holds one permit and waits for another can wait for somebody who waits for him: acquire from several limiters in one
 * order everywhere, or wait for the second with a short bound.
 */
#ifndef BULKHEAD_PERMIT_H
#define BULKHEAD_PERMIT_H

#include <stdint.h>

#include <bulkhead/cancel.h>
#include <bulkhead/limiter.h>

BH_BEGIN_DECLS

#define BH_LABEL_MAX 31u /* bytes of a label */

/* Where a permit is kept. Zero it before the first use ({0}). The fields are the library's: read them through
 * functions. It may be copied or moved in memory; of all its copies one release succeeds. */
typedef struct bh_permit {
    bh_limiter *limiter;
    uint64_t word;
    uint32_t slot;
    uint32_t serial;
} bh_permit;

/* What one request asks beyond its weight. Zero it, set `size` and what you need; BH_REQUEST does so. */
typedef struct bh_request {
    uint32_t size;     /* sizeof(bh_request) */
    uint32_t reserved; /* must be 0 */
    bh_ns wait_ns;     /* how long it may wait; 0: the limiter's wait_ns; BH_NO_WAIT; BH_FOREVER */
    bh_ns deadline_ns; /* the instant (bh_now()) by which it must be admitted; 0: none. The earlier of both counts */
    bh_cancel *cancel; /* a token that ends the wait; NULL: none; it must live until the call returns */
    const char *label; /* what the permit is for, shown to people: at most BH_LABEL_MAX bytes of UTF-8; copied; NULL */
} bh_request;

#ifndef __cplusplus
/* &BH_REQUEST(.wait_ns = bh_ms(50), .label = "checkout") */
#define BH_REQUEST(...) ((bh_request){.size = (uint32_t)sizeof(bh_request), __VA_ARGS__})
#endif

/* Acquiring. Each form returns 0 and fills *ret_permit, or a negative number and leaves *ret_permit untouched. The answer
 * is the first of these that holds; every one is counted by its own counter in the snapshot
 * (-EINVAL and -E2BIG by one, if a limiter was named):
 *   -EINVAL     limiter or ret_permit is NULL, weight is 0 or above max_permits, or the request is malformed
 *   -ECANCELED  the token was cancelled, before or during the wait
 *   -ETIMEDOUT  the deadline has passed already, or passed, or the wait was used up
 *   -ESHUTDOWN  the limiter is closed or draining, or was closed during the wait
 *   -EMSGSIZE   weight is above the present limit (too big now), or the limit fell below it during the wait
 *   -EAGAIN     not enough is free, or others wait in front, and the request may not wait
 *   -ENOBUFS    it would have to wait and the queue is full, in requests or in units (a queue of 0 always is)
 * bh_refusal_describe() (refusal.h) puts any of them into words, with a hint when to try again.
 *
 * A free permit is taken without a lock, a system call, a clock (unless a deadline is given) or an allocation (after a
 * thread's first use of the limiter). FIFO is the order in which requests enter the queue under the limiter's lock, not
 * that of clocks in different threads; with few in front a request gives the processor away once (sched_yield) before it
 * enters. Besides that a wait makes no system call but to park. A wait never ends early; EINTR neither shortens nor
 * lengthens it. No memory is needed to wait. A thread must not be cancelled (pthread_cancel) with asynchronous
 * cancelability in these calls; they are no cancellation points. */

/* Takes one unit, or `weight` units, if they are free now and, in FIFO order, nobody waits. Never waits. */
BH_API BH_MUST_USE int bh_try_acquire(bh_limiter *limiter, bh_permit *ret_permit);
BH_API BH_MUST_USE int bh_try_acquire_weight(bh_limiter *limiter, uint32_t weight, bh_permit *ret_permit);

/* Takes one unit; waits for it within the limiter's own wait_ns. */
BH_API BH_MUST_USE int bh_acquire(bh_limiter *limiter, bh_permit *ret_permit);

/* Takes `weight` units; waits at most `wait_ns` (0 or BH_NO_WAIT: not at all; BH_FOREVER: without bound). */
BH_API BH_MUST_USE int bh_acquire_for(bh_limiter *limiter, uint32_t weight, bh_ns wait_ns, bh_permit *ret_permit);

/* Takes `weight` units; waits at most until the instant `deadline_ns` on CLOCK_MONOTONIC (see bh_deadline_after()). */
BH_API BH_MUST_USE int bh_acquire_until(bh_limiter *limiter, uint32_t weight, bh_ns deadline_ns, bh_permit *ret_permit);

/* Takes `weight` units as the request says; NULL stands for all its defaults. Also
 *   -E2BIG      the structure is larger than the library knows and its unknown tail is not zero */
BH_API BH_MUST_USE int bh_acquire_request(bh_limiter *limiter, uint32_t weight, const bh_request *request,
                                          bh_permit *ret_permit);

/* Gives a permit back. Any thread; never waits for a permit. Where requests are queued in FIFO order it may look for up to
 * 8 us whether a release comes first from the processor that the next in line ran on last, which can wake it at less cost;
 * it does so only as long as that has paid lately. Returns 0, or, changing nothing but the violation counter:
 *   -EINVAL    permit is NULL, was never filled by an acquire (not counted: it names no limiter), or is not a permit
 *   -EALREADY  this permit was released already
 *   -ESTALE    this permit was released and its place has gone to another; or its limiter was freed, or it belongs to a
 *              process before the parent (these two are counted nowhere)
 *   -EPERM     it belongs to the parent process: this process was forked while it was out
 * Of several releases of one permit, also at the same moment, one returns 0. */
BH_API int bh_release(bh_permit *permit);

/* The same, for callers that know where the permit should be from: a permit of another limiter, or one that was never
 * acquired, is refused with -EXDEV and counted as a violation of `limiter`. -EINVAL when limiter is NULL. */
BH_API int bh_release_to(bh_limiter *limiter, bh_permit *permit);

/* 1 when the permit is filled and not yet released through this very variable, else 0. Never blocks. */
BH_API int bh_permit_is_held(const bh_permit *permit);

/* Says that whoever asked for the work has left while it still uses the resource: the permit stays out, is counted as
 * late, and shows as such, until it is released. Returns 0, -EALREADY (marked before), or as bh_release() does. */
BH_API int bh_permit_mark_late(bh_permit *permit);

/* What a permit is. */
typedef struct bh_permit_info {
    uint32_t size; /* sizeof(bh_permit_info), set by the caller */
    uint32_t weight;
    uint32_t late; /* 1 when marked late */
    char label[BH_LABEL_MAX + 1u];
    uint32_t reserved;
} bh_permit_info;

/* Fills *ret_info for a permit that is out. Returns 0, -EINVAL (also for too small a size), or as bh_release() does, but
 * counts nothing. Never blocks. */
BH_API BH_MUST_USE int bh_permit_describe(const bh_permit *permit, bh_permit_info *ret_info);

/* What BH_SCOPED calls: releases the permit if it is held through this variable, else does nothing. */
BH_API void bh_permit_cleanup(bh_permit *permit);

#if defined(__GNUC__)
/* bh_permit permit BH_SCOPED = {0}; -- given back when it leaves scope, unless it was released by hand */
#define BH_SCOPED __attribute__((cleanup(bh_permit_cleanup)))
#endif

/* For foreign languages: sizeof(bh_permit) of the loaded library, and a bh_permit on the heap, empty;
 * bh_permit_delete() releases it if it is held and frees it (NULL allowed). bh_permit_new() returns NULL without memory. */
BH_API size_t bh_permit_size(void);
BH_API bh_permit *bh_permit_new(void);
BH_API void bh_permit_delete(bh_permit *permit);

BH_END_DECLS

#endif
