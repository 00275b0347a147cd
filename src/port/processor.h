/* SPDX-License-Identifier: Apache-2.0 */
/* The processor that the caller runs on. */
#ifndef BH_PORT_PROCESSOR_H
#define BH_PORT_PROCESSOR_H

#include <stdint.h>

#define BH_NO_PROCESSOR UINT32_MAX

/* Its number, which may be another one by the time the caller looks at it; BH_NO_PROCESSOR where that cannot be told. */
uint32_t bh__processor_now(void);

/* Tells it that the caller looks at something again and again. */
static inline void bh__processor_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

#endif
