/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/memory: loads, stores, atomics and copies of a warp.
 *
 * Each access has a plan (plans/plans.h), which says in which form it is made; here that is carried
 * out. site.c makes its address (struct site: one scalar, the first address of each segment, or a
 * vector of 32) and announces it to tools; runs.c makes the tests that guard a form; load_forms.c
 * and store_forms.c emit one.
 */
#ifndef LOCKSTEP_JIT_MEMORY_H
#define LOCKSTEP_JIT_MEMORY_H

#include "jit/values/values.h"

enum { LINE = 64 }; /* bytes of a line of the host's caches */

struct site {
    struct core *c;
    const struct wir_insn *i;
    struct fact fact;     /* of the address */
    LLVMValueRef base;    /* SCALAR: lane 0's host address */
    LLVMValueRef firsts;  /* else, where the fact has segments: of their first lanes, */
    LLVMValueRef lanes;   /* and all addresses, <32 x i64> (made when needed) */
    LLVMValueRef holds;   /* a guess: whether it holds, NULL: to be compared; */
    LLVMValueRef guessed; /*   then the addresses of the segments' first lanes */
    /* or the lanes follow the pattern where this i1 says so (values/converged.c), */
    LLVMValueRef converged;
    LLVMValueRef first; /*   and this is lane 0's address; NULL: nothing of the kind */
    const int32_t *pattern;
    unsigned bytes, vec; /* of an element; elements per lane */
    unsigned align;
    LLVMValueRef mask; /* <32 x i1>, NULL: all */
    struct runs runs;  /* where lanes are laid out in runs: starts count from base (SCALAR) */
    LLVMValueRef some; /* i32: the lanes that access memory, NULL: all active ones */
    LLVMValueRef size; /* i32: bytes of a lane, NULL: bytes * vec */
    /* site_index: the addresses are at + (index << shift), index <32 x i32>, signed */
    LLVMValueRef index;
    LLVMValueRef at;
    unsigned shift;
    LLVMValueRef local; /* local memory, watched: where in each lane's, NULL: not the same in all */
};

/* Two ways to make an access, and where they meet. */
struct fork {
    LLVMBasicBlockRef fast, slow, join, fast_end;
};

/* What the ends of the warp say: whether lanes may be consecutive at all, and where lane 0 would be
 * then: the first lanes often are clamped at the border of an array, and so are the last ones. */
struct ends {
    LLVMValueRef likely, first;
};

/* -- ahead.c ----------------------------------------------------------------------------------- */

void site_fetch(struct site *s, const struct plan *p); /* what the plan fetches */
void site_fetch_rows(struct site *s);                  /* the next warp's rows */
/* Alloca: where load n of interleaved warps read in the loop's last iteration, for all code that
 * carries it out (versions/steady.c); 0: in none so far. */
LLVMValueRef core_last_turn(struct core *c, uint32_t n);

/* -- atomics.c --------------------------------------------------------------------------------- */

bool core_atomic(struct core *c, const struct wir_insn *i); /* atom, red */

/* -- columns.c --------------------------------------------------------------------------------- */

/* v to the lanes' addresses, 32-bit words, now or later. mask: NULL: all lanes. */
void core_columns_store(struct core *c, const struct wir_insn *i, LLVMValueRef at, LLVMValueRef v,
                        LLVMValueRef mask);
/* For warps that run together: room for what is kept, before anything is emitted. */
void core_columns_room(struct core *c, const struct wir_insn *i);
/* All of it is in memory then. */
void core_columns_end(struct core *c);
/* The store of a transpose for all the warps that run together. */
void site_store_columns(struct site *s, const struct plan *p, const struct ptx_operand *from);

/* -- combine.c --------------------------------------------------------------------------------- */

/* red.add at these addresses, kept back. */
void core_combine(struct core *c, const struct wir_insn *i, LLVMValueRef address, LLVMValueRef x);
/* Before an access to global memory: what is pending for [first, first + bytes) goes there first.
 * first: a scalar or <32 x i64>. */
void core_combine_before(struct core *c, LLVMValueRef first, uint64_t bytes);
void core_combine_flush(struct core *c);

/* -- cp.c -------------------------------------------------------------------------------------- */

/* cp.async: operand 1's memory (in space2) to operand 0's. size: bytes of the source, the rest is
 * zero; NULL: all. */
bool core_copy(struct core *c, const struct wir_insn *i, unsigned bytes, LLVMValueRef size);

/* -- fetch.c ----------------------------------------------------------------------------------- */

/* The same load's `bytes` at each of `count` addresses (i64), of a block to come. slot: where it
 * keeps what it knows. */
void core_fetch(struct core *c, const struct wir_insn *i, uint32_t slot, LLVMValueRef *at,
                unsigned count, unsigned bytes);
