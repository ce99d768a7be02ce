/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: one warp function while it is emitted. jit_core.c walks the blocks and moves lanes
 * between them; jit_insn.c emits single instructions; jit_load.c and jit_store.c loads and stores.
 */
#ifndef LOCKSTEP_JIT_CORE_H
#define LOCKSTEP_JIT_CORE_H

#include "analysis/analysis.h"
#include "jit/jit_priv.h"

/* A place where the function can be entered again. */
struct resume_point {
    LLVMBasicBlockRef block;
};

struct core {
    struct emit e;
    const struct flow *flow;
    const struct facts *facts;
    const struct facts *together; /* as if lanes never parted (jit_together.c); NULL: not wanted */
    uint32_t events;
    struct core_sure *sure;   /* jit_sure.c; NULL: not needed so far */
    bool local_words;         /* local memory is laid out word by word (core_local_words); tools are told
                                 addresses as if it were not */
    bool combines;            /* sums for global memory are kept back (jit_combine.c) */
    bool streams;             /* stores may go past the caches (core_streams) */
    bool called;              /* a function, not a kernel: lanes and arguments are parameters */
    LLVMValueRef stack;       /* called: local memory in use below this call, bytes per lane */
    LLVMValueRef arguments;   /* called: the caller's area */
    LLVMValueRef *reg;        /* per register: alloca of a scalar or a vector */
    struct guess *guess;      /* per register: jit_guess.c */
    uint32_t *frame_at;       /* per register: offset in the frame, UINT32_MAX: none yet */
    uint64_t **kept;          /* per block: registers whose value is in the frame when it ends */
    uint32_t frame_bytes;
    LLVMValueRef *pending;    /* per block: alloca of i32 */
    LLVMValueRef *waiting;    /* per block: alloca of i32, lanes that wait for a barrier before it */
    bool *barrier_park;       /* per block: lanes may be in waiting[] */
    LLVMBasicBlockRef *block;
    LLVMBasicBlockRef *whole; /* per block: the same for warps of which all lanes are there (jit_whole.c), or NULL */
    bool *taps;               /* per block: a run of conditions begins at its branch (jit_taps.c) */
    struct agree *agree;      /* per register: jit_agree.c; */
    LLVMValueRef *agree_reg;  /*   of these registers, */
    uint32_t agree_warps;     /*   those of the first of so many warps, 0: of one */
    bool in_whole;            /* that is being emitted */
    LLVMValueRef mask;        /* alloca of i32: lanes active in the current block */
    LLVMValueRef alive;       /* alloca of i32: lanes that have not exited */
    LLVMValueRef carry;       /* alloca of <32 x i1> */
    LLVMValueRef scatter_places, scatter_values; /* allocas for 32 addresses, 32 halves: likewise */
    struct {
        const struct flow_insn *insn; /* the store that is kept back (jit_columns.c), NULL: none; */
        LLVMValueRef count, first, values; /* allocas: warps kept, where the first one writes, what */
    } columns;
    struct core_ahead {
        const struct flow_insn *insn; /* a load whose value is there already (jit_group.c), */
        LLVMValueRef *reg, value;     /*   for the warp whose registers these are */
    } ahead[16];
    uint32_t ahead_count;
    bool *settled;            /* per instruction: a load of which it is known that it may be made in parts
                                 (jit_taps.c); NULL: of none */
    bool in_rows;             /* of those: and that what rows decide holds in both halves of the warp */
    struct {
        const struct flow_insn *insn; /* a load (jit_fetch.c), and */
        uint32_t at;                  /*   where in the first warp's frame */
    } fetch[4];
    uint32_t fetch_count;
    struct {
        const struct flow_insn *insn; /* a load in a loop (prefetch_ahead): how far it went on since the last turn, */
        LLVMValueRef *reg, step;      /*   of the first of the warps that run together */
    } pace;
    LLVMValueRef image_data;  /* alloca of a struct jit_image_data, made when first needed */
    LLVMBasicBlockRef entry, wake, end;
    VEC(struct resume_point) resumes;
    LLVMValueRef resume_switch;
    uint32_t current;         /* block being emitted */
    /* Loaded once at entry, all scalars: */
    LLVMValueRef block_ptr, launch_ptr, frame, params, symbols, shared, local, local_stride;
    LLVMValueRef counts;      /* JIT_EVENT_COUNT */
    const struct flow_insn *counted, *counted_end; /* the same: counted already, with the first of them */
    LLVMValueRef seen, trace, trace_local; /* JIT_EVENT_SEEN; trace: the warp's */
    LLVMValueRef batches, seen_mask;       /* the same */
    struct core_batch *batch;              /* jit_batch.c; NULL: not needed so far */
    /* shape.apart (jit_sync.c): where lanes may stand still: number of the site per block, or
     * UINT32_MAX; where in the frame the sites are. */
    uint32_t *site, site_count, sites_at;
    bool synced;              /* the instruction being emitted: its group's values are in the frame */
    LLVMValueRef warp_index, tid[3], ctaid[3];
    bool all_active;          /* all lanes are in the code being emitted, whatever the facts say */
    struct phases *phases;    /* the function runs whole blocks (jit_phases.c); else NULL */
    struct straight *straight; /* the way of warps that is being emitted (jit_straight.c), or NULL */
    bool alone;               /* core_barriers_pass */
};

