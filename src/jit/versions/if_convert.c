/* SPDX-License-Identifier: Apache-2.0
 *
 * versions/if_convert.c: runs of conditions that all hold.
 *
 *     if (c0) sum += a0;
 *     if (c1) sum += a1;
 *     if (c2) sum += a2;
 *
 * A stencil, or a loop that was unrolled: in all warps but those at the borders of an array each
 * condition holds in all lanes. One by one each is tested, and what the bodies share - a row's
 * base, its masks - is computed anew in each, since LLVM may not assume that the one before was
 * executed. So, for warps of which all lanes are there (versions/full_mask.c), the conditions of a
 * run are computed at its start; where all of them hold, the run is one block of code. Everything
 * in it that only computes comes first, then loads, sums and stores in their order. Where one does
 * not hold, the run is executed as if nothing had been computed: what is written early is written
 * once and read by nothing that stands before it.
 */
#include "jit/versions/versions.h"

#include "jit/ops/ops.h"
#include "jit/control/control.h"
#include "jit/insn/insn.h"
#include "jit/memory/memory.h"

#include <string.h>

enum {
    MOST_CONDITIONS = 16,
    MOST_INSNS = 400, /* of all runs of a function, emitted once more */
};

struct conditions {
    uint32_t count, end;            /* end: where the run leads */
    uint32_t head[MOST_CONDITIONS]; /* ends with the branch; the first: where the run begins */
    uint32_t body[MOST_CONDITIONS]; /* what is executed if it is so */
    bool taken[MOST_CONDITIONS];    /* if the branch is taken; else if it is not */
};

/* -- finding runs ------------------------------------------------------------------------------ */

/* Past blocks that do nothing. */
static uint32_t
past_empty(const struct wir *f, uint32_t b)
{
    for (uint32_t k = 0; k < 4 && f->blocks[b].end == WIR_JUMP && !f->blocks[b].count; k++)
        b = f->blocks[b].succ[0];
    return b;
}

/* Whether head is `if (...) body;`; *next: behind it. */
static bool
is_conditional(const struct core *c, uint32_t head, struct conditions *s, uint32_t *next)
{
    const struct wir *f = c->wir;
    const struct wir_block *blk = &f->blocks[head];
    for (uint32_t k = 0; blk->end == WIR_BRANCH && blk->succ_count == 2 && k < 2; k++) {
        uint32_t body = past_empty(f, blk->succ[k]), join = past_empty(f, blk->succ[1 - k]);
        if (f->blocks[body].end != WIR_JUMP || past_empty(f, f->blocks[body].succ[0]) != join ||
            body <= head || join <= head || !f->blocks[body].count || !c->full_mask[body])
            continue;
        s->head[s->count] = head;
        s->body[s->count] = body;
        s->taken[s->count++] = k == 0;
        *next = join;
        return true;
    }
    return false;
}

static bool
is_known(struct core *c, uint32_t guard)
{
    return core_reg_bits(c, guard) == 1 && (core_reg_scalar(c, guard) || core_agree_kept(c, guard));
}

/* -- what may be computed early ---------------------------------------------------------------- */

struct early {
    const struct core *c;
    uint64_t *read;    /* by the instructions so far; */
    uint64_t *written; /*   and what they write, */
    uint64_t *late;    /*   those that are not early */
};

/* Whether the instruction, number n and the next of the run, may be executed at its start. */
static bool
is_early(struct early *s, uint32_t n, bool allowed)
{
    const struct ptx_insn *p = &s->c->wir->insns[n].i;
    struct span uses = wir_uses(s->c->wir, n), defs = wir_defs(s->c->wir, n);
    bool early = allowed && warps_pure(p, emit_is_arith) && p->guard == PTX_NO_REG &&
                 p->operand_count > 0 && p->operand[0].kind == PTX_O_REG;
    for (uint32_t k = 0; k < uses.count; k++) {
        early &= !set_has(s->late, uses.at[k]);
        set_add(s->read, uses.at[k]); /* it must not read what it writes, either */
    }
    for (uint32_t k = 0; k < defs.count; k++)
        early &= !set_has(s->read, defs.at[k]) && !set_has(s->written, defs.at[k]);
    for (uint32_t k = 0; k < defs.count; k++) {
        set_add(s->written, defs.at[k]);
        if (!early)
            set_add(s->late, defs.at[k]);
    }
    return early;
}

static void
begin_order(struct early *s, const struct core *c)
{
    *s = (struct early){.c = c};
    s->read = ls_alloc(sizeof *s->read * (c->wir->reg_words + 1));
    s->written = ls_alloc(sizeof *s->written * (c->wir->reg_words + 1));
    s->late = ls_alloc(sizeof *s->late * (c->wir->reg_words + 1));
}

