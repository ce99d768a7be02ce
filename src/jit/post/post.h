/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/post: passes over LLVM's module, after its own passes and before code is generated. They know
 * LLVM IR and nothing of PTX.
 */
#ifndef LOCKSTEP_JIT_POST_H
#define LOCKSTEP_JIT_POST_H

#include "base/base.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

/* -- address.c --------------------------------------------------------------------------------- */

/* What an address is made from. OWN: memory of the engine that is not shared memory. */
enum root { ROOT_OTHER, ROOT_WARP, ROOT_BLOCK, ROOT_LAUNCH, ROOT_OWN, ROOT_SHARED };

struct address {
    enum root root;
    bool known; /* root + offset */
    uint64_t offset;
};
/* Resolves a pointer, or a number that becomes one, into base and distance. */
struct address address_resolve(LLVMTargetDataRef layout, LLVMValueRef v);
/* Of a vector or a scalar: bytes of an element that is a number of 4 or 8 bytes, 0: others; how
 * many there are. */
unsigned element_bytes(LLVMTypeRef t);
unsigned element_count(LLVMTypeRef t);
/* Whether the instruction calls the intrinsic, of whatever types ("llvm.masked.load"). */
bool calls_intrinsic(LLVMValueRef v, const char *name);

/* -- private.c --------------------------------------------------------------------------------- */

/* Memory that only this warp's function sees; UNCLEAR: perhaps. */
enum area { AREA_NONE, AREA_FRAME, AREA_WARP, AREA_LOCAL, AREA_UNCLEAR };

/* An address: a constant and other terms, in order. */
enum { ADDRESS_TERMS = 8 };
struct terms {
    uint64_t constant;
    LLVMValueRef term[ADDRESS_TERMS];
    unsigned count;
};

/* Of a function, and of what has been seen of it. */
struct private
{
    LLVMValueRef warp;              /* the function's first parameter */
    struct terms local;             /* what the addresses in local memory have in common */
    bool local_words, local_stored; /* it is laid out by words; something has been stored there */
};
/* Where the address leads, and how far from the area's start. */
enum area private_area(struct private *s, LLVMValueRef address, uint64_t *offset);
/* Shared memory: only the thread that runs the block touches it, so that a load between two effects
 * on memory may be done twice. */
bool private_in_shared(const struct private *s, LLVMValueRef address);

/* -- defects.c --------------------------------------------------------------------------------- */

/* After the passes, before code is generated: rewrites what the code generator is known to get
 * wrong; avx512: for a processor that has it. */
void jit_avoid_defects(LLVMModuleRef m, bool avx512);

/* -- forward.c --------------------------------------------------------------------------------- */

/* After the passes, for functions of whole blocks: loads and stores of shared memory that registers
 * can replace (post/forward.c); shared_bytes: of static variables. How many there were. */
unsigned jit_forward(LLVMModuleRef m, uint32_t shared_bytes);

/* -- index_near.c ------------------------------------------------------------------------------ */

/* The numbers that gathers go by, widened right before them (memory/index.c). */
void jit_index_near(LLVMModuleRef m);

/* -- pieces.c ---------------------------------------------------------------------------------- */

/* Last: basic blocks of over 1,000 instructions become pieces of 400 (post/pieces.c). How many
 * blocks there were. */
unsigned jit_pieces(LLVMModuleRef m);

/* -- schedule.c -------------------------------------------------------------------------------- */

/* After the passes: chains of additions in groups that fit the registers (post/schedule.c). How
 * many stretches of code have another order, and how many accesses to private memory went. */
unsigned jit_order_sums(LLVMModuleRef m);
/* An attribute of functions: their local memory is laid out by words, no address leads there but
 * theirs. */
extern const char jit_local_words[];

/* -- window.c ---------------------------------------------------------------------------------- */

/* After the passes: vectors that overlap, out of those they lie in (post/window.c). How many
 * windows there were. */
unsigned jit_windows(LLVMModuleRef m);

#endif
