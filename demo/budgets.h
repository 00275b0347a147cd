/* SPDX-License-Identifier: Apache-2.0 */
/* The bulkheads: one limiter for what each kind of request uses. All that the demo asks of libbulkhead is here. */
#ifndef DEMO_BUDGETS_H
#define DEMO_BUDGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "traffic.h"

struct budgets {
    bool on; /* false: every request is admitted, and nothing is counted */
    bh_limiter *limiters[TRAFFIC_KINDS];
};

struct budgets_books {
    int drained; /* 0 once all permits are back and nobody waits; -ETIMEDOUT until then */
    bh_snapshot snapshots[TRAFFIC_KINDS];
};

/* Returns 0 or a negative errno. Nothing to free: they live as long as the process. */
int budgets_open(struct budgets *budgets, bool on);

/* Waits within the bounds of the budget. Returns 0 with a permit, or the reason as a negative errno. */
int budgets_admit(const struct budgets *budgets, enum traffic kind, bh_permit *ret_permit);

/* The reason in words, for the client. */
void budgets_explain(const struct budgets *budgets, enum traffic kind, int error, char *text, size_t capacity);

void budgets_look(const struct budgets *budgets, struct budgets_books *ret_books);

/* Admits nobody any more, and waits until all permits are back. */
void budgets_drain(const struct budgets *budgets, struct budgets_books *ret_books);

#endif
