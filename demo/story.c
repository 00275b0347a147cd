/* SPDX-License-Identifier: Apache-2.0 */
#include "story.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "child.h"
#include "introduction.h"
#include "load.h"
#include "report_service.h"
#include "screen.h"
#include "timeline.h"

#define LOOKS_PER_SECOND 20u

struct stage {
    struct story *story;
    struct child reporting;
    struct child api;
    bh_ns begin;
};

static int complain(const char *what, int error)
{
    fprintf(stderr, "bulkhead-demo: %s: %s\n", what, strerror(-error));
    return 1;
}

static void sleep_until(bh_ns moment)
{
    const struct timespec until = {.tv_sec = (time_t)(moment / 1000000000u), .tv_nsec = (long)(moment % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

static int look(struct stage *stage, struct timeline_second *second)
{
    struct api_look seen;
    int error = child_ask(&stage->api, API_LOOK, &seen, sizeof seen);

    if (error != 0)
        return complain("the API process does not answer", error);
    for (int kind = 0; kind < TRAFFIC_KINDS; kind++) {
        uint64_t held = seen.books.snapshots[kind].held;
        second->busy[kind] += (double)seen.busy[kind] / LOOKS_PER_SECOND;
        if (held > stage->story->most_held[kind])
            stage->story->most_held[kind] = held;
    }
    return 0;
}

static int watch_second(struct stage *stage, unsigned number)
{
    struct timeline_second second = {.number = number};
    bh_ns from = stage->begin + bh_seconds(number - 1u);
    bh_ns to = from + bh_seconds(1);

    for (unsigned i = 1; i <= LOOKS_PER_SECOND; i++) {
        sleep_until(from + bh_ms(1000u / LOOKS_PER_SECOND) * i);
        if (look(stage, &second) != 0)
            return 1;
    }
    second.reports = samples_ended(&stage->story->samples, TRAFFIC_REPORT, from, to);
    second.lookups = samples_ended(&stage->story->samples, TRAFFIC_LOOKUP, from, to);
    timeline_line(&second);
    return 0;
}

static int order(struct stage *stage, char command, uint32_t *ret_waiting)
{
    int error = child_ask(&stage->reporting, command, ret_waiting, sizeof *ret_waiting);
    return error != 0 ? complain("the reporting service does not answer", error) : 0;
}

/* What happens at the start of a second. */
static int turn(struct stage *stage, unsigned number)
{
    struct story *story = stage->story;
    uint32_t waiting;

    if (number == 1) {
        screen_headline(PAINT_BOLD, "reporting works");
    } else if (number == STORY_NORMAL + 1u) {
        screen_headline(PAINT_RED, "reporting stalls: it takes calls and answers none");
        story->stalled = bh_now();
        return order(stage, REPORT_SERVICE_STALL, &waiting);
    } else if (number == STORY_NORMAL + STORY_STALL + 1u) {
        story->released = bh_now();
        int error = order(stage, REPORT_SERVICE_RELEASE, &story->calls_stuck);
        screen_headline(PAINT_GREEN, "reporting works again");
        return error;
    }
    return 0;
}

static int watch(struct stage *stage)
{
    for (unsigned number = 1; number <= STORY_SECONDS; number++)
        if (turn(stage, number) != 0 || watch_second(stage, number) != 0)
            return 1;
    return 0;
}

static int drain(struct stage *stage)
{
    struct api_look last;
    int error = child_ask(&stage->api, API_DRAIN, &last, sizeof last);

    if (error != 0)
        return complain("the API process does not answer", error);
    stage->story->books = last.books;
    return 0;
}

static int play_under_load(struct stage *stage)
{
    struct load *load;
    int error = load_start(stage->api.port, &stage->story->samples, &load);

    if (error != 0)
        return complain("the load generator cannot start", error);
    stage->begin = bh_now();
    int status = watch(stage);
    load_finish(load, &stage->story->latest);
    return status != 0 ? status : drain(stage);
}

/* Clients that are so late had no processor: what was measured then is the machine as well. */
#define BUSY_MACHINE_NS 100000000

/* What the lines do not show. */
static void sum_up(const struct stage *stage)
{
    const struct story *story = stage->story;

    screen_print(PAINT_NONE, "   When reporting worked again, %u calls were stuck in it.\n", story->calls_stuck);
    if (story->bulkheads)
        screen_print(PAINT_NONE, "   Most permits seen out at once: A %u, B %u, o %u.\n",
                     (unsigned)story->most_held[TRAFFIC_REPORT], (unsigned)story->most_held[TRAFFIC_LOOKUP],
                     (unsigned)story->most_held[TRAFFIC_OTHER]);
    screen_print(PAINT_NONE, "   The clients sent no request more than %.1f ms late.\n", (double)story->latest / 1e6);
    if (story->latest > BUSY_MACHINE_NS)
        screen_print(PAINT_YELLOW, "   This machine was busy: times are longer than they would be on an idle one.\n");
}

static int play_with_api(struct stage *stage)
{
    char port[8];
    const char *const arguments[] = {API_ROLE, port, stage->story->bulkheads ? "bulkheads" : "shared", NULL};

    snprintf(port, sizeof port, "%u", (unsigned)stage->reporting.port);
    int error = child_start(&stage->api, arguments);
    if (error != 0)
        return complain("the API process does not start", error);
    int status = play_under_load(stage);
    child_stop(&stage->api);
    if (status == 0)
        sum_up(stage);
    return status;
}

int story_play(struct story *story, bool bulkheads)
{
    static const char *const arguments[] = {REPORT_SERVICE_ROLE, NULL};
    struct stage stage = {.story = story};

    *story = (struct story){.bulkheads = bulkheads};
    int error = samples_open(&story->samples, STORY_SECONDS + 10u);
    if (error != 0)
        return complain("cannot keep the measurements", error);
    error = child_start(&stage.reporting, arguments);
    if (error != 0)
        return complain("the reporting service does not start", error);
    introduce_run(bulkheads);
    timeline_head();
    int status = play_with_api(&stage);
    child_stop(&stage.reporting);
    return status;
}

void story_close(struct story *story)
{
    samples_close(&story->samples);
}
