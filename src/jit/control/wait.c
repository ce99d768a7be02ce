/* SPDX-License-Identifier: Apache-2.0
 *
 * control/wait.c: instructions that wait for the lanes that their member mask names: bar.warp.sync,
 * shfl.sync, vote.sync, match.sync, redux.sync, elect.sync (PTX ISA 9.7.13).
 *
 * Lanes that meet at one instruction, which is what nearly every program does, need no waiting: the
 * order of blocks has brought them together. So a warp function comes in two kinds. The usual one
 * tests at those instructions where lanes may be elsewhere whether all that are named have come. If
 * not, it leaves every register as a vector in the frame, and the other kind, compiled when that
 * first happens, goes on there ("apart"): in it lanes stand still at the instruction until all that
 * they name have come to one of its kind (operation and modifiers), wherever that is in the
 * program.
 *
 * What such lanes bring lies in the frame, one struct site per instruction. When a group is
 * complete, its values are copied to every site where some of it stand; each site then computes its
 * own lanes' results from the whole group's values.
 */
#include "jit/control/control.h"

#include "jit/insn/insn.h"
#include "jit/ops/sync.h"

#include <string.h>

#define SITE(field) offsetof(struct sync_site, field)

/* -- the instruction of a block ---------------------------------------------------------------- */

static const struct wir_insn *
insn_of(const struct core *c, uint32_t block)
{
    return &c->wir->insns[c->wir->blocks[block].first];
}

/* Instructions of one kind wait for each other: same operation, modifiers and type. */
static uint32_t
kind_of(const struct core *c, uint32_t block)
{
    const struct ptx_insn *p = &insn_of(c, block)->i;
    for (uint32_t k = 0; k < block; k++) {
        if (!c->wir->blocks[k].sync)
            continue;
        const struct ptx_insn *q = &insn_of(c, k)->i;
        if (q->op == p->op && !memcmp(&q->mods, &p->mods, sizeof q->mods) &&
            q->type_count == p->type_count && !memcmp(q->type, p->type, sizeof q->type))
            return k;
    }
    return block;
}

static void
set_place(struct core *c, uint32_t block)
{
    const struct wir_insn *i = insn_of(c, block);
    c->e.insn = &i->i;
    c->e.func = i->func;
    c->e.place = i->place;
    c->e.lanes = LANES;
    c->e.mask = core_mask(c);
    c->e.mask_bits = core_mask_bits(c);
}

/* -- the usual kind: leaving ------------------------------------------------------------------- */

static LLVMValueRef
all_members(struct core *c, const struct wir_insn *i)
{
    const struct ptx_operand *o = core_members(&i->i);
    struct fact f = facts_operand(c->facts, i, o);
    if (fact_uniform(&f))
        return core_value(c, i, o, 32, true);
    LLVMTypeRef vector = core_vector(c, 32);
    LLVMValueRef v = core_value(c, i, o, 32, false);
    v = LLVMBuildSelect(c->e.b, core_all_lanes(c), v, LLVMConstNull(vector), "");
    return emit_intrinsic(&c->e, "llvm.vector.reduce.or", &vector, 1, &v, 1);
}

/* A function that is called cannot leave: lanes outside of the call that are named are an error. */
static void
test_in_call(struct core *c, uint32_t block)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32), none = LLVMVoidTypeInContext(c->e.context);
    LLVMValueRef outside =
        LLVMBuildAnd(b, core_load_field(c, c->e.warp, FIELD(jit_warp, lanes), i32),
                     LLVMBuildNot(b, LLVMBuildLoad2(b, i32, c->lanes.alive, ""), ""), "");
    LLVMValueRef absent = LLVMBuildAnd(b, all_members(c, insn_of(c, block)), outside, "");
    LLVMBasicBlockRef deadlock = core_new_block(c, "stuck"), here = core_new_block(c, "all_here");
    LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, absent, core_i32(c, 0), "");
    core_mark_rare(c, LLVMBuildCondBr(b, some, deadlock, here));
    LLVMPositionBuilderAtEnd(b, deadlock);
    uint32_t place = insn_of(c, block)->place;
    LLVMValueRef announced[] = {c->e.warp, core_mask_bits(c), core_i32(c, place)};
    core_service(c, FIELD(jit_services, held), none, announced, 3);
    core_trap(c, core_mask_bits(c), JIT_TRAP_LANES, place);
    LLVMPositionBuilderAtEnd(b, here);
}

static void
leave_apart(struct core *c, uint32_t block)
{
    LLVMBuilderRef b = c->e.b;
    frame_leave(c, block);
    core_store_field(c, c->e.warp, FIELD(jit_warp, lanes),
                     LLVMBuildLoad2(b, core_scalar(c, 32), c->lanes.alive, ""));
    core_store_field(c, c->e.warp, FIELD(jit_warp, resume), core_i32(c, SYNC_RESUME));
    LLVMBuildRet(b, core_i32(c, JIT_APART));
}

