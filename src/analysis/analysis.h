/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis: facts about kernels that need no code generator.
 *
 *   flow.c      a kernel with its calls inlined: blocks in an order in which lanes meet again,
 *               loops, post-dominators, registers split into webs, live ranges
 *               (slots.c: parameter slots; blocks.c: blocks; webs.c: webs and live ranges)
 *   chains.c    which instructions write a register and which read it (def-use chains)
 *   facts.c     which registers agree in all lanes (uniform), differ by constants (affine), or vary,
 *               for one shape of the block
 *   warps.c     what holds over all warps of a block: which registers all threads agree on, ...
 *   steps.c     ... and how far the others are apart from warp to warp
 *   products.c  32-bit numbers as sums of products of registers, over lanes and warps (products.h)
 *   frontier.c  which lanes may be pending elsewhere while a block runs
 *   print.c     both as text
 *   footprint.c which bytes each block of a launch may touch
 *
 * Order of blocks: a weak topological order (Bourdoncle, "Efficient chaotic iteration strategies with
 * widenings", 1993): loops are contiguous, every backward edge leads to the head of a loop around
 * it, in irreducible graphs too. Lanes that part at a branch meet again because the pending block
 * that comes next in this order runs first, and a loop's head runs only when nothing of its body is
 * pending (thread frontiers: Diamos et al., "SIMD re-convergence at thread frontiers", 2011).
 *
 * Everything lives in the arena of its struct flow.
 */
#ifndef LOCKSTEP_ANALYSIS_H
#define LOCKSTEP_ANALYSIS_H

#include "base/base.h"
#include "ptx/ptx.h"

/* -- flow ---------------------------------------------------------------------------------------- */

/* An instruction of the flattened kernel: registers are indices in flow.regs, variables of functions
 * are the flow's own copies (var->index in flow.vars, var->func set); calls that remain go to
 * functions without a body. A parameter slot that fits in registers is one: `ld.param %r, slot` has
 * a REG operand where the text has an address, `st.param slot, %r` likewise as its destination. */
struct flow_insn {
    struct ptx_insn i;
    const struct ptx_func *func; /* where it stands in the module */
    uint32_t place;              /* module-wide number: ptx_func.first_place + index */
};

enum flow_end {
    FLOW_JUMP,    /* to succ[0] */
    FLOW_BRANCH,  /* to succ[0] where guard holds (not, if negated), else to succ[1] */
    FLOW_SWITCH,  /* brx.idx: to succ[index], out of range: trap */
    FLOW_EXIT,    /* lanes are done */
    FLOW_BARRIER, /* bar.sync and kin (`end`), then succ[0] */
    FLOW_TRAP,    /* the last instruction does not return */
};

struct flow_block {
    uint32_t first, count; /* instructions, without the one that ends it */
    uint8_t end;           /* enum flow_end */
    bool guard_negated;
    uint32_t guard;        /* BRANCH: predicate register */
    uint32_t end_insn;     /* the instruction that ends it, or UINT32_MAX */
    uint32_t *succ, succ_count;
    uint32_t *pred, pred_count;
    bool sync;             /* its first instruction waits for other lanes of the warp: flow_syncs */
    uint32_t loop;         /* innermost loop, UINT32_MAX: none */
    uint32_t ipdom;        /* immediate post-dominator, UINT32_MAX: the end of the kernel */
    uint64_t *live_in;     /* set of registers */
};

struct flow_loop {
    uint32_t head, last;   /* blocks head..last; head is the first */
    uint32_t parent;       /* UINT32_MAX: none */
    bool waits;            /* holds an atomic, volatile or ordered access, a fence or a sleep: it may be
                              waiting for another warp */
};

struct flow_reg {
    uint8_t type;          /* enum ptx_type */
    bool param;            /* a parameter slot */
    const char *name;
};

/* Where a variable of a function lives. */
enum flow_place {
    FLOW_KERNEL_PARAM,
    FLOW_SLOT,     /* registers */
    FLOW_LOCAL,
    FLOW_SHARED,
    FLOW_ARGUMENT, /* of a function that is really called: its caller's area, 32 lanes of var->size
                      bytes each, from offset * 32 */
};

struct flow_var {
    struct ptx_var *var;
    uint8_t place;
    uint64_t offset;       /* in the parameter block, in local memory, in shared memory */
};

/* Def-use chains, as rows of numbers that lie one behind the other: row k of x is x[x_at[k]..x_at[k + 1]).
 * Read them by flow_defs and what follows it. */
struct flow_chains {
    uint32_t *def_at, *def;       /* per instruction: registers that it writes */
    uint32_t *use_at, *use;       /* per instruction: registers that it reads; from base_at on those */
    uint32_t *base_at;            /*   that are bases of addresses */
    uint32_t *writer_at, *writer; /* per register: instructions that write it */
    uint32_t *reader_at, *reader; /* per register: instructions that read it */
    uint32_t *block_of;           /* per instruction: its block; UINT32_MAX: no path leads to it */
};

struct flow {
    struct arena arena;
    const struct ptx_module *module;
    const struct ptx_func *kernel;
    struct flow_insn *insns;
    uint32_t insn_count;
    struct flow_block *blocks; /* in order; block 0 is the entry */
    uint32_t block_count;
    struct flow_loop *loops;
    uint32_t loop_count;
    struct flow_reg *regs;
    uint32_t reg_count;
    uint32_t reg_words;        /* length of a set of registers, in 64-bit words */
    struct flow_var *vars;
    uint32_t var_count;
    uint64_t *shared_offset;   /* per module variable: offset in shared memory (.shared ones), */
    bool *shared_used;         /*   and whether it is there at all */
    uint32_t local_bytes, shared_bytes; /* shared: static; dynamic shared memory begins there */
    uint32_t max_live;         /* 32-bit registers live at once, at most */
    /* Functions that are called and not inlined: recursion; and whether pointers are called. */
    const struct ptx_func **calls;
    uint32_t call_count;
    bool indirect;
    uint32_t argument_bytes;   /* of a function: parameters and results of one lane */
    struct flow_chains chains;
};

/* A kernel, or a function that is called through a pointer or recursively. NULL and an error with a
 * place: undefined functions, a kernel too large. `known` says which functions without a body may be
 * called (mathematics, externals). */
struct flow *flow_new(const struct ptx_module *m, const struct ptx_func *kernel,
                      bool (*known)(const char *name), struct ls_error *err);
/* Every loop counts as one that may wait for others. */
void flow_all_wait(struct flow *f);
void flow_free(struct flow *f);

/* taken[ptx_func.index] becomes true for every function whose address the module takes. */
void flow_addresses(const struct ptx_module *m, bool *taken);

/* Whether an instruction waits for the lanes that its member mask names: bar.warp.sync, shfl.sync,
 * ... (PTX ISA 9.7.13); they begin blocks. */
bool flow_syncs(const struct ptx_insn *i);

/* seen[b] becomes true for `from` and every block that is reached from it without passing `end` (UINT32_MAX: none)
 * or a block seen already. */
void flow_reach(const struct flow *f, uint32_t from, uint32_t end, bool *seen);

/* Calls visit for each register operand of an instruction; write: it is a destination. For what changes
 * registers while a flow is made, or looks at text that is no flow; all else asks the chains. */
void flow_visit(const struct flow_insn *i,
                void (*visit)(struct ptx_operand *o, bool write, void *context), void *context);

static inline bool
set_has(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}
static inline void
set_add(uint64_t *set, uint32_t i)
{
    set[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void
set_remove(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~((uint64_t)1 << (i % 64));
}

/* -- def-use chains (chains.c) ------------------------------------------------------------------------ */

/* Registers, or numbers of instructions (indices in flow.insns), in the flow's arena. */
struct span {
    const uint32_t *at;
    uint32_t count;
};

static inline struct span
span_of(const uint32_t *all, uint32_t first, uint32_t end)
{
    return (struct span){all + first, end - first};
}
/* Registers that instruction n writes, in the order of its operands. One stands there twice that two
 * operands name. */
static inline struct span
flow_defs(const struct flow *f, uint32_t n)
{
    return span_of(f->chains.def, f->chains.def_at[n], f->chains.def_at[n + 1]);
}
/* Registers that it reads: guard, values, bases of addresses. */
static inline struct span
flow_uses(const struct flow *f, uint32_t n)
{
    return span_of(f->chains.use, f->chains.use_at[n], f->chains.use_at[n + 1]);
}
/* The same without bases of addresses. */
static inline struct span
flow_values(const struct flow *f, uint32_t n)
{
    return span_of(f->chains.use, f->chains.use_at[n], f->chains.base_at[n]);
}
/* Instructions that write a register, and that read it, in ascending order; the ones that end blocks are
 * among them, so a branch reads its guard. */
static inline struct span
flow_writers(const struct flow *f, uint32_t reg)
{
    return span_of(f->chains.writer, f->chains.writer_at[reg], f->chains.writer_at[reg + 1]);
}
static inline struct span
flow_readers(const struct flow *f, uint32_t reg)
{
    return span_of(f->chains.reader, f->chains.reader_at[reg], f->chains.reader_at[reg + 1]);
}
static inline void
set_add_all(uint64_t *set, struct span regs)
{
    for (uint32_t k = 0; k < regs.count; k++)
        set_add(set, regs.at[k]);
}
/* The instruction's number; UINT32_MAX: it is a copy, none of the flow's own. */
static inline uint32_t
flow_index(const struct flow *f, const struct flow_insn *i)
{
    return i >= f->insns && i < f->insns + f->insn_count ? (uint32_t)(i - f->insns) : UINT32_MAX;
}
/* The block's instructions are [first, flow_block_end), the one that ends it included. */
static inline uint32_t
flow_block_end(const struct flow *f, uint32_t block)
{
    const struct flow_block *b = &f->blocks[block];
    return b->first + b->count + (b->end_insn != UINT32_MAX);
}
/* What they write: they stand one behind the other. */
static inline struct span
flow_block_defs(const struct flow *f, uint32_t block)
{
    return span_of(f->chains.def, f->chains.def_at[f->blocks[block].first], f->chains.def_at[flow_block_end(f, block)]);
}

/* The only instruction that writes the register; NULL: none does, or several. */
const struct flow_insn *flow_only_writer(const struct flow *f, uint32_t reg);
/* The last one of [first, end) that writes it; UINT32_MAX: none. */
uint32_t flow_last_writer(const struct flow *f, uint32_t reg, uint32_t first, uint32_t end);
/* The first one of [first, end) that writes it; UINT32_MAX: none. */
uint32_t flow_next_writer(const struct flow *f, uint32_t reg, uint32_t first, uint32_t end);
/* The last one before insns[end] in the block that writes it; UINT32_MAX: none, or `end` is an instruction of
 * another block. */
uint32_t flow_writer_before(const struct flow *f, uint32_t block, uint32_t reg, uint32_t end);
/* The same instruction; NULL also if it has a guard, so that other lanes keep an older value. */
const struct flow_insn *flow_maker_before(const struct flow *f, uint32_t block, uint32_t reg, uint32_t end);
/* Whether an operand, a register or a number, is before insns[end] what it was before insns[n], n <= end, both of
 * one block. */
bool flow_same_since(const struct flow *f, const struct ptx_operand *o, uint32_t n, uint32_t end);

/* -- facts ----------------------------------------------------------------------------------------- */

enum { LANES = 32 };

/* What is known of a register's value in the lanes of any warp of the block. Lanes fall into segments
 * of `segment` lanes; in segment s, lane l holds value(first lane of s) + pattern[l]. segment 32: one
 * scalar says it all. */
enum fact_kind {
    FACT_NONE,    /* not known yet (during the iteration) */
    FACT_SCALAR,  /* kept as one scalar: lane 0's value; pattern zero: uniform, else affine */
    FACT_VECTOR,  /* kept as a vector; segment < 32 and the pattern may still say something */
};
struct fact {
    uint8_t kind;
    uint8_t segment;     /* 32, 16, 8, 4, 2; 1: nothing known */
    uint8_t align;       /* lane 0's value (each segment's first) is a multiple of 1 << align */
    bool known;          /* lane 0's value is the constant `base` (segment 32 only) */
    bool guess;          /* the pattern holds unless 32-bit arithmetic wrapped: test at run time */
    uint8_t sure;        /* guess: lanes in segments of this size agree even then */
    bool bounded;        /* low <= value <= high in every lane, as a signed number */
    int64_t base, low, high;
    const int32_t *pattern; /* [LANES], pattern[0] = 0 (first of each segment = 0); NULL: zero */
    /* The same in all lanes, plus by[0] * tid.x + by[1] * tid.y + by[2] * tid.z (threads.c); modulo the
     * register's width, whatever the segments. */
    bool threads;
    int32_t by[3];
};

static inline bool
fact_uniform(const struct fact *f)
{
    return f->kind == FACT_SCALAR && !f->pattern;
}

struct shape {
    uint32_t block[3];
    bool abreast; /* compute capability below 7.0: what lanes execute together does not ask for masks */
    bool small_grid; /* at most 2^30 threads in each dimension of the grid */
    bool partial; /* the last warp alone, whose lanes are fewer than 32 */
    bool together; /* as if the lanes of a warp never parted: of warps that go one way as a whole */
    bool any;     /* every warp, with any lanes: functions that are called */
    bool apart;   /* lanes may wait for others of their warp wherever a block begins with such an
                     instruction; else all that it names are taken to be there */
};

struct facts {
    struct arena arena;
    const struct flow *flow;
    struct shape shape;
    struct fact *reg;         /* per register */
    bool *merge;              /* per register: a masked write must keep other lanes' values */
    bool *divergent;          /* per block: its branch may part lanes */
    /* Per block: blocks in which lanes may be pending while it runs (frontier.c). */
    uint64_t **pending;
    bool *complete;           /* per block: all 32 lanes are active whenever it runs */
    bool *parks;              /* per block: lanes may wait at its start while others go on elsewhere */
    uint32_t block_words;
    uint32_t lanes;           /* partial: number of lanes of the last warp */
};

/* uniform_result(i, k): result k of a warp operation is the same in all lanes. */
struct facts *facts_new(const struct flow *f, const struct shape *shape,
                        bool (*uniform_result)(const struct ptx_insn *, unsigned),
                        struct ls_error *err);
void facts_free(struct facts *f);
/* The fact about any operand that stands for a value. */
struct fact facts_operand(const struct facts *f, const struct flow_insn *i,
                          const struct ptx_operand *o);
/* The fact about a special register. */
struct fact fact_special_of(const struct facts *f, enum ptx_sreg r);
/* Blocks to try, in order, when the lanes of block b have been sent to `targets`; the pending set
 * is pending[b] plus targets. Returns the count; out has room for flow->block_count. The last one is
 * certain when `certain` is set. */
uint32_t facts_next(const struct facts *f, uint32_t b, const uint32_t *targets, uint32_t count,
                    bool one_certain, uint32_t *out, bool *certain);
/* shape.apart: lanes may stand still at the start of block b until others of their warp come. */
bool facts_waits(const struct facts *f, uint32_t b);
/* A table of registers and what is known of them, for people. */
void facts_print(const struct facts *f, struct text *out);
/* One value's shape in words: "uniform", "affine 4", "varying, segments of 16: affine 4, in [0, 255]". */
void fact_print(const struct fact *x, struct text *out);
/* The flow graph as text: PTX with one label a block and one register a web, the shape of each result behind
 * it; note (NULL: none) adds lines behind the instruction with that place. */
void flow_print(const struct flow *f, const struct facts *facts,
                void (*note)(void *context, uint32_t place, struct text *out), void *context, struct text *out);

/* -- over the warps of a block (warps.c, steps.c) -------------------------------------------------------- */

/* How far a register's value is from one warp of the block to the next, modulo 2^32. */
struct warp_step {
    bool known;
    uint32_t by;
};

/* For blocks that are whole warps, in kernels that no lane of a warp may leave or wait in by itself. `facts` must
 * outlive it. */
struct warps {
    struct arena arena;
    const struct facts *facts;
    bool (*computes)(const struct ptx_insn *);
    bool *same;    /* per register: all threads of the block agree */
    bool *fixed;   /* per register: written once, from what does not change during the kernel, */
    bool *again;   /*   and from the thread's number: may be computed anew instead of being kept */
    bool *shaped;  /* per register: the block's shape decides it: numbers, the thread's coordinates, what is made of them */
    bool *tangled; /* per block: threads of the block may run it and others not, or not as often */
    struct warp_step *step; /* per register; 0 for those that are same is not stored: warps_step */
};

/* computes(i): the instruction does nothing but compute its results from its operands. */
struct warps *warps_new(const struct facts *facts, bool (*computes)(const struct ptx_insn *));
void warps_free(struct warps *w);
/* Whether an instruction's result is decided by its operands, whoever executes it and when. */
bool warps_pure(const struct ptx_insn *i, bool (*computes)(const struct ptx_insn *));
/* Whether all threads of the block that come to the end of block b go on together. */
bool warps_agree(const struct warps *w, uint32_t b);
/* How far an operand is from warp to warp; false: not known. While several warps execute the same instructions with
 * all their lanes, from where the kernel or the last barrier let them begin. */
bool warps_step(const struct warps *w, const struct ptx_operand *o, uint32_t *step);
/* Whether a register of 64 bits, as a whole, is *step more from warp to warp if over `count` warps it is so much more
 * at the end: of the registers of 32 bits that it is made of one at most differs between warps, which may wrap. */
bool warps_line(const struct warps *w, uint32_t reg, uint32_t count, int64_t *step);

/* -- footprints -------------------------------------------------------------------------------------- */

/* Block c of the launch touches no bytes outside of [low, high) + c * step behind the pointer. */
struct footprint_access {
    uint32_t param; /* where the pointer lies in the parameter block */
    bool write;
    int64_t step, low, high;
};
enum { FOOTPRINT_MOST = 16 };
struct footprint {
    struct footprint_access at[FOOTPRINT_MOST];
    uint32_t count;
};
/* False: cannot say, or the kernel does more than load, compute and store, each once a thread. The grid is
 * one row of blocks. */
bool footprint_find(const struct ptx_func *kernel, const uint32_t grid[3], const uint32_t block[3],
                    struct footprint *out);

#endif
