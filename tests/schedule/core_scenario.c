/* SPDX-License-Identifier: Apache-2.0 */
/* A scenario before and after its actors. */
#include <string.h>

#include "core/core.h"
#include "core/handle.h"
#include "core_world.h"

#define CACHED_MAX 8u

static const char *const op_names[OP_COUNT] = {
    [OP_NONE] = "none",         [OP_TRY] = "try",       [OP_ACQUIRE] = "acquire", [OP_DEADLINE] = "deadline",
    [OP_TOKEN] = "token",       [OP_CANCEL] = "cancel", [OP_RELEASE] = "release", [OP_RELEASE_COPY] = "release-copy",
    [OP_CLOSE] = "close",       [OP_UP] = "up",         [OP_DOWN] = "down",       [OP_DRAIN] = "drain",
    [OP_SNAPSHOT] = "snapshot", [OP_CHECK] = "check",   [OP_HOG] = "hog",         [OP_NEW] = "new",
    [OP_FREE] = "free",         [OP_REPAIR] = "repair",
};

const char *core_op_name(enum core_op op)
{
    return op_names[op];
}

static bh_options limiter_options(const struct core_scenario *scenario)
{
    return BH_OPTIONS(.name = "sim", .limit = scenario->limit, .queue = scenario->queue != 0 ? scenario->queue : 4,
                      .order = scenario->order,
                      .max_permits = scenario->max_permits != 0 ? scenario->max_permits : scenario->limit + 2);
}

static void make_shared_limiters(const bh_options *options)
{
    world.region = sim_alloc(bh__region_size(options));
    SIM_CHECK(bh__region_init(world.region, options) == 0, "no region");
    for (uint32_t process = 0; process < CORE_PROCESSES_MAX; process++)
        SIM_CHECK(bh__limiter_attach(world.region, process, &world.limiters[process]) == 0, "not attached");
}

static void make_limiters(const struct core_scenario *scenario)
{
    bh_options options = limiter_options(scenario);

    if (scenario->processes > 1)
        make_shared_limiters(&options);
    else
        SIM_CHECK(bh_limiter_new(&options, &world.limiters[0]) == 0, "no limiter");
    SIM_CHECK(bh_cancel_new(&world.token) == 0, "no token");
}

static void free_limiters(void)
{
    if (world.region != NULL) {
        for (uint32_t process = 0; process < CORE_PROCESSES_MAX; process++)
            bh__limiter_detach(world.limiters[process]);
        sim_free(world.region);
    } else {
        SIM_CHECK(bh_limiter_free(world.limiters[0]) == 0, "the limiter is busy");
    }
}

static void leave_cached(uint32_t count)
{
    bh_permit permits[CACHED_MAX] = {{0}};

    SIM_CHECK(count <= CACHED_MAX, "too many to be cached");
    for (uint32_t i = 0; i < count; i++)
        SIM_CHECK(bh_try_acquire(world.limiters[0], &permits[i]) == 0, "nothing to cache");
    for (uint32_t i = 0; i < count; i++)
        SIM_CHECK(bh_release(&permits[i]) == 0, "not released");
    world.granted += count;
}

static void find_too_little(uint32_t weight)
{
    bh_permit permit = {0};

    if (weight > 0)
        SIM_CHECK(bh_try_acquire_weight(world.limiters[0], weight, &permit) < 0, "there was enough");
}

static void setup(void *context)
{
    memset(&world, 0, sizeof world);
    world.scenario = context;
    make_limiters(world.scenario);
    books_limit_between(world.scenario->limit, world.scenario->limit);
    for (unsigned i = 0; i < CORE_ACTORS_MAX && actor_of(i)->op != OP_NONE; i++) {
        sim_spawn(actor_body, (void *)(uintptr_t)i, core_op_name(actor_of(i)->op));
        sim_act_as(i, actor_prepare, (void *)(uintptr_t)i);
        if (actor_of(i)->mortal)
            sim_mortal(i);
    }
    leave_cached(world.scenario->cached);
    find_too_little(world.scenario->refused_at_first);
}

static void finish(void *context)
{
    (void)context;
    if (!world.freed) {
        books_check_end();
        free_limiters();
    }
    SIM_CHECK(bh_cancel_free(world.token) == 0, "the token is in use");
}

struct sim_options core_options(const struct core_scenario *scenario)
{
    struct sim_options options = {
        .name = scenario->name,
        .setup = setup,
        .finish = finish,
        .context = (void *)(uintptr_t)scenario,
        .preemptions = scenario->preemptions != 0 ? scenario->preemptions : 2,
        .spurious = scenario->spurious,
        .alloc_failures = scenario->alloc_failures,
    };

    for (unsigned i = 0; i < CORE_ACTORS_MAX; i++)
        options.deaths += scenario->actors[i].mortal;
    return options;
}
