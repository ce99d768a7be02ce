/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/tools, inside: what instrumented code keeps while it is emitted.
 */
#ifndef LOCKSTEP_JIT_TOOLS_PLAN_H
#define LOCKSTEP_JIT_TOOLS_PLAN_H

#include "jit/opt/opt.h"
#include "jit/tools/tools.h"

struct tools {
    uint32_t events;                              /* set of enum jit_event */
    LLVMValueRef counts;                          /* TELL_COUNT: loaded at entry, as those below */
    const struct wir_insn *counted, *counted_end; /* counted already, with the first of them */
    LLVMValueRef seen, trace, trace_local;        /* TELL_NEW; trace: the warp's */
    LLVMValueRef batches, seen_mask;
    LLVMValueRef steps;       /* JIT_EVENT_STEP: struct jit_steps, loaded at entry */
    struct core_batch *batch; /* batch.c; NULL: not needed so far */
};

/* -- batch.c ----------------------------------------------------------------------------------- */

/* Before the instruction is emitted. */
void core_batch_before(struct core *c, const struct wir_insn *i);

/* -- sure.c ------------------------------------------------------------------------------------ */

/* Accesses to local memory of which nothing can be wrong are not told. */
void tools_drop_sure(struct opt *o);
/* A variable of a function, in local memory. */
bool tools_is_local(const struct wir *f, const struct ptx_var *var);

#endif
