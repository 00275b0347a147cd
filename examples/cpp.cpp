/* SPDX-License-Identifier: Apache-2.0 */
/* The library from C++17: a permit lives as long as the object, time is std::chrono, a refusal is a value or is thrown. */
#include <bulkhead/bulkhead.hpp>

#include <chrono>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

namespace
{

struct service {
    bulkhead::limiter reports{{"reports", 2, 4, 20ms}}; /* name, limit, queue, wait */
    bulkhead::limiter cache{{"cache", 8}};              /* no queue: what cannot start at once is refused */
};

/* A refusal as a value: the caller has something else to give. */
std::string report_or_nothing(const service &service)
{
    if (const auto admitted = service.reports.try_acquire())
        return "the report";
    else
        return "no report now: " + admitted.code().message();
}

/* A refusal as an exception: there is nothing to be done here. The deadline covers the wait and the work. */
std::chrono::nanoseconds time_for_the_call(const service &service, std::chrono::steady_clock::time_point deadline)
{
    bulkhead::request request;
    request.deadline = deadline;
    request.label = "checkout";
    const bulkhead::permit permit = service.cache.acquire_or_throw(1, request);
    return deadline - std::chrono::steady_clock::now();
}

} // namespace

int main()
{
    const service service;
    std::cout << report_or_nothing(service) << '\n';
    bulkhead::permit both = service.reports.acquire_or_throw(2);
    std::cout << report_or_nothing(service) << '\n';
    const auto left = time_for_the_call(service, std::chrono::steady_clock::now() + 1s);

    /* Work that goes to another thread takes its permit along. */
    std::thread worker([permit = std::move(both)] { std::this_thread::sleep_for(2ms); });
    const bool served = static_cast<bool>(service.reports.acquire_for(1, 1s)); /* after the worker gave back */
    worker.join();

    bool refused = false;
    try {
        const bulkhead::permit all = service.cache.acquire_or_throw(8);
        time_for_the_call(service, std::chrono::steady_clock::now() + 1s);
    } catch (const bulkhead::refused &refusal) {
        refused = refusal.why() == bulkhead::reason::queue_full;
        std::cout << refusal.what() << '\n';
    }
    std::cout << bulkhead::openmetrics({service.reports, service.cache}).size() << " bytes of metrics\n";
    const bool balanced = service.reports.snapshot().held == 0 && service.cache.snapshot().held == 0;
    return left > 0ns && served && refused && balanced ? 0 : 1;
}
