/* SPDX-License-Identifier: Apache-2.0 */
/* The C++ interface: cancellation tokens, limiters and who owns them, snapshots and metrics. */
#include "support.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace
{

/* ---- cancellation -------------------------------------------------------------------------------------------------- */

START_TEST(token_ends_waits_of_many_threads)
{
    const bulkhead::limiter limiter = made(1, 4);
    const bulkhead::permit held = limiter.acquire_or_throw();
    bulkhead::cancel_token token;
    ck_assert(token && !token.is_cancelled());
    int errors[4] = {};
    std::vector<std::thread> waiters;
    for (int &error : errors)
        waiters.emplace_back([&] { error = limiter.acquire(1, {{}, {}, &token}).error(); });
    until([&] { return limiter.snapshot().waiting == 4; });
    token.cancel();
    for (std::thread &waiter : waiters)
        waiter.join();
    ck_assert(std::all_of(std::begin(errors), std::end(errors), [](int error) { return error == -ECANCELED; }));
    ck_assert(token.is_cancelled());
    ck_assert_uint_eq(limiter.snapshot().cancelled, 4);
}
END_TEST

START_TEST(token_moves)
{
    bulkhead::cancel_token first;
    bulkhead::cancel_token second(std::nothrow);
    bh_cancel *raw = first.get();
    second = std::move(first);
    ck_assert(!first && second.get() == raw);
    first.cancel(); /* nothing to cancel */
    ck_assert(!first.is_cancelled() && !second.is_cancelled());
    bulkhead::cancel_token &itself = second;
    second = std::move(itself);
    ck_assert(second.get() == raw);
    const bulkhead::cancel_token third = std::move(second);
    third.cancel();
    ck_assert(third.is_cancelled());
    const bulkhead::limiter limiter = made(1);
    ck_assert_int_eq(limiter.acquire(1, {{}, {}, &third}).error(), -ECANCELED);
    ck_assert(static_cast<bool>(limiter.acquire(1, {{}, {}, &second}))); /* a moved one is none */
}
END_TEST

/* ---- limiters ------------------------------------------------------------------------------------------------------ */

START_TEST(options_reach_the_limiter)
{
    bulkhead::options options{"db", 3, 7, 5ms};
    options.order = bulkhead::queue_order::barging;
    options.queue_weight = 9;
    options.patience = 2ms;
    options.max_permits = 50;
    options.unit = "connections";
    const bulkhead::limiter limiter(options);
    CHECK_TEXT(limiter.name(), "db");
    CHECK_TEXT(limiter.unit(), "connections");
    ck_assert_uint_eq(limiter.limit(), 3);
    ck_assert_uint_eq(limiter.max_permits(), 50);
    ck_assert_uint_eq(limiter.snapshot().queue, 7);
    ck_assert_uint_eq(limiter.snapshot().order, BH_ORDER_BARGING);
    ck_assert_uint_eq(limiter.snapshot().max_permits, 50);
    CHECK_TEXT(bulkhead::limiter({"unit", 1}).unit(), "calls");

    ck_assert_int_eq(limiter.set_limit(50), 0);
    ck_assert_uint_eq(limiter.limit(), 50);
    ck_assert_int_eq(limiter.set_limit(51), -ERANGE);
    const bulkhead::permit held = limiter.acquire_or_throw(50);
    ck_assert_int_eq(limiter.acquire(10).error(), -ENOBUFS); /* queue_weight */
    ck_assert_int_eq(limiter.acquire(9).error(), -ETIMEDOUT);
}
END_TEST

START_TEST(fields_in_order_or_by_name)
{
#if __cplusplus > 201703L
    const bulkhead::limiter limiter({.name = "named", .limit = 2, .wait = 1ms});
    const bulkhead::outcome admitted = limiter.acquire(2, {.deadline = steady::now() + 10s, .label = "checkout"});
#else
    const bulkhead::limiter limiter({"named", 2, 0, 1ms});
    const bulkhead::outcome admitted = limiter.acquire(2, {{}, steady::now() + 10s, nullptr, "checkout"});
#endif
    ck_assert(static_cast<bool>(admitted));
    CHECK_TEXT(limiter.name(), "named");
    ck_assert_uint_eq(limiter.snapshot().held, 2);
}
END_TEST

START_TEST(bad_options_make_nothing)
{
    bulkhead::limiter limiter = made(4);
    bh_limiter *before = limiter.get();
    ck_assert_int_eq(bulkhead::limiter::make({"", 1}, limiter), -EINVAL);
    ck_assert_int_eq(bulkhead::limiter::make({"a/b", 1}, limiter), -EINVAL);
    ck_assert_int_eq(bulkhead::limiter::make({std::string("a\0b", 3), 1}, limiter), -EINVAL);
    bulkhead::options options{"x", 2};
    options.max_permits = 1;
    ck_assert_int_eq(bulkhead::limiter::make(options, limiter), -ERANGE);
    options.max_permits = 0;
    options.unit = std::string("u\0", 2);
    ck_assert_int_eq(bulkhead::limiter::make(options, limiter), -EINVAL);
    options.unit = "";
    options.patience = 1ms; /* which FIFO has not */
    ck_assert_int_eq(bulkhead::limiter::make(options, limiter), -EINVAL);
    ck_assert(limiter.get() == before && limiter.limit() == 4);
    options.patience = -1ms;
    ck_assert_int_eq(bulkhead::limiter::make(options, limiter), 0);
    CHECK_TEXT(limiter.name(), "x");
    try {
        const bulkhead::limiter none({"a/b", 1});
        ck_abort_msg("%s", "made");
    } catch (const std::system_error &error) {
        ck_assert(error.code() == std::errc::invalid_argument);
        CHECK_TEXT(error.what(), "bulkhead::limiter a/b: an argument is missing or outside its range");
    }
}
END_TEST

START_TEST(limiter_moves)
{
    bulkhead::limiter first = made(2);
    bh_limiter *raw = first.get();
    bulkhead::permit permit = first.acquire_or_throw();
    bulkhead::limiter second = std::move(first);
    ck_assert(!first && second.get() == raw);
    bulkhead::limiter &itself = second;
    second = std::move(itself);
    ck_assert(second.get() == raw);
    bulkhead::limiter third = made(5);
    third = std::move(second);
    ck_assert(!second && third.get() == raw && third.limit() == 2);
    ck_assert_uint_eq(third.snapshot().held, 1);
    ck_assert_int_eq(third.try_free(), -EBUSY);
    ck_assert(third.get() == raw);
    ck_assert_int_eq(permit.release(), 0);
    ck_assert_int_eq(third.try_free(), 0);
    ck_assert(!third);
    ck_assert_int_eq(third.try_free(), 0);

    bulkhead::limiter fourth = made(1);
    const bulkhead::limiter fifth(fourth.detach());
    ck_assert(!fourth && fifth.limit() == 1);
}
END_TEST

START_TEST(no_limiter_answers_einval)
{
    const bulkhead::limiter none;
    bulkhead::permit permit;
    ck_assert(!none);
    for (const int error :
         {none.try_acquire().error(), none.acquire().error(), none.acquire(1).error(), none.acquire(1, {}).error(),
          none.acquire_for(1, 1s).error(), none.acquire_until(1, steady::now()).error(), none.set_limit(1),
          none.close(), none.drain(0s), none.release(permit)})
        ck_assert_int_eq(error, -EINVAL);
    ck_assert(none.acquire().why() == bulkhead::reason::invalid);
    ck_assert(none.acquire().retry_after() == std::chrono::nanoseconds::max());
    CHECK_TEXT(none.name(), "");
    CHECK_TEXT(none.unit(), "");
    ck_assert_uint_eq(none.limit() + none.max_permits() + none.snapshot().size, 0);
    try {
        none.acquire_or_throw().release();
        ck_abort_msg("%s", "admitted by nobody");
    } catch (const bulkhead::refused &refused) {
        CHECK_TEXT(refused.limiter_name(), "");
        ck_assert(refused.code() == std::errc::invalid_argument);
    }
}
END_TEST

START_TEST(permit_outlives_its_limiter)
{
    bulkhead::permit permit;
    bulkhead::permit closed_over;
    bh_limiter *raw = nullptr;
    {
        const bulkhead::limiter limiter = made(2);
        raw = limiter.get();
        permit = limiter.acquire_or_throw();
        closed_over = limiter.acquire_or_throw();
    }
    ck_assert(static_cast<bool>(permit));
    ck_assert_uint_eq(permit.weight(), 1);
    const bulkhead::limiter_ref left_behind(raw);
    ck_assert_int_eq(left_behind.try_acquire().error(), -ESHUTDOWN);
    ck_assert_int_eq(permit.release(), 0);
    closed_over = bulkhead::permit();
    ck_assert_uint_eq(left_behind.snapshot().held, 0);
    ck_assert_uint_eq(left_behind.snapshot().violations, 0);
    ck_assert_int_eq(bh_limiter_free(raw), 0);
}
END_TEST

START_TEST(destructor_ends_waits)
{
    auto limiter = std::make_unique<bulkhead::limiter>(made(1, 1));
    bulkhead::permit permit = limiter->acquire_or_throw();
    int error = 0;
    std::thread waiter([&error, &limiter = *limiter] { error = limiter.acquire().error(); });
    until([&] { return limiter->snapshot().waiting == 1; });
    limiter.reset();
    waiter.join();
    ck_assert_int_eq(error, -ESHUTDOWN);
    ck_assert_int_eq(permit.release(), 0);
}
END_TEST

START_TEST(draining_waits_for_what_is_out)
{
    bulkhead::limiter limiter = made(1);
    bulkhead::permit permit = limiter.acquire_or_throw();
    ck_assert_int_eq(limiter.drain(0s), -ETIMEDOUT);
    ck_assert_int_eq(limiter.drain(1ms), -ETIMEDOUT);
    std::thread worker([work = std::move(permit)] { std::this_thread::yield(); });
    ck_assert_int_eq(limiter.drain(bulkhead::forever), 0);
    worker.join();
    ck_assert_int_eq(limiter.acquire().error(), -ESHUTDOWN);
    ck_assert_int_eq(limiter.try_free(), 0);
}
END_TEST

START_TEST(view_is_the_limiter)
{
    const bulkhead::limiter limiter = made(1);
    const bulkhead::limiter_ref view = limiter;
    const bulkhead::limiter_ref copy = view;
    const bulkhead::permit permit = copy.acquire_or_throw();
    ck_assert(copy.get() == limiter.get());
    ck_assert_int_eq(limiter.try_acquire().error(), -EAGAIN);
    ck_assert_uint_eq(view.snapshot().held, 1);
}
END_TEST

START_TEST(openmetrics_of_many)
{
    const bulkhead::limiter reports({"reports", 60});
    const bulkhead::limiter cache({"the \"cache\"", 10});
    const std::string text = bulkhead::openmetrics({reports, bulkhead::limiter_ref(nullptr), cache});
    ck_assert(text.find("{limiter=\"reports\"") != std::string::npos);
    ck_assert(text.find("{limiter=\"the \\\"cache\\\"\"") != std::string::npos);
    CHECK_TEXT(text.substr(text.size() - 6), "# EOF\n");
    ck_assert_uint_eq(text.size(), std::char_traits<char>::length(text.c_str()));
    CHECK_TEXT(bulkhead::openmetrics({}).substr(bulkhead::openmetrics({}).size() - 6), "# EOF\n");
}
END_TEST

} // namespace

int main()
{
    return run_suite("C++ tokens and limiters",
                     {token_ends_waits_of_many_threads, token_moves, options_reach_the_limiter,
                      fields_in_order_or_by_name, bad_options_make_nothing, limiter_moves, no_limiter_answers_einval,
                      destructor_ends_waits, permit_outlives_its_limiter, draining_waits_for_what_is_out,
                      view_is_the_limiter, openmetrics_of_many});
}
