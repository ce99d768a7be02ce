/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/plans: how each access to memory is made. Nothing here knows of LLVM: what is decided is a
 * struct plan, which code generation (jit/memory) carries out as it stands.
 *
 * A plan is a list of ways, each a form (forms.def) and the test under which it is taken; the last
 * one has no test:
 *
 *     ld.global.f32 %f, [%a]    %a: nothing known    runs, if the addresses compare so; else each
 *     ld.shared.f32 %f, [%b]    %b: affine 4         runs
 *     ld.global.f32 %f, [%c]    %c: speculated       runs, if no 32-bit number wrapped; else each
 *
 * One instruction has a plan for each version in which it is emitted: one warp under a mask, all 32
 * lanes, several warps interleaved. All of a function's plans are made by one walk over its warp IR
 * (versions/version.c calls plans_block), before its code is emitted.
 *
 *   block.c    the plans of a block in one version
 *   plan.c     the ways of a load or store, in the order in which they are tried
 *   lanes.c    how lanes lie: runs, strides, overlaps
 *   index.c    addresses that are a uniform base and a 32-bit index a lane
 *   group.c    loads of neighbouring words that are made together; columns of a tile
 *   rows.c     lanes that each read along a row of their own
 *   select.c   addresses that are selected lane by lane
 *   stores.c   past the caches; stores of a transpose
 *   sums.c     additions to memory
 *   ahead.c    what is prefetched
 *   tell.c     what tools are told
 *   kernel.c   what the whole kernel allows
 *   print.c    a plan as text, and as remarks
 */
#ifndef LOCKSTEP_JIT_PLANS_H
#define LOCKSTEP_JIT_PLANS_H

#include "analysis/analysis.h"
#include "jit/jit.h"
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
    PLAN_CONVERGED, /* all lanes of the warp came one way (values/converged.c): one bit */
    PLAN_NO_WRAP,   /* 32-bit arithmetic has not wrapped (values/guess.c): one bit */
    PLAN_COMPARED,  /* the lanes' addresses are compared */
    PLAN_FITS,      /* the form has a test of its own */
};

/* Lanes in segments of `run` lanes: where each begins, in bytes from the first lane; all lanes of
 * it at one address (broadcast), or at consecutive ones. run 0: not so. */
struct runs {
    unsigned run;
    int32_t start[LANES];
    bool broadcast[LANES];
};

struct plan_way {
    enum plan_form form;
    enum plan_test test;
    struct fact fact; /* the address, where the test holds */
    struct runs runs; /* RUNS */
    bool stream;      /* RUNS of a store: past the caches where whole lines are written, in large
                         launches */
    bool assumed;     /* nothing is known of the lanes, but that they may be consecutive */
};

/* Addresses made of a uniform base and a 32-bit index: base + (index
 * << shift). base NULL: not so. */
struct plan_index {
    const struct ptx_operand *base;
    const struct ptx_operand *index;
    unsigned shift;
    bool is_unsigned;
};

/* Loads of neighbouring words: member[k] loads the k-th word; own:
 * which one is the instruction's. */
enum { PLAN_MEMBERS = 8 };
struct plan_group {
    const struct wir_insn *member[PLAN_MEMBERS];
    unsigned words, own;
};

enum { PLAN_PARTS = 3 }; /* of a selected address */

/* The data that is prefetched when a load is executed. */
enum plan_fetches {
    FETCH_NONE,
    FETCH_ITERATION, /* the next iteration of a loop with barriers, */
    FETCH_INNER,     /*   seen from a loop inside it */
    FETCH_BLOCKS,    /* what a block to come reads */
    FETCH_LOOP,      /* iterations to come */
};
enum { PLAN_SLOTS = 4, PLAN_NO_SLOT = UINT32_MAX };
struct plan_fetch {
    enum plan_fetches what;
    uint32_t slot;    /* BLOCKS: where it keeps what it knows; PLAN_NO_SLOT: a neighbour fetches, or
                         there is no room */
    struct runs runs; /* BLOCKS: of the lanes */
    bool two_lines;   /* LOOP: all of a warp's two lines, */
    bool is_short;    /*   in a loop that the block's shape ends: not beyond the blocks to come, */
    bool over_blocks; /*   in its first iteration for the blocks to come */
    bool rows;        /* GROUPED: the rows of the next warp */
};

