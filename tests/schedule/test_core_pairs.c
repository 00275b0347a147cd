/* SPDX-License-Identifier: Apache-2.0 */
/* Every pair of operations on one limiter, in every situation of a short table, and some threes: all schedules with at
 * most two pre-emptions (one and a spurious wake-up where there is one). With
 * BH_LONG=1: three pre-emptions as far as they go, and 100,000 random runs over all scenarios.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_actors.h"

#define SEED 20240611u
#define RANDOM_RUNS_LONG 100000u
#define RANDOM_RUNS_EACH 20u
#define SCENARIOS_MAX 640u
#define SCHEDULES_LONG 200000u

/* What the pair meets. */
struct situation {
    const char *name;
    uint32_t order;
    uint32_t limit;
    uint32_t cached;
    uint32_t held;   /* weight of a permit that a third actor releases; 0: there is none */
    uint32_t second; /* weight of the second of the pair */
    uint32_t spurious;
};

static const struct situation situations[] = {
    {"one cached", BH_ORDER_FIFO, 1, 1, 0, 1, 0},
    {"one held", BH_ORDER_FIFO, 1, 0, 1, 1, 0},
    {"two, weight two", BH_ORDER_FIFO, 2, 2, 0, 2, 0},
    {"three, two held", BH_ORDER_FIFO, 3, 1, 2, 2, 0},
    {"barging, one cached", BH_ORDER_BARGING, 1, 1, 0, 1, 0},
    {"barging, one held", BH_ORDER_BARGING, 1, 0, 1, 1, 0},
    {"barging, two, weight two", BH_ORDER_BARGING, 2, 2, 0, 2, 0},
    {"one held, spurious wake-up", BH_ORDER_FIFO, 1, 0, 1, 1, 1},
    {"barging, one held, spurious wake-up", BH_ORDER_BARGING, 1, 0, 1, 1, 1},
};

static const enum core_op operations[] = {OP_TRY, OP_ACQUIRE, OP_DEADLINE, OP_RELEASE,  OP_CANCEL, OP_CLOSE,
                                          OP_UP,  OP_DOWN,    OP_DRAIN,    OP_SNAPSHOT, OP_CHECK};

static struct core_scenario scenarios[SCENARIOS_MAX];
static char names[SCENARIOS_MAX][80];
static unsigned scenario_count;

static struct core_scenario *next_scenario(void)
{
    if (scenario_count == SCENARIOS_MAX)
        abort();
    return memset(&scenarios[scenario_count], 0, sizeof scenarios[0]);
}

static void add_actor(struct core_scenario *scenario, enum core_op op, uint32_t weight)
{
    unsigned count = 0;

    while (scenario->actors[count].op != OP_NONE)
        count++;
    scenario->actors[count] = (struct core_actor){.op = op, .weight = weight};
}

static uint32_t held_at_first(const struct core_scenario *scenario)
{
    uint32_t units = scenario->kept;

    for (unsigned i = 0; i < CORE_ACTORS_MAX; i++)
        if (scenario->actors[i].op == OP_RELEASE)
            units += scenario->actors[i].weight;
    return units;
}

static void add_pair(enum core_op first, enum core_op second, const struct situation *situation)
{
    struct core_scenario *scenario = next_scenario();
    bool cancels = first == OP_CANCEL || second == OP_CANCEL;
    uint32_t held;

    scenario->order = situation->order;
    scenario->limit = situation->limit;
    scenario->spurious = situation->spurious;
    add_actor(scenario, first == OP_ACQUIRE && cancels ? OP_TOKEN : first, 1);
    add_actor(scenario, second, second == OP_RELEASE ? 1 : situation->second);
    if (cancels && first != OP_ACQUIRE && first != OP_DEADLINE)
        add_actor(scenario, OP_TOKEN, 1);
    if (cancels && first != OP_RELEASE && second != OP_RELEASE)
        scenario->kept = situation->held;
    else if (situation->held > 0 && first != OP_RELEASE && second != OP_RELEASE)
        add_actor(scenario, OP_RELEASE, situation->held);
    held = held_at_first(scenario);
    if (held > situation->limit)
        return;
    scenario->cached = held + situation->cached > situation->limit ? situation->limit - held : situation->cached;
    snprintf(names[scenario_count], sizeof names[0], "%s and %s: %s", core_op_name(first), core_op_name(second),
             situation->name);
    scenario->name = names[scenario_count];
    scenario_count++;
}

