/* SPDX-License-Identifier: Apache-2.0
 *
 * wide.c: loads of neighbouring words of shared memory that ptxas makes one load of 8 or 16 bytes
 * of: those of a block of code that add distances to one register, with no store to shared memory
 * and no barrier between, where every lane's address is known to be a multiple of the width. What
 * they then cost follows from the lanes' addresses (model_access). A loop whose loads go on by a
 * word a turn is unrolled by four, and each of them becomes one for four turns. Start with
 * wide_loads().
 */
#include "profile/profile_priv.h"

#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 256 }; /* loads that stand side by side; more are looked at in parts */

/* A value is a multiple of `by`, a power of two, and `rest` more, in every lane; by = 0: nothing is
 * known yet. */
struct remainder {
    uint8_t by, rest;
};

struct wide {
    const struct wir *wir;
    const struct facts *facts;
    const struct device_profile *device;
    struct wide_place *place;
    uint8_t *folded;
    struct remainder *remainder;       /* per register */
    const struct wir_insn *load[MOST]; /* side by side so far */
    uint32_t count;
};

static bool
never_uniform(const struct ptx_insn *i, unsigned k)
{
    (void)i;
    (void)k;
    return false;
}

static bool
is_word(const struct wide *w, const struct wir_insn *i)
{
    const struct ptx_operand *a = i->i.op == PTX_OP_LD ? ptx_address(&i->i) : NULL;
    const struct wide_place *p = &w->place[i->place];
    return a && i->i.space == PTX_SPACE_SHARED && a->base_kind == PTX_BASE_REG && i->i.vec == 1 &&
           ptx_type_bytes((enum ptx_type)i->i.type[0]) == 4 && p->copies == 1 && p->warps;
}

