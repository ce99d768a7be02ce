/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/tools: code that tells check and profile what a warp does, and leaves out what they need not hear of
 * (struct jit_tool in jit.h). Nothing of it is emitted where no tool watches.
 */
#ifndef LOCKSTEP_JIT_TOOLS_H
#define LOCKSTEP_JIT_TOOLS_H

#include "jit/values/values.h"

/* -- batch.c ----------------------------------------------------------------------------------- */

/* tools/batch.c: the access is told with others, later; false: it must not be, nothing was done. */
bool core_batch_add(struct core *c, const struct flow_insn *i, const struct core_told *t);
/* Tells what is kept: where anything else is told, and the block of code ends. */
void core_batch_flush(struct core *c);
/* Before the instruction is emitted. */
void core_batch_before(struct core *c, const struct flow_insn *i);

/* -- events.c ---------------------------------------------------------------------------------- */

void core_count(struct core *c, const struct flow_insn *i);
/* Executed by these lanes, if any. */
void core_count_lanes(struct core *c, const struct flow_insn *i, LLVMValueRef lanes);
/* lanes: the ones that go each way. */
void core_count_divergence(struct core *c, const struct flow_insn *i, const LLVMValueRef *lanes,
                           unsigned n);
/* lanes: i32; NULL: the active ones. */
void core_announce_sync(struct core *c, const struct flow_insn *i, LLVMValueRef lanes);
/* barrier: <32 x i64>, or NULL; lanes: i32. */
void core_announce_async(struct core *c, const struct flow_insn *i, enum jit_async what,
                         LLVMValueRef lanes, LLVMValueRef barrier, uint32_t number);

/* -- gate.c ------------------------------------------------------------------------------------ */

LLVMBasicBlockRef core_gate(struct core *c, const struct core_gate *g);

/* -- seen.c ------------------------------------------------------------------------------------ */

void core_tell(struct core *c, const struct core_told *t);
/* The same without a look at what has been told before. */
void core_tell_plain(struct core *c, const struct core_told *t);
void core_seen_begin(struct core *c);
LLVMValueRef core_seen_lanes(struct core *c, LLVMValueRef lanes);

/* -- sure.c ------------------------------------------------------------------------------------ */

/* tools/sure.c: an access to local memory by words that need not be announced, nor be asked for. */
bool core_sure(struct core *c, const struct flow_insn *i, const struct ptx_operand *o, uint32_t bytes);
void core_sure_free(struct core *c);

#endif
