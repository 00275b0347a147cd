/* SPDX-License-Identifier: Apache-2.0 */
/* What the threads of the mixed stress do: each deed is one call, or a few, chosen by chance. */
#include <errno.h>
#include <sched.h>

#include "mixed.h"

#define LIMIT_OF(stable) ((uint32_t)(stable))
#define CHANGING (UINT64_C(1) << 32)
#define FOREVER_SHARE 8u

/* ---- the test's own count ------------------------------------------------------------------------------------------ */

/* Two bounds. Nobody is inside who is not out, so `inside` is at most what is out. What is out was admitted under some
 * limit of this round, or before it: the ceiling. And while the limit stood still from before a request until after it,
 * whatever is out when it is admitted, and after it, is within that limit. */
void enter(struct stress *stress, struct tally *tally, uint32_t weight, uint64_t before)
{
    const uint32_t inside = atomic_fetch_add(&stress->inside, weight) + weight;
    if (inside > atomic_load(&stress->ceiling))
        die("%u units inside, and no limit above %u was set", inside, atomic_load(&stress->ceiling));
    if (before & CHANGING || atomic_load(&stress->stable) != before)
        return;
    tally->stable_checks++;
    if (inside > LIMIT_OF(before))
        die("%u units inside, admitted while the limit was %u", inside, LIMIT_OF(before));
}

/* A release that must be refused, of a permit that is back: the same variable, or a copy. */
static void release_again(struct stress *stress, struct tally *tally, bh_permit *permit, bh_permit *copy)
{
    const int same = bh_release(permit);
    const int other = bh_release_to(stress->limiter, copy);
    if (same != -EALREADY || (other != -EALREADY && other != -ESTALE))
        die("a second release said %d, that of a copy %d", same, other);
    tally->violations += 2;
}

void give_back(struct stress *stress, struct tally *tally, struct held *held)
{
    bh_permit copy = held->permit;
    atomic_fetch_sub(&stress->inside, held->weight);
    const int error = bh_release(&held->permit);
    if (error)
        die("a release said %d", error);
    tally->released++;
    if (tally->released % 32 == 0)
        release_again(stress, tally, &held->permit, &copy);
}

/* ---- released by another thread ------------------------------------------------------------------------------------ */

bool shelf_put(struct stress *stress, const struct held *held)
{
    struct shelf *shelf = &stress->shelf;
    pthread_mutex_lock(&shelf->lock);
    const bool room = shelf->count < SHELF && !atomic_load(&stress->stop);
    if (room)
        shelf->items[shelf->count++] = *held;
    pthread_mutex_unlock(&shelf->lock);
    return room;
}

bool shelf_take(struct stress *stress, struct held *ret_held)
{
    struct shelf *shelf = &stress->shelf;
    pthread_mutex_lock(&shelf->lock);
    const bool some = shelf->count > 0;
    if (some)
        *ret_held = shelf->items[--shelf->count];
    pthread_mutex_unlock(&shelf->lock);
    return some;
}

/* ---- tokens -------------------------------------------------------------------------------------------------------- */

void groups_begin(struct stress *stress)
{
    for (unsigned i = 0; i < GROUPS; i++) {
        pthread_mutex_init(&stress->groups[i].lock, NULL);
        MUST(bh_cancel_new(&stress->groups[i].token) == 0);
    }
}

void groups_end(struct stress *stress)
{
    for (unsigned i = 0; i < GROUPS; i++) {
        MUST(stress->groups[i].users == 0);
        MUST(bh_cancel_free(stress->groups[i].token) == 0);
        pthread_mutex_destroy(&stress->groups[i].lock);
    }
}

/* NULL when the token was cancelled: its users are to get fewer, so that it is replaced. */
static bh_cancel *group_join(struct group *group)
{
    pthread_mutex_lock(&group->lock);
    bh_cancel *token = bh_cancel_is_cancelled(group->token) ? NULL : group->token;
    group->users += token != NULL;
    pthread_mutex_unlock(&group->lock);
    return token;
}

/* The last user of a cancelled token replaces it. */
static void group_leave(struct group *group)
{
    pthread_mutex_lock(&group->lock);
    if (--group->users == 0 && bh_cancel_is_cancelled(group->token)) {
        MUST(bh_cancel_free(group->token) == 0);
        MUST(bh_cancel_new(&group->token) == 0);
    }
    pthread_mutex_unlock(&group->lock);
}

static void cancel_group(struct group *group)
{
    pthread_mutex_lock(&group->lock);
    if (group->users > 0)
        MUST(bh_cancel_all(group->token) == 0);
    pthread_mutex_unlock(&group->lock);
}

/* ---- requests ------------------------------------------------------------------------------------------------------ */

static void count_refusal(struct tally *tally, int error)
{
    switch (error) {
    case -EAGAIN:
        tally->busy++;
        break;
    case -ENOBUFS:
        tally->full++;
        break;
    case -EMSGSIZE:
        tally->too_big++;
        break;
    case -ETIMEDOUT:
        tally->timed_out++;
        break;
    case -ECANCELED:
        tally->cancelled++;
        break;
    default:
        die("a request said %d", error);
    }
}

static void check_time(struct tally *tally, int error, bh_ns deadline)
{
    const bh_ns now = bh_now();
    if (error == -ETIMEDOUT && now < deadline)
        die("a request timed out %llu ns early", (unsigned long long)(deadline - now));
    if (error == -ETIMEDOUT && now - deadline > tally->latest)
        tally->latest = now - deadline;
}

