/* SPDX-License-Identifier: Apache-2.0 */
/* Twenty workers share a reporting service that can bear four calls at once. The limiter keeps the rest away from it:
 * three may wait for a moment, the others are told at once and can do something else. */
#include <bulkhead/bulkhead.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define WORKERS 20
#define CALLS_EACH 5

static bh_limiter *reports;
static atomic_int at_the_service, most_at_the_service, answered, refused;

static void call_reporting_service(void)
{
    const int here = atomic_fetch_add(&at_the_service, 1) + 1;
    int most = atomic_load(&most_at_the_service);
    while (here > most && !atomic_compare_exchange_weak(&most_at_the_service, &most, here))
        ;
    const struct timespec call = {.tv_nsec = 2000000};
    nanosleep(&call, NULL);
    atomic_fetch_sub(&at_the_service, 1);
}

/* Once is enough to see what it says; a refusal is an answer and no sign of a sick service. */
static void explain(int error)
{
    bh_refusal refusal = {.size = sizeof refusal};
    if (atomic_fetch_add(&refused, 1) == 0 && bh_refusal_describe(reports, error, &refusal) == 0)
        printf("%s refused: %s; try again in %llu us\n", refusal.name, refusal.reason_text,
               (unsigned long long)(refusal.retry_after_ns / 1000));
}

static void *work(void *unused)
{
    for (int i = 0; i < CALLS_EACH; i++) {
        bh_permit permit = {0};
        const int error = bh_acquire(reports, &permit); /* waits 5 ms at most: the limiter's own wait_ns */
        if (error < 0) {
            explain(error); /* -ENOBUFS: no more may wait; -ETIMEDOUT: waited in vain */
            continue;
        }
        call_reporting_service();
        bh_release(&permit);
        atomic_fetch_add(&answered, 1);
    }
    return unused;
}

int main(void)
{
    const int error =
        bh_limiter_new(&BH_OPTIONS(.name = "reports", .limit = 4, .queue = 3, .wait_ns = bh_ms(5)), &reports);
    if (error < 0) {
        fprintf(stderr, "no limiter: %s\n", bh_strerror(error));
        return 1;
    }
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        if (pthread_create(&workers[i], NULL, work, NULL) != 0)
            return 1;
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);

    printf("%d calls answered, %d refused, never more than %d at the service at once\n", answered, refused,
           most_at_the_service);
    return bh_limiter_free(reports) != 0 || most_at_the_service > 4 || answered + refused != WORKERS * CALLS_EACH;
}
