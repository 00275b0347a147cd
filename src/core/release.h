/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a permit that somebody holds out to be released, marked or described. */
#ifndef BH_CORE_RELEASE_H
#define BH_CORE_RELEASE_H

#include "core/core.h"

/* The permit's word, or 0 when it was released through this variable. The variable may be read and cleared by several
 * threads that release it at the same moment. */
static inline uint64_t bh__permit_word(const struct bh_permit *permit)
{
    return bh_stat_load((bh_atomic_u64 *)(uintptr_t)&permit->word);
}

static inline void bh__permit_clear(struct bh_permit *permit)
{
    bh_stat_store((bh_atomic_u64 *)(uintptr_t)&permit->word, 0);
}

/* Why a permit cannot be used: -EINVAL, -EALREADY, -ESTALE or -EPERM; 0 when it can, as far as can be told now. */
int bh__permit_fault(const struct bh_permit *permit);

#endif