struct plan_address {
    enum ptx_space space; /* where the access really goes */
    struct fact fact;     /* of the address */
    bool one_offset; /* local memory by words, all lanes at one offset of theirs, for a tool that
                        wants it */
    bool argument;   /* a called function's parameter or result: lanes var->size bytes apart in one
                        area */
    unsigned values; /* that it is kept as: 1: the first lane's; 2 or 4: those of segments; else all
                        lanes' */
    bool kept;       /* fact.guess: one scalar says whether it holds; else lanes are compared */
    const int32_t *converged; /* the lanes' pattern where all of the warp came one way; NULL:
                                 nothing of the kind */
};

/* Which addresses of an access generated code passes to a tool. FIRST, HALVES and SPECULATED are
 * for tools that want only accesses unlike those that they were told before (TELL_NEW). */
enum plan_tells {
    TELL_NOTHING,
    TELL_PATTERN,    /* the first lane's address and the lanes' distances from it */
    TELL_LANES,      /* all lanes' addresses */
    TELL_FIRST,      /* as PATTERN */
    TELL_HALVES,     /* as PATTERN, the second half of the warp being elsewhere */
    TELL_SPECULATED, /* one of these if 32-bit arithmetic has not wrapped, else LANES */
    TELL_ONE_OFFSET, /* WORDS: the offset in local memory, at which all lanes are */
};

/* Sums that are kept back (PLAN_PENDING) and touched by the access go to memory before it. */
enum plan_flush {
    FLUSH_NONE,
    FLUSH_RANGE,      /* one comparison for all lanes */
    FLUSH_SPECULATED, /* if 32-bit arithmetic has not wrapped, else without a comparison */
    FLUSH_LANES,      /* a comparison of all lanes */
};

struct plan_tell {
    enum plan_tells how;
    bool gated; /* PATTERN, LANES: not inside the range that the tool has opened (tools/gate.c) */
    enum plan_flush flush;
};

enum { PLAN_WAYS = 3 };

struct plan {
    const struct wir_insn *i;    /* st.async: the store that it makes */
    uint32_t number;             /* of the instruction in the warp IR */
    const struct ptx_operand *o; /* the address */
    unsigned bytes, vec;         /* of an element; elements a lane */
    bool store;
    bool ordered; /* between fences */
    bool masked;  /* some lanes may not be active */
    bool guarded; /* a tool may keep lanes from it: those are left out, lane by lane */
    struct plan_address at;
    struct plan_index index;
    struct plan_group group;
    struct plan_fetch fetch;
    struct plan_tell tell;
    unsigned warps; /* TRANSPOSED, KEPT: interleaved warps that it is made for at once; KEPT, 0: the
                       first of them has done so */
    const char *why; /* EACH without a test before it: why */
    unsigned ways;
    struct plan_way
        way[PLAN_WAYS]; /* WORDS: behind it those of each word, which `ways` leaves out */
};

/* An atomic operation. */
struct plan_sum {
    const struct wir_insn *i; /* red.async: the reduction that it makes */
    bool table;   /* an addition at base + own, own of 16 bits; else, or where that is found not to
                     fit: */
    bool pending; /* an addition that is kept back; else at once */
    const struct ptx_operand *base, *own;
    uint64_t high;                 /* own is at most this */
    const struct wir_insn *scaled; /* NULL, or own is factor times this one's first operand */
    uint64_t factor;
};

/* What decisions may ask: the function and the version of it that is emitted. */
struct plan_scope {
    const struct wir *wir;
    const struct facts *facts;
    const struct facts *converged; /* as if lanes never parted; NULL: not wanted */
    const struct warps *warps;     /* the function runs whole blocks; NULL: single warps */
    uint64_t off;   /* passes that are off, those among them that do not run under a tool */
    bool called;    /* a function that is called, not a kernel */
    bool in_memory; /* registers stay in memory: nothing is kept beside them */
    bool words, streams, combines;             /* plan_words, plan_streams, plan_combines */
    bool avx512;                               /* of the host */
    bool (*computes)(const struct ptx_insn *); /* does nothing but compute its results */
    struct jit_remarks *remarks;               /* NULL: nobody reads them */
    /* The version: */
    uint32_t block;       /* of the wir */
    bool full;            /* all 32 lanes are active */
    unsigned interleaved; /* warps that run each instruction together; 0: one by one */
    bool first;           /*   and it is the first one's turn */
    const bool *fits;     /* per instruction: a selected load that is known to fit; NULL: of none */
    /* What was decided before: */
    unsigned room;               /* loaded values that may still be kept for later loads */
    const struct wir_insn *kept; /* the store that is kept back; NULL: none so far */
    const struct wir_insn *fetched[PLAN_SLOTS]; /* loads that fetch for blocks to come */
    uint32_t fetched_count;
};

