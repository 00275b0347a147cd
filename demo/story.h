/* SPDX-License-Identifier: Apache-2.0 */
/* One run: a normal time, the stall, and the time after it, told as it happens. */
#ifndef DEMO_STORY_H
#define DEMO_STORY_H

#include "api.h"
#include "samples.h"

#define STORY_NORMAL 3u /* seconds of each part */
#define STORY_STALL 6u
#define STORY_AFTER 3u
#define STORY_SECONDS (STORY_NORMAL + STORY_STALL + STORY_AFTER)

struct story {
    bool bulkheads;
    struct samples samples;
    bh_ns stalled;
    bh_ns released;
    uint32_t calls_stuck;              /* reports that the service owed when it was released */
    uint64_t most_held[TRAFFIC_KINDS]; /* units, in all looks */
    bh_ns latest;                      /* by how much the latest request was sent late */
    struct budgets_books books;        /* at the end */
};

/* Plays it, and prints it. Returns 0; or 1 after saying what went wrong. */
int story_play(struct story *story, bool bulkheads);
void story_close(struct story *story);

#endif
