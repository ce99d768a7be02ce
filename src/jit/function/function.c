/* SPDX-License-Identifier: Apache-2.0
 *
 * function/function.c: the skeleton of a warp function: blocks, and the lanes that move between
 * them.
 *
 * Each block has a set of pending lanes. A block ends by adding its lanes to its successors' sets;
 * the first non-empty one in the order of facts_next runs next (see analysis.h). Where nothing can
 * be pending elsewhere and the branch is uniform, this is a plain branch and no set is touched.
 * Sets, masks and registers are allocas, which LLVM turns into SSA values.
 *
 * Suspension: registers alive at the blocks where lanes wait, and the sets, are stored in the
 * frame; the function returns; the next call switches on warp->resume, loads them again and goes
 * on.
 */
#include "jit/function/function.h"

#include "jit/control/control.h"
#include "jit/insn/insn.h"
#include "jit/ops/sync.h"
#include "jit/tools/tools.h"
#include "jit/versions/versions.h"

#include <llvm-c/Analysis.h>
#include <string.h>

/* -- suspension -------------------------------------------------------------------------------- */

/* All lanes of block b go to t. */
static void
jump(struct core *c, uint32_t b, uint32_t t)
{
    if (!core_nothing_pending(c, b)) {
        lanes_send(c, t, core_mask_bits(c));
        lanes_dispatch(c, b, &t, 1, true, UINT32_MAX);
        return;
    }
    if (lanes_is_waiting_head(c, b, t))
        lanes_spend_fuel(c, t);
    LLVMBuildBr(c->e.b, c->block[t]);
}

/* -- the ends of blocks ------------------------------------------------------------------------ */

static void
end_branch(struct core *c, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    LLVMBuilderRef bld = c->e.b;
    if (!c->facts->divergent[b]) {
        LLVMValueRef p = core_branch_value(c, b, true);
        LLVMBasicBlockRef to[2] = {core_new_block(c, "taken"), core_new_block(c, "fallen")};
        LLVMBuildCondBr(bld, p, to[0], to[1]);
        for (int s = 0; s < 2; s++) {
            LLVMPositionBuilderAtEnd(bld, to[s]);
            jump(c, b, blk->succ[s]);
        }
        return;
    }
    if (core_full_mask_branch(c, b))
        return;
    LLVMValueRef p = emit_mask_to_bits(&c->e, core_branch_value(c, b, false));
    LLVMValueRef m = core_mask_bits(c);
    LLVMValueRef taken = LLVMBuildAnd(bld, m, p, "");
    LLVMValueRef fallen = LLVMBuildAnd(bld, m, LLVMBuildNot(bld, p, ""), "");
    if (blk->end_insn != UINT32_MAX)
        core_count_divergence(c, &c->wir->insns[blk->end_insn], (LLVMValueRef[]){taken, fallen}, 2);
    core_part(c, b, taken, fallen);
}

static bool
end_switch(struct core *c, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    const struct wir_insn *i = &c->wir->insns[blk->end_insn];
    LLVMBuilderRef bld = c->e.b;
    c->e.lanes = LANES;
    LLVMValueRef index = core_value(c, i, &i->i.operand[0], 32, false);
    LLVMValueRef m = core_mask_bits(c);
    LLVMValueRef *ways = ls_alloc(sizeof *ways * blk->succ_count);
    for (uint32_t s = 0; s < blk->succ_count; s++) {
        LLVMValueRef is = LLVMBuildICmp(bld, s + 1 == blk->succ_count ? LLVMIntUGE : LLVMIntEQ,
                                        index, core_splat(c, core_i32(c, s)), "");
        LLVMValueRef lanes = LLVMBuildAnd(bld, m, emit_mask_to_bits(&c->e, is), "");
        ways[s] = lanes;
    }
    lanes_send_all(c, blk->succ, ways, blk->succ_count);
    core_count_divergence(c, i, ways, blk->succ_count);
    ls_release(ways);
    lanes_dispatch(c, b, blk->succ, blk->succ_count, true, UINT32_MAX);
    return true;
}

