/* SPDX-License-Identifier: Apache-2.0 */
/* After a thread's first use: no allocation and no system call on an uncontended acquire or release, and park and wake
 * alone on a contended one.
 *
 * System calls are watched with a seccomp filter: one that is not expected raises SIGSYS, and the process ends with its
 * number. Allocations are counted by putting this program's malloc before the C library's.
 */
#include "support.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAIRS 100000u

/* ---- allocations --------------------------------------------------------------------------------------------------- */

#if UNDER_SANITIZER || !defined(__GLIBC__)
int main(void)
{
    return 77; /* a sanitizer allocates and makes system calls of its own */
}
#else
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local unsigned allocations;

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    allocations++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **ret_memory, size_t alignment, size_t size)
{
    allocations++;
    *ret_memory = __libc_memalign(alignment, size);
    return *ret_memory ? 0 : ENOMEM;
}

/* ---- system calls -------------------------------------------------------------------------------------------------- */

/* What the watched process found, in memory it shares with the test. */
static struct {
    int call;
    int line;
} * report;

static void unexpected_call(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)context;
    report->call = info->si_syscall;
    _exit(1);
}

#define CHILD_EXPECTS(condition)     \
    do {                             \
        if (!(condition)) {          \
            report->line = __LINE__; \
            _exit(1);                \
        }                            \
    } while (0)

/* From here on the calling thread may end, return from a signal, and make these calls (-1: none). */
static void allow_only(int call, int other_call)
{
    struct sigaction action = {.sa_sigaction = unexpected_call, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &action, NULL);
    const unsigned number = (unsigned)(call < 0 ? SYS_exit_group : call);
    const unsigned other_number = (unsigned)(other_call < 0 ? SYS_exit_group : other_call);
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other_number, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog filter = {.len = sizeof(program) / sizeof(program[0]), .filter = program};
    CHILD_EXPECTS(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHILD_EXPECTS(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0);
}

/* Runs the body in a child; what it found is in the report, zeros if nothing. */
static void run_watched(void (*body)(void))
{
    report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(report != MAP_FAILED);
    fflush(NULL);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(2 * WATCHDOG_SECONDS);
        body();
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "the watched process ended on signal %d", WTERMSIG(status));
}

static void check_quiet(void (*body)(void))
{
    run_watched(body);
    ck_assert_msg(report->call == 0, "system call %d was made", report->call);
    ck_assert_msg(report->line == 0, "not so: line %d", report->line);
}

/* ---- uncontended --------------------------------------------------------------------------------------------------- */

static bh_limiter *child_limiter(uint32_t limit, uint32_t queue, uint32_t order)
{
    bh_limiter *limiter = NULL;
    CHILD_EXPECTS(bh_limiter_new(&BH_OPTIONS(.name = "quiet", .limit = limit, .queue = queue, .order = order,
                                             .wait_ns = BH_FOREVER),
                                 &limiter) == 0);
    return limiter;
}

static void one_pair(bh_limiter *limiter, uint32_t form)
{
    bh_permit permit = {0};
    int result;
    if (form == 0)
        result = bh_try_acquire(limiter, &permit);
    else if (form == 1)
        result = bh_acquire(limiter, &permit);
    else if (form == 2)
        result = bh_acquire_for(limiter, 1, bh_seconds(1), &permit);
    else
        result = bh_acquire_request(limiter, 1, &BH_REQUEST(.wait_ns = bh_ms(5), .label = "quiet"), &permit);
    CHILD_EXPECTS(result == 0);
    CHILD_EXPECTS(bh_release(&permit) == 0);
}

static void uncontended_body(uint32_t order)
{
    bh_limiter *limiter = child_limiter(4, 4, order);
    for (uint32_t form = 0; form < 4; form++)
        one_pair(limiter, form);
    allow_only(-1, -1);
    const unsigned before = allocations;
    for (unsigned i = 0; i < PAIRS; i++)
        one_pair(limiter, i % 4);
    CHILD_EXPECTS(allocations == before);
}

static void uncontended_fifo_body(void)
{
    uncontended_body(BH_ORDER_FIFO);
}

static void uncontended_barging_body(void)
{
    uncontended_body(BH_ORDER_BARGING);
}

static void weights_body(void)
{
    bh_limiter *limiter = child_limiter(16, 4, BH_ORDER_FIFO);
    bh_permit permit = {0};
    one_pair(limiter, 0);
    allow_only(-1, -1);
    const unsigned before = allocations;
    for (unsigned i = 0; i < PAIRS; i++) {
        CHILD_EXPECTS(bh_try_acquire_weight(limiter, 1 + i % 8, &permit) == 0);
        CHILD_EXPECTS(bh_release(&permit) == 0);
    }
    CHILD_EXPECTS(allocations == before);
}

