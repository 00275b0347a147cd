/* SPDX-License-Identifier: Apache-2.0 */
/* One deadline for the wait and the work; and what to do when the work goes on after the deadline. */
#include <bulkhead/bulkhead.h>

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static bh_limiter *database;
static sem_t database_is_done;

static void spend(bh_ns time)
{
    const struct timespec spent = {.tv_sec = (time_t)(time / 1000000000u), .tv_nsec = (long)(time % 1000000000u)};
    nanosleep(&spent, NULL);
}

/* A client that keeps to the time it is given. */
static int query(bh_ns takes, bh_ns timeout)
{
    spend(takes < timeout ? takes : timeout);
    return takes < timeout ? 0 : -ETIMEDOUT;
}

/* The deadline comes with the request. What the wait leaves of it is the query's; it is not given the time twice. */
static int handle(bh_ns deadline, bh_ns takes)
{
    bh_permit permit BH_SCOPED = {0};
    const int error = bh_acquire_until(database, 1, deadline, &permit);
    return error < 0 ? error : query(takes, bh_remaining(deadline));
}

/* A query that cannot be stopped, on a thread that owns its permit. */
static void *query_on_its_own(void *permit)
{
    sem_wait(&database_is_done);
    bh_release(permit); /* now the database is free of it, not when its caller left */
    return NULL;
}

int main(void)
{
    int error = bh_limiter_new(&BH_OPTIONS(.name = "database", .limit = 1, .queue = 8), &database);
    if (error < 0 || sem_init(&database_is_done, 0, 0) != 0)
        return 1;
    const int in_time = handle(bh_deadline_after(bh_ms(500)), bh_ms(5));
    const int too_slow = handle(bh_deadline_after(bh_ms(5)), bh_ms(500));

    const bh_ns deadline = bh_deadline_after(bh_ms(50));
    static bh_permit permit;
    pthread_t worker;
    if (bh_acquire_until(database, 1, deadline, &permit) != 0 ||
        pthread_create(&worker, NULL, query_on_its_own, &permit) != 0)
        return 1;
    spend(bh_remaining(deadline)); /* the caller's patience ends here: it leaves, and its permit stays with the work */
    const int marked = bh_permit_mark_late(&permit);

    /* It shows as late work, and keeps others out as long as the database is at it. */
    const int meanwhile = handle(bh_deadline_after(bh_ms(2)), 0);
    sem_post(&database_is_done);
    const int after_it = handle(bh_deadline_after(bh_ms(500)), 0);
    pthread_join(worker, NULL);

    bh_snapshot now = {.size = sizeof now};
    error = bh_limiter_snapshot(database, &now);
    printf("in time: %d, too slow: %d, beside late work: %d, after it: %d; late in all: %llu\n", in_time, too_slow,
           meanwhile, after_it, (unsigned long long)now.late);
    return error != 0 || in_time != 0 || too_slow != -ETIMEDOUT || marked != 0 || meanwhile != -ETIMEDOUT ||
           after_it != 0 || bh_limiter_free(database) != 0;
}
