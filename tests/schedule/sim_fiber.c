/* SPDX-License-Identifier: Apache-2.0 */
/* Fibers: each is a thread of its own to the code under test, with its own stack and thread slot. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim_private.h"

#define STACK_SIZE (256u * 1024u)
#define GUARD_SIZE (64u * 1024u) /* a whole page wherever pages are not larger */

struct sim_world sim__world;

static void (*exit_destructor)(void *slot); /* registered once by the code under test, and kept from run to run */

static char *fiber_stack(unsigned index)
{
    static char *stacks[SIM_FIBERS_MAX];
    char *memory;

    if (stacks[index] != NULL)
        return stacks[index];
    memory = mmap(NULL, GUARD_SIZE + STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, GUARD_SIZE, PROT_NONE) != 0)
        abort();
    stacks[index] = memory + GUARD_SIZE;
    return stacks[index];
}

static uint32_t *state_mask(enum sim_state state)
{
    switch (state) {
    case SIM_RUNNABLE:
        return &sim__world.runnable;
    case SIM_PARKED:
        return &sim__world.parked;
    case SIM_AWAITING:
        return &sim__world.awaiting;
    default:
        return NULL;
    }
}

void sim__set_state(struct sim_fiber *fiber, enum sim_state state)
{
    uint32_t *left = state_mask(fiber->state);
    uint32_t *entered = state_mask(state);

    if (left != NULL)
        *left &= ~sim__bit(fiber);
    if (entered != NULL)
        *entered |= sim__bit(fiber);
    if (state != SIM_PARKED)
        sim__world.timed &= ~sim__bit(fiber);
    fiber->state = state;
}

static void run_destructor(void **slot)
{
    void *value = *slot;

    *slot = NULL;
    if (value != NULL && exit_destructor != NULL)
        exit_destructor(value);
}

static void fiber_entry(void)
{
    struct sim_fiber *self = sim__world.current;

    self->body(self->argument);
    run_destructor(&self->slot);
    sim__set_state(self, SIM_ENDED);
    sim__give_way();
    abort();
}

void sim__world_reset(const struct sim_options *options, bool tracing)
{
    struct sim_world *world = &sim__world;
    sigjmp_buf *failure = world->failure;

    memset(world, 0, sizeof *world);
    world->failure = failure;
    world->options = options;
    world->tracing = tracing;
    world->now = UINT64_C(1000000000);
    world->preemptions_left = options->preemptions;
    world->spurious_left = options->spurious;
    world->failures_left = options->alloc_failures;
    world->deaths_left = options->deaths;
}

unsigned sim_spawn(void (*body)(void *argument), void *argument, const char *name)
{
    unsigned index = sim__world.spawned;
    struct sim_fiber *fiber = &sim__world.fibers[index];

    if (index == SIM_FIBERS_MAX || sim__world.current != NULL)
        sim_fail("sim_spawn: more than %u fibers, or not in setup", SIM_FIBERS_MAX);
    fiber->body = body;
    fiber->argument = argument;
    fiber->name = name;
    sim__context_make(&fiber->context, fiber_stack(index), STACK_SIZE, fiber_entry);
    sim__set_state(fiber, SIM_RUNNABLE);
    sim__world.spawned++;
    return index;
}

void sim_act_as(unsigned fiber, void (*action)(void *argument), void *argument)
{
    sim__world.acted_as = &sim__world.fibers[fiber];
    action(argument);
    sim__world.acted_as = NULL;
}

void sim_mortal(unsigned fiber)
{
    sim__world.fibers[fiber].mortal = true;
}

void sim__run_fibers(void)
{
    if (sim__world.spawned == 0)
        sim_fail("setup spawned no fiber");
    sim__give_way();
}

void sim__outside_exit(void)
{
    run_destructor(&sim__world.outside_slot);
}

void **sim_thread_slot(void)
{
    struct sim_fiber *fiber = sim__world.current != NULL ? sim__world.current : sim__world.acted_as;

    return fiber != NULL ? &fiber->slot : &sim__world.outside_slot;
}

void sim_thread_at_exit(void (*destructor)(void *slot))
{
    exit_destructor = destructor;
}

unsigned sim_self(void)
{
    const struct sim_fiber *current = sim__world.current;

    return current == NULL ? SIM_FIBERS_MAX : (unsigned)(current - sim__world.fibers);
}

bool sim_fiber_parked(unsigned fiber)
{
    return sim__world.fibers[fiber].state == SIM_PARKED;
}

bool sim_fiber_ended(unsigned fiber)
{
    return sim__world.fibers[fiber].state == SIM_ENDED;
}

bool sim_fiber_died(unsigned fiber)
{
    return sim__world.fibers[fiber].state == SIM_DEAD;
}
