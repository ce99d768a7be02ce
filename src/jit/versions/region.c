/* SPDX-License-Identifier: Apache-2.0
 *
 * region.c: what regions.c and interleave.c share: registers kept once or in the frame, the context
 * of the warp that is being emitted, the end of a region.
 */
#include "jit/versions/versions.h"

#include "jit/control/control.h"
#include "jit/insn/insn.h"
#include "jit/ops/ops.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* -- a warp's registers ------------------------------------------------------------------------ */

/* Of live registers those that are kept once for all warps, which agree on them, or else those in
 * each warp's frame. ls_release. */
static uint64_t *
kept(const struct core *c, const uint64_t *live, bool once)
{
    const struct warps *known = c->regions->known;
    uint64_t *set = ls_alloc(sizeof *set * (c->wir->reg_words + 1));
    for (uint32_t r = 0; r < c->wir->reg_count; r++)
        if (set_has(live, r) && c->regs.reg[r] && !known->again[r] && known->same[r] == once &&
            !(once && known->fixed[r]))
            set_add(set, r);
    return set;
}

/* Whether instruction k computes a register of the set anew. */
static bool
makes_again(const struct core *c, uint32_t k, const uint64_t *set)
{
    const struct wir_insn *i = &c->wir->insns[k];
    const struct ptx_operand *to = i->i.operand_count ? &i->i.operand[0] : NULL;
    return to && to->kind == PTX_O_REG && set_has(set, to->reg) &&
           c->regions->known->again[to->reg] && wir_only_writer(c->wir, to->reg) == i;
}

/* Live registers that the group needs and that are computed from the thread's number once more. */
static bool
compute_again(struct core *c, const struct region_group *g, const uint64_t *live)
{
    const struct wir *f = c->wir;
    uint64_t *set = ls_alloc(sizeof *set * (f->reg_words + 1));
    bool ok = true;
    for (uint32_t w = 0; w < f->reg_words; w++)
        set[w] = live[w] & g->needed[w];
    for (uint32_t k = f->insn_count; k-- > 0;) {
        struct span uses = makes_again(c, k, set) ? wir_values(f, k) : (struct span){0};
        for (uint32_t n = 0; n < uses.count; n++)
            if (c->regions->known->again[uses.at[n]])
                set_add(set, uses.at[n]);
    }
    for (uint32_t k = 0; k < f->insn_count && ok; k++)
        if (makes_again(c, k, set))
            ok = core_insn(c, &f->insns[k]);
    ls_release(set);
    return ok;
}

void
regions_warp(struct core *c, struct warp_context *t, LLVMValueRef warp_index)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i8 = core_scalar(c, 8), ptr = LLVMPointerTypeInContext(c->e.context, 0);
    t->warp_index = warp_index;
    LLVMValueRef at = LLVMBuildMul(b, LLVMBuildZExt(b, warp_index, core_scalar(c, 64), ""),
                                   core_i64(c, sizeof(struct jit_warp)), "");
    t->warp = LLVMBuildInBoundsGEP2(b, i8, c->regions->first, &at, 1, "");
    t->frame = core_load_field(c, t->warp, FIELD(jit_warp, frame), ptr);
    core_tid(c, warp_index, t->tid);
}

static void
begin_start(struct core *c)
{
    for (uint32_t r = 0; r < c->wir->reg_count; r++)
        if (c->regs.reg[r] && set_has(c->wir->blocks[0].live_in, r)) /* read before it is written */
            LLVMBuildStore(c->e.b, LLVMConstNull(core_reg_type(c, r)), c->regs.reg[r]);
}

static void
take_result(struct core *c, const struct wir_insn *i)
{
    if (!wir_votes(&i->i))
        return;
    LLVMValueRef v = core_load_i32(c, c->regions->result);
    if (!ptx_has(&i->i, PTX_M_POPC))
        v = LLVMBuildICmp(c->e.b, LLVMIntNE, v, core_i32(c, 0), "");
    core_write(c, i, &i->i.operand[0], v, false);
}

/* What the last warp left in registers is nothing to this one: without saying so they would stay
 * alive in the function. */
void
regions_forget(struct core *c, const struct region_group *g)
{
    for (uint32_t r = 0; r < c->wir->reg_count; r++) {
        if (!set_has(g->used, r) || !set_has(g->needed, r))
            continue;
        if (c->regs.reg[r] && !(c->regions->known->same[r] && c->regions->known->fixed[r]))
            LLVMBuildStore(c->e.b, LLVMGetUndef(core_reg_type(c, r)), c->regs.reg[r]);
        core_guess_forget(c, r);
    }
    LLVMBuildStore(c->e.b, LLVMGetUndef(core_vector(c, 1)), c->regs.carry);
}

/* Registers that are kept once: to copies or from them. */
static void
copy_once(struct core *c, const uint64_t *live, LLVMValueRef *copies, bool save)
{
    LLVMBuilderRef b = c->e.b;
    uint64_t *set = kept(c, live, true);
    for (uint32_t r = 0; r < c->wir->reg_count; r++) {
        if (!set_has(set, r))
            continue;
        LLVMTypeRef type = core_reg_type(c, r);
        if (!copies[r])
            copies[r] = core_alloca(c, type);
        LLVMValueRef from = save ? c->regs.reg[r] : copies[r],
                     to = save ? copies[r] : c->regs.reg[r];
        LLVMBuildStore(b, LLVMBuildLoad2(b, type, from, ""), to);
    }
    ls_release(set);
}

