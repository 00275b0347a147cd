/* SPDX-License-Identifier: Apache-2.0 */
/* Each seeded fault is caught by name, within two pre-emptions, by a scenario that finds nothing without it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_faults.h"

#define SCHEDULES_MAX 2000000u
#define SEED 20240611u
#define RANDOM_RUNS 500u
#define RANDOM_RUNS_LONG 20000u

struct fault {
    const char *name;
    const char *text;
    unsigned caught;
};

static struct fault faults[] = {
#define X(name, text) {#name, text, 0},
    BH_FAULT_LIST(X)
#undef X
};

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

static void find_nothing(const struct core_scenario *scenario)
{
    struct sim_options options = core_options(scenario);
    struct sim_result result;

    options.max_schedules = SCHEDULES_MAX;
    result = sim_explore(&options);
    if (result.skipped)
        return;
    expect(!result.failed && result.complete, scenario->name, "not right, or not all of its schedules were run");
    printf("%-48s right in all %7llu schedules\n", scenario->name, (unsigned long long)result.schedules);
    if (result.failed || scenario->actors[2].op == OP_HOG) /* random runs know no bound on how often one is passed */
        return;
    options.random_runs = getenv("BH_LONG") != NULL ? RANDOM_RUNS_LONG : RANDOM_RUNS;
    options.seed = SEED;
    expect(!sim_explore(&options).failed, scenario->name, "not right by random runs");
}

static void catch_fault(const struct core_scenario *scenario, enum bh_fault fault)
{
    struct sim_options options = core_options(scenario);
    struct sim_result result;

    bh__fault = (int)fault;
    options.max_schedules = SCHEDULES_MAX;
    options.quiet = getenv("SIM_REPLAY") == NULL;
    result = sim_explore(&options);
    bh__fault = BH_FAULT_NONE;
    if (result.skipped)
        return;
    expect(result.failed, faults[fault].name, "not caught");
    if (result.failed) {
        faults[fault].caught++;
        printf("    %-24s caught after %6llu: %s\n", faults[fault].name, (unsigned long long)result.schedules,
               result.message);
        printf("    %24s SIM_REPLAY='%s=%s'\n", "", scenario->name, result.choices);
    }
    fflush(stdout);
}

int main(void)
{
    for (unsigned i = 0; i < core_step_count; i++) {
        find_nothing(&core_steps[i].scenario);
        for (unsigned f = 0; f < CORE_FAULTS_EACH && core_steps[i].catches[f] != BH_FAULT_NONE; f++)
            catch_fault(&core_steps[i].scenario, core_steps[i].catches[f]);
    }
    for (unsigned fault = BH_FAULT_NONE + 1; fault < BH_FAULT_COUNT && getenv("SIM_REPLAY") == NULL; fault++)
        expect(faults[fault].caught > 0, faults[fault].name, faults[fault].text);
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