struct barrier {
    LLVMValueRef id, threads, votes;
    enum jit_barrier_kind kind;
    const struct ptx_operand *result;
};

static struct barrier
barrier_of(struct core *c, const struct wir_insn *i)
{
    struct barrier r = {.id = core_i32(c, 0), .threads = core_i32(c, 0), .votes = core_i32(c, 0)};
    const struct ptx_insn *p = &i->i;
    unsigned k = 0;
    if (p->op == PTX_OP_BARRIER_CLUSTER) {
        r.kind = JIT_BAR_CLUSTER;
        return r;
    }
    bool red = ptx_has(p, PTX_M_RED);
    if (red) {
        r.kind = ptx_has(p, PTX_M_POPC)  ? JIT_BAR_RED_POPC
                 : ptx_has(p, PTX_M_AND) ? JIT_BAR_RED_AND
                                         : JIT_BAR_RED_OR;
        r.result = &p->operand[k++];
    }
    unsigned last = p->operand_count;
    if (red)
        last--;
    if (k < last)
        r.id = core_value_of_active(c, i, &p->operand[k++], 32);
    if (k < last)
        r.threads = core_value_of_active(c, i, &p->operand[k++], 32);
    if (red) {
        LLVMValueRef v = core_value(c, i, &p->operand[last], 1, false);
        r.votes = LLVMBuildAnd(c->e.b, core_mask_bits(c), emit_mask_to_bits(&c->e, v), "");
    }
    return r;
}

static void
take_result(struct core *c, const struct wir_insn *i, const struct barrier *r)
{
    if (!r->result)
        return;
    LLVMValueRef v =
        core_load_field(c, c->e.warp, FIELD(jit_warp, barrier_result), core_scalar(c, 32));
    if (r->kind != JIT_BAR_RED_POPC)
        v = core_is_nonzero(c, v);
    core_write(c, i, r->result, v, false);
}

/* All the lanes of a call wait for one barrier; what is released besides is others'. */
static void
wait_in_call(struct core *c, LLVMValueRef lanes)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef args[] = {c->e.warp, lanes, core_i32(c, JIT_WAIT)};
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMBasicBlockRef wait = core_new_block(c, "wait"), go = core_new_block(c, "go");
    LLVMValueRef now = core_load_field(c, c->e.warp, FIELD(jit_warp, released), i32);
    LLVMBuildCondBr(b, core_is_nonzero(c, LLVMBuildAnd(b, now, lanes, "")), go, wait);
    LLVMPositionBuilderAtEnd(b, wait);
    core_service(c, FIELD(jit_services, pause), LLVMVoidTypeInContext(c->e.context), args, 3);
    LLVMBuildBr(b, go);
    LLVMPositionBuilderAtEnd(b, go);
    now = core_load_field(c, c->e.warp, FIELD(jit_warp, released), i32);
    core_store_field(c, c->e.warp, FIELD(jit_warp, released),
                     LLVMBuildAnd(b, now, LLVMBuildNot(b, lanes, ""), ""));
}