/* -- values (jit_insn.c) -------------------------------------------------------------------------- */

unsigned core_reg_bits(const struct core *c, uint32_t reg);
bool core_reg_scalar(const struct core *c, uint32_t reg);
/* How many values a register is kept as: 1, LANES, or 2 or 4: those of the first lanes of as many
 * segments, from which the fact's pattern gives the others (addresses in blocks 16 wide). */
unsigned core_reg_count(const struct core *c, uint32_t reg);
LLVMTypeRef core_reg_type(struct core *c, uint32_t reg);
LLVMTypeRef core_vector(struct core *c, unsigned bits);
LLVMTypeRef core_scalar(struct core *c, unsigned bits);
LLVMValueRef core_i32(struct core *c, uint32_t v);
LLVMValueRef core_i64(struct core *c, uint64_t v);
LLVMValueRef core_splat(struct core *c, LLVMValueRef scalar);
/* splat(scalar) + pattern; pattern NULL: splat. */
LLVMValueRef core_spread(struct core *c, LLVMValueRef scalar, const int32_t *pattern);
LLVMValueRef core_pattern(struct core *c, const int32_t *pattern, unsigned bits);
/* An operand's value, `bits` wide, as a scalar (lane 0's) or as a vector. */
LLVMValueRef core_value(struct core *c, const struct flow_insn *i, const struct ptx_operand *o,
                        unsigned bits, bool scalar);
/* The same in the first lanes of n segments (1, 2, 4, LANES). */
LLVMValueRef core_firsts(struct core *c, const struct flow_insn *i, const struct ptx_operand *o,
                         unsigned bits, unsigned n);
/* From the first lanes of a value with fact f to n segments; LANES: all. */
LLVMValueRef core_spread_firsts(struct core *c, LLVMValueRef firsts, const struct fact *f, unsigned n);
/* Sets a register (or every register of a vector operand) from a scalar or a vector. */
void core_write(struct core *c, const struct flow_insn *i, const struct ptx_operand *o,
                LLVMValueRef v, bool sign);
/* Active lanes of the current block; NULL when all are. */
LLVMValueRef core_mask(struct core *c);
LLVMValueRef core_mask_bits(struct core *c); /* never NULL */
LLVMValueRef core_all_lanes(struct core *c); /* the mask as <32 x i1>, all ones when NULL */
LLVMValueRef core_load_field(struct core *c, LLVMValueRef base, size_t offset, LLVMTypeRef type);
void core_store_field(struct core *c, LLVMValueRef base, size_t offset, LLVMValueRef v);
LLVMValueRef core_alloca(struct core *c, LLVMTypeRef type);
LLVMValueRef core_alloca_zero(struct core *c, LLVMTypeRef type); /* 0 when the function begins */
LLVMBasicBlockRef core_new_block(struct core *c, const char *name);
/* services->field(args...) */
/* jit_gate.c: a load that may pass without being announced. The builder is left where it is
 * announced; the result is where both ways meet. NULL: always announced. */
