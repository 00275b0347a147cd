/* SPDX-License-Identifier: Apache-2.0 */
#include "budgets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DRAIN_SECONDS 3u

int budgets_open(struct budgets *budgets, bool on)
{
    budgets->on = on;
    for (int kind = 0; on && kind < TRAFFIC_KINDS; kind++) {
        int error = bh_limiter_new(&BH_OPTIONS(.name = traffic_kinds[kind].resource, .limit = traffic_kinds[kind].limit,
                                               .queue = DEMO_BUDGET_QUEUE, .wait_ns = bh_ms(DEMO_BUDGET_WAIT_MS)),
                                   &budgets->limiters[kind]);
        if (error != 0)
            return error;
    }
    return 0;
}

int budgets_admit(const struct budgets *budgets, enum traffic kind, bh_permit *ret_permit)
{
    return budgets->on ? bh_acquire(budgets->limiters[kind], ret_permit) : 0;
}

void budgets_explain(const struct budgets *budgets, enum traffic kind, int error, char *text, size_t capacity)
{
    bh_refusal refusal = {.size = sizeof refusal};

    if (bh_refusal_describe(budgets->limiters[kind], error, &refusal) == 0)
        snprintf(text, capacity, "%s: %s\n", refusal.name, refusal.reason_text);
    else
        snprintf(text, capacity, "%s\n", bh_strerror(error));
}

void budgets_look(const struct budgets *budgets, struct budgets_books *ret_books)
{
    memset(ret_books, 0, sizeof *ret_books);
    for (int kind = 0; budgets->on && kind < TRAFFIC_KINDS; kind++) {
        ret_books->snapshots[kind].size = (uint32_t)sizeof(bh_snapshot);
        bh_limiter_snapshot(budgets->limiters[kind], &ret_books->snapshots[kind]);
    }
    ret_books->drained = -ETIMEDOUT;
}

void budgets_drain(const struct budgets *budgets, struct budgets_books *ret_books)
{
    bh_ns deadline = bh_deadline_after(bh_seconds(DRAIN_SECONDS));
    int drained = 0;

    for (int kind = 0; budgets->on && kind < TRAFFIC_KINDS; kind++) {
        int error = bh_limiter_drain(budgets->limiters[kind], bh_remaining(deadline));
        drained = error != 0 ? error : drained;
    }
    budgets_look(budgets, ret_books);
    ret_books->drained = drained;
}
