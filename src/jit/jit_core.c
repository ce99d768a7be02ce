/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_core.c: the skeleton of a warp function: blocks, and the lanes that move between them.
 *
 * Each block has a set of pending lanes. A block ends by adding its lanes to its successors' sets;
 * the first non-empty one in the order of facts_next runs next (see analysis.h). Where nothing can
 * be pending elsewhere and the branch is uniform, this is a plain branch and no set is touched.
 * Sets, masks and registers are allocas, which LLVM turns into SSA values.
 *
 * Suspension: registers alive at the blocks where lanes wait, and the sets, are stored in the frame;
 * the function returns; the next call switches on warp->resume, loads them again and goes on.
 */
#include "jit/jit_phases.h"
#include "jit/jit_sync.h"

#include <llvm-c/Analysis.h>
#include <string.h>

#define FIELD(type, field) offsetof(struct type, field)

/* -- moving lanes ----------------------------------------------------------------------------------- */

static LLVMValueRef
load_i32(struct core *c, LLVMValueRef at)
{
    return LLVMBuildLoad2(c->e.b, core_scalar(c, 32), at, "");
}

static void
add_lanes(struct core *c, LLVMValueRef at, LLVMValueRef lanes)
{
    LLVMBuildStore(c->e.b, LLVMBuildOr(c->e.b, load_i32(c, at), lanes, ""), at);
}

