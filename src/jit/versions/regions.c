/* SPDX-License-Identifier: Apache-2.0
 *
 * versions/regions.c: one function for a whole block.
 *
 * At a barrier a warp function saves registers, returns to exec and is called again: about 6 ns, of
 * which a tree reduction needs 72 for 256 numbers. Where it is certain that all warps of a block
 * come to the same barriers, nobody has to keep account of who stands where: the function runs each
 * region for one warp after the other and then goes on with the next region. A kernel without
 * barriers is one region: what is left is a call a block instead of one a warp (sums of three
 * neighbours: 37 ms instead of 44).
 *
 *     barrier certain  no branch that threads of the block may take differently decides whether it
 *                      is reached; no thread exits before it, no warp waits for another one
 *     same             registers on which all threads of the block agree are kept once: a region
 *                      begins with what they were when the last one ended
 *     fixed            registers that are written once, from the number of the thread, of the block
 *                      and parameters: computed anew instead of being saved
 *     others           in the frame of their warp
 *
 * Regions of few instructions are unrolled over the warps: of `if (tid < 32)` what remains is a
 * warp.
 */
#include "jit/versions/versions.h"

#include "jit/control/control.h"
#include "jit/memory/memory.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* -- emitting: a region begins ----------------------------------------------------------------- */

static void
use_warp(struct core *c, const struct region_group *g)
{
    regions_use(c, &g->context);
    c->end = g->end;
}

static bool
begin_region(struct core *c, struct barrier_region *x)
{
    struct barrier_regions *p = c->regions;
    LLVMBuilderRef b = c->e.b;
    const uint64_t *live = c->wir->blocks[x->entry].live_in;
    const struct region_group *g = &p->group[x->group];
    use_warp(c, g);
    LLVMPositionBuilderAtEnd(b, x->resume);
    c->now.current = x->entry;
    regions_forget(c, g);
    bool ok = x->barrier == UINT32_MAX || regions_restore(c, g, live, p->before);
    regions_start(c, x);
    LLVMBuildBr(b, c->block[x->entry]);
    return ok;
}

static void
note_needs(const struct wir *f, uint32_t n, uint64_t *set)
{
    set_add_all(set, wir_defs(f, n));
    set_add_all(set, wir_uses(f, n));
}

/* Registers that a group's blocks name, what these are made of, and those that are not in the frame
 * when one of the blocks ends. Of a live register at each of many barriers nothing is emitted where
 * nobody looks at it. */
static void
find_needed(struct core *c, uint32_t number)
{
    struct barrier_regions *p = c->regions;
    const struct wir *f = c->wir;
    uint64_t *set = p->group[number].needed = ARENA_ARRAY(&p->arena, uint64_t, f->reg_words + 1);
    if (!p->many) {
        memset(set, 0xff, sizeof *set * f->reg_words);
        return;
    }
    for (uint32_t k = 0; k < p->count; k++)
        if (p->region[k].group == number && p->region[k].barrier != UINT32_MAX)
            note_needs(f, f->blocks[p->region[k].barrier].end_insn, set);
    for (uint32_t k = 0; k < p->group[number].block_count; k++) {
        uint32_t b = p->group[number].blocks[k];
        const struct wir_block *blk = &f->blocks[b];
        for (uint32_t n = blk->first; n < wir_block_end(f, b); n++)
            note_needs(f, n, set);
        if (blk->end == WIR_BRANCH)
            set_add(set, blk->guard);
        for (uint32_t w = 0; w < f->reg_words; w++)
            set[w] |= ~c->saved.kept[b][w];
    }
    for (uint32_t n = f->insn_count; n-- > 0;) {
        const struct ptx_insn *i = &f->insns[n].i;
        if (i->operand_count && i->operand[0].kind == PTX_O_REG &&
            set_has(set, i->operand[0].reg) &&
            wir_only_writer(f, i->operand[0].reg) == &f->insns[n])
            note_needs(f, n, set);
    }
}

/* The head of a loop over the warps: the warp whose turn it is, and the region. */
static void
begin_group(struct core *c, uint32_t number)
{
    struct barrier_regions *p = c->regions;
    struct region_group *g = &p->group[number];
    LLVMBuilderRef b = c->e.b;
    LLVMPositionBuilderAtEnd(b, g->head);
    g->context =
        (struct warp_context){.reg = c->regs.reg, .guess = c->regs.guess, .carry = c->regs.carry};
    regions_warp(c, &g->context, core_load_i32(c, p->warp));
    for (uint32_t k = 0; k < g->block_count; k++)
        LLVMBuildStore(b, core_i32(c, 0), c->lanes.pending[g->blocks[k]]);
    LLVMBuildStore(b, core_i32(c, ~0u), c->lanes.alive);
    LLVMBuildStore(b, core_i32(c, ~0u), c->lanes.mask);
    g->mark = regions_mark(c, g->unrolled);
    if (g->interleaved == 1)
        regions_dispatch(c, number, false);
}