static void
end_order(struct early *s)
{
    ls_release(s->read);
    ls_release(s->written);
    ls_release(s->late);
}

enum what { HEADS, BODIES_EARLY, BODIES_LATE };

/* Emits block b's part of the run that is to come now. */
static void
emit_part(struct core *c, struct early *s, uint32_t b, bool is_head, enum what what)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    c->now.current = b;
    for (uint32_t n = 0; n < blk->count; n++) {
        const struct wir_insn *i = &c->wir->insns[blk->first + n];
        bool early = is_early(s, blk->first + n, is_head || what != HEADS),
             wanted = early == (what != BODIES_LATE);
        if (wanted)
            core_insn(
                c,
                i); /* one that cannot be emitted fails where the block is emitted by itself, too */
    }
}

static void
emit_run(struct core *c, const struct conditions *s, enum what what)
{
    struct early order;
    begin_order(&order, c);
    for (uint32_t k = 0; k < s->count; k++) {
        if (k)
            emit_part(c, &order, s->head[k], true, what);
        set_add(order.read, c->wir->blocks[s->head[k]].guard);
        emit_part(c, &order, s->body[k], false, what);
    }
    end_order(&order);
}

/* Cuts the run where a condition is not known at its start. */
static void
cut_run(struct core *c, struct conditions *s)
{
    struct early order;
    begin_order(&order, c);
    for (uint32_t k = 0; k < s->count; k++) {
        const struct wir_block *h = &c->wir->blocks[s->head[k]], *t = &c->wir->blocks[s->body[k]];
        for (uint32_t n = 0; k && n < h->count; n++)
            is_early(&order, h->first + n, true);
        if (set_has(order.late, h->guard) || !is_known(c, h->guard)) {
            s->end = s->head[k];
            s->count = k;
            break;
        }
        set_add(order.read, h->guard);
        for (uint32_t n = 0; n < t->count; n++)
            is_early(&order, t->first + n, false);
    }
    end_order(&order);
}

static bool
find_run(struct core *c, uint32_t b, struct conditions *s)
{
    uint32_t next = b;
    *s = (struct conditions){.count = 0};
    while (s->count < MOST_CONDITIONS && is_conditional(c, next, s, &next))
        s->end = next;
    cut_run(c, s);
    return s->count > 1;
}

void
core_if_convert_choose(struct core *c)
{
    struct conditions s;
    uint32_t insns = 0;
    c->if_converted = ARENA_ARRAY(&c->plans.arena, struct conditions *, c->wir->block_count + 1);
    bool *inner = ls_alloc(c->wir->block_count + 1);
    for (uint32_t b = 0; c->regions && emit_on(&c->e, PASS_IF_CONVERT) && b < c->wir->block_count;
         b++) {
        if (inner[b] || !find_run(c, b, &s))
            continue;
        for (uint32_t k = 0; k < s.count; k++) {
            insns += c->wir->blocks[s.body[k]].count + (k ? c->wir->blocks[s.head[k]].count : 0);
            inner[s.head[k]] = k > 0;
        }
        if (insns <= MOST_INSNS) {
            c->if_converted[b] = ARENA_NEW(&c->plans.arena, struct conditions);
            *c->if_converted[b] = s;
        }
        emit_remark_at(&c->e, PASS_IF_CONVERT, c->if_converted[b] != NULL,
                       c->wir->insns[c->wir->blocks[b].end_insn].place,
                       "%u conditions, %u instructions in all such runs", s.count, insns);
    }
    ls_release(inner);
}

/* -- loads in parts ---------------------------------------------------------------------------- */

/* A load at an address that is there before anything late is executed. */
static bool
is_fitting(const struct early *s, const struct wir_insn *i)
{
    const struct ptx_operand *from = i->i.operand_count > 1 ? &i->i.operand[1] : NULL;
    return i->i.op == PTX_OP_LD && i->i.guard == PTX_NO_REG && from->kind == PTX_O_ADDRESS &&
           from->base_kind == PTX_BASE_REG && !set_has(s->late, from->reg);
}

/* Of the run's loads, per instruction, those that may be made in parts once all of them are known
 * to fit. */
static bool *
find_fitting(struct core *c, const struct conditions *s)
{
    bool *fits = ARENA_ARRAY(&c->plans.arena, bool, c->wir->insn_count + 1);
    struct early order;
    begin_order(&order, c);
    for (uint32_t k = 0; k < s->count; k++) {
        for (uint32_t part = k ? 0 : 1; part < 2; part++) {
            const struct wir_block *blk = &c->wir->blocks[part ? s->body[k] : s->head[k]];
            if (part)
                set_add(order.read, c->wir->blocks[s->head[k]].guard);
            for (uint32_t n = blk->first; n < blk->first + blk->count; n++) {
                fits[n] = is_fitting(&order, &c->wir->insns[n]);
                is_early(&order, n, true);
            }
        }
    }
    end_order(&order);
    return fits;
}

