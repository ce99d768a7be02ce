/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/ahead.c: what a load prefetches (memory/ahead.c, memory/fetch.c): the next iteration of a
 * loop with barriers, blocks to come, iterations of a loop to come.
 */
#include "jit/plans/choose.h"

enum { HOST_LINE = 64 };

/* -- loops ------------------------------------------------------------------------------------ */

/* A loop whose iterations the block's shape decides - it fills a tile, say - and that is in no
 * other. */
static bool
is_short_loop(const struct plan_scope *s, const struct wir_loop *loop)
{
    const struct wir *f = s->wir;
    bool shaped = s->warps && loop->parent == UINT32_MAX;
    for (uint32_t b = loop->head; shaped && b <= loop->last; b++) {
        bool leaves = false;
        for (uint32_t k = 0; k < f->blocks[b].succ_count; k++)
            leaves |= f->blocks[b].succ[k] < loop->head || f->blocks[b].succ[k] > loop->last;
        shaped =
            !leaves || (f->blocks[b].end == WIR_BRANCH && s->warps->shaped[f->blocks[b].guard]);
    }
    return shaped;
}

static bool
is_global(const struct plan *p)
{
    return p->i->i.space == PTX_SPACE_GLOBAL || p->i->i.space == PTX_SPACE_NONE;
}

/* The next iteration of a loop with barriers. */
static bool
fetches_iteration(const struct plan_scope *s, struct plan *p)
{
    uint32_t loop = wir_barrier_loop(s->wir, s->block);
    bool inner = loop != s->wir->blocks[s->block].loop;
    if (!plan_on(s, PASS_PREFETCH_TILES) || s->called || s->facts->shape.apart ||
        loop == UINT32_MAX || (inner && s->warps) || !is_global(p) || fact_uniform(&p->at.fact))
        return false;
    p->fetch.what = inner ? FETCH_INNER : FETCH_ITERATION;
    return true;
}

/* In a loop the next addresses are likely as far apart as the last two were. */
static bool
fetches_loop(const struct plan_scope *s, struct plan *p)
{
    const struct fact *f = &p->at.fact;
    uint32_t k = s->wir->blocks[s->block].loop;
    bool lanes_follow = f->kind == FACT_SCALAR || (f->guess && f->segment >= 8);
    struct runs r;
    if (!plan_on(s, PASS_PREFETCH_LOOPS) || !lanes_follow || s->called || k == UINT32_MAX ||
        !is_global(p))
        return false;
    const struct wir_loop *loop = &s->wir->loops[k];
    p->fetch.what = FETCH_LOOP;
    p->fetch.two_lines = f->segment == LANES && runs_find(f, p->bytes * p->vec, &r) &&
                         r.run == LANES && !r.broadcast[0] &&
                         p->bytes * p->vec * LANES == 2 * HOST_LINE;
    p->fetch.is_short = is_short_loop(s, loop);
    p->fetch.over_blocks =
        plan_on(s, PASS_PREFETCH_BLOCKS) && s->warps && loop->parent == UINT32_MAX;
    return true;
}

/* -- blocks to come --------------------------------------------------------------------------- */

static bool registers_near(const struct wir *f, uint32_t x, uint32_t y, int64_t scale,
                           int64_t *apart);

/* The same operand, or registers made alike: what they are apart,
 * times scale, is added to *apart. */
static bool
operands_near(const struct wir *f, const struct ptx_operand *x, const struct ptx_operand *y,
              int64_t scale, int64_t *apart)
{
    if (x->kind != y->kind || x->negated || y->negated || x->part || y->part)
        return false;
    if (x->kind == PTX_O_REG)
        return registers_near(f, x->reg, y->reg, scale, apart);
    if (x->kind != PTX_O_INT)
        return false;
    *apart += scale * (int64_t)(x->imm - y->imm);
    return true;
}

