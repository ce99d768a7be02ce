/* SPDX-License-Identifier: Apache-2.0
 *
 * order.c: what a kernel's blocks are to each other: their weak topological order, loops,
 * predecessors, post-dominators. Start at wir_order.
 */
#include "wir/wir_priv.h"

#include <string.h>

/* -- weak topological order -------------------------------------------------------------------- */

struct order {
    const struct wir_block *raw; /* in text order */
    uint32_t *number;            /* depth-first number; 0: not visited; UINT32_MAX: placed */
    uint32_t *stack, top, visits;
    uint32_t *sequence, free;   /* filled from the end: sequence[free..count) */
    VEC(struct wir_loop) loops; /* head, last as distances from the end */
};

static void order_component(struct order *o, uint32_t v);

static uint32_t
order_visit(struct order *o, uint32_t v)
{
    o->stack[o->top++] = v;
    o->number[v] = ++o->visits;
    uint32_t head = o->number[v];
    bool loop = false;
    const struct wir_block *blk = &o->raw[v];
    for (uint32_t k = 0; k < blk->succ_count; k++) {
        uint32_t u = blk->succ[k];
        uint32_t low = o->number[u] ? o->number[u] : order_visit(o, u);
        if (low <= head) {
            head = low;
            loop = true;
        }
    }
    if (head != o->number[v])
        return head;
    o->number[v] = UINT32_MAX;
    uint32_t element = o->stack[--o->top];
    if (!loop) {
        o->sequence[--o->free] = v;
        return head;
    }
    while (element != v) {
        o->number[element] = 0;
        element = o->stack[--o->top];
    }
    order_component(o, v);
    return head;
}

static void
order_component(struct order *o, uint32_t v)
{
    uint32_t end = o->free;
    const struct wir_block *blk = &o->raw[v];
    for (uint32_t k = 0; k < blk->succ_count; k++)
        if (!o->number[blk->succ[k]])
            order_visit(o, blk->succ[k]);
    o->sequence[--o->free] = v;
    VEC_PUSH(&o->loops,
             ((struct wir_loop){.head = o->free, .last = end - 1, .parent = UINT32_MAX}));
}

static void
find_loops(struct wir *f, struct order *o, uint32_t shift)
{
    f->loop_count = (uint32_t)o->loops.count;
    f->loops = ARENA_ARRAY(&f->arena, struct wir_loop, f->loop_count + 1);
    for (uint32_t k = 0; k < f->block_count; k++)
        f->blocks[k].loop = UINT32_MAX;
    /* Inner loops were finished first: going backwards, outer ones are
     * painted before inner ones. */
    for (uint32_t k = 0; k < f->loop_count; k++) {
        struct wir_loop l = o->loops.at[f->loop_count - 1 - k];
        l.head -= shift;
        l.last -= shift;
        l.parent = f->blocks[l.head].loop;
        f->loops[k] = l;
        for (uint32_t b = l.head; b <= l.last; b++)
            f->blocks[b].loop = k;
    }
}

/* Numbers the blocks; those that no path from the entry reaches are dropped. */
static void
place_blocks(struct wir *f, const struct wir_block *raw, uint32_t count)
{
    struct order o = {.raw = raw, .free = count};
    o.number = ls_alloc(sizeof *o.number * count);
    o.stack = ls_alloc(sizeof *o.stack * count);
    o.sequence = ls_alloc(sizeof *o.sequence * count);
    order_visit(&o, 0);
    f->block_count = count - o.free;
    f->blocks = ARENA_ARRAY(&f->arena, struct wir_block, f->block_count);
    uint32_t *new_index = ls_alloc(sizeof *new_index * count);
    for (uint32_t k = 0; k < f->block_count; k++)
        new_index[o.sequence[o.free + k]] = k;
    for (uint32_t k = 0; k < f->block_count; k++) {
        f->blocks[k] = raw[o.sequence[o.free + k]];
        for (uint32_t s = 0; s < f->blocks[k].succ_count; s++)
            f->blocks[k].succ[s] = new_index[f->blocks[k].succ[s]];
    }
    find_loops(f, &o, o.free);
    VEC_FREE(&o.loops);
    ls_release(o.number);
    ls_release(o.stack);
    ls_release(o.sequence);
    ls_release(new_index);
}

static void
find_predecessors(struct wir *f)
{
    for (uint32_t k = 0; k < f->block_count; k++)
        for (uint32_t s = 0; s < f->blocks[k].succ_count; s++)
            f->blocks[f->blocks[k].succ[s]].pred_count++;
    for (uint32_t k = 0; k < f->block_count; k++) {
        f->blocks[k].pred = ARENA_ARRAY(&f->arena, uint32_t, f->blocks[k].pred_count + 1);
        f->blocks[k].pred_count = 0;
    }
    for (uint32_t k = 0; k < f->block_count; k++)
        for (uint32_t s = 0; s < f->blocks[k].succ_count; s++) {
            struct wir_block *to = &f->blocks[f->blocks[k].succ[s]];
            to->pred[to->pred_count++] = k;
        }
}