/* How far a loop's first turn in blocks to come is from this one's, whose load begins at now. */
LLVMValueRef core_fetch_first(struct core *c, LLVMValueRef now);
/* A line of memory into the second cache. */
void core_prefetch(struct core *c, LLVMValueRef at);
/* Into the first: lines that are read word by word, each many times. */
void core_prefetch_first(struct core *c, LLVMValueRef at);

/* -- index.c ----------------------------------------------------------------------------------- */

/* Sets index, at and shift where the plan has them. */
void site_index(struct site *s, const struct plan *p);
/* Pointers to the lanes' element, by index where there is one. */
LLVMValueRef site_pointers(struct site *s, unsigned element);
/* Whether lanes side by side have numbers that follow one another. */
bool site_index_steps(const struct site *s);
void site_index_ends(struct site *s, struct ends *e);
/* Whether the active lanes follow from `first` on; sets guessed. */
LLVMValueRef site_index_holds(struct site *s, LLVMValueRef first);

/* -- load.c ------------------------------------------------------------------------------------ */

bool core_load(struct core *c, const struct wir_insn *i);

/* -- load_forms.c ------------------------------------------------------------------------------ */

/* In the way of the list, which ends with one that has no test, that
 * is the first whose test holds. */
void site_load_ways(struct site *s, const struct plan_way *w, LLVMValueRef out[]);
void site_load(struct site *s, LLVMValueRef out[]);      /* as is best for the site by itself */
void site_load_each(struct site *s, LLVMValueRef out[]); /* lane by lane */
LLVMValueRef site_load_scalar(struct site *s, LLVMValueRef address, unsigned element);
void site_load_runs(struct site *s, LLVMValueRef out[]);

/* -- near.c ------------------------------------------------------------------------------------ */

/* Adds x at once where the places are found to be fit for it; the builder is left where they are
 * not, to go to the block that is returned. */
LLVMBasicBlockRef core_near_sum(struct core *c, const struct wir_insn *i,
                                const struct ptx_operand *o, const struct plan_sum *p,
                                LLVMValueRef x);

/* -- pick.c ------------------------------------------------------------------------------------ */

/* i1: a load that the plan makes in parts may be made so here. *rows: i1, what rows of the block
 * decide of it (values/rows.c) holds in both halves of the warp; NULL: they decide nothing. */
LLVMValueRef core_split_fine(struct core *c, const struct plan *plan, LLVMValueRef *rows);
void site_load_split(struct site *s, const struct plan *plan, LLVMValueRef *out);

/* -- runs.c ------------------------------------------------------------------------------------ */

/* What is decided of one side of a copy at the site. */
void site_plan(struct site *s, bool store, struct plan *out);
/* Address of run g. */
LLVMValueRef site_segment(struct site *s, unsigned g);
/* The site where its guess is known to hold: no lane's own address is needed. */
struct site site_sure(const struct site *s);
struct fork fork_begin(struct core *c, LLVMValueRef cond); /* goes on in the fast way */
/* A way's test; *on: the site where it holds. */
struct fork site_fork_way(struct site *s, const struct plan_way *w, struct site *on);
void fork_other(struct core *c, struct fork *f); /* the fast way ends; goes on in the slow one */
/* The slow way ends, too. out[k]: what came of the two ways, n values; out may be fast. */
void fork_join(struct core *c, const struct fork *f, unsigned n, LLVMValueRef *fast,
               LLVMValueRef *slow, LLVMValueRef *out);
/* Lanes first..first+run of the mask, each repeated vec times; whether any of them is active. */
LLVMValueRef site_mask_part(struct site *s, unsigned first, unsigned run);
LLVMValueRef site_any(struct site *s, unsigned first, unsigned run);

/* -- site.c ------------------------------------------------------------------------------------ */

/* Host addresses of all lanes, for atomics and the like; announces the access to tools. */
LLVMValueRef core_addresses(struct core *c, const struct wir_insn *i, const struct ptx_operand *o,
                            unsigned bytes, enum jit_access_op op);
/* The same where only the lanes of the set `some` access memory; 0: nothing is announced. */
LLVMValueRef core_addresses_some(struct core *c, const struct wir_insn *i,
                                 const struct ptx_operand *o, unsigned bytes, enum jit_access_op op,
                                 uint32_t some);
/* The same with each lane's number of bytes, <32 x i64>. */
LLVMValueRef core_addresses_sized(struct core *c, const struct wir_insn *i,
                                  const struct ptx_operand *o, LLVMValueRef size,
                                  enum jit_access_op op);
/* The addresses alone, of which tools are told later: by core_announce_sized, where those of
 * `lanes` access `size` bytes (of each lane) each at `addresses`. */
LLVMValueRef core_address_lanes(struct core *c, const struct wir_insn *i,
                                const struct ptx_operand *o);
