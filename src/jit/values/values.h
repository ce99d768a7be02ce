/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/values: one warp function while it is emitted (struct core), and the values of its registers.
 *
 * A register is an alloca of a scalar where all lanes agree or differ by constants, of the first
 * lanes of 2 or 4 segments, or of a vector of 32 (core_reg_count); LLVM turns allocas into SSA
 * values (registers.c). Read one with core_value() (special.c), write one with core_write()
 * (write.c). build.c has LLVM's values by name, flow.c and scope.c answer questions about blocks
 * and for plans. Beside some registers more is kept, which writes update:
 *
 *   guess.c     the pattern of an address that holds unless 32-bit arithmetic wrapped
 *   converged.c  the pattern of a register written on both sides of a branch
 *   split.c     the two addresses that a register was selected from; rows.c: by which rows of the
 *               block
 *   outline.c   functions that quick code calls
 *   agree.c     whether a predicate holds in all lanes, or in none
 *   widened.c   numbers of which the version being emitted knows that no lane wraps
 */
#ifndef LOCKSTEP_JIT_VALUES_H
#define LOCKSTEP_JIT_VALUES_H

#include "analysis/analysis.h"
#include "analysis/products.h"
#include "jit/build/build.h"
#include "jit/plans/plans.h"

/* Where a field of a struct of jit.h lies. */
#define FIELD(type, field) offsetof(struct type, field)

/* A place where the function can be entered again. */
struct resume_point {
    LLVMBasicBlockRef block;
};

/* Which lanes are where: sets of lanes as allocas of i32 (control/lanes.c). */
struct core_lanes {
    LLVMValueRef mask;     /* active in the current block */
    LLVMValueRef alive;    /* have not exited */
    LLVMValueRef *pending; /* per block: to run it; */
    LLVMValueRef *waiting; /*   that wait for a barrier before it: none where not */
    bool *barrier_park;    /* per block */
};

/* What of a warp lies in its frame while it waits, and where it goes on (control/frame.c). */
struct core_saved {
    uint32_t *frame_at; /* per register: offset in the frame, UINT32_MAX: none yet */
    uint64_t **kept;    /* per block: registers whose value is in the frame when it ends */
    uint64_t *homed;    /* registers that never leave it (control/home.c); NULL: none */
    uint32_t frame_bytes;
    VEC(struct resume_point) resumes;
    LLVMValueRef resume_switch;
    LLVMBasicBlockRef leave; /* in_memory: where warps leave for the function for lanes that stand
                                apart; NULL: nowhere */
    /* shape.apart (control/wait.c): where lanes may stand still: number of the site per block, or
     * UINT32_MAX; where in the frame the sites are. */
    uint32_t *site, site_count, sites_at;
    LLVMValueRef activation; /* form.steps: the struct jit_activation */
};

/* Properties of the function that are decided before it is emitted. */
struct core_form {
    bool called;      /* a function, not a kernel: lanes and arguments are parameters */
    bool alone;       /* core_barriers_pass */
    bool in_memory;   /* registers that blocks hand on stay in the frame (control/home.c) */
    bool defers;      /* functions may have no code yet when they are called (insn/call.c) */
    bool shares;      /* quick code: accesses may be calls (memory/shared.c) */
    bool local_words; /* local memory is laid out word by word (plan_words); tools are told
                         addresses as if it were not */
    bool combines;    /* sums for global memory are kept back (memory/combine.c) */
    bool cluster;     /* jit_request.cluster */
    bool scheduled;   /* jit_request.scheduled */
    bool steps;       /* for a debugger: every register stays in memory, all the time */
    bool passed;      /* for blocks that a debugger passes over: instructions count as there */
    bool streams;     /* stores may go past the caches (plan_streams) */
    bool unseen;      /* plan_unseen */
};

/* Scalars that are loaded once, at the function's entry; in barrier regions for each warp (struct
 * turn). */
struct core_inputs {
    LLVMValueRef block_ptr, launch_ptr, frame, params, symbols, local, local_stride;
    /* Where address 0 of shared memory lies, and the block's own shared memory; the same value
     * without clusters. rank: that of the block, as bits of an address; NULL: 0. */
    LLVMValueRef shared, own_shared, rank;
    LLVMValueRef warp_index, tid[3], ctaid[3];
    LLVMValueRef stack;     /* called: local memory in use below this call, bytes per lane */
    LLVMValueRef arguments; /* called: the caller's area */
};

