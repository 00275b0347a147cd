/* SPDX-License-Identifier: Apache-2.0 */
/* bulkhead-demo: what one stalled dependency does to an API, without bulkheads and with. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "api.h"
#include "introduction.h"
#include "report_service.h"
#include "screen.h"
#include "story.h"
#include "tables.h"
#include "verdict.h"

/* Every request in flight is an open connection, and some systems allow few. */
static void allow_many_connections(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

static int tell(void)
{
    static struct story shared, bulkheads;

    screen_open();
    introduce_demo();
    if (story_play(&shared, false) != 0)
        return 1;
    if (story_play(&bulkheads, true) != 0)
        return 1;
    tables_print(&shared, &bulkheads);
    int status = verdict_print(&shared, &bulkheads);
    story_close(&shared);
    story_close(&bulkheads);
    return status;
}

int main(int count, char **arguments)
{
    allow_many_connections();
    if (count == 1)
        return tell();
    signal(SIGPIPE, SIG_IGN);
    if (count == 2 && strcmp(arguments[1], REPORT_SERVICE_ROLE) == 0)
        return report_service_main();
    if (count == 4 && strcmp(arguments[1], API_ROLE) == 0)
        return api_main(arguments[2], strcmp(arguments[3], "bulkheads") == 0);
    fprintf(stderr, "usage: bulkhead-demo\n"
                    "Plays the story of a stalled dependency, without bulkheads and with. It takes no arguments.\n");
    return 2;
}