/* The plans of a version's loads and stores, per instruction; NULL: it is not in the version, or
 * its value comes with an earlier load. */
struct plan_set {
    const struct plan **one;  /* of one warp, or of the first of the interleaved ones; */
    const struct plan **next; /*   of the others; NULL: warps run one by one */
};

enum { PLAN_ROOM = 16 }; /* loaded values that are kept for later loads at a time */

/* All plans of a function. Zeroed, it is empty; plans_free. */
struct plans {
    struct arena arena;
    struct plan_set plain;       /* whichever lanes come; of all instructions */
    struct plan_set full;        /* all 32 lanes of a warp */
    struct plan_set parts;       /*   where selected loads are known to fit */
    struct plan_set interleaved; /* several warps */
    const struct plan_sum **sum; /* per instruction: atomic operations */
    /* Values that come with earlier loads: the instruction, for which of the interleaved warps. */
    struct {
        uint32_t number, warp;
    } ahead[PLAN_ROOM];
    unsigned ahead_count;
};

/* -- block.c ---------------------------------------------------------------------------------- */

/* An empty set for the function's instructions; `warps`: of interleaved ones, too. */
void plans_set(struct plans *p, const struct wir *f, struct plan_set *set, bool warps);
/* Plans the instructions of s->block, in their order, for a version: s->full, interleaved and fits.
 * Blocks are to come in the order in which they are emitted: a later one is planned as if the
 * earlier ones had been carried out (s->kept, fetched). */
void plans_block(struct plans *p, struct plan_scope *s, struct plan_set *set);
void plans_free(struct plans *p);

/* -- plan.c ----------------------------------------------------------------------------------- */

/* Where the operand leads. i need not be a load or store. */
void plan_address(const struct plan_scope *s, const struct wir_insn *i, const struct ptx_operand *o,
                  struct plan_address *out);
/* Instruction `number`, i or what it makes, as a load or store at the operand, an address; says it
 * in remarks. */
void plan_access(const struct plan_scope *s, const struct wir_insn *i, uint32_t number,
                 const struct ptx_operand *o, bool store, struct plan *out);
/* atom and red at the operand; likewise. */
void plan_atomic(const struct plan_scope *s, const struct wir_insn *i, uint32_t number,
                 const struct ptx_operand *o, struct plan_sum *out);
/* Chooses the ways of p, of which all but these is given: no neighbours are looked for. */
void plan_ways(const struct plan_scope *s, struct plan *p);
/* The space an access really goes to: parameters of functions that did not fit in registers are
 * local memory. */
enum ptx_space plan_space(const struct wir *f, const struct ptx_insn *p,
                          const struct ptx_operand *o);
/* How many values a register is kept as: 1, LANES, or 2 or 4: those of the first lanes of as many
 * segments, from which the fact's pattern gives the others (addresses in blocks 16 wide). */
unsigned plan_values(const struct facts *f, uint32_t reg);
/* Whether beside the register it is kept whether its speculated pattern holds; where lanes that
 * came one way are. */
bool plan_keeps_guess(const struct plan_scope *s, uint32_t reg);
bool plan_keeps_converged(const struct plan_scope *s, uint32_t reg);

/* -- kernel.c --------------------------------------------------------------------------------- */

bool plan_is_ordered(const struct ptx_insn *p); /* volatile, acquire, ... */
/* Whether no other block, no other thread can look at what a kernel stores before its launch
 * ends. */
bool plan_unseen(const struct wir *f);
bool plan_streams(const struct wir *f);
/* red.add of 32-bit integers in global memory, which may be kept back. */
bool plan_may_pend(const struct ptx_insn *p);
/* Whether the kernel has such instructions and nothing that stands in the way. */
bool plan_combines(const struct wir *f);
/* Where no generic pointer to local memory can exist, a warp's local memory is laid out as on the
 * hardware (CUDA C Programming Guide, "Local Memory"): word by word, the 32 lanes' side by side.
 * Then lanes that use the same variable access consecutive words, and an access is a vector load
 * instead of a gather: 40 times faster for an array of sums (docs/performance-log.md). */
