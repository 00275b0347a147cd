/* SPDX-License-Identifier: Apache-2.0 */
/* Permits that give themselves back. */
#ifndef BULKHEAD_PERMIT_HPP
#define BULKHEAD_PERMIT_HPP

#include <cstdint>
#include <string>
#include <utility>

#include <bulkhead/permit.h>

namespace bulkhead
{

/* The right to use some units of a limiter's resource, given back when it is destroyed or assigned to. Any thread may
 * destroy what another acquired. It may outlive the `limiter` object (see there). */
class permit
{
  public:
    permit() noexcept = default;

    /* Takes over what C code acquired. */
    explicit permit(const bh_permit &raw) noexcept : raw_(raw)
    {
    }

    permit(permit &&other) noexcept : raw_(other.detach())
    {
    }

    permit &operator=(permit &&other) noexcept
    {
        if (this != &other) {
            bh_permit_cleanup(&raw_);
            raw_ = other.detach();
        }
        return *this;
    }

    ~permit()
    {
        bh_permit_cleanup(&raw_);
    }

    /* Gives it back now. The answers of bh_release(); after a 0 the object is not held any more. */
    int release() noexcept
    {
        return bh_release(&raw_);
    }

    /* Whoever asked for the work has left, the work goes on. The answers of bh_permit_mark_late(). */
    int mark_late() noexcept
    {
        return bh_permit_mark_late(&raw_);
    }

    /* Is it held through this object? */
    explicit operator bool() const noexcept
    {
        return bh_permit_is_held(&raw_) != 0;
    }

    /* The answers of bh_permit_describe(); `ret_info` is filled when it is 0. */
    [[nodiscard]] int describe(bh_permit_info &ret_info) const noexcept
    {
        ret_info.size = static_cast<std::uint32_t>(sizeof ret_info);
        return bh_permit_describe(&raw_, &ret_info);
    }

    /* What it is; 0, false and "" when it is not out. */
    std::uint32_t weight() const noexcept
    {
        return described().weight;
    }

    bool is_late() const noexcept
    {
        return described().late != 0;
    }

    std::string label() const
    {
        return described().label;
    }

    /* Hands it over to C code, which has to release it; this object is empty then. */
    [[nodiscard]] bh_permit detach() noexcept
    {
        return std::exchange(raw_, bh_permit{});
    }

    /* For C functions that look at it. */
    const bh_permit *get() const noexcept
    {
        return &raw_;
    }

  private:
    template <class Self> friend class limiter_calls;

    bh_permit_info described() const noexcept
    {
        bh_permit_info info{};
        return describe(info) == 0 ? info : bh_permit_info{};
    }

    bh_permit raw_{};
};

} // namespace bulkhead

#endif
