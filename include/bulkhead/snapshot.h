/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots: what one limiter is doing, and what it has done. */
#ifndef BULKHEAD_SNAPSHOT_H
#define BULKHEAD_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#include <bulkhead/limiter.h>

BH_BEGIN_DECLS

/* Waits are counted in buckets that double: bucket i holds the waits of at most 1 us * 2^i; the last one holds the rest. */
#define BH_WAIT_BUCKETS 32u

/* Gauges are in units unless they say otherwise. Counters are in requests and only grow (but `granted` and its weight
 * count, for nanoseconds, a take that is undone because others wait). When nothing is under way
 *     granted = released + recovered + permits_out
 * holds exactly; while calls are under way each figure is true for some moment of the call, not all for the same one. */
typedef struct bh_snapshot {
    uint32_t size;           /* sizeof(bh_snapshot), set by the caller; no more than this is written */
    uint32_t limit;          /* gauge */
    uint64_t held;           /* gauge: units out */
    uint64_t free;           /* gauge: units of the limit that nobody holds; 0 while held is above it */
    uint64_t overage;        /* gauge: units out above the limit, after it was lowered */
    uint64_t permits_out;    /* gauge: permits out */
    uint64_t permits_late;   /* gauge: permits out that are marked late */
    uint64_t waiting;        /* gauge: requests waiting */
    uint64_t waiting_weight; /* gauge: units asked for by them */
    bh_ns oldest_wait_ns;    /* gauge: how long the oldest of them has waited; 0: none waits */
    uint32_t max_permits;
    uint32_t queue;          /* the bound of the queue, in requests */
    uint32_t order;          /* BH_ORDER_* */
    uint32_t closed;         /* 0 open, 1 draining, 2 closed */
    uint64_t granted;        /* admitted, at once or after a wait */
    uint64_t granted_weight; /* units of them */
    uint64_t released;
    uint64_t recovered;       /* taken back from owners that are gone */
    uint64_t queued;          /* had to wait, however it ended */
    uint64_t refused_busy;    /* -EAGAIN */
    uint64_t refused_full;    /* -ENOBUFS */
    uint64_t refused_too_big; /* -EMSGSIZE */
    uint64_t refused_closed;  /* -ESHUTDOWN */
    uint64_t timed_out;       /* -ETIMEDOUT */
    uint64_t cancelled;       /* -ECANCELED */
    uint64_t invalid;         /* -EINVAL or -E2BIG that named this limiter */
    uint64_t late;            /* permits that were ever marked late */
    uint64_t violations;      /* releases that were refused */
    uint64_t limit_changes;
    uint64_t wait_count; /* waits that ended in a grant */
    bh_ns wait_sum_ns;
    uint64_t wait_buckets[BH_WAIT_BUCKETS]; /* each for itself, not cumulated */
} bh_snapshot;

/* Fills *ret_snapshot. Takes no lock and disturbs nobody. Costs a look at each of max_permits slots.
 * Returns 0, or -EINVAL (NULL, or a size below that of the first version); *ret_snapshot is untouched then. */
BH_API int bh_limiter_snapshot(const bh_limiter *limiter, bh_snapshot *ret_snapshot);

/* The upper bound of bucket `index` in nanoseconds; BH_FOREVER for the last one and beyond. */
BH_API bh_ns bh_wait_bucket_bound(unsigned index);

/* Writes the snapshots of `count` limiters, one of each, as OpenMetrics 1.0 text, terminated by "# EOF\n" and a NUL, into
 * `buffer` of `capacity` bytes. The label `limiter` is the name, escaped; invalid UTF-8 cannot occur, for such names are
 * refused. The names must differ: the format allows each series once.
 * Returns the length of the whole text without the NUL. When that is not below `capacity` the text did not fit: `buffer`
 * then holds an empty string (if capacity is not 0), so call again with a larger one. Also
 *   -EINVAL  limiters is NULL with a count above 0, an entry is NULL, or buffer is NULL with a capacity above 0
 *   -ENOMEM  no memory for the snapshots, about half a KiB each for the time of the call
 * Content type: application/openmetrics-text; version=1.0.0; charset=utf-8. Takes no lock. */
BH_API long long bh_openmetrics(bh_limiter *const *limiters, size_t count, char *buffer, size_t capacity);

BH_END_DECLS

#endif
