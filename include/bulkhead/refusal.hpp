/* SPDX-License-Identifier: Apache-2.0 */
/* Answers as std::error_code, and a refusal as an exception. */
#ifndef BULKHEAD_REFUSAL_HPP
#define BULKHEAD_REFUSAL_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>

#include <bulkhead/refusal.h>
#include <bulkhead/time.hpp>

namespace bulkhead
{

enum class reason : std::uint32_t {
    none = BH_REASON_NONE,
    invalid = BH_REASON_INVALID,
    busy = BH_REASON_BUSY,
    queue_full = BH_REASON_QUEUE_FULL,
    timed_out = BH_REASON_TIMED_OUT,
    cancelled = BH_REASON_CANCELLED,
    closed = BH_REASON_CLOSED,
    too_big = BH_REASON_TOO_BIG,
};

namespace detail
{

class error_category final : public std::error_category
{
  public:
    const char *name() const noexcept override
    {
        return "bulkhead";
    }

    std::string message(int number) const override
    {
        return bh_strerror(-number);
    }

    std::error_condition default_error_condition(int number) const noexcept override
    {
        return std::error_condition(number, std::generic_category());
    }
};

} // namespace detail

/* Its numbers are errno's, so that a code compares with std::errc (code == std::errc::timed_out); its words are
 * bh_strerror()'s. */
inline const std::error_category &category() noexcept
{
    static const detail::error_category instance;
    return instance;
}

/* The code for any answer of this library: a negative errno, or 0, which is no error. */
inline std::error_code code_of(int answer) noexcept
{
    return std::error_code(-answer, category());
}

#ifdef __cpp_exceptions
/* A refusal as an exception. what() reads "reports: the queue is full". Copying it never fails, and it needs no limiter. */
class refused : public std::system_error
{
  public:
    refused(int answer, const bh_refusal &refusal)
        : std::system_error(code_of(answer), refusal.name), why_(static_cast<reason>(refusal.reason)),
          self_imposed_(refusal.self_imposed != 0), retry_after_(detail::from_ns(refusal.retry_after_ns))
    {
        const std::size_t length = std::strlen(refusal.name);
        std::memcpy(name_, refusal.name, length < BH_NAME_MAX ? length : BH_NAME_MAX);
    }

    reason why() const noexcept
    {
        return why_;
    }

    const char *limiter_name() const noexcept
    {
        return name_;
    }

    /* The limiter refused by its own rules: no evidence about the resource's health. */
    bool is_self_imposed() const noexcept
    {
        return self_imposed_;
    }

    /* As in bh_refusal: zero when nothing was measured yet, nanoseconds::max() for never. */
    std::chrono::nanoseconds retry_after() const noexcept
    {
        return retry_after_;
    }

  private:
    reason why_;
    bool self_imposed_;
    std::chrono::nanoseconds retry_after_;
    char name_[BH_NAME_MAX + 1] = {};
};
#endif

} // namespace bulkhead

#endif