static bool
end_barrier(struct core *c, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    const struct wir_insn *i = &c->wir->insns[blk->end_insn];
    uint32_t next = blk->succ[0];
    struct barrier r = barrier_of(c, i);
    LLVMValueRef place = core_i32(c, i->place), kind = core_i32(c, r.kind);
    LLVMValueRef args[] = {c->e.warp, core_mask_bits(c), r.id,           r.threads,
                           kind,      r.votes,           core_i32(c, 1), place};
    LLVMTypeRef none = LLVMVoidTypeInContext(c->e.context);
    bool together = core_nothing_pending(c, b) && !c->lanes.barrier_park[next];
    if (c->regions) {
        core_regions_barrier(c, b, r.kind, r.votes);
        return true;
    }
    if (c->form.alone) { /* who is alive is here: nobody to wait for */
        LLVMBuildStore(c->e.b, core_load_i32(c, c->lanes.alive), c->lanes.mask);
        LLVMBuildBr(c->e.b, c->block[next]);
        return true;
    }
    if (together && c->form.called) { /* other lanes of the warp may be elsewhere all the same */
        core_service(c, FIELD(jit_services, arrive), none, args, 8);
        wait_in_call(c, core_mask_bits(c));
        take_result(c, i, &r);
        LLVMBuildBr(c->e.b, c->block[next]);
        return true;
    }
    if (together) {
        core_store_field(c, c->e.warp, FIELD(jit_warp, barrier), r.id);
        core_store_field(c, c->e.warp, FIELD(jit_warp, barrier_threads), r.threads);
        core_store_field(c, c->e.warp, FIELD(jit_warp, barrier_kind), kind);
        core_store_field(c, c->e.warp, FIELD(jit_warp, barrier_votes), r.votes);
        core_store_field(c, c->e.warp, FIELD(jit_warp, barrier_place), place);
        uint64_t *blocks = lanes_blocks(c, NULL);
        set_add(blocks, next);
        lanes_suspend(c, JIT_BARRIER, blocks);
        ls_release(blocks);
        LLVMBuildStore(c->e.b, core_load_i32(c, c->lanes.alive), c->lanes.mask);
        take_result(c, i, &r);
        LLVMBuildBr(c->e.b, c->block[next]);
        return true;
    }
    core_service(c, FIELD(jit_services, arrive), none, args, 8);
    lanes_add(c, c->lanes.waiting[next], core_mask_bits(c));
    lanes_dispatch(c, b, NULL, 0, false, UINT32_MAX);
    return true;
}

static bool
emit_end(struct core *c, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    if (blk->end_insn != UINT32_MAX) {
        c->e.insn = &c->wir->insns[blk->end_insn].i;
        c->e.func = c->wir->insns[blk->end_insn].func;
        lines_at(&c->e, c->wir->insns[blk->end_insn].place);
        core_step(c, &c->wir->insns[blk->end_insn], NULL);
        core_count(c, &c->wir->insns[blk->end_insn]);
        if (c->form.called && c->e.insn->op == PTX_OP_EXIT)
            lanes_exit_call(c);
    }
    switch (blk->end) {
    case WIR_JUMP:
        regions_enter(c, b);
        jump(c, b, blk->succ[0]);
        return true;
    case WIR_BRANCH: end_branch(c, b); return true;
    case WIR_SWITCH: return end_switch(c, b);
    case WIR_BARRIER: return end_barrier(c, b);
    case WIR_TRAP:
        core_trap(c, core_mask_bits(c), JIT_TRAP_INSTRUCTION, c->wir->insns[blk->end_insn].place);
        return true;
    default:
        LLVMBuildStore(c->e.b,
                       LLVMBuildAnd(c->e.b, core_load_i32(c, c->lanes.alive),
                                    LLVMBuildNot(c->e.b, core_mask_bits(c), ""), ""),
                       c->lanes.alive);
        lanes_dispatch(c, b, NULL, 0, false, UINT32_MAX);
        return true;
    }
}

/* -- the ends of the function ------------------------------------------------------------------ */

/* Parked lanes that can go on run. */
static void
wake_parked(struct core *c, const uint64_t *parks)
{
    LLVMBuilderRef b = c->e.b;
    for (uint32_t k = 0; k < c->wir->block_count; k++) {
        if (!set_has(parks, k))
            continue;
        LLVMBasicBlockRef here = core_new_block(c, "wake"), next = core_new_block(c, "next");
        LLVMValueRef lanes = core_load_i32(c, c->lanes.pending[k]);
        LLVMBuildCondBr(b, core_is_nonzero(c, lanes), here, next);
        LLVMPositionBuilderAtEnd(b, here);
        lanes_take(c, k, lanes);
        LLVMPositionBuilderAtEnd(b, next);
    }
    LLVMBuildBr(b, c->end);
}

/* Lanes that stand still for others of their warp: those whose group is complete by now run. Where
 * others wait at a barrier, that may still help (`any`: i32, those); else it is an error. */
