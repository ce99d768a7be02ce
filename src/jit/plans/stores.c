/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/stores.c: stores that go past the caches, and those of a transpose, which are kept until
 * lines are full (memory/columns.c).
 */
#include "jit/plans/choose.h"

enum { HOST_LINE = 64, ROWS = 16, WORD = 4 };

/* -- past the caches -------------------------------------------------------------------------- */

/* Each thread comes to a place once: not in a loop, or in one that is in no other and moves the
 * address. */
static bool
moves_on(const struct plan_scope *s, const struct ptx_operand *to)
{
    const struct wir *f = s->wir;
    uint32_t k = f->blocks[s->block].loop;
    if (k == UINT32_MAX)
        return true;
    const struct wir_loop *loop = &f->loops[k];
    if (loop->parent != UINT32_MAX || to->base_kind != PTX_BASE_REG)
        return false;
    struct span w = wir_writers(f, to->reg);
    bool moves = false;
    for (uint32_t n = 0; n < w.count; n++)
        moves |=
            f->chains.block_of[w.at[n]] >= loop->head && f->chains.block_of[w.at[n]] <= loop->last;
    return moves;
}

bool
plan_may_stream(const struct plan_scope *s, const struct plan *p, unsigned run)
{
    const struct ptx_operand *to = &p->i->i.operand[0];
    return s->streams && !s->called && p->i->i.op == PTX_OP_ST && to->kind == PTX_O_ADDRESS &&
           (p->i->i.space == PTX_SPACE_GLOBAL || p->i->i.space == PTX_SPACE_NONE) &&
           run * p->bytes * p->vec % HOST_LINE == 0 && moves_on(s, to);
}

/* -- kept back -------------------------------------------------------------------------------- */

static bool
is_harmless(const struct plan_scope *s, const struct ptx_insn *p)
{
    switch (p->op) {
    case PTX_OP_LD:
    case PTX_OP_ST:
        return p->space == PTX_SPACE_PARAM || p->space == PTX_SPACE_SHARED ||
               p->space == PTX_SPACE_CONST;
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_CVTA: return true;
    default: return s->computes(p);
    }
}

static bool
insns_harmless(const struct plan_scope *s, uint32_t first, uint32_t end)
{
    for (uint32_t n = first; n < end; n++)
        if (!is_harmless(s, &s->wir->insns[n].i))
            return false;
    return true;
}

/* No access to global memory follows: not in its block, nor in any
 * that a thread may come to then. */
static bool
is_last(const struct plan_scope *s, const struct wir_insn *i, uint32_t block)
{
    const struct wir *f = s->wir;
    const struct wir_block *blk = &f->blocks[block];
    bool *seen = ls_alloc(f->block_count + 1);
    bool last = insns_harmless(s, wir_index(f, i) + 1, blk->first + blk->count);
    for (uint32_t k = 0; last && k < blk->succ_count; k++)
        wir_reach(f, blk->succ[k], UINT32_MAX, seen);
    for (uint32_t b = 0; last && b < f->block_count; b++)
        last = !seen[b] || (b != block && insns_harmless(s, f->blocks[b].first,
                                                         f->blocks[b].first + f->blocks[b].count));
    ls_release(seen);
    return last;
}

uint32_t
plan_kept_rows(const struct facts *f)
{
    return f->shape.block[0] == ROWS ? 2 : 1;
}

/* Words to global memory, by all threads that come there. */
static bool
is_plain(const struct plan_scope *s, const struct wir_insn *i)
{
    const uint32_t width = s->facts->shape.block[0];
    return i->i.op == PTX_OP_ST && i->i.space == PTX_SPACE_GLOBAL && i->i.guard == PTX_NO_REG &&
           (width % LANES == 0 || width == ROWS);
}

bool
plan_may_keep(const struct plan_scope *s, const struct plan *p)
{
    if (p->bytes != WORD || p->vec != 1 || s->interleaved || !plan_on(s, PASS_TRANSPOSED_STORES))
        return false;
    if (!s->warps || !s->streams || s->kept || !is_plain(s, p->i))
        return s->kept == p->i;
    const struct wir_block *blk = &s->wir->blocks[s->block];
    return p->number - blk->first < blk->count && is_last(s, p->i, s->block);
}

bool
plan_keeps_interleaved(const struct plan_scope *s, const struct wir_insn *i, uint32_t block)
{
    enum { MOST = 8 }; /* warps */
    const struct ptx_operand *to = &i->i.operand[0];
    int64_t step;
    return plan_on(s, PASS_TRANSPOSED_STORES) && plan_on(s, PASS_STREAMING_STORES) && !s->called &&
           plan_streams(s->wir) && is_plain(s, i) && i->i.vec <= 1 &&
           ptx_type_bytes((enum ptx_type)i->i.type[i->i.type_count - 1]) == WORD &&
           to->kind == PTX_O_ADDRESS && to->base_kind == PTX_BASE_REG &&
           warps_line(s->warps, to->reg, MOST, &step) &&
           step == (int64_t)WORD * plan_kept_rows(s->facts) && is_last(s, i, block);
}
