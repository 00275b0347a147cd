/* SPDX-License-Identifier: Apache-2.0 */
/* Medians, quantiles and fairness of what was measured. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Up to SERIES_MAX values; more are dropped, which no program comes near. */
#define SERIES_MAX 4096u

typedef struct series {
    double values[SERIES_MAX];
    size_t count;
} series;

void series_add(series *all, double value);

/* Both sort the series. An empty one gives 0. */
double series_quantile(series *all, double q);
double series_median(series *all);

/* Durations in buckets 1/16 of a power of two wide; the maximum is exact. */
#define HISTOGRAM_BUCKETS 1024u

typedef struct histogram {
    uint64_t buckets[HISTOGRAM_BUCKETS];
    uint64_t count;
    uint64_t max;
} histogram;

void histogram_add(histogram *all, uint64_t ns);
void histogram_merge(histogram *into, const histogram *from);
uint64_t histogram_quantile(const histogram *all, double q);

/* Jain's index: 1 when all counts are equal, 1/n when one has everything. */
double jain_index(const uint64_t *counts, size_t n);

#endif
