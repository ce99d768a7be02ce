/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: one load or store while it is emitted, for jit_site.c (its addresses), jit_runs.c (how the lanes
 * lie), jit_load.c, jit_pick.c, jit_store.c, jit_cp.c (in which form), jit_words.c (local memory), jit_ahead.c
 * (what is fetched ahead).
 *
 *     struct site s;
 *     if (!site_begin(&s, c, i))
 *         return false;
 *     site_find(&s, &i->i.operand[1]);
 *     site_announce(&s, JIT_LOAD);
 *     site_load(&s, out);
 */
#ifndef LOCKSTEP_JIT_SITE_H
#define LOCKSTEP_JIT_SITE_H

#include "jit/jit_core.h"

#define FIELD(type, field) offsetof(struct type, field)

enum { LINE = 64 }; /* bytes of a line of the host's caches */

struct site {
    struct core *c;
    const struct flow_insn *i;
    struct fact fact;        /* of the address */
    LLVMValueRef base;       /* SCALAR: lane 0's host address */
    LLVMValueRef firsts;     /* else, where the fact has segments: of their first lanes, */
    LLVMValueRef lanes;      /* and all addresses, <32 x i64> (made when needed) */
    LLVMValueRef holds;      /* a guess: whether it holds, NULL: to be compared; */
    LLVMValueRef guessed;    /*   then the addresses of the segments' first lanes */
    LLVMValueRef together;   /* or the lanes follow the pattern where this i1 says so (jit_together.c), */
    LLVMValueRef first;      /*   and this is lane 0's address; NULL: nothing of the kind */
    const int32_t *pattern;
    unsigned bytes, vec;     /* of an element; elements per lane */
    unsigned align;
    LLVMValueRef mask;       /* <32 x i1>, NULL: all */
    unsigned run;            /* lanes per segment, when laid out in runs */
    int32_t start[LANES];    /* per segment: offset of its first lane from base (SCALAR) */
    bool broadcast[LANES];   /* per segment */
    LLVMValueRef some;       /* i32: the lanes that access memory, NULL: all active ones */
    LLVMValueRef size;       /* i32: bytes of a lane, NULL: bytes * vec */
    LLVMValueRef index;      /* site_index: the addresses are at + (index << shift), index <32 x i32>, signed */
    LLVMValueRef at;
    unsigned shift;
    LLVMValueRef local;      /* local memory, watched: where in each lane's, NULL: not the same in all */
};

/* -- jit_site.c: addresses ----------------------------------------------------------------------------- */

/* Its instruction's type, vector and mask; fails when they are not supported. */
bool site_begin(struct site *s, struct core *c, const struct flow_insn *i);
/* The address, as what is known of it. */
void site_find(struct site *s, const struct ptx_operand *o);
LLVMValueRef site_lanes(struct site *s); /* all addresses, <32 x i64> */
/* The space an access really goes to; what that adds to an address that is an offset, NULL: nothing; what of
 * the offset is known when the kernel is compiled. */
enum ptx_space site_space(const struct core *c, const struct ptx_insn *p, const struct ptx_operand *o);
LLVMValueRef site_space_base(struct core *c, enum ptx_space space, const struct ptx_operand *o);
uint64_t site_known_offset(struct core *c, const struct ptx_operand *o);

/* Tells tools of the access; then core_denied. */
void site_announce(struct site *s, enum jit_access_op op);
/* The lanes' offsets as a constant of the module; NULL: all 0. */
LLVMValueRef site_pattern(struct core *c, const int32_t *pattern);
/* Addresses with those of denied lanes replaced; masks denied lanes out. */
LLVMValueRef site_allowed(struct core *c, LLVMValueRef addresses);
void site_allow_some(struct site *s, LLVMValueRef denied);

LLVMValueRef core_ptr(struct core *c, LLVMValueRef address); /* of an address or 32 */
LLVMValueRef core_splat_some(struct core *c, LLVMValueRef v, unsigned n);

/* -- jit_together.c -------------------------------------------------------------------------------------- */

void site_find_together(struct site *s, const struct ptx_operand *o, LLVMValueRef offset);
/* The site where its lanes are known to lie in runs, and as it is known without that. False: never. */
bool site_together(struct site *s, struct site *sure, struct site *other);

/* -- jit_runs.c: how lanes lie ------------------------------------------------------------------------- */

