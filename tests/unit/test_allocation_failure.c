/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that cannot be had, at each allocation in turn: an error, and never a leak or a crash. */
#include "support.h"

#include <stdlib.h>

#if !UNDER_SANITIZER && defined(__GLIBC__)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static _Thread_local bool counting;
static _Thread_local unsigned until_failure; /* 1: the next one fails; 0: none does */
static _Thread_local unsigned failures;
static _Thread_local long live;

static bool must_fail(void)
{
    if (!counting || until_failure == 0 || --until_failure > 0)
        return false;
    failures++;
    return true;
}

static void *count_live(void *memory)
{
    if (counting && memory)
        live++;
    return memory;
}

void *malloc(size_t size)
{
    return must_fail() ? NULL : count_live(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : count_live(__libc_calloc(count, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : count_live(__libc_memalign(alignment, size));
}

int posix_memalign(void **ret_memory, size_t alignment, size_t size)
{
    void *memory = aligned_alloc(alignment, size);
    if (!memory)
        return ENOMEM;
    *ret_memory = memory;
    return 0;
}

void free(void *memory)
{
    if (counting && memory)
        live--;
    __libc_free(memory);
}

static void fail_at(unsigned number)
{
    counting = true;
    until_failure = number;
    failures = 0;
    live = 0;
}

static bool has_failed(void)
{
    counting = false;
    return failures > 0;
}

START_TEST(making_a_limiter)
{
    unsigned number = 1;
    for (;; number++) {
        bh_limiter *limiter;
        POISON(limiter);
        fail_at(number);
        const int result = bh_limiter_new(&BH_OPTIONS(.name = "db", .limit = 4, .queue = 8), &limiter);
        if (!has_failed()) {
            ck_assert_int_eq(result, 0);
            limiter_done(limiter);
            break;
        }
        ck_assert_int_eq(result, -ENOMEM);
        ck_assert_int_eq(live, 0);
        CHECK_UNTOUCHED(limiter);
    }
    ck_assert_uint_gt(number, 1);
}
END_TEST

START_TEST(making_a_token)
{
    bh_cancel *token;
    POISON(token);
    fail_at(1);
    const int result = bh_cancel_new(&token);
    ck_assert(has_failed());
    ck_assert_int_eq(result, -ENOMEM);
    CHECK_UNTOUCHED(token);
}
END_TEST

START_TEST(making_a_permit)
{
    fail_at(1);
    const bh_permit *permit = bh_permit_new();
    ck_assert(has_failed());
    ck_assert_ptr_null(permit);
}
END_TEST

struct first_use {
    bh_limiter *limiter;
    unsigned fail_at;
    bool failed;
};

/* A thread that gets no memory for its own counters and seats works all the same. */
static void *first_use_body(void *argument)
{
    struct first_use *use = argument;
    bh_permit permit = {0};
    bh_permit more = {0};
    fail_at(use->fail_at);
    const int first = bh_try_acquire(use->limiter, &permit);
    const int second = bh_acquire_for(use->limiter, 2, bh_seconds(1), &more);
    const int first_back = bh_release(&permit);
    const int second_back = bh_release(&more);
    use->failed = has_failed();
    ck_assert_int_eq(first, 0);
    ck_assert_int_eq(second, 0);
    ck_assert_int_eq(first_back, 0);
    ck_assert_int_eq(second_back, 0);
    return NULL;
}

START_TEST(first_use_by_a_thread)
{
    bh_limiter *limiter = limiter_make(3, 1);
    struct first_use use = {.limiter = limiter};
    do {
        use.fail_at++;
        thread_join(thread_start(first_use_body, &use));
        check_all_back(limiter, 3);
        ck_assert_uint_eq(look(limiter).granted, 2 * use.fail_at);
    } while (use.failed);
    ck_assert_uint_gt(use.fail_at, 1);
    limiter_done(limiter);
}
END_TEST

START_TEST(a_limiter_gives_back_what_it_took)
{
    bh_limiter *first = limiter_make(4, 4); /* a handle that is kept for ever is made here */
    bh_permit permit = take(first, 1);
    give_back(&permit);
    limiter_done(first);
    fail_at(0);
    for (unsigned i = 0; i < 100; i++) {
        bh_limiter *limiter = NULL;
        ck_assert_int_eq(bh_limiter_new(&BH_OPTIONS(.name = "db", .limit = 4, .queue = 8), &limiter), 0);
        ck_assert_int_eq(bh_try_acquire(limiter, &permit), 0);
        ck_assert_int_eq(bh_release(&permit), 0);
        ck_assert_int_eq(bh_limiter_free(limiter), 0);
        bh_cancel *token = NULL;
        ck_assert_int_eq(bh_cancel_new(&token), 0);
        ck_assert_int_eq(bh_cancel_free(token), 0);
        bh_permit_delete(bh_permit_new());
    }
    counting = false;
    ck_assert_int_eq(live, 0);
}
END_TEST

SUITE_MAIN("allocation failure", making_a_limiter, making_a_token, making_a_permit, first_use_by_a_thread,
           a_limiter_gives_back_what_it_took)
#else
int main(void)
{
    return 77; /* a sanitizer has its own malloc */
}
#endif