/* The registers of the warp for which code is emitted, and what is
 * known of them beside the facts. */
struct core_regs {
    LLVMValueRef *reg;       /* per register: alloca of a scalar or a vector */
    LLVMValueRef carry;      /* alloca of <32 x i1> */
    struct guess *guess;     /* per register: values/guess.c */
    struct agree *agree;     /* per register: values/agree.c; */
    LLVMValueRef *agree_reg; /* the same registers of the first warp of the version */
};

/* What a version takes for granted of the warps that come to it, beside the facts. */
enum assume {
    ASSUME_FULL = 1,    /* all 32 lanes are there */
    ASSUME_PARTS = 2,   /* selected loads may be made in parts, where their plans say so; */
    ASSUME_ROWS = 4,    /*   and what rows decide of them holds in both halves of the warp */
    ASSUME_BOUNDS = 8,  /* numbers are within the bounds of `speculation` */
    ASSUME_STEADY = 16, /* the loop's iteration is not the first; accesses that are `sure` */
};

/* A way to run blocks. Blocks have one in which nothing is assumed, and may have others: a guard
 * (version_guard) tests what one assumes where warps come to it, and where that does not hold they
 * go on in a version that assumes less. */
struct version {
    LLVMBasicBlockRef *block; /* per block: its code in this version; NULL: it has none */
    uint32_t
        warps; /* that run each instruction together (versions/interleave.c); 1: each by itself */
    unsigned assume;                 /* set of enum assume */
    const struct plan_set *plans;    /* of its loads and stores */
    struct speculation *speculation; /* ASSUME_BOUNDS: versions/speculate.c */
    const uint64_t *sure; /* ASSUME_STEADY: instructions whose addresses follow their patterns */
};

/* The code that is being emitted. */
struct core_now {
    struct version version;
    uint32_t current; /* block */
    bool synced;      /* the instruction: its group's values are in the frame */
};

/* What loads and stores of a function leave for later ones. */
struct core_memory {
    LLVMValueRef scatter_places, scatter_values,
        stored; /* allocas for 32 addresses, 32 halves, what a call stores (memory/shared.c): made
                   when first needed */
    struct {
        /* the store that is kept back (memory/columns.c), NULL: none; */
        const struct wir_insn *insn;
        LLVMValueRef count, first,
            values; /* allocas: warps kept, where the first one writes, what */
    } columns;
    struct core_ahead {
        const struct wir_insn *insn; /* a load whose value is there already (plans/group.c), */
        LLVMValueRef *reg, value;    /*   for the warp whose registers these are */
    } ahead[PLAN_ROOM];
    uint32_t ahead_count;
    struct {
        const struct wir_insn *insn; /* a load (memory/fetch.c), and */
        uint32_t at;                 /*   where in the first warp's frame */
    } fetch[PLAN_SLOTS];
    uint32_t fetch_count;
    struct {
        /* a load in a loop (memory/ahead.c): how far it went on since the last turn, */
        const struct wir_insn *insn;
        LLVMValueRef *reg, step; /*   of the first of the warps that run together */
    } pace;
    LLVMValueRef *last_turn; /* per instruction: core_last_turn; NULL: none yet */
};

/* One warp function while it is emitted. A struct's name says whose its fields are. */
struct core {
    struct emit e;
    const struct wir *wir;
    const struct facts *facts;
    /* as if lanes never parted (values/converged.c); NULL: not wanted */
    const struct facts *converged;
    struct core_form form;
    struct core_inputs in;
    struct core_regs regs;
    struct core_now now;
    struct core_lanes lanes;
    struct core_saved saved;
    struct plans plans;        /* of loads, stores and atomics, in all versions */
    struct core_memory memory; /* what loads and stores leave for later ones */
    struct tools *tools;       /* what a tool is told (tools/tools.h); NULL: none watches */
    struct barrier_regions
        *regions; /* the function runs whole blocks (versions/regions.c); else NULL */
    LLVMBasicBlockRef entry, end;
    LLVMBasicBlockRef *block;
    LLVMBasicBlockRef *full_mask;     /* per block: the same for warps of which all lanes are there
                                     (versions/full_mask.c), or NULL */
    struct conditions **if_converted; /* per block: the run of conditions that begins at its branch
                                         (versions/if_convert.c), or NULL */
    /* allocas, made when first needed: a struct jit_image_data (insn/image.c); likewise
     * insn/tensor.c, insn/tcgen05.c, insn/wgmma.c, insn/mma_run.c */
    LLVMValueRef image_data, tensor_data, tmem_data, wgmma_data, mma_data;
    uint32_t ended, measure_at; /* blocks that were emitted; after how many the size is looked at */
};