static void
emit_held(struct core *c, const uint64_t *parks, LLVMValueRef any, LLVMBasicBlockRef none)
{
    LLVMBuilderRef b = c->e.b;
    LLVMBasicBlockRef woken = core_new_block(c, "woken"), held = core_new_block(c, "held"),
                      deadlock = core_new_block(c, "stuck"), tell = core_new_block(c, "tell");
    LLVMValueRef outcome = core_sync_retry(c);
    LLVMValueRef which = LLVMBuildSwitch(b, outcome, none, 2);
    LLVMAddCase(which, core_i32(c, SYNC_WOKEN), woken);
    LLVMAddCase(which, core_i32(c, SYNC_HELD), held);
    LLVMPositionBuilderAtEnd(b, woken);
    wake_parked(c, parks);
    LLVMPositionBuilderAtEnd(b, held);
    core_sync_tell(c);
    LLVMBuildCondBr(b, core_is_nonzero(c, any), tell, deadlock);
    LLVMPositionBuilderAtEnd(b, tell);
    LLVMBuildBr(b, none);
    LLVMPositionBuilderAtEnd(b, deadlock);
    core_store_field(c, c->e.warp, FIELD(jit_warp, lanes), core_load_i32(c, c->lanes.alive));
    core_trap(c, core_load_i32(c, c->lanes.alive), JIT_TRAP_LANES, 0);
}

/* No lane can run: done, or wait for barriers and wake the released lanes. */
static void
emit_no_lanes_left(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    const struct wir *f = c->wir;
    LLVMPositionBuilderAtEnd(b, c->end);
    uint64_t *parks = lanes_blocks(c, NULL);
    LLVMValueRef any = core_i32(c, 0);
    bool parking = false;
    for (uint32_t k = 0; k < f->block_count; k++)
        if (c->facts->parks[k])
            set_add(parks, k);
    for (uint32_t k = 0; k < f->block_count; k++)
        if (c->lanes.barrier_park[k]) {
            parking = true;
            any = LLVMBuildOr(b, any, core_load_i32(c, c->lanes.waiting[k]), "");
        }
    if (c->saved.site_count) {
        LLVMBasicBlockRef none = core_new_block(c, "none_held");
        emit_held(c, parks, any, none);
        LLVMPositionBuilderAtEnd(b, none);
    }
    LLVMBasicBlockRef done = core_new_block(c, "done");
    if (!parking) {
        LLVMBuildBr(b, done);
    } else {
        LLVMBasicBlockRef wait = core_new_block(c, "wait");
        LLVMBuildCondBr(b, core_is_nonzero(c, any), wait, done);
        LLVMPositionBuilderAtEnd(b, wait);
        lanes_suspend(c, JIT_WAIT, parks);
        LLVMTypeRef i32 = core_scalar(c, 32);
        LLVMValueRef released = core_load_field(c, c->e.warp, FIELD(jit_warp, released), i32);
        any = core_i32(c, 0);
        for (uint32_t k = 0; k < f->block_count; k++)
            if (c->lanes.barrier_park[k])
                any = LLVMBuildOr(b, any, core_load_i32(c, c->lanes.waiting[k]), "");
        core_store_field(c, c->e.warp, FIELD(jit_warp, released),
                         LLVMBuildAnd(b, released, LLVMBuildNot(b, any, ""), ""));
        for (uint32_t k = 0; k < f->block_count; k++) {
            if (!c->lanes.barrier_park[k])
                continue;
            LLVMValueRef w = core_load_i32(c, c->lanes.waiting[k]);
            LLVMValueRef go = LLVMBuildAnd(b, w, released, "");
            LLVMBuildStore(b, LLVMBuildAnd(b, w, LLVMBuildNot(b, released, ""), ""),
                           c->lanes.waiting[k]);
            lanes_add(c, c->lanes.pending[k], go);
        }
        wake_parked(c, parks);
    }
    LLVMPositionBuilderAtEnd(b, done);
    if (c->form.called) {
        core_store_field(c, c->e.warp, FIELD(jit_warp, stack), c->in.stack);
        core_home_leave(c);
        LLVMBuildRetVoid(b);
    } else {
        core_store_field(c, c->e.warp, FIELD(jit_warp, lanes), core_i32(c, 0));
        LLVMBuildRet(b, core_i32(c, JIT_DONE));
    }
    ls_release(parks);
}

