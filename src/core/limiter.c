/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing limiters, in private memory or over memory that is shared. */
#include <errno.h>
#include <string.h>

#include "core/handle.h"
#include "core/ledger.h"
#include "core/options.h"
#include "core/queue.h"

static uint32_t waiter_count(const bh_options *options)
{
    return options->queue ? options->queue + options->max_permits : 0;
}

static void core_init(struct bh_core *core, const bh_options *options)
{
    core->max_permits = options->max_permits;
    core->queue = options->queue;
    core->waiters = waiter_count(options);
    core->order = options->order;
    core->queue_weight = options->queue_weight;
    core->wait_ns = options->wait_ns;
    core->patience_ns = options->patience_ns;
    memset(core->name, 0, sizeof core->name);
    memset(core->unit, 0, sizeof core->unit);
    memcpy(core->name, options->name, strlen(options->name));
    memcpy(core->unit, options->unit, strlen(options->unit));
    bh_store_relaxed(&core->limit, options->limit);
    bh_store_relaxed(&core->closed, BH_OPEN);
    bh_stat_store(&core->slots_used, 0);
    core->waiters_used = 0;
}

static void handle_connect(struct bh_limiter *handle, struct bh_slot *slots, struct bh_waiter *waiters)
{
    handle->slots = slots;
    handle->waiters = waiters;
    handle->max_permits = handle->core->max_permits;
    bh_store_relaxed(&handle->parent_serial, 0);
    bh__handle_forget(handle);
}

int bh_limiter_new(const bh_options *options, bh_limiter **ret_limiter)
{
    bh_options checked;
    int error = ret_limiter ? bh__options_check(options, &checked) : -EINVAL;
    if (error)
        return error;
    struct bh_slot *slots = bh__alloc(checked.max_permits * sizeof *slots);
    struct bh_waiter *waiters = bh__alloc((size_t)waiter_count(&checked) * sizeof *waiters + 1);
    struct bh_limiter *handle = slots && waiters ? bh__handle_take(false) : NULL;
    if (!handle) {
        bh__free(waiters);
        bh__free(slots);
        return -ENOMEM;
    }
    bh__lock(&handle->own.lock, 0, false);
    core_init(&handle->own, &checked);
    handle_connect(handle, slots, waiters);
    bh__core_reset(handle);
    bh_store_relaxed(&handle->serial, bh__handle_serial());
    bh__unlock(&handle->own.lock, false);
    *ret_limiter = handle;
    return 0;
}

int bh_limiter_new_simple(const char *name, uint32_t limit, uint32_t queue, bh_ns wait_ns, bh_limiter **ret_limiter)
{
    bh_options options = {
        .size = (uint32_t)sizeof options, .limit = limit, .queue = queue, .wait_ns = wait_ns, .name = name};
    return bh_limiter_new(&options, ret_limiter);
}

/* Is it in nobody's use? If so, and only then, it is cut off from all who come late. */
static bool cut_off_if_idle(struct bh_limiter *limiter)
{
    struct bh_core *core = limiter->core;
    if (core->draining || limiter->inside || !bh__queue_is_empty_locked(core))
        return false;
    bh__press_locked(limiter, BH_PRESSURE_CLOSED);
    if (bh__pool_locked(core) == (int32_t)bh_load_relaxed(&core->limit)) {
        bh_store_relaxed(&limiter->serial, 0);
        return true;
    }
    if (!bh_load_relaxed(&core->closed))
        bh__unpress_locked(core, bh_load_relaxed(&core->pressure) & ~BH_PRESSURE_CLOSED);
    return false;
}

int bh_limiter_free(bh_limiter *limiter)
{
    if (!limiter)
        return 0;
    struct bh_slot *slots = limiter->slots;
    struct bh_waiter *waiters = limiter->waiters;
    bh__core_lock(limiter);
    bool idle = cut_off_if_idle(limiter);
    bh__core_unlock(limiter);
    if (!idle)
        return -EBUSY;
    bh__free(waiters);
    bh__free(slots);
    bh__handle_give_back(limiter, false);
    return 0;
}

/* ---- over shared memory -------------------------------------------------------------------------------------------- */

static size_t region_size(const bh_options *checked)
{
    return sizeof(struct bh_core) + checked->max_permits * sizeof(struct bh_slot) +
           waiter_count(checked) * sizeof(struct bh_waiter);
}

static struct bh_slot *region_slots(struct bh_core *core)
{
    return (struct bh_slot *)(void *)(core + 1);
}

static struct bh_waiter *region_waiters(struct bh_core *core)
{
    return (struct bh_waiter *)(void *)(region_slots(core) + core->max_permits);
}

size_t bh__region_size(const bh_options *options)
{
    bh_options checked;
    return bh__options_check(options, &checked) ? 0 : region_size(&checked);
}

int bh__region_init(void *memory, const bh_options *options)
{
    bh_options checked;
    int error = bh__options_check(options, &checked);
    if (error)
        return error;
    memset(memory, 0, region_size(&checked));
    struct bh_core *core = memory;
    core_init(core, &checked);
    core->shared = 1;
    struct bh_limiter handle = {.core = core};
    handle_connect(&handle, region_slots(core), region_waiters(core));
    bh__core_reset(&handle);
    return 0;
}

int bh__limiter_attach(void *memory, uint32_t process, bh_limiter **ret_limiter)
{
    struct bh_core *core = memory;
    if (process >= BH_PROCESS_MASK >> BH_PROCESS_SHIFT)
        return -EINVAL;
    struct bh_limiter *handle = bh__handle_take(true);
    if (!handle)
        return -ENOMEM;
    handle->core = core;
    handle->process = process;
    handle_connect(handle, region_slots(core), region_waiters(core));
    bh_store_relaxed(&handle->serial, bh__handle_serial());
    *ret_limiter = handle;
    return 0;
}

void bh__limiter_detach(bh_limiter *limiter)
{
    bh_store_relaxed(&limiter->serial, 0);
    limiter->core = &limiter->own;
    bh__handle_give_back(limiter, true);
}

/* ---- what can be asked --------------------------------------------------------------------------------------------- */

const char *bh_limiter_name(const bh_limiter *limiter)
{
    return limiter ? limiter->core->name : NULL;
}

const char *bh_limiter_unit(const bh_limiter *limiter)
{
    return limiter ? limiter->core->unit : NULL;
}

uint32_t bh_limiter_limit(const bh_limiter *limiter)
{
    return limiter ? bh_load_relaxed(&limiter->core->limit) : 0;
}

uint32_t bh_limiter_max_permits(const bh_limiter *limiter)
{
    return limiter ? limiter->max_permits : 0;
}