static LLVMValueRef
is_nonzero(struct core *c, LLVMValueRef v)
{
    return LLVMBuildICmp(c->e.b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

/* Lanes go to block t. Threads that are at the kernel's end exit at once: others may be counting those
 * that have not. */
static void
send_lanes(struct core *c, uint32_t t, LLVMValueRef lanes)
{
    const struct flow_block *to = &c->flow->blocks[t];
    if (to->end == FLOW_JUMP && !to->count) /* a `ret` by itself */
        to = &c->flow->blocks[to->succ[0]];
    if (to->end != FLOW_EXIT || to->count || to->end_insn != UINT32_MAX || c->called) {
        add_lanes(c, c->pending[t], lanes);
        return;
    }
    if (c->flow->blocks[t].end_insn != UINT32_MAX)
        core_count_lanes(c, &c->flow->insns[c->flow->blocks[t].end_insn], lanes);
    LLVMValueRef rest = LLVMBuildAnd(c->e.b, load_i32(c, c->alive), LLVMBuildNot(c->e.b, lanes, ""), "");
    LLVMBuildStore(c->e.b, rest, c->alive);
}

/* Runs block t with its pending lanes. */
static void
take(struct core *c, uint32_t t, LLVMValueRef lanes)
{
    LLVMBuildStore(c->e.b, lanes, c->mask);
    LLVMBuildStore(c->e.b, core_i32(c, 0), c->pending[t]);
    LLVMBuildBr(c->e.b, c->block[t]);
}

/* Nothing is pending any more: wait if lanes stand at barriers, else done. */
static void
no_lanes_left(struct core *c)
{
    LLVMBuildBr(c->e.b, c->end);
}

bool
core_nothing_pending(const struct core *c, uint32_t b)
{
    for (uint32_t k = 0; k < c->facts->block_words; k++)
        if (c->facts->pending[b][k])
            return false;
    return true;
}

/* -- suspension ------------------------------------------------------------------------------------------ */

static uint32_t
new_resume(struct core *c)
{
    LLVMBasicBlockRef block = core_new_block(c, "resume");
    VEC_PUSH(&c->resumes, ((struct resume_point){block}));
    return (uint32_t)c->resumes.count; /* 0 is the start */
}

static void
move_lanes(struct core *c, const uint64_t *blocks, bool save)
{
    for (uint32_t b = 0; b < c->flow->block_count; b++) {
        if (!set_has(blocks, b))
            continue;
        LLVMValueRef at[2] = {c->pending[b], c->barrier_park[b] ? c->waiting[b] : NULL};
        for (uint32_t k = 0; k < 2; k++) {
            if (!at[k])
                continue;
            uint32_t slot = frame_lanes(c, 2 * b + k);
            if (save)
                core_store_field(c, c->frame, slot, load_i32(c, at[k]));
            else
                LLVMBuildStore(c->e.b, core_load_field(c, c->frame, slot, core_scalar(c, 32)), at[k]);
        }
    }
}

/* Saves what `blocks` need, returns `why`, and leaves the builder where the next call goes on, with
 * everything loaded again. */
static void
suspend(struct core *c, enum jit_exit why, const uint64_t *blocks)
{
    if (c->called) { /* it cannot return: exec runs such kernels on stacks of their own */
        LLVMValueRef args[] = {c->e.warp, load_i32(c, c->alive), core_i32(c, why)};
        core_service(c, FIELD(jit_services, pause), LLVMVoidTypeInContext(c->e.context), args, 3);
        return;
    }
    uint64_t *live = ls_alloc(sizeof *live * c->flow->reg_words);
    frame_live(c->flow, blocks, live);
    uint32_t id = new_resume(c);
    frame_save(c, live, why == JIT_WAIT || c->facts->shape.apart ? NULL : c->kept[c->current]);
    move_lanes(c, blocks, true);
    core_store_field(c, c->e.warp, FIELD(jit_warp, resume), core_i32(c, id));
    core_store_field(c, c->e.warp, FIELD(jit_warp, lanes), load_i32(c, c->alive));
    LLVMBuildRet(c->e.b, core_i32(c, why));
    LLVMPositionBuilderAtEnd(c->e.b, c->resumes.at[id - 1].block);
    LLVMBuildStore(c->e.b, core_load_field(c, c->e.warp, FIELD(jit_warp, lanes), core_scalar(c, 32)),
                   c->alive);
    frame_restore(c, live);
    move_lanes(c, blocks, false);
    ls_release(live);
}

static uint64_t *
block_set(struct core *c, const uint64_t *from)
{
    uint64_t *set = ls_alloc(sizeof *set * c->facts->block_words);
    if (from)
        memcpy(set, from, sizeof *set * c->facts->block_words);
    return set;
}

/* The candidates of block b, then (if others waited for them) block `last`; sets are already filled. */
static void
dispatch(struct core *c, uint32_t b, const uint32_t *targets, uint32_t count, bool some_certain,
         uint32_t last);

/* What a waiting loop asks: its first load or atomic of those that make it one. */
static uint32_t
polled_place(const struct core *c, uint32_t h)
{
    const struct flow *f = c->flow;
    const struct flow_loop *l = &f->loops[f->blocks[h].loop];
    uint32_t found = f->insns[f->blocks[h].first].place;
    for (uint32_t b = l->head; b <= l->last; b++)
        for (uint32_t n = 0; n < f->blocks[b].count; n++) {
            const struct flow_insn *i = &f->insns[f->blocks[b].first + n];
            bool strong = ptx_has(&i->i, PTX_M_VOLATILE) || ptx_has(&i->i, PTX_M_RELAXED) ||
                          ptx_has(&i->i, PTX_M_ACQUIRE);
            if (i->i.op == PTX_OP_ATOM || i->i.op == PTX_OP_MBARRIER ||
                (i->i.op == PTX_OP_LD && strong))
                return i->place;
        }
    return found;
}

/* A jump back to the head of a loop that may be waiting for somebody: gives way when its fuel is
 * spent. The builder stands where the head's lanes are in `mask`. */
static void
spend_fuel(struct core *c, uint32_t h)
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
    uint64_t *blocks = block_set(c, c->facts->pending[h]);
    set_add(blocks, h);
    add_lanes(c, c->pending[h], load_i32(c, c->mask));
    core_store_field(c, c->e.warp, FIELD(jit_warp, barrier_place), core_i32(c, polled_place(c, h)));
    suspend(c, JIT_YIELD, blocks);
    ls_release(blocks);
    if (core_nothing_pending(c, h)) {
        take(c, h, load_i32(c, c->pending[h]));
    } else {
        dispatch(c, h, NULL, 0, false, h);
    }
    LLVMPositionBuilderAtEnd(b, more);
}

void
core_go_elsewhere(struct core *c, uint32_t block)
{
    dispatch(c, block, NULL, 0, false, UINT32_MAX);
}

static bool
is_waiting_head(const struct core *c, uint32_t from, uint32_t h)
{
    uint32_t l = c->flow->blocks[h].loop;
    return h <= from && l != UINT32_MAX && c->flow->loops[l].head == h && c->flow->loops[l].waits;
}

static void
dispatch(struct core *c, uint32_t from, const uint32_t *targets, uint32_t count, bool some_certain,
         uint32_t last)
{
    LLVMBuilderRef b = c->e.b;
    uint32_t *list = ls_alloc(sizeof *list * (c->flow->block_count + 1));
    bool certain;
    uint32_t n = facts_next(c->facts, from, targets, count, some_certain, list, &certain);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t t = list[k];
        LLVMValueRef lanes = load_i32(c, c->pending[t]);
        LLVMBasicBlockRef next = NULL;
        if (!(certain && k + 1 == n)) {
            LLVMBasicBlockRef here = core_new_block(c, "take");
            next = core_new_block(c, "next");
            LLVMBuildCondBr(b, is_nonzero(c, lanes), here, next);
            LLVMPositionBuilderAtEnd(b, here);
        }
        if (is_waiting_head(c, from, t) && last == UINT32_MAX) {
            LLVMBuildStore(b, lanes, c->mask);
            LLVMBuildStore(b, core_i32(c, 0), c->pending[t]);
            spend_fuel(c, t);
            LLVMBuildBr(b, c->block[t]);
        } else {
            take(c, t, lanes);
        }
        if (next)
            LLVMPositionBuilderAtEnd(b, next);
    }
    if (!(certain && n)) {
        if (last != UINT32_MAX)
            take(c, last, load_i32(c, c->pending[last]));
        else
            no_lanes_left(c);
    }
    ls_release(list);
}

