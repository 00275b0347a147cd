/* SPDX-License-Identifier: Apache-2.0 */
/* Toys that count, allocate, are threads, and die. */
#include <string.h>

#include "toys.h"

/* A counter that two increment. */
static struct {
    bool in_two_steps;
    _Atomic uint32_t value;
} counter;

static void increment(void *unused)
{
    (void)unused;
    if (counter.in_two_steps) {
        uint32_t value = LOAD(counter.value);
        STORE(counter.value, value + 1);
    } else {
        ADD(counter.value, 1);
    }
}

static void counter_setup(void *context)
{
    counter.in_two_steps = *(bool *)context;
    counter.value = 0;
    sim_spawn(increment, NULL, "one");
    sim_spawn(increment, NULL, "two");
}

static void counter_books(void *context)
{
    (void)context;
    SIM_CHECK(counter.value == 2, "an increment was lost");
}

/* A stack of nodes 1, 2, 3 (1 on top): its head word is a node and, when it is right, a count of changes. */
static struct {
    bool counts_changes;
    _Atomic uint32_t head;
    _Atomic uint32_t next[4];
    bool out[4];
} stack;

static uint32_t changed(uint32_t head, uint32_t node)
{
    return stack.counts_changes ? ((head >> 8) + 1) << 8 | node : node;
}

static uint32_t pop(void)
{
    uint32_t head = LOAD(stack.head);

    while ((head & 0xff) != 0) {
        uint32_t next = LOAD(stack.next[head & 0xff]);

        if (CAS(stack.head, &head, changed(head, next)))
            break;
    }
    SIM_CHECK(!stack.out[head & 0xff], "a node was taken by two");
    stack.out[head & 0xff] = (head & 0xff) != 0;
    return head & 0xff;
}

static void push(uint32_t node)
{
    uint32_t head = LOAD(stack.head);

    stack.out[node] = false;
    do
        STORE(stack.next[node], head & 0xff);
    while (!CAS(stack.head, &head, changed(head, node)));
}

static void pops_two_and_keeps_one(void *unused)
{
    uint32_t first = pop();

    (void)unused;
    pop();
    push(first);
}

static void pops_two(void *unused)
{
    (void)unused;
    pop();
    pop();
}

static void stack_setup(void *context)
{
    stack.counts_changes = !*(bool *)context;
    memset(stack.out, 0, sizeof stack.out);
    for (uint32_t node = 0; node < 4; node++)
        stack.next[node] = node % 3 + (node != 3);
    stack.next[3] = 0;
    stack.head = 1;
    sim_spawn(pops_two_and_keeps_one, NULL, "recycles");
    sim_spawn(pops_two, NULL, "pops");
}

/* An object with two references; who drops the last one frees it. */
enum object_mistake { OBJECT_RIGHT, FREED_TWICE, LEAKED, WRITTEN_LATER };

static struct {
    enum object_mistake mistake;
    _Atomic uint32_t references;
    uint32_t *memory;
} object;

static void drop(void *unused)
{
    uint32_t before;

    (void)unused;
    if (object.mistake == FREED_TWICE) {
        SUBTRACT(object.references, 1);
        before = LOAD(object.references) + 1;
    } else if (object.mistake == LEAKED) {
        before = LOAD(object.references);
        SUBTRACT(object.references, 1);
    } else {
        before = SUBTRACT(object.references, 1);
    }
    if (before == 1)
        sim_free(object.memory);
    sim_point();
    if (object.mistake == WRITTEN_LATER)
        *object.memory = before;
}

static void object_setup(void *context)
{
    object.mistake = *(enum object_mistake *)context;
    object.references = 2;
    object.memory = sim_alloc(sizeof *object.memory);
    sim_spawn(drop, NULL, "one");
    sim_spawn(drop, NULL, "two");
}

/* An allocation whose failure is, or is not, thought of. */
static void allocate(void *careless)
{
    volatile uint32_t *memory = sim_alloc(100);

    if (memory == NULL && !*(bool *)careless)
        return;
    *memory = 1;
    sim_free((void *)memory);
}

static void allocate_setup(void *context)
{
    sim_spawn(allocate, context, "allocates");
}

/* Memory of a thread's own: in the thread slot, or in one variable for all. */
static void *one_for_all;
static bool ignores_slot;
static unsigned destroyed;

static void destroy(void *slot)
{
    destroyed++;
    sim_free(slot);
}

static void use_own_memory(void *unused)
{
    unsigned *own;

    (void)unused;
    SIM_CHECK(*sim_thread_slot() == NULL, "a new thread has memory already");
    *sim_thread_slot() = sim_alloc(sizeof(unsigned));
    one_for_all = *sim_thread_slot();
    own = ignores_slot ? one_for_all : *sim_thread_slot();
    *own = sim_self();
    sim_point();
    own = ignores_slot ? one_for_all : *sim_thread_slot();
    SIM_CHECK(*own == sim_self(), "this is another thread's memory");
}

