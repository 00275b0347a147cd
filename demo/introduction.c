/* SPDX-License-Identifier: Apache-2.0 */
#include "introduction.h"

#include "screen.h"
#include "story.h"

static void introduce_traffic(enum traffic kind, const char *letter, enum paint paint, const char *what)
{
    screen_print(PAINT_NONE, "%8u x ", traffic_kinds[kind].per_second);
    screen_print(paint, "%s", letter);
    screen_print(PAINT_NONE, "  %s\n", what);
}

void introduce_demo(void)
{
    screen_print(PAINT_BOLD, "One dependency stalls: an API without bulkheads, and with\n\n");
    screen_print(PAINT_NONE, "An API process has %u worker threads. Each second its clients send\n", DEMO_WORKERS);
    introduce_traffic(TRAFFIC_REPORT, "A", PAINT_YELLOW, "a report, by HTTP from a reporting service");
    introduce_traffic(TRAFFIC_LOOKUP, "B", PAINT_GREEN, "a lookup in a cache in memory");
    introduce_traffic(TRAFFIC_OTHER, "o", PAINT_BLUE, "other work");
    screen_print(PAINT_NONE, "and give up after %u s. From second %u to %u reporting stalls.\n", DEMO_CLIENT_SECONDS,
                 STORY_NORMAL + 1u, STORY_NORMAL + STORY_STALL);
}

void introduce_run(bool bulkheads)
{
    if (!bulkheads) {
        screen_print(PAINT_BOLD, "\n1. Without bulkheads: all share the %u workers\n", DEMO_WORKERS);
        return;
    }
    screen_print(PAINT_BOLD, "\n2. With bulkheads: reporting %u, cache %u, other %u at once\n",
                 traffic_kinds[TRAFFIC_REPORT].limit, traffic_kinds[TRAFFIC_LOOKUP].limit,
                 traffic_kinds[TRAFFIC_OTHER].limit);
    screen_print(PAINT_NONE, "   What is above a limit waits %u ms at most, and only %u requests at a time.\n",
                 DEMO_BUDGET_WAIT_MS, DEMO_BUDGET_QUEUE);
}
