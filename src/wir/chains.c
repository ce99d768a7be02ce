/* SPDX-License-Identifier: Apache-2.0
 *
 * chains.c: def-use chains: which instructions write a register, which read it, and which registers
 * an instruction writes and reads (struct wir_chains). They are found when registers have been
 * split into webs, in one pass over the instructions and one over what it found.
 */
#include "wir/wir_priv.h"

/* -- which operands are written ---------------------------------------------------------------- */

static uint32_t
destinations(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_ST:
        /* A parameter slot in registers is written like any other. */
        return i->operand[0].kind == PTX_O_ADDRESS ? 0 : 1;
    case PTX_OP_BAR:
    case PTX_OP_BARRIER: return ptx_has(i, PTX_M_RED) ? 1 : 0;
    case PTX_OP_WMMA: return ptx_has(i, PTX_M_STORE) ? 0 : 1;
    case PTX_OP_WGMMA_WAIT_GROUP: return i->operand[0].kind == PTX_O_REG ? 1 : 0;
    case PTX_OP_MBARRIER: return i->operand_count && i->operand[0].kind != PTX_O_ADDRESS ? 1 : 0;
    case PTX_OP_CALL: /* results first; without any, the target or the arguments stand there */
        return i->operand_count > 1 && i->operand[0].kind == PTX_O_LIST ? 1 : 0;
    default: return i->operand_count && !ptx_op_is(i->op, PTX_RESULTLESS) ? 1 : 0;
    }
}

static void
visit_operand(struct ptx_operand *o, bool write, void (*visit)(struct ptx_operand *, bool, void *),
              void *context)
{
    switch (o->kind) {
    case PTX_O_REG: visit(o, write, context); break;
    case PTX_O_ADDRESS:
        if (o->base_kind == PTX_BASE_REG)
            visit(o, false, context);
        break;
    case PTX_O_VECTOR:
    case PTX_O_PAIR:
    case PTX_O_LIST:
    case PTX_O_TEX:
        for (uint32_t k = 0; k < o->count; k++)
            visit_operand(&o->elements[k], write, visit, context);
        break;
    default: break;
    }
}

void
wir_visit(const struct wir_insn *f, void (*visit)(struct ptx_operand *, bool, void *),
          void *context)
{
    const struct ptx_insn *i = &f->i;
    uint32_t dests = destinations(i);
    if (i->guard != PTX_NO_REG) {
        struct ptx_operand guard = {.kind = PTX_O_REG, .reg = i->guard};
        visit(&guard, false, context);
        ((struct ptx_insn *)i)->guard = guard.reg; /* renaming goes through the same door */
    }
    /* Reads first, so that a renaming visitor sees `add %r, %r, 1` in the right order. */
    for (uint32_t k = dests; k < i->operand_count; k++)
        visit_operand(&i->operand[k], false, visit, context);
    for (uint32_t k = 0; k < dests && k < i->operand_count; k++)
        visit_operand(&i->operand[k], true, visit, context);
}

/* -- building ---------------------------------------------------------------------------------- */

struct gather {
    VEC(uint32_t) defs, uses, bases; /* bases: of the instruction that is looked at */
};

static void
gather_operand(struct ptx_operand *o, bool write, void *context)
{
    struct gather *g = context;
    if (write)
        VEC_PUSH(&g->defs, o->reg);
    else if (o->kind == PTX_O_REG)
        VEC_PUSH(&g->uses, o->reg);
    else
        VEC_PUSH(&g->bases, o->reg);
}

static uint32_t *
copy_of(struct wir *f, const uint32_t *from, size_t count)
{
    uint32_t *to = ARENA_ARRAY(&f->arena, uint32_t, count + 1);
    for (size_t k = 0; k < count; k++)
        to[k] = from[k];
    return to;
}

/* Per instruction what it writes and reads. What no path leads to writes and reads nothing. */
static void
chain_insns(struct wir *f, struct wir_chains *c)
{
    struct gather g = {0};
    for (uint32_t n = 0; n < f->insn_count; n++) {
        c->def_at[n] = (uint32_t)g.defs.count;
        c->use_at[n] = (uint32_t)g.uses.count;
        g.bases.count = 0;
        if (c->block_of[n] != UINT32_MAX)
            wir_visit(&f->insns[n], gather_operand, &g);
        c->base_at[n] = (uint32_t)g.uses.count;
        for (size_t k = 0; k < g.bases.count; k++)
            VEC_PUSH(&g.uses, g.bases.at[k]);
    }
    c->def_at[f->insn_count] = (uint32_t)g.defs.count;
    c->use_at[f->insn_count] = (uint32_t)g.uses.count;
    c->def = copy_of(f, g.defs.at, g.defs.count);
    c->use = copy_of(f, g.uses.at, g.uses.count);
    VEC_FREE(&g.defs);
    VEC_FREE(&g.uses);
    VEC_FREE(&g.bases);
}

