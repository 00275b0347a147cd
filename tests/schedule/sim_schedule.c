/* SPDX-License-Identifier: Apache-2.0 */
/* Who goes on: points, parking, waking, time, and death.
 *
 * The options of a decision stand in this order: the current fiber goes on (if it can); it dies; another one goes on;
 * a deadline of a parked fiber strikes and it goes on; a parked fiber wakes for no reason. All but the first two are
 * pre-emptions if the current fiber could have gone on.
 */
#include <errno.h>
#include <stdio.h>

#include "sim_private.h"

#define STEPS_DEFAULT 20000u
#define LONE_YIELDS_MAX 100u /* then time passes for who spins alone */

struct choices {
    bool stay;
    bool die;
    uint32_t others;
    uint32_t timers;
    uint32_t spurious;
};

static inline unsigned bits(uint32_t mask)
{
    return (unsigned)__builtin_popcount(mask);
}

static unsigned total(const struct choices *choices)
{
    return (unsigned)choices->stay + (unsigned)choices->die + bits(choices->others) + bits(choices->timers) +
           bits(choices->spurious);
}

/* Fibers that yielded wait until each of those they yielded to has made a step, parked or ended. */
static uint32_t eligible(void)
{
    uint32_t mask = sim__world.runnable;

    if (sim__world.yielding == 0)
        return mask;
    for (unsigned i = 0; i < sim__world.spawned; i++) {
        if ((sim__world.fibers[i].yields_to & sim__world.runnable) != 0)
            mask &= ~(UINT32_C(1) << i);
    }
    return mask != 0 ? mask : sim__world.runnable;
}

static void forget_yields_to(const struct sim_fiber *stepped)
{
    for (unsigned i = 0; i < sim__world.spawned; i++)
        sim__world.fibers[i].yields_to &= ~sim__bit(stepped);
}

/* Deadlines that may strike: the earliest, and all that have passed. */
static uint32_t timers(void)
{
    uint64_t earliest = SIM_FOREVER;
    uint32_t mask = 0;

    if (sim__world.timed == 0)
        return 0;
    for (unsigned i = 0; i < sim__world.spawned; i++) {
        if ((sim__world.timed >> i & 1u) != 0 && sim__world.fibers[i].deadline < earliest)
            earliest = sim__world.fibers[i].deadline;
    }
    if (earliest < sim__world.now)
        earliest = sim__world.now;
    for (unsigned i = 0; i < sim__world.spawned; i++) {
        if ((sim__world.timed >> i & 1u) != 0 && sim__world.fibers[i].deadline <= earliest)
            mask |= UINT32_C(1) << i;
    }
    return mask;
}

static void look_at_conditions(void)
{
    for (unsigned i = 0; sim__world.awaiting != 0 && i < sim__world.spawned; i++) {
        struct sim_fiber *fiber = &sim__world.fibers[i];

        if (fiber->state == SIM_AWAITING && fiber->condition(fiber->condition_argument))
            sim__set_state(fiber, SIM_RUNNABLE);
    }
}

static void trace(const struct sim_fiber *target, const char *why)
{
    const struct sim_fiber *current = sim__world.current;

    if (sim__world.tracing && target != current)
        sim_note("-> %s (%s %s)", target->name, current != NULL ? current->name : "start", why);
}

static void go_on_with(struct sim_fiber *target, const char *why)
{
    struct sim_fiber *current = sim__world.current;

    target->yields_to = 0;
    sim__world.yielding &= ~sim__bit(target);
    if (target == current)
        return;
    trace(target, why);
    sim__world.lone_yields = 0;
    sim__world.current = target;
    sim__context_switch(current != NULL ? &current->context : &sim__world.outside, &target->context);
}

static struct sim_fiber *nth_set(uint32_t mask, unsigned n, unsigned first)
{
    for (unsigned i = 0; i < SIM_FIBERS_MAX; i++) {
        unsigned index = (first + i) % SIM_FIBERS_MAX;

        if ((mask >> index & 1u) != 0 && n-- == 0)
            return &sim__world.fibers[index];
    }
    sim_fail("a decision without an option");
}

static void wake(struct sim_fiber *fiber, int result)
{
    fiber->wait_result = result;
    sim__set_state(fiber, SIM_RUNNABLE);
}

/* Option `n` among others, timers and spurious wake-ups. */
static void switch_to_option(const struct choices *choices, unsigned n, const char *why)
{
    unsigned others = bits(choices->others);
    unsigned striking = bits(choices->timers);
    struct sim_fiber *target;

    if (n < others) {
        unsigned first = sim__world.current != NULL ? sim_self() + 1u : 0u;

        go_on_with(nth_set(choices->others, n, first), why);
        return;
    }
    if (n < others + striking) {
        target = nth_set(choices->timers, n - others, 0);
        if (sim__world.now < target->deadline)
            sim__world.now = target->deadline;
        wake(target, -ETIMEDOUT);
        go_on_with(target, "when a deadline strikes");
        return;
    }
    target = nth_set(choices->spurious, n - others - striking, 0);
    sim__world.spurious_left--;
    wake(target, 0);
    go_on_with(target, "when another wakes for no reason");
}

static void die(void)
{
    sim__world.deaths_left--;
    sim__world.died++;
    sim_note("%s dies", sim__world.current->name);
    sim__set_state(sim__world.current, SIM_DEAD);
    sim__give_way();
}

