/* SPDX-License-Identifier: Apache-2.0
 *
 * frontier.c: where lanes may be pending while a block runs (thread frontiers). After a block, the
 * lanes it sent on are pending at its successors; the first pending block in this order runs next:
 * what follows in the innermost loop around the block, then that loop's head, what follows in the
 * loop around that one, its head, and so on outwards. So lanes wait at a loop's exit for those
 * still inside, and at its head for those still in the body.
 */
#include "analysis/facts_priv.h"

#include <string.h>

struct candidates {
    uint64_t *wanted; /* what may run next and has not been listed */
    const uint32_t *targets;
    uint32_t target_count, targets_met;
    bool one_certain; /* some lane went to one of the targets */
    uint32_t *out, count;
    bool done;
};

static void
list_block(struct candidates *c, uint32_t b)
{
    set_remove(c->wanted, b);
    c->out[c->count++] = b;
    for (uint32_t k = 0; k < c->target_count; k++)
        c->targets_met += c->targets[k] == b;
    /* Some lane went to one of the targets: when all of them have been tried, one has run. */
    c->done = c->one_certain && c->target_count && c->targets_met == c->target_count;
}

/* Those of [first, end). */
static void
list_blocks(struct candidates *c, uint32_t first, uint32_t end)
{
    for (uint32_t x = first; x < end && !c->done;) {
        uint64_t word = c->wanted[x / 64] >> (x % 64);
        if (!word) {
            x = (x / 64 + 1) * 64;
            continue;
        }
        x += (uint32_t)__builtin_ctzll(word);
        if (x < end)
            list_block(c, x++);
    }
}

uint32_t
facts_next(const struct facts *f, uint32_t b, const uint32_t *targets, uint32_t count,
           bool one_certain, uint32_t *out, bool *certain)
{
    const struct wir *wir = f->wir;
    uint64_t *wanted = ls_alloc(sizeof *wanted * f->block_words);
    struct candidates c = {.wanted = wanted,
                           .targets = targets,
                           .target_count = count,
                           .one_certain = one_certain,
                           .out = out};
    memcpy(wanted, f->pending[b], sizeof *wanted * f->block_words);
    for (uint32_t k = 0; k < count; k++)
        set_add(wanted, targets[k]);
    uint32_t low = b + 1;
    for (uint32_t l = wir->blocks[b].loop; l != UINT32_MAX; l = wir->loops[l].parent) {
        list_blocks(&c, low, wir->loops[l].last + 1);
        list_blocks(&c, wir->loops[l].head, wir->loops[l].head + 1);
        low = wir->loops[l].last + 1;
    }
    list_blocks(&c, low, wir->block_count);
    list_blocks(&c, 0, wir->block_count);
    *certain = c.done;
    ls_release(wanted);
    return c.count;
}

struct frontier {
    struct facts *f;
    uint32_t *list;
    uint64_t *rest;
    bool changed;
};

static void
merge_into(struct frontier *x, uint32_t b, const uint64_t *set)
{
    uint64_t *to = x->f->pending[b];
    for (uint32_t k = 0; k < x->f->block_words; k++) {
        uint64_t add = set[k];
        if (k == b / 64)
            add &= ~((uint64_t)1 << (b % 64));
        x->changed |= (add & ~to[k]) != 0;
        to[k] |= add;
    }
}

/* Lanes of block b went to `targets`; others stay where they are, and at stay[0], stay[1]. */
static void
go_on(struct frontier *x, uint32_t b, const uint32_t *targets, uint32_t count,
      const uint32_t stay[2])
{
    bool certain;
    uint32_t n = facts_next(x->f, b, targets, count, count > 0, x->list, &certain);
    memcpy(x->rest, x->f->pending[b], sizeof *x->rest * x->f->block_words);
    for (uint32_t k = 0; k < count; k++)
        set_add(x->rest, targets[k]);
    for (int k = 0; k < 2; k++)
        if (stay[k] != UINT32_MAX)
            set_add(x->rest, stay[k]);
    for (uint32_t k = 0; k < n; k++) {
        merge_into(x, x->list[k], x->rest);
        if (x->list[k] != stay[0] && x->list[k] != stay[1])
            set_remove(x->rest, x->list[k]);
    }
}

static bool
any_pending(const struct facts *f, uint32_t b)
{
    for (uint32_t k = 0; k < f->block_words; k++)
        if (f->pending[b][k])
            return true;
    return false;
}

bool
facts_waits(const struct facts *f, uint32_t b)
{
    return f->shape.apart && f->wir->blocks[b].sync && any_pending(f, b);
}

