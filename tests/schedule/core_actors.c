/* SPDX-License-Identifier: Apache-2.0 */
/* What each kind of actor does. */
#include "core_actors.h"

#include <errno.h>

#include "core/core.h"
#include "core/entry.h"
#include "core/repair.h"
#include "core_world.h"

#define WAIT_NS 1000u
#define HOG_ROUNDS 8u

static int ask(unsigned self, bh_permit *permit)
{
    bh_limiter *limiter = limiter_of(self);
    bh_request request = BH_REQUEST(.wait_ns = BH_FOREVER);

    switch (actor_of(self)->op) {
    case OP_TRY:
    case OP_HOG:
        return bh_try_acquire_weight(limiter, weight_of(self), permit);
    case OP_DEADLINE:
        request.wait_ns = WAIT_NS;
        request.cancel = scenario_has(OP_CANCEL) ? world.token : NULL;
        return bh_acquire_request(limiter, weight_of(self), &request, permit);
    case OP_TOKEN:
        request.cancel = world.token;
        return bh_acquire_request(limiter, weight_of(self), &request, permit);
    default:
        return bh_acquire_for(limiter, weight_of(self), BH_FOREVER, permit);
    }
}

static void give_back(unsigned self, bh_permit *permit)
{
    books_leave(self);
    SIM_CHECK(bh_release(permit) == 0, "a permit that is held could not be released");
    books_released(self);
}

static bool is_through(void *index)
{
    return world.through[(uintptr_t)index];
}

static void take_and_release(unsigned self)
{
    bh_permit permit = {0};
    uint64_t asked = sim_now();
    int result;

    books_ask(self);
    result = ask(self, &permit);
    SIM_CHECK(result != -ETIMEDOUT || sim_now() >= asked + WAIT_NS, "a wait ended before its deadline");
    if (result < 0) {
        books_refused(self, result);
        return;
    }
    books_enter(self);
    sim_point();
    if (actor_of(self)->until > 0)
        sim_await(is_through, (void *)(uintptr_t)(actor_of(self)->until - 1));
    give_back(self, &permit);
}

/* All copies are of the first such actor's permit. */
static void release_copy(unsigned self)
{
    unsigned first = 0;
    bh_permit copy;
    int result;

    while (actor_of(first)->op != OP_RELEASE_COPY)
        first++;
    copy = world.held[first];
    books_leave(first);
    result = bh_release(&copy);
    SIM_CHECK(result == 0 || result == -EALREADY || result == -ESTALE, "a second release gave an odd answer");
    if (result == 0 && world.copies_released++ == 0)
        books_released(first);
    (void)self;
}

static void cancel(unsigned self)
{
    world.cancelling = true;
    SIM_CHECK(bh_cancel_all(world.token) == 0, "cancel failed");
    world.cancelled = true;
    if (bh_permit_is_held(&world.held[self]))
        give_back(self, &world.held[self]);
}

static void close_limiter(unsigned self)
{
    SIM_CHECK(bh_limiter_close(limiter_of(self)) == 0, "close failed");
    world.closed = true;
}

/* A call that set the limit has ended; when no other is under way, the limit is known. */
static void note_limit(unsigned self)
{
    uint32_t now = bh_stat_load(&limiter_of(self)->core->limit);

    SIM_CHECK(now >= world.lowest_limit && now <= world.highest_limit, "nobody set this limit");
    if (--world.setters == 0)
        books_limit_between(now, now);
}

static void set_limit(unsigned self, uint32_t limit)
{
    int result;

    world.setters++;
    books_limit_between(limit < world.lowest_limit ? limit : world.lowest_limit,
                        limit > world.highest_limit ? limit : world.highest_limit);
    result = bh_limiter_set_limit(limiter_of(self), limit);
    SIM_CHECK(result == 0 || (result == -ESHUTDOWN && scenario_has(OP_CLOSE)), "the limit could not be set");
    note_limit(self);
}