bool plan_words(const struct wir *f);

/* -- rows.c ----------------------------------------------------------------------------------- */

/* Whether an instruction of s->block is a load in a loop in which lanes read along rows of their
 * own, at least a quarter of each line. */
bool plan_reads_rows(const struct plan_scope *s, const struct wir_insn *i);

/* -- select.c, stores.c ----------------------------------------------------------------------- */

/* The instruction before insns[before] that selects what the register holds, of registers that are
 * the same still at insns[end]; NULL: none. */
const struct wir_insn *plan_select_before(const struct wir *f, uint32_t block, uint32_t reg,
                                          uint32_t before, uint32_t end);
/* Whether the load's address is selected of some that lie in runs. */
bool plan_find_select(const struct plan_scope *s, const struct plan *p);
/* Segments that a selected address's part with a speculated pattern is kept in: rows of a block of
 * 16 have a value each, even where one pattern says both: of `tid.y - 2`, widened, the first row's
 * may have wrapped and the second one's not. */
unsigned plan_part_segments(const struct fact *f);
/* For interleaved warps: whether the store may be kept for all of them. s->warps is known, nothing
 * else of a version. */
bool plan_keeps_interleaved(const struct plan_scope *s, const struct wir_insn *i, uint32_t block);
/* Warps of blocks of 16 x 16 threads have two rows: 8 bytes on is the next one, and 8 of them are
 * enough. */
uint32_t plan_kept_rows(const struct facts *f);

/* -- tell.c ----------------------------------------------------------------------------------- */

/* sized: each lane accesses its own number of bytes. */
void plan_telling(const struct plan_scope *s, const struct wir_insn *i,
                  const struct plan_address *at, enum jit_access_op op, bool sized,
                  struct plan_tell *out);
/* The same of local memory by words. */
void plan_telling_words(const struct plan_scope *s, struct plan *p);

/* -- lanes.c ---------------------------------------------------------------------------------- */

/* The longest segments, of 4 lanes at least, in which lanes lie at one address or `step` bytes
 * apart. */
bool runs_find(const struct fact *f, unsigned step, struct runs *out);
/* Runs of at most `most` lanes, of longer ones. */
void runs_cut(const struct fact *f, unsigned most, struct runs *r);
static inline int32_t
fact_offset(const struct fact *f, unsigned lane) /* from the first lane */
{
    return f->pattern ? f->pattern[lane] : 0;
}

/* Words of half a warp that lie in up to STRIDED_VECTORS vectors of 16: word k of the result is
 * word pick[p][k] of the p-th two vectors, p: blend[k] / 16. Vector k begins at low + 4 * start[k]
 * bytes. */
enum { STRIDED_VECTORS = 4, STRIDED_HALF = LANES / 2 };
struct strided {
    unsigned vectors;
    int32_t low, start[STRIDED_VECTORS], pick[2][STRIDED_HALF], blend[STRIDED_HALF];
};
bool strided_find(const struct fact *f, unsigned first, struct strided *out);
bool strided_alike(const struct fact *f); /* both halves read the same words */

/* Elements of all lanes, equally far apart (also downwards), out of vectors of `bytes` bytes, of
 * which none reaches beyond the lanes' elements: vector k begins start[k] bytes behind the first
 * lane's element; lane l's is number pick[l] of vector of[l]. */
enum { FIELD_VECTORS = 8 };
struct fields {
    unsigned vectors, bytes, of[LANES];
    int32_t start[FIELD_VECTORS], pick[LANES];
};
bool fields_find(const struct fact *f, unsigned bytes, struct fields *out);

/* -- print.c ---------------------------------------------------------------------------------- */

/* "1 run of 32 lanes, consecutive, if 32-bit arithmetic has not wrapped; else lane by lane
 * (gather)" */
void plan_print(const struct plan *p, struct text *out);
void plan_print_sum(const struct plan_sum *p, struct text *out);
/* Says what was decided: of the passes behind its forms, and all of it as PASS_ACCESS_PLAN. */
void plan_remark(const struct plan_scope *s, const struct plan *p);
void plan_remark_sum(const struct plan_scope *s, const struct plan_sum *p);

#endif
