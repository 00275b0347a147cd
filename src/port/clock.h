/* SPDX-License-Identifier: Apache-2.0 */
/* The one clock of the library: CLOCK_MONOTONIC in nanoseconds. */
#ifndef BH_PORT_CLOCK_H
#define BH_PORT_CLOCK_H

#include <bulkhead/time.h>

bh_ns bh__clock_now(void);

#endif