static void lower_limit(unsigned self)
{
    set_limit(self, world.scenario->limit - 1);
    if (world.scenario->limit == 1)
        set_limit(self, 1);
}

static void drain_limiter(unsigned self)
{
    SIM_CHECK(bh_limiter_drain(limiter_of(self), BH_FOREVER) == 0, "drain failed");
    SIM_CHECK(world.inside == 0, "drained while something is out");
    world.drained = true;
}

static void take_snapshot(unsigned self)
{
    bh_snapshot snapshot = {.size = sizeof snapshot};
    uint32_t highest = world.highest_limit;

    SIM_CHECK(bh_limiter_snapshot(limiter_of(self), &snapshot) == 0, "snapshot failed");
    if (highest < world.highest_limit)
        highest = world.highest_limit;
    SIM_CHECK(snapshot.free <= highest, "a snapshot shows more free than the limit");
    SIM_CHECK(snapshot.held <= world.scenario->limit + 1, "a snapshot shows more held than the highest limit");
    SIM_CHECK(snapshot.waiting <= CORE_ACTORS_MAX, "a snapshot shows more waiting than there are");
    SIM_CHECK(snapshot.permits_out <= CORE_ACTORS_MAX, "a snapshot shows more out than there are");
    SIM_CHECK(snapshot.released <= snapshot.granted, "a snapshot shows more released than granted");
}

static bool somebody_waits(void)
{
    return bh_stat_load(&world.limiters[0]->core->waiting) > 0;
}

static bool somebody_waits_or_has_waited(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < CORE_ACTORS_MAX; i++)
        if (it_waits(actor_of(i)->op) && world.through[i])
            return true;
    return somebody_waits();
}

/* Time passes beyond all patience in each round, so the waiter may be passed a few times, but not for ever. */
static void hog(unsigned self)
{
    sim_await(somebody_waits_or_has_waited, NULL);
    for (unsigned round = 0; somebody_waits(); round++) {
        bh_permit permit = {0};

        SIM_CHECK(round < HOG_ROUNDS, "a request out of patience was passed again and again");
        sim_advance(bh_seconds(1));
        books_ask(self);
        if (ask(self, &permit) < 0) {
            books_released(self);
            sim_yield();
            continue;
        }
        books_enter(self);
        sim_yield();
        give_back(self, &permit);
    }
}

/* Both end well or without memory, untouched. */
static void make_others(void)
{
    bh_limiter *limiter = NULL;
    bh_cancel *token = NULL;
    int result = bh_limiter_new(&BH_OPTIONS(.name = "other", .limit = 1, .queue = 1), &limiter);

    SIM_CHECK(result == 0 || (result == -ENOMEM && limiter == NULL), "no limiter, and not for want of memory");
    if (result == 0)
        SIM_CHECK(bh_limiter_free(limiter) == 0, "a new limiter is busy");
    result = bh_cancel_new(&token);
    SIM_CHECK(result == 0 || (result == -ENOMEM && token == NULL), "no token, and not for want of memory");
    if (result == 0)
        SIM_CHECK(bh_cancel_free(token) == 0, "a new token is in use");
}

/* A release that has given its permit back may not have left yet: what it still does must not touch the other limiter. */
static void free_and_use_another(void)
{
    bh_limiter *other = NULL;
    bh_permit permit = {0};
    int result;

    while ((result = bh_limiter_free(world.limiters[0])) == -EBUSY)
        sim_yield();
    SIM_CHECK(result == 0, "a limiter could not be freed");
    world.freed = true;
    SIM_CHECK(bh_limiter_new(&BH_OPTIONS(.name = "other", .limit = 1, .queue = 1), &other) == 0, "no limiter");
    SIM_CHECK(bh_acquire_for(other, 1, BH_FOREVER, &permit) == 0, "a permit of a new limiter could not be had");
    SIM_CHECK(bh_try_acquire(other, &(bh_permit){0}) == -EAGAIN, "more is out than the limit");
    SIM_CHECK(bh_release(&permit) == 0, "a permit that is held could not be released");
    SIM_CHECK(bh__core_check(other) == NULL, "the other limiter's books are wrong");
    SIM_CHECK(bh_limiter_free(other) == 0, "the other limiter is busy");
}

