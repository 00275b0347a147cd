/* SPDX-License-Identifier: Apache-2.0 */
/* Case P11: a permit is given back once; a second release is refused, counted, and adds no capacity. */
#include "support.h"

static void check_two_of_three(bh_limiter *limiter)
{
    bh_permit first = take(limiter, 1);
    bh_permit second = take(limiter, 1);
    bh_permit third = {0};
    ck_assert_int_eq(bh_try_acquire(limiter, &third), -EAGAIN);
    give_back(&first);
    give_back(&second);
}

START_TEST(second_release_is_refused)
{
    bh_limiter *limiter = limiter_make(2, 0);
    bh_permit permit = take(limiter, 1);
    ck_assert_int_eq(bh_release(&permit), 0);
    ck_assert_int_eq(bh_release(&permit), -EALREADY);
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.violations, 1);
    ck_assert_uint_eq(now.released, 1);
    ck_assert_uint_eq(now.free, 2);
    check_two_of_three(limiter);
    check_all_back(limiter, 2);
    limiter_done(limiter);
}
END_TEST

START_TEST(stale_handle_leaves_the_new_owner_alone)
{
    bh_limiter *limiter = limiter_make(2, 0);
    bh_permit old = take(limiter, 1);
    bh_permit kept = old;
    give_back(&old);
    bh_permit first = take(limiter, 1);
    bh_permit second = take(limiter, 1);

    const int result = bh_release(&kept);
    ck_assert_msg(result == -ESTALE || result == -EALREADY, "a stale release answered %d", result);
    ck_assert_int_lt(bh_release(&old), 0);
    bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.violations, 2);
    ck_assert_uint_eq(now.held, 2);
    ck_assert_uint_eq(now.permits_out, 2);
    bh_permit third = {0};
    ck_assert_int_eq(bh_try_acquire(limiter, &third), -EAGAIN);

    give_back(&first);
    give_back(&second);
    check_two_of_three(limiter);
    check_all_back(limiter, 2);
    limiter_done(limiter);
}
END_TEST

START_TEST(reused_slot_answers_stale)
{
    bh_limiter *limiter = limiter_make(1, 0);
    bh_permit old = take(limiter, 1);
    bh_permit kept = old;
    give_back(&old);
    bh_permit owner = take(limiter, 1);
    for (unsigned i = 0; owner.slot != kept.slot && i < 1000; i++) {
        give_back(&owner);
        owner = take(limiter, 1);
    }
    ck_assert_uint_eq(owner.slot, kept.slot);
    ck_assert_int_eq(bh_release(&kept), -ESTALE);
    ck_assert_uint_eq(look(limiter).held, 1);
    ck_assert_int_eq(bh_permit_is_held(&owner), 1);
    give_back(&owner);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

struct duel {
    unsigned round_count;
    bool same_variable;
    bh_permit shared;
    atomic_uint round; /* raised by the first when `shared` is to be released */
    atomic_uint done;  /* raised by the second when it has released */
    int second_result;
};

static int release_own_way(struct duel *duel)
{
    if (duel->same_variable)
        return bh_release(&duel->shared);
    bh_permit copy = duel->shared;
    return bh_release(&copy);
}

static void *duel_second(void *argument)
{
    struct duel *duel = argument;
    for (unsigned round = 1; round <= duel->round_count; round++) {
        UNTIL(atomic_load(&duel->round) == round);
        duel->second_result = release_own_way(duel);
        atomic_store(&duel->done, round);
    }
    return NULL;
}

static void run_duel(bool same_variable)
{
    bh_limiter *limiter = limiter_make(2, 0);
    struct duel duel = {.round_count = rounds(100000), .same_variable = same_variable};
    const pthread_t second = thread_start(duel_second, &duel);
    for (unsigned round = 1; round <= duel.round_count; round++) {
        duel.shared = take(limiter, 1);
        atomic_store(&duel.round, round);
        const int first_result = release_own_way(&duel);
        UNTIL(atomic_load(&duel.done) == round);
        ck_assert_msg((first_result == 0) != (duel.second_result == 0), "round %u: %d and %d", round, first_result,
                      duel.second_result);
        ck_assert_int_eq(first_result + duel.second_result, -EALREADY);
    }
    thread_join(second);
    const bh_snapshot now = look(limiter);
    ck_assert_uint_eq(now.released, duel.round_count);
    ck_assert_uint_eq(now.violations, duel.round_count);
    check_two_of_three(limiter);
    check_all_back(limiter, 2);
    limiter_done(limiter);
}

START_TEST(of_two_copies_one_is_released)
{
    run_duel(false);
}
END_TEST

START_TEST(of_two_releases_of_one_variable_one_succeeds)
{
    run_duel(true);
}
END_TEST

SUITE_MAIN("P11 released once", second_release_is_refused, stale_handle_leaves_the_new_owner_alone,
           reused_slot_answers_stale, of_two_copies_one_is_released, of_two_releases_of_one_variable_one_succeeds)
