/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/plans: how each access to memory is made. Nothing here knows of LLVM: what is decided is a struct plan, which
 * code generation (jit/memory) carries out as it stands.
 *
 * A plan is a list of ways, each a form (forms.def) and the test under which it is taken; the last one has no test:
 *
 *     ld.global.f32 %f, [%a]     %a: nothing is known          runs, if the lanes' addresses compare so; else each
 *     ld.shared.f32 %f, [%b]     %b: affine 4                  runs
 *     ld.global.f32 %f, [%c]     %c: affine 4, speculated      runs, if 32-bit arithmetic has not wrapped; else each
 *
 * One instruction has a plan for each version in which it is emitted (struct plan_scope): one warp under a mask, all
 * 32 lanes, several warps interleaved.
 *
 *   plan.c     the ways of a load or store, in the order in which they are tried
 *   lanes.c    how lanes lie: runs, strides, overlaps
 *   index.c    addresses that are a uniform base and a 32-bit index a lane
 *   group.c    loads of neighbouring words that are made together
 *   columns.c  stores of a transpose; columns of a tile
 *   sums.c     additions to memory
 *   ahead.c    what is prefetched
 *   kernel.c   what the whole kernel allows
 *   print.c    a plan as text, and as remarks
 */
#ifndef LOCKSTEP_JIT_PLANS_H
#define LOCKSTEP_JIT_PLANS_H

#include "analysis/analysis.h"
#include "jit/passes/passes.h"

enum plan_form {
#define FORM(id, name, pass, text) PLAN_##id,
#include "jit/plans/forms.def"
#undef FORM
    PLAN_FORMS
};

struct plan_form_row {
    const char *name;
    enum jit_pass pass; /* PASS_NONE: cannot be switched off */
    const char *text;
};
extern const struct plan_form_row plan_forms[PLAN_FORMS];

/* What must hold at run time for a way to be taken. */
enum plan_test {
    PLAN_ALWAYS,    /* nothing */
    PLAN_CONVERGED, /* all lanes of the warp came one way (values/together.c): one bit */
    PLAN_NO_WRAP,   /* 32-bit arithmetic has not wrapped (values/guess.c): one bit */
    PLAN_COMPARED,  /* the lanes' addresses are compared */
    PLAN_FITS,      /* the form has a test of its own */
};

/* Lanes in segments of `run` lanes: where each begins, in bytes from the first lane; all lanes of it at one address
 * (broadcast), or at consecutive ones. run 0: not so. */
struct runs {
    unsigned run;
    int32_t start[LANES];
    bool broadcast[LANES];
};

struct plan_way {
    enum plan_form form;
    enum plan_test test;
    struct fact fact;       /* the address, where the test holds */
    struct runs runs;       /* RUNS */
    bool stream;            /* RUNS of a store: past the caches where whole lines are written, in large launches */
    int32_t pattern[LANES]; /* behind fact.pattern where lanes are assumed to be consecutive */
};

/* Addresses made of a uniform base and a 32-bit index: base + (index << shift). base NULL: not so. */
struct plan_index {
    const struct ptx_operand *base;
    const struct ptx_operand *index;
    unsigned shift;
    bool is_unsigned;
};

/* Loads of neighbouring words: member[k] loads the k-th word; own: which one is the instruction's. */
enum { PLAN_MEMBERS = 8 };
struct plan_group {
    const struct flow_insn *member[PLAN_MEMBERS];
    unsigned words, own;
};

/* What is prefetched beside a load. */
enum plan_fetch {
    FETCH_NONE,
    FETCH_ITERATION, /* the next iteration of a loop with barriers, */
    FETCH_INNER,     /*   seen from a loop inside it */
    FETCH_BLOCKS,    /* what a block to come reads */
    FETCH_LOOP,      /* iterations to come, */
    FETCH_LOOP_TWO,  /*   both lines of a warp */
};

struct plan_address {
    enum ptx_space space;     /* where the access really goes */
    struct fact fact;         /* of the address */
    bool argument;            /* a called function's parameter or result: lanes var->size bytes apart in one area */
    bool kept;                /* fact.guess: one scalar says whether it holds; else lanes are compared */
    const int32_t *converged; /* the lanes' pattern where all of the warp came one way; NULL: nothing of the kind */
};

enum { PLAN_WAYS = 3 };

