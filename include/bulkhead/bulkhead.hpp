/* SPDX-License-Identifier: Apache-2.0 */
/* All of libbulkhead for C++17 and later: permits that give themselves back, std::chrono, and refusals as values or as
 * exceptions. It only calls the C functions, whose headers say the rest: ranges, orders, what is counted.
 *
 *     bulkhead::limiter reports({"reports", 60, 5, 50ms});  // name, limit, queue, wait; C++20: {.name = "reports", ...}
 *     if (auto admitted = reports.acquire())                // the permit lives as long as `admitted`
 *         call_reporting_service();
 *     else
 *         log(admitted.code().message());
 *
 * Time. A std::chrono duration is rounded up to nanoseconds; one below zero is zero, and one beyond 292 years is 292 years
 * (INT64_MAX nanoseconds), never a wait without bound: that is asked for by name, `bulkhead::forever`. An instant is one of
 * std::chrono::steady_clock, which on Linux is CLOCK_MONOTONIC, the library's own clock (in libstdc++ and libc++); those of
 * clocks that somebody can set do not compile.
 *
 * Errors. As in C an answer is 0 or a negative errno. Only what is marked "throws" throws (std::bad_alloc from making a
 * std::string aside); those functions are left out where exceptions are off. Numbers as std::error_code: code_of().
 *
 * Threads. Members that are const may be called on one object by any number of threads at once; others, as everywhere in
 * C++, by one at a time. */
#ifndef BULKHEAD_BULKHEAD_HPP
#define BULKHEAD_BULKHEAD_HPP

#if __cplusplus < 201703L
#error "bulkhead.hpp needs C++17"
#endif

#include <bulkhead/bulkhead.h>

#include <bulkhead/cancel.hpp>
#include <bulkhead/limiter.hpp>
#include <bulkhead/outcome.hpp>
#include <bulkhead/permit.hpp>
#include <bulkhead/refusal.hpp>
#include <bulkhead/snapshot.hpp>
#include <bulkhead/time.hpp>

#endif
