/* SPDX-License-Identifier: Apache-2.0 */
/* What the C++ tests share. */
#ifndef BH_TESTS_UNIT_SUPPORT_HPP
#define BH_TESTS_UNIT_SUPPORT_HPP

#include <bulkhead/bulkhead.hpp>

#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <thread>

#include <check.h>

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

/* Waits until the condition holds; fails the test after the watchdog's time. */
template <class Condition> void until(Condition condition)
{
    const auto give_up_at = steady::now() + 30s;
    while (!condition()) {
        ck_assert_msg(steady::now() < give_up_at, "%s", "never came true");
        std::this_thread::yield();
    }
}

/* Compares texts of any kind, which may be temporaries. */
#define CHECK_TEXT(is, should_be)                          \
    do {                                                   \
        const std::string is_ = (is);                      \
        const std::string should_be_ = (should_be);        \
        ck_assert_str_eq(is_.c_str(), should_be_.c_str()); \
    } while (0)

inline bulkhead::limiter made(std::uint32_t limit, std::uint32_t queue = 0,
                              bulkhead::wait_time wait = bulkhead::forever)
{
    return bulkhead::limiter({"test", limit, queue, wait});
}

inline void check_all_back(const bulkhead::limiter &limiter)
{
    const bh_snapshot now = limiter.snapshot();
    ck_assert_uint_eq(now.granted, now.released);
    ck_assert_uint_eq(now.permits_out, 0);
    ck_assert_uint_eq(now.held, 0);
    ck_assert_uint_eq(now.waiting, 0);
}

/* Runs the tests as one suite, each in its own process; what main() returns. */
inline int run_suite(const char *name, std::initializer_list<const TTest *> tests)
{
    constexpr double timeout_seconds = 150;
    Suite *suite = suite_create(name);
    for (const TTest *test : tests) {
        TCase *one = tcase_create(test->name);
        tcase_set_timeout(one, timeout_seconds);
        tcase_add_test(one, test);
        suite_add_tcase(suite, one);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
