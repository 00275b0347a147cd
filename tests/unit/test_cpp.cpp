/* SPDX-License-Identifier: Apache-2.0 */
/* The C++ interface: durations and instants, requests, permits, refusals. */
#include "support.hpp"

#include <limits>
#include <type_traits>
#include <utility>

namespace
{

constexpr bh_ns longest = INT64_MAX;

/* ---- what the types promise, at compile time ----------------------------------------------------------------------- */

using bulkhead::detail::to_ns;
static_assert(to_ns(0s) == 0 && to_ns(1ns) == 1 && to_ns(1500us) == 1500000 && to_ns(2h) == UINT64_C(7200000000000));
static_assert(to_ns(-1ns) == 0 && to_ns(std::chrono::hours::min()) == 0 && to_ns(std::chrono::nanoseconds::min()) == 0);
static_assert(to_ns(std::chrono::nanoseconds::max()) == longest);
static_assert(to_ns(std::chrono::microseconds::max()) == longest && to_ns(std::chrono::hours::max()) == longest);
static_assert(to_ns(std::chrono::microseconds(INT64_MAX / 1000)) == INT64_MAX / 1000 * 1000);
static_assert(to_ns(std::chrono::microseconds(INT64_MAX / 1000 + 1)) == longest);
static_assert(to_ns(std::chrono::duration<int, std::pico>(1)) == 1 &&
              to_ns(std::chrono::duration<int, std::pico>(2000)) == 2);
static_assert(to_ns(std::chrono::duration<std::int64_t, std::ratio<1, 3>>(1)) == 333333334);
static_assert(to_ns(std::chrono::duration<unsigned char, std::ratio<3600>>(255)) == UINT64_C(918000000000000));
static_assert(to_ns(std::chrono::duration<std::uint64_t>(UINT64_MAX)) == longest);
static_assert(to_ns(std::chrono::duration<double>(0.25)) == 250000000 &&
              to_ns(std::chrono::duration<double>(-0.1)) == 0);
static_assert(to_ns(std::chrono::duration<double, std::nano>(0.5)) == 1);
static_assert(to_ns(std::chrono::duration<float>(std::numeric_limits<float>::infinity())) == longest);
static_assert(to_ns(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())) == 0);
static_assert(bulkhead::detail::from_ns(7) == 7ns && bulkhead::detail::from_ns(0) == 0ns);
static_assert(bulkhead::detail::from_ns(BH_FOREVER) == std::chrono::nanoseconds::max());

static_assert(bulkhead::forever.ns() == BH_FOREVER && bulkhead::no_wait.ns() == 0);
static_assert(bulkhead::wait_time(std::chrono::hours::max()).ns() != BH_FOREVER);

template <class T>
inline constexpr bool moves_only = std::is_nothrow_move_constructible_v<T> &&std::is_nothrow_move_assignable_v<T> &&
                                   !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
static_assert(moves_only<bulkhead::permit> && moves_only<bulkhead::outcome>);
static_assert(moves_only<bulkhead::limiter> && moves_only<bulkhead::cancel_token>);
static_assert(sizeof(bulkhead::permit) == sizeof(bh_permit) && sizeof(bulkhead::limiter) == sizeof(void *));
static_assert(sizeof(bulkhead::limiter_ref) == sizeof(void *) && std::is_trivially_copyable_v<bulkhead::limiter_ref>);
static_assert(std::is_convertible_v<bulkhead::limiter &, bulkhead::limiter_ref>);
static_assert(!std::is_constructible_v<bulkhead::limiter_ref, bulkhead::limiter>, "a view of a temporary");
static_assert(std::is_nothrow_copy_constructible_v<bulkhead::refused>);
static_assert(!std::is_convertible_v<bulkhead::outcome, bool> && !std::is_convertible_v<bulkhead::permit, bool>);

template <class Clock, class = void> struct takes_instants_of : std::false_type {
};
template <class Clock>
struct takes_instants_of<
    Clock, std::void_t<decltype(std::declval<bulkhead::limiter &>().acquire_until(1, typename Clock::time_point()))>>
    : std::true_type {
};
static_assert(takes_instants_of<steady>::value && !takes_instants_of<std::chrono::system_clock>::value);

/* ---- acquiring ----------------------------------------------------------------------------------------------------- */

START_TEST(the_steady_clock_is_the_librarys)
{
    const bh_ns before = bh_now();
    const bh_ns instant = to_ns(steady::now().time_since_epoch());
    ck_assert_uint_ge(instant, before);
    ck_assert_uint_le(instant, bh_now());
}
END_TEST

