/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/post: passes over LLVM's module, after its own passes and before code is generated. They know LLVM IR and
 * nothing of PTX.
 */
#ifndef LOCKSTEP_JIT_POST_H
#define LOCKSTEP_JIT_POST_H

#include "base/base.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

/* -- defects.c --------------------------------------------------------------------------------- */

/* After the passes, before code is generated: rewrites what the code generator is known to get wrong. */
void jit_avoid_defects(LLVMModuleRef m);

/* -- forward.c --------------------------------------------------------------------------------- */

/* After the passes, for functions of whole blocks: loads and stores of shared memory that registers can
 * replace (post/forward.c); shared_bytes: of static variables. How many there were. */
unsigned jit_forward(LLVMModuleRef m, uint32_t shared_bytes);

/* -- index_near.c ------------------------------------------------------------------------------ */

/* The numbers that gathers go by, widened right before them (memory/index.c). */
void jit_index_near(LLVMModuleRef m);

/* -- pieces.c ---------------------------------------------------------------------------------- */

/* Last: basic blocks of over 1,000 instructions become pieces of 400 (post/pieces.c). How many blocks there were. */
unsigned jit_pieces(LLVMModuleRef m);

/* -- schedule.c -------------------------------------------------------------------------------- */

/* After the passes: chains of additions in groups that fit the registers (post/schedule.c). In how many stretches of
 * code. */
unsigned jit_order_sums(LLVMModuleRef m);
/* An attribute of functions: their local memory is laid out by words, no address leads there but theirs. */
extern const char jit_local_words[];

/* -- window.c ---------------------------------------------------------------------------------- */

/* After the passes: vectors that overlap, out of those they lie in (post/window.c). How many windows there were. */
unsigned jit_windows(LLVMModuleRef m);

#endif
