/* SPDX-License-Identifier: Apache-2.0 */
#include "port/processor.h"

#ifdef BH_SIM
uint32_t bh__processor_now(void)
{
    return BH_NO_PROCESSOR;
}
#else
#include <sched.h>

uint32_t bh__processor_now(void)
{
    int processor = sched_getcpu();
    return processor < 0 ? BH_NO_PROCESSOR : (uint32_t)processor;
}
#endif