/* What a register is the sum of, and a number: that, times scale, is added to *apart. */
static uint32_t
without_numbers(const struct wir *f, uint32_t x, int64_t scale, int64_t *apart)
{
    for (;;) {
        const struct wir_insn *i = wir_only_writer(f, x);
        if (!i || i->i.op != PTX_OP_ADD || i->i.guard != PTX_NO_REG || i->i.operand_count != 3 ||
            i->i.operand[1].kind != PTX_O_REG || i->i.operand[1].negated || i->i.operand[1].part ||
            i->i.operand[2].kind != PTX_O_INT)
            return x;
        *apart += scale * (int64_t)i->i.operand[2].imm;
        x = i->i.operand[1].reg;
    }
}

/* The sum, the product with a number of the text, or the conversion that makes each of them. */
static bool
registers_near(const struct wir *f, uint32_t x, uint32_t y, int64_t scale, int64_t *apart)
{
    x = without_numbers(f, x, scale, apart);
    y = without_numbers(f, y, -scale, apart);
    const struct wir_insn *i = wir_only_writer(f, x), *j = wir_only_writer(f, y);
    if (x == y)
        return true;
    if (!i || !j || i->i.op != j->i.op || i->i.operand_count != j->i.operand_count ||
        i->i.guard != PTX_NO_REG || j->i.guard != PTX_NO_REG || scale < -HOST_LINE ||
        scale > HOST_LINE)
        return false;
    const struct ptx_operand *a = i->i.operand, *b = j->i.operand;
    switch (i->i.op) {
    case PTX_OP_ADD:
        return operands_near(f, &a[1], &b[1], scale, apart) &&
               operands_near(f, &a[2], &b[2], scale, apart);
    case PTX_OP_MUL:
        return a[2].kind == PTX_O_INT && b[2].kind == PTX_O_INT && a[2].imm == b[2].imm &&
               a[2].imm <= HOST_LINE &&
               operands_near(f, &a[1], &b[1], scale * (int64_t)a[2].imm, apart);
    case PTX_OP_CVT: return operands_near(f, &a[1], &b[1], scale, apart);
    default: return false;
    }
}

/* They read less than a line apart: a[i] and a[i + 1], of which the
 * first one's lines are enough. */
static bool
are_neighbours(const struct wir *f, const struct wir_insn *i, const struct wir_insn *j)
{
    const struct ptx_operand *x = &i->i.operand[1], *y = &j->i.operand[1];
    int64_t apart = x->offset - y->offset;
    return x->base_kind == PTX_BASE_REG && y->base_kind == PTX_BASE_REG &&
           registers_near(f, x->reg, y->reg, 1, &apart) && apart > -HOST_LINE && apart < HOST_LINE;
}

static uint32_t
slot_of(const struct plan_scope *s, const struct plan *p)
{
    bool done = s->fetched_count == PLAN_SLOTS;
    for (uint32_t k = 0; k < s->fetched_count; k++) {
        if (s->fetched[k] == p->i)
            return k;
        done |= are_neighbours(s->wir, s->fetched[k], p->i);
    }
    return done ? PLAN_NO_SLOT : s->fetched_count;
}

/* A load that each block of a function of whole blocks comes to once, and whose lanes are known to
 * read whole runs. */
static bool
fetches_blocks(const struct plan_scope *s, struct plan *p)
{
    const struct fact *f = &p->at.fact;
    if (p->masked || fact_uniform(f) || !plan_on(s, PASS_PREFETCH_BLOCKS) || !s->warps ||
        s->wir->blocks[s->block].loop != UINT32_MAX || p->i->i.op != PTX_OP_LD || !is_global(p) ||
        f->segment < 8 || !runs_find(f, p->bytes * p->vec, &p->fetch.runs))
        return false;
    p->fetch.what = FETCH_BLOCKS;
    p->fetch.slot = slot_of(s, p);
    return true;
}

void
plan_find_fetch(const struct plan_scope *s, struct plan *p)
{
    if (!fetches_iteration(s, p) && !fetches_blocks(s, p))
        fetches_loop(s, p);
}