struct core_gate {
    LLVMValueRef base, offset, lanes; /* base: <32 x i64>: all addresses, no pattern */
    const int32_t *pattern; /* NULL: all lanes at base */
    uint32_t bytes;
    enum ptx_space space;
    uint32_t place;
    LLVMValueRef local;     /* local memory: where in each lane's; NULL: not the same in all */
    bool store;             /* only of local and shared memory */
};
LLVMBasicBlockRef core_gate(struct core *c, const struct core_gate *g);
/* jit_sure.c: an access to local memory by words that need not be announced, nor be asked for. */
bool core_sure(struct core *c, const struct flow_insn *i, const struct ptx_operand *o, uint32_t bytes);
void core_sure_free(struct core *c);
/* jit_seen.c, JIT_EVENT_SEEN: an access whose lanes differ by constants, at least within halves of the warp. */
struct core_told {
    LLVMValueRef base, apart, lanes; /* apart: NULL: the upper half is no different */
    LLVMValueRef local; /* local memory: lane 0's offset from its first byte; else NULL */
    const int32_t *pattern; /* the lanes' distances from there; NULL: none */
    uint64_t known;         /* of base: the part that is known when the kernel is compiled */
    LLVMValueRef holds, each; /* a guess: whether it holds; NULL: it does. Else all addresses */
    uint32_t bytes, space, op, place;
};
void core_tell(struct core *c, const struct core_told *t);
/* The same without a look at what has been told before. */
void core_tell_plain(struct core *c, const struct core_told *t);
void core_seen_begin(struct core *c);
LLVMValueRef core_seen_lanes(struct core *c, LLVMValueRef lanes);
/* jit_batch.c: the access is told with others, later; false: it must not be, nothing was done. */
bool core_batch_add(struct core *c, const struct flow_insn *i, const struct core_told *t);
/* Tells what is kept: where anything else is told, and the block of code ends. */
void core_batch_flush(struct core *c);
/* Before the instruction is emitted. */
void core_batch_before(struct core *c, const struct flow_insn *i);

LLVMValueRef core_service(struct core *c, size_t offset, LLVMTypeRef result, LLVMValueRef *args,
                          unsigned n);
bool core_insn(struct core *c, const struct flow_insn *i);
/* A register in all lanes. */
LLVMValueRef core_read_lanes(struct core *c, uint32_t reg);
/* From all lanes to what the register is kept as. */
LLVMValueRef core_keep_lanes(struct core *c, uint32_t reg, LLVMValueRef v);
/* Width of source operand k (0: first after the destination). */
unsigned core_source_bits(const struct core *c, const struct ptx_insn *p, unsigned k);
bool core_atomic(struct core *c, const struct flow_insn *i); /* atom, red */
/* A function without a body that kernels may call. */
bool core_known_function(const char *name);

/* -- memory (jit_site.c to jit_store.c) ------------------------------------------------------------ */

bool core_load(struct core *c, const struct flow_insn *i);
/* i1: a load that is now made may be made in parts (jit_pick.c); NULL: it is not of that kind. *rows: i1, what
 * rows of the block decide of it (jit_rows.c) holds in both halves of the warp; NULL: they decide nothing. */
LLVMValueRef core_split_fine(struct core *c, const struct flow_insn *i, LLVMValueRef *rows);
bool core_store(struct core *c, const struct flow_insn *i);
/* Host addresses of all lanes, for atomics and the like; announces the access to tools. */
LLVMValueRef core_addresses(struct core *c, const struct flow_insn *i, const struct ptx_operand *o,
                            unsigned bytes, enum jit_access_op op);
/* The same where only the lanes of the set `some` access memory; 0: nothing is announced. */
LLVMValueRef core_addresses_some(struct core *c, const struct flow_insn *i,
                                 const struct ptx_operand *o, unsigned bytes, enum jit_access_op op,
                                 uint32_t some);
/* The same with each lane's number of bytes, <32 x i64>. */
LLVMValueRef core_addresses_sized(struct core *c, const struct flow_insn *i,
                                  const struct ptx_operand *o, LLVMValueRef size,
                                  enum jit_access_op op);
/* cp.async: operand 1's memory (in space2) to operand 0's. size: bytes of the source, the rest is
 * zero; NULL: all. */