/* The longest segments in which lanes read one address or consecutive ones: sets run, start, broadcast. */
bool site_runs(struct site *s);
int32_t site_offset(const struct site *s, unsigned lane); /* from the first lane's address */
/* Address of run g. */
LLVMValueRef site_segment(struct site *s, unsigned g);
/* The site where its guess is known to hold: no lane's own address is needed. */
struct site site_sure(const struct site *s);
/* Pattern to test when nothing is known: consecutive lanes. */
void site_assume_consecutive(struct site *s, int32_t pattern[LANES]);
/* Whether it is worth testing for that (PASS_CONSECUTIVE_TEST). */
bool site_may_be_consecutive(const struct site *s);
/* For remarks: the runs that site_runs() found; why there are none. */
void site_remark_runs(const struct site *s);
const char *site_disorder(const struct site *s);

/* Two ways to make an access, and where they meet. */
struct fork {
    LLVMBasicBlockRef fast, slow, join, fast_end, slow_end;
};
struct fork fork_begin(struct core *c, LLVMValueRef cond); /* goes on in the fast way */
struct fork site_fork(struct site *s);                     /* fast: the lanes follow the pattern */
/* out[k]: what came of the two ways, n values; out may be fast. */
void fork_join(struct core *c, const struct fork *f, unsigned n, LLVMValueRef *fast, LLVMValueRef *slow,
               LLVMValueRef *out);

/* Elements v[0..n) of a, or of a and b; below 0: any value. */
LLVMValueRef core_shuffle(struct core *c, LLVMValueRef a, LLVMValueRef b, const int32_t *v, unsigned n);
/* Joins vectors of `run` lanes to one. */
LLVMValueRef core_concatenate(struct core *c, LLVMValueRef *part, unsigned parts, unsigned run);
/* Lanes first..first+run of the mask, each repeated vec times; whether any of them is active. */
LLVMValueRef site_mask_part(struct site *s, unsigned first, unsigned run);
LLVMValueRef site_any(struct site *s, unsigned first, unsigned run);

/* -- jit_index.c: a base and a 32-bit number a lane ------------------------------------------------------ */

/* Sets index, at and shift where the address at the operand is made so. */
void site_index(struct site *s, const struct ptx_operand *o);
/* Pointers to the lanes' element, by index where there is one. */
LLVMValueRef site_pointers(struct site *s, unsigned element);
/* Whether lanes side by side have numbers that follow one another. */
bool site_index_steps(const struct site *s);
/* What the ends of the warp say: whether lanes may be consecutive at all, and where lane 0 would be then:
 * the first lanes often are clamped at the border of an array, and so are the last ones. */
struct ends {
    LLVMValueRef likely, first;
};
void site_index_ends(struct site *s, struct ends *e);
/* Whether the active lanes follow from `first` on; sets guessed. */
LLVMValueRef site_index_holds(struct site *s, LLVMValueRef first);

/* -- jit_load.c, jit_pick.c, jit_store.c: out, v: an element for all lanes each ------------------------- */

void site_load(struct site *s, LLVMValueRef out[]);      /* in the best form that is known to do */
void site_load_each(struct site *s, LLVMValueRef out[]); /* lane by lane */
LLVMValueRef site_load_scalar(struct site *s, LLVMValueRef address, unsigned element);
/* Lanes first..first+run, side by side from the address on. */
LLVMValueRef site_load_consecutive(struct site *s, LLVMValueRef address, unsigned first, unsigned run);
/* False: the address is not selected lane by lane; nothing that has an effect was emitted. */
bool site_load_split(struct site *s, const struct ptx_operand *o, LLVMValueRef *out);
/* jit_columns.c: the store of a transpose for all the warps that run together; false: another one. */
bool site_store_columns(struct site *s, const struct ptx_operand *to, const struct ptx_operand *from);
/* jit_tile.c: columns of a tile in shared memory, for all the warps that run together; the others' values are kept
 * until it is their turn. False: it is not known that they lie side by side, nothing was emitted. */
bool site_load_tile(struct site *s, const struct ptx_operand *o, LLVMValueRef *out);
void site_store(struct site *s, LLVMValueRef *v);
bool core_is_ordered(const struct ptx_insn *p); /* volatile, acquire, ... */

/* -- jit_words.c: local memory in words ------------------------------------------------------------------ */

bool site_in_words(const struct site *s, const struct ptx_operand *o);
void site_load_words(struct site *s, const struct ptx_operand *o, LLVMValueRef out[]);
void site_store_words(struct site *s, const struct ptx_operand *o, const struct ptx_operand *from);

/* -- jit_ahead.c: false: the site is not of that kind ---------------------------------------------------- */

bool site_fetch_turn(struct site *s);   /* the next turn of a loop with barriers */
bool site_fetch_blocks(struct site *s); /* blocks to come */
void site_fetch_ahead(struct site *s);  /* later turns of a loop */
void site_fetch_rows(struct site *s);   /* the next warp's rows */

#endif
