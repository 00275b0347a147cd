/* SPDX-License-Identifier: Apache-2.0 */
/* What the library promises, once over, with nothing but the library and the C library: for the C libraries and
 * processors that the unit-test library is not there for. Threads, waits, deadlines, cancellation, resizing, close.
 */
#include <bulkhead/bulkhead.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORKERS 8
#define ROUNDS 2000
#define LIMIT 3u

#define EXPECT(condition) expect((condition), #condition, __LINE__)

static void expect(int holds, const char *condition, int line)
{
    if (!holds) {
        fprintf(stderr, "smoke.c:%d: %s does not hold\n", line, condition);
        exit(1);
    }
}

static bh_snapshot snapshot_of(const bh_limiter *limiter)
{
    bh_snapshot snapshot = {.size = (uint32_t)sizeof(snapshot)};
    EXPECT(bh_limiter_snapshot(limiter, &snapshot) == 0);
    return snapshot;
}

static void expect_books_balance(const bh_limiter *limiter)
{
    const bh_snapshot now = snapshot_of(limiter);
    EXPECT(now.granted == now.released + now.recovered + now.permits_out);
    EXPECT(now.waiting == 0);
}

static bh_limiter *limiter_of(uint32_t limit, uint32_t queue)
{
    bh_limiter *limiter = NULL;
    EXPECT(bh_limiter_new(&BH_OPTIONS(.name = "smoke", .limit = limit, .queue = queue), &limiter) == 0);
    return limiter;
}

/* A request in a thread of its own. */
typedef struct request {
    bh_limiter *limiter;
    bh_cancel *cancel;
    bh_permit permit;
    int answer;
    pthread_t thread;
} request;

static void *wait_for_one(void *argument)
{
    request *r = argument;
    r->answer = bh_acquire_request(r->limiter, 1, &BH_REQUEST(.wait_ns = BH_FOREVER, .cancel = r->cancel), &r->permit);
    return NULL;
}

