/* SPDX-License-Identifier: Apache-2.0
 *
 * gates.c: loads that generated code does not announce (jit_gate).
 *
 * From global memory: a place's gate is open for chunks whose words were all read enough (global.c).
 *
 * From shared memory: the load leaves a note, and the note is looked at before the next thing that
 * could make a difference: a store to shared memory, whatever orders threads, the end of the block. What
 * it finds then is what it would have found at once. At a barrier of the whole block with no store
 * since the one before nothing can race with the loads in between, nor need anybody know of them: all
 * that is left to ask is whether the words were written.
 */
#include "check/check_priv.h"

#include <string.h>

enum { SEEN_BITS = 12, SEEN = 1 << SEEN_BITS };

/* A load whose words were found written in this block. */
struct seen {
    uint64_t base;
    const int32_t *offset;
    uint32_t lanes, first; /* first: of the block */
};

struct gates {
    struct jit_note note[NOTES_ROOM];
    struct seen seen[SEEN];
    struct jit_gate gate[];
};

void
gates_begin(struct block_state *b)
{
    uint32_t places = b->launch->facts->place_count + 1;
    if (!b->gates)
        b->gates = ls_alloc(sizeof *b->gates + sizeof(struct jit_gate) * places);
    if (b->block->gates != b->gates->gate) /* another jit_block: shared memory lies elsewhere */
        memset(b->gates->gate, 0, sizeof(struct jit_gate) * places);
    b->block->gates = b->gates->gate;
    b->block->local_written = b->local_init;
    b->block->note = b->gates->note;
    b->block->note_end = b->gates->note + NOTES_ROOM;
    if (b->first <= 1) /* stamps begin anew */
        memset(b->gates->seen, 0, sizeof b->gates->seen);
}

void
gates_close(struct block_state *b)
{
    uint32_t places = b->launch->facts->place_count + 1;
    for (uint32_t k = 0; b->gates && k < places; k++)
        __atomic_store_n(&b->gates->gate[k].size, 0, __ATOMIC_RELAXED);
}

void
gates_close_all(struct launch *l)
{
    pthread_mutex_lock(&l->lock);
    for (struct block_state *b = l->blocks; b; b = b->next)
        gates_close(b);
    pthread_mutex_unlock(&l->lock);
}

/* Generated code looks at distances from a gate's first byte. */
static uint64_t
aligned(const struct visit *v, uint64_t low)
{
    uint64_t bytes = v->facts->align;
    return (low + bytes - 1) & ~(bytes - 1);
}

void
gate_open(const struct visit *v, uint64_t low, uint64_t end)
{
    struct block_state *b = v->b;
    const struct place_facts *f = v->facts;
    uint32_t all = v->bytes < 32 ? (1u << v->bytes) - 1 : ~0u;
    struct jit_gate *g = &b->gates->gate[v->place];
    low = aligned(v, low);
    /* What is only copied has to be looked at when it is. */
    if (f != &b->facts[v->place] || f->flags || f->align != v->bytes || (f->used & all) != all ||
        end <= low)
        return;
    if (g->size && low <= g->low + g->size - 1 && end >= g->low) { /* side by side */
        uint64_t own = g->low + g->size - 1;
        low = low < g->low ? low : g->low;
        end = end > own ? end : own;
    }
    *g = (struct jit_gate){low, end - low + 1};
}

void
gate_open_wide(const struct visit *v)
{
    struct block_state *b = v->b;
    const struct place_facts *f = v->facts;
    uint64_t low = aligned(v, v->expect->base);
    if (f == &b->facts[v->place] && !f->flags && f->align == v->bytes && low < v->expect->end)
        b->gates->gate[v->place] = (struct jit_gate){low, v->expect->end - low + 1};
}

/* -- notes ------------------------------------------------------------------------------------------- */

static void
look_at(struct block_state *b, const struct jit_note *n)
{
    struct visit v = {.b = b,
                      .w = n->warp,
                      .facts = &b->facts[n->place],
                      .expect = &b->expect[n->place],
                      .lanes = n->lanes,
                      .bytes = b->facts[n->place].align,
                      .space = PTX_SPACE_SHARED,
                      .op = JIT_LOAD,
                      .place = n->place,
                      .warp = n->warp->warp};
    uint64_t address[JIT_LANES];
    if (b->pending[v.warp].count)
        order_settle(b, v.warp);
    if (shared_pattern(&v, n->base, n->offset))
        return;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        address[l] = n->base + (uint64_t)(int64_t)(n->offset ? n->offset[l] : 0);
    shared_access(&v, n->lanes, address);
}

void
notes_settle(struct block_state *b)
{
    const struct jit_note *end = b->block->note;
    b->block->note = b->gates->note;
    if (b->recording)
        stretch_add_notes(b, b->gates->note, end);
    for (const struct jit_note *n = b->gates->note; n < end; n++)
        look_at(b, n);
}

static bool
is_written(struct block_state *b, const struct jit_note *n)
{
    uint64_t mixed = (n->base + (uint64_t)n->place * 0x10001) * 0x9e3779b97f4a7c15ull;
    struct seen *s = &b->gates->seen[mixed >> (64 - SEEN_BITS)];
    if (s->base == n->base && s->offset == n->offset && s->lanes == n->lanes && s->first == b->first)
        return true;
    if (!shared_written(b, n))
        return false;
    *s = (struct seen){n->base, n->offset, n->lanes, b->first};
    return true;
}

void
notes_over(struct block_state *b)
{
    const struct jit_note *end = b->block->note;
    if (b->shared_stamp >= b->floor || b->any_strong || b->any_unset) {
        notes_settle(b);
        return;
    }
    b->block->note = b->gates->note;
    if (b->recording)
        stretch_add_notes(b, b->gates->note, end);
    for (const struct jit_note *n = b->gates->note; n < end; n++)
        if (!is_written(b, n))
            look_at(b, n);
}
