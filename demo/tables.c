/* SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

#include <inttypes.h>
#include <stdio.h>

#include "screen.h"
#include "timeline.h"

static struct figures in_stall(struct story *story, enum traffic kind)
{
    return samples_sent(&story->samples, kind, story->stalled, story->released);
}

static void print_stall_row(struct story *story, enum traffic kind, const char *name)
{
    struct figures figures = in_stall(story, kind);
    double seconds = (double)(story->released - story->stalled) / 1e9;
    char p50[16], p99[16];

    quantile_text(&figures.p50, p50, sizeof p50);
    quantile_text(&figures.p99, p99, sizeof p99);
    screen_print(PAINT_NONE, "| %-25s | %6.0f | %6.0f | %6s | %6s | %6.2f %% |\n", name, figures.requests / seconds,
                 figures.outcomes[OUTCOME_OK] / seconds, p50, p99, figures_error_percent(&figures));
}

static void print_stall(struct story *shared, struct story *bulkheads)
{
    screen_print(PAINT_BOLD, "| while reporting stalls    | sent/s |   ok/s | p50 ms | p99 ms |   errors |\n");
    screen_print(PAINT_NONE, "|---------------------------|-------:|-------:|-------:|-------:|---------:|\n");
    print_stall_row(shared, TRAFFIC_LOOKUP, "B (cache), no bulkheads");
    print_stall_row(bulkheads, TRAFFIC_LOOKUP, "B (cache), bulkheads");
    print_stall_row(shared, TRAFFIC_REPORT, "A (reports), no bulkheads");
    print_stall_row(bulkheads, TRAFFIC_REPORT, "A (reports), bulkheads");
}

/* B with bulkheads has nothing to recover from: no request failed, neither in the stall nor after it. */
static bool had_no_outage(struct story *story, enum traffic kind, const struct recovery *recovery)
{
    struct figures figures = in_stall(story, kind);
    return figures_errors(&figures) == 0 && !recovery->erred;
}

static void print_recovery_row(struct story *story, enum traffic kind, const char *name)
{
    struct recovery recovery = samples_recovery(&story->samples, kind, story->released);
    char first[24] = "none", last[24] = "none";

    if (had_no_outage(story, kind, &recovery))
        snprintf(first, sizeof first, "no outage");
    else if (recovery.answered)
        snprintf(first, sizeof first, "%.0f ms", (double)recovery.first_ok / 1e6);
    if (recovery.erred)
        snprintf(last, sizeof last, "%.0f ms", (double)recovery.last_error / 1e6);
    screen_print(PAINT_NONE, "| %-25s | %15s | %15s |\n", name, first, last);
}

static void print_recovery(struct story *shared, struct story *bulkheads)
{
    screen_print(PAINT_BOLD, "| after it works again      | first ok answer |      last error |\n");
    screen_print(PAINT_NONE, "|---------------------------|----------------:|----------------:|\n");
    print_recovery_row(shared, TRAFFIC_LOOKUP, "B (cache), no bulkheads");
    print_recovery_row(bulkheads, TRAFFIC_LOOKUP, "B (cache), bulkheads");
    print_recovery_row(shared, TRAFFIC_REPORT, "A (reports), no bulkheads");
    print_recovery_row(bulkheads, TRAFFIC_REPORT, "A (reports), bulkheads");
}

static uint64_t refused(const bh_snapshot *books)
{
    return books->refused_busy + books->refused_full + books->timed_out;
}

static void print_books(const struct story *story)
{
    screen_print(PAINT_BOLD, "| limiter       | refused | granted = released + recovered + out | held |\n");
    screen_print(PAINT_NONE, "|---------------|--------:|-------------------------------------:|-----:|\n");
    for (int kind = 0; kind < TRAFFIC_KINDS; kind++) {
        const bh_snapshot *books = &story->books.snapshots[kind];
        char name[32], law[128];
        snprintf(name, sizeof name, "%s, %" PRIu32, traffic_kinds[kind].resource, books->limit);
        snprintf(law, sizeof law, "%" PRIu64 " = %" PRIu64 " + %" PRIu64 " + %" PRIu64, books->granted, books->released,
                 books->recovered, books->permits_out);
        screen_print(PAINT_NONE, "| %-13s | %7" PRIu64 " | %36s | %4" PRIu64 " |\n", name, refused(books), law,
                     books->held);
    }
}

void tables_print(struct story *shared, struct story *bulkheads)
{
    screen_print(PAINT_NONE, "\nRequests sent in the %u s of the stall, whatever the answer; >%u: given up\n",
                 STORY_STALL, DEMO_CLIENT_SECONDS * 1000u);
    print_stall(shared, bulkheads);
    putchar('\n');
    print_recovery(shared, bulkheads);
    putchar('\n');
    print_books(bulkheads);
    putchar('\n');
}
