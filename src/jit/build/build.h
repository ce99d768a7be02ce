/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/build: the vocabulary that all emitters share.
 *
 * Values: the bits of a PTX register are an LLVM integer of its width (i16, i32, i64, i128) or a
 * vector <32 x iN> of them; a predicate is i1 or <32 x i1>. Floating-point emitters bitcast in and
 * out; LLVM removes the casts. `e->lanes` is the width of the value being emitted: 1 for uniform
 * instructions (scalars), 32 for varying ones. An emitter is written once for both. Shorter forms
 * of LLVM's builders for integers and floats: value.h.
 */
#ifndef LOCKSTEP_JIT_BUILD_H
#define LOCKSTEP_JIT_BUILD_H

#include "jit/jit.h"
#include "jit/passes/passes.h"

#include <llvm-c/Core.h>

struct emit {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMValueRef function;
    unsigned lanes;  /* 1 or 32: of the instruction being emitted */
    bool plain_host; /* tests: take the ways of a host without AVX-512 and F16C */
    bool narrow;     /* the ways of a host without AVX-512 (struct jit_options) */
    /* Active lanes of the instruction being emitted, as <32 x i1> and as i32. NULL mask: all 32
     * lanes are known to be active (or lanes == 1). Results of inactive lanes do not matter, but
     * nothing may trap or write memory for them. */
    LLVMValueRef mask;
    LLVMValueRef mask_bits;
    LLVMValueRef warp;     /* struct jit_warp *, as ptr */
    LLVMValueRef services; /* struct jit_services *, as ptr */
    const struct ptx_module *ptx;
    const struct ptx_func *func; /* of the instruction being emitted */
    const struct ptx_insn *insn;
    uint32_t place;              /* of the instruction being emitted, as jit_place() */
    uint64_t off;                /* passes that are switched off, or may not run in this code */
    const uint64_t *unseen_nans; /* set of registers (analysis_unseen_nans); NULL: none */
    struct jit_remarks *remarks; /* NULL: nobody reads them */
    struct lines *lines;         /* NULL: gdb is not told */
    /* LLVM instructions that the function may have: more, and its emission fails, without an error,
     * with `over` set. 0: any number. */
    uint64_t most;
    bool over;
    struct ls_error *err;
};

/* Whether a pass is on and may run in this code, watched by a tool or not; what it did at the
 * instruction being emitted, or why it did nothing there. */
static inline bool
emit_on(const struct emit *e, enum jit_pass pass)
{
    return jit_on(e->off, pass);
}
static inline bool
emit_nans_unseen(const struct emit *e, uint32_t reg)
{
    return e->unseen_nans && e->unseen_nans[reg / 64] >> (reg % 64) & 1;
}

/* -- emit.c ------------------------------------------------------------------------------------ */

void emit_fired(const struct emit *e, enum jit_pass pass, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void emit_missed(const struct emit *e, enum jit_pass pass, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same at the instruction with that place. */
void emit_remark_at(const struct emit *e, enum jit_pass pass, bool fired, uint32_t place,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));
LLVMTypeRef emit_type_at(struct emit *e, LLVMTypeRef scalar, unsigned lanes);
LLVMTypeRef emit_int(struct emit *e, unsigned bits);                    /* iN, or <lanes x iN> */
LLVMValueRef emit_const(struct emit *e, unsigned bits, uint64_t value); /* splat when lanes > 1 */
LLVMValueRef emit_splat(struct emit *e, LLVMValueRef scalar); /* scalar to e->lanes lanes */
LLVMValueRef emit_lane(struct emit *e, LLVMValueRef vector, unsigned lane);
/* A call of an LLVM intrinsic, overloaded on `types`: "llvm.fma", {float or <32 x float>}. */
LLVMValueRef emit_intrinsic(struct emit *e, const char *name, LLVMTypeRef *types, unsigned ntypes,
                            LLVMValueRef *args, unsigned nargs);
LLVMValueRef emit_active(struct emit *e); /* lanes that execute the instruction: i32 */
LLVMValueRef emit_mask_to_bits(struct emit *e, LLVMValueRef mask); /* <32 x i1> -> i32 */
LLVMValueRef emit_bits_to_mask(struct emit *e, LLVMValueRef bits);
unsigned emit_bits_of(LLVMValueRef v); /* width of the (element) integer or float */
/* Fails with "file:line: what": the place of e->insn in the PTX text. */
bool emit_fail(struct emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* -- lines.c: which line of the program code comes from, for gdb ------------------------------- */

struct lines *lines_new(LLVMModuleRef module, const struct ptx_module *ptx);
/* The module is whole. NULL: nothing. */
void lines_end(struct lines *l);
/* e->function is the code of this one; what is built from now on is its. */
void lines_function(struct emit *e, const struct ptx_func *f);
/* What is built from now on is this instruction's. */
void lines_at(struct emit *e, uint32_t place);

#endif