/* Results of a barrier's reduction that lanes woken from waiting[]
 * take: at the start of the block. */
static void
take_parked_results(struct core *c, uint32_t block)
{
    const struct wir_block *blk = &c->wir->blocks[block];
    for (uint32_t k = 0; k < blk->pred_count; k++) {
        const struct wir_block *from = &c->wir->blocks[blk->pred[k]];
        if (from->end != WIR_BARRIER)
            continue;
        const struct wir_insn *i = &c->wir->insns[from->end_insn];
        if (ptx_has(&i->i, PTX_M_RED)) {
            struct barrier r = {.result = &i->i.operand[0]};
            r.kind = ptx_has(&i->i, PTX_M_POPC) ? JIT_BAR_RED_POPC : JIT_BAR_RED_OR;
            take_result(c, i, &r);
        }
    }
}

/* -- entry ------------------------------------------------------------------------------------- */

static LLVMValueRef
load_ptr(struct core *c, LLVMValueRef base, size_t offset)
{
    return core_load_field(c, base, offset, LLVMPointerTypeInContext(c->e.context, 0));
}

static void
begin_cluster(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    c->in.shared =
        LLVMBuildPtrToInt(b, load_ptr(c, c->in.block_ptr, FIELD(jit_block, window)), i64, "window");
    c->in.rank = core_load_field(c, c->in.block_ptr, FIELD(jit_block, rank), core_scalar(c, 32));
    c->in.rank =
        LLVMBuildShl(b, LLVMBuildZExt(b, c->in.rank, i64, ""), core_i64(c, JIT_RANK_BIT), "rank");
}

static void
emit_entry(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    c->in.block_ptr = load_ptr(c, c->e.warp, FIELD(jit_warp, block));
    c->in.frame = load_ptr(c, c->e.warp, FIELD(jit_warp, frame));
    c->in.launch_ptr = load_ptr(c, c->in.block_ptr, FIELD(jit_block, launch));
    c->e.services = load_ptr(c, c->in.launch_ptr, FIELD(jit_launch, services));
    c->in.params = load_ptr(c, c->in.launch_ptr, FIELD(jit_launch, params));
    c->in.symbols = load_ptr(c, c->in.launch_ptr, FIELD(jit_launch, symbols));
    c->in.own_shared = LLVMBuildPtrToInt(b, load_ptr(c, c->in.block_ptr, FIELD(jit_block, shared)),
                                         core_scalar(c, 64), "shared");
    c->in.shared = c->in.own_shared;
    if (c->form.cluster)
        begin_cluster(c);
    c->in.local = LLVMBuildPtrToInt(b, load_ptr(c, c->in.block_ptr, FIELD(jit_block, local)),
                                    core_scalar(c, 64), "local");
    core_count_begin(c);
    core_step_begin(c);
    c->in.local_stride = core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, local_stride), i32);
    c->in.warp_index = core_load_field(c, c->e.warp, FIELD(jit_warp, warp), i32);
    core_seen_begin(c);
    core_tid(c, c->in.warp_index, c->in.tid);
    for (unsigned d = 0; d < 3; d++)
        c->in.ctaid[d] = core_load_field(c, c->in.block_ptr, FIELD(jit_block, ctaid) + 4 * d, i32);
    for (uint32_t k = 0; k < c->wir->block_count && !c->form.in_memory; k++) {
        LLVMBuildStore(b, core_i32(c, 0), c->lanes.pending[k]);
        LLVMBuildStore(b, core_i32(c, 0), c->lanes.waiting[k]);
    }
    LLVMValueRef lanes = c->form.called ? LLVMGetParam(c->e.function, 1)
                         : c->facts->shape.partial
                             ? core_load_field(c, c->e.warp, FIELD(jit_warp, lanes), i32)
                             : core_i32(c, ~0u);
    LLVMBuildStore(b, lanes, c->lanes.alive);
    LLVMBuildStore(b, lanes, c->lanes.mask);
}

