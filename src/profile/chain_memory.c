/* SPDX-License-Identifier: Apache-2.0
 *
 * chain_memory.c: what is found of memory along the chains of chain.c.
 */
#include "profile/chain_priv.h"

#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>

/* -- loads that are read later ----------------------------------------------------------------- */

void
chain_ahead_open(struct chain *c, const struct wir_block *b, double times)
{
    for (size_t k = 0; k < c->ahead.count; k++) {
        struct ahead *a = &c->ahead.at[k];
        a->node = -1;
        if (a->loop != b->loop || times > a->times * 1.5 || times < a->times / 1.5)
            continue;
        a->node = (int32_t)c->nodes.count;
        VEC_PUSH(&c->nodes, (struct node){.place = a->place,
                                          .before = -1,
                                          .clocks = a->clocks,
                                          .sooner = a->sooner,
                                          .deep = a->deep,
                                          .kind = WAIT_MEMORY,
                                          .load = true,
                                          .insn = UINT32_MAX,
                                          .finish = a->clocks});
        c->ready[a->reg] = a->clocks;
        c->writer[a->reg] = a->node;
    }
    c->open.rests = c->nodes.count;
}

/* Does an instruction behind the superblock, in the same loop, read the register? */
static bool
is_read_later(const struct chain *c, uint32_t reg)
{
    struct span readers = wir_readers(c->wir, reg);
    uint32_t last = c->nodes.at[c->nodes.count - 1].insn;
    for (uint32_t k = 0; k < readers.count; k++) {
        uint32_t b = c->wir->chains.block_of[readers.at[k]];
        if (readers.at[k] > last && b != UINT32_MAX &&
            c->wir->blocks[b].loop == c->open.first->loop)
            return true;
    }
    return false;
}

static bool
is_ahead(const struct chain *c, const struct node *n)
{
    bool later = false;
    if (!n->load || n->read || n->insn == UINT32_MAX || !model_has(c->without, MODEL_AHEAD))
        return false;
    struct span defs = wir_defs(c->wir, n->insn);
    for (uint32_t k = 0; k < defs.count; k++)
        later = later || is_read_later(c, defs.at[k]);
    return later;
}

void
chain_ahead_wait(struct chain *c)
{
    for (size_t k = c->open.rests; k < c->nodes.count; k++) {
        const struct node *n = &c->nodes.at[k];
        if (n->load && !n->read && n->finish > c->open.longest && !is_ahead(c, n)) {
            c->open.longest = n->finish;
            c->last = (int32_t)k;
        }
    }
}

static void
forget(struct chain *c, uint32_t reg)
{
    for (size_t k = c->ahead.count; k-- > 0;)
        if (c->ahead.at[k].reg == reg)
            c->ahead.at[k] = c->ahead.at[--c->ahead.count];
}

void
chain_ahead_close(struct chain *c, double longest)
{
    for (size_t k = c->ahead.count; k-- > 0;) {
        struct ahead *a = &c->ahead.at[k];
        a->clocks -= longest * c->open.times / a->times;
        a->sooner = fmin(a->sooner, a->clocks);
        if (a->clocks <= 0 || (a->node >= 0 && c->nodes.at[a->node].read))
            *a = c->ahead.at[--c->ahead.count];
    }
    for (size_t k = c->open.rests; k < c->nodes.count; k++) {
        const struct node *n = &c->nodes.at[k];
        double rest = n->finish - longest;
        if (rest <= 0 || !is_ahead(c, n))
            continue;
        struct span defs = wir_defs(c->wir, n->insn);
        for (uint32_t d = 0; d < defs.count; d++) {
            forget(c, defs.at[d]);
            VEC_PUSH(&c->ahead, (struct ahead){defs.at[d], n->place, c->open.first->loop, -1, rest,
                                               fmin(n->sooner, rest), n->deep * rest / n->clocks,
                                               c->open.times});
        }
    }
}

/* -- stores that L1 puts together -------------------------------------------------------------- */

/* A store whose lines are those of the warp's store just before it: both add
 * different distances to one register, nothing else goes to memory between. An H200 leaves a third
 * of the sectors where four stores fill four lines, all where they fill eight, or a barrier stands
 * between (tools/record/model/stores.cu). */