void
core_sync_test(struct core *c, uint32_t block)
{
    LLVMBuilderRef b = c->e.b;
    set_place(c, block);
    if (c->form.called) {
        test_in_call(c, block);
        return;
    }
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef alive = LLVMBuildLoad2(b, i32, c->lanes.alive, "");
    LLVMValueRef absent = LLVMBuildAnd(b, alive, LLVMBuildNot(b, core_mask_bits(c), ""), "");
    absent = LLVMBuildAnd(b, all_members(c, insn_of(c, block)), absent, "");
    LLVMBasicBlockRef apart = core_new_block(c, "apart"), here = core_new_block(c, "all_here");
    LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, absent, core_i32(c, 0), "");
    core_mark_rare(c, LLVMBuildCondBr(b, some, apart, here));
    LLVMPositionBuilderAtEnd(b, apart);
    LLVMBuildStore(
        b,
        LLVMBuildOr(b, LLVMBuildLoad2(b, i32, c->lanes.pending[block], ""), core_mask_bits(c), ""),
        c->lanes.pending[block]);
    core_store_field(c, c->e.warp, FIELD(jit_warp, barrier), core_i32(c, block));
    if (c->form
            .in_memory) { /* all registers lie where they always do: one way out for all blocks */
        c->saved.leave = c->saved.leave ? c->saved.leave : core_new_block(c, "leave");
        LLVMBuildBr(b, c->saved.leave);
    } else {
        leave_apart(c, block);
    }
    LLVMPositionBuilderAtEnd(b, here);
}

void
core_sync_leave(struct core *c)
{
    if (!c->saved.leave)
        return;
    LLVMPositionBuilderAtEnd(c->e.b, c->saved.leave);
    leave_apart(c, UINT32_MAX);
}

/* -- the other kind: standing still ------------------------------------------------------------ */

static LLVMValueRef
helper(struct core *c, const char *name, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef types[8];
    for (unsigned k = 0; k < n; k++)
        types[k] = LLVMTypeOf(args[k]);
    LLVMTypeRef type = LLVMFunctionType(core_scalar(c, 32), types, n, false);
    LLVMValueRef f = LLVMGetNamedFunction(c->e.module, name);
    f = f ? f : LLVMAddFunction(c->e.module, name, type);
    return LLVMBuildCall2(c->e.b, type, f, args, n, "");
}

/* Puts the values of the block's lanes behind the others' that stand there. */
static void
bring(struct core *c, uint32_t block, size_t field, LLVMValueRef v)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef at = core_sync_site(c, block, field);
    LLVMValueRef old = LLVMBuildLoad2(b, LLVMTypeOf(v), at, "");
    LLVMSetAlignment(old, 16);
    LLVMSetAlignment(LLVMBuildStore(b, LLVMBuildSelect(b, core_all_lanes(c), v, old, ""), at), 16);
}

static void
wake_others(struct core *c, uint32_t block)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    for (uint32_t k = 0; k < c->wir->block_count; k++) {
        if (k == block || c->saved.site[k] == UINT32_MAX)
            continue;
        LLVMValueRef at = core_sync_site(c, k, SITE(wake));
        LLVMValueRef both = LLVMBuildOr(b, LLVMBuildLoad2(b, i32, c->lanes.pending[k], ""),
                                        LLVMBuildLoad2(b, i32, at, ""), "");
        LLVMBuildStore(b, both, c->lanes.pending[k]);
        LLVMBuildStore(b, core_i32(c, 0), at);
    }
}

/* Lanes about to exit. */
static LLVMValueRef
leaving_lanes(struct core *c)
{
    LLVMValueRef lanes = core_i32(c, 0);
    for (uint32_t k = 0; k < c->wir->block_count; k++)
        if (c->wir->blocks[k].end == WIR_EXIT && !c->wir->blocks[k].count)
            lanes = LLVMBuildOr(c->e.b, lanes,
                                LLVMBuildLoad2(c->e.b, core_scalar(c, 32), c->lanes.pending[k], ""),
                                "");
    return lanes;
}

/* Those of the block's lanes that come for the first time: others stood here, and go on now. */
LLVMValueRef
core_sync_new(struct core *c, uint32_t block)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef passed = core_load_i32(c, core_sync_site(c, block, SITE(passed)));
    return LLVMBuildAnd(b, core_mask_bits(c), LLVMBuildNot(b, passed, ""), "");
}