/* Registers and sets of lanes as values of LLVM's. */
static void
make_values(struct core *c)
{
    const struct wir *f = c->wir;
    LLVMTypeRef i32 = core_scalar(c, 32);
    core_home_sums(c);
    for (uint32_t r = 0; r < f->reg_count; r++) {
        if (c->facts->reg[r].kind == FACT_NONE || c->regs.reg[r])
            continue;
        c->regs.reg[r] = core_alloca(c, core_reg_type(c, r));
        if (set_has(f->blocks[0].live_in, r)) /* read before it is written */
            LLVMBuildStore(c->e.b, LLVMConstNull(core_reg_type(c, r)), c->regs.reg[r]);
    }
    core_guess_storage(c);
    core_agree_storage(c);
    for (uint32_t k = 0; k < f->block_count; k++) {
        c->lanes.pending[k] = core_alloca(c, i32);
        c->lanes.waiting[k] = core_alloca(c, i32);
    }
}

static void
make_storage(struct core *c)
{
    const struct wir *f = c->wir;
    LLVMTypeRef i32 = core_scalar(c, 32);
    c->regs.reg = ls_alloc(sizeof *c->regs.reg * (f->reg_count + 1));
    c->saved.frame_at =
        ls_alloc(sizeof *c->saved.frame_at * (f->reg_count + 2 * f->block_count + 1));
    memset(c->saved.frame_at, 0xff,
           sizeof *c->saved.frame_at * (f->reg_count + 2 * f->block_count + 1));
    c->lanes.pending = ls_alloc(sizeof *c->lanes.pending * f->block_count);
    c->lanes.waiting = ls_alloc(sizeof *c->lanes.waiting * f->block_count);
    c->block = ls_alloc(sizeof *c->block * f->block_count);
    c->now.version = (struct version){.block = c->block, .warps = 1, .plans = &c->plans.plain};
    c->lanes.barrier_park = ls_alloc(f->block_count);
    c->e.unseen_nans = emit_on(&c->e, PASS_NAN_CODES) ? analysis_unseen_nans(f) : NULL;
    if (c->form.in_memory) { /* nothing is speculated about addresses, either */
        c->regs.guess = ls_alloc(sizeof *c->regs.guess * (f->reg_count + 1));
        core_home_storage(c);
    } else {
        make_values(c);
    }
    for (uint32_t k = 0; k < f->block_count; k++) {
        c->block[k] = core_new_block(c, "b");
        if (f->blocks[k].end == WIR_BARRIER && c->facts->parks[f->blocks[k].succ[0]])
            c->lanes.barrier_park[f->blocks[k].succ[0]] = true;
    }
    if (c->facts->shape.apart && !c->form.steps) {
        uint32_t end = frame_apart(c, c->saved.frame_at);
        c->saved.frame_bytes = c->saved.frame_bytes > end ? c->saved.frame_bytes : end;
        core_sync_storage(c);
    }
    c->saved.kept = c->form.in_memory ? NULL : frame_kept(c);
    core_full_mask_choose(c);
    c->lanes.mask = c->lanes.mask ? c->lanes.mask : core_alloca(c, i32);
    c->lanes.alive = c->lanes.alive ? c->lanes.alive : core_alloca(c, i32);
    c->regs.carry = core_alloca(c, core_vector(c, 1));
}

static void
free_storage(struct core *c)
{
    ls_release((void *)c->e.unseen_nans);
    ls_release(c->regs.reg);
    ls_release(c->regs.guess);
    ls_release(c->regs.agree);
    ls_release(c->saved.frame_at);
    ls_release(c->lanes.pending);
    ls_release(c->lanes.waiting);
    ls_release(c->block);
    ls_release(c->full_mask);
    plans_free(&c->plans);
    ls_release(c->lanes.barrier_park);
    ls_release(c->saved.kept);
    ls_release(c->saved.homed);
    ls_release(c->saved.site);
    VEC_FREE(&c->saved.resumes);
}

