/* SPDX-License-Identifier: Apache-2.0 */
/* The books of a scenario: what may be answered, and what must be left. */
#include <errno.h>
#include <string.h>

#include "core/core.h"
#include "core/repair.h"
#include "core_world.h"

struct core_world world;

bool scenario_has(enum core_op op)
{
    for (unsigned i = 0; i < CORE_ACTORS_MAX; i++)
        if (world.scenario->actors[i].op == op)
            return true;
    return false;
}

bool it_waits(enum core_op op)
{
    return op == OP_ACQUIRE || op == OP_DEADLINE || op == OP_TOKEN;
}

uint32_t weight_of(unsigned index)
{
    if (actor_of(index)->op == OP_CANCEL || actor_of(index)->op == OP_REPAIR)
        return world.scenario->kept;
    return actor_of(index)->weight != 0 ? actor_of(index)->weight : 1;
}

static void make_busy(unsigned self)
{
    world.busy_by[self] = weight_of(self);
    world.busy += weight_of(self);
    for (unsigned i = 0; i < CORE_ACTORS_MAX; i++)
        if (world.asking[i].most_busy < world.busy)
            world.asking[i].most_busy = world.busy;
}

void books_limit_between(uint32_t lowest, uint32_t highest)
{
    world.lowest_limit = lowest;
    world.highest_limit = highest;
    for (unsigned i = 0; i < CORE_ACTORS_MAX; i++) {
        if (world.asking[i].highest_limit < highest)
            world.asking[i].highest_limit = highest;
        if (world.asking[i].lowest_limit > lowest)
            world.asking[i].lowest_limit = lowest;
    }
}

void books_ask(unsigned self)
{
    world.asking[self] = (struct core_asking){
        .lowest_limit = world.lowest_limit,
        .highest_limit = world.highest_limit,
        .cancelled = world.cancelled && (actor_of(self)->op == OP_TOKEN || actor_of(self)->op == OP_DEADLINE),
        .closed = world.closed || world.drained,
    };
    make_busy(self);
}

static bool those_in_front_are_through(unsigned self)
{
    if (actor_of(self)->behind == 0 || world.scenario->order != BH_ORDER_FIFO)
        return true;
    for (unsigned i = 0; i < CORE_ACTORS_MAX; i++)
        if (actor_of(i)->behind < actor_of(self)->behind && actor_of(i)->op == OP_ACQUIRE && !world.through[i])
            return false; /* others may have left without having said so yet */
    return true;
}

void books_enter(unsigned self)
{
    const struct core_asking *asking = &world.asking[self];

    sim_note("is admitted");
    world.granted++;
    world.inside_by[self] = weight_of(self);
    world.inside += weight_of(self);
    SIM_CHECK(world.inside <= asking->highest_limit, "more is out than the limit");
    SIM_CHECK(!asking->closed, "admitted after the limiter was closed or drained");
    SIM_CHECK(!world.drained, "admitted after the limiter was drained");
    SIM_CHECK(!asking->cancelled, "admitted with a token that was cancelled before");
    SIM_CHECK(those_in_front_are_through(self), "passed a request that waits in front");
    world.through[self] = true;
}

void books_leave(unsigned self)
{
    world.inside -= world.inside_by[self];
    world.inside_by[self] = 0;
}

void books_released(unsigned self)
{
    world.busy -= world.busy_by[self];
    world.busy_by[self] = 0;
}

void books_hold(unsigned self)
{
    make_busy(self);
    world.granted++;
    world.inside_by[self] = weight_of(self);
    world.inside += weight_of(self);
}

static bool there_was_too_little(unsigned self)
{
    return world.asking[self].most_busy > world.asking[self].lowest_limit;
}

static bool may_be_refused_by(unsigned self, int error)
{
    enum core_op op = actor_of(self)->op;

    switch (error) {
    case -EAGAIN:
        return (op == OP_TRY || op == OP_HOG) && there_was_too_little(self);
    case -ENOBUFS:
        return it_waits(op) && world.scenario->queue != 0 && there_was_too_little(self);
    case -ETIMEDOUT:
        return op == OP_DEADLINE && there_was_too_little(self);
    case -ECANCELED:
        return (op == OP_TOKEN || op == OP_DEADLINE) && world.cancelling;
    case -ESHUTDOWN:
        return scenario_has(OP_CLOSE) || scenario_has(OP_DRAIN);
    case -EMSGSIZE:
        return weight_of(self) > world.asking[self].lowest_limit;
    default:
        return false;
    }
}

void books_refused(unsigned self, int error)
{
    sim_note("is refused: %s", strerror(-error));
    if (!may_be_refused_by(self, error))
        sim_fail("%s was refused without cause: %s", core_op_name(actor_of(self)->op), strerror(-error));
    world.through[self] = true;
    books_released(self);
}

void books_check_law(void)
{
    const char *wrong = bh__core_check(world.limiters[0]);

    if (wrong != NULL)
        sim_fail("%s", wrong);
}

static void check_snapshot(bool somebody_died)
{
    bh_snapshot snapshot = {.size = sizeof snapshot};
    uint64_t back;

    SIM_CHECK(bh_limiter_snapshot(world.limiters[0], &snapshot) == 0, "snapshot failed");
    back = snapshot.released + snapshot.recovered;
    SIM_CHECK(snapshot.permits_out == 0 && snapshot.held == 0, "something is still out");
    SIM_CHECK(snapshot.waiting == 0 && snapshot.waiting_weight == 0, "something still waits");
    SIM_CHECK(snapshot.overage == 0, "overage with nothing out");
    SIM_CHECK(snapshot.limit == world.lowest_limit && world.setters == 0, "another limit is in force");
    SIM_CHECK(snapshot.recovered == world.recovered, "recovered by nobody");
    if (somebody_died) { /* between two steps of its books: one of them may be missing */
        SIM_CHECK(snapshot.granted + 1 >= back && snapshot.granted <= back + 1, "granted = released + recovered + out");
        return;
    }
    SIM_CHECK(snapshot.granted == world.granted, "what was granted is not what the actors got");
    SIM_CHECK(snapshot.granted == back, "granted = released + recovered + out");
}

static void check_all_is_there(void)
{
    bh_permit all = {0}, more = {0};
    uint32_t limit = world.lowest_limit;
    int result = bh_try_acquire_weight(world.limiters[0], limit > 0 ? limit : 1, &all);

    if (world.closed || world.drained) {
        SIM_CHECK(result == -ESHUTDOWN, "closed, and not refused as closed");
        return;
    }
    SIM_CHECK(result == 0, "units were lost");
    SIM_CHECK(bh_try_acquire(world.limiters[0], &more) == -EAGAIN, "there are more units than the limit");
    SIM_CHECK(bh_release(&all) == 0, "not released");
}

void books_check_end(void)
{
    bool somebody_died = false;

    for (unsigned i = 0; i < CORE_ACTORS_MAX; i++)
        somebody_died = somebody_died || sim_fiber_died(i);
    SIM_CHECK(!scenario_has(OP_RELEASE_COPY) || world.copies_released == 1, "a permit was released twice, or never");
    books_check_law();
    check_snapshot(somebody_died);
    check_all_is_there();
}
