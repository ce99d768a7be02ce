/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/group.c: loads that are made together with others.
 *
 *     ld.global.f32 %f1, [%a]       each lane reads on in a row of its own, or reads the fields of
 *     ...                           a structure: four gathers, and four tests whether the lanes'
 *     ld.global.f32 %f2, [%a+4]     addresses are consecutive after all
 *     ld.global.f32 %f3, [%a+8]
 *
 * One test is enough for all of them, and a gather of 64 bits brings two words. In between nothing
 * may write to memory or wait, nor change the base.
 *
 *     v = tile[threadIdx.x][threadIdx.y]     each warp a word of each of 32 rows, some words
 *                                            apart; the next warp the words beside them
 *
 * Interleaved warps read columns of such a tile together: memory/tile.c.
 */
#include "jit/plans/choose.h"

enum { MOST = PLAN_MEMBERS, WORD = 4 };

/* -- neighbouring words ----------------------------------------------------------------------- */

static bool
may_pass(const struct plan_scope *s, const struct ptx_insn *p)
{
    switch (p->op) {
    case PTX_OP_LD:
        return !ptx_has(p, PTX_M_VOLATILE) && !ptx_has(p, PTX_M_RELAXED) &&
               !ptx_has(p, PTX_M_ACQUIRE) && !ptx_has(p, PTX_M_MMIO) && !ptx_has(p, PTX_M_CV) &&
               !ptx_has(p, PTX_M_SC);
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_CVTA: return true;
    default: return s->computes(p);
    }
}

/* A word from global memory, for all lanes of the block. */
static bool
is_word(const struct plan_scope *s, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    const struct ptx_operand *from = &p->operand[1];
    return p->op == PTX_OP_LD && may_pass(s, p) && p->space == PTX_SPACE_GLOBAL &&
           p->guard == PTX_NO_REG && p->vec <= 1 &&
           ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]) == WORD &&
           from->kind == PTX_O_ADDRESS && from->base_kind == PTX_BASE_REG;
}

/* word[MOST + k]: the first load of the word k behind i's. */
static void
find_words(const struct plan_scope *s, const struct wir_insn *i,
           const struct wir_insn *word[2 * MOST])
{
    const struct wir *f = s->wir;
    const struct wir_block *blk = &f->blocks[s->block];
    const struct ptx_operand *at = &i->i.operand[1];
    uint32_t end = blk->first + blk->count,
             moved = wir_next_writer(f, at->reg, wir_index(f, i), end);
    const struct wir_insn *last = &f->insns[moved < end ? moved : end - 1];
    word[MOST] = i;
    for (const struct wir_insn *n = i; n <= last; n++) {
        const struct ptx_operand *o = &n->i.operand[1];
        if (!may_pass(s, &n->i))
            return;
        if (n > i && is_word(s, n) && o->reg == at->reg) {
            int64_t d = (int64_t)o->offset - (int64_t)at->offset;
            bool near = d % WORD == 0 && d > -MOST * WORD && d < MOST * WORD;
            if (near && !word[MOST + d / WORD])
                word[MOST + d / WORD] = n;
        }
    }
}

bool
plan_find_group(const struct plan_scope *s, struct plan *p)
{
    const struct wir_insn *word[2 * MOST] = {NULL};
    const struct wir_block *blk = &s->wir->blocks[s->block];
    unsigned first = MOST, last = MOST;
    if (!plan_on(s, PASS_GROUPED_LOADS) || s->combines || s->called || s->room < MOST ||
        p->at.fact.segment != 1 || p->at.fact.kind == FACT_SCALAR ||
        p->number - blk->first >= blk->count || !is_word(s, p->i))
        return false;
    find_words(s, p->i, word);
    while (first > 1 && word[first - 1] && last - first + 1 < MOST)
        first--;
    while (last + 1 < 2 * MOST && word[last + 1] && last - first + 1 < MOST)
        last++;
    if (first == last)
        return false;
    for (unsigned k = first; k <= last; k++)
        p->group.member[k - first] = word[k];
    p->group.own = MOST - first;
    p->group.words = last - first + 1;
    return true;
}

/* -- columns of a tile ------------------------------------------------------------------------ */

bool
plan_find_columns(const struct plan_scope *s, const struct plan *p)
{
    enum { SIDE = 4 };
    const struct fact *f = &p->at.fact;
    const struct ptx_operand r = {.kind = PTX_O_REG, .reg = p->o->reg};
    uint32_t step = 0;
    if (!plan_on(s, PASS_TRANSPOSED_LOADS) || !s->interleaved || !s->first ||
        s->interleaved % SIDE || p->i->i.space != PTX_SPACE_SHARED || p->bytes != WORD ||
        p->vec != 1 || p->masked || f->kind != FACT_SCALAR || f->guess || !f->pattern ||
        p->o->base_kind != PTX_BASE_REG || !s->avx512 || s->room < s->interleaved)
        return false;
    for (unsigned l = 1; l < LANES; l++) /* side by side, or one word: loaded as such */
        if (f->pattern[l] - f->pattern[l - 1] < SIDE * WORD)
            return false;
    return warps_step(s->warps, &r, &step) && step == WORD;
}