struct plan {
    const struct flow_insn *i;
    const struct ptx_operand *o; /* the address */
    unsigned bytes, vec;         /* of an element; elements a lane */
    bool store;
    bool ordered;                /* between fences */
    bool masked;                 /* some lanes may not be active */
    bool guarded;                /* a tool may keep lanes from it: those are left out, lane by lane */
    struct plan_address at;
    struct plan_index index;
    struct plan_group group;
    enum plan_fetch fetch;
    uint32_t fetch_slot;         /* FETCH_BLOCKS: where it keeps what it knows; PLAN_NO_SLOT: another load does */
    bool fetch_rows;             /* GROUPED: and the rows of the next warp */
    unsigned warps;              /* TRANSPOSED, KEPT: interleaved warps that it is made for at once */
    const char *why;             /* EACH without a test before it: why */
    struct plan_way way[PLAN_WAYS];
    unsigned ways;
};

enum { PLAN_SLOTS = 4, PLAN_NO_SLOT = UINT32_MAX };

/* What decisions may ask: the function and the version of it that is emitted. */
struct plan_scope {
    const struct flow *flow;
    const struct facts *facts;
    const struct facts *converged; /* as if lanes never parted; NULL: not wanted */
    const struct warps *warps;     /* the function runs whole blocks; NULL: single warps */
    uint64_t off;                  /* passes that are off, those among them that do not run under a tool */
    bool watched, guarded;         /* a tool watches; and may keep lanes from accesses */
    bool called;                   /* a function that is called, not a kernel */
    bool in_memory;                /* registers stay in memory: nothing is kept beside them */
    bool words, streams, combines; /* plan_words, plan_streams, plan_combines */
    bool avx512;                   /* of the host */
    bool (*computes)(const struct ptx_insn *); /* does nothing but compute its results */
    struct jit_remarks *remarks;   /* NULL: nobody reads them */
    struct text *print;            /* every plan as a line; NULL: nobody reads them */
    /* The version: */
    uint32_t block;                /* of the flow, whose instructions are emitted */
    bool full;                     /* all 32 lanes are active */
    unsigned interleaved;          /* warps that run each instruction together; 0: one by one */
    bool first;                    /*   and it is the first one's turn */
    /* What was decided before: */
    unsigned room;                 /* loaded values that may still be kept for later loads */
    const struct flow_insn *kept;  /* the store that is kept back, NULL: none so far; */
    bool kept_together;            /*   for all interleaved warps */
    const struct flow_insn *fetched[PLAN_SLOTS]; /* loads that fetch for blocks to come */
    uint32_t fetched_count;
};

/* -- plan.c -------------------------------------------------------------------------------------------- */

/* Where the operand leads. i need not be a load or store. */
void plan_address(const struct plan_scope *s, const struct flow_insn *i, const struct ptx_operand *o,
                  struct plan_address *out);
/* A load or store at the operand, an address. */
void plan_access(const struct plan_scope *s, const struct flow_insn *i, const struct ptx_operand *o, struct plan *out);
/* Chooses the ways of p, of which all but these is given: no neighbours are looked for. */
void plan_ways(const struct plan_scope *s, struct plan *p);
/* The space an access really goes to: parameters of functions that did not fit in registers are local memory. */
enum ptx_space plan_space(const struct flow *f, const struct ptx_insn *p, const struct ptx_operand *o);
/* Whether beside the register it is kept whether its speculated pattern holds; where lanes that came one way are. */
bool plan_keeps_guess(const struct plan_scope *s, uint32_t reg);
bool plan_keeps_converged(const struct plan_scope *s, uint32_t reg);

/* -- lanes.c ------------------------------------------------------------------------------------------- */

/* The longest segments, of 4 lanes at least, in which lanes lie at one address or `step` bytes apart. */
bool runs_find(const struct fact *f, unsigned step, struct runs *out);
/* Runs of at most `most` lanes, of longer ones. */
void runs_cut(const struct fact *f, unsigned most, struct runs *r);
static inline int32_t
fact_offset(const struct fact *f, unsigned lane) /* from the first lane */
{
    return f->pattern ? f->pattern[lane] : 0;
}

/* Words of half a warp that lie in up to STRIDED_VECTORS vectors of 16: word k of the result is word pick[p][k] of
 * the p-th two vectors, p: blend[k] / 16. Vector k begins at low + 4 * start[k] bytes. */
enum { STRIDED_VECTORS = 4, STRIDED_HALF = LANES / 2 };
struct strided {
    unsigned vectors;
    int32_t low, start[STRIDED_VECTORS], pick[2][STRIDED_HALF], blend[STRIDED_HALF];
};
bool strided_find(const struct fact *f, unsigned first, struct strided *out);
bool strided_alike(const struct fact *f); /* both halves read the same words */

/* -- print.c ------------------------------------------------------------------------------------------- */

/* "1 run of 32 lanes, consecutive, if nothing wraps; else each" */
void plan_print(const struct plan *p, struct text *out);
/* Says what was decided of p's ways. */
void plan_remark(const struct plan_scope *s, const struct plan *p);

#endif
