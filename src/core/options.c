/* SPDX-License-Identifier: Apache-2.0 */
#include "core/options.h"

#include <errno.h>
#include <string.h>

#include "core/text.h"

_Static_assert(sizeof(bh_options) ==
                   4 * sizeof(uint32_t) + 3 * sizeof(uint64_t) + 2 * sizeof(uint32_t) + 2 * sizeof(const char *),
               "no implicit padding");

#define DEFAULT_WAIT UINT64_C(1000000000)
#define DEFAULT_PATIENCE UINT64_C(500000)

static bool name_is_valid(const char *name)
{
    return name && bh__text_is_valid(name, 1, BH_NAME_MAX) && !strchr(name, '/');
}

static uint32_t default_max_permits(uint32_t limit)
{
    uint32_t wanted = limit * 2 > limit + 16 ? limit * 2 : limit + 16;
    return wanted < BH_MAX_PERMITS_MAX ? wanted : BH_MAX_PERMITS_MAX;
}

int bh__options_check(const bh_options *options, bh_options *ret_options)
{
    if (!options || options->size < sizeof *options)
        return -EINVAL;
    if (!bh__tail_is_zero(options, options->size, sizeof *options))
        return -E2BIG;
    bh_options checked = *options;
    if (!name_is_valid(checked.name) || (checked.unit && !bh__text_is_valid(checked.unit, 1, BH_UNIT_MAX)))
        return -EINVAL;
    if (checked.order > BH_ORDER_BARGING || checked.reserved || checked.queue > BH_QUEUE_MAX ||
        checked.limit > BH_MAX_PERMITS_MAX || checked.max_permits > BH_MAX_PERMITS_MAX ||
        checked.queue_weight > INT64_MAX || (checked.order == BH_ORDER_FIFO && checked.patience_ns))
        return -EINVAL;
    if (checked.max_permits == 0)
        checked.max_permits = default_max_permits(checked.limit);
    if (checked.limit > checked.max_permits)
        return -ERANGE;
    if (!checked.unit)
        checked.unit = "calls";
    if (checked.wait_ns == 0)
        checked.wait_ns = DEFAULT_WAIT;
    else if (checked.wait_ns == BH_NO_WAIT)
        checked.wait_ns = 0;
    if (checked.patience_ns == 0)
        checked.patience_ns = DEFAULT_PATIENCE;
    *ret_options = checked;
    return 0;
}