static void start_waiting(request *r)
{
    const uint64_t before = snapshot_of(r->limiter).waiting;
    EXPECT(pthread_create(&r->thread, NULL, wait_for_one, r) == 0);
    while (snapshot_of(r->limiter).waiting == before)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static int answer_of(request *r)
{
    EXPECT(pthread_join(r->thread, NULL) == 0);
    return r->answer;
}

static void tries_and_refusals(void)
{
    bh_limiter *limiter = limiter_of(2, 0);
    bh_permit first = {0};
    bh_permit second = {0};
    bh_permit third = {0};
    EXPECT(bh_try_acquire(limiter, &first) == 0);
    EXPECT(bh_try_acquire(limiter, &second) == 0);
    EXPECT(bh_try_acquire(limiter, &third) == -EAGAIN);
    EXPECT(bh_limiter_free(limiter) == -EBUSY);
    EXPECT(bh_release(&first) == 0);
    EXPECT(bh_release(&first) == -EALREADY);
    EXPECT(bh_try_acquire_weight(limiter, 2, &third) == -EAGAIN);
    EXPECT(bh_release(&second) == 0);
    EXPECT(bh_try_acquire_weight(limiter, 2, &third) == 0);
    EXPECT(snapshot_of(limiter).held == 2);
    EXPECT(bh_release(&third) == 0);
    expect_books_balance(limiter);
    EXPECT(bh_limiter_free(limiter) == 0);
}

static void a_wait_is_never_short(void)
{
    bh_limiter *limiter = limiter_of(1, 1);
    bh_permit held = {0};
    bh_permit late = {0};
    EXPECT(bh_try_acquire(limiter, &held) == 0);
    const bh_ns before = bh_now();
    EXPECT(bh_acquire_for(limiter, 1, bh_ms(20), &late) == -ETIMEDOUT);
    EXPECT(bh_now() - before >= bh_ms(20));
    const bh_ns deadline = bh_deadline_after(bh_ms(20));
    EXPECT(bh_acquire_until(limiter, 1, deadline, &late) == -ETIMEDOUT);
    EXPECT(bh_now() >= deadline);
    EXPECT(bh_release(&held) == 0);
    expect_books_balance(limiter);
    EXPECT(bh_limiter_free(limiter) == 0);
}

static void a_release_serves_who_waits(void)
{
    bh_limiter *limiter = limiter_of(1, 1);
    bh_permit held = {0};
    EXPECT(bh_try_acquire(limiter, &held) == 0);
    request waiting = {.limiter = limiter};
    start_waiting(&waiting);
    EXPECT(bh_release(&held) == 0);
    EXPECT(answer_of(&waiting) == 0);
    EXPECT(bh_release(&waiting.permit) == 0);
    expect_books_balance(limiter);
    EXPECT(bh_limiter_free(limiter) == 0);
}

static void cancelling_ends_a_wait(void)
{
    bh_limiter *limiter = limiter_of(1, 1);
    bh_permit held = {0};
    EXPECT(bh_try_acquire(limiter, &held) == 0);
    request waiting = {.limiter = limiter};
    EXPECT(bh_cancel_new(&waiting.cancel) == 0);
    start_waiting(&waiting);
    EXPECT(bh_cancel_all(waiting.cancel) == 0);
    EXPECT(answer_of(&waiting) == -ECANCELED);
    EXPECT(bh_cancel_free(waiting.cancel) == 0);
    EXPECT(bh_release(&held) == 0);
    expect_books_balance(limiter);
    EXPECT(bh_limiter_free(limiter) == 0);
}

static void raising_the_limit_serves_who_waits(void)
{
    bh_limiter *limiter = limiter_of(0, 1);
    request waiting = {.limiter = limiter};
    start_waiting(&waiting);
    EXPECT(bh_limiter_set_limit(limiter, 1) == 0);
    EXPECT(answer_of(&waiting) == 0);
    EXPECT(bh_limiter_set_limit(limiter, 0) == 0);
    EXPECT(snapshot_of(limiter).overage == 1);
    EXPECT(bh_release(&waiting.permit) == 0);
    expect_books_balance(limiter);
    EXPECT(bh_limiter_free(limiter) == 0);
}

static void closing_ends_a_wait(void)
{
    bh_limiter *limiter = limiter_of(1, 1);
    bh_permit held = {0};
    bh_permit refused = {0};
    EXPECT(bh_try_acquire(limiter, &held) == 0);
    request waiting = {.limiter = limiter};
    start_waiting(&waiting);
    EXPECT(bh_limiter_close(limiter) == 0);
    EXPECT(answer_of(&waiting) == -ESHUTDOWN);
    EXPECT(bh_try_acquire(limiter, &refused) == -ESHUTDOWN);
    EXPECT(bh_limiter_drain(limiter, 0) == -ETIMEDOUT);
    EXPECT(bh_release(&held) == 0);
    EXPECT(bh_limiter_drain(limiter, bh_seconds(60)) == 0);
    expect_books_balance(limiter);
    EXPECT(bh_limiter_free(limiter) == 0);
}

static bh_limiter *crowded;
static atomic_uint inside;
static atomic_uint most_inside;

static void *work(void *unused)
{
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        bh_permit permit BH_SCOPED = {0};
        EXPECT(bh_acquire_for(crowded, 1, BH_FOREVER, &permit) == 0);
        const unsigned now = atomic_fetch_add(&inside, 1) + 1;
        for (unsigned most = atomic_load(&most_inside);
             now > most && !atomic_compare_exchange_weak(&most_inside, &most, now);) {
        }
        atomic_fetch_sub(&inside, 1);
    }
    return NULL;
}

static void a_crowd_stays_within_the_limit(void)
{
    pthread_t threads[WORKERS];
    crowded = limiter_of(LIMIT, WORKERS);
    for (int i = 0; i < WORKERS; i++)
        EXPECT(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < WORKERS; i++)
        EXPECT(pthread_join(threads[i], NULL) == 0);
    EXPECT(atomic_load(&most_inside) <= LIMIT);
    EXPECT(snapshot_of(crowded).granted == (uint64_t)WORKERS * ROUNDS);
    expect_books_balance(crowded);
    EXPECT(bh_limiter_free(crowded) == 0);
}

static void metrics_are_text(void)
{
    bh_limiter *limiter = limiter_of(1, 1);
    const long long length = bh_openmetrics(&limiter, 1, NULL, 0);
    EXPECT(length > 0);
    char *text = malloc((size_t)length + 1);
    EXPECT(text != NULL);
    EXPECT(bh_openmetrics(&limiter, 1, text, (size_t)length + 1) == length);
    EXPECT(strlen(text) == (size_t)length && strcmp(text + length - strlen("# EOF\n"), "# EOF\n") == 0);
    free(text);
    EXPECT(bh_limiter_free(limiter) == 0);
}

int main(void)
{
    EXPECT(strcmp(bh_version(), BH_VERSION) == 0);
    EXPECT(bh_permit_size() == sizeof(bh_permit));
    tries_and_refusals();
    a_wait_is_never_short();
    a_release_serves_who_waits();
    cancelling_ends_a_wait();
    raising_the_limit_serves_who_waits();
    closing_ends_a_wait();
    a_crowd_stays_within_the_limit();
    metrics_are_text();
    printf("bulkhead %s, %zu-bit: tries, waits, cancelling, resizing, close and a crowd of %d: all as promised\n",
           bh_version(), sizeof(void *) * 8, WORKERS);
    return 0;
}