bool core_copy(struct core *c, const struct flow_insn *i, unsigned bytes, LLVMValueRef size);
/* For accesses to these addresses; returns them, of lanes that the tool keeps from them those of
 * memory that does not matter. */
LLVMValueRef core_announce_access(struct core *c, const struct flow_insn *i, LLVMValueRef addresses,
                                  unsigned bytes, enum jit_access_op op);
/* Words (i32) as a constant of the module. */
LLVMValueRef core_constants(struct core *c, LLVMValueRef *word, uint32_t count, const char *name);
/* Lanes that the tool keeps from the access just announced, i32; NULL: nobody asked. */
LLVMValueRef core_denied(struct core *c);
LLVMValueRef core_local_base(struct core *c); /* <32 x i64> */
bool core_local_words(const struct flow *f);
/* Whether no other thread can look at what a kernel stores before its launch ends. */
bool core_streams(const struct flow *f);
void core_fence(struct core *c, bool strong);

/* -- patterns that may not hold (jit_guess.c) --------------------------------------------------------- */

void core_guess_storage(struct core *c);
/* Whether the register's lanes follow its pattern, and the values of its segments' first lanes if they
 * do; false: nothing is kept of it. */
bool core_guess(struct core *c, uint32_t reg, LLVMValueRef *holds, LLVMValueRef *firsts);
/* The register has just been written by the instruction, or come back from the frame. */
void core_guess_write(struct core *c, const struct flow_insn *i, uint32_t reg);
void core_guess_restored(struct core *c, uint32_t reg);
/* Nothing is known of any register. */
void core_guess_reset(struct core *c);

/* -- predicates on which lanes agree (jit_agree.c) --------------------------------------------------- */

void core_agree_storage(struct core *c);
/* Of warps that run together, it is made for all of them when the first one's register is written. */
/* Whether the predicate surely holds in all lanes, or in none, where all of them are there; false: nothing
 * is kept of it. */
bool core_agree(struct core *c, uint32_t reg, LLVMValueRef *all, LLVMValueRef *none);
bool core_agree_kept(const struct core *c, uint32_t reg); /* whether it will say something */
/* The register has just been written by the instruction; it has come from elsewhere. */
void core_agree_write(struct core *c, const struct flow_insn *i, uint32_t reg);
void core_agree_forget(struct core *c, uint32_t reg);
void core_agree_restored(struct core *c, uint32_t reg);

/* Of a plain comparison of whole numbers, which one it is; false: of another kind. */
bool core_order(const struct ptx_insn *p, LLVMIntPredicate *how);

/* -- comparisons that front ends have merged (jit_merge.c) --------------------------------------------- */

struct merged {
    struct flow_insn part[2]; /* the comparisons, */
    struct ptx_operand operand[2][3];
    bool both;                /* of which both must hold; else one */
};
/* Whether the comparison is one of the greater or lesser of two numbers. */
bool core_merged(const struct core *c, const struct flow_insn *i, struct merged *out);

/* jit_straight.c: i makes 64 bits of a number of which it is known here that no lane wraps; those of the first
 * lanes of n segments, NULL: not known. */
bool core_straight(const struct core *c, const struct flow_insn *i);
LLVMValueRef core_straight_firsts(struct core *c, const struct flow_insn *i, unsigned n);
/* Emits such an instruction, if its result is kept as a scalar. */
bool core_straight_insn(struct core *c, const struct flow_insn *i);

/* jit_rows.c: of a predicate that a comparison before insns[before] of the current block wrote, whether it may
 * hold in lanes of each half of the warp (a row of a block of 16), and in which lanes of such a half it does;
 * *lanes 0: not known. Until insns[end] what is compared stays the same. False: the halves' lanes do not agree. */
bool core_rows(struct core *c, uint32_t predicate, uint32_t before, uint32_t end, LLVMValueRef half[2],
               uint32_t *lanes);

/* -- sums kept back (jit_combine.c) -------------------------------------------------------------------- */

