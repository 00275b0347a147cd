/* SPDX-License-Identifier: Apache-2.0 */
/* Time: every duration and every instant in this library is a bh_ns.
 *
 * An instant is nanoseconds on CLOCK_MONOTONIC, the clock that nobody can set: no wait ends early or late
 * because somebody changed the date. A suspended machine does not age a wait.
 */
#ifndef BULKHEAD_TIME_H
#define BULKHEAD_TIME_H

#include <stdint.h>

#include <bulkhead/version.h>

BH_BEGIN_DECLS

typedef uint64_t bh_ns;

/* A wait without any bound. Never a default: it has to be asked for by this name. */
#define BH_FOREVER UINT64_MAX

/* In a structure where 0 means "the default": do not wait at all. */
#define BH_NO_WAIT (UINT64_MAX - 1)

/* Milliseconds or seconds as bh_ns. Too large a number gives BH_NO_WAIT - 1, which is 584 years. */
static inline bh_ns bh_ms(uint64_t milliseconds)
{
    return milliseconds > UINT64_MAX / 1000000u - 1u ? BH_NO_WAIT - 1u : milliseconds * 1000000u;
}
static inline bh_ns bh_seconds(uint64_t seconds)
{
    return seconds > UINT64_MAX / 1000000000u - 1u ? BH_NO_WAIT - 1u : seconds * 1000000000u;
}

/* The present instant on CLOCK_MONOTONIC. Any thread; never blocks; async-signal-safe. */
BH_API bh_ns bh_now(void);

/* The instant `wait` from now, for a deadline; BH_NO_WAIT is now, BH_FOREVER stays BH_FOREVER,
 * and a sum past the end of time becomes it.
 * Any thread; never blocks. */
BH_API bh_ns bh_deadline_after(bh_ns wait);

/* What is left until the instant `deadline`: 0 when it has passed, BH_FOREVER for BH_FOREVER. This is what a caller
 * hands to the work after it was admitted, so that one deadline covers the wait and the work.
 * Any thread; never blocks. */
BH_API bh_ns bh_remaining(bh_ns deadline);

BH_END_DECLS

#endif
