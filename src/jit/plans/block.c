/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/block.c: the plans of a block's accesses, ahead of the code that carries them out. State
 * between them is what an earlier one leaves for later ones: loaded values, the store that is kept
 * back, loads that fetch for blocks to come.
 */
#include "jit/plans/plans.h"

#include <string.h>

void
plans_set(struct plans *p, const struct wir *f, struct plan_set *set, bool warps)
{
    set->one = ARENA_ARRAY(&p->arena, const struct plan *, f->insn_count + 1);
    if (!p->sum)
        p->sum = ARENA_ARRAY(&p->arena, const struct plan_sum *, f->insn_count + 1);
    if (warps)
        set->next = ARENA_ARRAY(&p->arena, const struct plan *, f->insn_count + 1);
}

/* -- what accesses leave for later ones ------------------------------------------------------- */

static unsigned
find_ahead(const struct plans *p, uint32_t number, uint32_t warp)
{
    unsigned k = 0;
    while (k < p->ahead_count && (p->ahead[k].number != number || p->ahead[k].warp != warp))
        k++;
    return k;
}

/* Whether the value of the load came with an earlier one; it is used up then. */
static bool
take_ahead(struct plans *p, uint32_t number, uint32_t warp)
{
    unsigned k = find_ahead(p, number, warp);
    if (k == p->ahead_count)
        return false;
    p->ahead[k] = p->ahead[--p->ahead_count];
    return true;
}

static void
put_ahead(struct plans *p, uint32_t number, uint32_t warp)
{
    if (find_ahead(p, number, warp) == p->ahead_count) {
        p->ahead[p->ahead_count].number = number;
        p->ahead[p->ahead_count++].warp = warp;
    }
}

static void
leave(struct plans *p, struct plan_scope *s, const struct plan *x, uint32_t warp)
{
    if (x->way[0].form == PLAN_GROUPED)
        for (unsigned k = 0; k < x->group.words; k++)
            if (k != x->group.own)
                put_ahead(p, wir_index(s->wir, x->group.member[k]), warp);
    if (x->way[0].form == PLAN_TRANSPOSED)
        for (uint32_t k = 1; k < x->warps; k++)
            put_ahead(p, x->number, k);
    for (unsigned k = 0; k < x->ways; k++)
        if (x->way[k].form == PLAN_KEPT && !s->kept)
            s->kept = x->i;
    if (x->fetch.what == FETCH_BLOCKS && x->fetch.slot == s->fetched_count)
        s->fetched[s->fetched_count++] = x->i;
}

/* -- one instruction -------------------------------------------------------------------------- */

/* The store or reduction that an asynchronous one makes; others are what they are. */
static const struct wir_insn *
plain_of(struct plans *p, const struct wir_insn *i)
{
    if (i->i.op != PTX_OP_ST_ASYNC && i->i.op != PTX_OP_RED_ASYNC)
        return i;
    struct wir_insn *plain = ARENA_ARRAY(&p->arena, struct wir_insn, 1);
    *plain = *i;
    plain->i.op = i->i.op == PTX_OP_ST_ASYNC ? PTX_OP_ST : PTX_OP_RED;
    plain->i.operand_count = 2;
    if (plain->i.space == PTX_SPACE_NONE)
        plain->i.space = PTX_SPACE_SHARED;
    return plain;
}

static void
plan_one(struct plans *p, struct plan_scope *s, struct plan_set *set, uint32_t n, uint32_t warp)
{
    const struct wir_insn *i = plain_of(p, &s->wir->insns[n]);
    bool store = i->i.op == PTX_OP_ST;
    const struct ptx_operand *o = &i->i.operand[store ? 0 : 1];
    struct plan x;
    if ((!store && take_ahead(p, n, warp)) || o->kind != PTX_O_ADDRESS)
        return;
    s->first = s->interleaved && !warp;
    s->room = PLAN_ROOM - p->ahead_count;
    plan_access(s, i, n, o, store, &x);
    leave(p, s, &x, warp);
    unsigned ways = x.way[0].form == PLAN_WORDS ? PLAN_WAYS : x.ways;
    size_t bytes = offsetof(struct plan, way) + ways * sizeof *x.way;
    struct plan *kept = arena_alloc(&p->arena, bytes);
    memcpy(kept, &x, bytes);
    *(warp ? &set->next[n] : &set->one[n]) = kept;
}

static void
plan_sum(struct plans *p, const struct plan_scope *s, uint32_t n)
{
    const struct wir_insn *i = plain_of(p, &s->wir->insns[n]);
    struct plan_sum *sum = ARENA_ARRAY(&p->arena, struct plan_sum, 1);
    plan_atomic(s, i, n, &i->i.operand[i->i.op == PTX_OP_RED ? 0 : 1], sum);
    p->sum[n] = sum;
}

void
plans_block(struct plans *p, struct plan_scope *s, struct plan_set *set)
{
    const struct wir_block *blk = &s->wir->blocks[s->block];
    for (uint32_t n = blk->first; n < blk->first + blk->count; n++)
        switch (s->wir->insns[n].i.op) {
        case PTX_OP_LD:
        case PTX_OP_LDU:
        case PTX_OP_ST:
        case PTX_OP_ST_ASYNC:
            for (uint32_t k = 0; k < 1 || (k < s->interleaved && !warps_once(s->warps, n)); k++)
                plan_one(p, s, set, n, k);
            break;
        case PTX_OP_ATOM:
        case PTX_OP_RED:
        case PTX_OP_RED_ASYNC: plan_sum(p, s, n); break;
        default: break;
        }
}

void
plans_free(struct plans *p)
{
    arena_free(&p->arena);
}