static void
visit_block(struct frontier *x, uint32_t b)
{
    struct facts *f = x->f;
    const struct wir_block *blk = &f->wir->blocks[b];
    /* Lanes that wait at the block's start stay there while others go on, out of it too. */
    uint32_t stay[2] = {UINT32_MAX, UINT32_MAX};
    if (facts_waits(f, b)) {
        f->parks[b] = true;
        stay[0] = b;
        go_on(x, b, NULL, 0, stay);
    }
    switch (blk->end) {
    case WIR_BARRIER:
        if (any_pending(f, b)) {
            f->parks[blk->succ[0]] = true;
            stay[1] = blk->succ[0];
            go_on(x, b, NULL, 0, stay);
        }
        break;
    case WIR_EXIT:
    case WIR_TRAP: go_on(x, b, NULL, 0, stay); break;
    default:
        if (f->divergent[b])
            go_on(x, b, blk->succ, blk->succ_count, stay);
        else
            for (uint32_t s = 0; s < blk->succ_count; s++)
                go_on(x, b, &blk->succ[s], 1, stay);
    }
    /* A waiting loop's lanes give way to the others when their fuel is spent. */
    for (uint32_t s = 0; s < blk->succ_count; s++) {
        uint32_t h = blk->succ[s], l = f->wir->blocks[h].loop;
        if (h <= b && l != UINT32_MAX && f->wir->loops[l].head == h && f->wir->loops[l].waits &&
            any_pending(f, h)) {
            f->parks[h] = true;
            stay[1] = h;
            go_on(x, h, NULL, 0, stay);
        }
    }
}

/* Parked lanes wake together: each parked place may be pending while another one runs. */
static void
visit_parked(struct frontier *x)
{
    struct facts *f = x->f;
    memset(x->rest, 0, sizeof *x->rest * f->block_words);
    for (uint32_t b = 0; b < f->wir->block_count; b++)
        if (f->parks[b])
            set_add(x->rest, b);
    for (uint32_t b = 0; b < f->wir->block_count; b++)
        if (f->parks[b])
            merge_into(x, b, x->rest);
}

/* Blocks that run with all lanes: nothing is pending elsewhere and nobody has left before. */
static void
find_complete(struct facts *f)
{
    uint32_t n = f->wir->block_count;
    bool *lost = ls_alloc(n + 1);
    for (uint32_t b = 0; b < n; b++) {
        bool leaves = f->wir->blocks[b].end == WIR_EXIT || f->wir->blocks[b].end == WIR_TRAP;
        for (uint32_t c = 0; leaves && c < n; c++)
            if (set_has(f->pending[b], c))
                wir_reach(f->wir, c, UINT32_MAX, lost);
        if (f->parks[b])
            wir_reach(f->wir, b, UINT32_MAX, lost);
    }
    for (uint32_t b = 0; b < n; b++)
        f->complete[b] = !f->shape.partial && !f->shape.any && !lost[b] && !any_pending(f, b);
    ls_release(lost);
}

void
frontier_find(struct facts *f)
{
    uint32_t n = f->wir->block_count;
    struct frontier x = {.f = f, .changed = true};
    x.list = ls_alloc(sizeof *x.list * (n + 1));
    x.rest = ls_alloc(sizeof *x.rest * f->block_words);
    memset(f->parks, 0, sizeof *f->parks * n);
    for (uint32_t b = 0; b < n; b++)
        memset(f->pending[b], 0, sizeof(uint64_t) * f->block_words);
    while (x.changed) {
        x.changed = false;
        for (uint32_t b = 0; b < n; b++)
            visit_block(&x, b);
        visit_parked(&x);
    }
    find_complete(f);
    ls_release(x.list);
    ls_release(x.rest);
}

bool
frontier_force(const struct facts *f, bool *forced)
{
    const struct wir *wir = f->wir;
    bool any = false;
    for (uint32_t p = 0; p < wir->block_count; p++) {
        if (!f->parks[p])
            continue;
        /* Blocks that other lanes may run while some wait at p. */
        bool *seen = ls_alloc(wir->block_count + 1);
        bool *defined = ls_alloc(wir->reg_count + 1);
        for (uint32_t b = 0; b < wir->block_count; b++)
            if (set_has(f->pending[p], b) || (b == p && facts_waits(f, p)))
                wir_reach(wir, b, UINT32_MAX, seen);
        for (uint32_t b = 0; b < wir->block_count; b++) {
            struct span defs = wir_block_defs(wir, b);
            for (uint32_t k = 0; seen[b] && k < defs.count; k++)
                defined[defs.at[k]] = true;
        }
        for (uint32_t r = 0; r < wir->reg_count; r++)
            if (defined[r] && set_has(wir->blocks[p].live_in, r) && !forced[r])
                any = forced[r] = true;
        ls_release(seen);
        ls_release(defined);
    }
    return any;
}
