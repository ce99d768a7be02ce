/* SPDX-License-Identifier: Apache-2.0
 *
 * versions/version.c: the versions of a function's blocks, emitted one after the other.
 *
 *     plain        whichever lanes come, one warp; what all others fall back to
 *     full mask    all 32 lanes of a warp (full_mask.c). Guard: in front of each block;
 *                  out: a branch that parts lanes
 *     interleaved  2, 4 or 8 warps of a barrier region, all lanes of each (interleave.c).
 *                  Guard: none, the region begins with it; out: a branch that parts these
 *                  warps (a site)
 *
 * Inside one of them a run of blocks may have further ones, behind a guard of their own: conditions
 * that all hold (if_convert.c), indices within bounds (speculate.c).
 */
#include "jit/versions/versions.h"

#include "jit/insn/insn.h"

void
version_guard(struct core *c, LLVMValueRef holds, LLVMBasicBlockRef in, LLVMBasicBlockRef out)
{
    LLVMBuildCondBr(c->e.b, holds, in, out);
    LLVMPositionBuilderAtEnd(c->e.b, in);
}

/* The registers of warp k of those that run together. */
static void
use_warp(struct core *c, uint32_t k)
{
    if (c->now.version.warps > 1)
        regions_use(c, &c->regions->interleaved_warp[k]);
}

/* The builder goes on where the condition does not hold. */
static void
leave_if(struct core *c, LLVMValueRef condition, LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef other = core_new_block(c, "other");
    LLVMBuildCondBr(c->e.b, condition, to, other);
    LLVMPositionBuilderAtEnd(c->e.b, other);
}

LLVMValueRef
version_branch(struct core *c, uint32_t b, bool agreed, LLVMBasicBlockRef to[2])
{
    const struct wir_block *blk = &c->wir->blocks[b];
    LLVMBuilderRef bld = c->e.b;
    LLVMValueRef all, none;
    use_warp(c, 0);
    if (agreed) {
        LLVMBuildCondBr(bld, core_branch_value(c, b, true), to[0], to[1]);
        return NULL;
    }
    if (core_agree(c, blk->guard, &all, &none)) {
        leave_if(c, all, to[blk->guard_negated]);
        leave_if(c, none, to[!blk->guard_negated]);
    }
    LLVMValueRef any = all = core_branch_value(c, b, false);
    for (uint32_t k = 1; k < c->now.version.warps; k++) {
        use_warp(c, k);
        LLVMValueRef v = core_branch_value(c, b, false);
        all = LLVMBuildAnd(bld, all, v, "");
        any = LLVMBuildOr(bld, any, v, "");
    }
    all = emit_mask_to_bits(&c->e, all);
    any = c->now.version.warps > 1 ? emit_mask_to_bits(&c->e, any) : all;
    leave_if(c, LLVMBuildICmp(bld, LLVMIntEQ, all, core_i32(c, ~0u), ""), to[0]);
    leave_if(c, LLVMBuildIsNull(bld, any, ""), to[1]);
    return all;
}

/* Whether instruction n makes the same vectors for each of the warps: the first one's are all of
 * theirs. A load that leaves values for later ones leaves them for each warp. */
static bool
makes_equal(const struct core *c, uint32_t n)
{
    const struct plan *load = c->now.version.warps > 1 ? c->now.version.plans->next[n] : NULL;
    if (c->now.version.warps == 1 || !warps_alike(c->regions->known, n))
        return false;
    bool loads = c->wir->insns[n].i.op == PTX_OP_LD || c->wir->insns[n].i.op == PTX_OP_LDU;
    return !loads || (load && load->way[0].form != PLAN_GROUPED);
}

/* The results of instruction n, from the first warp to the others. */
static void
copy_results(struct core *c, uint32_t n)
{
    struct span defs = wir_defs(c->wir, n);
    const struct warp_context *first = &c->regions->interleaved_warp[0];
    for (uint32_t k = 1; k < c->now.version.warps; k++) {
        use_warp(c, k);
        for (uint32_t d = 0; d < defs.count; d++)
            regions_copy(c, first, defs.at[d]);
    }
    emit_fired(&c->e, PASS_EQUAL_VALUES, "once for all warps that run together");
}

bool
version_insn(struct core *c, uint32_t n)
{
    uint32_t warps = c->now.version.warps;
    bool once = warps > 1 && warps_once(c->regions->known, n), equal = makes_equal(c, n);
    uint32_t times = once || equal ? 1 : warps;
    for (uint32_t k = 0; k < times; k++) {
        use_warp(c, k);
        if (!core_insn(c, &c->wir->insns[n]))
            return false;
        c->now.synced = false;
    }
    if (equal && !once)
        copy_results(c, n);
    return true;
}

bool
version_insns(struct core *c, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    bool ok = true;
    c->now.current = b;
    for (uint32_t n = blk->first; ok && n < blk->first + blk->count; n++)
        ok = version_insn(c, n);
    return ok;
}

void
core_plan_versions(struct core *c)
{
    struct plan_scope s = core_scope(c);
    struct plans *p = &c->plans;
    const uint32_t blocks = c->wir->block_count;
    p->sum = ARENA_ARRAY(&p->arena, const struct plan_sum *, c->wir->insn_count + 1);
    s.kept = c->regions ? c->regions->columns : NULL;
    for (struct plan_set *set = &p->plain; set <= &p->interleaved; set++)
        plans_set(p, c->wir, set, set == &p->interleaved);
    for (s.block = 0; s.block < blocks; s.block++) {
        s.full = c->facts->complete[s.block];
        plans_block(p, &s, &p->plain);
        if (c->facts->complete[s.block])
            core_if_convert_plan(c, &s, s.block);
    }
    s.full = true;
    for (s.block = 0; s.block < blocks; s.block++)
        if (c->full_mask[s.block]) {
            plans_block(p, &s, &p->full);
            core_if_convert_plan(c, &s, s.block);
        }
    s.kept = c->regions ? c->regions->columns : NULL;
    for (s.block = 0; c->regions && s.block < blocks; s.block++) {
        uint32_t g = c->regions->group_of[s.block];
        s.interleaved = g == UINT32_MAX ? 1 : c->regions->group[g].interleaved;
        if (s.interleaved > 1)
            plans_block(p, &s, &p->interleaved);
    }
}

static bool
emit_version(struct core *c, struct version_code *v)
{
    const struct version before = c->now.version;
    const struct core_regs regs = c->regs;
    c->now.version = v->version;
    bool ok = !v->enter || v->enter(c, v);
    for (uint32_t b = 0; b < c->wir->block_count && ok; b++) {
        if (!v->version.block[b])
            continue;
        LLVMPositionBuilderAtEnd(c->e.b, v->version.block[b]);
        c->now.current = b;
        if (v->begin)
            v->begin(c, b);
        ok = (!v->before || v->before(c, v, b)) && version_insns(c, b) && v->end(c, v, b);
    }
    if (v->free)
        v->free(v);
    c->now.version = before;
    c->regs = regs;
    return ok;
}

bool
core_versions(struct core *c, struct version_code plain)
{
    if (!emit_version(c, &plain))
        return false;
    if (!c->regions)
        return true;
    struct version_code whole = core_full_mask_version(c);
    bool ok = emit_version(c, &whole);
    for (uint32_t g = 0; g < c->regions->group_count && ok; g++)
        if (c->regions->group[g].head && c->regions->group[g].interleaved > 1) {
            struct version_code interleaved = interleave_version(c, g);
            ok = emit_version(c, &interleaved);
        }
    return ok;
}
