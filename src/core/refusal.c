/* SPDX-License-Identifier: Apache-2.0 */
#include <bulkhead/refusal.h>

#include <errno.h>
#include <string.h>

#include "core/core.h"

static const struct {
    int error;
    uint32_t reason;
    const char *text;
} clauses[] = {
    {-EAGAIN, BH_REASON_BUSY, "nothing is free, and the request may not wait"},
    {-ENOBUFS, BH_REASON_QUEUE_FULL, "nothing is free, and no more may wait"},
    {-ETIMEDOUT, BH_REASON_TIMED_OUT, "the wait or the deadline is over"},
    {-ECANCELED, BH_REASON_CANCELLED, "the request was cancelled"},
    {-ESHUTDOWN, BH_REASON_CLOSED, "the limiter is closed"},
    {-EMSGSIZE, BH_REASON_TOO_BIG, "the weight is above the present limit"},
    {-EINVAL, BH_REASON_INVALID, "an argument is missing or outside its range"},
    {-E2BIG, BH_REASON_INVALID, "the structure has fields that this version does not know"},
    /* answers of other calls */
    {-EALREADY, BH_REASON_INVALID, "the permit was released already"},
    {-ESTALE, BH_REASON_INVALID, "the permit was released, and its place is another's"},
    {-EPERM, BH_REASON_INVALID, "the permit belongs to the parent process"},
    {-EXDEV, BH_REASON_INVALID, "the permit is of another limiter"},
    {-EBUSY, BH_REASON_INVALID, "something is still out or waiting"},
    {-ERANGE, BH_REASON_INVALID, "the limit is above max_permits"},
    {-ENOMEM, BH_REASON_INVALID, "no memory"},
};

#define CLAUSES (sizeof clauses / sizeof clauses[0])
#define ACQUIRE_CLAUSES 8u /* the first ones are an acquire's */

const char *bh_strerror(int error)
{
    for (size_t i = 0; i < CLAUSES; i++)
        if (clauses[i].error == error)
            return clauses[i].text;
    return error == 0 ? "no error" : "an error that this library does not return";
}

static bh_ns retry_hint(const struct bh_limiter *limiter, uint32_t reason)
{
    if (reason == BH_REASON_CLOSED || reason == BH_REASON_INVALID)
        return BH_FOREVER;
    return bh_stat_load(&limiter->core->counters.wait_recent_ns);
}

int bh_refusal_describe(const bh_limiter *limiter, int error, bh_refusal *ret_refusal)
{
    if (!limiter || !ret_refusal || ret_refusal->size < sizeof *ret_refusal)
        return -EINVAL;
    for (size_t i = 0; i < ACQUIRE_CLAUSES; i++) {
        if (clauses[i].error != error)
            continue;
        bh_refusal refusal = {.size = (uint32_t)sizeof refusal,
                              .reason = clauses[i].reason,
                              .scope = BH_SCOPE_PROCESS,
                              .self_imposed = clauses[i].reason != BH_REASON_INVALID,
                              .name = bh_limiter_name(limiter),
                              .reason_text = clauses[i].text,
                              .retry_after_ns = retry_hint(limiter, clauses[i].reason)};
        memcpy(ret_refusal, &refusal, sizeof refusal);
        return 0;
    }
    return -EINVAL;
}
