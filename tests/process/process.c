/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/handle.h"
#include "core/repair.h"

/* ---- shared memory ------------------------------------------------------------------------------------------------- */

void *share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die("mmap: %s", strerror(errno));
    return memory;
}

void share_no_more(void *memory, size_t size)
{
    MUST(munmap(memory, size) == 0);
}

bh_limiter *attach(const struct shared_limiter *limiter, uint32_t process)
{
    bh_limiter *handle = NULL;
    MUST(bh__limiter_attach(limiter->memory, process, &handle) == 0);
    return handle;
}

struct shared_limiter shared_limiter_make(const bh_options *options)
{
    struct shared_limiter limiter = {.size = bh__region_size(options)};
    MUST(limiter.size > 0);
    limiter.memory = share(limiter.size);
    MUST(bh__region_init(limiter.memory, options) == 0);
    limiter.handle = attach(&limiter, 0);
    return limiter;
}

void shared_limiter_done(struct shared_limiter *limiter)
{
    bh__limiter_detach(limiter->handle);
    share_no_more(limiter->memory, limiter->size);
}

/* ---- processes ----------------------------------------------------------------------------------------------------- */

pid_t spawn(void (*body)(void *argument), void *argument)
{
    fflush(NULL);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0)
        die("fork: %s", strerror(errno));
    if (pid > 0)
        return pid;
    alarm(0);
    MUST(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    if (getppid() == parent)
        body(argument);
    _exit(EXIT_SUCCESS);
}

/* False: it lives, and `options` say not to wait. */
static bool reap(pid_t pid, int options, int *ret_status)
{
    pid_t reaped;
    do {
        reaped = waitpid(pid, ret_status, options);
    } while (reaped < 0 && errno == EINTR);
    if (reaped < 0)
        die("waitpid: %s", strerror(errno));
    return reaped == pid;
}

static void check_exit(pid_t pid, int status)
{
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
        die("process %d ended with status %#x", (int)pid, (unsigned)status);
}

void kill_and_reap(pid_t pid)
{
    int status = 0;
    MUST(kill(pid, SIGKILL) == 0);
    reap(pid, 0, &status);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        die("process %d ended with status %#x instead of by SIGKILL", (int)pid, (unsigned)status);
}

void reap_exited(pid_t pid)
{
    int status = 0;
    reap(pid, 0, &status);
    check_exit(pid, status);
}

bool has_exited(pid_t pid)
{
    int status = 0;
    const bool exited = reap(pid, WNOHANG, &status);
    if (exited)
        check_exit(pid, status);
    return exited;
}

void check_nobody_failed(void)
{
    int status;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid > 0)
        die("process %d, which nobody killed, ended with status %#x", (int)pid, (unsigned)status);
}

/* ---- books --------------------------------------------------------------------------------------------------------- */

bh_snapshot look(const bh_limiter *limiter)
{
    bh_snapshot snapshot = {.size = sizeof(snapshot)};
    MUST(bh_limiter_snapshot(limiter, &snapshot) == 0);
    return snapshot;
}

void check_core(bh_limiter *limiter)
{
    const char *wrong = bh__core_check(limiter);
    if (wrong)
        die("the core's law: %s", wrong);
}

void check_all_back(bh_limiter *limiter, uint32_t limit)
{
    check_core(limiter);
    const bh_snapshot now = look(limiter);
    MUST(now.limit == limit && now.free == limit);
    MUST(now.held == 0 && now.permits_out == 0 && now.permits_late == 0);
    MUST(now.waiting == 0 && now.waiting_weight == 0 && now.oldest_wait_ns == 0);
    bh_permit *permits = calloc(limit + 1, sizeof(*permits));
    MUST(permits);
    for (uint32_t i = 0; i < limit; i++)
        MUST(bh_try_acquire(limiter, &permits[i]) == 0);
    MUST(bh_try_acquire(limiter, &permits[limit]) == -EAGAIN);
    for (uint32_t i = 0; i < limit; i++)
        MUST(bh_release(&permits[i]) == 0);
    free(permits);
    MUST(look(limiter).held == 0);
    check_core(limiter);
}

/* splitmix64 */
uint32_t below(struct chance *chance, uint32_t bound)
{
    uint64_t mixed = chance->state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(((mixed ^ mixed >> 31) >> 32) * bound >> 32);
}
