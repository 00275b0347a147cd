/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that come, go, and hand permits to one another. */
#include "support.h"

struct visit {
    bh_limiter *limiter;
    bh_permit permit;
};

static void *take_and_leave(void *argument)
{
    struct visit *visit = argument;
    visit->permit = take(visit->limiter, 1);
    return NULL;
}

START_TEST(permit_outlives_its_thread)
{
    enum { THREADS = 20 };
    bh_limiter *limiter = limiter_make(THREADS, 0);
    struct visit visits[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        visits[i] = (struct visit){.limiter = limiter};
        thread_join(thread_start(take_and_leave, &visits[i]));
        ck_assert_uint_eq(look(limiter).held, i + 1);
    }
    check_books(limiter);
    for (unsigned i = 0; i < THREADS; i++)
        give_back(&visits[i].permit);
    ck_assert_uint_eq(count_free(limiter), THREADS);
    check_all_back(limiter, THREADS);
    limiter_done(limiter);
}
END_TEST

START_TEST(thread_leaves_while_others_wait)
{
    bh_limiter *limiter = limiter_make(1, 2);
    struct visit visit = {.limiter = limiter};
    thread_join(thread_start(take_and_leave, &visit));
    struct waiter first = {.limiter = limiter};
    struct waiter second = {.limiter = limiter};
    waiter_queue(&first);
    waiter_queue(&second);
    give_back(&visit.permit);
    waiter_end_granted(&first);
    waiter_end_granted(&second);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

static void *short_life(void *argument)
{
    bh_limiter *limiter = argument;
    bh_permit permit = {0};
    if (bh_try_acquire(limiter, &permit) == 0)
        give_back(&permit);
    return NULL;
}

/* Each thread brings and leaves its counters; none may be lost or counted twice. */
START_TEST(ten_thousand_short_lives)
{
    enum { AT_ONCE = 4 };
    bh_limiter *limiter = limiter_make(2, 0);
    const unsigned lives = rounds(10000);
    for (unsigned i = 0; i < lives; i += AT_ONCE) {
        pthread_t threads[AT_ONCE];
        for (unsigned t = 0; t < AT_ONCE; t++)
            threads[t] = thread_start(short_life, limiter);
        for (unsigned t = 0; t < AT_ONCE; t++)
            thread_join(threads[t]);
    }
    const bh_snapshot now = look(limiter);
    const unsigned started = (lives + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
    ck_assert_uint_eq(now.granted + now.refused_busy, started);
    ck_assert_uint_eq(now.released, now.granted);
    check_all_back(limiter, 2);
    limiter_done(limiter);
}
END_TEST

struct crowd {
    bh_limiter *limiter;
    pthread_barrier_t all_here;
    struct bodies bodies;
    unsigned pairs;
};

static void *crowd_body(void *argument)
{
    struct crowd *crowd = argument;
    bh_permit permit = {0};
    pthread_barrier_wait(&crowd->all_here);
    for (unsigned i = 0; i < crowd->pairs; i++) {
        ck_assert_int_eq(bh_acquire_for(crowd->limiter, 1, BH_FOREVER, &permit), 0);
        body_enter(&crowd->bodies, 1);
        body_leave(&crowd->bodies, 1);
        give_back(&permit);
    }
    pthread_barrier_wait(&crowd->all_here); /* all are alive at once, whatever each of them did */
    return NULL;
}

static void run_crowd(unsigned thread_count, uint32_t limit)
{
    pthread_t threads[200];
    struct crowd crowd = {.limiter = limiter_make(limit, thread_count), .pairs = rounds(300)};
    pthread_barrier_init(&crowd.all_here, NULL, thread_count);
    for (unsigned i = 0; i < thread_count; i++)
        threads[i] = thread_start(crowd_body, &crowd);
    for (unsigned i = 0; i < thread_count; i++)
        thread_join(threads[i]);
    ck_assert_uint_le(crowd.bodies.peak, limit);
    ck_assert_uint_eq(look(crowd.limiter).granted, (uint64_t)thread_count * crowd.pairs);
    ck_assert_uint_eq(look(crowd.limiter).granted_weight, (uint64_t)thread_count * crowd.pairs);
    check_all_back(crowd.limiter, limit);
    pthread_barrier_destroy(&crowd.all_here);
    limiter_done(crowd.limiter);
}

START_TEST(more_threads_than_counters)
{
    run_crowd(150, 200);
}
END_TEST

START_TEST(more_threads_than_permits)
{
    run_crowd(100, 3);
}
END_TEST

/* One acquires, another releases, by a ring of hand-overs. */
struct hand_over {
    bh_limiter *limiter;
    bh_permit permit;
    atomic_uint full;
    unsigned count;
};

static void *receiver_body(void *argument)
{
    struct hand_over *ring = argument;
    for (unsigned i = 0; i < ring->count; i++) {
        UNTIL(atomic_load(&ring->full) == 1);
        bh_permit permit = ring->permit;
        atomic_store(&ring->full, 0);
        give_back(&permit);
    }
    return NULL;
}

START_TEST(released_by_another)
{
    struct hand_over ring = {.limiter = limiter_make(2, 2), .count = rounds(20000)};
    const pthread_t receiver = thread_start(receiver_body, &ring);
    for (unsigned i = 0; i < ring.count; i++) {
        bh_permit permit = {0};
        ck_assert_int_eq(bh_acquire(ring.limiter, &permit), 0);
        UNTIL(atomic_load(&ring.full) == 0);
        ring.permit = permit;
        atomic_store(&ring.full, 1);
    }
    thread_join(receiver);
    ck_assert_uint_eq(look(ring.limiter).released, ring.count);
    check_all_back(ring.limiter, 2);
    limiter_done(ring.limiter);
}
END_TEST

static pthread_key_t late_key;

static void use_in_destructor(void *argument)
{
    short_life(argument);
}

static void *dies_with_work_left(void *argument)
{
    ck_assert_int_eq(pthread_setspecific(late_key, argument), 0);
    return short_life(argument);
}

START_TEST(used_in_a_thread_destructor)
{
    bh_limiter *limiter = limiter_make(1, 0);
    ck_assert_int_eq(pthread_key_create(&late_key, use_in_destructor), 0);
    for (unsigned i = 0; i < 100; i++)
        thread_join(thread_start(dies_with_work_left, limiter));
    ck_assert_uint_eq(look(limiter).granted, 200);
    check_all_back(limiter, 1);
    limiter_done(limiter);
    pthread_key_delete(late_key);
}
END_TEST

/* A thread that outlives the limiters it used, and meets their places again. */
START_TEST(thread_outlives_its_limiters)
{
    for (unsigned i = 0; i < 300; i++) {
        bh_limiter *one = limiter_make(1 + i % 3, 0);
        bh_limiter *other = limiter_make(1 + i % 5, 0);
        struct visit visit = {.limiter = other};
        bh_permit permit = take(one, 1);
        thread_join(thread_start(take_and_leave, &visit));
        give_back(&permit);
        give_back(&visit.permit);
        check_all_back(one, 1 + i % 3);
        check_all_back(other, 1 + i % 5);
        limiter_done(i % 2 ? one : other);
        limiter_done(i % 2 ? other : one);
    }
}
END_TEST

SUITE_MAIN("threads", permit_outlives_its_thread, thread_leaves_while_others_wait, ten_thousand_short_lives,
           more_threads_than_counters, more_threads_than_permits, released_by_another, used_in_a_thread_destructor,
           thread_outlives_its_limiters)
