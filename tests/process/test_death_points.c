/* SPDX-License-Identifier: Apache-2.0 */
/* A process dies at a named point while others wait: what it had comes back, and the others go on. In each scene process 1
 * dies, process 2 (and 3) live, and the parent reaps, repairs and checks. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core.h"
#include "core/ledger.h"
#include "core/queue.h"
#include "core/repair.h"
#include "process.h"

#define LIMIT 4u
#define QUEUE 4u
#define ACTORS 4u /* the parent is the first */

/* In shared memory. */
struct stage {
    atomic_uint ready[ACTORS]; /* it is where it is to be, or about to call what it will wait in */
    atomic_uint admitted[ACTORS];
};

struct scene {
    struct shared_limiter limiter;
    struct stage *stage;
    uint32_t starting; /* the process that is being started */
    uint32_t weight;   /* what it asks for */
    pid_t pids[ACTORS];
};

/* ---- what processes do --------------------------------------------------------------------------------------------- */

static bh_limiter *enter(struct scene *scene)
{
    return attach(&scene->limiter, scene->starting);
}

static void be_ready(struct scene *scene)
{
    atomic_store(&scene->stage->ready[scene->starting], 1);
}

_Noreturn static void be_killed(struct scene *scene)
{
    be_ready(scene);
    for (;;)
        pause();
}

static void wait_for_turn(struct scene *scene)
{
    bh_permit permit = {0};
    bh_limiter *limiter = enter(scene);
    be_ready(scene);
    MUST(bh_acquire_for(limiter, scene->weight, BH_FOREVER, &permit) == 0);
    atomic_store(&scene->stage->admitted[scene->starting], 1);
    MUST(bh_release(&permit) == 0);
}

static void waiter(void *scene)
{
    wait_for_turn(scene);
}

static void holder(void *argument)
{
    struct scene *scene = argument;
    bh_permit permit = {0};
    MUST(bh_try_acquire_weight(enter(scene), scene->weight, &permit) == 0);
    be_killed(scene);
}

static void late_holder(void *argument)
{
    struct scene *scene = argument;
    bh_permit permit = {0};
    MUST(bh_try_acquire_weight(enter(scene), scene->weight, &permit) == 0);
    MUST(bh_permit_mark_late(&permit) == 0);
    be_killed(scene);
}

static void cacher(void *argument)
{
    struct scene *scene = argument;
    bh_permit permits[LIMIT] = {{0}};
    bh_limiter *limiter = enter(scene);
    for (unsigned i = 0; i < LIMIT; i++)
        MUST(bh_try_acquire(limiter, &permits[i]) == 0);
    for (unsigned i = 0; i < LIMIT; i++)
        MUST(bh_release(&permits[i]) == 0);
    be_killed(scene);
}

static void in_the_lock(void *argument)
{
    struct scene *scene = argument;
    bh__core_lock(enter(scene));
    be_killed(scene);
}

/* Half of a grant: a slot is taken and nobody knows of it. */
static void in_the_lock_with_a_slot(void *argument)
{
    struct scene *scene = argument;
    bh_limiter *limiter = enter(scene);
    bh__core_lock(limiter);
    bh__slot_take_locked(limiter, scene->weight, BH_NONE, 0, limiter->process);
    be_killed(scene);
}

static void in_the_lock_queued(void *argument)
{
    struct scene *scene = argument;
    bh_limiter *limiter = enter(scene);
    bh__core_lock(limiter);
    bh__enqueue_locked(limiter, scene->weight, bh_now(), BH_FOREVER);
    be_killed(scene);
}

/* All that is index, at its worst: what a critical section writes is half written. */
static void in_the_lock_over_a_ruin(void *argument)
{
    struct scene *scene = argument;
    bh_limiter *limiter = enter(scene);
    struct bh_core *core = limiter->core;
    bh__core_lock(limiter);
    bh__pool_add_locked(core, 3);
    bh_store_relaxed(&core->pressure, 0);
    core->free_slot = core->free_waiter = core->line.tail = BH_NONE;
    bh_stat_store(&core->line.head, BH_NONE);
    bh_stat_store(&core->waiting, 7);
    bh_stat_store(&core->waiting_weight, 1);
    core->awake = 1;
    be_killed(scene);
}

/* ---- scenes -------------------------------------------------------------------------------------------------------- */

static struct scene scene_begin(const char *name, uint32_t order)
{
    step(name);
    struct scene scene = {.stage = share(sizeof(struct stage))};
    scene.limiter = shared_limiter_make(
        &BH_OPTIONS(.name = "scene", .order = order, .limit = LIMIT, .max_permits = LIMIT, .queue = QUEUE));
    return scene;
}

static void scene_end(struct scene *scene)
{
    check_all_back(scene->limiter.handle, LIMIT);
    shared_limiter_done(&scene->limiter);
    share_no_more(scene->stage, sizeof(struct stage));
}

static void start(struct scene *scene, uint32_t process, void (*body)(void *), uint32_t weight)
{
    scene->starting = process;
    scene->weight = weight;
    scene->pids[process] = spawn(body, scene);
    UNTIL(atomic_load(&scene->stage->ready[process]));
}

/* The snapshot takes no lock: whoever it shows to wait may still be in the critical section that queued it, and stopped
 * there it would stop everybody. */
static void wait_until_unlocked(struct scene *scene)
{
    bh__core_lock(scene->limiter.handle);
    bh__core_unlock(scene->limiter.handle);
}

static void start_waiting(struct scene *scene, uint32_t process, uint32_t weight)
{
    const uint64_t in_front = look(scene->limiter.handle).waiting;
    start(scene, process, waiter, weight);
    UNTIL(look(scene->limiter.handle).waiting == in_front + 1);
    wait_until_unlocked(scene);
}