/* All lanes of block b go to t. */
static void
jump(struct core *c, uint32_t b, uint32_t t)
{
    if (!core_nothing_pending(c, b)) {
        send_lanes(c, t, core_mask_bits(c));
        dispatch(c, b, &t, 1, true, UINT32_MAX);
        return;
    }
    if (is_waiting_head(c, b, t))
        spend_fuel(c, t);
    LLVMBuildBr(c->e.b, c->block[t]);
}

/* -- the ends of blocks ------------------------------------------------------------------------------------ */

LLVMValueRef
core_branch_value(struct core *c, uint32_t block, bool scalar)
{
    const struct flow_block *blk = &c->flow->blocks[block];
    const struct flow_insn *i = &c->flow->insns[blk->end_insn];
    struct ptx_operand o = {.kind = PTX_O_REG, .reg = blk->guard};
    LLVMValueRef v = core_value(c, i, &o, 1, scalar);
    return blk->guard_negated ? LLVMBuildNot(c->e.b, v, "") : v;
}

void
core_part(struct core *c, uint32_t b, LLVMValueRef taken, LLVMValueRef fallen)
{
    const struct flow_block *blk = &c->flow->blocks[b];
    send_lanes(c, blk->succ[0], taken);
    send_lanes(c, blk->succ[1], fallen);
    dispatch(c, b, blk->succ, 2, true, UINT32_MAX);
}

static void
end_branch(struct core *c, uint32_t b)
{
    const struct flow_block *blk = &c->flow->blocks[b];
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
    if (core_whole_branch(c, b))
        return;
    LLVMValueRef p = emit_mask_to_bits(&c->e, core_branch_value(c, b, false));
    LLVMValueRef m = core_mask_bits(c);
    LLVMValueRef taken = LLVMBuildAnd(bld, m, p, "");
    LLVMValueRef fallen = LLVMBuildAnd(bld, m, LLVMBuildNot(bld, p, ""), "");
    if (blk->end_insn != UINT32_MAX)
        core_count_divergence(c, &c->flow->insns[blk->end_insn], (LLVMValueRef[]){taken, fallen}, 2);
    core_part(c, b, taken, fallen);
}

static bool
end_switch(struct core *c, uint32_t b)
{
    const struct flow_block *blk = &c->flow->blocks[b];
    const struct flow_insn *i = &c->flow->insns[blk->end_insn];
    LLVMBuilderRef bld = c->e.b;
    c->e.lanes = LANES;
    LLVMValueRef index = core_value(c, i, &i->i.operand[0], 32, false);
    LLVMValueRef m = core_mask_bits(c);
    LLVMValueRef *ways = ls_alloc(sizeof *ways * blk->succ_count);
    for (uint32_t s = 0; s < blk->succ_count; s++) {
        LLVMValueRef is = LLVMBuildICmp(bld, s + 1 == blk->succ_count ? LLVMIntUGE : LLVMIntEQ, index,
                                        core_splat(c, core_i32(c, s)), "");
        LLVMValueRef lanes = LLVMBuildAnd(bld, m, emit_mask_to_bits(&c->e, is), "");
        send_lanes(c, blk->succ[s], lanes);
        ways[s] = lanes;
    }
    core_count_divergence(c, i, ways, blk->succ_count);
    ls_release(ways);
    dispatch(c, b, blk->succ, blk->succ_count, true, UINT32_MAX);
    return true;
}

struct barrier {
    LLVMValueRef id, threads, votes;
    enum jit_barrier_kind kind;
    const struct ptx_operand *result;
};

