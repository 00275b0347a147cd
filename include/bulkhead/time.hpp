/* SPDX-License-Identifier: Apache-2.0 */
/* Durations and instants of std::chrono as the library takes them; the rules stand in bulkhead.hpp. */
#ifndef BULKHEAD_TIME_HPP
#define BULKHEAD_TIME_HPP

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <ratio>
#include <type_traits>

#include <bulkhead/time.h>

namespace bulkhead
{

namespace detail
{

template <class Rep, class Period> constexpr bh_ns to_ns(std::chrono::duration<Rep, Period> duration) noexcept
{
    static_assert(std::is_arithmetic_v<Rep>, "a duration that counts in numbers");
    using factor = std::ratio_divide<Period, std::nano>;
    static_assert(factor::num <= std::numeric_limits<std::intmax_t>::max() / factor::den, "the remainder fits");
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr auto multiplier = static_cast<std::uint64_t>(factor::num);
    constexpr auto divisor = static_cast<std::uint64_t>(factor::den);

    if (!(duration.count() > 0)) /* also when it is not a number */
        return 0;
    const long double roughly = static_cast<long double>(duration.count()) * static_cast<long double>(multiplier) /
                                static_cast<long double>(divisor);
    if (roughly >= static_cast<long double>(most))
        return static_cast<bh_ns>(most);
    if constexpr (std::is_floating_point_v<Rep>) {
        const auto whole = static_cast<bh_ns>(roughly);
        return static_cast<long double>(whole) < roughly ? whole + 1 : whole;
    } else {
        const auto count = static_cast<std::uint64_t>(duration.count());
        const std::uint64_t rest = count % divisor * multiplier;
        return count / divisor * multiplier + rest / divisor + (rest % divisor != 0 ? 1u : 0u);
    }
}

constexpr std::chrono::nanoseconds from_ns(bh_ns time) noexcept
{
    constexpr auto most = std::chrono::nanoseconds::max();
    return time < static_cast<bh_ns>(most.count()) ? std::chrono::nanoseconds(static_cast<std::int64_t>(time)) : most;
}

} // namespace detail

/* How long a request may wait: any duration, or `forever`. */
class wait_time
{
  public:
    template <class Rep, class Period>
    constexpr wait_time(std::chrono::duration<Rep, Period> most) noexcept : ns_(detail::to_ns(most))
    {
    }

    /* Without any bound. */
    static constexpr wait_time without_bound() noexcept
    {
        return wait_time(BH_FOREVER);
    }

    /* As the C functions take it: 0 is no wait, BH_FOREVER no bound. */
    constexpr bh_ns ns() const noexcept
    {
        return ns_;
    }

  private:
    explicit constexpr wait_time(bh_ns ns) noexcept : ns_(ns)
    {
    }

    bh_ns ns_;
};

inline constexpr wait_time forever = wait_time::without_bound();
inline constexpr wait_time no_wait = std::chrono::nanoseconds::zero();

namespace detail
{

/* In the structures of C 0 stands for the default. */
constexpr bh_ns field_of(const std::optional<wait_time> &wait) noexcept
{
    return !wait ? 0 : wait->ns() == 0 ? BH_NO_WAIT : wait->ns();
}

constexpr bh_ns field_of(const std::optional<std::chrono::steady_clock::time_point> &deadline) noexcept
{
    if (!deadline)
        return 0;
    const bh_ns ns = to_ns(deadline->time_since_epoch());
    return ns == 0 ? 1 : ns;
}

} // namespace detail

} // namespace bulkhead

#endif
