/* SPDX-License-Identifier: Apache-2.0 */
/* Switching from one stack to another, without system calls where we know how. */
#ifndef BH_TESTS_SCHEDULE_SIM_CONTEXT_H
#define BH_TESTS_SCHEDULE_SIM_CONTEXT_H

#include <stddef.h>

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(SIM_USE_UCONTEXT)
#define SIM_OWN_SWITCH 1
struct sim_context {
    void *stack_pointer;
};
#else
#define SIM_OWN_SWITCH 0
#include <ucontext.h>
struct sim_context {
    ucontext_t ucontext;
};
#endif

/* Prepares a context that starts `entry` on the stack; entry must never return. */
void sim__context_make(struct sim_context *context, void *stack, size_t size, void (*entry)(void));

/* Saves what runs in `from` and goes on with `to`. Signal masks and floating-point modes are not switched. */
void sim__context_switch(struct sim_context *from, struct sim_context *to);

#endif