static void refusals_body(void)
{
    bh_limiter *limiter = child_limiter(1, 0, BH_ORDER_FIFO);
    bh_permit held = {0};
    bh_permit refused = {0};
    CHILD_EXPECTS(bh_try_acquire(limiter, &held) == 0);
    allow_only(-1, -1);
    const unsigned before = allocations;
    for (unsigned i = 0; i < PAIRS; i++) {
        CHILD_EXPECTS(bh_try_acquire(limiter, &refused) == -EAGAIN);
        CHILD_EXPECTS(bh_acquire(limiter, &refused) == -ENOBUFS);
        CHILD_EXPECTS(bh_release_to(limiter, &refused) == -EXDEV);
    }
    CHILD_EXPECTS(allocations == before);
}

static void snapshot_body(void)
{
    static char text[65536];
    bh_limiter *limiter = child_limiter(4, 4, BH_ORDER_FIFO);
    bh_snapshot snapshot = {.size = sizeof(snapshot)};
    allow_only(-1, -1);
    const unsigned before = allocations;
    for (unsigned i = 0; i < 100; i++) {
        CHILD_EXPECTS(bh_limiter_snapshot(limiter, &snapshot) == 0);
        CHILD_EXPECTS(bh_openmetrics(&limiter, 1, text, sizeof(text)) > 0);
        CHILD_EXPECTS(bh_limiter_set_limit(limiter, 1 + i % 8) == 0);
    }
    CHILD_EXPECTS(allocations == before + 100); /* one for each text, given back */
}

static void noisy_body(void)
{
    allow_only(-1, -1);
    (void)getppid();
}

static void allocating_body(void)
{
    const unsigned before = allocations;
    void *volatile made; /* or the compiler leaves the pairs out */
    free(made = malloc(8));
    free(made = calloc(2, 8));
    free(made = aligned_alloc(64, 64));
    CHILD_EXPECTS(allocations == before + 3);
}

START_TEST(watch_sees_a_system_call)
{
    run_watched(noisy_body);
    ck_assert_int_eq(report->call, SYS_getppid);
}
END_TEST

START_TEST(count_sees_allocations)
{
    check_quiet(allocating_body);
}
END_TEST

START_TEST(uncontended_fifo)
{
    check_quiet(uncontended_fifo_body);
}
END_TEST

START_TEST(uncontended_barging)
{
    check_quiet(uncontended_barging_body);
}
END_TEST

START_TEST(uncontended_weights)
{
    check_quiet(weights_body);
}
END_TEST

START_TEST(refusals)
{
    check_quiet(refusals_body);
}
END_TEST

START_TEST(snapshots_and_limits)
{
    check_quiet(snapshot_body);
}
END_TEST

/* ---- contended ----------------------------------------------------------------------------------------------------- */

static bh_limiter *contested;
static atomic_uint warm;
static atomic_uint finished;

/* Each holds the permit until the other queues, so that every second acquire parks. In FIFO order a request gives the
 * processor away once before it enters the queue (src/core/admit.c). */
static void contend(unsigned pairs)
{
    one_pair(contested, 0);
    bh_snapshot start = {.size = sizeof(start)};
    CHILD_EXPECTS(bh_limiter_snapshot(contested, &start) == 0);
    allow_only(SYS_futex, start.order == BH_ORDER_FIFO ? SYS_sched_yield : -1);
    atomic_fetch_add(&warm, 1);
    while (atomic_load(&warm) < 2)
        ;
    const unsigned before = allocations;
    for (unsigned i = 0; i < pairs; i++) {
        bh_permit permit = {0};
        bh_snapshot now = {.size = sizeof(now)};
        CHILD_EXPECTS(bh_acquire(contested, &permit) == 0);
        do
            CHILD_EXPECTS(bh_limiter_snapshot(contested, &now) == 0);
        while (now.waiting == 0 && atomic_load(&finished) == 0);
        CHILD_EXPECTS(bh_release(&permit) == 0);
    }
    CHILD_EXPECTS(allocations == before);
    atomic_fetch_add(&finished, 1);
}

static void *contender_body(void *argument)
{
    const unsigned *pairs = argument;
    contend(*pairs);
    while (atomic_load(&finished) < 3) /* until the process ends: to end a thread takes system calls */
        ;
    return NULL;
}

static void run_contended(uint32_t order)
{
    static unsigned pairs;
    pthread_t other;
    pairs = 100;
    contested = child_limiter(1, 2, order);
    CHILD_EXPECTS(pthread_create(&other, NULL, contender_body, &pairs) == 0);
    contend(pairs);
    while (atomic_load(&finished) < 2)
        ;
    bh_snapshot now = {.size = sizeof(now)};
    CHILD_EXPECTS(bh_limiter_snapshot(contested, &now) == 0);
    CHILD_EXPECTS(now.queued >= (order == BH_ORDER_FIFO ? pairs : 1));
}

static void contended_fifo_body(void)
{
    run_contended(BH_ORDER_FIFO);
}

static void contended_barging_body(void)
{
    run_contended(BH_ORDER_BARGING);
}

START_TEST(contended_fifo)
{
    check_quiet(contended_fifo_body);
}
END_TEST

START_TEST(contended_barging)
{
    check_quiet(contended_barging_body);
}
END_TEST

SUITE_MAIN("quiet", watch_sees_a_system_call, count_sees_allocations, uncontended_fifo, uncontended_barging,
           uncontended_weights, refusals, snapshots_and_limits, contended_fifo, contended_barging)
#endif
