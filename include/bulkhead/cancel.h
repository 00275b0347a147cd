/* SPDX-License-Identifier: Apache-2.0 */
/* Cancellation: one token ends any number of waits, on any limiters, from any thread.
 *
 * A token stays in the process that made it: a child that fork() makes must not use its parent's tokens. */
#ifndef BULKHEAD_CANCEL_H
#define BULKHEAD_CANCEL_H

#include <bulkhead/version.h>

BH_BEGIN_DECLS

typedef struct bh_cancel bh_cancel;

/* Makes a token that is not cancelled. The caller owns it and frees it with bh_cancel_free().
 * Returns 0, -EINVAL (ret_cancel is NULL) or -ENOMEM; *ret_cancel is untouched on failure. */
BH_API BH_MUST_USE int bh_cancel_new(bh_cancel **ret_cancel);

/* Ends every wait that uses the token with -ECANCELED, and every later acquire with it too. A request that was granted
 * first keeps its permit: its acquire returns 0. Idempotent. Any thread; takes locks for a short time, waits for nobody's
 * code. Not async-signal-safe. Returns 0, or -EINVAL when cancel is NULL. */
BH_API int bh_cancel_all(bh_cancel *cancel);

/* 1 when the token was cancelled, else 0 (also for NULL). Any thread; never blocks. */
BH_API int bh_cancel_is_cancelled(const bh_cancel *cancel);

/* Frees a token that no wait uses; no other call on it may be under way. Returns 0 (also for NULL), or -EBUSY while a wait
 * uses it: nothing is freed. */
BH_API int bh_cancel_free(bh_cancel *cancel);

BH_END_DECLS

#endif
