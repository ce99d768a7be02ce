/* SPDX-License-Identifier: Apache-2.0
 *
 * facts.c: finds, for one shape of the block, which registers agree in all lanes, differ by
 * constants or vary, and which branches may part lanes. Facts only get weaker from round to round:
 *
 *   1. spread facts through the instructions until nothing changes;
 *   2. branches on predicates that vary are divergent; a register written between such a branch and
 *      the place where its lanes meet again, and alive where paths from both sides join, holds
 *      different values in different lanes, whatever was written ("forced");
 *   3. frontier.c: registers that other lanes may overwrite while some are parked are forced too;
 *   4. when anything new was forced, again from 1.
 *
 * shape.converged leaves out 2 and 3.
 *
 * The rule of 2 covers values that leave a loop whose lanes leave at different times: the branch's
 * two sides are "on with the loop" and "out", and they join at the exit.
 */
#include "analysis/facts_priv.h"

#include <string.h>

struct rounds {
    struct facts *f;
    bool *forced;
    uint32_t *widened; /* per register: how often its bounds changed */
    bool (*uniform_result)(const struct ptx_insn *, unsigned);
    bool changed;
};

/* -- 1: spreading ------------------------------------------------------------------------------ */

static void
lower(struct rounds *r, uint32_t reg, struct fact now)
{
    struct fact *old = &r->f->reg[reg];
    struct fact next = fact_join(r->f, old, &now);
    if (r->forced[reg]) {
        next.kind = FACT_VECTOR;
        next.segment = 1;
        next.pattern = NULL;
        next.known = next.guess = next.threads = false;
        next.align = 0;
    }
    if (r->f->wir->regs[reg].type == PTX_PRED)
        next.bounded = false;
    if (fact_same(old, &next))
        return;
    if (next.bounded && old->kind != FACT_NONE && r->widened[reg]++ > 4)
        next.bounded = false;
    if (next.kind == FACT_VECTOR)
        next.known = false;
    if (fact_same(old, &next))
        return;
    *old = next;
    r->changed = true;
}

static void
spread_insn(struct rounds *r, uint32_t n, bool is_end)
{
    const struct wir_insn *i = &r->f->wir->insns[n];
    struct span defs = wir_defs(r->f->wir, n);
    bool some = !is_end && i->i.guard != PTX_NO_REG && !fact_uniform(&r->f->reg[i->i.guard]);
    for (uint32_t k = 0; k < defs.count; k++) {
        struct fact now = fact_transfer(r->f, i, k, r->uniform_result);
        if (now.kind == FACT_NONE)
            continue;
        if (some || (now.guess && now.kind == FACT_SCALAR))
            now = fact_nothing();
        lower(r, defs.at[k], now);
    }
}

static void
spread(struct rounds *r)
{
    const struct wir *wir = r->f->wir;
    do {
        r->changed = false;
        for (uint32_t b = 0; b < wir->block_count; b++)
            for (uint32_t n = wir->blocks[b].first; n < wir_block_end(wir, b); n++)
                spread_insn(r, n, n == wir->blocks[b].end_insn);
    } while (r->changed);
    /* Never written: any value will do. */
    for (uint32_t k = 0; k < wir->reg_count; k++)
        if (r->f->reg[k].kind == FACT_NONE && r->forced[k])
            r->f->reg[k] = fact_nothing();
}

/* -- 2: divergent branches --------------------------------------------------------------------- */

static bool
is_divergent(const struct facts *f, uint32_t b)
{
    const struct wir_block *blk = &f->wir->blocks[b];
    if (blk->end == WIR_BRANCH)
        return f->reg[blk->guard].kind == FACT_VECTOR ||
               (f->reg[blk->guard].kind == FACT_SCALAR && f->reg[blk->guard].pattern);
    if (blk->end == WIR_SWITCH) {
        struct fact x = facts_operand(f, &f->wir->insns[blk->end_insn],
                                      &f->wir->insns[blk->end_insn].i.operand[0]);
        return !fact_uniform(&x) && x.kind != FACT_NONE;
    }
    return false;
}

struct region {
    const struct wir *wir;
    uint8_t *sides; /* per block: number of the branch's sides that lead here before they meet */
    bool *seen;
    VEC(uint32_t) work;
};

