/* SPDX-License-Identifier: Apache-2.0 */
/* What the API is asked for: three kinds of request, and how often each comes. And what the API has for it. */
#ifndef DEMO_TRAFFIC_H
#define DEMO_TRAFFIC_H

#include <bulkhead/bulkhead.h>

enum traffic { TRAFFIC_REPORT, TRAFFIC_LOOKUP, TRAFFIC_OTHER, TRAFFIC_KINDS };

struct traffic_kind {
    const char *path;     /* how a request's path begins */
    uint32_t per_second;  /* requests sent each second, whatever comes back */
    const char *resource; /* what serving one uses, which is the limiter's name */
    uint32_t limit;       /* how many may use it at once, in the run with bulkheads */
};

extern const struct traffic_kind traffic_kinds[TRAFFIC_KINDS];

#define DEMO_CLIENT_SECONDS 1u /* after this a client gives up */
#define DEMO_WORKERS 100u      /* threads of the API process */
/* Connections that the kernel keeps while no worker takes them: bounded, but enough for what comes in
 * when a busy machine does not let the workers run for half a second. */
#define DEMO_ACCEPT_QUEUE 1024
#define DEMO_CACHE_ENTRIES 10000u
#define DEMO_REPORT_MS 20u          /* what the reporting service takes for a report */
#define DEMO_CALL_TIMEOUT_MS 10000L /* how long a worker waits for the reporting service */

/* A request that waits for its budget sits on a worker meanwhile. So what one kind may have running and waiting
 * together must leave workers for the others: 60 + 5 reports leave 35 of the 100. */
#define DEMO_BUDGET_QUEUE 5u
#define DEMO_BUDGET_WAIT_MS 10u

#endif
