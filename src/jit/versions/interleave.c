/* SPDX-License-Identifier: Apache-2.0
 *
 * versions/interleave.c: warps of a block that run together. A warp that adds up one sum waits four
 * cycles for each addition, and what it reads - a row of a tile, half a line of memory - its
 * neighbours read as well. So regions are emitted a second time for 2, 4 or 8 warps at once: each
 * instruction for one warp after the other, what the block agrees on once, no masks, since all
 * lanes of all of them are there.
 *
 *     end of a block    all threads of the block agree: one branch. Else it is looked at whether
 *                       all lanes of these warps go the same way; where they do not, the warps
 *                       part: their registers go to their frames, and each runs to the end of the
 *                       region by itself, from the end of that block on (a site), in the code for
 *                       one warp
 *
 * Any order of the warps' instructions between two barriers is one that the hardware may choose.
 */
#include "jit/versions/versions.h"

#include "jit/control/control.h"
#include "jit/memory/memory.h"

#include <string.h>

/* -- storage ----------------------------------------------------------------------------------- */

static void
make_context(struct core *c, struct warp_context *t)
{
    const struct warp_context own = {
        .reg = c->regs.reg, .guess = c->regs.guess, .carry = c->regs.carry};
    t->reg = ls_alloc(sizeof *t->reg * (c->wir->reg_count + 1));
    for (uint32_t r = 0; r < c->wir->reg_count; r++)
        if (own.reg[r])
            t->reg[r] =
                c->regions->known->same[r] ? own.reg[r] : core_alloca(c, core_reg_type(c, r));
    c->regs.reg = t->reg;
    core_guess_storage(c);
    t->guess = c->regs.guess;
    t->carry = core_alloca(c, core_vector(c, 1));
    c->regs.reg = own.reg;
    c->regs.guess = own.guess;
}

static void
make_agreement(struct core *c)
{
    LLVMValueRef *reg = c->regs.reg, *agree_reg = c->regs.agree_reg;
    struct agree *agree = c->regs.agree;
    c->regs.reg = c->regions->interleaved_warp[0].reg;
    core_agree_storage(c);
    c->regions->agree = c->regs.agree;
    c->regs.reg = reg;
    c->regs.agree = agree;
    c->regs.agree_reg = agree_reg;
}

void
interleave_begin(struct core *c)
{
    struct barrier_regions *p = c->regions;
    uint32_t most = 1;
    for (uint32_t g = 0; g < p->group_count; g++)
        if (p->group[g].head && p->group[g].interleaved > 1) {
            p->group[g].interleaved_head = core_new_block(c, "together");
            most = p->group[g].interleaved > most ? p->group[g].interleaved : most;
        }
    if (most == 1)
        return;
    for (uint32_t k = 0; k < most; k++)
        make_context(c, &p->interleaved_warp[k]);
    make_agreement(c);
    if (p->columns)
        core_columns_room(c, p->columns);
    p->until = core_alloca(c, core_scalar(c, 32));
    p->at_site = core_alloca(c, core_scalar(c, 32));
    p->parted = ARENA_ARRAY(&p->arena, LLVMValueRef, c->wir->reg_count + 1);
    for (uint32_t k = 0; k < p->site_count; k++) {
        p->site[k].resume = core_new_block(c, "parted");
        p->site[k].tail = core_new_block(c, "tail");
    }
}

/* -- warps that run one by one, from a site on ------------------------------------------------- */

static bool
resume_at(struct core *c, const struct interleave_site *s)
{
    LLVMPositionBuilderAtEnd(c->e.b, s->resume);
    c->now.current = s->block;
    const struct region_group *g = &c->regions->group[c->regions->group_of[s->block]];
    regions_forget(c, g);
    bool ok = regions_restore(c, g, s->live, c->regions->parted);
    LLVMBuildBr(c->e.b, s->tail);
    return ok;
}