static struct barrier
barrier_of(struct core *c, const struct flow_insn *i)
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
        r.kind = ptx_has(p, PTX_M_POPC) ? JIT_BAR_RED_POPC
                 : ptx_has(p, PTX_M_AND) ? JIT_BAR_RED_AND
                                         : JIT_BAR_RED_OR;
        r.result = &p->operand[k++];
    }
    unsigned last = p->operand_count;
    if (red)
        last--;
    if (k < last)
        r.id = core_value(c, i, &p->operand[k++], 32, true);
    if (k < last)
        r.threads = core_value(c, i, &p->operand[k++], 32, true);
    if (red) {
        LLVMValueRef v = core_value(c, i, &p->operand[last], 1, false);
        r.votes = LLVMBuildAnd(c->e.b, core_mask_bits(c), emit_mask_to_bits(&c->e, v), "");
    }
    return r;
}

static void
take_result(struct core *c, const struct flow_insn *i, const struct barrier *r)
{
    if (!r->result)
        return;
    LLVMValueRef v = core_load_field(c, c->e.warp, FIELD(jit_warp, barrier_result),
                                     core_scalar(c, 32));
    if (r->kind != JIT_BAR_RED_POPC)
        v = is_nonzero(c, v);
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
    LLVMBuildCondBr(b, is_nonzero(c, LLVMBuildAnd(b, now, lanes, "")), go, wait);
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
    const struct flow_block *blk = &c->flow->blocks[b];
    const struct flow_insn *i = &c->flow->insns[blk->end_insn];
    uint32_t next = blk->succ[0];
    struct barrier r = barrier_of(c, i);
    LLVMValueRef place = core_i32(c, i->place), kind = core_i32(c, r.kind);
    LLVMValueRef args[] = {c->e.warp, core_mask_bits(c), r.id, r.threads, kind, r.votes,
                           core_i32(c, 1), place};
    LLVMTypeRef none = LLVMVoidTypeInContext(c->e.context);
    bool together = core_nothing_pending(c, b) && !c->barrier_park[next];
    if (c->phases) {
        core_phases_barrier(c, b, r.kind, r.votes);
        return true;
    }
    if (c->alone) { /* who is alive is here: nobody to wait for */
        LLVMBuildStore(c->e.b, load_i32(c, c->alive), c->mask);
        LLVMBuildBr(c->e.b, c->block[next]);
        return true;
    }
    if (together && c->called) { /* other lanes of the warp may be elsewhere all the same */
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
        uint64_t *blocks = block_set(c, NULL);
        set_add(blocks, next);
        suspend(c, JIT_BARRIER, blocks);
        ls_release(blocks);
        LLVMBuildStore(c->e.b, load_i32(c, c->alive), c->mask);
        take_result(c, i, &r);
        LLVMBuildBr(c->e.b, c->block[next]);
        return true;
    }
    core_service(c, FIELD(jit_services, arrive), none, args, 8);
    add_lanes(c, c->waiting[next], core_mask_bits(c));
    dispatch(c, b, NULL, 0, false, UINT32_MAX);
    return true;
}

static void
emit_trap(struct core *c, const struct flow_insn *i)
{
    LLVMValueRef args[] = {c->e.warp, core_mask_bits(c), core_i32(c, JIT_TRAP_INSTRUCTION),
                           core_i32(c, i->place)};
    core_service(c, FIELD(jit_services, trap), LLVMVoidTypeInContext(c->e.context), args, 4);
    LLVMBuildUnreachable(c->e.b);
}

static bool
emit_end(struct core *c, uint32_t b)
{
    const struct flow_block *blk = &c->flow->blocks[b];
    if (blk->end_insn != UINT32_MAX) {
        c->e.insn = &c->flow->insns[blk->end_insn].i;
        c->e.func = c->flow->insns[blk->end_insn].func;
        core_count(c, &c->flow->insns[blk->end_insn]);
    }
    switch (blk->end) {
    case FLOW_JUMP:
        jump(c, b, blk->succ[0]);
        return true;
    case FLOW_BRANCH:
        end_branch(c, b);
        return true;
    case FLOW_SWITCH:
        return end_switch(c, b);
    case FLOW_BARRIER:
        return end_barrier(c, b);
    case FLOW_TRAP:
        emit_trap(c, &c->flow->insns[blk->end_insn]);
        return true;
    default:
        LLVMBuildStore(c->e.b,
                       LLVMBuildAnd(c->e.b, load_i32(c, c->alive),
                                    LLVMBuildNot(c->e.b, core_mask_bits(c), ""), ""),
                       c->alive);
        dispatch(c, b, NULL, 0, false, UINT32_MAX);
        return true;
    }
}

/* -- the ends of the function ---------------------------------------------------------------------------- */