static void
announce_absent(struct core *c, uint32_t block, LLVMValueRef ready)
{
    LLVMBuilderRef b = c->e.b;
    if (!(insn_of(c, block)->tells & TELL_SYNC))
        return;
    LLVMValueRef at = core_sync_site(c, block, SITE(absent));
    LLVMValueRef absent = LLVMBuildLoad2(b, core_scalar(c, 32), at, "");
    LLVMBasicBlockRef some = core_new_block(c, "absent"), none = core_new_block(c, "all_came");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, absent, core_i32(c, 0), ""), some, none);
    LLVMPositionBuilderAtEnd(b, some);
    LLVMBuildStore(b, core_i32(c, 0), at);
    LLVMValueRef no = LLVMConstNull(LLVMPointerTypeInContext(c->e.context, 0));
    LLVMValueRef args[] = {c->e.warp, ready,  core_i32(c, JIT_ASYNC_ABSENT),
                           no,        absent, core_i32(c, insn_of(c, block)->place)};
    core_service(c, FIELD(jit_services, async), LLVMVoidTypeInContext(c->e.context), args, 6);
    LLVMBuildBr(b, none);
    LLVMPositionBuilderAtEnd(b, none);
}

void
core_sync_wait(struct core *c, uint32_t block)
{
    LLVMBuilderRef b = c->e.b;
    const struct wir_insn *i = insn_of(c, block);
    const struct ptx_insn *p = &i->i;
    set_place(c, block);
    bring(c, block, SITE(members), core_value(c, i, core_members(p), 32, false));
    for (unsigned k = 1, n = 0; k < p->operand_count && n < SYNC_INPUTS && p->op != PTX_OP_BAR_WARP;
         k++, n++) {
        LLVMValueRef v = core_value(c, i, &p->operand[k], core_source_bits(c, p, k - 1), false);
        v = LLVMBuildZExt(b, v, core_vector(c, 64), "");
        bring(c, block, SITE(in) + n * sizeof(uint64_t) * LANES, v);
    }
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef args[] = {core_sync_sites(c),
                           core_i32(c, c->saved.site_count),
                           core_i32(c, c->saved.site[block]),
                           core_mask_bits(c),
                           LLVMBuildLoad2(b, i32, c->lanes.alive, ""),
                           leaving_lanes(c)};
    LLVMValueRef ready = helper(c, "jit_sync_arrive", args, 6);
    wake_others(c, block);
    LLVMBasicBlockRef go = core_new_block(c, "go"), stay = core_new_block(c, "stay");
    LLVMBuildStore(b, ready, c->lanes.mask);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, ready, core_i32(c, 0), ""), go, stay);
    LLVMPositionBuilderAtEnd(b, stay);
    core_go_elsewhere(c, block);
    LLVMPositionBuilderAtEnd(b, go);
    announce_absent(c, block, ready);
}

/* -- the frame's part -------------------------------------------------------------------------- */

void
core_sync_storage(struct core *c)
{
    uint32_t n = c->wir->block_count;
    if (c->form.steps) /* core_home_storage has */
        return;
    c->saved.site = ls_alloc(sizeof *c->saved.site * (n + 1));
    for (uint32_t k = 0; k < n; k++)
        c->saved.site[k] = facts_waits(c->facts, k) ? c->saved.site_count++ : UINT32_MAX;
    c->saved.sites_at = (c->saved.frame_bytes + 63) & ~63u;
    c->saved.frame_bytes =
        c->saved.sites_at + c->saved.site_count * (uint32_t)sizeof(struct sync_site);
}

void
core_sync_begin(struct core *c)
{
    static const size_t zero[] = {SITE(held), SITE(came),   SITE(passed),
                                  SITE(wake), SITE(active), SITE(absent)};
    for (uint32_t k = 0; k < c->wir->block_count; k++) {
        if (c->saved.site[k] == UINT32_MAX)
            continue;
        for (size_t n = 0; n < sizeof zero / sizeof *zero; n++)
            LLVMBuildStore(c->e.b, core_i32(c, 0), core_sync_site(c, k, zero[n]));
        LLVMBuildStore(c->e.b, core_i32(c, kind_of(c, k)), core_sync_site(c, k, SITE(kind)));
    }
}

/* -- nobody can run ---------------------------------------------------------------------------- */

LLVMValueRef
core_sync_retry(struct core *c)
{
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef args[] = {core_sync_sites(c), core_i32(c, c->saved.site_count),
                           LLVMBuildLoad2(c->e.b, i32, c->lanes.alive, "")};
    LLVMValueRef outcome = helper(c, "jit_sync_retry", args, 3);
    wake_others(c, UINT32_MAX);
    return outcome;
}

void
core_sync_tell(struct core *c)
{
    LLVMTypeRef i32 = core_scalar(c, 32);
    for (uint32_t k = 0; k < c->wir->block_count; k++) {
        if (c->saved.site[k] == UINT32_MAX)
            continue;
        LLVMValueRef held = LLVMBuildLoad2(c->e.b, i32, core_sync_site(c, k, SITE(held)), "");
        LLVMValueRef args[] = {c->e.warp, held, core_i32(c, insn_of(c, k)->place)};
        core_service(c, FIELD(jit_services, held), LLVMVoidTypeInContext(c->e.context), args, 3);
    }
}