/* All lanes are in the code that is being emitted. */
static inline bool
core_is_full(const struct core *c)
{
    return c->now.version.assume & ASSUME_FULL || c->facts->complete[c->now.current];
}

/* A warp's values while code is emitted for it. */
struct warp_context {
    LLVMValueRef *reg; /* as in struct core_regs */
    struct guess *guess;
    LLVMValueRef carry, warp, frame, warp_index, tid[3];
};

struct barrier_region {
    uint32_t barrier; /* block that ends with it; UINT32_MAX: the kernel's start */
    uint32_t entry;   /* block in which it begins */
    uint32_t group;
    uint32_t *blocks, block_count; /* those that a warp may run in this region */
    LLVMBasicBlockRef resume;      /* where a warp gets its registers back */
    LLVMBasicBlockRef interleaved; /* where those of an interleaved group do */
};

/* Where warps that ran together part: at the end of a block (versions/interleave.c). */
struct interleave_site {
    uint32_t block;
    uint64_t *live;           /* registers that what comes then reads */
    LLVMBasicBlockRef resume; /* where one of them goes on by itself, */
    LLVMBasicBlockRef tail;   /*   to here: the end of its block */
};

/* Regions that share blocks: one loop over the warps for all of them. */
struct region_group {
    LLVMBasicBlockRef head, end; /* end: all lanes of a warp have exited */
    LLVMBasicBlockRef
        interleaved_head; /* interleaved: the head of the loop over sets of warps; else NULL */
    struct warp_context context;
    uint32_t regions;
    uint32_t *blocks, block_count; /* of its regions, in the order of the text */
    uint32_t interleaved; /* warps that run together (versions/interleave.c); 1: each by itself */
    bool unrolled;        /* the loop over the warps is */
    uint64_t *used;       /* set: registers that one of its blocks hands on to another; */
    uint64_t *needed;  /*   those of them without which its code cannot be emitted: others stay in
                          the frame */
    LLVMValueRef mark; /* metadata of that loop */
};

enum { INTERLEAVE_MOST = 8 };

struct barrier_regions {
    struct arena arena;
    uint32_t warps; /* of a block */
    uint32_t count, group_count;
    bool many; /* regions, with many registers: of what a region does not need nothing is emitted */
    struct barrier_region *region; /* the first: the start */
    struct region_group *group;
    uint32_t *group_of;  /* per block; UINT32_MAX: nobody comes there */
    struct warps *known; /* of registers over all warps */
    /* of the warps that run together: what all of them agree on (values/agree.c) */
    struct agree *agree;
    /* of warps that run together; registers that are same are shared */
    struct warp_context interleaved_warp[INTERLEAVE_MOST];
    struct interleave_site *site;
    uint32_t site_count;
    const struct wir_insn *
        columns; /* a store that warps that run together make at once (memory/columns.c), or NULL */
    LLVMValueRef *parted; /* as before: when warps that ran together parted */
    LLVMValueRef until,
        at_site;          /* allocas: parted warps below it run one by one; from which site on */
    LLVMValueRef *before; /* per register that is same, but not fixed: alloca of its value when
                             the region began */
    LLVMValueRef first;   /* the block's first warp */
    LLVMValueRef warp, number;  /* allocas: warp and region that run */
    LLVMValueRef votes, result; /* allocas: of a barrier with a reduction */
};

struct guess {
    LLVMValueRef holds, firsts; /* allocas: i1; i64, or a vector of as many as there are segments */
    /* Allocas, where addresses are selected lane by lane, else NULL: the segments' first lanes,
     * worked out from their last ones; the lanes that do not follow those, <32 x i1>; or that any
     * may not, i1. */
    LLVMValueRef back, strays, wrapped;
    /* Allocas, where lanes follow a pattern unless they have parted, else
     * NULL (values/converged.c). */
    LLVMValueRef converged, first;
};

struct split_part {
    uint32_t reg;
    struct fact fact;  /* its pattern; no guess: it holds in the lanes of the mask */
    LLVMValueRef mask; /* <32 x i1>: the active lanes that select it */
    bool shared;       /* an address of shared memory */
    /* i1: whether lanes of each half of the warp may select it; NULL: see the mask */
    LLVMValueRef some[2];
    uint32_t lanes; /* of the halves that do, just these; 0: see the mask */
    /* its values in the first lanes of the fact's segments: i64, or a vector */
    LLVMValueRef firsts;
};