/* Parked lanes that can go on run. */
static void
wake_parked(struct core *c, const uint64_t *parks)
{
    LLVMBuilderRef b = c->e.b;
    for (uint32_t k = 0; k < c->flow->block_count; k++) {
        if (!set_has(parks, k))
            continue;
        LLVMBasicBlockRef here = core_new_block(c, "wake"), next = core_new_block(c, "next");
        LLVMValueRef lanes = load_i32(c, c->pending[k]);
        LLVMBuildCondBr(b, is_nonzero(c, lanes), here, next);
        LLVMPositionBuilderAtEnd(b, here);
        take(c, k, lanes);
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
                      stuck = core_new_block(c, "stuck"), tell = core_new_block(c, "tell");
    LLVMValueRef outcome = core_sync_retry(c);
    LLVMValueRef which = LLVMBuildSwitch(b, outcome, none, 2);
    LLVMAddCase(which, core_i32(c, SYNC_WOKEN), woken);
    LLVMAddCase(which, core_i32(c, SYNC_HELD), held);
    LLVMPositionBuilderAtEnd(b, woken);
    wake_parked(c, parks);
    LLVMPositionBuilderAtEnd(b, held);
    core_sync_tell(c);
    LLVMBuildCondBr(b, is_nonzero(c, any), tell, stuck);
    LLVMPositionBuilderAtEnd(b, tell);
    LLVMBuildBr(b, none);
    LLVMPositionBuilderAtEnd(b, stuck);
    core_store_field(c, c->e.warp, FIELD(jit_warp, lanes), load_i32(c, c->alive));
    LLVMValueRef args[] = {c->e.warp, load_i32(c, c->alive), core_i32(c, JIT_TRAP_LANES),
                           core_i32(c, 0)};
    core_service(c, FIELD(jit_services, trap), LLVMVoidTypeInContext(c->e.context), args, 4);
    LLVMBuildUnreachable(b);
}

/* No lane can run: done, or wait for barriers and wake the released lanes. */
static void
emit_no_lanes_left(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    const struct flow *f = c->flow;
    LLVMPositionBuilderAtEnd(b, c->end);
    uint64_t *parks = block_set(c, NULL);
    LLVMValueRef any = core_i32(c, 0);
    bool parking = false;
    for (uint32_t k = 0; k < f->block_count; k++)
        if (c->facts->parks[k])
            set_add(parks, k);
    for (uint32_t k = 0; k < f->block_count; k++)
        if (c->barrier_park[k]) {
            parking = true;
            any = LLVMBuildOr(b, any, load_i32(c, c->waiting[k]), "");
        }
    if (c->site_count) {
        LLVMBasicBlockRef none = core_new_block(c, "none_held");
        emit_held(c, parks, any, none);
        LLVMPositionBuilderAtEnd(b, none);
    }
    LLVMBasicBlockRef done = core_new_block(c, "done");
    if (!parking) {
        LLVMBuildBr(b, done);
    } else {
        LLVMBasicBlockRef wait = core_new_block(c, "wait");
        LLVMBuildCondBr(b, is_nonzero(c, any), wait, done);
        LLVMPositionBuilderAtEnd(b, wait);
        suspend(c, JIT_WAIT, parks);
        LLVMTypeRef i32 = core_scalar(c, 32);
        LLVMValueRef released = core_load_field(c, c->e.warp, FIELD(jit_warp, released), i32);
        any = core_i32(c, 0);
        for (uint32_t k = 0; k < f->block_count; k++)
            if (c->barrier_park[k])
                any = LLVMBuildOr(b, any, load_i32(c, c->waiting[k]), "");
        core_store_field(c, c->e.warp, FIELD(jit_warp, released),
                         LLVMBuildAnd(b, released, LLVMBuildNot(b, any, ""), ""));
        for (uint32_t k = 0; k < f->block_count; k++) {
            if (!c->barrier_park[k])
                continue;
            LLVMValueRef w = load_i32(c, c->waiting[k]);
            LLVMValueRef go = LLVMBuildAnd(b, w, released, "");
            LLVMBuildStore(b, LLVMBuildAnd(b, w, LLVMBuildNot(b, released, ""), ""), c->waiting[k]);
            add_lanes(c, c->pending[k], go);
        }
        wake_parked(c, parks);
    }
    LLVMPositionBuilderAtEnd(b, done);
    if (c->called) {
        core_store_field(c, c->e.warp, FIELD(jit_warp, stack), c->stack);
        LLVMBuildRetVoid(b);
    } else {
        core_store_field(c, c->e.warp, FIELD(jit_warp, lanes), core_i32(c, 0));
        LLVMBuildRet(b, core_i32(c, JIT_DONE));
    }
    ls_release(parks);
}

/* Results of a barrier's reduction that lanes woken from waiting[] take: at the start of the block. */
static void
take_parked_results(struct core *c, uint32_t block)
{
    const struct flow_block *blk = &c->flow->blocks[block];
    for (uint32_t k = 0; k < blk->pred_count; k++) {
        const struct flow_block *from = &c->flow->blocks[blk->pred[k]];
        if (from->end != FLOW_BARRIER)
            continue;
        const struct flow_insn *i = &c->flow->insns[from->end_insn];
        if (ptx_has(&i->i, PTX_M_RED)) {
            struct barrier r = {.result = &i->i.operand[0]};
            r.kind = ptx_has(&i->i, PTX_M_POPC) ? JIT_BAR_RED_POPC : JIT_BAR_RED_OR;
            take_result(c, i, &r);
        }
    }
}

/* -- entry ------------------------------------------------------------------------------------------------- */

static LLVMValueRef
load_ptr(struct core *c, LLVMValueRef base, size_t offset)
{
    return core_load_field(c, base, offset, LLVMPointerTypeInContext(c->e.context, 0));
}

void
core_tid(struct core *c, LLVMValueRef warp_index, LLVMValueRef tid[3])
{
    LLVMBuilderRef b = c->e.b;
    const uint32_t *dim = c->facts->shape.block;
    LLVMValueRef first = LLVMBuildMul(b, warp_index, core_i32(c, LANES), "");
    tid[0] = LLVMBuildURem(b, first, core_i32(c, dim[0]), "tid.x");
    LLVMValueRef row = LLVMBuildUDiv(b, first, core_i32(c, dim[0]), "");
    tid[1] = LLVMBuildURem(b, row, core_i32(c, dim[1]), "tid.y");
    tid[2] = LLVMBuildUDiv(b, row, core_i32(c, dim[1]), "tid.z");
}

static void
emit_entry(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    c->block_ptr = load_ptr(c, c->e.warp, FIELD(jit_warp, block));
    c->frame = load_ptr(c, c->e.warp, FIELD(jit_warp, frame));
    c->launch_ptr = load_ptr(c, c->block_ptr, FIELD(jit_block, launch));
    c->e.services = load_ptr(c, c->launch_ptr, FIELD(jit_launch, services));
    c->params = load_ptr(c, c->launch_ptr, FIELD(jit_launch, params));
    c->symbols = load_ptr(c, c->launch_ptr, FIELD(jit_launch, symbols));
    c->shared = LLVMBuildPtrToInt(b, load_ptr(c, c->block_ptr, FIELD(jit_block, shared)),
                                  core_scalar(c, 64), "shared");
    c->local = LLVMBuildPtrToInt(b, load_ptr(c, c->block_ptr, FIELD(jit_block, local)),
                                 core_scalar(c, 64), "local");
    if (c->events & JIT_EVENT_COUNT)
        c->counts = load_ptr(c, c->block_ptr, FIELD(jit_block, counts));
    c->local_stride = core_load_field(c, c->launch_ptr, FIELD(jit_launch, local_stride), i32);
    c->warp_index = core_load_field(c, c->e.warp, FIELD(jit_warp, warp), i32);
    core_seen_begin(c);
    core_tid(c, c->warp_index, c->tid);
    for (unsigned d = 0; d < 3; d++)
        c->ctaid[d] = core_load_field(c, c->block_ptr, FIELD(jit_block, ctaid) + 4 * d, i32);
    for (uint32_t k = 0; k < c->flow->block_count; k++) {
        LLVMBuildStore(b, core_i32(c, 0), c->pending[k]);
        LLVMBuildStore(b, core_i32(c, 0), c->waiting[k]);
    }
    LLVMValueRef lanes = c->called ? LLVMGetParam(c->e.function, 1)
                         : c->facts->shape.partial
                             ? core_load_field(c, c->e.warp, FIELD(jit_warp, lanes), i32)
                             : core_i32(c, ~0u);
    LLVMBuildStore(b, lanes, c->alive);
    LLVMBuildStore(b, lanes, c->mask);
}

static void
make_storage(struct core *c)
{
    const struct flow *f = c->flow;
    LLVMTypeRef i32 = core_scalar(c, 32);
    c->reg = ls_alloc(sizeof *c->reg * (f->reg_count + 1));
    c->frame_at = ls_alloc(sizeof *c->frame_at * (f->reg_count + 2 * f->block_count + 1));
    memset(c->frame_at, 0xff, sizeof *c->frame_at * (f->reg_count + 2 * f->block_count + 1));
    c->pending = ls_alloc(sizeof *c->pending * f->block_count);
    c->waiting = ls_alloc(sizeof *c->waiting * f->block_count);
    c->block = ls_alloc(sizeof *c->block * f->block_count);
    c->barrier_park = ls_alloc(f->block_count);
    for (uint32_t r = 0; r < f->reg_count; r++) {
        if (c->facts->reg[r].kind == FACT_NONE)
            continue;
        c->reg[r] = core_alloca(c, core_reg_type(c, r));
        if (set_has(f->blocks[0].live_in, r)) /* read before it is written */
            LLVMBuildStore(c->e.b, LLVMConstNull(core_reg_type(c, r)), c->reg[r]);
    }
    core_guess_storage(c);
    core_agree_storage(c);
    for (uint32_t k = 0; k < f->block_count; k++) {
        c->pending[k] = core_alloca(c, i32);
        c->waiting[k] = core_alloca(c, i32);
        c->block[k] = core_new_block(c, "b");
        if (f->blocks[k].end == FLOW_BARRIER && c->facts->parks[f->blocks[k].succ[0]])
            c->barrier_park[f->blocks[k].succ[0]] = true;
    }
    if (c->facts->shape.apart) {
        c->frame_bytes = frame_apart(c, c->frame_at);
        core_sync_storage(c);
    }
    c->kept = frame_kept(c);
    core_whole_choose(c);
    c->mask = core_alloca(c, i32);
    c->alive = core_alloca(c, i32);
    c->carry = core_alloca(c, core_vector(c, 1));
}

static void
free_storage(struct core *c)
{
    ls_release(c->reg);
    ls_release(c->guess);
    ls_release(c->agree);
    ls_release(c->frame_at);
    ls_release(c->pending);
    ls_release(c->waiting);
    ls_release(c->block);
    ls_release(c->whole);
    ls_release(c->taps);
    ls_release(c->barrier_park);
    ls_release(c->kept);
    ls_release(c->site);
    core_sure_free(c);
    ls_release(c->batch);
    VEC_FREE(&c->resumes);
}

static bool
emit_blocks(struct core *c)
{
    for (uint32_t k = 0; k < c->flow->block_count; k++) {
        const struct flow_block *blk = &c->flow->blocks[k];
        LLVMPositionBuilderAtEnd(c->e.b, c->block[k]);
        c->current = k;
        c->counted = c->counted_end = NULL;
        if (c->phases)
            core_phases_at(c, k);
        core_whole_enter(c, k);
        if (c->barrier_park[k])
            take_parked_results(c, k);
        if (core_sync_tests(c, k))
            core_sync_test(c, k);
        c->synced = c->site && c->site[k] != UINT32_MAX;
        if (c->synced)
            core_sync_wait(c, k);
        for (uint32_t n = 0; n < blk->count; n++) {
            if (!core_insn(c, &c->flow->insns[blk->first + n]))
                return false;
            c->synced = false;
        }
        core_batch_flush(c);
        if (c->phases)
            jam_tail(c, k);
        if (!emit_end(c, k))
            return false;
    }
    return true;
}

/* Takes local memory for the function's variables; too deep is an error of the kernel. 32 bytes a
 * call stand for what hardware saves, so that recursion without variables ends as well. */
static void
enter_call(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    c->arguments = LLVMGetParam(c->e.function, 2);
    c->stack = core_load_field(c, c->e.warp, FIELD(jit_warp, stack), i32);
    LLVMValueRef top = LLVMBuildAdd(b, c->stack, core_i32(c, c->flow->local_bytes + 32), "");
    core_store_field(c, c->e.warp, FIELD(jit_warp, stack), top);
    LLVMBasicBlockRef deep = core_new_block(c, "deep"), fine = core_new_block(c, "fine");
    LLVMTypeRef i64 = core_scalar(c, 64);
    LLVMValueRef here = LLVMBuildPtrToInt(b, core_alloca(c, i64), i64, "");
    LLVMValueRef end = core_load_field(c, c->e.warp, FIELD(jit_warp, stack_end), i64);
    LLVMValueRef too_deep = LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntUGT, top, c->local_stride, ""),
                                        LLVMBuildICmp(b, LLVMIntULT, here, end, ""), "");
    LLVMBuildCondBr(b, too_deep, deep, fine);
    LLVMPositionBuilderAtEnd(b, deep);
    LLVMValueRef args[] = {c->e.warp, load_i32(c, c->mask), core_i32(c, JIT_TRAP_STACK),
                           core_i32(c, c->flow->insns[0].place)};
    core_service(c, FIELD(jit_services, trap), LLVMVoidTypeInContext(c->e.context), args, 4);
    LLVMBuildUnreachable(b);
    LLVMPositionBuilderAtEnd(b, fine);
}