/* -- post-dominators (Cooper, Harvey, Kennedy) ------------------------------------------------- */

struct post {
    struct wir *f;
    uint32_t *number;    /* post-order number in the reversed graph; 0: not reached */
    uint32_t *by_number; /* 1-based, the virtual end has the highest number */
    uint32_t count;
};

static void
post_visit(struct post *p, uint32_t v)
{
    /* An explicit stack: the reversed graph can be deep. */
    VEC(uint32_t) stack = {0};
    VEC(uint32_t) edge = {0};
    p->number[v] = UINT32_MAX;
    VEC_PUSH(&stack, v);
    VEC_PUSH(&edge, 0);
    while (stack.count) {
        uint32_t x = stack.at[stack.count - 1];
        uint32_t *e = &edge.at[edge.count - 1];
        if (*e < p->f->blocks[x].pred_count) {
            uint32_t u = p->f->blocks[x].pred[(*e)++];
            if (!p->number[u]) {
                p->number[u] = UINT32_MAX;
                VEC_PUSH(&stack, u);
                VEC_PUSH(&edge, 0);
            }
        } else {
            p->number[x] = ++p->count;
            p->by_number[p->count] = x;
            stack.count--;
            edge.count--;
        }
    }
    VEC_FREE(&stack);
    VEC_FREE(&edge);
}

static uint32_t
common(const uint32_t *idom, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (a < b)
            a = idom[a];
        while (b < a)
            b = idom[b];
    }
    return a;
}

static void
find_post_dominators(struct wir *f)
{
    uint32_t n = f->block_count;
    struct post p = {.f = f};
    p.number = ls_alloc(sizeof *p.number * (n + 1));
    p.by_number = ls_alloc(sizeof *p.by_number * (n + 2));
    bool *root = ls_alloc(n + 1);
    for (uint32_t b = n; b-- > 0;)
        if (!f->blocks[b].succ_count && !p.number[b]) {
            root[b] = true;
            post_visit(&p, b);
        }
    /* Loops without an end: their last block counts as one. */
    for (uint32_t b = n; b-- > 0;)
        if (!p.number[b]) {
            root[b] = true;
            post_visit(&p, b);
        }
    uint32_t end = n + 1;
    uint32_t *idom = ls_alloc(sizeof *idom * (n + 2));
    idom[end] = end;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = n; k >= 1; k--) {
            uint32_t b = p.by_number[k];
            uint32_t d = root[b] ? end : 0;
            for (uint32_t s = 0; s < f->blocks[b].succ_count; s++) {
                uint32_t other = p.number[f->blocks[b].succ[s]];
                if (idom[other])
                    d = d ? common(idom, d, other) : other;
            }
            if (d && idom[k] != d) {
                idom[k] = d;
                changed = true;
            }
        }
    }
    for (uint32_t k = 1; k <= n; k++)
        f->blocks[p.by_number[k]].ipdom =
            idom[k] == end || !idom[k] ? UINT32_MAX : p.by_number[idom[k]];
    ls_release(idom);
    ls_release(root);
    ls_release(p.number);
    ls_release(p.by_number);
}

void
wir_reach(const struct wir *f, uint32_t from, uint32_t end, bool *seen)
{
    VEC(uint32_t) work = {0};
    if (from != end && !seen[from])
        VEC_PUSH(&work, from);
    while (work.count) {
        uint32_t b = work.at[--work.count];
        seen[b] = true;
        for (uint32_t s = 0; s < f->blocks[b].succ_count; s++)
            if (f->blocks[b].succ[s] != end && !seen[f->blocks[b].succ[s]])
                VEC_PUSH(&work, f->blocks[b].succ[s]);
    }
    VEC_FREE(&work);
}

void
wir_order(struct wir *f, const struct wir_block *raw, uint32_t count)
{
    place_blocks(f, raw, count);
    find_predecessors(f);
    find_post_dominators(f);
}

bool
wir_has_barrier(const struct wir *f, const struct wir_loop *l)
{
    bool has = false;
    for (uint32_t b = l->head; b <= l->last; b++)
        has |= f->blocks[b].end == WIR_BARRIER;
    return has;
}

uint32_t
wir_barrier_loop(const struct wir *f, uint32_t block)
{
    uint32_t l = f->blocks[block].loop;
    while (l != UINT32_MAX && !wir_has_barrier(f, &f->loops[l]))
        l = f->loops[l].parent;
    return l;
}
