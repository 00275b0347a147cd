/* SPDX-License-Identifier: Apache-2.0 */
/* Mixed stress. Threads do everything a limiter offers, by chance, for a round; then all of them come to rest and the
 * books are checked against what the test itself counted: every counter, what is held, and the law of the core.
 *
 *     BH_STRESS_SECONDS  how long in all, both orders taking turns (4)
 *     BH_STRESS_SEED     the chances of a run before; threads still interleave as they like
 *
 * The end of a round finds lost wake-ups too: once every thread that has not finished is one that the limiter counts as
 * waiting, nobody may wait beside what he asked for. Only then the limit goes up and the waiting ones are let through.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/repair.h"
#include "mixed.h"

struct run {
    struct stress stress;
    struct tally total;
    struct worker workers[THREADS_MAX];
};

static void add(struct tally *total, const struct tally *part)
{
    total->granted += part->granted;
    total->granted_weight += part->granted_weight;
    total->released += part->released;
    total->busy += part->busy;
    total->full += part->full;
    total->too_big += part->too_big;
    total->timed_out += part->timed_out;
    total->cancelled += part->cancelled;
    total->late += part->late;
    total->violations += part->violations;
    total->resizes += part->resizes;
    total->snapshots += part->snapshots;
    total->stable_checks += part->stable_checks;
    if (part->latest > total->latest)
        total->latest = part->latest;
}

static bh_snapshot snapshot_of(const struct stress *stress)
{
    bh_snapshot snapshot = {.size = sizeof(snapshot)};
    MUST(bh_limiter_snapshot(stress->limiter, &snapshot) == 0);
    return snapshot;
}

static void check_core(const struct stress *stress)
{
    const char *wrong = bh__core_check(stress->limiter);
    if (wrong)
        die("the core's law: %s", wrong);
}

/* ---- the books ----------------------------------------------------------------------------------------------------- */

static unsigned differences;

static void same(const char *what, uint64_t limiter, uint64_t test)
{
    if (limiter == test)
        return;
    differences++;
    fprintf(stderr, "%s: the limiter says %" PRIu64 ", the test counted %" PRIu64 "\n", what, limiter, test);
}

/* Nothing is under way. */
static void check_books(const struct run *run)
{
    const struct stress *stress = &run->stress;
    const struct tally *total = &run->total;
    const bh_snapshot now = snapshot_of(stress);
    const uint64_t inside = atomic_load(&stress->inside);
    check_core(stress);
    same("conservation", now.granted, now.released + now.recovered + now.permits_out);
    same("granted", now.granted, total->granted);
    same("granted weight", now.granted_weight, total->granted_weight);
    same("released", now.released, total->released);
    same("recovered", now.recovered, 0);
    same("permits out", now.permits_out, stress->shelf.count);
    same("held", now.held, inside);
    same("free", now.free, now.limit > inside ? now.limit - inside : 0);
    same("overage", now.overage, inside > now.limit ? inside - now.limit : 0);
    same("waiting", now.waiting, 0);
    same("waiting weight", now.waiting_weight, 0);
    same("oldest wait", now.oldest_wait_ns, 0);
    same("limit", now.limit, (uint32_t)atomic_load(&stress->stable));
    same("refused busy", now.refused_busy, total->busy);
    same("refused by the queue", now.refused_full, total->full);
    same("refused too big", now.refused_too_big, total->too_big);
    same("timed out", now.timed_out, total->timed_out);
    same("cancelled", now.cancelled, total->cancelled);
    same("late", now.late, total->late);
    same("violations", now.violations, total->violations);
    same("limit changes", now.limit_changes, total->resizes);
    same("invalid", now.invalid, 0);
    same("refused by close", now.refused_closed, 0);
    if (differences)
        die("the books differ");
}

/* ---- a round ------------------------------------------------------------------------------------------------------- */

static uint32_t any_of(struct chance *chance, const uint32_t choices[4])
{
    return choices[below(chance, 4)];
}

