/* SPDX-License-Identifier: Apache-2.0 */
/* Context switches: the registers that a called function must keep, and the stack pointer. */
#include <stdint.h>
#include <string.h>

#include "sim_context.h"

#if SIM_OWN_SWITCH

void sim__stack_switch(void **save, void *load);

#if defined(__x86_64__)

__asm__(".text\n"
        ".globl sim__stack_switch\n"
        ".hidden sim__stack_switch\n"
        ".type sim__stack_switch, @function\n"
        "sim__stack_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size sim__stack_switch, . - sim__stack_switch\n");

/* Six registers, the address that `ret` goes to, and an empty return address for entry itself, which finds the stack
 * pointer as after a call: 8 bytes below a multiple of 16. */
enum { FRAME_WORDS = 8, ENTRY_WORD = 6 };

#else

__asm__(".text\n"
        ".globl sim__stack_switch\n"
        ".hidden sim__stack_switch\n"
        ".type sim__stack_switch, %function\n"
        "sim__stack_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size sim__stack_switch, . - sim__stack_switch\n");

/* Twenty registers; the eleventh and twelfth are the frame pointer and the return address. */
enum { FRAME_WORDS = 20, ENTRY_WORD = 11 };

#endif

void sim__context_make(struct sim_context *context, void *stack, size_t size, void (*entry)(void))
{
    uintptr_t top = ((uintptr_t)stack + size) & ~(uintptr_t)15;
    uintptr_t *frame = (uintptr_t *)top - FRAME_WORDS;

    memset(frame, 0, FRAME_WORDS * sizeof *frame);
    frame[ENTRY_WORD] = (uintptr_t)entry;
    context->stack_pointer = frame;
}

void sim__context_switch(struct sim_context *from, struct sim_context *to)
{
    sim__stack_switch(&from->stack_pointer, to->stack_pointer);
}

#else

void sim__context_make(struct sim_context *context, void *stack, size_t size, void (*entry)(void))
{
    getcontext(&context->ucontext);
    context->ucontext.uc_stack.ss_sp = stack;
    context->ucontext.uc_stack.ss_size = size;
    context->ucontext.uc_link = NULL;
    makecontext(&context->ucontext, entry, 0);
}

void sim__context_switch(struct sim_context *from, struct sim_context *to)
{
    swapcontext(&from->ucontext, &to->ucontext);
}

#endif