START_TEST(each_form_takes_what_it_says)
{
    const bulkhead::limiter limiter = made(100);
    const auto soon = steady::now() + 10s;
    const bulkhead::outcome outcomes[] = {
        limiter.try_acquire(),
        limiter.try_acquire(2),
        limiter.acquire(),
        limiter.acquire(3),
        limiter.acquire(4, {}),
        limiter.acquire_for(5, 1ms),
        limiter.acquire_for(6, bulkhead::no_wait),
        limiter.acquire_for(7, bulkhead::forever),
        limiter.acquire_until(8, soon),
        limiter.acquire_until(9, std::chrono::time_point_cast<std::chrono::minutes>(soon + 1min)),
    };
    for (const bulkhead::outcome &outcome : outcomes) {
        ck_assert(static_cast<bool>(outcome));
        ck_assert_int_eq(outcome.error(), 0);
        ck_assert(!outcome.code());
        ck_assert(outcome.why() == bulkhead::reason::none);
        ck_assert(outcome.retry_after() == 0ns);
        CHECK_TEXT(outcome.refusal().name, "");
    }
    ck_assert_uint_eq(limiter.snapshot().held, 1 + 2 + 1 + 3 + 4 + 5 + 6 + 7 + 8 + 9);
    ck_assert_uint_eq(limiter.snapshot().permits_out, 10);
}
END_TEST

START_TEST(throwing_forms_take_what_they_say)
{
    const bulkhead::limiter limiter = made(10);
    {
        const bulkhead::permit one = limiter.acquire_or_throw();
        const bulkhead::permit two = limiter.acquire_or_throw(2);
        const bulkhead::permit three = limiter.acquire_or_throw(3, {bulkhead::no_wait, {}, nullptr, "checkout"});
        ck_assert_uint_eq(one.weight() + two.weight() + three.weight(), 6);
        ck_assert_uint_eq(limiter.snapshot().held, 6);
        CHECK_TEXT(three.label(), "checkout");
        CHECK_TEXT(two.label(), "");
    }
    check_all_back(limiter);
}
END_TEST

START_TEST(no_bound_below_zero_waits)
{
    const bulkhead::limiter limiter = made(1, 1);
    const bulkhead::permit held = limiter.acquire_or_throw();
    ck_assert_int_eq(limiter.acquire_for(1, 0s).error(), -EAGAIN);
    ck_assert_int_eq(limiter.acquire_for(1, -5s).error(), -EAGAIN);
    ck_assert_int_eq(limiter.acquire_for(1, std::chrono::hours::min()).error(), -EAGAIN);
    ck_assert_int_eq(limiter.acquire(1, {bulkhead::no_wait}).error(), -EAGAIN);
    ck_assert_int_eq(limiter.acquire(1, {-1ns}).error(), -EAGAIN);
    ck_assert_int_eq(limiter.acquire_until(1, steady::time_point(-1ns)).error(), -ETIMEDOUT);
    ck_assert_int_eq(limiter.acquire_until(1, steady::time_point::min()).error(), -ETIMEDOUT);
    ck_assert_int_eq(limiter.acquire_until(1, steady::now()).error(), -ETIMEDOUT);
    /* In bh_request 0 is no deadline at all; here the first instant is one, and over. */
    bulkhead::request over;
    over.deadline = steady::time_point();
    ck_assert_int_eq(limiter.acquire(1, over).error(), -ETIMEDOUT);
    over.deadline = steady::time_point::min();
    ck_assert_int_eq(limiter.acquire(1, over).error(), -ETIMEDOUT);
    ck_assert_uint_eq(limiter.snapshot().queued, 0);
}
END_TEST

START_TEST(bounds_are_waited_out)
{
    const bulkhead::limiter limiter = made(1, 1);
    const bulkhead::limiter brief = made(1, 1, 3ms);
    const bulkhead::permit held = limiter.acquire_or_throw();
    const bulkhead::permit held_too = brief.acquire_or_throw();
    const auto waits = [](steady::duration least, auto acquire) {
        const auto began = steady::now();
        ck_assert_int_eq(acquire().error(), -ETIMEDOUT);
        ck_assert(steady::now() - began >= least);
    };
    waits(2ms, [&] { return limiter.acquire_for(1, 2ms); });
    waits(2ms, [&] { return limiter.acquire_for(1, std::chrono::duration<double>(0.002)); });
    waits(0ms, [&] { return limiter.acquire_until(1, steady::now() + 2ms); });
    waits(2ms, [&] { return limiter.acquire(1, {2ms}); });
    waits(2ms, [&] { return limiter.acquire(1, {1h, steady::now() + 3ms}); });
    waits(3ms, [&] { return brief.acquire(); });
    waits(3ms, [&] { return brief.acquire(1); });
    waits(3ms, [&] { return brief.acquire(1, {}); });
    ck_assert_uint_eq(limiter.snapshot().timed_out + brief.snapshot().timed_out, 8);
}
END_TEST

/* ---- permits ------------------------------------------------------------------------------------------------------- */

