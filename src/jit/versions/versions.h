/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/versions: other ways to run a kernel than one warp under a mask: barrier regions of whole
 * blocks, several warps interleaved, warps with all 32 lanes, ways without branches. Each is a
 * struct version (values/values.h): how many warps run together and what is assumed of them. Start
 * at version.c.
 */
#ifndef LOCKSTEP_JIT_VERSIONS_H
#define LOCKSTEP_JIT_VERSIONS_H

#include "jit/values/values.h"

struct version_code;

/* -- interleave.c ------------------------------------------------------------------------------ */

/* Storage and blocks, before anything else of the groups is emitted. */
void interleave_begin(struct core *c);
/* Code for the warps of an interleaved group that have parted: each goes on alone from the site at
 * which it left the group. */
bool interleave_resume(struct core *c, uint32_t group);
/* Before the end of block b is emitted for one warp: where those that parted there come to it. */
void interleave_tail(struct core *c, uint32_t b);
/* One of the parted warps is done: the builder is left where all of the block are. */
void interleave_next(struct core *c, const struct region_group *g, LLVMValueRef next);
/* The group's warps that run together. */
struct version_code interleave_version(struct core *c, uint32_t group);

/* -- interleave_choose.c ----------------------------------------------------------------------- */

/* versions/interleave.c: */

/* Decides which groups run how many warps together, and where these may part. */
void interleave_choose(const struct core *c, struct barrier_regions *p);
void interleave_free(struct barrier_regions *p);

/* -- region.c ---------------------------------------------------------------------------------- */

/* Live registers at a region's end: those of the warp whose turn it is go to its frame, at the end
 * of the block; those on which the block agrees, to copies (allocas, made when first needed). */
void regions_save(struct core *c, const uint64_t *live, uint32_t block);
/* At the end of block b, where a loop with barriers may begin (frame_saves_at). */
void regions_enter(struct core *c, uint32_t b);
void regions_keep(struct core *c, const uint64_t *live, LLVMValueRef *copies);
/* Gets both back, and computes others from the thread's number once more: what code of the group
 * needs of them. regions_forget before that. */
bool regions_restore(struct core *c, const struct region_group *g, const uint64_t *live,
                     LLVMValueRef *copies);
void regions_forget(struct core *c, const struct region_group *g);
/* What a region begins with beside them, for the warp whose turn it is. */
void regions_start(struct core *c, const struct barrier_region *x);
/* The coordinates and memory of a warp; its registers are left alone. */
void regions_warp(struct core *c, struct warp_context *t, LLVMValueRef warp_index);
LLVMValueRef regions_mark(struct core *c, bool unrolled);
const struct barrier_region *regions_after(const struct barrier_regions *p, uint32_t barrier);
/* All warps have come to the barrier: what is once kept is kept, the next region begins. */
void regions_leave(struct core *c, const struct barrier_region *next);
/* From the head of the group's loop to the region that runs: of one warp, or of those together. */
void regions_dispatch(struct core *c, uint32_t group, bool interleaved);
/* The end of that loop: where there are no more warps the builder goes on, in `out`. */
void regions_repeat(struct core *c, LLVMValueRef more, LLVMBasicBlockRef head,
                    LLVMBasicBlockRef out, LLVMValueRef mark);
/* The head of the loop over the warps that run the region. */
LLVMBasicBlockRef regions_head(const struct barrier_regions *p, uint32_t group);

/* -- regions.c --------------------------------------------------------------------------------- */

/* The builder is at the end of the function's entry: storage, the loops' heads, what regions begin
 * with. */
bool core_regions_begin(struct core *c);
/* Block b is emitted next: the values of its warp. */
void core_regions_at(struct core *c, uint32_t b);
/* The warp has come to the barrier that ends c->now.current. votes: lanes whose predicate holds. */
void core_regions_barrier(struct core *c, uint32_t b, enum jit_barrier_kind kind,
                          LLVMValueRef votes);
/* After the last block: what warps do that have exited. */
void core_regions_end(struct core *c);

/* -- regions_find.c ---------------------------------------------------------------------------- */

/* Whether the kernel can be run like this: every warp is sure to come to the same barriers. NULL:
 * no. */
struct barrier_regions *core_regions_new(const struct core *c);
/* The block is one warp, whose barriers have nobody to wait for and nothing to give back. */
bool core_barriers_pass(const struct core *c);
void core_regions_free(struct barrier_regions *p);

/* -- speculate.c --------------------------------------------------------------------------------
 */

/* versions/speculate.c: the way from the end of block b on for warps that run together, where no
 * branch parts them; NULL: it saves too little. c->now.version.warps is their number, the registers
 * the first one's. */