bool
core_regions_begin(struct core *c)
{
    struct barrier_regions *p = c->regions;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    p->first = c->e.warp;
    p->warp = core_alloca(c, i32);
    p->number = core_alloca(c, i32);
    p->votes = core_alloca(c, i32);
    p->result = core_alloca(c, i32);
    LLVMBuildStore(b, core_i32(c, 0), p->warp);
    LLVMBuildStore(b, core_i32(c, 0), p->number);
    for (uint32_t k = 0; k < p->count; k++) {
        struct region_group *g = &p->group[p->region[k].group];
        if (g->interleaved == 1)
            p->region[k].resume = core_new_block(c, "phase");
        if (!g->head) {
            g->head = core_new_block(c, "warps");
            g->end = core_new_block(c, "exited");
        }
    }
    for (uint32_t k = 0; k < p->group_count; k++)
        if (p->group[k].head)
            find_needed(c, k);
    interleave_begin(c);
    LLVMBuildBr(b, regions_head(p, p->region[0].group));
    for (uint32_t k = 0; k < p->group_count; k++)
        if (p->group[k].head)
            begin_group(c, k);
    bool ok = true;
    for (uint32_t k = 0; k < p->count && ok; k++)
        if (p->group[p->region[k].group].interleaved == 1)
            ok = begin_region(c, &p->region[k]);
    for (uint32_t k = 0; k < p->group_count && ok; k++)
        if (p->group[k].head && p->group[k].interleaved > 1)
            ok = interleave_resume(c, k);
    return ok;
}

void
core_regions_at(struct core *c, uint32_t b)
{
    struct barrier_regions *p = c->regions;
    /* Blocks that nobody comes to are emitted all the same, and dropped by LLVM. */
    use_warp(c, &p->group[p->group_of[b] == UINT32_MAX ? p->region[0].group : p->group_of[b]]);
}

/* -- emitting: a region ends ------------------------------------------------------------------- */

/* The next warp's turn; the builder is left where there is none. */
static void
next_warp(struct core *c, const struct region_group *g)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef next = LLVMBuildAdd(b, g->context.warp_index, core_i32(c, 1), "");
    LLVMBuildStore(b, next, c->regions->warp);
    if (g->interleaved > 1) {
        interleave_next(c, g, next);
        return;
    }
    LLVMBasicBlockRef all = core_new_block(c, "all_warps");
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntNE, next, core_i32(c, c->regions->warps), "");
    regions_repeat(c, more, g->head, all, g->mark);
}

/* Counts the warp's votes; the block's when it is the last. */
static void
count_votes(struct core *c, LLVMValueRef votes)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef own = emit_intrinsic(&c->e, "llvm.ctpop", &i32, 1, &votes, 1);
    LLVMValueRef first = LLVMBuildICmp(b, LLVMIntEQ, c->in.warp_index, core_i32(c, 0), "");
    LLVMValueRef sum =
        LLVMBuildSelect(b, first, core_i32(c, 0), core_load_i32(c, c->regions->votes), "");
    LLVMBuildStore(b, LLVMBuildAdd(b, sum, own, ""), c->regions->votes);
}

static void
set_result(struct core *c, enum jit_barrier_kind kind)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef v = core_load_i32(c, c->regions->votes);
    if (kind == JIT_BAR_RED_AND)
        v = LLVMBuildZExt(
            b, LLVMBuildICmp(b, LLVMIntEQ, v, core_i32(c, c->regions->warps * LANES), ""),
            core_scalar(c, 32), "");
    LLVMBuildStore(b, v, c->regions->result);
}

void
core_regions_barrier(struct core *c, uint32_t block, enum jit_barrier_kind kind, LLVMValueRef votes)
{
    struct barrier_regions *p = c->regions;
    const struct barrier_region *next = regions_after(p, block);
    regions_save(c, c->wir->blocks[next->entry].live_in, block);
    if (kind != JIT_BAR_SYNC)
        count_votes(c, votes);
    next_warp(c, &p->group[p->group_of[block]]);
    if (kind != JIT_BAR_SYNC)
        set_result(c, kind);
    regions_leave(c, next);
}

void
core_regions_end(struct core *c)
{
    struct barrier_regions *p = c->regions;
    for (uint32_t k = 0; k < p->group_count; k++) {
        struct region_group *g = &p->group[k];
        if (!g->head)
            continue;
        use_warp(c, g);
        LLVMPositionBuilderAtEnd(c->e.b, g->end);
        next_warp(c, g);
        core_columns_end(c);
        LLVMBuildRet(c->e.b, core_i32(c, JIT_DONE));
    }
}