/* From turmoil to calm, where nearly all permits are cached. */
static struct plan make_plan(struct chance *chance)
{
    struct plan plan = {
        .threads = any_of(chance, (const uint32_t[]){2, 6, 20, THREADS_MAX}),
        .most_weight = any_of(chance, (const uint32_t[]){1, 2, 3, MAX_WEIGHT}),
        .highest = 1 + below(chance, MAX_PERMITS),
        .sleep_odds = any_of(chance, (const uint32_t[]){8, 64, 1000, 100000}),
        .resize_odds = any_of(chance, (const uint32_t[]){64, 500, 4000, 100000}),
        .cancel_odds = any_of(chance, (const uint32_t[]){16, 64, 500, 4000}),
    };
    plan.churners = below(chance, 3) * plan.threads / 4;
    return plan;
}

static void start_all(struct run *run, uint64_t round)
{
    struct stress *stress = &run->stress;
    const uint32_t inside = atomic_load(&stress->inside);
    atomic_store(&stress->ceiling, inside > stress->plan.highest ? inside : stress->plan.highest);
    atomic_store(&stress->finished, 0);
    atomic_store(&stress->stop, false);
    MUST(resize(stress, &run->total, stress->plan.highest));
    for (unsigned i = 0; i < stress->plan.threads; i++) {
        run->workers[i] = (struct worker){.stress = stress,
                                          .chance = chance_from(stress->seed, round * THREADS_MAX + i + 1),
                                          .churns = i < stress->plan.churners};
        run->workers[i].thread = start_thread(worker_body, &run->workers[i], false);
    }
}

/* Threads that wait without bound are let on by somebody who does not. */
static void tend(struct run *run, struct chance *chance, bh_ns until)
{
    while (bh_now() < until) {
        struct held held;
        sleep_us(1000);
        if (shelf_take(&run->stress, &held))
            give_back(&run->stress, &run->total, &held);
        if (one_in(chance, 8))
            resize(&run->stress, &run->total, below(chance, run->stress.plan.highest + 1));
    }
}

/* Each thread has ended or is in the queue: read so that none is in both. */
static bool has_settled(const struct stress *stress)
{
    const unsigned before = atomic_load(&stress->finished);
    const uint64_t waiting = snapshot_of(stress).waiting;
    const unsigned after = atomic_load(&stress->finished);
    return before == after && after + waiting == stress->plan.threads;
}

static void let_all_through(struct run *run)
{
    struct stress *stress = &run->stress;
    struct held held;
    pthread_mutex_lock(&stress->resizing); /* so that no change is under way */
    pthread_mutex_unlock(&stress->resizing);
    atomic_store(&stress->ceiling, MAX_PERMITS);
    const uint64_t stable = atomic_load(&stress->stable);
    run->total.resizes += (uint32_t)stable != MAX_PERMITS;
    atomic_store(&stress->stable, ((stable >> 33) + 1) << 33 | MAX_PERMITS);
    MUST(bh_limiter_set_limit(stress->limiter, MAX_PERMITS) == 0);
    while (shelf_take(stress, &held))
        give_back(stress, &run->total, &held);
}

static void stop_all(struct run *run)
{
    struct stress *stress = &run->stress;
    step("all threads end or wait");
    atomic_store(&stress->stop, true);
    while (!has_settled(stress))
        sleep_us(50);
    check_core(stress);
    step("all that wait are let through");
    let_all_through(run);
    for (unsigned i = 0; i < stress->plan.threads; i++) {
        MUST(pthread_join(run->workers[i].thread, NULL) == 0);
        add(&run->total, &run->workers[i].tally);
    }
}

/* Some permits stay out over the quiet point. */
static void keep_some(struct run *run, struct chance *chance)
{
    struct stress *stress = &run->stress;
    struct held held = {.weight = 0};
    for (unsigned left = below(chance, 3); left > 0; left--) {
        held.weight = 1 + below(chance, 3);
        MUST(bh_try_acquire_weight(stress->limiter, held.weight, &held.permit) == 0);
        run->total.granted++;
        run->total.granted_weight += held.weight;
        enter(stress, &run->total, held.weight, atomic_load(&stress->stable));
        stress->shelf.items[stress->shelf.count++] = held;
    }
}

