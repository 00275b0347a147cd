/* SPDX-License-Identifier: Apache-2.0 */
/* Options as the library uses them: checked, with every default put in. */
#ifndef BH_CORE_OPTIONS_H
#define BH_CORE_OPTIONS_H

#include "core/core.h"

/* Fills *ret_options. Returns 0 or what bh_limiter_new() documents. */
int bh__options_check(const bh_options *options, bh_options *ret_options);

#endif
