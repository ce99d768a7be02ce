/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: one function for a whole block (jit_phases.c). A phase is what warps do from the
 * kernel's start or a barrier to the next barriers or the end; the function runs it for one warp
 * after the other, without going back to exec.
 */
#ifndef LOCKSTEP_JIT_PHASES_H
#define LOCKSTEP_JIT_PHASES_H

#include "jit/jit_core.h"

/* A warp's values while code is emitted for it. */
struct turn {
    LLVMValueRef *reg; /* as core.reg, core.guess, core.carry */
    struct guess *guess;
    LLVMValueRef carry, warp, frame, warp_index, tid[3];
};

struct phase {
    uint32_t barrier; /* block that ends with it; UINT32_MAX: the kernel's start */
    uint32_t entry;   /* block in which it begins */
    uint32_t group;
    uint64_t *blocks;         /* set: that a warp may run in this phase */
    LLVMBasicBlockRef resume; /* where a warp gets its registers back */
    LLVMBasicBlockRef together; /* where those of a jammed group do */
};

/* Where warps that ran together part: at the end of a block (jit_jam.c). */
struct jam_site {
    uint32_t block;
    uint64_t *live;              /* registers that what comes then reads */
    LLVMBasicBlockRef resume;    /* where one of them goes on by itself, */
    LLVMBasicBlockRef tail;      /*   to here: the end of its block */
};

/* Phases that share blocks: one loop over the warps for all of them. */
struct phase_group {
    LLVMBasicBlockRef head, end; /* end: all lanes of a warp have exited */
    LLVMBasicBlockRef together;  /* jammed: the head of the loop over sets of warps; else NULL */
    struct turn turn;
    uint32_t phases;
    uint32_t jam;      /* warps that run together (jit_jam.c); 1: each by itself */
    bool unrolled;     /* the loop over the warps is */
    LLVMValueRef mark; /* metadata of that loop */
};

enum { JAM_MOST = 8 };

/* How far a register's value is from a warp's to the next one's, modulo 2^32 (jit_steps.c). */
struct phase_step {
    bool known;
    uint32_t by;
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
    bool *shaped;  /* per register: the block's shape decides it: numbers, the thread's coordinates, what is made of them */
    bool *tangled; /* per block: threads of the block may run it and others not, or not as often */
    struct phase_step *step;
    struct agree *agree; /* of the warps that run together: what all of them agree on (jit_agree.c) */
    struct turn jammed[JAM_MOST]; /* of warps that run together; registers that are same are shared */
    struct jam_site *site;
    uint32_t site_count;
    const struct flow_insn *columns; /* a store that warps that run together make at once (jit_columns.c), or NULL */
    LLVMValueRef *parted;      /* as before: when warps that ran together parted */
    LLVMValueRef until, at_site; /* allocas: parted warps below it run one by one; from which site on */
    LLVMValueRef *before;      /* per register that is same, but not fixed: alloca of its value when
                                  the phase began */
    LLVMValueRef first;        /* the block's first warp */
    LLVMValueRef turn, number; /* allocas: warp and phase that run */
    LLVMValueRef votes, result; /* allocas: of a barrier with a reduction */
};

/* Whether the kernel can be run like this: every warp is sure to come to the same barriers. NULL:
 * no. */
struct phases *core_phases_new(const struct core *c);
/* The block is one warp, whose barriers have nobody to wait for and nothing to give back. */
bool core_barriers_pass(const struct core *c);
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

/* Whether an instruction's result is decided by its operands, whoever executes it and when. */
bool phases_pure(const struct ptx_insn *p);

/* -- for jit_jam.c ---------------------------------------------------------------------------------- */

/* Whether all threads of the block that come to the end of b go on together. */
bool phases_agree(const struct core *c, const struct phases *p, uint32_t b);
/* Live registers that are kept once, and in the warp's frame. */
void phases_sort(struct core *c, const uint64_t *live, uint64_t *once, uint64_t *framed);
void phases_forget(struct core *c);
/* Live registers that are computed from the thread's number once more. */
bool phases_again(struct core *c, const uint64_t *live);
/* Copies of registers in allocas of their own, made when first needed. */
void phases_keep(struct core *c, const uint64_t *set, LLVMValueRef *copies, bool save);
/* What a phase begins with beside them, for the warp whose turn it is. */
void phases_start(struct core *c, const struct phase *x);
void phases_use(struct core *c, const struct turn *t);
/* The coordinates and memory of a warp; its registers are left alone. */
void phases_turn(struct core *c, struct turn *t, LLVMValueRef warp_index);
LLVMValueRef phases_mark(struct core *c, bool unrolled);
const struct phase *phases_after(const struct phases *p, uint32_t barrier);
/* All warps have come to the barrier: what is once kept is kept, the next phase begins. */
void phases_leave(struct core *c, const struct phase *next, const uint64_t *once);
/* The head of the loop over the warps that run the phase. */
LLVMBasicBlockRef phases_head(const struct phases *p, uint32_t group);

/* jit_steps.c: of all registers; of an operand (registers on which the block agrees: 0), false: not known. */
void phases_find_steps(const struct core *c, struct phases *p);
bool phases_step(const struct core *c, const struct phases *p, const struct ptx_operand *o, uint32_t *step);

/* jit_agree.c: the least and the greatest lane of all warps that run together, relative to the first one's first. */
bool agree_lanes(const struct core *c, const struct ptx_operand *o, const int32_t *pattern, int64_t *low, int64_t *high);

/* jit_straight.c: the way from the end of block b on for warps that run together, where no branch parts them;
 * NULL: it saves too little. c->agree_warps is their number, the registers the first one's. */
struct straight *straight_new(const struct core *c, uint32_t b);
void straight_free(struct straight *s);
/* i1: they go that way. Emitted at the end of block b. NULL: failed, with the error. */
LLVMValueRef straight_test(struct core *c, struct straight *s);
/* For remarks: branches that the way leaves out; sums of products of which the test asks the bounds. */
uint32_t straight_branches(const struct straight *s);
uint32_t straight_products(const struct straight *s);
/* Block k of the way, b is 0; UINT32_MAX: no more. The last one's end is as elsewhere. */
uint32_t straight_block(const struct straight *s, uint32_t k);
/* Whether a register of 64 bits, as a whole, is *step more from warp to warp if in `warps` warps together it is so much
 * more at the end: of the registers of 32 bits that it is made of one at most differs between warps, which may wrap. */
bool phases_line(const struct core *c, const struct phases *p, uint32_t reg, uint32_t warps, int64_t *step);

/* jit_jam.c: */

/* Decides which groups run how many warps together, and where these may part. */
void jam_choose(const struct core *c, struct phases *p);
void jam_free(struct phases *p);
/* Storage and blocks, before anything else of the groups is emitted. */
void jam_begin(struct core *c);
/* A jammed group's warps that run one by one begin at one of its sites. */
bool jam_resume(struct core *c, uint32_t group);
/* Before the end of block b is emitted for one warp: where those that parted there come to it. */
void jam_tail(struct core *c, uint32_t b);
/* One of the parted warps is done: the builder is left where all of the block are. */
void jam_next(struct core *c, const struct phase_group *g, LLVMValueRef next);
/* The warps that run together: all of their code. */
bool jam_emit(struct core *c);

#endif