START_TEST(permit_gives_itself_back_once)
{
    const bulkhead::limiter limiter = made(3);
    {
        bulkhead::permit permit = limiter.acquire_or_throw();
        ck_assert(static_cast<bool>(permit));
        ck_assert_int_eq(permit.release(), 0);
        ck_assert(!permit);
        ck_assert_uint_eq(permit.weight(), 0);
        ck_assert_int_eq(permit.release(), -EALREADY);
    }
    ck_assert_uint_eq(limiter.snapshot().violations, 1);
    try {
        const bulkhead::permit permit = limiter.acquire_or_throw();
        throw 7;
    } catch (int) {
        ck_assert_uint_eq(limiter.snapshot().held, 0);
    }
    bulkhead::permit empty;
    ck_assert(!empty);
    ck_assert_int_eq(empty.release(), -EINVAL);
    ck_assert_int_eq(empty.mark_late(), -EINVAL);
    ck_assert_int_eq(bh_permit_is_held(empty.get()), 0);
    check_all_back(limiter);
}
END_TEST

START_TEST(permit_moves)
{
    const bulkhead::limiter limiter = made(5);
    bulkhead::permit first = limiter.acquire_or_throw(2);
    bulkhead::permit second = std::move(first);
    ck_assert(!first && second);
    ck_assert_int_eq(first.release(), -EINVAL);
    ck_assert_uint_eq(limiter.snapshot().held, 2);

    bulkhead::permit third = limiter.acquire_or_throw(3);
    third = std::move(second); /* gives back what it had */
    ck_assert_uint_eq(limiter.snapshot().held, 2);
    ck_assert_uint_eq(third.weight(), 2);
    ck_assert(!second);

    bulkhead::permit &itself = third;
    third = std::move(itself);
    ck_assert_uint_eq(third.weight(), 2);
    third = bulkhead::permit();
    ck_assert(!third);
    ck_assert_uint_eq(limiter.snapshot().violations, 0);
    check_all_back(limiter);
}
END_TEST

START_TEST(permit_describes_itself)
{
    const bulkhead::limiter limiter = made(5);
    const bulkhead::limiter other = made(5);
    bulkhead::permit permit = limiter.acquire_or_throw(4, {{}, {}, nullptr, "a label of the longest length !"});
    CHECK_TEXT(permit.label(), "a label of the longest length !");
    ck_assert_uint_eq(permit.weight(), 4);
    ck_assert(!permit.is_late());
    ck_assert_int_eq(permit.mark_late(), 0);
    ck_assert_int_eq(permit.mark_late(), -EALREADY);
    bh_permit_info info;
    ck_assert_int_eq(permit.describe(info), 0);
    ck_assert_uint_eq(info.late, 1);
    ck_assert(permit.is_late());
    ck_assert_uint_eq(limiter.snapshot().permits_late, 1);

    ck_assert_int_eq(other.release(permit), -EXDEV);
    ck_assert_int_eq(limiter.release(permit), 0);
    ck_assert(!permit && !permit.is_late());
    CHECK_TEXT(permit.label(), "");
    ck_assert_int_eq(permit.describe(info), -EALREADY);
    check_all_back(limiter);
}
END_TEST

START_TEST(permit_goes_to_c_and_comes_back)
{
    const bulkhead::limiter limiter = made(1);
    bulkhead::permit permit = limiter.acquire_or_throw();
    bh_permit raw = permit.detach();
    ck_assert(!permit);
    ck_assert_int_eq(bh_permit_is_held(&raw), 1);
    {
        const bulkhead::permit owner{raw};
        ck_assert_uint_eq(limiter.snapshot().held, 1);
    }
    ck_assert_int_eq(bh_release(&raw), -EALREADY);
    check_all_back(limiter);
}
END_TEST

