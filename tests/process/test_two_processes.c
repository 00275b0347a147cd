/* SPDX-License-Identifier: Apache-2.0 */
/* One limiter, several processes, and kill -9 at random moments. The parent kills a worker, reaps it, which proves it
 * dead, repairs the limiter beside the others, who go on, and starts another in its place.
 *
 *     BH_LONG=1          5000 kills, half of them in each order (300)
 *     BH_PROCESS_SEED    the chances of a run before; processes still interleave as they like
 *
 * The test's own count: each thread writes down the weight that it has while it is inside. That it is out follows from
 * the order: written after the acquire, cleared before the release, and for the dead cleared before the repair.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "core/repair.h"
#include "process.h"

#define PROCESSES 5u
#define THREADS 2u
#define SEATS (PROCESSES * THREADS)
#define LIMIT 4u
#define LOWER_LIMIT 3u
#define MOST_WEIGHT 3u
#define QUEUE 7u /* fewer than there are threads */
#define LONGEST_WAIT bh_seconds(10)

/* One thread's, in shared memory. */
struct seat {
    _Alignas(64) atomic_uint_fast64_t inside; /* how often it changed << 8 | the weight that is inside */
    atomic_uint_fast64_t waits_since;         /* 0: does not wait */
    atomic_uint_fast64_t entered;
};

struct board {
    atomic_bool stop;
    atomic_uint_fast64_t counted; /* times that the test's own count was taken */
    atomic_uint_fast64_t most;    /* the highest that it came to */
    struct seat seats[PROCESSES][THREADS];
};

struct run {
    struct shared_limiter limiter;
    struct board *board;
    struct chance chance;
    uint32_t starting; /* the process that is being started: 0 to PROCESSES - 1 */
    pid_t pids[PROCESSES];
    uint64_t in_lock, with_permits, recovered;
};

/* ---- the test's own count ------------------------------------------------------------------------------------------ */

/* Two readings that are the same word for word are one reading at a moment between them. */
static void count_inside(struct board *board)
{
    uint64_t first[SEATS];
    uint64_t sum = 0;
    struct seat *seats = &board->seats[0][0];
    for (unsigned i = 0; i < SEATS; i++) {
        first[i] = atomic_load(&seats[i].inside);
        sum += first[i] & 0xff;
    }
    for (unsigned i = 0; i < SEATS; i++)
        if (atomic_load(&seats[i].inside) != first[i])
            return;
    if (sum > LIMIT)
        die("%" PRIu64 " units inside, and the limit was never above %u", sum, LIMIT);
    atomic_fetch_add(&board->counted, 1);
    uint64_t most = atomic_load(&board->most);
    while (sum > most && !atomic_compare_exchange_weak(&board->most, &most, sum))
        ;
}

static void write_inside(struct seat *seat, uint64_t weight)
{
    atomic_store(&seat->inside, ((atomic_load(&seat->inside) >> 8) + 1) << 8 | weight);
}

/* ---- workers ------------------------------------------------------------------------------------------------------- */

struct worker {
    struct board *board;
    struct seat *seat;
    bh_limiter *limiter;
    struct chance chance;
};

static int request(struct worker *worker, uint32_t weight, bh_permit *permit)
{
    switch (below(&worker->chance, 4)) {
    case 0:
        return bh_try_acquire_weight(worker->limiter, weight, permit);
    case 1:
        return bh_acquire_for(worker->limiter, weight, BH_FOREVER, permit);
    default:
        return bh_acquire_for(worker->limiter, weight, below(&worker->chance, 5000000), permit);
    }
}

static void hold(struct worker *worker)
{
    const uint32_t how = below(&worker->chance, 16);
    if (how == 0)
        sleep_us(below(&worker->chance, 300));
    else if (how < 4)
        sched_yield();
}

static void use_a_permit(struct worker *worker)
{
    bh_permit permit = {0};
    const uint32_t weight = 1 + below(&worker->chance, MOST_WEIGHT);
    atomic_store(&worker->seat->waits_since, bh_now());
    const int error = request(worker, weight, &permit);
    atomic_store(&worker->seat->waits_since, 0);
    if (error == -EAGAIN || error == -ETIMEDOUT || error == -ENOBUFS) {
        sched_yield();
        return;
    }
    if (error)
        die("a request said %d", error);
    write_inside(worker->seat, weight);
    atomic_fetch_add(&worker->seat->entered, 1);
    count_inside(worker->board);
    hold(worker);
    if (below(&worker->chance, 16) == 0)
        MUST(bh_permit_mark_late(&permit) == 0);
    write_inside(worker->seat, 0);
    MUST(bh_release(&permit) == 0);
}

static void *worker_body(void *argument)
{
    struct worker *worker = argument;
    while (!atomic_load(&worker->board->stop)) {
        use_a_permit(worker);
        if (below(&worker->chance, 200) == 0)
            MUST(bh_limiter_set_limit(worker->limiter, LOWER_LIMIT + below(&worker->chance, 2)) == 0);
    }
    return NULL;
}