static bool
follows(const struct chain *c, const struct wir_insn *first, const struct wir_insn *second)
{
    enum { MOST_LINES = 4 };
    const struct ptx_operand *a = ptx_address(&first->i), *b = ptx_address(&second->i);
    const struct tally *s = &c->tally[first->place], *t = &c->tally[second->place];
    return a && b && a->base_kind == PTX_BASE_REG && b->base_kind == PTX_BASE_REG &&
           a->reg == b->reg && a->offset != b->offset && llabs(a->offset - b->offset) < 128 &&
           wir_only_writer(c->wir, a->reg) && t->warps == s->warps &&
           t->lines <= MOST_LINES * t->warps;
}

/* Whether ptxas makes predicated instructions of a block and the one before it: the short bodies of
 * `if (a) ...; if (b) ...;`. */
static bool
goes_on(const struct chain *c, uint32_t n)
{
    const struct wir_block *before = n ? &c->wir->blocks[n - 1] : NULL, *b = &c->wir->blocks[n];
    if (!before || before->end == WIR_BARRIER || before->loop != b->loop ||
        (b->loop != UINT32_MAX && c->wir->loops[b->loop].head == n))
        return false;
    for (uint32_t k = 0; k < before->succ_count; k++)
        if (before->succ[k] == n)
            return true;
    return false;
}

void
chain_merged(struct chain *c, struct kernel *k)
{
    const struct wir_insn *last = NULL;
    double all = 0, merged = 0;
    for (uint32_t n = 0, b = 0; n < c->wir->insn_count; n++) {
        const struct wir_insn *i = &c->wir->insns[n];
        const struct tally *t = &c->tally[i->place];
        for (; b < c->wir->block_count && c->wir->blocks[b].first <= n; b++)
            last = goes_on(c, b) ? last : NULL;
        bool store = i->i.op == PTX_OP_ST && t->sectors;
        double sectors = (double)t->sectors / c->copies[i->place];
        if (store) {
            all += sectors;
            merged += last && follows(c, last, i) ? sectors : 0;
        }
        if (store || t->sectors || t->wavefronts || i->i.op == PTX_OP_BAR)
            last = store ? i : NULL;
    }
    k->joined.stores = all > 0 ? merged / all : 0;
}

/* -- loads that follow themselves -------------------------------------------------------------- */

struct reached {
    uint64_t *regs; /* a set */
    bool source;    /* the instruction in hand uses one of them */
    bool more;
};

static void
find_source(struct ptx_operand *o, bool write, void *context)
{
    struct reached *r = context;
    r->source = r->source || (!write && set_has(r->regs, o->reg));
}

static void
add_result(struct ptx_operand *o, bool write, void *context)
{
    struct reached *r = context;
    if (!write || set_has(r->regs, o->reg))
        return;
    set_add(r->regs, o->reg);
    r->more = true;
}

/* Does the address of this load come from what it loaded itself, the turn before? */
static bool
follows_itself(const struct chain *c, const struct wir_insn *load, struct arena *a)
{
    struct reached r = {.regs = ARENA_ARRAY(a, uint64_t, c->wir->reg_words + 1), .more = true};
    wir_visit(load, add_result, &r);
    while (r.more) {
        r.more = false;
        for (uint32_t i = 0; i < c->wir->insn_count; i++) {
            r.source = false;
            wir_visit(&c->wir->insns[i], find_source, &r);
            if (r.source && &c->wir->insns[i] == load)
                return true;
            if (r.source)
                wir_visit(&c->wir->insns[i], add_result, &r);
        }
    }
    return false;
}

/* Of the few loads that are waited for longest. */
void
chain_chases(struct chain *c, struct arena *a)
{
    enum { SHARE = 20, MOST_INSTRUCTIONS = 20000 };
    for (uint32_t i = 0; i < c->wir->insn_count && c->wir->insn_count < MOST_INSTRUCTIONS; i++) {
        const struct wir_insn *f = &c->wir->insns[i];
        if (f->i.op == PTX_OP_LD && c->tally[f->place].sectors &&
            c->waits[f->place][WAIT_MEMORY] * SHARE > c->sum.warp_clocks && follows_itself(c, f, a))
            c->loads[f->place] |= LOAD_CHASE;
    }
}
