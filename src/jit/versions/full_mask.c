/* SPDX-License-Identifier: Apache-2.0
 *
 * versions/full_mask.c: warps of which all lanes are there.
 *
 *     if (at >= 0 && at < n)   a branch that may part lanes, and mostly does not: only the warps at
 *         sum += ...           the borders of an array run part of it
 *
 * Where lanes may have parted, everything is done under a mask, and nothing can be said of it. In
 * functions of whole blocks (versions/regions.c) such blocks are emitted twice: once more for warps
 * with all 32 lanes, as if no branch parted them. There a branch on which they agree is a jump; one
 * that parts them goes on in the usual blocks, and where those find all lanes together again, they
 * come back.
 */
#include "jit/versions/versions.h"

#include "jit/control/control.h"
#include "jit/insn/insn.h"

enum { MOST_INSNS = 300 }; /* emitted twice */

static bool
may_be_full(const struct core *c, uint32_t b)
{
    enum wir_end end = (enum wir_end)c->wir->blocks[b].end;
    uint32_t group = c->regions->group_of[b];
    /* Warps that run together (versions/interleave.c) are whole. */
    return !c->facts->complete[b] && group != UINT32_MAX &&
           c->regions->group[group].interleaved == 1 &&
           (end == WIR_JUMP || end == WIR_BRANCH || end == WIR_EXIT);
}

void
core_full_mask_choose(struct core *c)
{
    uint32_t insns = 0;
    c->full_mask = ls_alloc(sizeof *c->full_mask * (c->wir->block_count + 1));
    if (!c->regions || !emit_on(&c->e, PASS_FULL_MASK))
        return;
    uint32_t blocks = 0;
    for (uint32_t b = 0; b < c->wir->block_count; b++) {
        insns += may_be_full(c, b) ? c->wir->blocks[b].count : 0;
        blocks += may_be_full(c, b);
    }
    for (uint32_t b = 0; b < c->wir->block_count && insns <= MOST_INSNS; b++)
        if (may_be_full(c, b))
            c->full_mask[b] = core_new_block(c, "whole");
    if (!blocks)
        jit_remark_kernel(c->e.remarks, PASS_FULL_MASK, false,
                          "no block under a mask outside interleaved regions");
    else
        jit_remark_kernel(c->e.remarks, PASS_FULL_MASK, insns <= MOST_INSNS,
                          "%u blocks, %u instructions", blocks, insns);
    core_if_convert_choose(c);
}

void
core_full_mask_enter(struct core *c, uint32_t b)
{
    LLVMBuilderRef bld = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    if (!c->full_mask[b])
        return;
    LLVMBasicBlockRef all = core_new_block(c, "all"), some = core_new_block(c, "some");
    LLVMValueRef mask = LLVMBuildLoad2(bld, i32, c->lanes.mask, "");
    version_guard(c, LLVMBuildICmp(bld, LLVMIntEQ, mask, core_i32(c, ~0u), ""), all, some);
    for (uint32_t k = 0; k < c->wir->block_count; k++) /* as it is: LLVM cannot know */
        if (!c->regions->many || c->regions->group_of[k] == c->regions->group_of[b])
            LLVMBuildStore(bld, core_i32(c, 0), c->lanes.pending[k]);
    LLVMBuildStore(bld, core_i32(c, ~0u), c->lanes.mask);
    LLVMBuildStore(bld, core_i32(c, ~0u), c->lanes.alive);
    LLVMBuildBr(bld, c->full_mask[b]);
    LLVMPositionBuilderAtEnd(bld, some);
}

static void
end_branch(struct core *c, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    LLVMBuilderRef bld = c->e.b;
    LLVMBasicBlockRef to[2] = {core_new_block(c, "taken"), core_new_block(c, "fallen")};
    core_if_convert(c, b);
    LLVMValueRef taken = version_branch(c, b, !c->facts->divergent[b], to);
    if (taken) {
        const struct version own = c->now.version;
        c->now.version.assume &= ~(unsigned)ASSUME_FULL;
        core_part(c, b, taken, LLVMBuildNot(bld, taken, ""));
        c->now.version = own;
    }
    for (unsigned s = 0; s < 2; s++) {
        LLVMPositionBuilderAtEnd(bld, to[s]);
        core_full_mask_go(c, blk->succ[s]);
    }
}

bool
core_full_mask_branch(struct core *c, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    if (!c->regions || !c->facts->complete[b] ||
        !(c->full_mask[blk->succ[0]] || c->full_mask[blk->succ[1]]))
        return false;
    end_branch(c, b);
    return true;
}

static bool
end_block(struct core *c, const struct version_code *v, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    (void)v;
    if (blk->end_insn != UINT32_MAX) {
        c->e.insn = &c->wir->insns[blk->end_insn].i;
        c->e.func = c->wir->insns[blk->end_insn].func;
        lines_at(&c->e, c->wir->insns[blk->end_insn].place);
    }
    if (blk->end == WIR_BRANCH) {
        end_branch(c, b);
    } else if (blk->end == WIR_JUMP) {
        core_full_mask_go(c, blk->succ[0]);
    } else {
        LLVMBuildStore(c->e.b, core_i32(c, 0), c->lanes.alive);
        LLVMBuildBr(c->e.b, c->end);
    }
    return true;
}

struct version_code
core_full_mask_version(struct core *c)
{
    struct version v = {
        .block = c->full_mask, .warps = 1, .assume = ASSUME_FULL, .plans = &c->plans.full};
    return (struct version_code){.version = v, .begin = core_regions_at, .end = end_block};
}
