/* SPDX-License-Identifier: Apache-2.0
 *
 * warps.c: what is known of registers over all warps of a block, each with all of its lanes (struct
 * warps in analysis.h): which ones all threads agree on, which never change once they are written,
 * which the thread's number decides, and where threads of the block may go different ways. steps.c
 * adds how far values are apart from warp to warp. Start at warps_new.
 */
#include "analysis/facts_priv.h"

#include <string.h>

/* -- what instructions depend on -------------------------------------------------------------- */

struct sources {
    const struct warps *w;
    bool same, fixed, again; /* all of them */
};

static void
source_sreg(struct sources *s, enum ptx_sreg r)
{
    if (ptx_sreg_is_block(r))
        return;
    s->same = false;
    if (!ptx_sreg_is_thread(r) && r != PTX_SR_LANEID && r != PTX_SR_WARPID)
        s->fixed = s->again = false;
}

static void
source_operand(struct sources *s, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_O_INT:
    case PTX_O_FLOAT: break;
    case PTX_O_REG:
        s->same &= s->w->same[o->reg];
        s->fixed &= s->w->fixed[o->reg];
        s->again &= s->w->again[o->reg] || (s->w->same[o->reg] && s->w->fixed[o->reg]);
        break;
    case PTX_O_SREG: source_sreg(s, (enum ptx_sreg)o->sreg); break;
    case PTX_O_SYMBOL:
        if (!o->var || (o->var->func && s->w->facts->wir->vars[o->var->index].place == WIR_LOCAL))
            s->same = s->fixed = s->again = false;
        break;
    default: s->same = s->fixed = s->again = false;
    }
}

bool
warps_pure(const struct ptx_insn *p, bool (*computes)(const struct ptx_insn *))
{
    if (ptx_has(p, PTX_M_CC) || p->op == PTX_OP_ADDC || p->op == PTX_OP_SUBC ||
        p->op == PTX_OP_MADC)
        return false;
    switch (p->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVT: return true;
    case PTX_OP_LD:
    case PTX_OP_CVTA:
        return p->op == PTX_OP_LD ? p->space == PTX_SPACE_PARAM : p->space != PTX_SPACE_LOCAL;
    default: return computes(p);
    }
}

static struct sources
sources_of(const struct warps *w, const struct wir_insn *i)
{
    struct sources s = {w, true, true, true};
    const struct ptx_insn *n = &i->i;
    if (!warps_pure(n, w->computes) || n->operand_count < 2) {
        s.same = s.fixed = s.again = false;
        return s;
    }
    if (n->guard != PTX_NO_REG) {
        s.same &= w->same[n->guard];
        s.fixed = s.again = false;
    }
    if (n->operand[0].kind != PTX_O_REG)
        s.fixed = s.again = false;
    for (unsigned k = 1; k < n->operand_count; k++)
        if (n->op != PTX_OP_LD || n->operand[k].kind == PTX_O_REG)
            source_operand(&s, &n->operand[k]);
        else if (!wir_is_parameter(w->facts->wir, &n->operand[k]))
            s.same = s.fixed = s.again = false;
    return s;
}

bool
warps_once(const struct warps *w, uint32_t n)
{
    struct span defs = wir_defs(w->facts->wir, n);
    bool same = defs.count > 0;
    for (uint32_t k = 0; k < defs.count; k++)
        same &= w->same[defs.at[k]];
    return same;
}

/* -- where threads of the block may go different ways ----------------------------------------- */

bool
warps_agree(const struct warps *w, uint32_t b)
{
    const struct wir_block *blk = &w->facts->wir->blocks[b];
    if (blk->succ_count < 2)
        return true;
    return blk->end == WIR_BRANCH && w->same[blk->guard] && !w->facts->divergent[b];
}

/* Blocks that some threads of the block may run and others not, or not as often. */
static void
find_tangled(struct warps *w)
{
    const struct wir *f = w->facts->wir;
    bool *seen = ls_alloc(f->block_count + 1);
    for (uint32_t b = 0; b < f->block_count; b++) {
        if (warps_agree(w, b))
            continue;
        memset(seen, 0, f->block_count);
        for (uint32_t s = 0; s < f->blocks[b].succ_count; s++)
            wir_reach(f, f->blocks[b].succ[s], f->blocks[b].ipdom, seen);
        for (uint32_t k = 0; k < f->block_count; k++)
            w->tangled[k] |= seen[k];
    }
    ls_release(seen);
}

/* Comparisons that the shape of the block settles. */
static bool
is_settled(const struct facts *f, const struct wir_insn *i)
{
    return i->i.op == PTX_OP_SETP && i->i.guard == PTX_NO_REG &&
           i->i.operand[0].kind == PTX_O_REG && fact_uniform(&f->reg[i->i.operand[0].reg]) &&
           f->reg[i->i.operand[0].reg].known;
}

/* What instruction n writes is no more believed. Whether that is new. */
static bool
doubt_results(const struct wir *f, uint32_t n, bool *believed)
{
    struct span defs = wir_defs(f, n);
    bool changed = false;
    for (uint32_t k = 0; k < defs.count; k++) {
        changed |= believed[defs.at[k]];
        believed[defs.at[k]] = false;
    }
    return changed;
}