static unsigned mortal_actor(void)
{
    unsigned index = 0;

    while (!actor_of(index)->mortal)
        index++;
    return index;
}

static bool mortal_is_gone(void *unused)
{
    unsigned mortal = mortal_actor();

    (void)unused;
    return sim_fiber_died(mortal) || sim_fiber_ended(mortal);
}

static void repair(unsigned self)
{
    unsigned mortal = mortal_actor();
    bool was_setting;

    sim_await(mortal_is_gone, NULL);
    if (!sim_fiber_died(mortal))
        return;
    was_setting = world.setters > 0;
    books_leave(mortal);
    world.through[mortal] = true;
    world.recovered = bh__core_repair(limiter_of(self), actor_of(mortal)->process);
    books_released(mortal);
    if (was_setting)
        note_limit(mortal);
}

static void repair_and_release(unsigned self)
{
    repair(self);
    if (bh_permit_is_held(&world.held[self]))
        give_back(self, &world.held[self]);
}

static void act(unsigned self)
{
    switch (actor_of(self)->op) {
    case OP_CANCEL:
        cancel(self);
        break;
    case OP_RELEASE:
        give_back(self, &world.held[self]);
        break;
    case OP_RELEASE_COPY:
        release_copy(self);
        break;
    case OP_CLOSE:
        close_limiter(self);
        break;
    case OP_UP:
        set_limit(self, world.scenario->limit + 1);
        break;
    case OP_DOWN:
        lower_limit(self);
        break;
    case OP_DRAIN:
        drain_limiter(self);
        break;
    case OP_SNAPSHOT:
        take_snapshot(self);
        break;
    case OP_CHECK:
        books_check_law();
        break;
    case OP_HOG:
        hog(self);
        break;
    case OP_NEW:
        make_others();
        break;
    case OP_FREE:
        free_and_use_another();
        break;
    case OP_REPAIR:
        repair_and_release(self);
        break;
    default:
        take_and_release(self);
        break;
    }
}

static bool is_its_turn(void *index)
{
    unsigned self = (unsigned)(uintptr_t)index;
    uint64_t in_front = bh_stat_load(&limiter_of(self)->core->waiting);

    if (actor_of(self)->after > 0 && !world.through[actor_of(self)->after - 1])
        return false;
    for (unsigned i = 0; i < CORE_ACTORS_MAX; i++)
        if (i != self && world.through[i] && it_waits(actor_of(i)->op))
            in_front++;
    return in_front >= actor_of(self)->behind;
}

static bool holds_from_the_start(unsigned index)
{
    switch (actor_of(index)->op) {
    case OP_RELEASE:
        return true;
    case OP_RELEASE_COPY:
        return world.copies++ == 0;
    case OP_CANCEL:
    case OP_REPAIR:
        return world.scenario->kept > 0 && world.keepers++ == 0;
    default:
        return false;
    }
}

void actor_prepare(void *index)
{
    unsigned self = (unsigned)(uintptr_t)index;
    struct bh_entry *entry = world.scenario->cold ? NULL : bh__entry(limiter_of(self));

    if (holds_from_the_start(self)) {
        SIM_CHECK(bh_try_acquire_weight(limiter_of(self), weight_of(self), &world.held[self]) == 0, "nothing to hold");
        books_hold(self);
    }
    for (uint32_t i = 0; entry != NULL && i < BH_SEATS; i++)
        entry->seat[i] = actor_of(self)->seat;
}

void actor_body(void *index)
{
    unsigned self = (unsigned)(uintptr_t)index;
    uint32_t rounds = actor_of(self)->rounds != 0 ? actor_of(self)->rounds : 1;

    if (actor_of(self)->behind > 0 || actor_of(self)->after > 0)
        sim_await(is_its_turn, index);
    while (rounds-- > 0)
        act(self);
    world.through[self] = true;
}
