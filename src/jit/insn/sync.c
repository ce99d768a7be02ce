/* SPDX-License-Identifier: Apache-2.0
 *
 * sync.c: the operands of instructions that wait for lanes of their warp, where the lanes may have
 * come apart: the values that each brought lie in the frame (control/wait.c).
 */
#include "jit/insn/insn.h"

#include "jit/ops/sync.h"
#include "jit/tools/tools.h"

#include <string.h>

#define SITE(field) offsetof(struct sync_site, field)

void
core_sync_insn(struct core *c, const struct wir_insn *i)
{
    core_announce_sync(c, i, NULL);
    if (!c->now.synced) /* else they were when they came */
        core_sync_own(c, i);
}

/* -- the other kind: standing still ------------------------------------------------------------ */

LLVMValueRef
core_sync_site(struct core *c, uint32_t block, size_t field)
{
    uint64_t at =
        c->saved.sites_at + (uint64_t)c->saved.site[block] * sizeof(struct sync_site) + field;
    LLVMValueRef k = core_i64(c, at);
    return LLVMBuildInBoundsGEP2(c->e.b, core_scalar(c, 8), c->in.frame, &k, 1, "");
}

LLVMValueRef
core_sync_sites(struct core *c)
{
    LLVMValueRef k = core_i64(c, c->saved.sites_at);
    return LLVMBuildInBoundsGEP2(c->e.b, core_scalar(c, 8), c->in.frame, &k, 1, "");
}

LLVMValueRef
core_sync_active(struct core *c)
{
    return LLVMBuildLoad2(c->e.b, core_scalar(c, 32),
                          core_sync_site(c, c->now.current, SITE(active)), "");
}

/* Input n of the whole group; what is constant stays so: emitters look at it. */
LLVMValueRef
core_sync_input(struct core *c, unsigned n, LLVMValueRef own)
{
    if (LLVMIsConstant(own) || n >= SYNC_INPUTS)
        return own;
    size_t field = SITE(joined) + n * sizeof(uint64_t) * LANES;
    LLVMValueRef v =
        LLVMBuildLoad2(c->e.b, core_vector(c, 64), core_sync_site(c, c->now.current, field), "");
    LLVMSetAlignment(v, 16);
    return LLVMBuildTrunc(c->e.b, v, LLVMTypeOf(own), "");
}

/* -- lanes that their own mask leaves out ------------------------------------------------------ */

/* Active lanes that the mask they bring does not name, i32; NULL: there are none. */
static LLVMValueRef
strays(struct core *c, const struct wir_insn *i, const struct ptx_operand *o)
{
    LLVMBuilderRef b = c->e.b;
    struct fact f = facts_operand(c->facts, i, o);
    LLVMValueRef lane[LANES];
    if (fact_uniform(&f)) {
        LLVMValueRef mask = core_value(c, i, o, 32, true);
        bool all = LLVMIsAConstantInt(mask) && LLVMConstIntGetZExtValue(mask) == UINT32_MAX;
        return all ? NULL : LLVMBuildAnd(b, core_mask_bits(c), LLVMBuildNot(b, mask, ""), "");
    }
    for (unsigned l = 0; l < LANES; l++)
        lane[l] = core_i32(c, 1u << l);
    LLVMValueRef own =
        LLVMBuildAnd(b, core_value(c, i, o, 32, false), LLVMConstVector(lane, LANES), "");
    LLVMValueRef none = LLVMBuildICmp(b, LLVMIntEQ, own, LLVMConstNull(LLVMTypeOf(own)), "");
    return LLVMBuildAnd(b, core_mask_bits(c), emit_mask_to_bits(&c->e, none), "");
}

/* Whether a GPU looks at nobody's mask here: its compiler knows that the whole warp has come, and
 * the mask is one for all lanes, or nothing but waiting is asked for (an H200's answers:
 * tests/data/h200_masks.csv). */
static bool
is_converged(const struct core *c, const struct wir_insn *i)
{
    struct fact mask = facts_operand(c->facts, i, core_members(&i->i));
    return c->facts->complete[c->now.current] &&
           (i->i.op == PTX_OP_BAR_WARP || fact_uniform(&mask));
}

/* On GPUs whose lanes do not run abreast a lane that its own mask leaves out ends the kernel
 * ("illegal instruction"), unless the warp is known to be whole. Tools that watch masks tell of it
 * themselves, and the kernel goes on; of lanes that are to stand still they are told here, before
 * they wait for those that are named. */
void
core_sync_own(struct core *c, const struct wir_insn *i)
{
    LLVMBuilderRef b = c->e.b;
    bool watched = i->tells & TELL_SYNC;
    if (!wir_syncs(&i->i) ||
        (watched ? !c->now.synced : c->facts->shape.abreast || is_converged(c, i)))
        return;
    LLVMValueRef out = strays(c, i, core_members(&i->i));
    if (!out)
        return;
    LLVMBasicBlockRef stray = core_new_block(c, "stray"), here = core_new_block(c, "named");
    core_mark_rare(
        c, LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, out, core_i32(c, 0), ""), stray, here));
    LLVMPositionBuilderAtEnd(b, stray);
    if (watched) {
        core_announce_sync(c, i, out);
        LLVMBuildBr(b, here);
    } else {
        core_trap(c, out, JIT_TRAP_MASK, i->place);
    }
    LLVMPositionBuilderAtEnd(b, here);
}
