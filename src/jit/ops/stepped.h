/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: what code for a debugger calls. It is compiled while somebody waits and is stepped
 * through, so what is done at every instruction, and loads and stores, are calls of C.
 */
#ifndef LOCKSTEP_JIT_STEPPED_H
#define LOCKSTEP_JIT_STEPPED_H

#include "jit/jit.h"

/* Before the instruction with that number and place. */
void jit_stepped(struct jit_warp *w, struct jit_steps *steps, struct jit_activation *a,
                 uint32_t site, uint32_t place);

/* A load or store: its address is a register (NULL: 0; the values of 32 lanes) and a number. */
enum {
    STEPPED_STORE = 1,
    STEPPED_SIGNED = 2, /* a load into a wider register */
    STEPPED_LOCAL = 4,  /* addresses count from where each lane's local memory begins */
    STEPPED_NARROW = 8, /* they are 32 bits wide */
};
/* Of one element: to or from 32 values of `width` bytes each. The debugger is told with the first.
 */
void jit_stepped_access(struct jit_warp *w, struct jit_steps *steps, struct jit_activation *a,
                        const void *address, uint64_t add, void *values, uint64_t what,
                        uint32_t place);
/* The numbers in `what`, one byte each from the lowest: flags, bytes, width, space; then how
 * many bytes of the instruction's lie before the element, and how many there are, 16 bits each. */
#define STEPPED_WHAT(flags, bytes, width, space, at, all)                                          \
    ((uint64_t)(flags) | (uint64_t)(bytes) << 8 | (uint64_t)(width) << 16 |                        \
     (uint64_t)(space) << 24 | (uint64_t)(at) << 32 | (uint64_t)(all) << 48)

#endif
