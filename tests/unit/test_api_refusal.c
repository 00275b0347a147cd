/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals in words and figures. */
#include "support.h"

static const struct {
    int error;
    uint32_t reason;
    bool self_imposed;
    bool never_again;
} answers[] = {
    {-EINVAL, BH_REASON_INVALID, false, true},      {-E2BIG, BH_REASON_INVALID, false, true},
    {-EAGAIN, BH_REASON_BUSY, true, false},         {-ENOBUFS, BH_REASON_QUEUE_FULL, true, false},
    {-ETIMEDOUT, BH_REASON_TIMED_OUT, true, false}, {-ECANCELED, BH_REASON_CANCELLED, true, false},
    {-ESHUTDOWN, BH_REASON_CLOSED, true, true},     {-EMSGSIZE, BH_REASON_TOO_BIG, true, false},
};

#define ANSWERS (sizeof(answers) / sizeof(answers[0]))

START_TEST(every_answer_of_an_acquire)
{
    bh_limiter *limiter = limiter_make_with(&BH_OPTIONS(.name = "payments", .limit = 1));
    for (size_t i = 0; i < ANSWERS; i++) {
        bh_refusal refusal;
        POISON(refusal);
        refusal.size = sizeof(refusal);
        ck_assert_int_eq(bh_refusal_describe(limiter, answers[i].error, &refusal), 0);
        ck_assert_uint_eq(refusal.size, sizeof(refusal));
        ck_assert_uint_eq(refusal.reason, answers[i].reason);
        ck_assert_uint_eq(refusal.scope, BH_SCOPE_PROCESS);
        ck_assert_str_eq(refusal.name, "payments");
        ck_assert_ptr_eq(refusal.name, bh_limiter_name(limiter));
        ck_assert_str_eq(refusal.reason_text, bh_strerror(answers[i].error));
        ck_assert_uint_gt(strlen(refusal.reason_text), 0);
        ck_assert_uint_eq(refusal.retry_after_ns, answers[i].never_again ? BH_FOREVER : 0);
        if (answers[i].reason != BH_REASON_CANCELLED)
            ck_assert_uint_eq(refusal.self_imposed, answers[i].self_imposed);
    }
    limiter_done(limiter);
}
END_TEST

START_TEST(reasons_have_words_of_their_own)
{
    for (size_t i = 0; i < ANSWERS; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(bh_strerror(answers[i].error), bh_strerror(answers[j].error));
    static const int others[] = {-EALREADY, -ESTALE, -EPERM, -EXDEV, -EBUSY, -ERANGE, -ENOMEM, -1000000, 0, 5};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        ck_assert_ptr_nonnull(bh_strerror(others[i]));
        ck_assert_uint_gt(strlen(bh_strerror(others[i])), 0);
    }
    for (int error = -200; error < 0; error++)
        ck_assert_ptr_nonnull(bh_strerror(error));
}
END_TEST

START_TEST(what_is_no_refusal)
{
    bh_limiter *limiter = limiter_make(1, 0);
    struct {
        uint32_t size;
        unsigned char rest[sizeof(bh_refusal) - sizeof(uint32_t)];
    } raw;
    bh_refusal *refusal = (bh_refusal *)(void *)&raw;
    POISON(raw.rest);
    raw.size = sizeof(bh_refusal);
    ck_assert_int_eq(bh_refusal_describe(limiter, 0, refusal), -EINVAL);
    ck_assert_int_eq(bh_refusal_describe(limiter, 1, refusal), -EINVAL);
    ck_assert_int_eq(bh_refusal_describe(limiter, EAGAIN, refusal), -EINVAL);
    ck_assert_int_eq(bh_refusal_describe(limiter, -EALREADY, refusal), -EINVAL);
    ck_assert_int_eq(bh_refusal_describe(limiter, -ENOMEM, refusal), -EINVAL);
    ck_assert_int_eq(bh_refusal_describe(limiter, INT32_MIN, refusal), -EINVAL);
    ck_assert_int_eq(bh_refusal_describe(NULL, -EAGAIN, refusal), -EINVAL);
    ck_assert_int_eq(bh_refusal_describe(limiter, -EAGAIN, NULL), -EINVAL);
    raw.size = sizeof(bh_refusal) - 1;
    ck_assert_int_eq(bh_refusal_describe(limiter, -EAGAIN, refusal), -EINVAL);
    raw.size = 0;
    ck_assert_int_eq(bh_refusal_describe(limiter, -EAGAIN, refusal), -EINVAL);
    CHECK_UNTOUCHED(raw.rest);
    limiter_done(limiter);
}
END_TEST

START_TEST(hint_comes_from_measured_waits)
{
    bh_limiter *limiter = limiter_make(1, 1);
    bh_permit held = take(limiter, 1);
    struct waiter waiter = {.limiter = limiter};
    waiter_queue(&waiter);
    const bh_ns queued_at = bh_now();
    UNTIL(bh_now() >= queued_at + bh_ms(5));
    give_back(&held);
    ck_assert_int_eq(waiter_end(&waiter), 0);
    const bh_ns whole = waiter.ended_at - waiter.started_at;

    bh_refusal refusal = {.size = sizeof(refusal)};
    bh_permit permit = {0};
    const int error = bh_try_acquire(limiter, &permit);
    ck_assert_int_eq(error, -EAGAIN);
    ck_assert_int_eq(bh_refusal_describe(limiter, error, &refusal), 0);
    ck_assert_uint_ge(refusal.retry_after_ns, bh_ms(5));
    ck_assert_uint_le(refusal.retry_after_ns, whole);
    give_back(&waiter.permit);
    limiter_done(limiter);
}
END_TEST

SUITE_MAIN("refusals", every_answer_of_an_acquire, reasons_have_words_of_their_own, what_is_no_refusal,
           hint_comes_from_measured_waits)
