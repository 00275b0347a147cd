/* SPDX-License-Identifier: Apache-2.0 */
/* All of libbulkhead's C interface. Start with limiter.h and permit.h. */
#ifndef BULKHEAD_BULKHEAD_H
#define BULKHEAD_BULKHEAD_H

#include <bulkhead/cancel.h>
#include <bulkhead/limiter.h>
#include <bulkhead/permit.h>
#include <bulkhead/refusal.h>
#include <bulkhead/snapshot.h>
#include <bulkhead/time.h>
#include <bulkhead/version.h>

#endif