static void
begin_block(struct core *c, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    core_count_block(c);
    if (c->regions)
        core_regions_at(c, b);
    core_full_mask_enter(c, b);
    if (c->lanes.barrier_park[b])
        take_parked_results(c, b);
    if (c->form.scheduled)
        core_turn(c, b);
    if (core_sync_tests(c, b))
        core_sync_test(c, b);
    c->now.synced = c->saved.site && c->saved.site[b] != UINT32_MAX;
    if (c->now.synced) {
        core_step(c, &c->wir->insns[blk->first], core_sync_new(c, b));
        core_sync_own(c, &c->wir->insns[blk->first]);
        core_sync_wait(c, b);
    }
}

/* What is too large is not emitted to its end. Counted anew whenever there are a quarter more
 * blocks. */
static bool
within(struct core *c)
{
    uint64_t size = 0;
    if (!c->e.most || ++c->ended < c->measure_at)
        return true;
    c->measure_at = c->ended + c->ended / 4 + 16;
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->e.function);
    for (; b && size <= c->e.most; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            size++;
    c->e.over = size > c->e.most;
    return !c->e.over;
}

static bool
end_block(struct core *c, const struct version_code *v, uint32_t b)
{
    (void)v;
    core_batch_flush(c);
    if (c->regions)
        interleave_tail(c, b);
    return emit_end(c, b) && within(c);
}

static bool
emit_blocks(struct core *c)
{
    struct version_code plain = {.version = c->now.version, .begin = begin_block, .end = end_block};
    return core_versions(c, plain);
}

/* Takes local memory for the function's variables; too deep is an error of the kernel. 32 bytes a
 * call stand for what hardware saves, so that recursion without variables ends as well. */
static void
enter_call(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    c->in.arguments = LLVMGetParam(c->e.function, 2);
    c->in.stack = core_load_field(c, c->e.warp, FIELD(jit_warp, stack), i32);
    LLVMValueRef top = LLVMBuildAdd(b, c->in.stack, core_i32(c, c->wir->local_bytes + 32), "");
    core_store_field(c, c->e.warp, FIELD(jit_warp, stack), top);
    LLVMBasicBlockRef deep = core_new_block(c, "deep"), fine = core_new_block(c, "fine");
    LLVMTypeRef i64 = core_scalar(c, 64);
    LLVMValueRef here = LLVMBuildPtrToInt(b, core_alloca(c, i64), i64, "");
    LLVMValueRef end = core_load_field(c, c->e.warp, FIELD(jit_warp, stack_end), i64);
    LLVMValueRef too_deep =
        LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntUGT, top, c->in.local_stride, ""),
                    LLVMBuildICmp(b, LLVMIntULT, here, end, ""), "");
    LLVMBuildCondBr(b, too_deep, deep, fine);
    LLVMPositionBuilderAtEnd(b, deep);
    core_stack_overflow(c, core_load_i32(c, c->lanes.mask), c->wir->insns[0].place);
    LLVMPositionBuilderAtEnd(b, fine);
}

/* Where lanes go on that the usual kind of function left: everything from the frame; they come to
 * the block that jit_warp.barrier names. */
static void
emit_apart_entry(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), nowhere = core_new_block(c, "nowhere");
    lanes_new_resume(c);
    LLVMPositionBuilderAtEnd(b, c->saved.resumes.at[SYNC_RESUME - 1].block);
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMBuildStore(b, core_load_field(c, c->e.warp, FIELD(jit_warp, lanes), i32), c->lanes.alive);
    core_home_begin(c);
    frame_take(c);
    core_sync_begin(c);
    LLVMValueRef block = core_load_field(c, c->e.warp, FIELD(jit_warp, barrier), i32);
    LLVMValueRef where = LLVMBuildSwitch(b, block, nowhere, 8);
    for (uint32_t k = 0; k < c->wir->block_count; k++) {
        if (c->saved.site[k] == UINT32_MAX)
            continue;
        LLVMBasicBlockRef at = core_new_block(c, "at");
        LLVMAddCase(where, core_i32(c, k), at);
        LLVMPositionBuilderAtEnd(b, at);
        lanes_take(c, k, core_load_i32(c, c->lanes.pending[k]));
    }
    LLVMPositionBuilderAtEnd(b, nowhere);
    LLVMBuildUnreachable(b);
    LLVMPositionBuilderAtEnd(b, before);
}