static void process_body(void *argument)
{
    struct run *run = argument;
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    bh_limiter *limiter = attach(&run->limiter, run->starting + 1);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){run->board,
                                     &run->board->seats[run->starting][i],
                                     limiter,
                                     {run->chance.state ^ (uint64_t)getpid() << 32 ^ i}};
        MUST(pthread_create(&threads[i], NULL, worker_body, &workers[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        MUST(pthread_join(threads[i], NULL) == 0);
}

/* ---- the parent ---------------------------------------------------------------------------------------------------- */

static void start(struct run *run, uint32_t process)
{
    run->starting = process;
    run->pids[process] = spawn(process_body, run);
}

static void check_nobody_starves(const struct run *run)
{
    for (unsigned i = 0; i < SEATS; i++) {
        const uint64_t since = atomic_load(&run->board->seats[i / THREADS][i % THREADS].waits_since);
        const bh_ns now = bh_now();
        if (since && now > since && now - since > LONGEST_WAIT) {
            const bh_snapshot seen = look(run->limiter.handle);
            die("a thread of process %u has waited for %" PRIu64 " ms: held %" PRIu64 " of %u, waiting %" PRIu64,
                i / THREADS + 1, (now - since) / 1000000, seen.held, seen.limit, seen.waiting);
        }
    }
}

static void clear_seats(struct run *run, uint32_t process)
{
    bool inside = false;
    for (unsigned i = 0; i < THREADS; i++) {
        struct seat *seat = &run->board->seats[process][i];
        inside |= (atomic_load(&seat->inside) & 0xff) != 0;
        write_inside(seat, 0);
        atomic_store(&seat->waits_since, 0);
    }
    run->with_permits += inside;
}

static uint32_t lock_owner(const struct run *run)
{
    return bh_load_relaxed(&run->limiter.handle->core->lock.word) & BH_LOCK_OWNER;
}

/* Anybody; every other time who has the lock just now, for that is held so shortly that chance hardly ever hits it. */
static uint32_t choose(struct run *run, bool aim)
{
    for (unsigned looks = 0; aim && looks < 200000; looks++) {
        const uint32_t owner = lock_owner(run);
        if (owner >= 2)
            return owner - 2;
    }
    return below(&run->chance, PROCESSES);
}

static void kill_one(struct run *run, bool aim)
{
    const uint32_t process = choose(run, aim);
    kill_and_reap(run->pids[process]);
    run->in_lock += lock_owner(run) == process + 2;
    clear_seats(run, process);
    run->recovered += bh__core_repair(run->limiter.handle, process + 1);
    check_core(run->limiter.handle);
    start(run, process);
}

static void watch(struct run *run, unsigned for_us)
{
    const bh_ns end = bh_deadline_after((bh_ns)for_us * 1000);
    do {
        count_inside(run->board);
        check_nobody_starves(run);
        check_nobody_failed();
        sleep_us(100);
    } while (bh_now() < end);
}

static uint64_t all_entered(const struct run *run)
{
    uint64_t entered = 0;
    for (unsigned i = 0; i < SEATS; i++)
        entered += atomic_load(&run->board->seats[i / THREADS][i % THREADS].entered);
    return entered;
}

/* Each thread that is killed may have been granted one permit that it did not live to count. */
static void check_counters(const struct run *run, unsigned kills)
{
    const bh_snapshot now = look(run->limiter.handle);
    const uint64_t entered = all_entered(run);
    if (now.granted < entered || now.granted - entered > (uint64_t)kills * THREADS)
        die("granted %" PRIu64 ", and %" PRIu64 " entered", now.granted, entered);
    MUST(now.granted == now.released + now.recovered + now.permits_out);
    MUST(now.recovered == run->recovered);
    MUST(now.violations == 0);
}

static void stop_all(struct run *run)
{
    step("all processes end");
    atomic_store(&run->board->stop, true);
    for (unsigned i = 0; i < PROCESSES; i++)
        while (!has_exited(run->pids[i])) {
            check_nobody_starves(run);
            sleep_us(200);
        }
}

static void run_order(uint32_t order, unsigned kills, uint64_t seed)
{
    struct run run = {.chance = {seed + order}, .board = share(sizeof(struct board))};
    const char *name = order == BH_ORDER_FIFO ? "fifo" : "barging";
    run.limiter = shared_limiter_make(
        &BH_OPTIONS(.name = name, .order = order, .limit = LIMIT, .max_permits = LIMIT, .queue = QUEUE));
    for (unsigned i = 0; i < PROCESSES; i++)
        start(&run, i);
    for (unsigned i = 0; i < kills; i++) {
        step("processes are killed");
        watch(&run, below(&run.chance, 12000));
        kill_one(&run, i % 2);
    }
    stop_all(&run);
    step("the books are checked");
    check_counters(&run, kills);
    MUST(bh_limiter_set_limit(run.limiter.handle, LIMIT) == 0);
    check_all_back(run.limiter.handle, LIMIT);
    printf("%s: %u kills, %" PRIu64 " inside the lock, %" PRIu64 " of somebody inside, %" PRIu64
           " permits recovered; %" PRIu64 " entered, counted %" PRIu64 " times, at most %" PRIu64 " of %u units\n",
           name, kills, run.in_lock, run.with_permits, run.recovered, all_entered(&run),
           atomic_load(&run.board->counted), atomic_load(&run.board->most), LIMIT);
    fflush(stdout);
    MUST(atomic_load(&run.board->counted) > 0 && atomic_load(&run.board->most) > 0);
    shared_limiter_done(&run.limiter);
    share_no_more(run.board, sizeof(struct board));
}

int main(void)
{
    const unsigned kills = getenv("BH_LONG") ? 5000 : 300;
    const char *given = getenv("BH_PROCESS_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 0) : bh_now();
    printf("seed: BH_PROCESS_SEED=0x%" PRIx64 "\n", seed);
    run_order(BH_ORDER_FIFO, kills / 2, seed);
    run_order(BH_ORDER_BARGING, kills / 2, seed);
    return EXIT_SUCCESS;
}