static int request_until(struct worker *worker, uint32_t weight, bh_permit *permit)
{
    const bh_ns deadline = bh_deadline_after(below(&worker->chance, 300000u));
    const int error = bh_acquire_until(worker->stress->limiter, weight, deadline, permit);
    check_time(&worker->tally, error, deadline);
    return error;
}

static int request_for(struct worker *worker, uint32_t weight, bh_permit *permit)
{
    const bh_ns wait = below(&worker->chance, 300000u);
    const bh_ns deadline = bh_deadline_after(wait);
    const int error = bh_acquire_for(worker->stress->limiter, weight, wait, permit);
    check_time(&worker->tally, error, deadline);
    return error;
}

/* With a token that others share, and often without any other bound. */
static int request_with_token(struct worker *worker, uint32_t weight, bh_permit *permit)
{
    struct group *group = &worker->stress->groups[below(&worker->chance, GROUPS)];
    const bh_ns wait = one_in(&worker->chance, FOREVER_SHARE) ? BH_FOREVER : 1 + below(&worker->chance, 3000000u);
    bh_cancel *token = group_join(group);
    const int error = bh_acquire_request(worker->stress->limiter, weight,
                                         &BH_REQUEST(.wait_ns = wait, .cancel = token, .label = "stress"), permit);
    if (token)
        group_leave(group);
    return error;
}

static int request(struct worker *worker, uint32_t weight, bh_permit *permit)
{
    switch (below(&worker->chance, 6)) {
    case 0:
        return request_until(worker, weight, permit);
    case 1:
        return request_for(worker, weight, permit);
    case 2:
        return request_with_token(worker, weight, permit);
    case 3:
        return bh_acquire_request(worker->stress->limiter, weight, NULL, permit);
    default:
        return bh_try_acquire_weight(worker->stress->limiter, weight, permit);
    }
}

static void hold(struct worker *worker)
{
    if (one_in(&worker->chance, worker->stress->plan.sleep_odds))
        sleep_us(1 + below(&worker->chance, 200));
    else if (one_in(&worker->chance, 16))
        sched_yield();
}

static void use_a_permit(struct worker *worker)
{
    struct stress *stress = worker->stress;
    struct held held = {.weight = 1 + below(&worker->chance, stress->plan.most_weight)};
    const uint64_t before = atomic_load(&stress->stable);
    const int error = request(worker, held.weight, &held.permit);
    if (error) {
        count_refusal(&worker->tally, error);
        if (one_in(&worker->chance, 2))
            sched_yield(); /* to whoever holds the permits */
        return;
    }
    worker->tally.granted++;
    worker->tally.granted_weight += held.weight;
    enter(stress, &worker->tally, held.weight, before);
    hold(worker);
    if (one_in(&worker->chance, 24)) {
        MUST(bh_permit_mark_late(&held.permit) == 0);
        worker->tally.late++;
    }
    if (one_in(&worker->chance, 32) && shelf_put(stress, &held))
        return;
    give_back(stress, &worker->tally, &held);
}

/* ---- the rest ------------------------------------------------------------------------------------------------------ */

static void set_limit_locked(struct stress *stress, struct tally *tally, uint32_t limit)
{
    const uint64_t stable = atomic_load(&stress->stable);
    atomic_fetch_or(&stress->stable, CHANGING);
    MUST(bh_limiter_set_limit(stress->limiter, limit) == 0);
    tally->resizes += limit != LIMIT_OF(stable);
    atomic_store(&stress->stable, ((stable >> 33) + 1) << 33 | limit);
}

bool resize(struct stress *stress, struct tally *tally, uint32_t limit)
{
    if (pthread_mutex_trylock(&stress->resizing))
        return false;
    if (!atomic_load(&stress->stop)) {
        set_limit_locked(stress, tally, limit);
        if (limit == 0) { /* a pause is short, or all would wait for its end */
            sched_yield();
            set_limit_locked(stress, tally, stress->plan.highest);
        }
    }
    pthread_mutex_unlock(&stress->resizing);
    return true;
}

static void look(struct worker *worker)
{
    bh_snapshot snapshot = {.size = sizeof(snapshot)};
    MUST(bh_limiter_snapshot(worker->stress->limiter, &snapshot) == 0);
    MUST(snapshot.limit <= MAX_PERMITS);
    MUST(snapshot.waiting <= QUEUE);
    MUST(snapshot.waiting_weight <= QUEUE_WEIGHT);
    worker->tally.snapshots++;
}

static void deed(struct worker *worker)
{
    struct stress *stress = worker->stress;
    const struct plan *plan = &stress->plan;
    struct held held;
    if (one_in(&worker->chance, plan->resize_odds))
        resize(stress, &worker->tally, below(&worker->chance, plan->highest + 1));
    else if (one_in(&worker->chance, plan->cancel_odds))
        cancel_group(&stress->groups[below(&worker->chance, GROUPS)]);
    else if (one_in(&worker->chance, 256))
        look(worker);
    else if (!one_in(&worker->chance, 16))
        use_a_permit(worker);
    else if (shelf_take(stress, &held))
        give_back(stress, &worker->tally, &held);
}

static void *some_deeds(void *argument)
{
    struct worker *worker = argument;
    for (worker->deeds = 1 + below(&worker->chance, 40); worker->deeds > 0; worker->deeds--)
        if (!atomic_load(&worker->stress->stop))
            deed(worker);
    return NULL;
}

void *worker_body(void *argument)
{
    struct worker *worker = argument;
    while (!atomic_load(&worker->stress->stop)) {
        if (worker->churns)
            MUST(pthread_join(start_thread(some_deeds, worker, false), NULL) == 0);
        else
            some_deeds(worker);
    }
    atomic_fetch_add(&worker->stress->finished, 1);
    return NULL;
}
