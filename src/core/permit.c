/* SPDX-License-Identifier: Apache-2.0 */
/* What can be done with a permit besides releasing it. */
#include <bulkhead/permit.h>

#include <errno.h>
#include <string.h>

#include "core/ledger.h"
#include "core/release.h"

int bh_permit_is_held(const bh_permit *permit)
{
    return permit && permit->limiter && bh__permit_word(permit) != 0;
}

int bh_permit_mark_late(bh_permit *permit)
{
    int error = bh__permit_fault(permit);
    if (!error) {
        struct bh_limiter *limiter = permit->limiter;
        uint64_t held = bh__permit_word(permit);
        struct bh_slot *slot = &limiter->slots[permit->slot];
        uint64_t expected = held;
        bh__core_lock(limiter);
        bool marked = (uint32_t)bh_load_relaxed(&limiter->serial) == permit->serial &&
                      bh_cas_seq(&slot->word, &expected, bh__word_as(held, BH_LATE, bh__owner(held)));
        if (marked)
            bh_stat_bump(&limiter->core->counters.late, 1);
        bh__core_unlock(limiter);
        if (marked)
            return 0;
        error = bh__permit_fault(permit);
        if (!error)
            return -EALREADY; /* late already, which is no violation */
    }
    if (permit && permit->limiter &&
        (permit->serial == (uint32_t)bh_load_relaxed(&permit->limiter->serial) || error == -EPERM))
        bh_stat_add(&permit->limiter->core->counters.violations, 1);
    return error;
}

int bh_permit_describe(const bh_permit *permit, bh_permit_info *ret_info)
{
    if (!ret_info || ret_info->size < sizeof *ret_info)
        return -EINVAL;
    int error = bh__permit_fault(permit);
    if (error)
        return error;
    const struct bh_slot *slot = &permit->limiter->slots[permit->slot];
    uint64_t word = bh__permit_word(permit);
    bh_permit_info info = {.size = (uint32_t)sizeof info, .weight = bh_load_relaxed(&slot->weight)};
    info.late = bh__state(bh_load_acquire(&slot->word)) == BH_LATE;
    if (bh_stat_load(&slot->label_of) == bh__label_mark(word))
        for (unsigned i = 0; i < 4; i++) {
            uint64_t part = bh_stat_load(&slot->label[i]);
            memcpy(info.label + i * sizeof part, &part, sizeof part);
        }
    memcpy(ret_info, &info, sizeof info);
    return 0;
}

size_t bh_permit_size(void)
{
    return sizeof(bh_permit);
}

bh_permit *bh_permit_new(void)
{
    return bh__alloc(sizeof(bh_permit));
}

void bh_permit_delete(bh_permit *permit)
{
    bh_permit_cleanup(permit);
    bh__free(permit);
}
