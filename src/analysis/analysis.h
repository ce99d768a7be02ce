/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis: facts about the values of a kernel in the warp IR (wir/wir.h), without a code
 * generator.
 *
 *   facts.c     which registers agree in all lanes (uniform), differ by constants (affine), or
 *               vary, for one shape of the block (fact.c: one fact; transfer.c: what each
 *               instruction makes of its operands' facts; special.c: special registers)
 *   warps.c     what holds over all warps of a block: which registers all threads agree on, ...
 *   steps.c     ... and how far the others are apart from warp to warp
 *   alike.c     registers that are the same in all warps, lane by lane
 *   threads.c   which registers are sums of the thread's coordinates
 *   products.c  32-bit numbers as sums of products of registers, over lanes and warps (products.h)
 *   frontier.c  which lanes may be pending elsewhere while a block runs
 *   print.c     all of it as text
 *   footprint.c which bytes each block of a launch may touch
 *   pointers.c  where a kernel's addresses come from: which words of its parameters, memory
 *   nans.c      which registers' NaNs nobody tells apart
 *   pressure.c  how many registers a GPU's compiler would give a thread
 */
#ifndef LOCKSTEP_ANALYSIS_H
#define LOCKSTEP_ANALYSIS_H

#include "wir/wir.h"

/* -- facts ------------------------------------------------------------------------------------- */

enum { LANES = 32 };

/* What is known of a register's value in the lanes of any warp of the block. Lanes fall into
 * segments of `segment` lanes; in segment s, lane l holds value(first lane of s) + pattern[l].
 * segment 32: one scalar says it all. */
enum fact_kind {
    FACT_NONE,   /* not known yet (during the iteration) */
    FACT_SCALAR, /* kept as one scalar: lane 0's value; pattern zero: uniform, else affine */
    FACT_VECTOR, /* kept as a vector; segment < 32 and the pattern may still say something */
};
struct fact {
    uint8_t kind;
    uint8_t segment; /* 32, 16, 8, 4, 2; 1: nothing known */
    uint8_t align;   /* lane 0's value (each segment's first) is a multiple of 1 << align */
    bool known;      /* lane 0's value is the constant `base` (segment 32 only) */
    bool guess;      /* the pattern holds unless 32-bit arithmetic wrapped: test at run time */
    uint8_t sure;    /* guess: lanes in segments of this size agree even then */
    bool bounded;    /* low <= value <= high in every lane, as a signed number */
    int64_t base, low, high;
    const int32_t *pattern; /* [LANES], pattern[0] = 0 (first of each segment = 0); NULL: zero */
    /* The same in all lanes, plus by[0] * tid.x + by[1] * tid.y + by[2] * tid.z (threads.c); modulo
     * the register's width, whatever the segments. */
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
    bool abreast;    /* compute capability below 7.0: what lanes execute together does not ask for
                        masks */
    bool small_grid; /* at most 2^30 threads in each dimension of the grid */
    bool partial;    /* the last warp alone, whose lanes are fewer than 32 */
    bool converged;  /* as if the lanes of a warp never parted: warps go one way as a whole */
    bool any;        /* every warp, with any lanes: functions that are called */
    bool separate; /* nothing is taken to be known of any register, and what one lane's holds stays
                      as it is whatever others do: for a debugger */
    bool apart;    /* lanes may wait for others of their warp wherever a block begins with such an
                      instruction; else all that it names are taken to be there */
};

struct facts {
    struct arena arena;
    const struct wir *wir;
    struct shape shape;
    struct fact *reg; /* per register */
    bool *merge;      /* per register: a masked write must keep other lanes' values */
    bool *divergent;  /* per block: its branch may part lanes */
    /* Per block: blocks in which lanes may be pending while it runs (frontier.c). */
    uint64_t **pending;
    bool *complete; /* per block: all 32 lanes are active whenever it runs */
    bool *parks;    /* per block: lanes may wait at its start while others go on elsewhere */
    uint32_t block_words;
    uint32_t lanes; /* partial: number of lanes of the last warp */
};

/* uniform_result(i, k): result k of a warp operation is the same in all lanes. */
struct facts *facts_new(const struct wir *f, const struct shape *shape,
                        bool (*uniform_result)(const struct ptx_insn *, unsigned),
                        struct ls_error *err);
void facts_free(struct facts *f);
/* The fact about any operand that stands for a value. */
struct fact facts_operand(const struct facts *f, const struct wir_insn *i,
                          const struct ptx_operand *o);
/* The fact about a special register. */
struct fact fact_special_of(const struct facts *f, enum ptx_sreg r);
/* Blocks to try, in order, when the lanes of block b have been sent to `targets`; the pending set
 * is pending[b] plus targets. Returns the count; out has room for flow->block_count. The last one
 * is certain when `certain` is set. */
uint32_t facts_next(const struct facts *f, uint32_t b, const uint32_t *targets, uint32_t count,
                    bool one_certain, uint32_t *out, bool *certain);
/* shape.apart: lanes may stand still at the start of block b until others of their warp come. */
bool facts_waits(const struct facts *f, uint32_t b);
/* A table of registers and what is known of them, for people. */
void facts_print(const struct facts *f, struct text *out);
/* The warp IR as text, with the shape of each result and what is known of each block as comments.
 * note (NULL: none) adds lines behind the instruction with that place. */
void facts_print_wir(const struct facts *facts,
                     void (*note)(void *context, uint32_t place, struct text *out), void *context,
                     struct text *out);

/* -- over the warps of a block (warps.c, steps.c, alike.c) ------------------------------------ */

/* How far a register's value is from one warp of the block to the next, modulo 2^32. */
struct warp_step {
    bool known;
    uint32_t by;
};

/* For blocks that are whole warps, in kernels that no lane of a warp may leave or wait in by
 * itself. `facts` must outlive it. */
struct warps {
    struct arena arena;
    const struct facts *facts;
    bool (*computes)(const struct ptx_insn *);
    bool *same;    /* per register: all threads of the block agree */
    bool *fixed;   /* per register: written once, from what does not change during the kernel, */
    bool *again;   /*   and from the thread's number: may be computed anew instead of being kept */
    bool *shaped;  /* per register: the block's shape decides it: numbers, the thread's coordinates,
                      what is made of them */
    bool *tangled; /* per block: threads of the block may run it and others not, or not as often */
    struct warp_step *step; /* per register; 0 for those that are same is not stored: warps_step */
    bool *alike; /* per register: each lane's value is that of the same lane of other warps, while
                    they execute the same instructions; NULL: not looked for (warps_find_alike) */
};

/* computes(i): the instruction does nothing but compute its results from its operands. */
struct warps *warps_new(const struct facts *facts, bool (*computes)(const struct ptx_insn *));
void warps_free(struct warps *w);
/* Whether an instruction's result is decided by its operands, whoever executes it and when. */
bool warps_pure(const struct ptx_insn *i, bool (*computes)(const struct ptx_insn *));
/* Whether all threads of the block that come to the end of block b go on together. */
bool warps_agree(const struct warps *w, uint32_t b);
/* Instruction n makes nothing but values that the whole block agrees on. */
bool warps_once(const struct warps *w, uint32_t n);
/* How far an operand is from warp to warp; false: not known. While several warps execute the same
 * instructions with all their lanes, from where the kernel or the last barrier let them begin. */
bool warps_step(const struct warps *w, const struct ptx_operand *o, uint32_t *step);
/* Fills w->alike. reads(i): a load that anybody may make at any time, from memory that all threads
 * of the block have. */
void warps_find_alike(struct warps *w, bool (*reads)(const struct ptx_insn *));
/* Instruction n makes nothing but values that are alike, or the same. */
bool warps_alike(const struct warps *w, uint32_t n);
/* Whether all warps that execute block b together, with all their lanes, go on together. */
bool warps_agree_now(const struct warps *w, uint32_t b);
/* Whether a 64-bit register differs by *step from each warp of the block to the next. True only
 * where at most one of the 32-bit registers that it is computed from differs between warps: that
 * one may wrap, and has not if the last of `count` warps differs from the first by (count - 1) *
 * *step. */
bool warps_line(const struct warps *w, uint32_t reg, uint32_t count, int64_t *step);

/* -- footprints -------------------------------------------------------------------------------- */

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
/* False: cannot say, or the kernel does more than load, compute and store, each once a thread. The
 * grid is one row of blocks. */
bool footprint_find(const struct ptx_func *kernel, const uint32_t grid[3], const uint32_t block[3],
                    struct footprint *out);

/* -- pointers ---------------------------------------------------------------------------------- */

/* Where the addresses of a kernel's accesses to global memory come from; what is only an index does
 * not count. More may be named than there is. */
struct pointers {
    bool loaded;    /* from memory */
    uint32_t words; /* words of 8 bytes in the parameter block, a begun one too */
    bool *word;     /* of each, whether an address may come from it; ls_release */
};
/* known: as of wir_new. False: the kernel cannot be read, *err says why. */
bool pointers_find(const struct ptx_module *m, const struct ptx_func *kernel,
                   bool (*known)(const char *name), struct pointers *out, struct ls_error *err);

/* -- registers --------------------------------------------------------------------------------- */

/* 32-bit registers that a compiler for a GPU would give a thread of the kernel, estimated: not held
 * against what a thread or a block may have. */
uint32_t analysis_registers(const struct wir *f);

/* The set of registers of .f32 and .f64 in which the code of a NaN is seen by nobody: neither
 * memory nor integers nor other threads. ls_release. */
uint64_t *analysis_unseen_nans(const struct wir *f);

#endif
