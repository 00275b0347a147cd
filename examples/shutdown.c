/* SPDX-License-Identifier: Apache-2.0 */
/* Ending in order: newcomers are refused, what runs and what waits is finished, and only if that takes too long are the
 * waits ended. Then nothing uses the limiter any more and it can be freed. */
#include <bulkhead/bulkhead.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define WORKERS 8

static bh_limiter *uploads;
static atomic_int uploaded;

static void upload(void)
{
    const struct timespec call = {.tv_nsec = 2000000};
    nanosleep(&call, NULL);
    atomic_fetch_add(&uploaded, 1);
}

/* A worker ends when it is told that the limiter is closed, and never in the middle of an upload. */
static void *work(void *ret_answer)
{
    int *answer = ret_answer;
    do {
        bh_permit permit BH_SCOPED = {0};
        *answer = bh_acquire(uploads, &permit);
        if (*answer == 0)
            upload();
    } while (*answer != -ESHUTDOWN);
    return NULL;
}

int main(void)
{
    if (bh_limiter_new(&BH_OPTIONS(.name = "uploads", .limit = 2, .queue = WORKERS), &uploads) != 0)
        return 1;
    pthread_t workers[WORKERS];
    int answers[WORKERS] = {0};
    for (int i = 0; i < WORKERS; i++) {
        if (pthread_create(&workers[i], NULL, work, &answers[i]) != 0)
            return 1;
    }
    upload(); /* a while in service */

    /* From here on nobody new is let in. A second is what this program can give to those inside and in the queue. */
    int drained = bh_limiter_drain(uploads, bh_seconds(1));
    if (drained == -ETIMEDOUT) {
        bh_limiter_close(uploads);                       /* the waits end with -ESHUTDOWN; what is out is still out, */
        drained = bh_limiter_drain(uploads, BH_FOREVER); /* and freeing it under them is no option */
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);

    int told = 0;
    for (int i = 0; i < WORKERS; i++)
        told += answers[i] == -ESHUTDOWN;
    const int freed = bh_limiter_free(uploads);
    printf("%d uploads, all finished; %d of %d workers told; freed: %s\n", uploaded, told, WORKERS, bh_strerror(freed));
    return drained != 0 || told != WORKERS || freed != 0;
}