static void
walk_side(struct region *g, uint32_t from, uint32_t meet)
{
    memset(g->seen, 0, g->wir->block_count);
    g->seen[from] = true;
    VEC_PUSH(&g->work, from);
    while (g->work.count) {
        uint32_t b = g->work.at[--g->work.count];
        if (g->sides[b] < 2)
            g->sides[b]++;
        if (b == meet)
            continue;
        for (uint32_t s = 0; s < g->wir->blocks[b].succ_count; s++) {
            uint32_t t = g->wir->blocks[b].succ[s];
            if (!g->seen[t]) {
                g->seen[t] = true;
                VEC_PUSH(&g->work, t);
            }
        }
    }
}

static void
add_written(const struct wir *f, uint32_t b, bool *written)
{
    struct span defs = wir_block_defs(f, b);
    for (uint32_t k = 0; k < defs.count; k++)
        written[defs.at[k]] = true;
}

/* What side s of branch b writes while lanes still wait at the start of another side and need the
 * old value there. Registers are webs: that takes a guarded write, which may keep the old value. */
static bool
force_across(struct rounds *r, struct region *g, bool *written, uint32_t b, uint32_t s)
{
    const struct wir *wir = r->f->wir;
    const struct wir_block *blk = &wir->blocks[b];
    bool any = false;
    memset(written, 0, wir->reg_count);
    for (uint32_t x = 0; x < wir->block_count; x++)
        if (g->seen[x] && x != blk->ipdom)
            add_written(wir, x, written);
    for (uint32_t t = 0; t < blk->succ_count; t++) {
        if (blk->succ[t] == blk->succ[s])
            continue;
        for (uint32_t k = 0; k < wir->reg_words; k++)
            for (uint64_t live = wir->blocks[blk->succ[t]].live_in[k]; live; live &= live - 1) {
                uint32_t reg = k * 64 + (uint32_t)__builtin_ctzll(live);
                if (written[reg] && !r->forced[reg])
                    any = r->forced[reg] = true;
            }
    }
    return any;
}

/* Registers whose values differ by the way lanes came from branch b. */
static bool
force_at_joins(struct rounds *r, struct region *g, bool *written, uint32_t b)
{
    const struct wir *wir = r->f->wir;
    const struct wir_block *blk = &wir->blocks[b];
    uint32_t meet = blk->ipdom;
    bool any = false;
    memset(g->sides, 0, wir->block_count);
    memset(written, 0, wir->reg_count);
    for (uint32_t s = 0; s < blk->succ_count; s++) {
        bool again = false;
        for (uint32_t t = 0; t < s; t++)
            again |= blk->succ[t] == blk->succ[s];
        if (again)
            continue;
        walk_side(g, blk->succ[s], meet);
        any |= force_across(r, g, written, b, s);
    }
    memset(written, 0, wir->reg_count);
    for (uint32_t x = 0; x < wir->block_count; x++)
        if (g->sides[x] && x != meet)
            add_written(wir, x, written);
    for (uint32_t x = 0; x < wir->block_count; x++) {
        if (g->sides[x] < 2 && !(x == meet && g->sides[x]))
            continue;
        for (uint32_t k = 0; k < wir->reg_words; k++)
            for (uint64_t live = wir->blocks[x].live_in[k]; live; live &= live - 1) {
                uint32_t reg = k * 64 + (uint32_t)__builtin_ctzll(live);
                if (written[reg] && !r->forced[reg])
                    any = r->forced[reg] = true;
            }
    }
    /* Lanes must have met where the analysis says so; in a graph where they may not have, nothing
     * written on the way may be kept as one value for all. */
    bool apart = false;
    for (uint32_t x = 0; meet != UINT32_MAX && x < wir->block_count; x++)
        apart |= g->sides[x] && x != meet && set_has(r->f->pending[meet], x);
    for (uint32_t reg = 0; apart && reg < wir->reg_count; reg++)
        if (written[reg] && !r->forced[reg])
            any = r->forced[reg] = true;
    return any;
}

static bool
force_divergent(struct rounds *r)
{
    const struct wir *wir = r->f->wir;
    struct region g = {.wir = wir};
    g.sides = ls_alloc(wir->block_count + 1);
    g.seen = ls_alloc(wir->block_count + 1);
    bool *written = ls_alloc(wir->reg_count + 1);
    bool any = false;
    for (uint32_t b = 0; b < wir->block_count; b++)
        if (r->f->divergent[b])
            any |= force_at_joins(r, &g, written, b);
    ls_release(g.sides);
    ls_release(g.seen);
    VEC_FREE(&g.work);
    ls_release(written);
    return any;
}

