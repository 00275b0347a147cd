/* SPDX-License-Identifier: Apache-2.0 */
/* Limiters: their owner, a view of them, and what can be asked of both. */
#ifndef BULKHEAD_LIMITER_HPP
#define BULKHEAD_LIMITER_HPP

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <bulkhead/limiter.h>
#include <bulkhead/snapshot.h>
#include <bulkhead/outcome.hpp>
#include <bulkhead/permit.hpp>
#include <bulkhead/time.hpp>

namespace bulkhead
{

enum class queue_order : std::uint32_t {
    fifo = BH_ORDER_FIFO,
    barging = BH_ORDER_BARGING,
};

/* What a limiter is made with: bh_options, where the ranges and the defaults stand. */
struct options {
    std::string name{};              /* the resource; required */
    std::uint32_t limit = 0;         /* units out at once */
    std::uint32_t queue = 0;         /* requests that may wait at once */
    std::optional<wait_time> wait{}; /* of a request that names none; nothing: one second */
    queue_order order = queue_order::fifo;
    std::uint64_t queue_weight = 0;      /* units that may wait at once; 0: only `queue` bounds the queue */
    std::chrono::nanoseconds patience{}; /* barging: how long the head is passed; zero: half a millisecond */
    std::uint32_t max_permits = 0;       /* the highest limit that can ever be set; 0: from `limit` */
    std::string unit{};                  /* what one unit is; "": "calls" */
};

/* What can be asked of a limiter, through its owner (`limiter`) or through a view (`limiter_ref`). A limiter that was moved
 * away, or never made, answers -EINVAL, and with nothing. */
template <class Self> class limiter_calls
{
  public:
    /* Never waits. */
    outcome try_acquire(std::uint32_t weight = 1) const noexcept
    {
        return ask([&](bh_limiter *raw, bh_permit *ret) { return bh_try_acquire_weight(raw, weight, ret); });
    }

    /* Waits within the limiter's own wait. */
    outcome acquire() const noexcept
    {
        return ask([](bh_limiter *raw, bh_permit *ret) { return bh_acquire(raw, ret); });
    }

    outcome acquire(std::uint32_t weight) const noexcept
    {
        return ask([&](bh_limiter *raw, bh_permit *ret) { return bh_acquire_request(raw, weight, nullptr, ret); });
    }

    /* Waits as the request says. */
    outcome acquire(std::uint32_t weight, const request &request) const noexcept
    {
        bh_request asked{};
        asked.size = static_cast<std::uint32_t>(sizeof asked);
        asked.wait_ns = detail::field_of(request.wait);
        asked.deadline_ns = detail::field_of(request.deadline);
        asked.cancel = request.cancel != nullptr ? request.cancel->get() : nullptr;
        asked.label = request.label;
        return ask([&](bh_limiter *raw, bh_permit *ret) { return bh_acquire_request(raw, weight, &asked, ret); });
    }

    /* Waits at most that long: any std::chrono duration, or `forever`. */
    outcome acquire_for(std::uint32_t weight, wait_time most) const noexcept
    {
        return ask([&](bh_limiter *raw, bh_permit *ret) { return bh_acquire_for(raw, weight, most.ns(), ret); });
    }

    /* Waits at most until that instant. What is left of the deadline after it is the work's. */
    template <class Duration>
    outcome acquire_until(std::uint32_t weight,
                          std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) const noexcept
    {
        const bh_ns ns = detail::to_ns(deadline.time_since_epoch());
        return ask([&](bh_limiter *raw, bh_permit *ret) { return bh_acquire_until(raw, weight, ns, ret); });
    }

#ifdef __cpp_exceptions
    /* The forms of acquire() that throw `refused` instead. */
    permit acquire_or_throw() const
    {
        return acquire().value();
    }

    permit acquire_or_throw(std::uint32_t weight) const
    {
        return acquire(weight).value();
    }

    permit acquire_or_throw(std::uint32_t weight, const request &request) const
    {
        return acquire(weight, request).value();
    }
#endif

    /* Gives a permit back that must be from here. The answers of bh_release_to(). */
    int release(permit &permit) const noexcept
    {
        return bh_release_to(raw(), &permit.raw_);
    }

    /* Valid until the limiter is freed. */
    const char *name() const noexcept
    {
        return raw() != nullptr ? bh_limiter_name(raw()) : "";
    }

    const char *unit() const noexcept
    {
        return raw() != nullptr ? bh_limiter_unit(raw()) : "";
    }

    std::uint32_t limit() const noexcept
    {
        return raw() != nullptr ? bh_limiter_limit(raw()) : 0;
    }

    std::uint32_t max_permits() const noexcept
    {
        return raw() != nullptr ? bh_limiter_max_permits(raw()) : 0;
    }

    /* Never waits for permits and never takes one away. The answers of bh_limiter_set_limit(). */
    [[nodiscard]] int set_limit(std::uint32_t limit) const noexcept
    {
        return bh_limiter_set_limit(raw(), limit);
    }

    /* Refuses new requests and ends all waits. The answers of bh_limiter_close(). */
    int close() const noexcept
    {
        return bh_limiter_close(raw());
    }

    /* Refuses new requests and waits until all is back. The answers of bh_limiter_drain(). */
    [[nodiscard]] int drain(wait_time most) const noexcept
    {
        return bh_limiter_drain(raw(), most.ns());
    }

    /* Takes no lock and disturbs nobody. All zero when there is no limiter. */
    bh_snapshot snapshot() const noexcept
    {
        bh_snapshot snapshot{};
        snapshot.size = static_cast<std::uint32_t>(sizeof snapshot);
        return bh_limiter_snapshot(raw(), &snapshot) == 0 ? snapshot : bh_snapshot{};
    }

    explicit operator bool() const noexcept
    {
        return raw() != nullptr;
    }

  protected:
    limiter_calls() = default;
    limiter_calls(const limiter_calls &) = default;
    limiter_calls &operator=(const limiter_calls &) = default;
    ~limiter_calls() = default;

  private:
    bh_limiter *raw() const noexcept
    {
        return static_cast<const Self *>(this)->get();
    }

    template <class Call> outcome ask(Call call) const noexcept
    {
        outcome answer(raw());
        answer.error_ = call(raw(), &answer.permit_.raw_);
        return answer;
    }
};

/* A limiter and its owner.
 *
 * The destructor never waits. It closes the limiter, which ends what waits, and frees it. If permits are out then, or an
 * acquire that waited has not returned yet, it is left behind instead, closed: permits are released like any others, and its
 * memory stays until the process ends. Who wants it back drains first. Beside an acquire that waits, no call may run on the
 * limiter once the destructor has begun. */
class limiter : public limiter_calls<limiter>
{
  public:
    /* None. */
    limiter() noexcept = default;

#ifdef __cpp_exceptions
    /* Throws std::system_error: what make() answers, as a code. */
    explicit limiter(const options &options)
    {
        const int answer = make(options, *this);
        if (answer != 0)
            throw std::system_error(code_of(answer), "bulkhead::limiter " + options.name);
    }
#endif

