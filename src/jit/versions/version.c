/* SPDX-License-Identifier: Apache-2.0
 *
 * versions/version.c: the versions of a function's blocks, emitted one after the other.
 *
 *     plain        whichever lanes come, one warp; what all others fall back to
 *     full mask    all 32 lanes of a warp (whole.c). Guard: in front of each block; out: a branch
 *                  that parts lanes
 *     interleaved  2, 4 or 8 warps of a barrier region, all lanes of each (interleave.c). Guard:
 *                  none, the region begins with it; out: a branch that parts these warps (a site)
 *
 * Inside one of them a run of blocks may have further ones, behind a guard of their own: conditions
 * that all hold (taps.c), indices within bounds (straight.c).
 */
#include "jit/versions/versions.h"

#include "jit/insn/insn.h"

void
version_guard(struct core *c, LLVMValueRef holds, LLVMBasicBlockRef in, LLVMBasicBlockRef out)
{
    LLVMBuildCondBr(c->e.b, holds, in, out);
    LLVMPositionBuilderAtEnd(c->e.b, in);
}

/* Nothing but values that the whole block agrees on. */
static bool
is_once(const struct core *c, uint32_t n)
{
    struct span defs = wir_defs(c->wir, n);
    bool same = defs.count > 0;
    for (uint32_t k = 0; k < defs.count; k++)
        same &= c->phases->known->same[defs.at[k]];
    return same;
}

bool
version_insns(struct core *c, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    uint32_t warps = c->now.version.warps;
    c->now.current = b;
    for (uint32_t n = blk->first; n < blk->first + blk->count; n++) {
        uint32_t times = warps > 1 && is_once(c, n) ? 1 : warps;
        for (uint32_t k = 0; k < times; k++) {
            if (warps > 1)
                phases_use(c, &c->phases->interleaved_turn[k]);
            if (!core_insn(c, &c->wir->insns[n]))
                return false;
            c->now.synced = false;
        }
    }
    return true;
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
        ok = version_insns(c, b) && v->end(c, v, b);
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
    if (!c->phases)
        return true;
    struct version_code whole = core_whole_version(c);
    bool ok = emit_version(c, &whole);
    for (uint32_t g = 0; g < c->phases->group_count && ok; g++)
        if (c->phases->group[g].head && c->phases->group[g].interleaved > 1) {
            struct version_code interleaved = interleave_version(c, g);
            ok = emit_version(c, &interleaved);
        }
    return ok;
}