void
regions_keep(struct core *c, const uint64_t *live, LLVMValueRef *copies)
{
    copy_once(c, live, copies, true);
}

void
regions_save(struct core *c, const uint64_t *live, uint32_t block)
{
    uint64_t *framed = kept(c, live, false);
    frame_save(c, framed, c->saved.kept[block]);
    ls_release(framed);
}

void
regions_enter(struct core *c, uint32_t b)
{
    if (!frame_saves_at(c, b))
        return;
    regions_save(c, c->wir->blocks[c->wir->blocks[b].succ[0]].live_in, b);
    emit_fired(&c->e, PASS_EARLY_SAVES, "a loop with barriers begins");
}

bool
regions_restore(struct core *c, const struct region_group *g, const uint64_t *live,
                LLVMValueRef *copies)
{
    uint64_t *framed = kept(c, live, false);
    for (uint32_t w = 0; w < c->wir->reg_words; w++)
        framed[w] &= g->needed[w];
    frame_restore(c, framed);
    ls_release(framed);
    copy_once(c, live, copies, false);
    return compute_again(c, g, live);
}

/* -- a region begins ----------------------------------------------------------------------------
 */

void
regions_start(struct core *c, const struct barrier_region *x)
{
    if (x->barrier == UINT32_MAX)
        begin_start(c);
    else
        take_result(c, &c->wir->insns[c->wir->blocks[x->barrier].end_insn]);
}

/* How LLVM is to treat the loop over the warps. Nothing leaves it: what is the same for all warps,
 * as constants in all lanes, would be kept in registers that the warp needs (the product of 4 x 4
 * sums a thread: 67 ms like this, 101 ms with it). */
LLVMValueRef
regions_mark(struct core *c, bool unrolled)
{
    LLVMContextRef x = c->e.context;
    const char *what[] = {"llvm.licm.disable",
                          unrolled ? "llvm.loop.unroll.full" : "llvm.loop.unroll.disable"};
    LLVMMetadataRef self = LLVMTemporaryMDNode(x, NULL, 0), node[3] = {self};
    for (unsigned k = 0; k < 2; k++) {
        LLVMMetadataRef name = LLVMMDStringInContext2(x, what[k], strlen(what[k]));
        node[k + 1] = LLVMMDNodeInContext2(x, &name, 1);
    }
    LLVMMetadataRef loop = LLVMMDNodeInContext2(x, node, 3);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    return LLVMMetadataAsValue(x, loop);
}

void
regions_dispatch(struct core *c, uint32_t group, bool interleaved)
{
    const struct barrier_regions *p = c->regions;
    LLVMBasicBlockRef first = NULL;
    LLVMValueRef which = NULL;
    for (uint32_t k = 0; k < p->count; k++) {
        if (p->region[k].group != group)
            continue;
        LLVMBasicBlockRef to = interleaved ? p->region[k].interleaved : p->region[k].resume;
        if (first && !which)
            which = LLVMBuildSwitch(c->e.b, core_load_i32(c, p->number), first,
                                    p->group[group].regions);
        if (first)
            LLVMAddCase(which, core_i32(c, k), to);
        else
            first = to;
    }
    if (!which)
        LLVMBuildBr(c->e.b, first);
}

void
regions_repeat(struct core *c, LLVMValueRef more, LLVMBasicBlockRef head, LLVMBasicBlockRef out,
               LLVMValueRef mark)
{
    LLVMSetMetadata(LLVMBuildCondBr(c->e.b, more, head, out),
                    LLVMGetMDKindIDInContext(c->e.context, "llvm.loop", 9), mark);
    LLVMPositionBuilderAtEnd(c->e.b, out);
}

LLVMBasicBlockRef
regions_head(const struct barrier_regions *p, uint32_t group)
{
    const struct region_group *g = &p->group[group];
    return g->interleaved > 1 ? g->interleaved_head : g->head;
}

/* -- a region ends ------------------------------------------------------------------------------
 */

const struct barrier_region *
regions_after(const struct barrier_regions *p, uint32_t barrier)
{
    uint32_t next = 0;
    while (p->region[next].barrier != barrier)
        next++;
    return &p->region[next];
}

void
regions_leave(struct core *c, const struct barrier_region *next)
{
    struct barrier_regions *p = c->regions;
    LLVMBuilderRef b = c->e.b;
    regions_keep(c, c->wir->blocks[next->entry].live_in, p->before);
    /* What others wrote meanwhile is to be seen: nothing that was loaded before counts any more. */
    LLVMBuildFence(b, LLVMAtomicOrderingSequentiallyConsistent, true, "");
    LLVMBuildStore(b, core_i32(c, 0), p->warp);
    LLVMBuildStore(b, core_i32(c, (uint32_t)(next - p->region)), p->number);
    LLVMBuildBr(b, regions_head(p, next->group));
}