/* Process 1 is dead when this returns; how many permits were taken back. */
static uint32_t bury(struct scene *scene)
{
    kill_and_reap(scene->pids[1]);
    const uint32_t recovered = bh__core_repair(scene->limiter.handle, 1);
    check_core(scene->limiter.handle);
    return recovered;
}

static void was_admitted(struct scene *scene, uint32_t process)
{
    UNTIL(atomic_load(&scene->stage->admitted[process]));
    reap_exited(scene->pids[process]);
}

static void is_not_admitted(struct scene *scene, uint32_t process)
{
    MUST(!atomic_load(&scene->stage->admitted[process]));
}

static bh_permit take(struct scene *scene, uint32_t weight)
{
    bh_permit permit = {0};
    MUST(bh_try_acquire_weight(scene->limiter.handle, weight, &permit) == 0);
    return permit;
}

static void dies_holding(uint32_t order, void (*how)(void *))
{
    struct scene scene = scene_begin("dies holding", order);
    start(&scene, 1, how, LIMIT - 1);
    start_waiting(&scene, 2, 2);
    start_waiting(&scene, 3, 2);
    is_not_admitted(&scene, 2);
    MUST(bury(&scene) == 1);
    was_admitted(&scene, 2);
    was_admitted(&scene, 3);
    MUST(look(scene.limiter.handle).recovered == 1);
    scene_end(&scene);
}

static void dies_at_the_head_of_the_queue(uint32_t order)
{
    struct scene scene = scene_begin("dies at the head of the queue", order);
    bh_permit kept = take(&scene, LIMIT - 1);
    start_waiting(&scene, 1, 2);
    start_waiting(&scene, 2, order == BH_ORDER_FIFO ? 1 : 2);
    is_not_admitted(&scene, 2);
    MUST(bury(&scene) == 0);
    if (order == BH_ORDER_FIFO) /* one unit is free, and the one that wanted more is gone */
        was_admitted(&scene, 2);
    MUST(bh_release(&kept) == 0);
    if (order == BH_ORDER_BARGING)
        was_admitted(&scene, 2);
    scene_end(&scene);
}

/* Stopped, it cannot claim what it is granted, or look for itself when it is woken to do so. */
static void dies_before_it_claims(uint32_t order)
{
    struct scene scene = scene_begin("dies before it claims", order);
    int status;
    bh_permit kept = take(&scene, LIMIT);
    start_waiting(&scene, 1, LIMIT);
    MUST(kill(scene.pids[1], SIGSTOP) == 0);
    MUST(waitpid(scene.pids[1], &status, WUNTRACED) == scene.pids[1] && WIFSTOPPED(status));
    start_waiting(&scene, 2, 1);
    MUST(bh_release(&kept) == 0);
    is_not_admitted(&scene, 1);
    MUST(bury(&scene) == (order == BH_ORDER_FIFO ? 1 : 0));
    was_admitted(&scene, 2);
    scene_end(&scene);
}

static void dies_after_caching(uint32_t order)
{
    struct scene scene = scene_begin("dies after its releases", order);
    start(&scene, 1, cacher, 1);
    MUST(bury(&scene) == 0);
    bh_permit all = take(&scene, LIMIT);
    MUST(bh_release(&all) == 0);
    scene_end(&scene);
}

/* Two that live wait for the lock itself: the one is to be admitted at once, the other to be queued. */
static void dies_inside_the_lock(uint32_t order, void (*how)(void *), uint32_t recovered)
{
    struct scene scene = scene_begin("dies inside the lock", order);
    const struct bh_lock *lock = &scene.limiter.handle->core->lock;
    bh_permit kept = take(&scene, LIMIT - 1);
    start_waiting(&scene, 3, 2);
    start(&scene, 1, how, 1);
    MUST((bh_load_relaxed(&lock->word) & BH_LOCK_OWNER) == 2);
    start(&scene, 2, waiter, 1);
    UNTIL(bh_load_relaxed(&lock->word) & BH_LOCK_CONTENDED);
    is_not_admitted(&scene, 2);
    MUST(bury(&scene) == recovered);
    is_not_admitted(&scene, 3);
    MUST(bh_release(&kept) == 0);
    was_admitted(&scene, 2);
    was_admitted(&scene, 3);
    scene_end(&scene);
}

/* The index of the dead serves another process, which finds nothing of it. */
static void is_replaced(uint32_t order)
{
    struct scene scene = scene_begin("is replaced", order);
    for (unsigned i = 0; i < 100; i++) {
        atomic_store(&scene.stage->ready[1], 0);
        start(&scene, 1, holder, LIMIT);
        MUST(bury(&scene) == 1);
    }
    MUST(look(scene.limiter.handle).recovered == 100);
    scene_end(&scene);
}

static void all_scenes(uint32_t order)
{
    dies_holding(order, holder);
    dies_holding(order, late_holder);
    dies_at_the_head_of_the_queue(order);
    dies_before_it_claims(order);
    dies_after_caching(order);
    dies_inside_the_lock(order, in_the_lock, 0);
    dies_inside_the_lock(order, in_the_lock_with_a_slot, 1);
    dies_inside_the_lock(order, in_the_lock_queued, 0);
    dies_inside_the_lock(order, in_the_lock_over_a_ruin, 0);
    is_replaced(order);
}

int main(void)
{
    all_scenes(BH_ORDER_FIFO);
    all_scenes(BH_ORDER_BARGING);
    printf("10 scenes in each order: what the dead had came back, and the others went on\n");
    return EXIT_SUCCESS;
}
