/* SPDX-License-Identifier: Apache-2.0 */
/* What a request asks, and the answer to it. */
#ifndef BULKHEAD_OUTCOME_HPP
#define BULKHEAD_OUTCOME_HPP

#include <chrono>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include <bulkhead/cancel.hpp>
#include <bulkhead/permit.hpp>
#include <bulkhead/refusal.hpp>
#include <bulkhead/time.hpp>

namespace bulkhead
{

/* What one request asks beyond its weight. Nothing in it is copied before the call, so it must live until that returns. */
struct request {
    std::optional<wait_time> wait{};                                 /* nothing: the limiter's own */
    std::optional<std::chrono::steady_clock::time_point> deadline{}; /* the earlier of wait and deadline counts */
    const cancel_token *cancel = nullptr;
    const char *label = nullptr; /* no std::string, which would cost an allocation for each request */
};

/* The answer to a request: a permit, or why there is none. */
class [[nodiscard]] outcome
{
  public:
    /* Was it admitted? Stays true when the permit is moved out or released. */
    explicit operator bool() const noexcept
    {
        return error_ == 0;
    }

    /* 0, or the negative errno of the refusal (permit.h). */
    int error() const noexcept
    {
        return error_;
    }

    std::error_code code() const noexcept
    {
        return code_of(error_);
    }

    /* The rest says more about a refusal. The limiter must be there still. */
    reason why() const noexcept
    {
        return static_cast<reason>(refusal().reason);
    }

    std::chrono::nanoseconds retry_after() const noexcept
    {
        return detail::from_ns(refusal().retry_after_ns);
    }

    /* As bh_refusal_describe() gives it; for an admission, and where there is no limiter, the name is "". */
    bh_refusal refusal() const noexcept
    {
        bh_refusal refusal{};
        refusal.size = static_cast<std::uint32_t>(sizeof refusal);
        if (bh_refusal_describe(limiter_, error_, &refusal) != 0) {
            refusal.reason = error_ == 0 ? BH_REASON_NONE : BH_REASON_INVALID;
            refusal.name = "";
            refusal.reason_text = bh_strerror(error_);
            refusal.retry_after_ns = error_ == 0 ? 0 : BH_FOREVER;
        }
        return refusal;
    }

    /* The permit, unasked: an empty one when the request was refused. */
    permit &operator*() &noexcept
    {
        return permit_;
    }

    permit operator*() &&noexcept
    {
        return std::move(permit_);
    }

    permit *operator->() noexcept
    {
        return &permit_;
    }

#ifdef __cpp_exceptions
    /* The permit. Throws `refused` when there is none; the limiter must be there still then. */
    permit &value() &
    {
        throw_if_refused();
        return permit_;
    }

    permit value() &&
    {
        throw_if_refused();
        return std::move(permit_);
    }
#endif

  private:
    template <class Self> friend class limiter_calls;

    explicit outcome(bh_limiter *limiter) noexcept : limiter_(limiter)
    {
    }

#ifdef __cpp_exceptions
    void throw_if_refused() const
    {
        if (error_ != 0)
            throw refused(error_, refusal());
    }
#endif

    permit permit_;
    bh_limiter *limiter_;
    int error_ = 0;
};

} // namespace bulkhead

#endif
