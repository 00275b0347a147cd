/* SPDX-License-Identifier: Apache-2.0 */
#include "core/count.h"

#include <errno.h>

static bh_atomic_u64 *counter_of(struct bh_counters *counters, int error)
{
    switch (error) {
    case -ESHUTDOWN:
        return &counters->refused_closed;
    case -EMSGSIZE:
        return &counters->refused_too_big;
    case -EAGAIN:
        return &counters->refused_busy;
    case -ENOBUFS:
        return &counters->refused_full;
    case -ETIMEDOUT:
        return &counters->timed_out;
    case -ECANCELED:
        return &counters->cancelled;
    default:
        return &counters->invalid;
    }
}

int bh__count_refusal(struct bh_counters *counters, int error)
{
    bh_stat_add(counter_of(counters, error), 1);
    return error;
}

static unsigned bucket_of(bh_ns waited)
{
    unsigned bucket = 0;
    while (bucket < BH_WAIT_BUCKETS - 1 && waited > bh_wait_bucket_bound(bucket))
        bucket++;
    return bucket;
}

void bh__count_wait_locked(struct bh_counters *counters, bh_ns since, bh_ns now)
{
    bh_ns waited = now > since ? now - since : 0;
    bh_stat_bump(&counters->wait_count, 1);
    bh_stat_bump(&counters->wait_sum_ns, waited);
    bh_stat_bump(&counters->wait_buckets[bucket_of(waited)], 1);
    uint64_t recent = bh_stat_load(&counters->wait_recent_ns);
    bh_stat_store(&counters->wait_recent_ns, recent == 0 ? waited : recent - recent / 8 + waited / 8);
}
