/* SPDX-License-Identifier: Apache-2.0 */
/* The demo second by second: one line for each. */
#ifndef DEMO_TIMELINE_H
#define DEMO_TIMELINE_H

#include "samples.h"

struct timeline_second {
    unsigned number;
    double busy[TRAFFIC_KINDS]; /* workers, the mean of the looks in this second */
    struct figures reports;     /* of the requests that ended in this second */
    struct figures lookups;
};

void timeline_head(void);
void timeline_line(const struct timeline_second *second);

/* "12.3", or ">500" for requests that were given up: milliseconds. */
void quantile_text(const struct quantile *quantile, char *text, size_t capacity);

#endif
