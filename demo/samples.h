/* SPDX-License-Identifier: Apache-2.0 */
/* What became of each request of one run, and exact figures of any part of it. */
#ifndef DEMO_SAMPLES_H
#define DEMO_SAMPLES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "traffic.h"

enum outcome {
    OUTCOME_OK,
    OUTCOME_REFUSED, /* the API answered 503 */
    OUTCOME_GAVE_UP, /* the client's time was over */
    OUTCOME_FAILED,  /* no connection, a broken one, or another answer */
    OUTCOMES
};

struct sample {
    bh_ns sent; /* when the request was due to be sent, so that a late client hides nothing */
    bh_ns ended;
    enum traffic kind;
    enum outcome outcome;
};

struct samples {
    pthread_mutex_t lock;
    size_t count;
    size_t capacity;
    struct sample *all;
};

/* A time that requests took. `at_least`: the client gave up then, and would have had to wait longer. */
struct quantile {
    bh_ns took;
    bool at_least;
};

struct figures {
    uint32_t requests;
    uint32_t outcomes[OUTCOMES];
    struct quantile p50; /* of all requests, whatever the answer */
    struct quantile p99;
};

struct recovery {
    bool answered;
    bool erred;
    bh_ns first_ok;   /* from the release until then; if answered */
    bh_ns last_error; /* from the release until then; if erred */
};

/* The capacity is for `seconds` of all traffic. Returns 0 or -ENOMEM. */
int samples_open(struct samples *samples, unsigned seconds);
void samples_close(struct samples *samples);

void samples_add(struct samples *samples, const struct sample *sample);

/* The requests of one kind that were sent, or that ended, from `from` until before `to`. */
struct figures samples_sent(struct samples *samples, enum traffic kind, bh_ns from, bh_ns to);
struct figures samples_ended(struct samples *samples, enum traffic kind, bh_ns from, bh_ns to);

/* What ended after `released`. */
struct recovery samples_recovery(struct samples *samples, enum traffic kind, bh_ns released);

uint32_t figures_errors(const struct figures *figures);
double figures_error_percent(const struct figures *figures);

#endif