bool core_can_combine(const struct ptx_insn *p);
/* Whether the kernel has such instructions and nothing that stands in the way. */
bool core_combines(const struct flow *f);
/* red.add at these addresses; false: not one that can be kept back, nothing was emitted. */
bool core_combine(struct core *c, const struct flow_insn *i, LLVMValueRef address, LLVMValueRef x);
/* Before an access to global memory: what is pending for [first, first + bytes) goes there first.
 * first: a scalar or <32 x i64>. */
void core_combine_before(struct core *c, LLVMValueRef first, uint64_t bytes);
void core_combine_flush(struct core *c);
/* jit_near.c: adds x at once where the places are found to be fit for it; the builder is left where they
 * are not, to go to the block that is returned. NULL: not such an instruction, nothing was emitted. */
LLVMBasicBlockRef core_near_sum(struct core *c, const struct flow_insn *i, const struct ptx_operand *o,
                                LLVMValueRef x);

/* jit_group.c: loads of neighbouring words that follow in the block and may be made together with i, a load
 * of 32 bits: member[k] loads the k-th word, NULL: nobody does. Returns how many words there are, at most 8;
 * *own: which one is i's. */
unsigned core_group(const struct core *c, const struct flow_insn *i, const struct flow_insn *member[8],
                    unsigned *own);
/* The value of a load that was made with another one; NULL: it was not. */
LLVMValueRef core_ahead_take(struct core *c, const struct flow_insn *i);
void core_ahead_put(struct core *c, const struct flow_insn *i, LLVMValueRef v);

/* jit_tile.c: four words of each of 16 rows, row[k] bytes behind base: out[n]: the n-th word of all of them. */
void core_turn_rows(struct core *c, LLVMValueRef base, const int32_t row[16], LLVMValueRef out[4]);

/* Whether code is emitted for one of the warps that run together (jit_jam.c), and these are the registers of the
 * first of them, another one. */
bool jam_follows(const struct core *c, const LLVMValueRef *reg);

/* -- fetched for the next blocks (jit_fetch.c) ----------------------------------------------------------- */

/* Whether the load is one that each block of a function of whole blocks comes to once. */
bool core_fetches(const struct core *c, const struct flow_insn *i);
/* The same load's `bytes` at each of `count` addresses (i64), of a block to come. */
void core_fetch(struct core *c, const struct flow_insn *i, LLVMValueRef *at, unsigned count, unsigned bytes);
/* How far a loop's first turn in blocks to come is from this one's, whose load begins at now. */
LLVMValueRef core_fetch_first(struct core *c, LLVMValueRef now);
/* A line of memory into the first cache. */
void core_prefetch(struct core *c, LLVMValueRef at);

/* -- stores of a transpose, kept back (jit_columns.c) --------------------------------------------------- */

/* Whether it may matter to nobody when the store is made, and nothing else is kept back. */
bool core_columns_fit(const struct core *c, const struct flow_insn *i);
/* v to the lanes' addresses, 32-bit words, now or later. mask: NULL: all lanes. */
void core_columns_store(struct core *c, const struct flow_insn *i, LLVMValueRef at, LLVMValueRef v,
                        LLVMValueRef mask);
/* For warps that run together: whether the store may be made for all of them, and how many of them; room for it,
 * before anything is emitted. */
bool core_columns_together(const struct core *c, const struct phases *p, const struct flow_insn *i, uint32_t block);
void core_columns_room(struct core *c, const struct flow_insn *i);
/* All of it is in memory then. */
void core_columns_end(struct core *c);

/* -- textures and surfaces (jit_image.c) -------------------------------------------------------------- */

bool core_image(struct core *c, const struct flow_insn *i);

/* -- calls (jit_call.c) ------------------------------------------------------------------------------- */

/* A call of a function that is not inlined, or of a pointer. */
bool core_call(struct core *c, const struct flow_insn *i, const struct ptx_operand *results,
               const struct ptx_operand *target, const struct ptx_operand *args);
/* alloca, stacksave, stackrestore. */
bool core_stack(struct core *c, const struct flow_insn *i);
bool core_uses_stack(const struct flow *f);
/* The name of a function's code in the module. */
void core_function_name(const struct ptx_func *f, char out[32]);
/* A function of the module by name, declared when first asked for: void (warp, lanes, area). */
LLVMValueRef core_callee(struct core *c, const char *name, LLVMTypeRef *type);