bool
interleave_resume(struct core *c, uint32_t group)
{
    struct barrier_regions *p = c->regions;
    LLVMBuilderRef b = c->e.b;
    bool ok = true;
    LLVMBasicBlockRef nowhere = core_new_block(c, "nowhere");
    LLVMPositionBuilderAtEnd(b, p->group[group].head);
    LLVMValueRef which = LLVMBuildSwitch(b, core_load_i32(c, p->at_site), nowhere, p->site_count);
    LLVMPositionBuilderAtEnd(b, nowhere);
    LLVMBuildUnreachable(b);
    regions_use(c, &p->group[group].context);
    for (uint32_t k = 0; k < p->site_count && ok; k++) {
        if (p->group_of[p->site[k].block] != group)
            continue;
        LLVMAddCase(which, core_i32(c, k), p->site[k].resume);
        ok = resume_at(c, &p->site[k]);
    }
    return ok;
}

static struct interleave_site *
site_of(const struct barrier_regions *p, uint32_t b)
{
    for (uint32_t k = 0; k < p->site_count; k++)
        if (p->site[k].block == b)
            return &p->site[k];
    return NULL;
}

void
interleave_tail(struct core *c, uint32_t b)
{
    const struct interleave_site *s = site_of(c->regions, b);
    if (!s)
        return;
    LLVMBuildBr(c->e.b, s->tail);
    LLVMPositionBuilderAtEnd(c->e.b, s->tail);
}

void
interleave_next(struct core *c, const struct region_group *g, LLVMValueRef next)
{
    struct barrier_regions *p = c->regions;
    LLVMBuilderRef b = c->e.b;
    LLVMBasicBlockRef all = core_new_block(c, "all_warps"), set = core_new_block(c, "all_parted");
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntNE, next, core_load_i32(c, p->until), "");
    regions_repeat(c, more, g->head, set, g->mark);
    if (g->interleaved < p->warps) {
        more = LLVMBuildICmp(b, LLVMIntNE, next, core_i32(c, p->warps), "");
        LLVMBuildCondBr(b, more, g->interleaved_head, all);
    } else {
        LLVMBuildBr(b, all);
    }
    LLVMPositionBuilderAtEnd(b, all);
}

/* -- warps that run together ------------------------------------------------------------------- */

struct interleaving {
    struct core *c;
    struct barrier_regions *p;
    struct region_group *g;
    uint32_t group;
    LLVMBasicBlockRef *block; /* per block, this version */
    LLVMValueRef base;        /* the first of the warps */
    LLVMValueRef mark;
    uint64_t *speculated; /* set of blocks: parts of a way (versions/speculate.c) */
};

static void
use(const struct interleaving *j, uint32_t k)
{
    regions_use(j->c, &j->p->interleaved_warp[k]);
}

/* The next warps' turn; the builder is left where there are none. */
static void
next_warps(const struct interleaving *j)
{
    struct core *c = j->c;
    LLVMBuilderRef b = c->e.b;
    if (j->g->interleaved == j->p->warps)
        return;
    LLVMBasicBlockRef all = core_new_block(c, "all_warps");
    LLVMValueRef next = LLVMBuildAdd(b, j->base, core_i32(c, j->g->interleaved), "");
    LLVMBuildStore(b, next, j->p->warp);
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntNE, next, core_i32(c, j->p->warps), "");
    regions_repeat(c, more, j->g->interleaved_head, all, j->mark);
}

static void
begin_interleaved(struct interleaving *j)
{
    struct core *c = j->c;
    struct barrier_regions *p = j->p;
    LLVMBuilderRef b = c->e.b;
    LLVMPositionBuilderAtEnd(b, j->g->interleaved_head);
    j->base = j->g->interleaved == p->warps ? core_i32(c, 0) : core_load_i32(c, p->warp);
    for (uint32_t k = 0; k < j->g->interleaved; k++)
        regions_warp(c, &p->interleaved_warp[k], LLVMBuildNUWAdd(b, j->base, core_i32(c, k), ""));
    for (uint32_t k = 0; k < p->count; k++)
        if (p->region[k].group == j->group)
            p->region[k].interleaved = core_new_block(c, "phase");
    regions_dispatch(c, j->group, true);
}

static bool
begin_region(struct interleaving *j, struct barrier_region *x)
{
    struct core *c = j->c;
    const uint64_t *live = c->wir->blocks[x->entry].live_in;
    bool ok = true;
    LLVMPositionBuilderAtEnd(c->e.b, x->interleaved);
    c->now.current = x->entry;
    for (uint32_t k = 0; k < j->g->interleaved && ok; k++) {
        use(j, k);
        regions_forget(c, j->g);
        ok = x->barrier == UINT32_MAX || regions_restore(c, j->g, live, j->p->before);
        regions_start(c, x);
    }
    LLVMBuildBr(c->e.b, j->block[x->entry]);
    return ok;
}

