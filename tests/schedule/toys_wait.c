/* SPDX-License-Identifier: Apache-2.0 */
/* Toys that wait. The limiter is a word of permits, a count of waiters, and a futex. */
#include <errno.h>

#include "toys.h"

enum variant { RIGHT, NOT_ANNOUNCED, LOOKS_TOO_EARLY };

static struct {
    enum variant variant;
    _Atomic uint32_t permits;
    _Atomic uint32_t waiters;
    uint32_t inside;
    uint32_t limit;
} limiter;

static void limiter_acquire(void)
{
    for (;;) {
        uint32_t permits = LOAD(limiter.permits);

        while (permits > 0) {
            if (CAS(limiter.permits, &permits, permits - 1))
                return;
        }
        if (limiter.variant != NOT_ANNOUNCED)
            ADD(limiter.waiters, 1);
        sim_futex_wait(&limiter.permits, 0, SIM_FOREVER);
        if (limiter.variant != NOT_ANNOUNCED)
            SUBTRACT(limiter.waiters, 1);
    }
}

static void limiter_release(void)
{
    uint32_t waiters = limiter.variant == LOOKS_TOO_EARLY ? LOAD(limiter.waiters) : 0;

    ADD(limiter.permits, 1);
    if (limiter.variant != LOOKS_TOO_EARLY)
        waiters = LOAD(limiter.waiters);
    if (waiters > 0)
        sim_futex_wake(&limiter.permits, 1);
}

static void two_rounds(void *unused)
{
    (void)unused;
    for (int round = 0; round < 2; round++) {
        limiter_acquire();
        limiter.inside++;
        SIM_CHECK(limiter.inside <= limiter.limit, "above the limit");
        sim_point();
        limiter.inside--;
        limiter_release();
    }
}

static void limiter_setup(void *context)
{
    limiter.variant = *(enum variant *)context;
    limiter.limit = 1;
    limiter.permits = limiter.limit;
    limiter.waiters = 0;
    limiter.inside = 0;
    sim_spawn(two_rounds, NULL, "one");
    sim_spawn(two_rounds, NULL, "two");
    sim_spawn(two_rounds, NULL, "three");
}

static void limiter_books(void *context)
{
    (void)context;
    SIM_CHECK(limiter.permits == limiter.limit, "a permit was lost");
    SIM_CHECK(limiter.waiters == 0, "a waiter is still counted");
}

/* A wait of 100 ns, of which a wake-up for no reason must take and give nothing. */
static struct {
    bool starts_again;
    _Atomic uint32_t word;
} timer;

static void wait_a_while(void *unused)
{
    uint64_t deadline = sim_now() + 100;
    uint64_t promised = deadline;

    (void)unused;
    while (sim_futex_wait(&timer.word, 0, deadline) == 0) {
        if (timer.starts_again)
            deadline = sim_now() + 100;
    }
    SIM_CHECK(sim_now() >= promised, "a wait ended early");
    SIM_CHECK(sim_now() <= promised, "a deadline was missed");
}

static void pass_time(void *unused)
{
    (void)unused;
    sim_advance(40);
}

static void timer_setup(void *context)
{
    timer.starts_again = *(bool *)context;
    timer.word = 0;
    sim_spawn(wait_a_while, NULL, "waits");
    sim_spawn(pass_time, NULL, "time");
}

/* Who gives up at its deadline while it is granted must hand the grant back. */
static struct {
    bool forgets;
    _Atomic uint32_t granted; /* 0 waiting, 1 granted, 2 gone */
    _Atomic uint32_t free;
} grant;

static void granter(void *unused)
{
    uint32_t waiting = 0;

    (void)unused;
    if (CAS(grant.granted, &waiting, 1))
        sim_futex_wake(&grant.granted, 1);
    else
        ADD(grant.free, 1);
}

static void gives_up(void *unused)
{
    uint32_t waiting = 0;

    (void)unused;
    while (LOAD(grant.granted) == 0) {
        if (sim_futex_wait(&grant.granted, 0, sim_now() + 50) == -ETIMEDOUT) {
            if (CAS(grant.granted, &waiting, 2) || grant.forgets)
                return;
        }
    }
    ADD(grant.free, 1);
}

static void grant_setup(void *context)
{
    grant.forgets = *(bool *)context;
    grant.granted = 0;
    grant.free = 0;
    sim_spawn(granter, NULL, "grants");
    sim_spawn(gives_up, NULL, "gives up");
}

static void grant_books(void *context)
{
    (void)context;
    SIM_CHECK(grant.free == 1, "a permit was lost");
}

/* Two spinning locks, taken in one order or in two. */
static _Atomic uint32_t locks[2];
static bool two_orders;

static void spin_lock(unsigned lock)
{
    uint32_t expected = 0;

    while (!CAS(locks[lock], &expected, 1)) {
        expected = 0;
        sim_yield();
    }
}

static void lock_both(void *order)
{
    unsigned first = order != NULL && two_orders ? 1 : 0;

    spin_lock(first);
    spin_lock(1 - first);
    STORE(locks[0], 0);
    STORE(locks[1], 0);
}

static void locks_setup(void *context)
{
    two_orders = *(bool *)context;
    locks[0] = locks[1] = 0;
    sim_spawn(lock_both, NULL, "forward");
    sim_spawn(lock_both, locks, "backward");
    sim_spawn(lock_both, NULL, "third");
}

/* Waits on a word that nobody changes, or that is woken without being changed. */
static _Atomic uint32_t never;

static void wait_for_ever(void *unused)
{
    (void)unused;
    sim_futex_wait(&never, 0, SIM_FOREVER);
}

static void never_setup(void *context)
{
    (void)context;
    sim_spawn(wait_for_ever, NULL, "waits");
}

static bool no = false, yes = true;
static enum variant right = RIGHT, not_announced = NOT_ANNOUNCED, looks_too_early = LOOKS_TOO_EARLY;

const struct toy toys_wait[] = {
    {TOY("limiter", limiter_setup, limiter_books, &right)},
    {TOY("limiter, wake-ups for no reason", limiter_setup, limiter_books, &right), .options.spurious = 1},
    {TOY("limiter: parks without announcing itself", limiter_setup, limiter_books, &not_announced),
     .mistake = "deadlock"},
    {TOY("limiter: looks for waiters too early", limiter_setup, limiter_books, &looks_too_early),
     .mistake = "deadlock"},
    {TOY("deadline", timer_setup, NULL, &no), .options.spurious = 2},
    {TOY("deadline: starts again when woken", timer_setup, NULL, &yes), .options.spurious = 1,
     .mistake = "a deadline was missed"},
    {TOY("grant against deadline", grant_setup, grant_books, &no)},
    {TOY("grant against deadline: forgotten", grant_setup, grant_books, &yes), .mistake = "a permit was lost"},
    {TOY("two locks", locks_setup, NULL, &no)},
    {TOY("two locks: in two orders", locks_setup, NULL, &yes), .options.max_steps = 2000, .mistake = "livelock"},
    {TOY("nobody wakes it", never_setup, NULL, NULL), .mistake = "deadlock, these wait for ever: waits"},
    {TOY("nobody wakes it, no reason is no rescue", never_setup, NULL, NULL), .options.spurious = 1,
     .mistake = "deadlock, these wait for ever: waits"},
};
const unsigned toys_wait_count = sizeof toys_wait / sizeof toys_wait[0];
