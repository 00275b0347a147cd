/* SPDX-License-Identifier: Apache-2.0 */
#include "port/fault.h"

#ifdef BH_FAULTS
int bh__fault = BH_FAULT_NONE;
#else
typedef int bh_no_faults; /* an empty file is no C */
#endif
