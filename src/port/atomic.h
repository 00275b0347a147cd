/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that knows <stdatomic.h>: the memory order is part of each operation's name.
 *
 * Every operation on shared state is a point at which the schedule tester (tests/schedule) may switch to another
 * actor. Statistics (bh_stat_*) are no such points: nothing is ever decided by them.
 */
#ifndef BH_PORT_ATOMIC_H
#define BH_PORT_ATOMIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef BH_SIM
#include "sim.h"
#define BH_POINT() sim_point()
#else
#define BH_POINT() ((void)0)
#endif

typedef _Atomic uint32_t bh_atomic_u32;
typedef _Atomic uint64_t bh_atomic_u64;

#define bh_load_relaxed(object) (BH_POINT(), atomic_load_explicit((object), memory_order_relaxed))
#define bh_load_acquire(object) (BH_POINT(), atomic_load_explicit((object), memory_order_acquire))
#define bh_load_seq(object) (BH_POINT(), atomic_load_explicit((object), memory_order_seq_cst))
#define bh_store_relaxed(object, value) (BH_POINT(), atomic_store_explicit((object), (value), memory_order_relaxed))
#define bh_store_release(object, value) (BH_POINT(), atomic_store_explicit((object), (value), memory_order_release))
#define bh_store_seq(object, value) (BH_POINT(), atomic_store_explicit((object), (value), memory_order_seq_cst))
#define bh_exchange_seq(object, value) (BH_POINT(), atomic_exchange_explicit((object), (value), memory_order_seq_cst))
#define bh_exchange_release(object, value) \
    (BH_POINT(), atomic_exchange_explicit((object), (value), memory_order_release))
#define bh_fetch_add_relaxed(object, value) \
    (BH_POINT(), atomic_fetch_add_explicit((object), (value), memory_order_relaxed))

/* Strong compare-and-swap; *expected receives what was found when it fails. */
#define bh_cas_seq(object, expected, desired)                                                                   \
    (BH_POINT(), atomic_compare_exchange_strong_explicit((object), (expected), (desired), memory_order_seq_cst, \
                                                         memory_order_seq_cst))
#define bh_cas_acquire(object, expected, desired)                                                               \
    (BH_POINT(), atomic_compare_exchange_strong_explicit((object), (expected), (desired), memory_order_acquire, \
                                                         memory_order_relaxed))

/* Statistics. bh_stat_bump is for a counter that one thread alone writes: a load and a store, no locked instruction. */
#define bh_stat_load(object) atomic_load_explicit((object), memory_order_relaxed)
#define bh_stat_store(object, value) atomic_store_explicit((object), (value), memory_order_relaxed)
#define bh_stat_add(object, value) ((void)atomic_fetch_add_explicit((object), (value), memory_order_relaxed))
#define bh_stat_bump(object, value)                                                                 \
    atomic_store_explicit((object), atomic_load_explicit((object), memory_order_relaxed) + (value), \
                          memory_order_relaxed)

#endif