/* Where lanes go on that the usual kind of function left: everything from the frame; they come to
 * the block that jit_warp.barrier names. */
static void
emit_apart_entry(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), nowhere = core_new_block(c, "nowhere");
    new_resume(c);
    LLVMPositionBuilderAtEnd(b, c->resumes.at[SYNC_RESUME - 1].block);
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMBuildStore(b, core_load_field(c, c->e.warp, FIELD(jit_warp, lanes), i32), c->alive);
    frame_take(c);
    core_sync_begin(c);
    LLVMValueRef block = core_load_field(c, c->e.warp, FIELD(jit_warp, barrier), i32);
    LLVMValueRef where = LLVMBuildSwitch(b, block, nowhere, 8);
    for (uint32_t k = 0; k < c->flow->block_count; k++) {
        if (c->site[k] == UINT32_MAX)
            continue;
        LLVMBasicBlockRef at = core_new_block(c, "at");
        LLVMAddCase(where, core_i32(c, k), at);
        LLVMPositionBuilderAtEnd(b, at);
        take(c, k, load_i32(c, c->pending[k]));
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
    c->e.function = c->called ? core_callee(c, name, &type)
                              : LLVMAddFunction(c->e.module, name, type);
    c->e.warp = LLVMGetParam(c->e.function, 0);
    c->entry = LLVMAppendBasicBlockInContext(c->e.context, c->e.function, "entry");
    if (!c->phases)
        c->end = core_new_block(c, "end");
    /* Tools are told addresses as they would be in a flat layout, each lane's in one piece. */
    c->local_words = !c->called && emit_on(&c->e, PASS_LOCAL_WORDS) && core_local_words(c->flow);
    c->streams = !c->called && emit_on(&c->e, PASS_STREAMING_STORES) && core_streams(c->flow);
    bool counted = c->events & (JIT_EVENT_GUARD | JIT_EVENT_COUNT);
    c->combines = !c->called && (!c->events || counted) && emit_on(&c->e, PASS_PENDING_SUMS) && core_combines(c->flow);
    if (c->flow->local_bytes && emit_on(&c->e, PASS_LOCAL_WORDS))
        jit_remark_kernel(c->e.remarks, PASS_LOCAL_WORDS, c->local_words, "%u bytes a lane%s", c->flow->local_bytes,
                          c->local_words ? "" : ", to which generic pointers or calls may lead");
    LLVMPositionBuilderAtEnd(c->e.b, c->entry);
    make_storage(c);
    emit_entry(c);
    if (c->called) {
        enter_call(c);
        LLVMBuildBr(c->e.b, c->block[0]);
        bool fine = emit_blocks(c);
        if (fine)
            emit_no_lanes_left(c);
        free_storage(c);
        return fine;
    }
    if (c->phases) {
        bool fine = core_phases_begin(c) && emit_blocks(c) && core_whole_emit(c) && jam_emit(c);
        if (fine)
            core_phases_end(c);
        c->frame_bytes = (c->frame_bytes + 63) & ~63u;
        free_storage(c);
        return fine;
    }
    LLVMBasicBlockRef start = core_new_block(c, "start");
    LLVMValueRef resume = core_load_field(c, c->e.warp, FIELD(jit_warp, resume), core_scalar(c, 32));
    c->resume_switch = LLVMBuildSwitch(c->e.b, resume, start, 4);
    LLVMPositionBuilderAtEnd(c->e.b, start);
    if (c->facts->shape.apart) {
        emit_apart_entry(c);
        core_sync_begin(c);
    }
    if (c->flow->call_count || c->flow->indirect || core_uses_stack(c->flow))
        core_store_field(c, c->e.warp, FIELD(jit_warp, stack), core_i32(c, c->flow->local_bytes));
    LLVMBuildBr(c->e.b, c->block[0]);
    bool ok = emit_blocks(c);
    if (ok) {
        emit_no_lanes_left(c);
        for (size_t k = 0; k < c->resumes.count; k++)
            LLVMAddCase(c->resume_switch, core_i32(c, (uint32_t)k + 1), c->resumes.at[k].block);
    }
    c->frame_bytes = (c->frame_bytes + 63) & ~63u;
    free_storage(c);
    return ok;
}