/* Three at once, where two are known to get along. */
static const enum core_op threes[][3] = {
    {OP_TRY, OP_TRY, OP_ACQUIRE},          {OP_ACQUIRE, OP_ACQUIRE, OP_RELEASE}, {OP_DEADLINE, OP_CANCEL, OP_RELEASE},
    {OP_DEADLINE, OP_ACQUIRE, OP_RELEASE}, {OP_DEADLINE, OP_CLOSE, OP_RELEASE},  {OP_TOKEN, OP_TOKEN, OP_CANCEL},
    {OP_TRY, OP_ACQUIRE, OP_DOWN},         {OP_ACQUIRE, OP_RELEASE, OP_DRAIN},   {OP_ACQUIRE, OP_UP, OP_RELEASE},
    {OP_TRY, OP_TRY, OP_SNAPSHOT},         {OP_ACQUIRE, OP_CHECK, OP_RELEASE},   {OP_TOKEN, OP_CANCEL, OP_CLOSE},
};

static void add_three(const enum core_op ops[3], uint32_t order)
{
    struct core_scenario *scenario = next_scenario();
    bool releases = ops[1] == OP_RELEASE || ops[2] == OP_RELEASE;

    scenario->order = order;
    scenario->limit = 1;
    scenario->cached = releases ? 0 : 1;
    for (unsigned i = 0; i < 3; i++)
        add_actor(scenario, ops[i], 1);
    snprintf(names[scenario_count], sizeof names[0], "%s, %s and %s%s", core_op_name(ops[0]), core_op_name(ops[1]),
             core_op_name(ops[2]), order == BH_ORDER_BARGING ? ": barging" : "");
    scenario->name = names[scenario_count];
    scenario_count++;
}

static void add_all_threes(void)
{
    for (size_t i = 0; i < sizeof threes / sizeof threes[0]; i++) {
        add_three(threes[i], BH_ORDER_FIFO);
        add_three(threes[i], BH_ORDER_BARGING);
    }
}

static void add_all_pairs(void)
{
    for (size_t s = 0; s < sizeof situations / sizeof situations[0]; s++)
        for (size_t a = 0; a < sizeof operations / sizeof operations[0]; a++)
            for (size_t b = a; b < sizeof operations / sizeof operations[0]; b++)
                add_pair(operations[a], operations[b], &situations[s]);
}

struct tally {
    unsigned failed;
    unsigned not_complete;
    unsigned long long schedules, points;
};

static void count(struct tally *tally, const struct sim_options *options, const struct sim_result *result)
{
    tally->schedules += result->schedules;
    tally->points += result->points;
    tally->failed += result->failed;
    if (options->random_runs == 0 && !result->failed && !result->complete)
        tally->not_complete++;
}

static void explore(const struct core_scenario *scenario, unsigned preemptions, uint64_t most, struct tally *tally)
{
    struct sim_options options = core_options(scenario);
    struct sim_result result;

    /* A spurious wake-up is one more switch, and those of waits that end anyway find little else. */
    options.preemptions = scenario->spurious > 0 ? preemptions - 1 : preemptions;
    options.max_schedules = most;
    result = sim_explore(&options);
    count(tally, &options, &result);
    if (getenv("SIM_VERBOSE") != NULL)
        printf("  %-50s %8llu schedules, %9llu points\n", scenario->name, (unsigned long long)result.schedules,
               (unsigned long long)result.points);
}

static void explore_at_random(const struct core_scenario *scenario, uint64_t runs, struct tally *tally)
{
    struct sim_options options = core_options(scenario);
    struct sim_result result;

    options.random_runs = runs;
    options.seed = SEED;
    result = sim_explore(&options);
    count(tally, &options, &result);
}

static void print(const char *what, const struct tally *tally)
{
    printf("%s: %u scenarios, %llu schedules, %llu points, %u failed", what, scenario_count, tally->schedules,
           tally->points, tally->failed);
    if (tally->not_complete > 0)
        printf(", %u cut off", tally->not_complete);
    putchar('\n');
    fflush(stdout);
}

int main(void)
{
    bool thorough = getenv("BH_LONG") != NULL;
    struct tally searched = {0}, random = {0};

    add_all_pairs();
    add_all_threes();
    for (unsigned i = 0; i < scenario_count; i++)
        explore(&scenarios[i], thorough ? 3 : 2, thorough ? SCHEDULES_LONG : 0, &searched);
    print(thorough ? "at most three pre-emptions" : "at most two pre-emptions", &searched);
    for (unsigned i = 0; i < scenario_count; i++)
        explore_at_random(&scenarios[i], thorough ? RANDOM_RUNS_LONG / scenario_count + 1 : RANDOM_RUNS_EACH, &random);
    printf("seed %u, ", SEED);
    print("random", &random);
    return searched.failed + random.failed == 0 ? 0 : 1;
}
