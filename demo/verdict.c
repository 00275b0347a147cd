/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict.h"

#include <stdio.h>

#include "screen.h"

#define LOOKUP_ERRORS_MAX 1.0 /* per cent of B that may fail while A is stalled */

static double lookup_error_percent(struct story *story)
{
    struct figures figures = samples_sent(&story->samples, TRAFFIC_LOOKUP, story->stalled, story->released);
    return figures_error_percent(&figures);
}

/* Otherwise nothing was put to the test. */
static bool reporting_was_full(const struct story *story)
{
    return story->most_held[TRAFFIC_REPORT] == traffic_kinds[TRAFFIC_REPORT].limit;
}

static bool books_balance(const bh_snapshot *books)
{
    return books->granted == books->released + books->recovered + books->permits_out && books->held == 0 &&
           books->violations == 0;
}

static bool all_books_balance(const struct story *story)
{
    for (int kind = 0; kind < TRAFFIC_KINDS; kind++)
        if (!books_balance(&story->books.snapshots[kind]))
            return false;
    return story->books.drained == 0;
}

static int print_failure(const char *sentence)
{
    screen_print(PAINT_RED, "%s\n", sentence);
    return 1;
}

int verdict_print(struct story *shared, struct story *bulkheads)
{
    double without = lookup_error_percent(shared);
    double with = lookup_error_percent(bulkheads);

    if (!reporting_was_full(bulkheads))
        return print_failure("Nothing was shown: the budget of reporting was not seen full in the stall.");
    if (with >= LOOKUP_ERRORS_MAX) {
        screen_print(PAINT_RED, "Isolation did not hold: with bulkheads %.2f %% of B failed in the stall.\n", with);
        return 1;
    }
    if (!all_books_balance(bulkheads))
        return print_failure("The books are wrong: not every permit that was granted came back.");
    screen_print(PAINT_GREEN, "Isolation held: %.2f %% of B failed in the stall, %.2f %% without bulkheads.\n", with,
                 without);
    screen_print(PAINT_GREEN, "The books are right: every permit that was granted came back.\n");
    return 0;
}