struct split {
    unsigned count;
    struct split_part part[3];
    LLVMValueRef fine; /* i1: all of it is so */
    LLVMValueRef rows; /* i1: what rows decide (values/rows.c) holds in both halves; NULL: there is
                          nothing such */
};

enum {
    SPECULATION_BLOCKS = 128,
    SPECULATION_TESTS = 400,
    SPECULATION_BOUNDS = 16,
    SPECULATION_WIDE = 8,
    SPECULATION_EARLY = 24,
    SPECULATION_TIMES = 1 << 24,
    SPECULATION_LEAST = 2, /* saved by one such way */
    SPECULATION_NOTHING = -1,
};

/* A predicate written on the way. */
struct speculation_predicate {
    enum ptx_op op; /* SETP, AND, OR, NOT */
    struct index x, y;
    bool less, equal; /* x < y or x > y; or equal */
    bool apart;       /* x != y, whichever is less; equal: x == y */
    bool is_unsigned;
    int in[2];
};

struct speculation_bound {
    uint32_t root;
    int64_t least, most;
    LLVMValueRef value; /* 64 bits */
};

/* Sums of the same products: from the least factor of each to the greatest, and what they may be.
 */
struct speculation_wide_bound {
    struct index_term term[INDEX_TERMS];
    int64_t low[INDEX_TERMS], high[INDEX_TERMS], least, most;
    unsigned count;
};

/* What an instruction makes of an index: 64 bits, so many times, and perhaps an operand. */
struct speculation_widened {
    struct index index;
    int64_t times;
    unsigned base; /* the operand's number; 0: none */
};

struct speculation {
    uint32_t block[SPECULATION_BLOCKS], count,
        branches; /* the first one's end is where the way begins */
    struct speculation_bound bound[SPECULATION_BOUNDS];
    struct speculation_wide_bound wide_bound[SPECULATION_WIDE];
    uint32_t bound_count, wide_count, test_count;
    bool products; /* sums of products are looked at (PASS_INDEX_PRODUCTS) */
    struct speculation_predicate *test;
    int *test_of; /* per register, as of the instruction that is looked at; */
    struct index *index;
    struct speculation_widened *wide_of, *wide; /* likewise; per instruction of the way */
    /* loads of parameters on the way, what makes registers of the thread's number: made where it
     * begins */
    const struct wir_insn *early[SPECULATION_EARLY];
    uint32_t early_count;
};

/* -- agree.c ----------------------------------------------------------------------------------- */

void core_agree_storage(struct core *c);
/* Of warps that run together, it is made for all of them when the
 * first one's register is written. */
/* Whether the predicate surely holds in all lanes, or in none, where all of them are there; false:
 * nothing is kept of it. */
bool core_agree(struct core *c, uint32_t reg, LLVMValueRef *all, LLVMValueRef *none);
bool core_agree_kept(const struct core *c, uint32_t reg); /* whether it will say something */
/* The register has just been written by the instruction; it has come from elsewhere. */
void core_agree_write(struct core *c, const struct wir_insn *i, uint32_t reg);
void core_agree_forget(struct core *c, uint32_t reg);
void core_agree_restored(struct core *c, uint32_t reg);
/* Of a plain comparison of whole numbers, which one it is; false: of another kind. */
bool core_order(const struct ptx_insn *p, LLVMIntPredicate *how);

/* -- build.c ----------------------------------------------------------------------------------- */

/* The conditional branch is hardly ever taken. */
void core_mark_rare(struct core *c, LLVMValueRef branch);
LLVMTypeRef core_vector(struct core *c, unsigned bits);
LLVMTypeRef core_scalar(struct core *c, unsigned bits);
LLVMValueRef core_i32(struct core *c, uint32_t v);
LLVMValueRef core_i64(struct core *c, uint64_t v);
LLVMValueRef core_splat(struct core *c, LLVMValueRef scalar);
/* splat(scalar) + pattern; pattern NULL: splat. */
LLVMValueRef core_spread(struct core *c, LLVMValueRef scalar, const int32_t *pattern);
LLVMValueRef core_pattern(struct core *c, const int32_t *pattern, unsigned bits);
LLVMValueRef core_load_field(struct core *c, LLVMValueRef base, size_t offset, LLVMTypeRef type);
void core_store_field(struct core *c, LLVMValueRef base, size_t offset, LLVMValueRef v);
/* A constant of the module, aligned to 8. */
LLVMValueRef core_constant_bytes(struct core *c, const void *bytes, unsigned count,
                                 const char *name);