/* The warps' registers into their frames, at the end of block b. */
static void
save_all(const struct interleaving *j, const uint64_t *live, uint32_t b)
{
    for (uint32_t k = 0; k < j->g->interleaved; k++) {
        use(j, k);
        regions_save(j->c, live, b);
    }
}

/* The bail edge of block b: each warp goes on alone from this site on. */
static void
part(struct interleaving *j, uint32_t b)
{
    struct core *c = j->c;
    struct barrier_regions *p = j->p;
    LLVMBuilderRef bld = c->e.b;
    const struct interleave_site *s = site_of(p, b);
    save_all(j, s->live, b);
    regions_keep(c, s->live, p->parted);
    LLVMBuildStore(bld, j->base, p->warp);
    LLVMBuildStore(bld, LLVMBuildAdd(bld, j->base, core_i32(c, j->g->interleaved), ""), p->until);
    LLVMBuildStore(bld, core_i32(c, (uint32_t)(s - p->site)), p->at_site);
    LLVMBuildBr(bld, j->g->head);
}

static void
end_branch(struct interleaving *j, uint32_t b)
{
    const struct wir_block *blk = &j->c->wir->blocks[b];
    LLVMBasicBlockRef to[2] = {j->block[blk->succ[0]], j->block[blk->succ[1]]};
    if (version_branch(j->c, b, warps_agree_now(j->p->known, b), to))
        part(j, b);
}

static void
end_barrier(struct interleaving *j, uint32_t b)
{
    struct core *c = j->c;
    const struct barrier_region *next = regions_after(j->p, b);
    save_all(j, c->wir->blocks[next->entry].live_in, b);
    next_warps(j);
    regions_leave(c, next);
}

/* What is emitted next belongs to the end of block b. */
static void
at_end(struct core *c, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    if (blk->end_insn != UINT32_MAX) {
        c->e.insn = &c->wir->insns[blk->end_insn].i;
        c->e.func = c->wir->insns[blk->end_insn].func;
        lines_at(&c->e, c->wir->insns[blk->end_insn].place);
    }
    c->e.lanes = LANES;
}

static void
end_block(struct interleaving *j, uint32_t b)
{
    struct core *c = j->c;
    const struct wir_block *blk = &c->wir->blocks[b];
    at_end(c, b);
    switch (blk->end) {
    case WIR_JUMP:
        if (frame_saves_at(c, b))
            save_all(j, c->wir->blocks[blk->succ[0]].live_in, b);
        LLVMBuildBr(c->e.b, j->block[blk->succ[0]]);
        break;
    case WIR_BRANCH: end_branch(j, b); break;
    case WIR_BARRIER: end_barrier(j, b); break;
    default:
        next_warps(j);
        core_columns_end(c); /* of warps that parted */
        LLVMBuildRet(c->e.b, core_i32(c, JIT_DONE));
    }
}

/* From the end of block b on without branches, where all that they ask holds
 * (versions/speculate.c). Elsewhere the warps part: a second way for all of them is half of such a
 * kernel's code, for the blocks at an array's edge, and these are no faster by it. */
static bool
emit_speculation(struct interleaving *j, uint32_t b, struct speculation *s)
{
    struct core *c = j->c;
    uint32_t place = c->wir->insns[c->wir->blocks[b].end_insn].place;
    emit_remark_at(&c->e, PASS_SPECULATE, true, place, "%u branches behind one test",
                   speculation_branches(s));
    if (speculation_products(s))
        emit_remark_at(&c->e, PASS_INDEX_PRODUCTS, true, place,
                       "%u indices that are sums of products", speculation_products(s));
    LLVMBasicBlockRef way = core_new_block(c, "straight"),
                      other = core_new_block(c, "not_straight");
    LLVMValueRef fine = speculation_test(c, s);
    bool ok = fine != NULL;
    if (ok)
        version_guard(c, fine, way, other);
    const struct version own = c->now.version;
    c->now.version.speculation = s;
    c->now.version.assume |= ASSUME_BOUNDS;
    uint32_t last = b;
    for (uint32_t k = 1, at; ok && (at = speculation_block(s, k)) != UINT32_MAX; k++) {
        set_add(j->speculated, at);
        ok = version_insns(c, at);
        last = at;
    }
    c->now.version = own;
    if (ok)
        end_block(j, last);
    LLVMPositionBuilderAtEnd(c->e.b, other);
    c->now.current = b;
    at_end(c, b);
    part(j, b);
    return ok;
}

