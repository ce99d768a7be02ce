/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: what is kept of registers that may follow a pattern (jit_guess.c, jit_split.c).
 */
#ifndef LOCKSTEP_JIT_GUESS_H
#define LOCKSTEP_JIT_GUESS_H

#include "jit/jit_core.h"

struct guess {
    LLVMValueRef holds, firsts; /* allocas: i1; i64, or a vector of as many as there are segments */
    /* Allocas, where addresses are selected lane by lane, else NULL: the segments' first lanes, worked out
     * from their last ones; the lanes that do not follow those, <32 x i1>; or that any may not, i1. */
    LLVMValueRef back, strays, wrapped;
    /* Allocas, where lanes follow a pattern unless they have parted, else NULL (jit_together.c). */
    LLVMValueRef together, first;
};

/* Segments of a register that is kept. */
unsigned guess_segments(const struct core *c, uint32_t reg);
/* i makes an address, or a part of one, of a 32-bit number: a guess that it does not wrap, or sure of it. */
bool guess_widens(const struct core *c, const struct flow_insn *i);
/* Pattern of lane l counted from the first lane of its segment. */
int32_t guess_relative(const struct fact *f, unsigned l, unsigned segment);

/* The instruction is one that hands patterns on; it makes a 64-bit number of a 32-bit one. */
bool guess_follows(const struct ptx_insn *p);
bool guess_is_wide(const struct ptx_insn *p);
/* Whether widening the 32-bit numbers that `firsts` stand for cannot have met a wrap in any lane. */
LLVMValueRef guess_no_wrap(struct core *c, const struct fact *f, LLVMValueRef firsts, unsigned segment, bool is_signed);

/* jit_together.c: storage; the register has been written by i; nothing is known of it. */
void together_storage(struct core *c);
void together_write(struct core *c, const struct flow_insn *i, uint32_t reg);
void together_forget(struct core *c, uint32_t reg);

/* jit_split.c: whether the kernel selects addresses; storage for one register; it has been written by i,
 * has come back from the frame (NULL), is not known. */
bool split_wanted(const struct flow *f);
void split_storage(struct core *c, struct guess *g, uint32_t reg);
void split_write(struct core *c, const struct flow_insn *i, uint32_t reg);
void split_forget(struct core *c, uint32_t reg);

struct split_part {
    uint32_t reg;
    struct fact fact;    /* its pattern; no guess: it holds in the lanes of the mask */
    LLVMValueRef mask;   /* <32 x i1>: the active lanes that select it */
    bool shared;         /* an address of shared memory */
    LLVMValueRef some[2]; /* i1: whether lanes of each half of the warp may select it; NULL: see the mask */
    uint32_t lanes;      /* of the halves that do, just these; 0: see the mask */
    LLVMValueRef firsts; /* its values in the first lanes of the fact's segments: i64, or a vector */
};

struct split {
    unsigned count;
    struct split_part part[3];
    LLVMValueRef fine; /* i1: all of it is so */
    LLVMValueRef rows; /* i1: what rows decide (jit_rows.c) holds in both halves; NULL: there is nothing such */
};

/* Whether the load's address is selected of some that follow patterns. The values are the register's,
 * without the operand's offset. */
bool core_split(struct core *c, const struct flow_insn *i, const struct ptx_operand *o, struct split *s);

#endif
