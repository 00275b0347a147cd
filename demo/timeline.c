/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline.h"

#include <stdio.h>

#include "screen.h"

#define LOOKUP_CELLS 10u

static uint32_t worker_cells(void)
{
    return screen_is_wide() ? 20u : 10u;
}

/* Rounded, but what is there at all gets a cell. */
static uint32_t cells_for(double amount, double whole, uint32_t cells)
{
    uint32_t rounded = (uint32_t)(amount / whole * cells + 0.5);
    return rounded == 0 && amount >= 1.0 ? 1 : rounded;
}

void quantile_text(const struct quantile *quantile, char *text, size_t capacity)
{
    double ms = (double)quantile->took / 1e6;

    if (quantile->at_least)
        snprintf(text, capacity, ">%.0f", ms);
    else
        snprintf(text, capacity, ms < 100.0 ? "%.1f" : "%.0f", ms);
}

static void print_legend(void)
{
    screen_print(PAINT_DIM, "       busy workers: ");
    screen_print(PAINT_YELLOW, "A ");
    screen_print(PAINT_GREEN, "B ");
    screen_print(PAINT_BLUE, "o");
    screen_print(PAINT_DIM, "            A: reports              B: lookups\n");
}

void timeline_head(void)
{
    bool wide = screen_is_wide();

    if (wide)
        print_legend();
    else
        screen_print(PAINT_DIM, "       workers busy      A: reports     B: lookups\n");
    screen_print(PAINT_DIM, "       %*s    ok/s err/s   %s  ok/s err/s p99 ms\n", (int)worker_cells() + 3, "",
                 wide ? "           " : "");
}

static void print_workers(const double busy[TRAFFIC_KINDS])
{
    uint32_t cells = worker_cells();
    const struct stripe stripes[] = {
        {cells_for(busy[TRAFFIC_REPORT], DEMO_WORKERS, cells), 'A', PAINT_YELLOW},
        {cells_for(busy[TRAFFIC_LOOKUP], DEMO_WORKERS, cells), 'B', PAINT_GREEN},
        {cells_for(busy[TRAFFIC_OTHER], DEMO_WORKERS, cells), 'o', PAINT_BLUE},
    };

    screen_bar(stripes, 3, cells);
    screen_print(PAINT_NONE, " %3.0f", busy[TRAFFIC_REPORT] + busy[TRAFFIC_LOOKUP] + busy[TRAFFIC_OTHER]);
}

static void print_rates(const struct figures *figures)
{
    uint32_t errors = figures_errors(figures);

    screen_print(PAINT_NONE, " %5u", figures->outcomes[OUTCOME_OK]);
    screen_print(errors > 0 ? PAINT_RED : PAINT_NONE, " %5u", errors);
}

static void print_lookup_bar(const struct figures *lookups)
{
    double expected = traffic_kinds[TRAFFIC_LOOKUP].per_second;
    const struct stripe stripe = {cells_for(lookups->outcomes[OUTCOME_OK], expected, LOOKUP_CELLS), 'B', PAINT_GREEN};

    screen_bar(&stripe, 1, LOOKUP_CELLS);
    screen_print(PAINT_NONE, " ");
}

void timeline_line(const struct timeline_second *second)
{
    char p99[16] = "-";

    screen_print(PAINT_DIM, " %2u s  ", second->number);
    print_workers(second->busy);
    screen_print(PAINT_NONE, " ");
    print_rates(&second->reports);
    screen_print(PAINT_NONE, "   ");
    if (screen_is_wide())
        print_lookup_bar(&second->lookups);
    print_rates(&second->lookups);
    if (second->lookups.requests > 0)
        quantile_text(&second->lookups.p99, p99, sizeof p99);
    screen_print(second->lookups.p99.at_least ? PAINT_RED : PAINT_NONE, " %6s\n", p99);
}