static bool
doubt_block(struct warps *w, uint32_t b)
{
    const struct wir *f = w->facts->wir;
    bool changed = false;
    for (uint32_t n = f->blocks[b].first; n < wir_block_end(f, b); n++) {
        const struct wir_insn *i = &f->insns[n];
        if (w->tangled[b] ||
            (!wir_votes(&i->i) && !is_settled(w->facts, i) && !sources_of(w, i).same))
            changed |= doubt_results(f, n, w->same);
    }
    return changed;
}

/* Down from "all agree on everything that a warp agrees on", until nothing changes. */
static void
find_same(struct warps *w)
{
    const struct wir *f = w->facts->wir;
    for (uint32_t r = 0; r < f->reg_count; r++)
        w->same[r] = fact_uniform(&w->facts->reg[r]);
    for (bool changed = true; changed;) {
        changed = false;
        find_tangled(w);
        for (uint32_t b = 0; b < f->block_count; b++)
            changed |= doubt_block(w, b);
    }
}

/* -- registers that need not be kept --------------------------------------------------------- */

/* Decided by the block's shape alone: the thread's coordinates, numbers, and sums and bits of
 * these. */
static bool
is_shape(const struct warps *w, const struct ptx_operand *o, unsigned depth)
{
    if (o->kind == PTX_O_INT)
        return true;
    if (o->kind == PTX_O_SREG)
        return ptx_sreg_is_thread((enum ptx_sreg)o->sreg);
    const struct wir_insn *i = o->kind == PTX_O_REG ? wir_only_writer(w->facts->wir, o->reg) : NULL;
    if (!i || !w->fixed[o->reg] || depth == 4 || (i->i.op != PTX_OP_MOV && !w->computes(&i->i)))
        return false;
    for (unsigned k = 1; k < i->i.operand_count; k++)
        if (!is_shape(w, &i->i.operand[k], depth + 1))
            return false;
    return true;
}

/* A comparison that the shape decides: in regions that are unrolled it is a constant, and a mask in
 * each warp's frame (with the test of it, for the 7 of 8 warps that do not store a tree's result)
 * is not. */
static bool
is_shape_test(const struct warps *w, const struct wir_insn *i)
{
    return i->i.op == PTX_OP_SETP && i->i.operand_count == 3 && is_shape(w, &i->i.operand[1], 0) &&
           is_shape(w, &i->i.operand[2], 0);
}

/* Up, in the order of blocks, which is one in which values are made before they are used. */
static void
find_fixed(struct warps *w)
{
    const struct wir *f = w->facts->wir;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct ptx_operand *to =
            f->insns[n].i.operand_count ? &f->insns[n].i.operand[0] : NULL;
        if (!to || to->kind != PTX_O_REG || wir_only_writer(f, to->reg) != &f->insns[n] ||
            set_has(f->blocks[0].live_in, to->reg))
            continue;
        struct sources s = sources_of(w, &f->insns[n]);
        w->fixed[to->reg] = s.fixed;
        w->again[to->reg] =
            s.fixed && s.again && !w->same[to->reg] &&
            (w->facts->reg[to->reg].kind == FACT_SCALAR || is_shape_test(w, &f->insns[n]));
    }
}

/* -- what the shape of the block decides ------------------------------------------------------- */

static bool
is_coordinate(const struct ptx_operand *o)
{
    return o->kind == PTX_O_SREG && (ptx_sreg_is_thread((enum ptx_sreg)o->sreg) ||
                                     (o->sreg >= PTX_SR_NTID_X && o->sreg <= PTX_SR_NTID_Z));
}

/* Numbers, the thread's coordinates, and what is computed of them. */
static bool
is_shaped(const struct warps *w, uint32_t n)
{
    const struct wir *f = w->facts->wir;
    const struct ptx_insn *p = &f->insns[n].i;
    if (p->op != PTX_OP_MOV && p->op != PTX_OP_CVT && !w->computes(p))
        return false;
    for (unsigned k = 1; k < p->operand_count; k++) {
        const struct ptx_operand *o = &p->operand[k];
        if (o->kind != PTX_O_REG && o->kind != PTX_O_INT && !is_coordinate(o))
            return false;
    }
    struct span uses = wir_uses(f, n);
    bool all = true;
    for (uint32_t k = 0; k < uses.count; k++)
        all &= w->shaped[uses.at[k]];
    return all;
}

/* Down from all, until nothing changes. */
static void
find_shaped(struct warps *w)
{
    const struct wir *f = w->facts->wir;
    memset(w->shaped, true, f->reg_count);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < f->insn_count; n++)
            changed |= !is_shaped(w, n) && doubt_results(f, n, w->shaped);
    }
}

/* -- the whole --------------------------------------------------------------------------------- */

struct warps *
warps_new(const struct facts *facts, bool (*computes)(const struct ptx_insn *))
{
    const struct wir *f = facts->wir;
    struct warps *w = ls_alloc(sizeof *w);
    w->facts = facts;
    w->computes = computes;
    w->same = ARENA_ARRAY(&w->arena, bool, f->reg_count + 1);
    w->fixed = ARENA_ARRAY(&w->arena, bool, f->reg_count + 1);
    w->again = ARENA_ARRAY(&w->arena, bool, f->reg_count + 1);
    w->shaped = ARENA_ARRAY(&w->arena, bool, f->reg_count + 1);
    w->tangled = ARENA_ARRAY(&w->arena, bool, f->block_count + 1);
    find_same(w);
    find_fixed(w);
    find_shaped(w);
    warps_find_steps(w);
    return w;
}

void
warps_free(struct warps *w)
{
    ARENA_RELEASE(w);
}