bool
core_function(struct core *c, const char *name)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMTypeRef type = LLVMFunctionType(core_scalar(c, 32), &ptr, 1, false);
    c->e.function =
        c->form.called ? core_callee(c, name, &type) : LLVMAddFunction(c->e.module, name, type);
    c->e.warp = LLVMGetParam(c->e.function, 0);
    c->entry = LLVMAppendBasicBlockInContext(c->e.context, c->e.function, "entry");
    lines_function(&c->e, c->wir->kernel);
    if (!c->regions)
        c->end = core_new_block(c, "end");
    /* Tools are told addresses as they would be in a flat layout, each lane's in one piece. */
    c->form.local_words = !c->form.called && emit_on(&c->e, PASS_LOCAL_WORDS) && plan_words(c->wir);
    c->form.unseen = !c->form.called && plan_unseen(c->wir);
    c->form.streams =
        !c->form.called && emit_on(&c->e, PASS_STREAMING_STORES) && plan_streams(c->wir);
    c->form.combines =
        !c->form.called && emit_on(&c->e, PASS_PENDING_SUMS) && plan_combines(c->wir);
    if (c->wir->local_bytes && emit_on(&c->e, PASS_LOCAL_WORDS))
        jit_remark_kernel(c->e.remarks, PASS_LOCAL_WORDS, c->form.local_words, "%u bytes a lane%s",
                          c->wir->local_bytes,
                          c->form.local_words ? ""
                                              : ", to which generic pointers or calls may lead");
    LLVMPositionBuilderAtEnd(c->e.b, c->entry);
    make_storage(c);
    core_plan_versions(c);
    emit_entry(c);
    if (c->form.called) {
        enter_call(c);
        core_home_begin(c);
        LLVMBuildBr(c->e.b, c->block[0]);
        bool fine = emit_blocks(c);
        if (fine)
            emit_no_lanes_left(c);
        free_storage(c);
        return fine;
    }
    if (c->regions) {
        bool fine = core_regions_begin(c) && emit_blocks(c);
        if (fine)
            core_regions_end(c);
        c->saved.frame_bytes = (c->saved.frame_bytes + 63) & ~63u;
        free_storage(c);
        return fine;
    }
    LLVMBasicBlockRef start = core_new_block(c, "start");
    LLVMValueRef resume =
        core_load_field(c, c->e.warp, FIELD(jit_warp, resume), core_scalar(c, 32));
    c->saved.resume_switch = LLVMBuildSwitch(c->e.b, resume, start, 4);
    LLVMPositionBuilderAtEnd(c->e.b, start);
    core_home_begin(c);
    if (c->facts->shape.apart) {
        if (!c->form.steps)
            emit_apart_entry(c);
        core_sync_begin(c);
    }
    if (c->wir->call_count || c->wir->indirect || core_uses_stack(c->wir))
        core_store_field(c, c->e.warp, FIELD(jit_warp, stack), core_i32(c, c->wir->local_bytes));
    LLVMBuildBr(c->e.b, c->block[0]);
    bool ok = emit_blocks(c);
    if (ok) {
        core_sync_leave(c);
        emit_no_lanes_left(c);
        for (size_t k = 0; k < c->saved.resumes.count; k++)
            LLVMAddCase(c->saved.resume_switch, core_i32(c, (uint32_t)k + 1),
                        c->saved.resumes.at[k].block);
    }
    c->saved.frame_bytes = (c->saved.frame_bytes + 63) & ~63u;
    free_storage(c);
    return ok;
}
