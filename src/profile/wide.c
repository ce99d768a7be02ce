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

struct wide {
    const struct wir *wir;
    const struct facts *facts;
    const struct device_profile *device;
    struct wide_place *place;
    uint8_t *folded, *multiple; /* multiple: per register, of what its value is one in all lanes */
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

/* The power of two, up to 16, that the operand is a multiple of in every lane: ptxas lays arrays of
 * shared memory out so that their beginnings are. */
static uint32_t
multiple_of(const struct wide *w, const struct wir_insn *i, uint32_t operand)
{
    const struct ptx_operand *o = &i->i.operand[operand];
    if (operand >= i->i.operand_count)
        return 1;
    switch (o->kind) {
    case PTX_O_INT: return o->imm % 16 ? (uint32_t)(o->imm & -o->imm) : 16;
    case PTX_O_SYMBOL: return o->offset % 16 ? 1 : 16;
    case PTX_O_REG: return w->multiple[o->reg];
    default: return 1;
    }
}

static uint32_t
result_multiple(const struct wide *w, const struct wir_insn *i)
{
    uint32_t a = multiple_of(w, i, 1), b = multiple_of(w, i, 2), c = multiple_of(w, i, 3);
    switch (i->i.op) {
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_CVTA: return a;
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_OR: return least(a, b);
    case PTX_OP_MUL: return least(16, a * b);
    case PTX_OP_MAD: return least(least(16, a * b), c);
    case PTX_OP_AND: return a > b ? a : b;
    case PTX_OP_SHL:
        if (i->i.operand[2].kind == PTX_O_INT && i->i.operand[2].imm < 4)
            return least(16, a << i->i.operand[2].imm);
        return i->i.operand[2].kind == PTX_O_INT ? 16 : a;
    default: return 1;
    }
}

/* Of all registers: from 16 down, until no instruction's result says less. */
static void
find_multiples(struct wide *w)
{
    bool less = true;
    memset(w->multiple, 16, w->wir->reg_count);
    while (less) {
        less = false;
        for (uint32_t k = 0; k < w->wir->insn_count; k++) {
            struct span defs = wir_defs(w->wir, k);
            uint32_t m = defs.count ? result_multiple(w, &w->wir->insns[k]) : 16;
            for (uint32_t d = 0; d < defs.count; d++)
                if (m < w->multiple[defs.at[d]]) {
                    w->multiple[defs.at[d]] = (uint8_t)m;
                    less = true;
                }
        }
    }
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
    if (first->offset % bytes || w->multiple[first->reg] % bytes)
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
    if (i->i.operand[operand].kind == PTX_O_INT)
        *rest += (int64_t)i->i.operand[operand].imm;
    return i->i.operand[operand].kind == PTX_O_INT || multiple_of(w, i, operand) == 16;
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
    w.multiple = ls_alloc(wir->reg_count + 1);
    find_multiples(&w);
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
    ls_release(w.multiple);
    if (facts)
        facts_free(facts);
}
