/* SPDX-License-Identifier: Apache-2.0 */
/* The API's endpoints: what one worker does for one request. */
#ifndef DEMO_ENDPOINTS_H
#define DEMO_ENDPOINTS_H

#include <stdint.h>

#include "budgets.h"

struct cache;

/* What all workers share. */
struct endpoints {
    struct budgets budgets;
    struct cache *cache;
    char report_url[64];
};

/* What one worker has for itself: a connection to the reporting service. */
struct endpoint_worker;

/* NULL: no memory. Lives as long as the process. */
struct endpoint_worker *endpoint_worker_new(const struct endpoints *endpoints);

/* Which kind of request this is; TRAFFIC_KINDS: none. */
enum traffic endpoint_of(const char *head);

/* Serves a request and answers it. */
void endpoint_serve(const struct endpoints *endpoints, struct endpoint_worker *worker, enum traffic kind,
                    const char *head, int client);

#endif