void core_announce_sized(struct core *c, const struct wir_insn *i, LLVMValueRef addresses,
                         LLVMValueRef lanes, LLVMValueRef size, enum jit_access_op op);
/* The element of the first of `lanes` (i32); of none, any. */
LLVMValueRef core_first_lane(struct core *c, LLVMValueRef lanes, LLVMValueRef values);
/* For accesses to these addresses; returns them, of lanes that the tool keeps from them those of
 * memory that does not matter. */
LLVMValueRef core_announce_access(struct core *c, const struct wir_insn *i, LLVMValueRef addresses,
                                  unsigned bytes, enum jit_access_op op);
/* Lanes that the tool keeps from the access just announced, i32; NULL: nobody asked. */
LLVMValueRef core_denied(struct core *c, const struct wir_insn *i);
/* Its instruction's type, vector and mask; fails when they are not supported. */
bool site_begin(struct site *s, struct core *c, const struct wir_insn *i);
/* Fill in s->fact and the values of the address of operand o (s->base, firsts, holds, ...), as its
 * plan says: site_find makes that plan by plan_address(), site_at gets it as `at`. */
void site_find(struct site *s, const struct ptx_operand *o);
void site_at(struct site *s, const struct ptx_operand *o, const struct plan_address *at);
LLVMValueRef site_lanes(struct site *s); /* all addresses, <32 x i64> */
/* Lane l of v, for a condition. The lane may be inactive and its value undefined, and a branch on
 * an undefined value is undefined behaviour, on whose account LLVM deletes the way to it: frozen.
 */
LLVMValueRef core_frozen_lane(struct core *c, LLVMValueRef v, unsigned l);
/* What the space adds to an address that is an offset, NULL: nothing; what of the offset is known
 * when the kernel is compiled. */
LLVMValueRef site_space_base(struct core *c, enum ptx_space space, const struct ptx_operand *o);
uint64_t site_known_offset(struct core *c, const struct ptx_operand *o);
/* Tells tools of the access as the plan says; then core_denied. site_announce: of other
 * instructions than loads and stores, for which it makes that plan. */
void site_tell(struct site *s, const struct plan_tell *t, enum jit_access_op op);
void site_announce(struct site *s, enum jit_access_op op);
/* Addresses with those of denied lanes replaced; masks denied lanes out. */
LLVMValueRef site_allowed(struct core *c, const struct wir_insn *i, LLVMValueRef addresses);
void site_allow_some(struct site *s, LLVMValueRef denied);

/* -- shared.c ---------------------------------------------------------------------------------- */

/* Made by a call, where quick code has a function for accesses of this kind, of which make() emits
 * the body; false: nothing was emitted. */
typedef void site_form(struct site *s, const struct plan_way *w, LLVMValueRef *v);
bool site_load_shared(struct site *s, const struct plan_way *w, LLVMValueRef out[],
                      site_form *make);
bool site_store_shared(struct site *s, const struct plan_way *w, LLVMValueRef *v, site_form *make);

/* -- store.c ----------------------------------------------------------------------------------- */

bool core_store(struct core *c, const struct wir_insn *i);

/* -- store_forms.c ----------------------------------------------------------------------------- */

void site_store(struct site *s, LLVMValueRef *v);
void site_store_ways(struct site *s, const struct plan_way *w, LLVMValueRef *v);
void site_store_scalar(struct site *s, LLVMValueRef address, LLVMValueRef v, unsigned element);
/* i1: whether the launch's stores of so many bytes a thread go past the caches. */
LLVMValueRef site_streams(struct core *c, unsigned bytes);
/* Lanes in order, so that the last one wins where several write one place. */
void site_store_each(struct site *s, LLVMValueRef *v);

/* -- tile.c ------------------------------------------------------------------------------------ */

/* memory/tile.c: four words of each of 16 rows, row[k] bytes behind base: out[n]: the n-th word of
 * all of them. */
void core_turn_rows(struct core *c, LLVMValueRef base, const int32_t row[16], LLVMValueRef out[4]);
/* Columns of a tile in shared memory, for all the warps that run together; the others' values are
 * kept until it is their turn. */
void site_load_tile(struct site *s, const struct plan *p, LLVMValueRef *out);
/* The value came with another load: it is taken when it is its turn. */
void core_ahead_put(struct core *c, const struct wir_insn *i, LLVMValueRef v);

/* -- words.c ----------------------------------------------------------------------------------- */

void site_load_words(struct site *s, const struct plan *p, LLVMValueRef out[]);
void site_store_words(struct site *s, const struct plan *p, const struct ptx_operand *from);

/* -- stepped.c --------------------------------------------------------------------------------- */

/* form.steps: makes the load or store. False: it is none that can be made so, nothing was done. */
bool core_stepped_access(struct core *c, const struct wir_insn *i, bool store);

#endif