static void thread_setup(void *context)
{
    ignores_slot = *(bool *)context;
    one_for_all = NULL;
    destroyed = 0;
    sim_thread_at_exit(destroy);
    SIM_CHECK(*sim_thread_slot() == NULL, "setup has memory already");
    sim_spawn(use_own_memory, NULL, "one");
    sim_spawn(use_own_memory, NULL, "two");
}

static void thread_books(void *context)
{
    (void)context;
    SIM_CHECK(destroyed == 2, "a thread's memory was not destroyed");
}

/* A lock whose owner may die; who sees that breaks it. */
static struct {
    bool not_repaired;
    _Atomic uint32_t word; /* the owner + 1 */
    unsigned mortal;
} lock;

static void lock_once(void *unused)
{
    uint32_t owner = 0;

    (void)unused;
    while (!CAS(lock.word, &owner, sim_self() + 1)) {
        sim_futex_wait(&lock.word, owner, SIM_FOREVER);
        owner = 0;
    }
    STORE(lock.word, 0);
    sim_futex_wake(&lock.word, 1);
}

static bool mortal_is_gone(void *unused)
{
    (void)unused;
    return sim_fiber_died(lock.mortal) || sim_fiber_ended(lock.mortal);
}

static void repair(void *unused)
{
    uint32_t owner = lock.mortal + 1;

    sim_await(mortal_is_gone, unused);
    if (!sim_fiber_died(lock.mortal) || lock.not_repaired)
        return;
    CAS(lock.word, &owner, 0);
    sim_futex_wake(&lock.word, 1);
}

static void lock_setup(void *context)
{
    lock.not_repaired = *(bool *)context;
    lock.word = 0;
    lock.mortal = sim_spawn(lock_once, NULL, "mortal");
    sim_spawn(lock_once, NULL, "other");
    sim_spawn(repair, NULL, "repairer");
    sim_mortal(lock.mortal);
}

/* A loop that nothing ends and that has no point. */
static void loop(void *unused)
{
    volatile unsigned forever = 1;

    (void)unused;
    while (forever)
        ;
}

static void loop_setup(void *context)
{
    (void)context;
    sim_spawn(loop, NULL, "loops");
}

/* A test that remembers its last run, unless the tester restores what it remembers. */
static unsigned remembered, restored;

static void remember(void *which)
{
    unsigned *runs = which;

    for (unsigned points = (*runs)++ < 2 ? 5 : 1; points > 0; points--)
        sim_point();
}

static void remember_setup(void *context)
{
    static bool registered;

    if (!registered)
        sim_restore_each_run(&restored, sizeof restored);
    registered = true;
    sim_spawn(remember, context, "one");
    sim_spawn(remember, context, "two");
}

static bool no = false, yes = true;
static enum object_mistake object_right = OBJECT_RIGHT, freed_twice = FREED_TWICE, leaked = LEAKED,
                           written_later = WRITTEN_LATER;

const struct toy toys_memory[] = {
    {TOY("counter", counter_setup, counter_books, &no)},
    {TOY("counter: in two steps", counter_setup, counter_books, &yes), .mistake = "an increment was lost"},
    {TOY("stack", stack_setup, NULL, &no)},
    {TOY("stack: without a count of changes", stack_setup, NULL, &yes), .mistake = "a node was taken by two"},
    {TOY("object", object_setup, NULL, &object_right)},
    {TOY("object: freed twice", object_setup, NULL, &freed_twice), .mistake = "memory was freed twice"},
    {TOY("object: leaked", object_setup, NULL, &leaked), .mistake = "1 allocations were not freed"},
    {TOY("object: written after it was freed", object_setup, NULL, &written_later),
     .mistake = "memory was written after it was freed"},
    {TOY("allocation", allocate_setup, NULL, &no), .options.alloc_failures = 1},
    {TOY("allocation: cannot fail, thinks the toy", allocate_setup, NULL, &yes), .options.alloc_failures = 1,
     .mistake = "crash: SIGSEGV"},
    {TOY("thread", thread_setup, thread_books, &no)},
    {TOY("thread: one memory for all", thread_setup, thread_books, &yes), .mistake = "this is another thread's memory"},
    {TOY("lock of the dead", lock_setup, NULL, &no), .options.deaths = 1},
    {TOY("lock of the dead: not repaired", lock_setup, NULL, &yes), .options.deaths = 1,
     .mistake = "deadlock, these wait for ever: other"},
    {TOY("loop without points", loop_setup, NULL, NULL), .mistake = "a loop without points", .once = true},
    {TOY("remembers its last run", remember_setup, NULL, &remembered), .mistake = "not deterministic", .once = true},
    {TOY("remembers its last run, restored", remember_setup, NULL, &restored)},
};
const unsigned toys_memory_count = sizeof toys_memory / sizeof toys_memory[0];