static void count_step(struct sim_fiber *current)
{
    unsigned limit = sim__world.options->max_steps != 0 ? sim__world.options->max_steps : STEPS_DEFAULT;

    if (++sim__world.steps > limit)
        sim_fail("no end after %u points: a livelock, or max_steps is too low", limit);
    if (sim__world.yielding != 0)
        forget_yields_to(current);
    if (sim__world.awaiting != 0)
        look_at_conditions();
}

void sim_point(void)
{
    struct sim_world *world = &sim__world;
    struct sim_fiber *current = world->current;
    struct choices choices = {.stay = true};
    unsigned chosen, count, within_bound;

    if (current == NULL)
        return;
    count_step(current);
    choices.die = world->deaths_left > 0 && current->mortal;
    choices.others = eligible() & ~sim__bit(current);
    choices.timers = timers();
    choices.spurious = world->spurious_left > 0 ? world->parked : 0;
    count = total(&choices);
    if (count == 1)
        return;
    within_bound = world->preemptions_left > 0 ? count : 1u + (unsigned)choices.die;
    chosen = sim__choose(count, within_bound, true);
    if (chosen == 0)
        return;
    if (choices.die && chosen == 1) {
        die();
        return;
    }
    if (world->preemptions_left > 0)
        world->preemptions_left--;
    switch_to_option(&choices, chosen - 1u - (unsigned)choices.die, "is pre-empted");
}

static _Noreturn void fail_deadlock(void)
{
    char names[256] = "";
    size_t length = 0;

    for (unsigned i = 0; i < sim__world.spawned && length < sizeof names; i++) {
        if (((sim__world.parked | sim__world.awaiting) >> i & 1u) != 0)
            length += (size_t)snprintf(names + length, sizeof names - length, " %s", sim__world.fibers[i].name);
    }
    sim_fail("deadlock, these wait for ever:%s", names);
}

static void all_ended(void)
{
    struct sim_fiber *last = sim__world.current;

    if (last == NULL)
        return;
    sim__world.current = NULL;
    sim__context_switch(&last->context, &sim__world.outside);
}

void sim__give_way(void)
{
    struct choices choices = {0};
    unsigned count;

    look_at_conditions();
    choices.others = eligible();
    choices.timers = timers();
    choices.spurious = sim__world.spurious_left > 0 ? sim__world.parked : 0;
    if (sim__world.lone_yields > LONE_YIELDS_MAX && choices.timers != 0)
        choices.others = 0;
    if (choices.others == 0 && choices.timers == 0) {
        if ((sim__world.parked | sim__world.awaiting) != 0)
            fail_deadlock();
        all_ended();
        return;
    }
    count = total(&choices);
    switch_to_option(&choices, count > 1 ? sim__choose(count, count, false) : 0, "gives way");
}

void sim_yield(void)
{
    struct sim_fiber *current = sim__world.current;

    if (current == NULL)
        return;
    count_step(current);
    current->yields_to = sim__world.runnable & ~sim__bit(current);
    if (current->yields_to != 0)
        sim__world.yielding |= sim__bit(current);
    else
        sim__world.lone_yields++;
    sim__give_way();
}

static void park(const void *word, uint64_t deadline)
{
    struct sim_fiber *current = sim__world.current;

    current->word = word;
    current->deadline = deadline;
    current->park_order = sim__world.parkings++;
    sim__set_state(current, SIM_PARKED);
    if (deadline != SIM_FOREVER)
        sim__world.timed |= sim__bit(current);
    sim__give_way();
}

int sim_futex_wait(const void *word, uint32_t expected, uint64_t deadline_ns)
{
    sim_point();
    if (*(const volatile uint32_t *)word != expected)
        return 0;
    if (deadline_ns <= sim__world.now)
        return -ETIMEDOUT;
    if (sim__world.current == NULL) {
        if (deadline_ns == SIM_FOREVER)
            sim_fail("setup or finish would wait for ever");
        sim__world.now = deadline_ns;
        return -ETIMEDOUT;
    }
    park(word, deadline_ns);
    return sim__world.current->wait_result;
}

static struct sim_fiber *longest_parked_on(const void *word)
{
    struct sim_fiber *first = NULL;

    for (unsigned i = 0; i < sim__world.spawned; i++) {
        struct sim_fiber *fiber = &sim__world.fibers[i];

        if (fiber->state == SIM_PARKED && fiber->word == word &&
            (first == NULL || fiber->park_order < first->park_order))
            first = fiber;
    }
    return first;
}

void sim_futex_wake(const void *word, uint32_t count)
{
    struct sim_fiber *fiber;

    sim_point();
    for (; count > 0 && (fiber = longest_parked_on(word)) != NULL; count--)
        wake(fiber, 0);
}

void sim_await(bool (*condition)(void *argument), void *argument)
{
    struct sim_fiber *current = sim__world.current;

    sim_point();
    if (condition(argument))
        return;
    if (current == NULL)
        sim_fail("setup or finish would wait for ever");
    current->condition = condition;
    current->condition_argument = argument;
    sim__set_state(current, SIM_AWAITING);
    sim__give_way();
}

uint64_t sim_now(void)
{
    return sim__world.now;
}

void sim_advance(uint64_t nanoseconds)
{
    sim_point();
    sim__world.now += nanoseconds;
}
