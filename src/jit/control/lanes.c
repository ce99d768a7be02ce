/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.c: lanes on their way between blocks. Each block has a set of pending lanes; a block ends
 * by adding its lanes to its successors' sets, and the first non-empty one in the order of
 * facts_next runs next (analysis.h). Suspension: live registers go to the warp's frame, the
 * function returns and can be entered again.
 */
#include "jit/control/control.h"

#include "jit/tools/tools.h"

#include <llvm-c/Analysis.h>
#include <string.h>

/* -- moving lanes ------------------------------------------------------------------------------ */

void
lanes_add(struct core *c, LLVMValueRef at, LLVMValueRef lanes)
{
    LLVMBuildStore(c->e.b, LLVMBuildOr(c->e.b, core_load_i32(c, at), lanes, ""), at);
}

/* Block t is the kernel's end, or a `ret` by itself. */
static bool
is_end(const struct core *c, uint32_t t)
{
    const struct wir_block *to = &c->wir->blocks[t];
    if (to->end == WIR_JUMP && !to->count)
        to = &c->wir->blocks[to->succ[0]];
    return to->end == WIR_EXIT && !to->count && to->end_insn == UINT32_MAX && !c->form.called;
}

static void
leave(struct core *c, LLVMValueRef lanes)
{
    LLVMValueRef rest =
        LLVMBuildAnd(c->e.b, core_load_i32(c, c->lanes.alive), LLVMBuildNot(c->e.b, lanes, ""), "");
    LLVMBuildStore(c->e.b, rest, c->lanes.alive);
}

/* The same where a debugger sees them come to the `ret`. */
static void
leave_stepped(struct core *c, const struct wir_insn *ret, LLVMValueRef lanes)
{
    LLVMBasicBlockRef some = core_new_block(c, "leave"), none = core_new_block(c, "left");
    LLVMBuildCondBr(c->e.b, core_is_nonzero(c, lanes), some, none);
    LLVMPositionBuilderAtEnd(c->e.b, some);
    LLVMBuildStore(c->e.b, lanes, c->lanes.mask);
    core_step(c, ret, NULL);
    leave(c, lanes);
    LLVMBuildBr(c->e.b, none);
    LLVMPositionBuilderAtEnd(c->e.b, none);
}

void
lanes_exit_call(struct core *c)
{
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef now = core_load_field(c, c->e.warp, FIELD(jit_warp, lanes), i32);
    LLVMValueRef stay = LLVMBuildNot(c->e.b, core_mask_bits(c), "");
    core_store_field(c, c->e.warp, FIELD(jit_warp, lanes), LLVMBuildAnd(c->e.b, now, stay, ""));
}

void
lanes_send(struct core *c, uint32_t t, LLVMValueRef lanes)
{
    uint32_t end = c->wir->blocks[t].end_insn;
    if (!is_end(c, t)) {
        lanes_add(c, c->lanes.pending[t], lanes);
    } else if (c->form.steps && end != UINT32_MAX) {
        leave_stepped(c, &c->wir->insns[end], lanes);
    } else {
        if (end != UINT32_MAX)
            core_count_lanes(c, &c->wir->insns[end], lanes);
        leave(c, lanes);
    }
}

void
lanes_send_all(struct core *c, const uint32_t *t, const LLVMValueRef *lanes, uint32_t count)
{
    for (int end = 0; end < 2;
         end++) /* those that leave come last: a debugger looks at the others */
        for (uint32_t k = 0; k < count; k++)
            if (is_end(c, t[k]) == (end == 1))
                lanes_send(c, t[k], lanes[k]);
}

void
lanes_take(struct core *c, uint32_t t, LLVMValueRef lanes)
{
    LLVMBuildStore(c->e.b, lanes, c->lanes.mask);
    LLVMBuildStore(c->e.b, core_i32(c, 0), c->lanes.pending[t]);
    LLVMBuildBr(c->e.b, c->block[t]);
}

/* Nothing is pending any more: wait if lanes stand at barriers, else done. */
static void
lanes_none_left(struct core *c)
{
    LLVMBuildBr(c->e.b, c->end);
}

/* -- suspension -------------------------------------------------------------------------------- */

uint32_t
lanes_new_resume(struct core *c)
{
    LLVMBasicBlockRef block = core_new_block(c, "resume");
    VEC_PUSH(&c->saved.resumes, ((struct resume_point){block}));
    return (uint32_t)c->saved.resumes.count; /* 0 is the start */
}

