/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMetrics 1.0 text (https://github.com/OpenObservability/OpenMetrics): one family after the other, each with a sample
 * of every limiter. Written into the caller's buffer; what does not fit is only counted. */
#include <bulkhead/snapshot.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"

struct text {
    char *buffer;
    size_t capacity;
    size_t length;
};

static void put(struct text *text, const char *bytes, size_t count)
{
    if (text->length < text->capacity) {
        size_t room = text->capacity - text->length;
        memcpy(text->buffer + text->length, bytes, count < room ? count : room);
    }
    text->length += count;
}

__attribute__((format(printf, 2, 3))) static void print(struct text *text, const char *format, ...)
{
    char line[160];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    put(text, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

/* A label's value between its quotes: backslash, quote and line feed are escaped, all else stands for itself. */
static void put_escaped(struct text *text, const char *value)
{
    for (; *value; value++) {
        if (*value == '\\' || *value == '"')
            put(text, "\\", 1);
        if (*value == '\n')
            put(text, "\\n", 2);
        else
            put(text, value, 1);
    }
}

static void put_sample(struct text *text, const char *name, const bh_limiter *limiter, const char *more)
{
    print(text, "bulkhead_%s{limiter=\"", name);
    put_escaped(text, bh_limiter_name(limiter));
    print(text, "\"%s} ", more);
}

struct family {
    const char *name;
    const char *type;
    const char *help;
    uint64_t (*value)(const bh_snapshot *snapshot);
};

#define VALUE(field)                                           \
    static uint64_t value_##field(const bh_snapshot *snapshot) \
    {                                                          \
        return snapshot->field;                                \
    }
VALUE(limit)
VALUE(held)
VALUE(free)
VALUE(overage)
VALUE(permits_out)
VALUE(permits_late)
VALUE(waiting)
VALUE(waiting_weight)
VALUE(max_permits)
VALUE(closed)
VALUE(granted)
VALUE(granted_weight)
VALUE(released)
VALUE(recovered)
VALUE(queued)
VALUE(late)
VALUE(violations)
VALUE(limit_changes)

static const struct family families[] = {
    {"limit", "gauge", "Units that may be out at once.", value_limit},
    {"max_permits", "gauge", "The highest limit that can be set.", value_max_permits},
    {"held", "gauge", "Units out.", value_held},
    {"free", "gauge", "Units that can be taken now.", value_free},
    {"overage", "gauge", "Units out above the limit.", value_overage},
    {"permits_out", "gauge", "Permits out.", value_permits_out},
    {"permits_late", "gauge", "Permits out whose caller has left.", value_permits_late},
    {"waiting", "gauge", "Requests that wait.", value_waiting},
    {"waiting_weight", "gauge", "Units that waiting requests ask for.", value_waiting_weight},
    {"closed", "gauge", "0 open, 1 draining, 2 closed.", value_closed},
    {"granted", "counter", "Requests admitted.", value_granted},
    {"granted_weight", "counter", "Units of the requests admitted.", value_granted_weight},
    {"released", "counter", "Permits released.", value_released},
    {"recovered", "counter", "Permits taken back from owners that are gone.", value_recovered},
    {"queued", "counter", "Requests that had to wait.", value_queued},
    {"late", "counter", "Permits that were marked late.", value_late},
    {"violations", "counter", "Releases that were refused.", value_violations},
    {"limit_changes", "counter", "Changes of the limit.", value_limit_changes},
};

struct source {
    bh_limiter *const *limiters;
    bh_snapshot *snapshots; /* one of each, so that all families tell of the same moment */
    size_t count;
};

/* A take that is undone under pressure counts as a grant for a moment. Whoever scrapes takes a counter that falls for a
 * restart, so what was shown once stays. */
static uint64_t never_less(bh_atomic_u64 *shown, uint64_t value)
{
    uint64_t before = bh_stat_load(shown);
    while (before < value && !bh_cas_seq(shown, &before, value))
        ;
    return before > value ? before : value;
}

static bh_snapshot look(bh_limiter *limiter)
{
    bh_snapshot snapshot = {.size = (uint32_t)sizeof snapshot};
    bh_limiter_snapshot(limiter, &snapshot);
    snapshot.granted = never_less(&limiter->shown_granted, snapshot.granted);
    snapshot.released = never_less(&limiter->shown_released, snapshot.released);
    snapshot.granted_weight = never_less(&limiter->shown_granted_weight, snapshot.granted_weight);
    return snapshot;
}

static void put_head(struct text *text, const char *name, const char *type, const char *unit, const char *help)
{
    print(text, "# TYPE bulkhead_%s %s\n", name, type);
    if (unit)
        print(text, "# UNIT bulkhead_%s %s\n", name, unit);
    print(text, "# HELP bulkhead_%s %s\n", name, help);
}

static void put_family(struct text *text, const struct family *family, const struct source *source)
{
    char name[48];
    snprintf(name, sizeof name, "%s%s", family->name, strcmp(family->type, "counter") == 0 ? "_total" : "");
    put_head(text, family->name, family->type, NULL, family->help);
    for (size_t i = 0; i < source->count; i++) {
        const bh_snapshot *snapshot = &source->snapshots[i];
        put_sample(text, name, source->limiters[i], "");
        print(text, "%llu\n", (unsigned long long)family->value(snapshot));
    }
}

static void put_refusals(struct text *text, const struct source *source)
{
    put_head(text, "refused", "counter", NULL, "Requests refused, by reason.");
    for (size_t i = 0; i < source->count; i++) {
        const bh_snapshot *snapshot = &source->snapshots[i];
        const struct {
            const char *reason;
            uint64_t value;
        } reasons[] = {
            {",reason=\"busy\"", snapshot->refused_busy},     {",reason=\"queue_full\"", snapshot->refused_full},
            {",reason=\"timed_out\"", snapshot->timed_out},   {",reason=\"cancelled\"", snapshot->cancelled},
            {",reason=\"closed\"", snapshot->refused_closed}, {",reason=\"too_big\"", snapshot->refused_too_big},
            {",reason=\"invalid\"", snapshot->invalid},
        };
        for (size_t r = 0; r < sizeof reasons / sizeof reasons[0]; r++) {
            put_sample(text, "refused_total", source->limiters[i], reasons[r].reason);
            print(text, "%llu\n", (unsigned long long)reasons[r].value);
        }
    }
}

static void put_seconds(struct text *text, bh_ns nanoseconds)
{
    print(text, "%llu.%09llu", (unsigned long long)(nanoseconds / 1000000000u),
          (unsigned long long)(nanoseconds % 1000000000u));
}

static void put_oldest(struct text *text, const struct source *source)
{
    put_head(text, "oldest_wait_seconds", "gauge", "seconds", "How long the oldest waiting request has waited.");
    for (size_t i = 0; i < source->count; i++) {
        put_sample(text, "oldest_wait_seconds", source->limiters[i], "");
        put_seconds(text, source->snapshots[i].oldest_wait_ns);
        put(text, "\n", 1);
    }
}

static void put_bucket(struct text *text, const bh_limiter *limiter, unsigned index, uint64_t cumulated)
{
    char bound[48] = ",le=\"+Inf\"";
    bh_ns nanoseconds = bh_wait_bucket_bound(index);
    if (nanoseconds != BH_FOREVER)
        snprintf(bound, sizeof bound, ",le=\"%llu.%06llu\"", (unsigned long long)(nanoseconds / 1000000000u),
                 (unsigned long long)(nanoseconds % 1000000000u / 1000u));
    put_sample(text, "wait_seconds_bucket", limiter, bound);
    print(text, "%llu\n", (unsigned long long)cumulated);
}

static void put_waits(struct text *text, const struct source *source)
{
    put_head(text, "wait_seconds", "histogram", "seconds", "Waits of the queued requests that were granted.");
    for (size_t i = 0; i < source->count; i++) {
        const bh_limiter *limiter = source->limiters[i];
        const bh_snapshot *snapshot = &source->snapshots[i];
        uint64_t cumulated = 0;
        for (unsigned bucket = 0; bucket < BH_WAIT_BUCKETS; bucket++) {
            cumulated += snapshot->wait_buckets[bucket];
            put_bucket(text, limiter, bucket, cumulated);
        }
        put_sample(text, "wait_seconds_count", limiter, "");
        print(text, "%llu\n", (unsigned long long)cumulated); /* as the format asks: the last bucket's value */
        put_sample(text, "wait_seconds_sum", limiter, "");
        put_seconds(text, snapshot->wait_sum_ns);
        put(text, "\n", 1);
    }
}

long long bh_openmetrics(bh_limiter *const *limiters, size_t count, char *buffer, size_t capacity)
{
    if ((!limiters && count) || (!buffer && capacity))
        return -EINVAL;
    for (size_t i = 0; i < count; i++)
        if (!limiters[i])
            return -EINVAL;
    bh_snapshot *snapshots = bh__alloc(count * sizeof *snapshots + 1);
    if (!snapshots)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        snapshots[i] = look(limiters[i]);
    struct text text = {buffer, capacity, 0};
    struct source source = {limiters, snapshots, count};
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        put_family(&text, &families[i], &source);
    put_refusals(&text, &source);
    put_oldest(&text, &source);
    put_waits(&text, &source);
    put(&text, "# EOF\n", 6);
    bh__free(snapshots);
    if (capacity)
        buffer[text.length < capacity ? text.length : 0] = '\0';
    return (long long)text.length;
}
