/* SPDX-License-Identifier: Apache-2.0 */
/* Cancellation tokens with an owner. */
#ifndef BULKHEAD_CANCEL_HPP
#define BULKHEAD_CANCEL_HPP

#include <new>
#include <utility>

#include <bulkhead/cancel.h>

namespace bulkhead
{

/* One token ends any number of waits, on any limiters, from any thread. It must live until the acquires that use it have
 * returned; if it is destroyed while one still waits, that wait is cancelled and the token's memory is never given back. */
class cancel_token
{
  public:
#ifdef __cpp_exceptions
    /* Throws std::bad_alloc. */
    cancel_token() : cancel_token(std::nothrow)
    {
        if (raw_ == nullptr)
            throw std::bad_alloc();
    }
#endif

    /* Is false (operator bool) when there was no memory. */
    explicit cancel_token(std::nothrow_t) noexcept
    {
        if (bh_cancel_new(&raw_) != 0)
            raw_ = nullptr;
    }

    cancel_token(cancel_token &&other) noexcept : raw_(std::exchange(other.raw_, nullptr))
    {
    }

    cancel_token &operator=(cancel_token &&other) noexcept
    {
        cancel_token moved(std::move(other));
        std::swap(raw_, moved.raw_);
        return *this;
    }

    ~cancel_token()
    {
        if (bh_cancel_free(raw_) != 0)
            bh_cancel_all(raw_);
    }

    /* Is there a token? Not after it was moved away; requests take such a one for none. */
    explicit operator bool() const noexcept
    {
        return raw_ != nullptr;
    }

    /* Ends all waits that use it, and every later request with it, with -ECANCELED. */
    void cancel() const noexcept
    {
        bh_cancel_all(raw_);
    }

    bool is_cancelled() const noexcept
    {
        return bh_cancel_is_cancelled(raw_) != 0;
    }

    bh_cancel *get() const noexcept
    {
        return raw_;
    }

  private:
    bh_cancel *raw_ = nullptr;
};

} // namespace bulkhead

#endif
