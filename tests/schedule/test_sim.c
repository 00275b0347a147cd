/* SPDX-License-Identifier: Apache-2.0 */
/* The schedule tester tested: it finds every mistake in the toys within two pre-emptions and by random runs, says which
 * schedule it was in a string that repeats it, and finds nothing in the toys that are right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "toys.h"

#define SEED 20240611u
#define RANDOM_RUNS_RIGHT 2000u
#define RANDOM_RUNS_WRONG 20000u

static unsigned passed, failed;

static void expect(bool condition, const char *name, const char *what)
{
    if (condition) {
        passed++;
        return;
    }
    failed++;
    printf("FAILED: %s: %s\n", name, what);
}

static bool has_mistake(const struct sim_result *result, const struct toy *toy)
{
    return result->failed && strstr(result->message, toy->mistake) != NULL;
}

/* The decisions repeat the failure, given to sim_replay() and given in the environment. */
static void expect_repeated(const struct toy *toy, const struct sim_options *options, const struct sim_result *result)
{
    char *choices = strdup(result->choices);
    char *replay = malloc(strlen(options->name) + strlen(choices) + 2);
    struct sim_result again = sim_replay(options, choices, false);

    expect(has_mistake(&again, toy), options->name, "sim_replay() did not repeat it");
    sprintf(replay, "%s=%s", options->name, choices);
    setenv("SIM_REPLAY", replay, 1);
    again = sim_explore(options);
    expect(has_mistake(&again, toy) && again.schedules == 1, options->name, "SIM_REPLAY did not repeat it");
    setenv("SIM_REPLAY", "another=", 1);
    expect(sim_explore(options).skipped, options->name, "SIM_REPLAY of another test was not skipped");
    unsetenv("SIM_REPLAY");
    free(replay);
    free(choices);
}

static void test_wrong(const struct toy *toy)
{
    struct sim_options options = toy->options;
    struct sim_result result;
    uint64_t depth_first;

    options.quiet = true;
    result = sim_explore(&options);
    depth_first = result.schedules;
    expect(has_mistake(&result, toy), options.name, "not found depth-first");
    if (toy->once) {
        printf("  %-44s found after %5llu\n", options.name, (unsigned long long)depth_first);
        return;
    }
    expect_repeated(toy, &options, &result);
    options.random_runs = RANDOM_RUNS_WRONG;
    options.seed = SEED;
    result = sim_explore(&options);
    expect(has_mistake(&result, toy), options.name, "not found by random runs");
    printf("  %-44s found after %5llu, by random runs after %llu\n", options.name, (unsigned long long)depth_first,
           (unsigned long long)result.schedules);
    expect_repeated(toy, &options, &result);
}

static void test_right(const struct toy *toy)
{
    struct sim_options options = toy->options;
    struct sim_result result = sim_explore(&options);

    expect(!result.failed && result.complete, options.name, "a toy that is right failed");
    printf("  %-44s right in all %6llu schedules\n", options.name, (unsigned long long)result.schedules);
    options.random_runs = RANDOM_RUNS_RIGHT;
    options.seed = SEED;
    result = sim_explore(&options);
    expect(!result.failed && result.schedules == RANDOM_RUNS_RIGHT, options.name,
           "a toy that is right failed by random runs");
}

static void test_toys(const struct toy *toys, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (toys[i].mistake != NULL)
            test_wrong(&toys[i]);
        else
            test_right(&toys[i]);
    }
}

/* One more pre-emption reaches more schedules; the bound counts. */
static void test_bounds(const struct toy *toy)
{
    uint64_t before = 0;

    for (unsigned bound = 0; bound <= 3; bound++) {
        struct sim_options options = toy->options;
        clock_t start = clock();
        struct sim_result result;
        double seconds;

        options.preemptions = bound;
        result = sim_explore(&options);
        seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        printf("  %-10s %u pre-emptions: %6llu schedules, %8llu points in %.3f s of processor time\n", options.name,
               bound, (unsigned long long)result.schedules, (unsigned long long)result.points, seconds);
        expect(!result.failed && result.complete && result.schedules > before, options.name, "bound");
        before = result.schedules;
    }
}

/* The same seed makes the same runs, another seed others. */
static void test_seeds(const struct toy *toy)
{
    struct sim_options options = toy->options;
    struct sim_result first, same, other;

    options.random_runs = 300;
    options.seed = 1;
    first = sim_explore(&options);
    same = sim_explore(&options);
    options.seed = 2;
    other = sim_explore(&options);
    expect(first.points == same.points, options.name, "the same seed made other runs");
    expect(first.points != other.points, options.name, "another seed made the same runs");
}

static void test_replay_text(const struct toy *toy)
{
    struct sim_options options = toy->options;

    options.quiet = true;
    expect(sim_replay(&options, "3?", false).failed, options.name, "nonsense was replayed");
    expect(sim_replay(&options, "z", false).failed, options.name, "an option that does not exist was taken");
    expect(!sim_replay(&options, "", false).failed, options.name, "the default schedule failed");
}

int main(void)
{
    printf("mistakes and right ones, up to two pre-emptions, and random runs with seed %u:\n", SEED);
    test_toys(toys_wait, toys_wait_count);
    test_toys(toys_memory, toys_memory_count);
    test_bounds(&toys_wait[0]);
    test_seeds(&toys_wait[0]);
    test_replay_text(&toys_wait[0]);
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
