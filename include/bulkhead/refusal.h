/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals: why a request was not admitted, in words and figures. */
#ifndef BULKHEAD_REFUSAL_H
#define BULKHEAD_REFUSAL_H

#include <stdint.h>

#include <bulkhead/limiter.h>

BH_BEGIN_DECLS

/* Reasons, one for each negative answer of an acquire. The numbers do not change between versions. */
#define BH_REASON_NONE 0u       /* never set by bh_refusal_describe() */
#define BH_REASON_INVALID 1u    /* -EINVAL, -E2BIG: the call was wrong */
#define BH_REASON_BUSY 2u       /* -EAGAIN: nothing free, and the request may not wait */
#define BH_REASON_QUEUE_FULL 3u /* -ENOBUFS */
#define BH_REASON_TIMED_OUT 4u  /* -ETIMEDOUT */
#define BH_REASON_CANCELLED 5u  /* -ECANCELED */
#define BH_REASON_CLOSED 6u     /* -ESHUTDOWN */
#define BH_REASON_TOO_BIG 7u    /* -EMSGSIZE: too big for the present limit */

/* Scopes: how far a limiter's promise reaches. */
#define BH_SCOPE_PROCESS 0u

typedef struct bh_refusal {
    uint32_t size;           /* sizeof(bh_refusal), set by the caller */
    uint32_t reason;         /* BH_REASON_* */
    uint32_t scope;          /* BH_SCOPE_* */
    uint32_t self_imposed;   /* 1: this limiter refused by its own rules; no evidence about the resource's health */
    const char *name;        /* the limiter's; valid until it is freed */
    const char *reason_text; /* static, English, one clause */
    bh_ns retry_after_ns;    /* a hint when to try again, from the waits measured of late: how long requests have waited
                              * before they were granted; 0: nothing measured yet; BH_FOREVER: never (closed, invalid) */
} bh_refusal;

/* Describes the answer `error` (negative) of an acquire on `limiter`. Returns 0, or -EINVAL (NULL, too small a size, or an
 * `error` that no acquire returns; *ret_refusal is untouched). Any thread; never blocks. */
BH_API int bh_refusal_describe(const bh_limiter *limiter, int error, bh_refusal *ret_refusal);

/* The clause for any negative answer of this library; static; never NULL. Any thread; never blocks. */
BH_API const char *bh_strerror(int error);

BH_END_DECLS

#endif
