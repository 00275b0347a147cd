/* SPDX-License-Identifier: Apache-2.0 */
#include "stats.h"

#include <stdlib.h>

#define SUB_BITS 4u
#define SUB_BUCKETS (1u << SUB_BITS)

void series_add(series *all, double value)
{
    if (all->count < SERIES_MAX)
        all->values[all->count++] = value;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

double series_quantile(series *all, double q)
{
    if (all->count == 0)
        return 0;
    qsort(all->values, all->count, sizeof all->values[0], by_size);
    size_t index = (size_t)(q * (double)all->count);
    return all->values[index < all->count ? index : all->count - 1];
}

double series_median(series *all)
{
    return series_quantile(all, 0.5);
}

static unsigned bucket_of(uint64_t ns)
{
    if (ns < SUB_BUCKETS)
        return (unsigned)ns;
    unsigned top = 63u - (unsigned)__builtin_clzll(ns);
    unsigned sub = (unsigned)(ns >> (top - SUB_BITS)) & (SUB_BUCKETS - 1u);
    return (top - SUB_BITS + 1u) * SUB_BUCKETS + sub;
}

static uint64_t middle_of(unsigned bucket)
{
    if (bucket < SUB_BUCKETS)
        return bucket;
    unsigned shift = bucket / SUB_BUCKETS - 1u;
    uint64_t low = (uint64_t)(SUB_BUCKETS + bucket % SUB_BUCKETS) << shift;
    return low + (((uint64_t)1 << shift) >> 1);
}

void histogram_add(histogram *all, uint64_t ns)
{
    all->buckets[bucket_of(ns)]++;
    all->count++;
    if (ns > all->max)
        all->max = ns;
}

void histogram_merge(histogram *into, const histogram *from)
{
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        into->buckets[i] += from->buckets[i];
    into->count += from->count;
    if (from->max > into->max)
        into->max = from->max;
}

uint64_t histogram_quantile(const histogram *all, double q)
{
    uint64_t wanted = (uint64_t)(q * (double)all->count);
    uint64_t seen = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += all->buckets[i];
        if (seen > wanted)
            return middle_of(i);
    }
    return all->max;
}

double jain_index(const uint64_t *counts, size_t n)
{
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)counts[i];
        squares += (double)counts[i] * (double)counts[i];
    }
    return squares > 0 ? sum * sum / ((double)n * squares) : 0;
}
