/* SPDX-License-Identifier: Apache-2.0 */
/* Case P08, FIFO: grants go in the order of the queue, and no try slips past those who wait. */
#include "support.h"

#define LINE 3u

struct line {
    bh_limiter *limiter;
    atomic_uint tries;
    atomic_uint tries_granted;
    atomic_bool line_is_served;
    atomic_bool tryer_has_stopped;
    atomic_uint next_place;
    unsigned order[LINE];
};

struct member {
    struct line *line;
    unsigned number;
};

static void *tryer_body(void *argument)
{
    struct line *line = argument;
    while (!atomic_load(&line->line_is_served)) {
        bh_permit permit = {0};
        const int result = bh_try_acquire(line->limiter, &permit);
        if (result == 0) {
            atomic_fetch_add(&line->tries_granted, 1);
            give_back(&permit);
        } else {
            ck_assert_int_eq(result, -EAGAIN);
        }
        atomic_fetch_add(&line->tries, 1);
    }
    atomic_store(&line->tryer_has_stopped, true);
    return NULL;
}

/* Holds its permit until the tryer has knocked many times; the last of the line sends the tryer home first. */
static void *member_body(void *argument)
{
    struct member *member = argument;
    struct line *line = member->line;
    bh_permit permit = {0};
    ck_assert_int_eq(bh_acquire(line->limiter, &permit), 0);
    const unsigned place = atomic_fetch_add(&line->next_place, 1);
    line->order[place] = member->number;
    const unsigned tries_seen = atomic_load(&line->tries);
    UNTIL(atomic_load(&line->tries) >= tries_seen + 200);
    if (place == LINE - 1) {
        atomic_store(&line->line_is_served, true);
        UNTIL(atomic_load(&line->tryer_has_stopped));
    }
    give_back(&permit);
    return NULL;
}

START_TEST(tries_do_not_pass_the_line)
{
    struct line line = {.limiter = limiter_make(1, LINE)};
    bh_permit held = take(line.limiter, 1);
    struct member members[LINE];
    pthread_t threads[LINE];
    for (unsigned i = 0; i < LINE; i++) {
        members[i] = (struct member){.line = &line, .number = i};
        threads[i] = thread_start(member_body, &members[i]);
        UNTIL(waiting(line.limiter) == i + 1);
    }
    const pthread_t tryer = thread_start(tryer_body, &line);
    UNTIL(atomic_load(&line.tries) >= 200);
    give_back(&held);

    for (unsigned i = 0; i < LINE; i++)
        thread_join(threads[i]);
    thread_join(tryer);
    for (unsigned i = 0; i < LINE; i++)
        ck_assert_uint_eq(line.order[i], i);
    ck_assert_uint_eq(atomic_load(&line.tries_granted), 0);
    check_all_back(line.limiter, 1);
    limiter_done(line.limiter);
}
END_TEST

START_TEST(free_units_wait_for_the_head)
{
    bh_limiter *limiter = limiter_make(4, 4);
    bh_permit held = take(limiter, 2);
    struct waiter head = {.limiter = limiter, .weight = 3};
    waiter_queue(&head);
    ck_assert_uint_eq(look(limiter).held, 2);

    bh_permit small;
    POISON(small);
    for (unsigned i = 0; i < 100; i++)
        ck_assert_int_eq(bh_try_acquire(limiter, &small), -EAGAIN);
    CHECK_UNTOUCHED(small);
    struct waiter behind = {.limiter = limiter, .weight = 1};
    waiter_queue(&behind);
    ck_assert_uint_eq(look(limiter).held, 2);

    give_back(&held);
    ck_assert_int_eq(waiter_end(&head), 0);
    ck_assert_int_eq(waiter_end(&behind), 0);
    give_back(&head.permit);
    give_back(&behind.permit);
    check_all_back(limiter, 4);
    limiter_done(limiter);
}
END_TEST

START_TEST(barging_is_chosen_by_name)
{
    bh_limiter *limiter =
        limiter_make_with(&BH_OPTIONS(.name = "barging", .limit = 4, .queue = 4, .order = BH_ORDER_BARGING,
                                      .wait_ns = BH_FOREVER, .patience_ns = bh_seconds(3600)));
    ck_assert_uint_eq(look(limiter).order, BH_ORDER_BARGING);
    bh_permit held = take(limiter, 2);
    struct waiter head = {.limiter = limiter, .weight = 3};
    waiter_queue(&head);

    bh_permit passes = take(limiter, 1);
    give_back(&passes);
    give_back(&held);
    waiter_end_granted(&head);
    check_all_back(limiter, 4);
    limiter_done(limiter);
}
END_TEST

/* Units come back one by one, and newcomers would take each before four are there at once. */
START_TEST(barging_keeps_units_for_a_big_head_out_of_patience)
{
    bh_limiter *limiter =
        limiter_make_with(&BH_OPTIONS(.name = "barging", .limit = 4, .queue = 4, .wait_ns = BH_FOREVER,
                                      .order = BH_ORDER_BARGING, .patience_ns = 1));
    bh_permit held[4];
    for (unsigned i = 0; i < 4; i++)
        held[i] = take(limiter, 1);
    struct waiter head = {.limiter = limiter, .weight = 4};
    waiter_queue(&head);
    for (unsigned i = 0; i < 3; i++) {
        give_back(&held[i]);
        bh_permit newcomer = {0};
        ck_assert_int_eq(bh_try_acquire(limiter, &newcomer), -EAGAIN);
    }
    give_back(&held[3]);
    waiter_end_granted(&head);
    check_all_back(limiter, 4);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("P08 strict FIFO", tries_do_not_pass_the_line, free_units_wait_for_the_head, barging_is_chosen_by_name,
           barging_keeps_units_for_a_big_head_out_of_patience)