LLVMValueRef core_alloca(struct core *c, LLVMTypeRef type);
/* *kept, made when first needed: a struct of `bytes`, which are whole cache lines, for a call. It
 * is aligned to 256 bytes: core_store_field stores whole vectors, the largest of 32 addresses. */
LLVMValueRef core_operands(struct core *c, LLVMValueRef *kept, size_t bytes);
/* The same with v in it. */
LLVMValueRef core_in_memory(struct core *c, LLVMValueRef v);

/* -- outline.c --------------------------------------------------------------------------------- */

/* What the core goes back to behind the body of a function that is called. */
struct core_outline {
    bool made; /* the function is new, and its body is emitted next */
    LLVMValueRef function;
    LLVMBasicBlockRef entry, here;
    struct core_memory memory;
};
/* The module's function of that name. */
LLVMValueRef core_outline(struct core *c, const char *name, LLVMTypeRef type,
                          struct core_outline *o);
/* Behind a new one's body: it returns a structure of these n values; 0: nothing. */
void core_outline_end(struct core *c, const struct core_outline *o, const LLVMValueRef *result,
                      unsigned n);

LLVMValueRef core_alloca_zero(struct core *c, LLVMTypeRef type); /* 0 when the function begins */
LLVMBasicBlockRef core_new_block(struct core *c, const char *name);
LLVMValueRef core_service(struct core *c, size_t offset, LLVMTypeRef result, LLVMValueRef *args,
                          unsigned n);
/* The kernel ends here, for lanes at that place; kind: JIT_TRAP_*. */
void core_trap(struct core *c, LLVMValueRef lanes, uint32_t kind, uint32_t place);
/* Words (i32) as a constant of the module. */
LLVMValueRef core_constants(struct core *c, LLVMValueRef *word, uint32_t count, const char *name);
void core_fence(struct core *c, bool strong);
/* The lanes' offsets as a constant of the module; NULL: all 0. */
LLVMValueRef site_pattern(struct core *c, const int32_t *pattern);
LLVMValueRef core_ptr(struct core *c, LLVMValueRef address); /* of an address or 32 */
/* Elements v[0..n) of a, or of a and b; below 0: any value. */
LLVMValueRef core_shuffle(struct core *c, LLVMValueRef a, LLVMValueRef b, const int32_t *v,
                          unsigned n);
/* Joins vectors of `run` lanes to one. */
LLVMValueRef core_concatenate(struct core *c, LLVMValueRef *part, unsigned parts, unsigned run);
LLVMValueRef core_load_i32(struct core *c, LLVMValueRef at);
LLVMValueRef core_is_nonzero(struct core *c, LLVMValueRef v);
bool core_is_vector(LLVMValueRef v);
LLVMValueRef core_field_at(struct core *c, LLVMValueRef base, size_t offset);

/* -- flow.c ------------------------------------------------------------------------------------ */

/* The operand that holds the member mask of a *.sync instruction; NULL: it has none. */
const struct ptx_operand *core_members(const struct ptx_insn *p);
bool core_uses_stack(const struct wir *f);
/* The name of a function's code in the module. */
void core_function_name(const struct ptx_func *f, char out[32]);
/* Offset of one of the i32 that blocks keep in the frame, behind the registers. */
uint32_t frame_lanes(struct core *c, uint32_t index);
/* Offset of so many bytes that are nobody else's; what they hold at first is not known. */
uint32_t frame_room(struct core *c, uint32_t bytes);
/* Whether the block's first instruction must test that all the lanes it names are there. */
bool core_sync_tests(const struct core *c, uint32_t block);
/* No lanes can be waiting at other blocks while b runs. */
bool core_nothing_pending(const struct core *c, uint32_t b);
uint32_t frame_slot(struct core *c, uint32_t bytes, uint32_t *at);

/* -- guess.c ----------------------------------------------------------------------------------- */

void core_guess_storage(struct core *c);
/* Whether the register's lanes follow its pattern, and the values of its segments' first lanes if
 * they do; false: nothing is kept of it. */
