/* SPDX-License-Identifier: Apache-2.0 */
/* Releasing: who may, how often, and what every mistake is answered; each is counted and changes nothing else. */
#include "support.h"

START_TEST(nothing_to_release)
{
    bh_limiter *limiter = limiter_make(1, 0);
    bh_permit empty = {0};
    ck_assert_int_eq(bh_release(NULL), -EINVAL);
    ck_assert_int_eq(bh_release(&empty), -EINVAL);
    ck_assert_int_eq(bh_release_to(NULL, &empty), -EINVAL);
    ck_assert_int_eq(bh_release_to(limiter, NULL), -EINVAL);
    ck_assert_uint_eq(look(limiter).released, 0);
    ck_assert_int_eq(bh_permit_is_held(NULL), 0);
    ck_assert_int_eq(bh_permit_is_held(&empty), 0);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(refused_permit_is_not_a_permit)
{
    bh_limiter *limiter = limiter_make(1, 0);
    bh_permit held = take(limiter, 1);
    bh_permit refused = {0};
    ck_assert_int_eq(bh_try_acquire(limiter, &refused), -EAGAIN);
    ck_assert_int_eq(bh_permit_is_held(&refused), 0);
    ck_assert_int_eq(bh_release(&refused), -EINVAL);
    ck_assert_uint_eq(look(limiter).violations, 0);
    ck_assert_int_eq(bh_release_to(limiter, &refused), -EXDEV);
    ck_assert_uint_eq(look(limiter).violations, 1);
    ck_assert_uint_eq(look(limiter).held, 1);
    give_back(&held);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(not_a_permit)
{
    bh_limiter *limiter = limiter_make(2, 0);
    bh_permit held = take(limiter, 1);
    bh_permit beyond = held;
    beyond.slot = UINT32_MAX;
    ck_assert_int_eq(bh_release(&beyond), -EINVAL);
    ck_assert_uint_eq(look(limiter).violations, 1);
    ck_assert_int_eq(bh_release_to(limiter, &beyond), -EINVAL);
    ck_assert_uint_eq(look(limiter).violations, 2);
    ck_assert_uint_eq(look(limiter).held, 1);
    give_back(&held);
    check_all_back(limiter, 2);
    limiter_done(limiter);
}
END_TEST

START_TEST(already_released)
{
    bh_limiter *limiter = limiter_make(2, 0);
    bh_permit permit = take(limiter, 2);
    bh_permit copy = permit;
    ck_assert_int_eq(bh_permit_is_held(&copy), 1);
    give_back(&permit);
    ck_assert_int_eq(bh_permit_is_held(&permit), 0);
    for (unsigned i = 1; i <= 5; i++) {
        ck_assert_int_eq(bh_release(&permit), -EALREADY);
        ck_assert_uint_eq(look(limiter).violations, i);
    }
    ck_assert_int_eq(bh_release(&copy), -EALREADY);
    ck_assert_uint_eq(look(limiter).violations, 6);
    ck_assert_int_eq(bh_release_to(limiter, &copy), -EALREADY);
    ck_assert_uint_eq(look(limiter).violations, 7);
    ck_assert_uint_eq(look(limiter).released, 1);
    check_all_back(limiter, 2);
    limiter_done(limiter);
}
END_TEST

START_TEST(any_copy_may_be_the_one)
{
    bh_limiter *limiter = limiter_make(1, 0);
    bh_permit permit = take(limiter, 1);
    bh_permit moved = permit;
    memset(&permit, 0, sizeof(permit));
    give_back(&moved);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(stale_after_reuse_by_any_weight)
{
    bh_limiter *limiter = limiter_make(4, 0);
    for (uint32_t weight = 1; weight <= 4; weight++) {
        bh_permit permit = take(limiter, weight);
        bh_permit kept = permit;
        give_back(&permit);
        bh_permit others[4];
        unsigned count = 0;
        while (bh_try_acquire(limiter, &others[count]) == 0)
            count++;
        ck_assert_uint_eq(count, 4);
        const int answer = bh_release(&kept);
        ck_assert_msg(answer == -ESTALE || answer == -EALREADY, "a stale release answered %d", answer);
        ck_assert_uint_eq(look(limiter).held, 4);
        for (unsigned i = 0; i < 4; i++)
            give_back(&others[i]);
    }
    ck_assert_uint_eq(look(limiter).violations, 4);
    check_all_back(limiter, 4);
    limiter_done(limiter);
}
END_TEST

START_TEST(of_another_limiter)
{
    bh_limiter *mine = limiter_make(1, 0);
    bh_limiter *other = limiter_make(1, 0);
    bh_permit permit = take(other, 1);
    ck_assert_int_eq(bh_release_to(mine, &permit), -EXDEV);
    ck_assert_uint_eq(look(mine).violations, 1);
    ck_assert_uint_eq(look(other).violations, 0);
    ck_assert_uint_eq(look(other).held, 1);
    ck_assert_int_eq(bh_permit_is_held(&permit), 1);
    ck_assert_int_eq(bh_release_to(other, &permit), 0);
    check_all_back(mine, 1);
    check_all_back(other, 1);
    limiter_done(mine);
    limiter_done(other);
}
END_TEST

START_TEST(stale_after_the_limiter_was_freed)
{
    bh_limiter *limiter = limiter_make(1, 0);
    bh_permit permit = take(limiter, 1);
    bh_permit kept = permit;
    give_back(&permit);
    limiter_done(limiter);
    ck_assert_int_eq(bh_release(&kept), -ESTALE);
    ck_assert_int_eq(bh_permit_mark_late(&kept), -ESTALE);
    bh_permit_info info = {.size = sizeof(info)};
    ck_assert_int_eq(bh_permit_describe(&kept, &info), -ESTALE);

    bh_limiter *next = limiter_make(1, 0);
    bh_permit owner = take(next, 1);
    ck_assert_int_eq(bh_release(&kept), -ESTALE);
    ck_assert_uint_eq(look(next).held, 1);
    give_back(&owner);
    check_all_back(next, 1);
    limiter_done(next);
}
END_TEST

static void *releaser_body(void *argument)
{
    give_back(argument);
    return NULL;
}

START_TEST(by_another_thread)
{
    bh_limiter *limiter = limiter_make(1, 0);
    for (unsigned i = 0; i < 100; i++) {
        bh_permit permit = take(limiter, 1);
        thread_join(thread_start(releaser_body, &permit));
        ck_assert_int_eq(bh_permit_is_held(&permit), 0);
    }
    ck_assert_uint_eq(look(limiter).released, 100);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

static int leave_scope_with_a_permit(bh_limiter *limiter, bool by_hand)
{
    bh_permit permit BH_SCOPED = {0};
    const int error = bh_try_acquire(limiter, &permit);
    if (error)
        return error;
    ck_assert_uint_eq(look(limiter).held, 1);
    if (by_hand)
        give_back(&permit);
    return 0;
}

START_TEST(scoped)
{
    bh_limiter *limiter = limiter_make(1, 0);
    ck_assert_int_eq(leave_scope_with_a_permit(limiter, false), 0);
    check_all_back(limiter, 1);
    ck_assert_int_eq(leave_scope_with_a_permit(limiter, true), 0);
    check_all_back(limiter, 1);
    bh_permit held = take(limiter, 1);
    ck_assert_int_eq(leave_scope_with_a_permit(limiter, false), -EAGAIN);
    give_back(&held);
    ck_assert_uint_eq(look(limiter).violations, 0);
    ck_assert_uint_eq(look(limiter).released, 3);
    bh_permit empty = {0};
    bh_permit_cleanup(&empty);
    bh_permit_cleanup(NULL);
    limiter_done(limiter);
}
END_TEST

START_TEST(on_the_heap)
{
    ck_assert_uint_eq(bh_permit_size(), sizeof(bh_permit));
    bh_limiter *limiter = limiter_make(1, 0);
    bh_permit *permit = bh_permit_new();
    ck_assert_ptr_nonnull(permit);
    ck_assert_int_eq(bh_permit_is_held(permit), 0);
    bh_permit_delete(permit);
    bh_permit_delete(NULL);

    permit = bh_permit_new();
    ck_assert_int_eq(bh_try_acquire(limiter, permit), 0);
    ck_assert_int_eq(bh_permit_is_held(permit), 1);
    bh_permit_delete(permit);
    check_all_back(limiter, 1);

    permit = bh_permit_new();
    ck_assert_int_eq(bh_try_acquire(limiter, permit), 0);
    give_back(permit);
    bh_permit_delete(permit);
    ck_assert_uint_eq(look(limiter).violations, 0);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(variable_used_again)
{
    bh_limiter *limiter = limiter_make(1, 0);
    bh_permit permit = {0};
    for (unsigned i = 0; i < 1000; i++) {
        ck_assert_int_eq(bh_try_acquire(limiter, &permit), 0);
        ck_assert_int_eq(bh_permit_is_held(&permit), 1);
        give_back(&permit);
    }
    ck_assert_uint_eq(look(limiter).granted, 1000);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("releasing", nothing_to_release, refused_permit_is_not_a_permit, not_a_permit, already_released,
           any_copy_may_be_the_one, stale_after_reuse_by_any_weight, of_another_limiter,
           stale_after_the_limiter_was_freed, by_another_thread, scoped, on_the_heap, variable_used_again)
