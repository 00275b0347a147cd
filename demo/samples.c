/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include <errno.h>
#include <stdlib.h>

int samples_open(struct samples *samples, unsigned seconds)
{
    size_t per_second = 0;

    for (int kind = 0; kind < TRAFFIC_KINDS; kind++)
        per_second += traffic_kinds[kind].per_second;
    *samples = (struct samples){.lock = PTHREAD_MUTEX_INITIALIZER, .capacity = per_second * seconds};
    samples->all = calloc(samples->capacity, sizeof *samples->all);
    return samples->all == NULL ? -ENOMEM : 0;
}

void samples_close(struct samples *samples)
{
    free(samples->all);
    samples->all = NULL;
}

void samples_add(struct samples *samples, const struct sample *sample)
{
    pthread_mutex_lock(&samples->lock);
    if (samples->count == samples->capacity)
        abort(); /* more was sent than was planned: no figure of this run could be trusted */
    samples->all[samples->count++] = *sample;
    pthread_mutex_unlock(&samples->lock);
}

static int by_time_taken(const void *left, const void *right)
{
    const struct sample *a = left;
    const struct sample *b = right;
    bh_ns a_took = a->ended - a->sent;
    bh_ns b_took = b->ended - b->sent;

    return (a_took > b_took) - (a_took < b_took);
}

/* The nearest rank: the smallest time that `percent` of the requests did not exceed. */
static struct quantile quantile(const struct sample *sorted, uint32_t count, uint32_t percent)
{
    if (count == 0)
        return (struct quantile){0};
    const struct sample *sample = &sorted[((uint64_t)count * percent + 99u) / 100u - 1u];
    if (sample->outcome == OUTCOME_GAVE_UP)
        return (struct quantile){bh_seconds(DEMO_CLIENT_SECONDS), true};
    return (struct quantile){sample->ended - sample->sent, false};
}

static struct figures figures_of(struct sample *chosen, uint32_t count)
{
    struct figures figures = {.requests = count};

    for (uint32_t i = 0; i < count; i++)
        figures.outcomes[chosen[i].outcome]++;
    qsort(chosen, count, sizeof *chosen, by_time_taken);
    figures.p50 = quantile(chosen, count, 50);
    figures.p99 = quantile(chosen, count, 99);
    return figures;
}

static struct figures figures_between(struct samples *samples, enum traffic kind, bool by_end, bh_ns from, bh_ns to)
{
    uint32_t count = 0;

    pthread_mutex_lock(&samples->lock);
    struct sample *chosen = calloc(samples->count + 1u, sizeof *chosen);
    for (size_t i = 0; chosen != NULL && i < samples->count; i++) {
        const struct sample *sample = &samples->all[i];
        bh_ns moment = by_end ? sample->ended : sample->sent;
        if (sample->kind == kind && moment >= from && moment < to)
            chosen[count++] = *sample;
    }
    pthread_mutex_unlock(&samples->lock);
    if (chosen == NULL)
        abort();
    struct figures figures = figures_of(chosen, count);
    free(chosen);
    return figures;
}

struct figures samples_sent(struct samples *samples, enum traffic kind, bh_ns from, bh_ns to)
{
    return figures_between(samples, kind, false, from, to);
}

struct figures samples_ended(struct samples *samples, enum traffic kind, bh_ns from, bh_ns to)
{
    return figures_between(samples, kind, true, from, to);
}

static void note_end(struct recovery *recovery, enum outcome outcome, bh_ns after)
{
    if (outcome != OUTCOME_OK) {
        recovery->last_error = !recovery->erred || after > recovery->last_error ? after : recovery->last_error;
        recovery->erred = true;
    } else {
        recovery->first_ok = !recovery->answered || after < recovery->first_ok ? after : recovery->first_ok;
        recovery->answered = true;
    }
}

struct recovery samples_recovery(struct samples *samples, enum traffic kind, bh_ns released)
{
    struct recovery recovery = {0};

    pthread_mutex_lock(&samples->lock);
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->all[i];
        if (sample->kind == kind && sample->ended >= released)
            note_end(&recovery, sample->outcome, sample->ended - released);
    }
    pthread_mutex_unlock(&samples->lock);
    return recovery;
}

uint32_t figures_errors(const struct figures *figures)
{
    return figures->requests - figures->outcomes[OUTCOME_OK];
}

double figures_error_percent(const struct figures *figures)
{
    return figures->requests == 0 ? 0.0 : 100.0 * figures_errors(figures) / figures->requests;
}