bool core_guess(struct core *c, uint32_t reg, LLVMValueRef *holds, LLVMValueRef *firsts);
/* The register has just been written by the instruction, or come back from the frame. */
void core_guess_write(struct core *c, const struct wir_insn *i, uint32_t reg);
void core_guess_restored(struct core *c, uint32_t reg);
/* Nothing is known of the register. */
void core_guess_forget(struct core *c, uint32_t reg);
/* i makes an address, or a part of one, of a 32-bit number: a guess that it does not wrap, or sure
 * of it. */
bool guess_widens(const struct core *c, const struct wir_insn *i);
/* Pattern of lane l counted from the first lane of its segment. */
int32_t guess_relative(const struct fact *f, unsigned l, unsigned segment);
/* The instruction is one that hands patterns on; it makes a 64-bit number of a 32-bit one. */
bool guess_follows(const struct ptx_insn *p);
bool guess_is_wide(const struct ptx_insn *p);
/* What it makes of the operands; NULL: not known. */
LLVMValueRef guess_result(struct core *c, const struct ptx_insn *p, const LLVMValueRef *in,
                          unsigned count);
/* Whether widening the 32-bit numbers that `firsts` stand for cannot
 * have met a wrap in any lane. */
LLVMValueRef guess_no_wrap(struct core *c, const struct fact *f, LLVMValueRef firsts,
                           unsigned segment, bool is_signed);

/* -- registers.c ------------------------------------------------------------------------------- */

unsigned core_reg_bits(const struct core *c, uint32_t reg);
bool core_reg_scalar(const struct core *c, uint32_t reg);
/* How many values a register is kept as: 1, LANES, or 2 or 4: those of the first lanes of as many
 * segments, from which the fact's pattern gives the others (addresses in blocks 16 wide). */
unsigned core_reg_count(const struct core *c, uint32_t reg);
LLVMTypeRef core_reg_type(struct core *c, uint32_t reg);
/* From the first lanes of a value with fact f to n segments; LANES: all. */
LLVMValueRef core_spread_firsts(struct core *c, LLVMValueRef firsts, const struct fact *f,
                                unsigned n);
/* Active lanes of the current block; NULL when all are. */
LLVMValueRef core_mask(struct core *c);
LLVMValueRef core_mask_bits(struct core *c); /* never NULL */
LLVMValueRef core_all_lanes(struct core *c); /* the mask as <32 x i1>, all ones when NULL */
/* What all active lanes have the same of, an active lane's: lane 0, elsewhere, may hold an older
 * value of a barrier's number. */
LLVMValueRef core_value_of_active(struct core *c, const struct wir_insn *i,
                                  const struct ptx_operand *o, unsigned bits);
/* A register in all lanes. */
LLVMValueRef core_read_lanes(struct core *c, uint32_t reg);
/* From all lanes to what the register is kept as. */
LLVMValueRef core_keep_lanes(struct core *c, uint32_t reg, LLVMValueRef v);
/* Width of source operand k (0: first after the destination). */
unsigned core_source_bits(const struct core *c, const struct ptx_insn *p, unsigned k);
LLVMValueRef core_local_base(struct core *c); /* <32 x i64> */
/* Whether code is emitted for an interleaved warp that is not the first of its set
 * (versions/interleave.c), and `reg` are the registers of that first one. */
bool interleave_follows(const struct core *c, const LLVMValueRef *reg);
/* The coordinates of a warp's first thread. */
void core_tid(struct core *c, LLVMValueRef warp_index, LLVMValueRef tid[3]);
void regions_use(struct core *c, const struct warp_context *t);
/* The warp in use gets what another one's register holds, and what is kept beside it. */
void regions_copy(struct core *c, const struct warp_context *from, uint32_t reg);
LLVMValueRef core_splat_some(struct core *c, LLVMValueRef v, unsigned n);
unsigned core_value_count(LLVMValueRef v);
LLVMValueRef core_resize(struct core *c, LLVMValueRef v, unsigned bits, bool sign);
/* v[k] of the result is v[from(k)], plus what the pattern has at lane k * step. */
LLVMValueRef core_spread_some(struct core *c, LLVMValueRef v, const int32_t *pattern, unsigned n);
/* The first lanes of n segments. */
LLVMValueRef core_take_firsts(struct core *c, LLVMValueRef v, unsigned n);
LLVMValueRef core_read(struct core *c, uint32_t reg, bool scalar);
/* Width of source operand k (0: first after the destination), by the instruction (PTX ISA 9.7). */
unsigned core_operand_bits(const struct ptx_insn *p, unsigned k, const struct ptx_operand *o,
                           const struct core *c);
