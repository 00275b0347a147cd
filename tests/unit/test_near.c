/* SPDX-License-Identifier: Apache-2.0 */
/* A release beside a head that ran elsewhere: it looks for a moment whether one from over there comes first, gives up looking
 * where that never pays, and grants in any case. Needs two processors. */
#include <sched.h>
#include <stdlib.h>

#include "core/core.h"
#include "core/near.h"
#include "port/processor.h"
#include "support.h"

static int here, there; /* two processors that this process may use */

static bool find_two_processors(void)
{
    cpu_set_t allowed;
    int found = 0;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return false;
    for (int processor = 0; processor < CPU_SETSIZE && found < 2; processor++)
        if (CPU_ISSET((size_t)processor, &allowed))
            *(found++ == 0 ? &here : &there) = processor;
    return found == 2;
}

static void move_to(int processor)
{
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET((size_t)processor, &only);
    ck_assert_int_eq(sched_setaffinity(0, sizeof(only), &only), 0);
    ck_assert_uint_eq(bh__processor_now(), (uint32_t)processor);
}

static bh_limiter *make(uint32_t order)
{
    return limiter_make_with(&BH_OPTIONS(.name = "near", .limit = 1, .queue = 4, .order = order));
}

/* Its thread runs, and therefore queues, on the processor that the caller is on now. */
static void queue_one(struct waiter *waiter, bh_limiter *limiter)
{
    *waiter = (struct waiter){.limiter = limiter, .weight = 1, .wait_ns = BH_FOREVER};
    waiter_queue(waiter);
}

START_TEST(who_waits_where)
{
    bh_limiter *limiter = make(BH_ORDER_FIFO);
    const struct bh_near *near = &limiter->core->near;
    struct waiter far, close;
    move_to(here);
    bh_permit held = take(limiter, 1);
    ck_assert_uint_eq(bh_stat_load(&near->head_processor), BH_NO_PROCESSOR);
    move_to(there);
    queue_one(&far, limiter);
    move_to(here);
    queue_one(&close, limiter);
    ck_assert_uint_eq(bh_stat_load(&near->head_processor), (uint32_t)there);
    give_back(&held);
    waiter_end_granted(&far);
    waiter_end_granted(&close);
    ck_assert_uint_eq(bh_stat_load(&near->head_processor), BH_NO_PROCESSOR);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(looks_only_while_it_pays)
{
    bh_limiter *limiter = make(BH_ORDER_FIFO);
    struct bh_near *near = &limiter->core->near;
    struct waiter far;
    move_to(here);
    bh_permit held = take(limiter, 1);
    bh__near_first(limiter);
    ck_assert_uint_eq(bh_stat_load(&near->far_heads), 0);
    move_to(there);
    queue_one(&far, limiter);
    bh__near_first(limiter);
    ck_assert_uint_eq(bh_stat_load(&near->far_heads), 0);

    move_to(here);
    bh_stat_store(&near->chance, BH_NEAR_CERTAIN);
    unsigned looks = 0;
    for (unsigned i = 0; i < 1000; i++) {
        const uint32_t before = bh_stat_load(&near->chance);
        bh__near_first(limiter); /* nobody else releases */
        looks += bh_stat_load(&near->chance) != before;
    }
    ck_assert_uint_eq(bh_stat_load(&near->far_heads), 1000);
    ck_assert_uint_ge(looks, 20);
    ck_assert_uint_le(looks, 100);

    give_back(&held);
    waiter_end_granted(&far);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(barging_looks_for_nobody)
{
    bh_limiter *limiter = make(BH_ORDER_BARGING);
    struct waiter far;
    move_to(here);
    bh_permit held = take(limiter, 1);
    move_to(there);
    queue_one(&far, limiter);
    move_to(here);
    ck_assert_uint_eq(bh_stat_load(&limiter->core->near.head_processor), BH_NO_PROCESSOR);
    give_back(&held);
    waiter_end_granted(&far);
    ck_assert_uint_eq(bh_stat_load(&limiter->core->near.far_heads), 0);
    check_all_back(limiter, 1);
    limiter_done(limiter);
}
END_TEST

int main(void)
{
    if (!find_two_processors())
        return 77;
    const TTest *const tests[] = {who_waits_where, looks_only_while_it_pays, barging_looks_for_nobody};
    return run_suite("near", tests, sizeof(tests) / sizeof(tests[0]));
}