START_TEST(any_thread_may_destroy_a_permit)
{
    const bulkhead::limiter limiter = made(1, 1);
    bulkhead::permit permit = limiter.acquire_or_throw();
    std::thread worker([work = std::move(permit)] { ck_assert(static_cast<bool>(work)); });
    worker.join();
    ck_assert(static_cast<bool>(limiter.acquire_for(1, 30s)));
    check_all_back(limiter);
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------------------------------ */

START_TEST(every_refusal_says_why)
{
    const bulkhead::limiter limiter({"reports", 2, 1, 1ms});
    bulkhead::permit held = limiter.acquire_or_throw(2);
    const bulkhead::cancel_token cancelled;
    cancelled.cancel();
    const auto expect = [](const bulkhead::outcome &outcome, int error, bulkhead::reason why, std::errc condition) {
        ck_assert(!outcome);
        ck_assert_int_eq(outcome.error(), error);
        ck_assert(outcome.why() == why);
        ck_assert(outcome.code() == condition);
        CHECK_TEXT(outcome.code().message(), bh_strerror(error));
        CHECK_TEXT(outcome.refusal().name, "reports");
        CHECK_TEXT(outcome.refusal().reason_text, bh_strerror(error));
    };
    using bulkhead::reason;
    expect(limiter.try_acquire(), -EAGAIN, reason::busy, std::errc::resource_unavailable_try_again);
    expect(limiter.acquire(), -ETIMEDOUT, reason::timed_out, std::errc::timed_out);
    expect(limiter.acquire(1, {{}, {}, &cancelled}), -ECANCELED, reason::cancelled, std::errc::operation_canceled);
    expect(limiter.acquire(3), -EMSGSIZE, reason::too_big, std::errc::message_size);
    expect(limiter.acquire(0), -EINVAL, reason::invalid, std::errc::invalid_argument);
    ck_assert(limiter.acquire(0).retry_after() == std::chrono::nanoseconds::max());
    {
        const bulkhead::limiter without_queue({"reports", 1});
        const bulkhead::permit one = without_queue.acquire_or_throw();
        expect(without_queue.acquire(), -ENOBUFS, reason::queue_full, std::errc::no_buffer_space);
    }
    ck_assert_int_eq(limiter.close(), 0);
    const bulkhead::outcome closed = limiter.acquire();
    ck_assert_int_eq(closed.error(), -ESHUTDOWN);
    ck_assert(closed.why() == reason::closed);
    ck_assert(closed.retry_after() == std::chrono::nanoseconds::max());
    ck_assert_int_eq(held.release(), 0);
}
END_TEST

START_TEST(refused_outlives_its_limiter)
{
    std::string text;
    try {
        const bulkhead::limiter limiter({std::string(BH_NAME_MAX, 'n'), 1});
        const bulkhead::permit held = limiter.acquire_or_throw();
        const bulkhead::permit none = limiter.acquire_or_throw();
        ck_abort_msg("%s", "admitted twice");
    } catch (const bulkhead::refused &refused) {
        const bulkhead::refused copy = refused;
        ck_assert(copy.why() == bulkhead::reason::queue_full);
        ck_assert(copy.code() == std::errc::no_buffer_space);
        ck_assert(copy.code().category() == bulkhead::category());
        CHECK_TEXT(copy.code().category().name(), "bulkhead");
        CHECK_TEXT(copy.limiter_name(), std::string(BH_NAME_MAX, 'n'));
        ck_assert(copy.is_self_imposed());
        ck_assert(copy.retry_after() == 0ns);
        text = copy.what();
    }
    CHECK_TEXT(text, std::string(BH_NAME_MAX, 'n') + ": nothing is free, and no more may wait");
}
END_TEST

START_TEST(wrong_calls_are_not_self_imposed)
{
    const bulkhead::limiter limiter = made(1);
    try {
        limiter.acquire_or_throw(0).release();
        ck_abort_msg("%s", "admitted with no weight");
    } catch (const std::system_error &error) {
        ck_assert(error.code() == std::errc::invalid_argument);
        ck_assert(!dynamic_cast<const bulkhead::refused &>(error).is_self_imposed());
    }
    ck_assert_int_eq(limiter.acquire(1, {{}, {}, nullptr, "a label that is one byte too long"}).error(), -EINVAL);
}
END_TEST

START_TEST(outcome_hands_its_permit_out)
{
    const bulkhead::limiter limiter = made(1);
    if (auto admitted = limiter.try_acquire()) {
        ck_assert_uint_eq(admitted->weight(), 1);
        ck_assert(static_cast<bool>(*admitted));
        ck_assert_ptr_eq(&admitted.value(), &*admitted);
        bulkhead::outcome refused = limiter.try_acquire();
        ck_assert(!refused && !*refused && !refused->weight());
        bool threw = false;
        try {
            refused.value().release();
        } catch (const bulkhead::refused &) {
            threw = true;
        }
        ck_assert(threw);
        const bulkhead::outcome moved = std::move(admitted);
        ck_assert(static_cast<bool>(moved));
        ck_assert_uint_eq(limiter.snapshot().held, 1);
    }
    check_all_back(limiter);
    const bulkhead::permit out = *limiter.try_acquire();
    ck_assert(static_cast<bool>(out));
    ck_assert_uint_eq(limiter.snapshot().held, 1);
}
END_TEST

} // namespace

int main()
{
    return run_suite("C++ requests and permits",
                     {the_steady_clock_is_the_librarys, each_form_takes_what_it_says, throwing_forms_take_what_they_say,
                      no_bound_below_zero_waits, bounds_are_waited_out, permit_gives_itself_back_once, permit_moves,
                      permit_describes_itself, permit_goes_to_c_and_comes_back, any_thread_may_destroy_a_permit,
                      every_refusal_says_why, refused_outlives_its_limiter, wrong_calls_are_not_self_imposed,
                      outcome_hands_its_permit_out});
}
