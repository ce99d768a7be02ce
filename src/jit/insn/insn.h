/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/insn: from a PTX instruction to the code that emits it. Start at core_insn().
 */
#ifndef LOCKSTEP_JIT_INSN_H
#define LOCKSTEP_JIT_INSN_H

#include "jit/values/values.h"

/* -- async.c ----------------------------------------------------------------------------------- */

bool async_insn(struct core *c, const struct wir_insn *i);

/* -- call.c ------------------------------------------------------------------------------------ */

/* A call of a function that is not inlined, or of a pointer. */
bool core_call(struct core *c, const struct wir_insn *i, const struct ptx_operand *results,
               const struct ptx_operand *target, const struct ptx_operand *args);
/* alloca, stacksave, stackrestore. */
bool core_stack(struct core *c, const struct wir_insn *i);
/* A function of the module by name, declared when first asked for: void (warp, lanes, area). */
LLVMValueRef core_callee(struct core *c, const char *name, LLVMTypeRef *type);
/* Ends the kernel; the block has no other end. */
void core_stack_overflow(struct core *c, LLVMValueRef lanes, uint32_t place);

/* -- external.c -------------------------------------------------------------------------------- */

/* A function without a body that kernels may call. */
bool core_known_function(const char *name);
bool core_external_call(struct core *c, const struct wir_insn *i);

/* -- image.c ----------------------------------------------------------------------------------- */

bool core_image(struct core *c, const struct wir_insn *i);

/* -- cancel.c ---------------------------------------------------------------------------------- */

/* clusterlaunchcontrol. */
bool cancel_insn(struct core *c, const struct wir_insn *i);

/* -- insn.c ------------------------------------------------------------------------------------ */

bool core_insn(struct core *c, const struct wir_insn *i);

/* -- sync.c ------------------------------------------------------------------------------------ */

/* The instruction, if it has a member mask, by lanes that theirs does not name: an error of the
 * kernel. */
void core_sync_own(struct core *c, const struct wir_insn *i);
/* Before the instruction is emitted: tools are told of its mask, and the lanes are looked at. */
void core_sync_insn(struct core *c, const struct wir_insn *i);
LLVMValueRef core_sync_sites(struct core *c);
LLVMValueRef core_sync_active(struct core *c); /* i32: lanes that take part */
LLVMValueRef core_sync_input(struct core *c, unsigned n, LLVMValueRef own);
LLVMValueRef core_sync_site(struct core *c, uint32_t block, size_t field);

/* -- tcgen05.c --------------------------------------------------------------------------------- */

bool tcgen05_insn(struct core *c, const struct wir_insn *i);

/* -- tensor.c ---------------------------------------------------------------------------------- */

/* cp.async.bulk.tensor and its kin, tensormap.replace. */
bool tensor_insn(struct core *c, const struct wir_insn *i);

/* -- widened.c --------------------------------------------------------------------------------- */

/* Emits such an instruction, if its result is kept as a scalar. */
bool core_speculated_insn(struct core *c, const struct wir_insn *i);

/* -- wgmma.c ----------------------------------------------------------------------------------- */

bool wgmma_insn(struct core *c, const struct wir_insn *i);

#endif