bool core_destination_scalar(const struct core *c, const struct ptx_operand *o);

/* -- rows.c ------------------------------------------------------------------------------------ */

/* values/rows.c: of a predicate that a comparison before insns[before] of the current block wrote,
 * whether it may hold in lanes of each half of the warp (a row of a block of 16), and in which
 * lanes of such a half it does; *lanes 0: not known. Until insns[end] what is compared stays the
 * same. False: the halves' lanes do not agree. */
bool core_rows(struct core *c, uint32_t predicate, uint32_t before, uint32_t end,
               LLVMValueRef half[2], uint32_t *lanes);

/* -- scope.c ----------------------------------------------------------------------------------- */

/* What plans of accesses may ask of the code that is being emitted. */
struct plan_scope core_scope(const struct core *c);
/* The plan of a load or store in the version that is being emitted; NULL: its value came with an
 * earlier load. */
const struct plan *core_plan(const struct core *c, const struct wir_insn *i);

/* -- special.c --------------------------------------------------------------------------------- */

/* An operand's value, `bits` wide, as a scalar (lane 0's) or as a vector. */
LLVMValueRef core_value(struct core *c, const struct wir_insn *i, const struct ptx_operand *o,
                        unsigned bits, bool scalar);
/* The same in the first lanes of n segments (1, 2, 4, LANES). */
LLVMValueRef core_firsts(struct core *c, const struct wir_insn *i, const struct ptx_operand *o,
                         unsigned bits, unsigned n);
/* The value of the predicate that block b branches on, negated where it is. */
LLVMValueRef core_branch_value(struct core *c, uint32_t b, bool scalar);

/* -- split.c ----------------------------------------------------------------------------------- */

/* values/split.c: whether the kernel selects addresses; storage for one register; it has been
 * written by i, has come back from the frame (NULL), is not known. */
bool split_wanted(const struct wir *f);
void split_storage(struct core *c, struct guess *g, uint32_t reg);
void split_write(struct core *c, const struct wir_insn *i, uint32_t reg);
void split_forget(struct core *c, uint32_t reg);
/* A load's address that is selected of some that follow patterns (plan_find_select). The values are
 * the register's, without the operand's offset. */
void core_split(struct core *c, const struct wir_insn *i, const struct ptx_operand *o,
                struct split *s);

/* -- converged.c --------------------------------------------------------------------------------
 */

/* values/converged.c: storage; the register has been written by i; nothing is known of it. */
void converged_storage(struct core *c);
void converged_write(struct core *c, const struct wir_insn *i, uint32_t reg);
void converged_forget(struct core *c, uint32_t reg);

/* -- widened.c --------------------------------------------------------------------------------- */

/* versions/speculate.c: i makes 64 bits of a number of which it is known here that no lane wraps;
 * those of the first lanes of n segments, NULL: not known. */
bool core_speculated(const struct core *c, const struct wir_insn *i);
LLVMValueRef core_speculated_firsts(struct core *c, const struct wir_insn *i, unsigned n);
struct speculation_bound *speculation_bound_of(struct speculation *s, uint32_t root);
bool speculation_is_unsigned(const struct ptx_insn *p);
LLVMValueRef speculation_root_value(struct speculation *s, uint32_t root);
/* 64 bits: a term's factor times its product. */
LLVMValueRef speculation_term_value(struct core *c, struct speculation *s,
                                    const struct index_term *t, int64_t times);
const struct speculation_widened *speculation_wide_of(const struct core *c,
                                                      const struct wir_insn *i);
/* What i makes in one lane: what differs from place to place comes last, as a number. */
LLVMValueRef speculation_wide_lane(struct core *c, const struct wir_insn *i,
                                   const struct speculation_widened *w, unsigned lane);

/* -- write.c ----------------------------------------------------------------------------------- */

/* Sets a register (or every register of a vector operand) from a scalar or a vector. */
void core_write(struct core *c, const struct wir_insn *i, const struct ptx_operand *o,
                LLVMValueRef v, bool sign);
/* Results into registers: a pair or a list takes them in order. */
void core_write_results(struct core *c, const struct wir_insn *i, const struct ptx_operand *to,
                        LLVMValueRef *out, bool sign);

#endif