static void
lanes_move(struct core *c, const uint64_t *blocks, bool save)
{
    for (uint32_t b = 0; b < c->wir->block_count && !c->form.in_memory; b++) {
        if (!set_has(blocks, b))
            continue;
        LLVMValueRef at[2] = {c->lanes.pending[b],
                              c->lanes.barrier_park[b] ? c->lanes.waiting[b] : NULL};
        for (uint32_t k = 0; k < 2; k++) {
            if (!at[k])
                continue;
            uint32_t slot = frame_lanes(c, 2 * b + k);
            if (save)
                core_store_field(c, c->in.frame, slot, core_load_i32(c, at[k]));
            else
                LLVMBuildStore(c->e.b, core_load_field(c, c->in.frame, slot, core_scalar(c, 32)),
                               at[k]);
        }
    }
}

void
lanes_suspend(struct core *c, enum jit_exit why, const uint64_t *blocks)
{
    if (c->form.called) { /* it cannot return: exec runs such kernels on stacks of their own */
        LLVMValueRef args[] = {c->e.warp, core_load_i32(c, c->lanes.alive), core_i32(c, why)};
        core_service(c, FIELD(jit_services, pause), LLVMVoidTypeInContext(c->e.context), args, 3);
        return;
    }
    uint64_t *live = ls_alloc(sizeof *live * c->wir->reg_words);
    frame_live(c->wir, blocks, live);
    uint32_t id = lanes_new_resume(c);
    bool all = why == JIT_WAIT || c->facts->shape.apart || !c->saved.kept;
    frame_save(c, live, all ? NULL : c->saved.kept[c->now.current]);
    lanes_move(c, blocks, true);
    core_store_field(c, c->e.warp, FIELD(jit_warp, resume), core_i32(c, id));
    core_store_field(c, c->e.warp, FIELD(jit_warp, lanes), core_load_i32(c, c->lanes.alive));
    if (c->form.steps)
        LLVMBuildStore(c->e.b, core_i32(c, 0), c->lanes.mask);
    LLVMBuildRet(c->e.b, core_i32(c, why));
    LLVMPositionBuilderAtEnd(c->e.b, c->saved.resumes.at[id - 1].block);
    LLVMBuildStore(c->e.b,
                   core_load_field(c, c->e.warp, FIELD(jit_warp, lanes), core_scalar(c, 32)),
                   c->lanes.alive);
    frame_restore(c, live);
    lanes_move(c, blocks, false);
    ls_release(live);
}

uint64_t *
lanes_blocks(struct core *c, const uint64_t *from)
{
    uint64_t *set = ls_alloc(sizeof *set * c->facts->block_words);
    if (from)
        memcpy(set, from, sizeof *set * c->facts->block_words);
    return set;
}

/* The place that a waiting loop polls: its first strong load or atomic; where it has none, its
 * first instruction. */
static uint32_t
polled_place(const struct core *c, uint32_t h)
{
    const struct wir *f = c->wir;
    const struct wir_loop *l = &f->loops[f->blocks[h].loop];
    uint32_t found = f->insns[f->blocks[h].first].place;
    for (uint32_t b = l->head; b <= l->last; b++)
        for (uint32_t n = 0; n < f->blocks[b].count; n++) {
            const struct wir_insn *i = &f->insns[f->blocks[b].first + n];
            bool strong = ptx_has(&i->i, PTX_M_VOLATILE) || ptx_has(&i->i, PTX_M_RELAXED) ||
                          ptx_has(&i->i, PTX_M_ACQUIRE);
            if (i->i.op == PTX_OP_ATOM || i->i.op == PTX_OP_MBARRIER ||
                (i->i.op == PTX_OP_LD && strong))
                return i->place;
        }
    return found;
}

/* The lanes that block h's could go on without: those pending elsewhere. */
static LLVMValueRef
pending_elsewhere(struct core *c, uint32_t h)
{
    LLVMValueRef lanes = core_i32(c, 0);
    for (uint32_t b = 0; b < c->wir->block_count; b++)
        if (b != h && set_has(c->facts->pending[h], b))
            lanes = LLVMBuildOr(c->e.b, lanes, core_load_i32(c, c->lanes.pending[b]), "");
    return lanes;
}

/* Fuel is spent in the loop of block h. Other lanes of the warp go on first, and may be what it
 * waits for: a warp that left with its own lock held would make all blocks wait for its next turn,
 * once a lane. Fuel goes on falling, so that a warp whose lanes all wait leaves in the end. */