/* -- the whole --------------------------------------------------------------------------------- */

static void
note_merge(struct rounds *r)
{
    const struct wir *wir = r->f->wir;
    for (uint32_t k = 0; k < wir->reg_count; k++)
        r->f->merge[k] = r->forced[k];
}

struct facts *
facts_new(const struct wir *wir, const struct shape *shape,
          bool (*uniform_result)(const struct ptx_insn *, unsigned), struct ls_error *err)
{
    (void)err;
    struct facts *f = ls_alloc(sizeof *f);
    uint32_t n = wir->block_count;
    f->wir = wir;
    f->shape = *shape;
    uint32_t threads = shape->block[0] * shape->block[1] * shape->block[2];
    f->lanes = shape->partial && threads % LANES ? threads % LANES : LANES;
    f->block_words = n / 64 + 1;
    f->reg = ARENA_ARRAY(&f->arena, struct fact, wir->reg_count + 1);
    f->merge = ARENA_ARRAY(&f->arena, bool, wir->reg_count + 1);
    f->divergent = ARENA_ARRAY(&f->arena, bool, n + 1);
    f->complete = ARENA_ARRAY(&f->arena, bool, n + 1);
    f->parks = ARENA_ARRAY(&f->arena, bool, n + 1);
    f->pending = ARENA_ARRAY(&f->arena, uint64_t *, n + 1);
    for (uint32_t b = 0; b < n; b++)
        f->pending[b] = ARENA_ARRAY(&f->arena, uint64_t, f->block_words);
    struct rounds r = {.f = f, .uniform_result = uniform_result};
    r.forced = ls_alloc(wir->reg_count + 1);
    r.widened = ls_alloc(sizeof *r.widened * (wir->reg_count + 1));
    memset(r.forced, shape->separate, wir->reg_count);
    /* Read before they are written (a value that some way round a loop does not use): whatever they
     * hold, all lanes hold it. Without a fact, whatever is computed from them would seem never to
     * be. */
    for (uint32_t k = 0; n && k < wir->reg_count; k++)
        if (set_has(wir->blocks[0].live_in, k))
            f->reg[k] = fact_uniform_value();
    bool again = true;
    while (again) {
        for (uint32_t k = 0; k < wir->reg_count; k++)
            if (r.forced[k] && f->reg[k].kind != FACT_NONE)
                f->reg[k] = fact_nothing();
        spread(&r);
        for (uint32_t b = 0; b < n; b++)
            f->divergent[b] = is_divergent(f, b);
        frontier_find(f);
        again = !shape->converged && force_divergent(&r);
        again |= !shape->converged && frontier_force(f, r.forced);
    }
    note_merge(&r);
    ls_release(r.forced);
    ls_release(r.widened);
    return f;
}

void
facts_free(struct facts *f)
{
    ARENA_RELEASE(f);
}

void
facts_print(const struct facts *f, struct text *out)
{
    const struct wir *wir = f->wir;
    for (uint32_t r = 0; r < wir->reg_count; r++) {
        const struct fact *x = &f->reg[r];
        if (x->kind == FACT_NONE)
            continue;
        const char *kind = x->kind == FACT_SCALAR ? (x->pattern ? "affine" : "uniform") : "varying";
        text_add(out, "%-12s r%-4u %s", wir->regs[r].name ? wir->regs[r].name : "", r, kind);
        if (x->kind == FACT_VECTOR && x->segment > 1)
            text_add(out, " segments of %u%s", x->segment, x->guess ? " (to be tested)" : "");
        if (x->pattern) {
            text_add(out, " pattern");
            for (unsigned l = 0; l < LANES; l++)
                text_add(out, " %d", x->pattern[l]);
        }
        if (x->known)
            text_add(out, " from %lld", (long long)x->base);
        text_add(out, "%s\n", f->merge[r] ? " merged" : "");
    }
    for (uint32_t b = 0; b < wir->block_count; b++)
        text_add(out, "block %u: %u instructions%s%s%s\n", b, wir->blocks[b].count,
                 f->divergent[b] ? ", divergent branch" : "", f->complete[b] ? ", all lanes" : "",
                 f->parks[b] ? ", lanes may wait here" : "");
}