/* -- the frame (jit_frame.c) ---------------------------------------------------------------------------- */

/* Offset of one of the i32 that blocks keep in the frame, behind the registers. */
uint32_t frame_lanes(struct core *c, uint32_t index);
/* Offset of so many bytes that are nobody else's; what they hold at first is not known. */
uint32_t frame_room(struct core *c, uint32_t bytes);
/* Registers alive at any block of the set. */
void frame_live(const struct flow *f, const uint64_t *blocks, uint64_t *out);
/* Saves the registers of the set; not those in `kept` (NULL: none). */
void frame_save(struct core *c, const uint64_t *set, const uint64_t *kept);
void frame_restore(struct core *c, const uint64_t *set);
/* One allocation: a table of sets. */
uint64_t **frame_kept(const struct core *c);

/* For lanes that stand apart: every register has a place that does not depend on what is known of it.
 * Fills c->frame_at with them; returns the bytes. */
uint32_t frame_apart(const struct core *c, uint32_t *at);
/* Leaves there what lanes pending at `block` and elsewhere need, or takes all of it. */
void frame_leave(struct core *c, uint32_t block);
void frame_take(struct core *c);

/* -- lanes that wait for others of their warp (jit_sync.c) ------------------------------------------ */

/* Whether the block's first instruction must test that all the lanes it names are there. */
bool core_sync_tests(const struct core *c, uint32_t block);
void core_sync_test(struct core *c, uint32_t block);
/* shape.apart: the lanes of the block stand still, those that need not go on. */
void core_sync_wait(struct core *c, uint32_t block);
void core_sync_storage(struct core *c);
void core_sync_begin(struct core *c);
LLVMValueRef core_sync_sites(struct core *c);
LLVMValueRef core_sync_active(struct core *c); /* i32: lanes that take part */
LLVMValueRef core_sync_input(struct core *c, unsigned n, LLVMValueRef own);
/* No lane can run: SYNC_WOKEN when some can after all, SYNC_HELD when some stand still. */
LLVMValueRef core_sync_retry(struct core *c);
/* Tells exec who stands where. */
void core_sync_tell(struct core *c);

/* -- what tools are told (jit_events.c); nothing unless they asked ------------------------------------ */

void core_count(struct core *c, const struct flow_insn *i);
/* Executed by these lanes, if any. */
void core_count_lanes(struct core *c, const struct flow_insn *i, LLVMValueRef lanes);
/* lanes: the ones that go each way. */
void core_count_divergence(struct core *c, const struct flow_insn *i, const LLVMValueRef *lanes,
                           unsigned n);
/* No lanes can be waiting at other blocks while b runs. */
bool core_nothing_pending(const struct core *c, uint32_t b);
void core_announce_sync(struct core *c, const struct flow_insn *i);
/* barrier: <32 x i64>, or NULL; lanes: i32. */
void core_announce_async(struct core *c, const struct flow_insn *i, enum jit_async what,
                         LLVMValueRef lanes, LLVMValueRef barrier, uint32_t number);

/* -- the function (jit_core.c) ------------------------------------------------------------------------- */

/* The coordinates of a warp's first thread. */
void core_tid(struct core *c, LLVMValueRef warp_index, LLVMValueRef tid[3]);
/* The value of the predicate that block b branches on, negated where it is. */
LLVMValueRef core_branch_value(struct core *c, uint32_t b, bool scalar);
/* Sends these lanes to the two successors of block b, and goes on with whoever runs next. */
void core_part(struct core *c, uint32_t b, LLVMValueRef taken, LLVMValueRef fallen);
/* jit_whole.c: which blocks; the start of block b, where whole warps go their own way; those ways. */
void core_whole_choose(struct core *c);
void core_whole_enter(struct core *c, uint32_t b);
/* The branch of a block in which all lanes are; false: another one, nothing was emitted. */
bool core_whole_branch(struct core *c, uint32_t b);
bool core_whole_emit(struct core *c);
/* The block's lanes are elsewhere (pending or waiting): runs the others. */
void core_go_elsewhere(struct core *c, uint32_t block);

/* Emits `name` into e.module; fills frame_bytes. c->called: as a function that others call. */
bool core_function(struct core *c, const char *name);

#endif