static void
give_way(struct core *c, uint32_t h, LLVMValueRef fuel)
{
    enum { PASSES = 256 }; /* to other lanes, before the warp leaves */
    LLVMBuilderRef b = c->e.b;
    uint64_t *blocks = lanes_blocks(c, c->facts->pending[h]);
    bool alone = core_nothing_pending(c, h);
    LLVMBasicBlockRef others = alone ? NULL : core_new_block(c, "others");
    set_add(blocks, h);
    lanes_add(c, c->lanes.pending[h], core_load_i32(c, c->lanes.mask));
    if (!alone && !c->form.steps) {
        LLVMBasicBlockRef go = core_new_block(c, "leave");
        LLVMValueRef some = core_is_nonzero(c, pending_elsewhere(c, h));
        LLVMValueRef more = LLVMBuildICmp(b, LLVMIntSGT, fuel, core_i32(c, (uint32_t)-PASSES), "");
        LLVMBuildCondBr(b, LLVMBuildAnd(b, some, more, ""), others, go);
        LLVMPositionBuilderAtEnd(b, go);
    }
    core_store_field(c, c->e.warp, FIELD(jit_warp, barrier_place), core_i32(c, polled_place(c, h)));
    core_store_field(c, c->e.warp, FIELD(jit_warp, barrier_votes), core_load_i32(c, c->lanes.mask));
    lanes_suspend(c, JIT_YIELD, blocks);
    ls_release(blocks);
    if (alone) {
        lanes_take(c, h, core_load_i32(c, c->lanes.pending[h]));
        return;
    }
    LLVMBuildBr(b, others);
    LLVMPositionBuilderAtEnd(b, others);
    lanes_dispatch(c, h, NULL, 0, false, h);
}

void
lanes_spend_fuel(struct core *c, uint32_t h)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef fuel = core_load_field(c, c->e.warp, FIELD(jit_warp, fuel), i32);
    fuel = LLVMBuildSub(b, fuel, core_i32(c, 1), "");
    core_store_field(c, c->e.warp, FIELD(jit_warp, fuel), fuel);
    LLVMBasicBlockRef spent = core_new_block(c, "spent"), more = core_new_block(c, "more");
    LLVMValueRef empty = LLVMBuildICmp(b, LLVMIntSLE, fuel, core_i32(c, 0), "");
    LLVMBuildCondBr(b, empty, spent, more);
    LLVMPositionBuilderAtEnd(b, spent);
    give_way(c, h, fuel);
    LLVMPositionBuilderAtEnd(b, more);
}

void
core_go_elsewhere(struct core *c, uint32_t block)
{
    lanes_dispatch(c, block, NULL, 0, false, UINT32_MAX);
}

bool
lanes_is_waiting_head(const struct core *c, uint32_t from, uint32_t h)
{
    uint32_t l = c->wir->blocks[h].loop;
    return h <= from && l != UINT32_MAX && c->wir->loops[l].head == h && c->wir->loops[l].waits;
}

void
lanes_dispatch(struct core *c, uint32_t from, const uint32_t *targets, uint32_t count,
               bool some_certain, uint32_t last)
{
    LLVMBuilderRef b = c->e.b;
    uint32_t *list = ls_alloc(sizeof *list * (c->wir->block_count + 1));
    bool certain;
    /* They have left: a debugger would come to the `ret` once more, for nobody. */
    for (uint32_t k = 0; k < count && (c->form.steps || c->form.passed); k++)
        some_certain &= !is_end(c, targets[k]);
    uint32_t n = facts_next(c->facts, from, targets, count, some_certain, list, &certain);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t t = list[k];
        LLVMValueRef lanes = core_load_i32(c, c->lanes.pending[t]);
        LLVMBasicBlockRef next = NULL;
        if (!(certain && k + 1 == n)) {
            LLVMBasicBlockRef here = core_new_block(c, "take");
            next = core_new_block(c, "next");
            LLVMBuildCondBr(b, core_is_nonzero(c, lanes), here, next);
            LLVMPositionBuilderAtEnd(b, here);
        }
        if (lanes_is_waiting_head(c, from, t) && last == UINT32_MAX) {
            LLVMBuildStore(b, lanes, c->lanes.mask);
            LLVMBuildStore(b, core_i32(c, 0), c->lanes.pending[t]);
            lanes_spend_fuel(c, t);
            LLVMBuildBr(b, c->block[t]);
        } else {
            lanes_take(c, t, lanes);
        }
        if (next)
            LLVMPositionBuilderAtEnd(b, next);
    }
    if (!(certain && n)) {
        if (last != UINT32_MAX)
            lanes_take(c, last, core_load_i32(c, c->lanes.pending[last]));
        else
            lanes_none_left(c);
    }
    ls_release(list);
}

/* -- the ends of blocks ------------------------------------------------------------------------ */

void
core_part(struct core *c, uint32_t b, LLVMValueRef taken, LLVMValueRef fallen)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    lanes_send_all(c, blk->succ, (LLVMValueRef[]){taken, fallen}, 2);
    lanes_dispatch(c, b, blk->succ, 2, true, UINT32_MAX);
}

void
core_full_mask_go(struct core *c, uint32_t t)
{
    LLVMBuildBr(c->e.b, c->full_mask[t] ? c->full_mask[t] : c->block[t]);
}