static int
by_address(const void *a, const void *b)
{
    const struct ptx_operand *x = ptx_address(&(*(const struct wir_insn *const *)a)->i),
                             *y = ptx_address(&(*(const struct wir_insn *const *)b)->i);
    if (x->reg != y->reg)
        return x->reg < y->reg ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Wavefronts of a warp's load of `bytes` a lane; half of what the words' took where the lanes'
 * addresses are not known. */
static double
wavefronts(const struct wide *w, const struct fact *f, uint32_t bytes, double words)
{
    struct access a = {
        .space = ACCESS_SHARED, .op = ACCESS_LOAD, .width = bytes, .mask = UINT32_MAX};
    struct access_cost cost;
    if (f->segment != LANES)
        return words / 2;
    for (unsigned l = 0; l < LANES; l++)
        a.address[l] = (uint64_t)((1 << 24) + (f->pattern ? f->pattern[l] : 0));
    model_access(w->device, &a, &cost);
    return cost.wavefronts < words ? cost.wavefronts : words;
}

static uint32_t
least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* What the operand leaves, divided by a power of two of up to 16, in every lane: ptxas lays arrays
 * of shared memory out so that they begin at multiples of 16. */
static struct remainder
remainder_of(const struct wide *w, const struct wir_insn *i, uint32_t operand)
{
    const struct ptx_operand *o = &i->i.operand[operand];
    if (operand >= i->i.operand_count)
        return (struct remainder){.by = 1};
    switch (o->kind) {
    case PTX_O_INT: return (struct remainder){16, (uint8_t)(o->imm & 15)};
    case PTX_O_SYMBOL: return (struct remainder){16, (uint8_t)(o->offset & 15)};
    case PTX_O_REG: return w->remainder[o->reg];
    default: return (struct remainder){.by = 1};
    }
}

static struct remainder
remainder(uint32_t by, uint32_t rest)
{
    by = least(by, 16);
    return (struct remainder){(uint8_t)by, (uint8_t)(rest & (by - 1))};
}

static uint32_t
lowest_bit(uint32_t n)
{
    return n ? n & -n : 16;
}

/* (a.by x + a.rest) (b.by y + b.rest), whatever x and y are. */
static struct remainder
product(struct remainder a, struct remainder b)
{
    uint32_t by = least((uint32_t)a.by * b.by, least(lowest_bit((uint32_t)a.by * b.rest),
                                                     lowest_bit((uint32_t)b.by * a.rest)));
    return remainder(by, (uint32_t)a.rest * b.rest);
}

/* A bit of the result is known where both are, and where one is known to be clear. */
static struct remainder
conjunction(struct remainder a, struct remainder b)
{
    uint32_t by = 1, either = a.by > b.by ? a.by : b.by, both = least(a.by, b.by);
    while (by < both || (by < either && !((a.by > b.by ? a.rest : b.rest) & by)))
        by *= 2;
    return remainder(by, a.rest & b.rest);
}

static struct remainder
result_remainder(const struct wide *w, const struct wir_insn *i)
{
    struct remainder a = remainder_of(w, i, 1), b = remainder_of(w, i, 2);
    struct remainder c = remainder_of(w, i, 3), none = {.by = 1}, all = {0};
    const struct ptx_operand *by = &i->i.operand[2];
    for (uint32_t k = 0; k < i->i.type_count; k++)
        if (ptx_type_kind((enum ptx_type)i->i.type[k]) == 'f')
            return none;
    if (!a.by || (i->i.operand_count > 2 && !b.by) || (i->i.operand_count > 3 && !c.by))
        return all;
    switch (i->i.op) {
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_CVTA: return a;
    case PTX_OP_ADD: return remainder(least(a.by, b.by), (uint32_t)a.rest + b.rest);
    case PTX_OP_SUB: return remainder(least(a.by, b.by), (uint32_t)a.rest - b.rest);
    case PTX_OP_OR: return remainder(least(a.by, b.by), a.rest | b.rest);
    case PTX_OP_AND: return conjunction(a, b);
    case PTX_OP_MUL: return ptx_has(&i->i, PTX_M_HI) ? none : product(a, b);
    case PTX_OP_MAD:
        a = ptx_has(&i->i, PTX_M_HI) ? none : product(a, b);
        return remainder(least(a.by, c.by), (uint32_t)a.rest + c.rest);
    case PTX_OP_SHL:
        if (by->kind == PTX_O_INT)
            return by->imm < 4 ? remainder((uint32_t)a.by << by->imm, (uint32_t)a.rest << by->imm)
                               : remainder(16, 0);
        return a.rest ? none : a;
    default: return none;
    }
}

/* What both are; by = 0: nothing has been said yet. */
static struct remainder
common(struct remainder a, struct remainder b)
{
    if (!a.by || !b.by)
        return a.by ? a : b;
    uint32_t by = least(least(a.by, b.by), lowest_bit((uint32_t)a.rest ^ b.rest));
    return remainder(by, a.rest);
}

/* Of all registers: instructions are gone through until none says less of a register. */
static void
find_remainders(struct wide *w)
{
    bool less = true;
    while (less) {
        less = false;
        for (uint32_t k = 0; k < w->wir->insn_count; k++) {
            struct span defs = wir_defs(w->wir, k);
            for (uint32_t d = 0; d < defs.count; d++) {
                struct remainder *old = &w->remainder[defs.at[d]];
                struct remainder now = common(*old, result_remainder(w, &w->wir->insns[k]));
                less = less || now.by != old->by;
                *old = now;
            }
        }
    }
}

static bool
is_multiple_of(struct remainder r, int64_t distance, uint32_t bytes)
{
    return r.by >= bytes && ((uint64_t)distance + r.rest) % bytes == 0;
}

/* The loads from `at` on, as many words as `bytes` hold, become one. */
static bool
joins(struct wide *w, uint32_t at, uint32_t bytes)
{
    const struct wir_insn *const *l = w->load + at;
    const struct ptx_operand *first = ptx_address(&l[0]->i);
    uint32_t words = bytes / 4;
    double all = 0, warps = (double)w->place[l[0]->place].warps;
    struct fact f = w->facts->reg[first->reg];
    if (at + words > w->count)
        return false;
    for (uint32_t k = 0; k < words; k++) {
        const struct ptx_operand *a = ptx_address(&l[k]->i);
        if (a->reg != first->reg || a->offset != first->offset + 4 * (int64_t)k ||
            w->place[l[k]->place].warps != w->place[l[0]->place].warps)
            return false;
        all += (double)w->place[l[k]->place].wavefronts;
    }
    if (!is_multiple_of(w->remainder[first->reg], first->offset, bytes))
        return false;
    double left = warps * wavefronts(w, &f, bytes, all / warps);
    for (uint32_t k = 0; k < words; k++) {
        w->place[l[k]->place].wavefronts = k ? 0 : (uint64_t)left;
        if (k && w->folded)
            w->folded[l[k]->place] = MIX_FOLDED;
    }
    return true;
}

static void
join(struct wide *w)
{
    qsort(w->load, w->count, sizeof *w->load, by_address);
    for (uint32_t k = 0; k < w->count;)
        k += joins(w, k, 16) ? 4 : joins(w, k, 8) ? 2 : 1;
    w->count = 0;
}

/* -- along the turns of a loop ----------------------------------------------------------------- */

/* reg + 4, in the block. */
static bool
is_next_word(const struct wide *w, const struct wir_block *b, const struct wir_insn *i,
             uint32_t reg)
{
    uint32_t k = (uint32_t)(i - w->wir->insns), n = (uint32_t)(b - w->wir->blocks);
    struct span uses = wir_uses(w->wir, k);
    return k >= b->first && k < wir_block_end(w->wir, n) && i->i.op == PTX_OP_ADD &&
           uses.count == 1 && uses.at[0] == reg && i->i.operand[2].kind == PTX_O_INT &&
           i->i.operand[2].imm == 4;
}

/* The block adds a word to the register in each turn, itself or by way of a copy; *from: what
 * another instruction sets it to. */
static bool
steps_by_word(const struct wide *w, const struct wir_block *b, uint32_t reg,
              const struct wir_insn **from)
{
    uint32_t writers = 0, steps = 0;
    for (uint32_t k = 0; k < w->wir->insn_count; k++) {
        const struct wir_insn *i = &w->wir->insns[k];
        struct span defs = wir_defs(w->wir, k), uses = wir_uses(w->wir, k);
        if (defs.count != 1 || defs.at[0] != reg)
            continue;
        const struct wir_insn *copied =
            i->i.op == PTX_OP_MOV && uses.count == 1 ? wir_only_writer(w->wir, uses.at[0]) : NULL;
        bool step = is_next_word(w, b, i, reg) || (copied && is_next_word(w, b, copied, reg));
        writers++;
        steps += step;
        *from = step ? *from : i;
    }
    return writers == 2 && steps == 1;
}

/* Whether the operand is a multiple of 16 in all lanes, but for a number, which *rest has more. */
static bool
is_multiple(const struct wide *w, const struct wir_insn *i, uint32_t operand, int64_t *rest)
{
    struct remainder r = remainder_of(w, i, operand);
    *rest += r.rest;
    return r.by == 16;
}

/* Whether the register goes on by a word a turn of the loop that is this block alone, from an
 * address of which, with the distance, every lane's is a multiple of 16. */
static bool
walks(const struct wide *w, const struct wir_block *b, const struct wir_insn *load)
{
    const struct ptx_operand *a = ptx_address(&load->i);
    const struct wir_insn *from = NULL, *sum = wir_only_writer(w->wir, a->reg);
    int64_t rest = a->offset;
    if (b->loop == UINT32_MAX || &w->wir->blocks[w->wir->loops[b->loop].head] != b)
        return false;
    if (!sum)
        return steps_by_word(w, b, a->reg, &from) && from->i.op == PTX_OP_MOV &&
               is_multiple(w, from, 1, &rest) && rest % 16 == 0;
    if (sum->i.op != PTX_OP_ADD || sum->i.operand_count != 3)
        return false;
    for (uint32_t k = 1; k <= 2; k++)
        if (sum->i.operand[k].kind == PTX_O_REG &&
            steps_by_word(w, b, sum->i.operand[k].reg, &from) && from->i.op == PTX_OP_MOV)
            return is_multiple(w, sum, 3 - k, &rest) && is_multiple(w, from, 1, &rest) &&
                   rest % 16 == 0;
    return false;
}

/* What nothing that reads shared memory is moved across. */
static bool
is_between(const struct ptx_insn *i)
{
    bool shared = i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_NONE;
    return i->op == PTX_OP_BAR || i->op == PTX_OP_ATOM || i->op == PTX_OP_RED ||
           i->op == PTX_OP_CALL || (i->op == PTX_OP_ST && shared);
}

static void
join_turns(struct wide *w, const struct wir_block *b)
{
    enum { TURNS = 4 };
    uint32_t n = (uint32_t)(b - w->wir->blocks);
    for (uint32_t k = b->first; k < wir_block_end(w->wir, n); k++)
        if (is_between(&w->wir->insns[k].i))
            return;
    for (uint32_t k = b->first; k < wir_block_end(w->wir, n); k++) {
        const struct wir_insn *i = &w->wir->insns[k];
        struct wide_place *p = &w->place[i->place];
        if (!is_word(w, i) || !p->wavefronts || !walks(w, b, i))
            continue;
        struct fact f = w->facts->reg[ptx_address(&i->i)->reg];
        double turns = (double)p->warps / TURNS,
               all = (double)p->wavefronts / (double)p->warps * TURNS;
        p->wavefronts = (uint64_t)(turns * wavefronts(w, &f, 16, all));
        if (w->folded)
            w->folded[i->place] = MIX_QUARTER;
    }
}

/* -- all of them ------------------------------------------------------------------------------- */

/* Whether the instruction changes a register that one of the loads so far takes its address from.
 */
static bool
writes_address(const struct wide *w, uint32_t insn)
{
    struct span defs = wir_defs(w->wir, insn);
    for (uint32_t k = 0; k < w->count; k++)
        if (defs.count && defs.at[0] == ptx_address(&w->load[k]->i)->reg)
            return true;
    return false;
}

void
wide_loads(const struct wir *wir, const struct device_profile *d, const uint32_t block[3],
           struct wide_place *place, uint8_t *folded)
{
    struct ls_error err;
    struct shape shape = {.block = {block[0], block[1], block[2]}, .small_grid = true};
    struct facts *facts = facts_new(wir, &shape, never_uniform, &err);
    struct wide w = {.wir = wir, .facts = facts, .device = d, .place = place, .folded = folded};
    w.remainder = ls_alloc(sizeof *w.remainder * (wir->reg_count + 1));
    find_remainders(&w);
    for (uint32_t n = 0; facts && n < wir->block_count; n++) {
        for (uint32_t k = wir->blocks[n].first; k < wir_block_end(wir, n); k++) {
            const struct wir_insn *i = &wir->insns[k];
            if (is_between(&i->i) || w.count == MOST)
                join(&w);
            if (is_word(&w, i))
                w.load[w.count++] = i;
            if (writes_address(&w, k))
                join(&w);
        }
        join(&w);
        join_turns(&w, &wir->blocks[n]);
    }
    ls_release(w.remainder);
    if (facts)
        facts_free(facts);
}