struct speculation *speculation_new(const struct core *c, uint32_t b);
void speculation_free(struct speculation *s);
/* i1: they go that way. Emitted at the end of block b. NULL: failed, with the error. */
LLVMValueRef speculation_test(struct core *c, struct speculation *s);
/* For remarks: branches that the way leaves out; sums of products of which the test asks the
 * bounds. */
uint32_t speculation_branches(const struct speculation *s);
uint32_t speculation_products(const struct speculation *s);
/* Block k of the way, b is 0; UINT32_MAX: no more. The last one's end is as elsewhere. */
uint32_t speculation_block(const struct speculation *s, uint32_t k);

/* -- speculate_ask.c --------------------------------------------------------------------------- */

/* Adds the bounds under which the predicate of that number is `truth` in all lanes. False, of this
 * and the next: it cannot be said by bounds, and those that were added are to be dropped. */
bool speculation_ask(const struct core *c, struct speculation *s, int test, bool truth);
/* Adds those under which no lane of the sum wraps, so that all of them are what it is as a number.
 */
bool speculation_ask_exact(const struct core *c, struct speculation *s, const struct index *x,
                           bool is_unsigned);

/* -- steady.c ---------------------------------------------------------------------------------- */

/* Block b of a loop for warps that run together, without the tests that its accesses make at each
 * place; NULL: it has too few. The builder is where the block begins, in its version. */
struct steady *steady_new(const struct core *c, uint32_t b);
void steady_free(struct steady *s);
/* Sets of instructions of the block: what is to be emitted before the test, ... */
const uint64_t *steady_early(const struct steady *s);
/* ... i1: those tests hold; ... */
LLVMValueRef steady_test(struct core *c, const struct steady *s);
/* ... and accesses whose addresses then follow their patterns. */
const uint64_t *steady_sure(const struct steady *s);

/* -- if_convert.c ------------------------------------------------------------------------------ */

/* Which blocks begin a run. */
void core_if_convert_choose(struct core *c);
/* Plans the accesses of the run that begins at block b, if one does. */
void core_if_convert_plan(struct core *c, struct plan_scope *s, uint32_t b);
/* The builder is where all lanes come to the branch that ends block b; it is left where the run is
 * not executed in one piece. */
void core_if_convert(struct core *c, uint32_t b);

/* -- version.c --------------------------------------------------------------------------------- */

/* A version whose blocks are emitted one after the other: each instruction for all of its warps. */
struct version_code {
    struct version version;
    /* Where warps come in, before any block: NULL where guards stand in front of blocks. False:
     * failed. */
    bool (*enter)(struct core *c, struct version_code *v);
    void (*begin)(struct core *c, uint32_t b); /* block b begins; NULL: nothing to do */
    /* Other code for block b, where it begins; false: failed. NULL: none. */
    bool (*before)(struct core *c, const struct version_code *v, uint32_t b);
    bool (*end)(struct core *c, const struct version_code *v,
                uint32_t b);              /* and ends; false: failed */
    void (*free)(struct version_code *v); /* NULL: nothing */
    void *own;
};

/* The guard: the builder goes on in the version whose code begins at `in`, where what it assumes
 * holds (i1); other warps go to `out`. */
void version_guard(struct core *c, LLVMValueRef holds, LLVMBasicBlockRef in, LLVMBasicBlockRef out);
/* The branch that ends block b, of warps whose lanes are all there: where all of them go one way,
 * to[0] (taken) or to[1]. agreed: that is known. Else the builder is left on the bail edge, where
 * they part, and the result is the lanes that take it (i32), of all warps of the version; NULL:
 * they cannot part. */
LLVMValueRef version_branch(struct core *c, uint32_t b, bool agreed, LLVMBasicBlockRef to[2]);
/* Plans the accesses of all versions (plans/plans.h), before any of them is emitted. */
void core_plan_versions(struct core *c);
/* Instruction n, for all warps of the version that is being emitted. */
bool version_insn(struct core *c, uint32_t n);
/* The instructions of block b, in the version that is being emitted. */
bool version_insns(struct core *c, uint32_t b);
/* All versions of the function: the plain one, then those that assume more. */
bool core_versions(struct core *c, struct version_code plain);

/* -- full_mask.c
 * ----------------------------------------------------------------------------------- */

/* versions/full_mask.c: which blocks; the start of block b, where whole warps go their own way;
 * those ways. */
void core_full_mask_choose(struct core *c);
void core_full_mask_enter(struct core *c, uint32_t b);
/* The branch of a block in which all lanes are; false: another one, nothing was emitted. */
bool core_full_mask_branch(struct core *c, uint32_t b);
struct version_code core_full_mask_version(struct core *c);

#endif
