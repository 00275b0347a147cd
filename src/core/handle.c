/* SPDX-License-Identifier: Apache-2.0 */
/* Handles are kept for ever and used again.
 *
 * A release gives its permit back with one compare-and-swap and only then looks at pressure; at that moment another thread
 * may see that nothing is out and free the limiter. What the release still touches (pressure, the lock, the serial) is in the
 * handle, which stays; what is freed (ledger, waiters) it touches only after it found, with the lock held, that the serial
 * is still its own.
 */
#include "core/handle.h"

#include <pthread.h>
#include <string.h>

#include "core/ledger.h"
#include "port/thread.h"

static struct bh_lock handles_lock;
static struct bh_limiter *handles;           /* all there are */
static struct bh_limiter *unused_handles[2]; /* private ones, and those for cores elsewhere */
static uint32_t handle_count;
static bh_atomic_u64 last_serial;

uint64_t bh__handle_serial(void)
{
    return bh_fetch_add_relaxed(&last_serial, 1) + 1;
}

void bh__handle_forget(struct bh_limiter *handle)
{
    handle->inside = 0;
    bh_stat_store(&handle->shown_granted, 0);
    bh_stat_store(&handle->shown_released, 0);
    bh_stat_store(&handle->shown_granted_weight, 0);
}

/* In a forked child: what the parent holds is not the child's, and the threads that waited are not here. Each private
 * limiter starts empty; permits made before the fork carry the parent's serial and are refused. */
static void after_fork(void)
{
    bh_store_relaxed(&handles_lock.word, 0);
    for (struct bh_limiter *handle = handles; handle; handle = handle->next) {
        uint64_t serial = bh_load_relaxed(&handle->serial);
        bh_store_relaxed(&handle->own.lock.word, 0);
        if (serial == 0)
            continue;
        bh_store_relaxed(&handle->parent_serial, (uint32_t)serial);
        bh__handle_forget(handle);
        if (!handle->core->shared)
            bh__core_reset(handle);
        bh_store_relaxed(&handle->serial, bh__handle_serial());
    }
}

static int fork_error;

static void watch_forks(void)
{
    fork_error = bh__process_at_fork(after_fork);
}

static int watch_forks_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    return fork_error;
}

struct bh_limiter *bh__handle_take(bool elsewhere)
{
    if (watch_forks_once())
        return NULL;
    bh__lock(&handles_lock, 0, false);
    struct bh_limiter *handle = unused_handles[elsewhere];
    if (handle) {
        unused_handles[elsewhere] = handle->next_unused;
    } else {
        handle = bh__alloc_forever(sizeof *handle);
        if (handle) {
            handle->index = handle_count++;
            handle->core = &handle->own;
            handle->next = handles;
            handles = handle;
        }
    }
    bh__unlock(&handles_lock, false);
    return handle;
}

void bh__handle_give_back(struct bh_limiter *handle, bool elsewhere)
{
    bh__lock(&handles_lock, 0, false);
    handle->next_unused = unused_handles[elsewhere];
    unused_handles[elsewhere] = handle;
    bh__unlock(&handles_lock, false);
}
