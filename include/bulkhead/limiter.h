/* SPDX-License-Identifier: Apache-2.0 */
/* Limiters: a limiter bounds the permits that are out at once for one named resource.
 *
 * The scope of a limiter made here is this process: it says nothing about what other processes take of the
 * same resource. Every function may be called from any thread; none is async-signal-safe.
 */
#ifndef BULKHEAD_LIMITER_H
#define BULKHEAD_LIMITER_H

#include <stddef.h>
#include <stdint.h>

#include <bulkhead/time.h>
#include <bulkhead/version.h>

BH_BEGIN_DECLS

typedef struct bh_limiter bh_limiter;

#define BH_NAME_MAX 200u            /* bytes of a limiter's name */
#define BH_UNIT_MAX 31u             /* bytes of a unit's name */
#define BH_MAX_PERMITS_MAX 1048576u /* units that one limiter can ever have out (2^20) */
#define BH_QUEUE_MAX 1048576u       /* requests that can ever wait on one limiter (2^20) */

/* The order in which waiting requests are served.
 * FIFO is strict: nobody, not even a try, passes a request that waits.
 * Barging: whoever comes may take what is free; a head that was passed for `patience_ns` has permits handed to it first.
 * Several times the throughput where holds are as short as a thread switch, without an order. */
#define BH_ORDER_FIFO 0u
#define BH_ORDER_BARGING 1u

/* What a limiter is made with. Zero it, set `size` and what you need; BH_OPTIONS does so.
 * Fields that the library does not know yet (a larger `size`) must be zero. */
typedef struct bh_options {
    uint32_t size;         /* sizeof(bh_options) */
    uint32_t limit;        /* units out at once, 0 to max_permits; 0 starts paused: requests wait within their bounds */
    uint32_t queue;        /* requests that may wait at once, 0 to BH_QUEUE_MAX; 0 refuses at once what cannot start */
    uint32_t order;        /* BH_ORDER_FIFO (0, the default) or BH_ORDER_BARGING */
    uint64_t queue_weight; /* units that may wait at once, at most INT64_MAX; 0: only `queue` is a bound */
    bh_ns wait_ns; /* the wait of a request that names none; 0: one second; BH_NO_WAIT: none; BH_FOREVER: no bound */
    bh_ns patience_ns;    /* barging: how long the head is passed; 0: half a millisecond; must be 0 for FIFO */
    uint32_t max_permits; /* the highest limit that can ever be set, which fixes the size of the ledger (64 bytes each);
                            * 0: twice the limit and at least the limit + 16; at most BH_MAX_PERMITS_MAX */
    uint32_t reserved;    /* must be 0 */
    const char *name;     /* the resource: 1 to BH_NAME_MAX bytes of UTF-8 without '/'; copied; required */
    const char *unit;     /* what one unit is ("calls", "connections", "KiB"): 1 to BH_UNIT_MAX bytes of UTF-8;
                            * copied; NULL: "calls" */
} bh_options;

#ifndef __cplusplus
/* &BH_OPTIONS(.name = "db", .limit = 20, .queue = 100, .wait_ns = bh_ms(500)) */
#define BH_OPTIONS(...) ((bh_options){.size = (uint32_t)sizeof(bh_options), __VA_ARGS__})
#endif

/* Makes a limiter. All of its memory is allocated here, and bounded: about 6 KiB, 64 bytes for each of max_permits, and,
 * with a queue, 56 bytes for each of its places and each of max_permits. (Each thread that uses limiters keeps 64
 * bytes for each that the process has, at most doubled.)
 * Returns 0 and stores the limiter in *ret_limiter, which the caller owns and gives back with bh_limiter_free().
 *   -EINVAL  a pointer is NULL, the size is too small, or a field is outside the range that stands beside it
 *   -E2BIG   the structure is larger than the library knows and its unknown tail is not zero
 *   -ERANGE  limit is above max_permits
 *   -ENOMEM  no memory
 * On failure *ret_limiter is untouched. Blocks only for memory. */
BH_API BH_MUST_USE int bh_limiter_new(const bh_options *options, bh_limiter **ret_limiter);

/* The plain form for languages without C macros: name, limit, queue and default wait (as in bh_options: 0 is one second).
 * The same return values as bh_limiter_new(). */
BH_API BH_MUST_USE int bh_limiter_new_simple(const char *name, uint32_t limit, uint32_t queue, bh_ns wait_ns,
                                             bh_limiter **ret_limiter);

/* Frees a limiter that nobody holds, waits on, closes or drains. NULL is allowed and does nothing.
 * Returns 0, or -EBUSY when a permit is out, a request waits, or a call that waited has not returned yet: nothing is
 * changed, and the limiter stays usable (bh_limiter_close() ends the waits, bh_limiter_drain() waits for the rest).
 * No other call on the limiter may be under way or begin, so join the threads that acquire first. Two kinds are safe: an
 * acquire that waits (-EBUSY until it has returned), and the release that gave the last permit back and is on its way out:
 * what that touches, some 6 KiB, is kept for the next limiter. Blocks for the limiter's lock alone. */
BH_API int bh_limiter_free(bh_limiter *limiter);

/* The name and the unit, as given; valid until the limiter is freed; NULL for no limiter. Never block. */
BH_API const char *bh_limiter_name(const bh_limiter *limiter);
BH_API const char *bh_limiter_unit(const bh_limiter *limiter);

/* The present limit and the highest that can be set; 0 for no limiter. Never block. */
BH_API uint32_t bh_limiter_limit(const bh_limiter *limiter);
BH_API uint32_t bh_limiter_max_permits(const bh_limiter *limiter);

/* Sets the limit, 0 to max_permits, for all that follows. It never waits for permits and never takes one away: what is
 * out above the new limit is reported as overage until it comes back. Raising serves the queue at once. At 0 the
 * limiter is paused: requests wait within their bounds. A request that began before this returned may still be admitted
 * by the limit before. Waiting requests that a lower limit above 0 makes too big are ended with -EMSGSIZE.
 * Returns 0, -EINVAL (limiter is NULL), -ERANGE (above max_permits; nothing is changed) or -ESHUTDOWN (closed). */
BH_API BH_MUST_USE int bh_limiter_set_limit(bh_limiter *limiter, uint32_t limit);

/* Closes the limiter for good: new requests are refused with -ESHUTDOWN and all waits end with it, at once. A request
 * that began before this returned may still be admitted. Permits that are out stay out until they are released.
 * Idempotent. Returns 0, or -EINVAL when limiter is NULL. */
BH_API int bh_limiter_close(bh_limiter *limiter);

/* Refuses new requests from now on, for good, as bh_limiter_close() does, but lets those that wait already be served, and
 * blocks until nothing is out and nothing waits, for at most `wait_ns` (0: only look; BH_FOREVER allowed).
 * Returns 0 when all is back, -ETIMEDOUT when something is still out or waiting (call again to wait on), -EINVAL when
 * limiter is NULL. After 0 the limiter can be freed as bh_limiter_free() says. BH_NO_WAIT is 0 here. */
BH_API BH_MUST_USE int bh_limiter_drain(bh_limiter *limiter, bh_ns wait_ns);

BH_END_DECLS

#endif