    /* Takes over what C code made, or nothing (nullptr). */
    explicit limiter(bh_limiter *raw) noexcept : raw_(raw)
    {
    }

    /* Makes one in `ret_limiter`, in the place of what that had. The answers of bh_limiter_new(); after any but 0
     * `ret_limiter` is as it was. A NUL inside the name or the unit is -EINVAL. */
    [[nodiscard]] static int make(const options &options, limiter &ret_limiter) noexcept
    {
        if (options.name.find('\0') != std::string::npos || options.unit.find('\0') != std::string::npos)
            return -EINVAL;
        bh_options made{};
        made.size = static_cast<std::uint32_t>(sizeof made);
        made.limit = options.limit;
        made.queue = options.queue;
        made.order = static_cast<std::uint32_t>(options.order);
        made.queue_weight = options.queue_weight;
        made.wait_ns = detail::field_of(options.wait);
        made.patience_ns = detail::to_ns(options.patience);
        made.max_permits = options.max_permits;
        made.name = options.name.c_str();
        made.unit = options.unit.empty() ? nullptr : options.unit.c_str();
        bh_limiter *raw = nullptr;
        const int answer = bh_limiter_new(&made, &raw);
        if (answer == 0)
            ret_limiter = limiter(raw);
        return answer;
    }

    limiter(limiter &&other) noexcept : raw_(other.detach())
    {
    }

    /* What was there before ends as in the destructor. */
    limiter &operator=(limiter &&other) noexcept
    {
        limiter moved(std::move(other));
        std::swap(raw_, moved.raw_);
        return *this;
    }

    ~limiter()
    {
        if (raw_ == nullptr)
            return;
        bh_limiter_close(raw_);
        bh_limiter_free(raw_);
    }

    /* Frees it if nobody uses it. The answers of bh_limiter_free(): after a 0 the object is empty. */
    [[nodiscard]] int try_free() noexcept
    {
        const int answer = bh_limiter_free(raw_);
        if (answer == 0)
            raw_ = nullptr;
        return answer;
    }

    /* Hands it over to C code, which has to free it; this object is empty then. */
    [[nodiscard]] bh_limiter *detach() noexcept
    {
        return std::exchange(raw_, nullptr);
    }

    bh_limiter *get() const noexcept
    {
        return raw_;
    }

  private:
    bh_limiter *raw_ = nullptr;
};

/* A limiter that somebody else owns, and that must outlive the view; a pointer in size and cost. */
class limiter_ref : public limiter_calls<limiter_ref>
{
  public:
    explicit limiter_ref(bh_limiter *raw) noexcept : raw_(raw)
    {
    }

    limiter_ref(const limiter &owner) noexcept : raw_(owner.get())
    {
    }

    limiter_ref(const limiter &&) = delete;

    bh_limiter *get() const noexcept
    {
        return raw_;
    }

  private:
    bh_limiter *raw_;
};

} // namespace bulkhead

#endif
