/* SPDX-License-Identifier: Apache-2.0 */
/* Handles: made, used again, and told about a fork. */
#ifndef BH_CORE_HANDLE_H
#define BH_CORE_HANDLE_H

#include "core/core.h"

/* An unused handle, or NULL without memory. Those for cores that lie elsewhere are kept apart: who comes late to a private
 * one must find the same core and the same lock for ever. */
struct bh_limiter *bh__handle_take(bool elsewhere);
void bh__handle_give_back(struct bh_limiter *handle, bool elsewhere);

/* Nothing of this process waits on it or was shown yet. */
void bh__handle_forget(struct bh_limiter *handle);

/* A serial that no handle of this process ever had. */
uint64_t bh__handle_serial(void);

/* A handle on a core that lies elsewhere, in a mapping that several processes share. `process` is the caller's index among
 * them, below 4095. Returns 0, -EINVAL or -ENOMEM. bh__limiter_detach() forgets the handle and leaves the core alone. */
size_t bh__region_size(const bh_options *options);
int bh__region_init(void *memory, const bh_options *options);
int bh__limiter_attach(void *memory, uint32_t process, bh_limiter **ret_limiter);
void bh__limiter_detach(bh_limiter *limiter);

#endif