void
core_if_convert_plan(struct core *c, struct plan_scope *s, uint32_t b)
{
    const struct conditions *run = c->if_converted ? c->if_converted[b] : NULL;
    const struct plan_scope before = *s;
    if (!run)
        return;
    s->full = true;
    s->fits = find_fitting(c, run);
    for (uint32_t k = 0; k < run->count; k++)
        for (uint32_t part = k ? 0 : 1; part < 2; part++) {
            s->block = part ? run->body[k] : run->head[k];
            plans_block(&c->plans, s, &c->plans.parts);
        }
    s->full = before.full;
    s->fits = before.fits;
    s->block = before.block;
}

/* i1: all loads of the run that are to be made in parts may be made so; NULL: there are none.
 * *rows: i1, what rows decide of them holds. */
static LLVMValueRef
test_fitting(struct core *c, const struct conditions *s, LLVMValueRef *rows)
{
    LLVMValueRef all = NULL, own = NULL;
    for (uint32_t k = 0; k < s->count; k++)
        for (uint32_t part = k ? 0 : 1; part < 2; part++) {
            const struct wir_block *blk = &c->wir->blocks[part ? s->body[k] : s->head[k]];
            c->now.current = part ? s->body[k] : s->head[k];
            for (uint32_t n = blk->first; n < blk->first + blk->count; n++) {
                const struct plan *p = c->plans.parts.one[n];
                if (!p || p->way[0].form != PLAN_SELECTED || p->way[0].test != PLAN_ALWAYS)
                    continue;
                LLVMValueRef fine = core_split_fine(c, p, &own);
                all = all ? LLVMBuildAnd(c->e.b, all, fine, "") : fine;
                if (own)
                    *rows = *rows ? LLVMBuildAnd(c->e.b, *rows, own, "") : own;
            }
        }
    return all;
}

/* -- emitting ---------------------------------------------------------------------------------- */

/* i1: all conditions hold in all lanes. */
static LLVMValueRef
all_hold(struct core *c, const struct conditions *s)
{
    LLVMValueRef all = NULL, way[2];
    for (uint32_t k = 0; k < s->count; k++) {
        const struct wir_block *blk = &c->wir->blocks[s->head[k]];
        uint32_t guard = blk->guard;
        c->now.current = s->head[k];
        if (!core_agree(c, guard, &way[0], &way[1])) { /* the same in all lanes */
            struct ptx_operand o = {.kind = PTX_O_REG, .reg = guard};
            way[0] = core_value(c, &c->wir->insns[blk->end_insn], &o, 1, true);
            way[1] = LLVMBuildNot(c->e.b, way[0], "");
        }
        LLVMValueRef v = way[s->taken[k] == blk->guard_negated];
        all = all ? LLVMBuildAnd(c->e.b, all, v, "") : v;
    }
    return all;
}

void
core_if_convert(struct core *c, uint32_t b)
{
    const struct conditions *s = c->if_converted[b];
    LLVMBuilderRef bld = c->e.b;
    if (!s)
        return;
    const struct emit before = c->e;
    const struct version own = c->now.version;
    LLVMBasicBlockRef run = core_new_block(c, "taps"), single = core_new_block(c, "single");
    c->now.version.assume |= ASSUME_FULL;
    c->now.version.plans = &c->plans.parts;
    emit_run(c, s, HEADS);
    version_guard(c, all_hold(c, s), run, single);
    emit_run(c, s, BODIES_EARLY);
    c->now.version.assume |= ASSUME_PARTS;
    LLVMValueRef rows = NULL, fine = test_fitting(c, s, &rows);
    if (fine) {
        run = core_new_block(c, "settled");
        version_guard(c, fine, run, single);
    }
    if (rows) {
        LLVMBasicBlockRef both = core_new_block(c, "rows"), some = core_new_block(c, "some");
        version_guard(c, rows, both, some);
        c->now.version.assume |= ASSUME_ROWS;
        emit_run(c, s, BODIES_LATE);
        core_full_mask_go(c, s->end);
        c->now.version.assume &= ~(unsigned)ASSUME_ROWS;
        LLVMPositionBuilderAtEnd(bld, some);
    }
    emit_run(c, s, BODIES_LATE);
    core_full_mask_go(c, s->end);
    c->now.version = own;
    LLVMPositionBuilderAtEnd(bld, single);
    c->e.insn = before.insn;
    c->e.func = before.func;
    c->now.current = b;
}