static void round_of(struct run *run, uint64_t number, bh_ns length)
{
    struct stress *stress = &run->stress;
    struct chance chance = chance_from(stress->seed, number * THREADS_MAX);
    const struct tally before = run->total;
    stress->plan = make_plan(&chance);
    step("the threads run");
    start_all(run, number);
    tend(run, &chance, bh_deadline_after(length));
    stop_all(run);
    step("the books are checked");
    check_books(run);
    keep_some(run, &chance);
    check_books(run);
    const struct tally *total = &run->total;
    printf("%4" PRIu64 " %-7s %2u threads, weights to %u, limits to %2u: %7" PRIu64 " granted, %6" PRIu64
           " timed out, %5" PRIu64 " cancelled, %5" PRIu64 " resizes, %7" PRIu64 " under a still limit\n",
           number, stress->order, stress->plan.threads, stress->plan.most_weight, stress->plan.highest,
           total->granted - before.granted, total->timed_out - before.timed_out, total->cancelled - before.cancelled,
           total->resizes - before.resizes, total->stable_checks - before.stable_checks);
    fflush(stdout);
}

/* ---- the run ------------------------------------------------------------------------------------------------------- */

static struct run *run_begin(uint32_t order, uint64_t seed)
{
    struct run *run = calloc(1, sizeof(*run));
    MUST(run);
    struct stress *stress = &run->stress;
    stress->order = order == BH_ORDER_FIFO ? "fifo" : "barging";
    stress->seed = seed + order;
    MUST(bh_limiter_new(&BH_OPTIONS(.name = stress->order, .order = order, .limit = MAX_PERMITS,
                                    .max_permits = MAX_PERMITS, .queue = QUEUE, .queue_weight = QUEUE_WEIGHT,
                                    .wait_ns = bh_ms(2)),
                        &stress->limiter) == 0);
    atomic_store(&stress->stable, MAX_PERMITS);
    pthread_mutex_init(&stress->resizing, NULL);
    pthread_mutex_init(&stress->shelf.lock, NULL);
    groups_begin(stress);
    return run;
}

static void run_end(struct run *run)
{
    struct stress *stress = &run->stress;
    struct held held;
    step("the limiter is drained and freed");
    while (shelf_take(stress, &held))
        give_back(stress, &run->total, &held);
    MUST(bh_limiter_drain(stress->limiter, bh_seconds(10)) == 0);
    check_books(run);
    MUST(bh_limiter_free(stress->limiter) == 0);
    groups_end(stress);
    const struct tally *total = &run->total;
    printf("%s: %" PRIu64 " granted, %" PRIu64 " busy, %" PRIu64 " queue full, %" PRIu64 " too big, %" PRIu64
           " timed out, %" PRIu64 " cancelled, %" PRIu64 " late, %" PRIu64 " refused releases, %" PRIu64
           " snapshots; at worst %" PRIu64 " us after the deadline\n",
           stress->order, total->granted, total->busy, total->full, total->too_big, total->timed_out, total->cancelled,
           total->late, total->violations, total->snapshots, total->latest / 1000);
    pthread_mutex_destroy(&stress->resizing);
    pthread_mutex_destroy(&stress->shelf.lock);
    free(run);
}

int main(void)
{
    const unsigned seconds = number_from_environment("BH_STRESS_SECONDS", 4);
    const uint64_t seed = seed_from_environment();
    const bh_ns length = seconds < 60 ? bh_ms(200) : bh_seconds(1);
    struct run *runs[] = {run_begin(BH_ORDER_FIFO, seed), run_begin(BH_ORDER_BARGING, seed)};
    const bh_ns end = bh_deadline_after(bh_seconds(seconds));
    for (uint64_t number = 1; bh_now() < end; number++) {
        round_of(runs[0], number, length);
        round_of(runs[1], number, length);
    }
    run_end(runs[0]);
    run_end(runs[1]);
    return EXIT_SUCCESS;
}