/* The way from the end of block b on; NULL: there is none. */
static struct speculation *
find_speculation(const struct interleaving *j, uint32_t b)
{
    struct core *c = j->c;
    if (c->wir->blocks[b].end != WIR_BRANCH || warps_agree_now(j->p->known, b) ||
        set_has(j->speculated, b) || !emit_on(&c->e, PASS_SPECULATE))
        return NULL;
    use(j, 0);
    struct speculation *s = speculation_new(c, b);
    if (!s)
        emit_remark_at(&c->e, PASS_SPECULATE, false,
                       c->wir->insns[c->wir->blocks[b].end_insn].place,
                       "fewer than two branches whose bounds are known here");
    return s;
}

/* Block b of a loop once more, behind one test (versions/steady.c). */
static bool
emit_steady(struct core *c, const struct version_code *v, uint32_t b)
{
    struct steady *s = steady_new(c, b);
    if (!s)
        return true;
    LLVMBasicBlockRef in = core_new_block(c, "steady"), out = core_new_block(c, "unsteady");
    const struct wir_block *blk = &c->wir->blocks[b];
    bool ok = true;
    for (uint32_t n = blk->first; n < blk->first + blk->count && ok; n++)
        ok = !set_has(steady_early(s), n) || version_insn(c, n);
    LLVMValueRef rare = LLVMBuildNot(c->e.b, steady_test(c, s), "");
    core_mark_rare(c, LLVMBuildCondBr(c->e.b, rare, out, in));
    LLVMPositionBuilderAtEnd(c->e.b, in);
    const struct version own = c->now.version;
    c->now.version.assume |= ASSUME_STEADY;
    c->now.version.sure = steady_sure(s);
    ok = ok && version_insns(c, b);
    c->now.version = own;
    if (ok)
        end_block(v->own, b);
    LLVMPositionBuilderAtEnd(c->e.b, out);
    c->now.current = b;
    emit_fired(&c->e, PASS_LOOP_VERSIONS, "iterations without tests");
    steady_free(s);
    return ok;
}

static bool
end_version(struct core *c, const struct version_code *v, uint32_t b)
{
    (void)c;
    struct speculation *s = find_speculation(v->own, b);
    bool ok = true;
    if (s)
        ok = emit_speculation(v->own, b, s);
    else
        end_block(v->own, b);
    speculation_free(s);
    return ok;
}

static bool
enter_version(struct core *c, struct version_code *v)
{
    struct interleaving *j = v->own;
    bool ok = true;
    c->regs.agree = j->p->agree;
    c->regs.agree_reg = j->p->interleaved_warp[0].reg;
    j->mark = regions_mark(c, false);
    for (uint32_t k = 0; k < j->g->block_count; k++)
        j->block[j->g->blocks[k]] = core_new_block(c, "j");
    begin_interleaved(j);
    for (uint32_t k = 0; k < j->p->count && ok; k++)
        if (j->p->region[k].group == j->group)
            ok = begin_region(j, &j->p->region[k]);
    return ok;
}

static void
free_version(struct version_code *v)
{
    struct interleaving *j = v->own;
    ls_release(j->block);
    ls_release(j->speculated);
    ls_release(j);
}

struct version_code
interleave_version(struct core *c, uint32_t group)
{
    struct interleaving *j = ls_alloc(sizeof *j);
    *j = (struct interleaving){
        .c = c, .p = c->regions, .g = &c->regions->group[group], .group = group};
    j->block = ls_alloc(sizeof *j->block * (c->wir->block_count + 1));
    j->speculated = ls_alloc(sizeof *j->speculated * (c->wir->block_count / 64 + 1));
    struct version v = {.block = j->block,
                        .warps = j->g->interleaved,
                        .assume = ASSUME_FULL,
                        .plans = &c->plans.interleaved};
    return (struct version_code){.version = v,
                                 .enter = enter_version,
                                 .before = emit_steady,
                                 .end = end_version,
                                 .free = free_version,
                                 .own = j};
}
