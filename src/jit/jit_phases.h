/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: one function for a whole block (jit_phases.c). A phase is what warps do from the
 * kernel's start or a barrier to the next barriers or the end; the function runs it for one warp
 * after the other, without going back to exec.
 */
#ifndef LOCKSTEP_JIT_PHASES_H
#define LOCKSTEP_JIT_PHASES_H

#include "jit/jit_core.h"

struct phase {
    uint32_t barrier; /* block that ends with it; UINT32_MAX: the kernel's start */
    uint32_t entry;   /* block in which it begins */
    uint32_t group;
    uint64_t *blocks;         /* set: that a warp may run in this phase */
    LLVMBasicBlockRef resume; /* where a warp gets its registers back */
};

/* Phases that share blocks: one loop over the warps for all of them. */
struct phase_group {
    LLVMBasicBlockRef head, end; /* end: all lanes of a warp have exited */
    LLVMValueRef warp, frame, warp_index, tid[3];
    uint32_t phases;
    bool unrolled;     /* the loop over the warps is */
    LLVMValueRef mark; /* metadata of that loop */
};

struct phases {
    struct arena arena;
    uint32_t warps; /* of a block */
    uint32_t count, group_count;
    struct phase *phase; /* the first: the start */
    struct phase_group *group;
    uint32_t *group_of; /* per block; UINT32_MAX: nobody comes there */
    /* Per register: all threads of the block agree; written once, from what does not change during
     * the kernel; can be computed anew from the thread's number. */
    bool *same, *fixed, *again;
    const struct flow_insn **maker; /* per register: the one instruction that writes it, or NULL */
    LLVMValueRef *before;      /* per register that is same, but not fixed: alloca of its value when
                                  the phase began */
    LLVMValueRef first;        /* the block's first warp */
    LLVMValueRef turn, number; /* allocas: warp and phase that run */
    LLVMValueRef votes, result; /* allocas: of a barrier with a reduction */
};

/* Whether the kernel can be run like this: every warp is sure to come to the same barriers. NULL:
 * no. */
struct phases *core_phases_new(const struct core *c);
void core_phases_free(struct phases *p);

/* The builder is at the end of the function's entry: storage, the loops' heads, what phases begin
 * with. */
bool core_phases_begin(struct core *c);
/* Block b is emitted next: the values of its warp. */
void core_phases_at(struct core *c, uint32_t b);
/* The warp has come to the barrier that ends c->current. votes: lanes whose predicate holds. */
void core_phases_barrier(struct core *c, uint32_t b, enum jit_barrier_kind kind,
                         LLVMValueRef votes);
/* After the last block: what warps do that have exited. */
void core_phases_end(struct core *c);

#endif