/* From registers per instruction (reg[at[n]..at[n + 1])) to
 * instructions per register, ascending. */
static void
turn_round(struct wir *f, const uint32_t *at, const uint32_t *reg, uint32_t **first,
           uint32_t **insn)
{
    uint32_t all = at[f->insn_count], *begin = ARENA_ARRAY(&f->arena, uint32_t, f->reg_count + 2);
    *insn = ARENA_ARRAY(&f->arena, uint32_t, all + 1);
    for (uint32_t k = 0; k < all; k++)
        begin[reg[k] + 2]++;
    for (uint32_t r = 2; r < f->reg_count + 2; r++)
        begin[r] += begin[r - 1];
    /* begin[r + 1] is where register r goes on; when all are placed, where
     * r ends and r + 1 begins. */
    for (uint32_t n = 0; n < f->insn_count; n++)
        for (uint32_t k = at[n]; k < at[n + 1]; k++)
            (*insn)[begin[reg[k] + 1]++] = n;
    *first = begin;
}

void
wir_chain(struct wir *f)
{
    struct wir_chains *c = &f->chains;
    c->def_at = ARENA_ARRAY(&f->arena, uint32_t, f->insn_count + 1);
    c->use_at = ARENA_ARRAY(&f->arena, uint32_t, f->insn_count + 1);
    c->base_at = ARENA_ARRAY(&f->arena, uint32_t, f->insn_count + 1);
    c->block_of = ARENA_ARRAY(&f->arena, uint32_t, f->insn_count + 1);
    for (uint32_t n = 0; n < f->insn_count; n++)
        c->block_of[n] = UINT32_MAX;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t n = f->blocks[b].first; n < wir_block_end(f, b); n++)
            c->block_of[n] = b;
    chain_insns(f, c);
    turn_round(f, c->def_at, c->def, &c->writer_at, &c->writer);
    turn_round(f, c->use_at, c->use, &c->reader_at, &c->reader);
}

/* -- queries ----------------------------------------------------------------------------------- */

const struct wir_insn *
wir_only_writer(const struct wir *f, uint32_t reg)
{
    struct span w = wir_writers(f, reg);
    return w.count == 1 ? &f->insns[w.at[0]] : NULL;
}

/* How many of the instructions come before insns[n]. */
static uint32_t
count_before(struct span w, uint32_t n)
{
    uint32_t low = 0, high = w.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w.at[middle] < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t
wir_last_writer(const struct wir *f, uint32_t reg, uint32_t first, uint32_t end)
{
    struct span w = wir_writers(f, reg);
    uint32_t k = count_before(w, end);
    return k && w.at[k - 1] >= first ? w.at[k - 1] : UINT32_MAX;
}

uint32_t
wir_next_writer(const struct wir *f, uint32_t reg, uint32_t first, uint32_t end)
{
    struct span w = wir_writers(f, reg);
    uint32_t k = count_before(w, first);
    return k < w.count && w.at[k] < end ? w.at[k] : UINT32_MAX;
}

uint32_t
wir_writer_before(const struct wir *f, uint32_t block, uint32_t reg, uint32_t end)
{
    const struct wir_block *b = &f->blocks[block];
    return end < b->first || end > b->first + b->count ? UINT32_MAX
                                                       : wir_last_writer(f, reg, b->first, end);
}

const struct wir_insn *
wir_maker_before(const struct wir *f, uint32_t block, uint32_t reg, uint32_t end)
{
    uint32_t n = wir_writer_before(f, block, reg, end);
    return n != UINT32_MAX && f->insns[n].i.guard == PTX_NO_REG ? &f->insns[n] : NULL;
}

bool
wir_same_since(const struct wir *f, const struct ptx_operand *o, uint32_t n, uint32_t end)
{
    if (o->kind != PTX_O_REG)
        return o->kind == PTX_O_INT;
    return wir_last_writer(f, o->reg, n, end) == UINT32_MAX;
}
