/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a test once for each sequence of decisions, until one fails or all are done. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_private.h"

static char failure_text[512];

_Noreturn void sim__fail_text(const char *text)
{
    if (sim__world.failure == NULL) {
        fprintf(stderr, "sim: outside a run: %s\n", text);
        abort();
    }
    if (text != failure_text)
        snprintf(failure_text, sizeof failure_text, "%s", text);
    siglongjmp(*sim__world.failure, 1);
}

_Noreturn void sim_fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(failure_text, sizeof failure_text, format, arguments);
    va_end(arguments);
    sim__fail_text(failure_text);
}

void sim_note(const char *format, ...)
{
    va_list arguments;

    if (!sim__world.tracing)
        return;
    printf("    %6u %12llu ns  %-10s ", sim__world.steps, (unsigned long long)sim__world.now,
           sim__world.current != NULL ? sim__world.current->name : "");
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

static void run(const struct sim_options *options, bool tracing)
{
    sim__memory_reset();
    sim__globals_restore();
    sim__choice_begin();
    sim__world_reset(options, tracing);
    sim__crash_new_run();
    options->setup(options->context);
    sim__run_fibers();
    sim__choice_end();
    if (options->finish != NULL)
        options->finish(options->context);
    sim__outside_exit();
    sim__memory_check(options->leaks_allowed || sim__world.died > 0);
}

/* False when the run failed, with its message in failure_text. */
static bool run_guarded(const struct sim_options *options, bool tracing)
{
    sigjmp_buf failure;

    failure_text[0] = '\0';
    if (sigsetjmp(failure, 0) != 0) {
        sim__world.current = NULL;
        sim__world.failure = NULL;
        return false;
    }
    sim__world.failure = &failure;
    run(options, tracing);
    sim__world.failure = NULL;
    return true;
}

static void report(const struct sim_options *options, const struct sim_result *result)
{
    printf("%s: FAILED in schedule %llu: %s\n", options->name, (unsigned long long)result->schedules, result->message);
    if (options->random_runs != 0)
        printf("%s: the seed was %llu\n", options->name, (unsigned long long)options->seed);
    printf("%s: to repeat it: SIM_REPLAY='%s=%s'\n", options->name, options->name, result->choices);
    fflush(stdout);
}

static void note_failure(const struct sim_options *options, struct sim_result *result)
{
    result->failed = true;
    result->message = failure_text;
    result->choices = sim__choice_text();
    if (!options->quiet)
        report(options, result);
}

static bool more(const struct sim_options *options, struct sim_result *result)
{
    if (options->random_runs != 0)
        return result->schedules < options->random_runs;
    if (!sim__choice_next()) {
        result->complete = true;
        return false;
    }
    return options->max_schedules == 0 || result->schedules < options->max_schedules;
}

static struct sim_result search(const struct sim_options *options)
{
    struct sim_result result = {.message = "", .choices = ""};

    sim__choice_search(options->random_runs != 0 ? SIM_RANDOM : SIM_DEPTH_FIRST, options->seed);
    sim__crash_guard();
    do {
        bool passed = run_guarded(options, false);

        result.schedules++;
        result.points += sim__world.steps;
        if (!passed) {
            note_failure(options, &result);
            break;
        }
    } while (more(options, &result));
    sim__crash_unguard();
    return result;
}

struct sim_result sim_replay(const struct sim_options *options, const char *choices, bool trace)
{
    struct sim_result result = {.schedules = 1, .message = "", .choices = ""};

    if (!sim__choice_parse(choices)) {
        result.failed = true;
        result.message = "SIM_REPLAY is not a list of decisions";
        return result;
    }
    sim__choice_search(SIM_REPLAY, 0);
    sim__crash_guard();
    if (!run_guarded(options, trace))
        note_failure(options, &result);
    result.points = sim__world.steps;
    sim__crash_unguard();
    return result;
}

struct sim_result sim_explore(const struct sim_options *options)
{
    const char *replay = getenv("SIM_REPLAY");
    size_t length = strlen(options->name);

    if (replay == NULL)
        return search(options);
    if (strncmp(replay, options->name, length) == 0 && replay[length] == '=')
        return sim_replay(options, replay + length + 1, !options->quiet);
    return (struct sim_result){.skipped = true, .message = "", .choices = ""};
}
