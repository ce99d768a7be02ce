/* SPDX-License-Identifier: Apache-2.0
 *
 * gates.c: loads that generated code does not announce (jit_gate).
 *
 * From global memory: a place's gate is open for chunks whose words were all read enough
 * (read_shared.c).
 *
 * From shared memory: the load leaves a note (notes.c).
 */
#include "check/check_priv.h"

#include <string.h>

void
gates_begin(struct block_state *b)
{
    uint32_t places = b->launch->facts->place_count + 1;
    if (!b->gates)
        b->gates = ls_alloc(sizeof *b->gates * places);
    if (b->block->gates != b->gates) /* another jit_block: shared memory lies elsewhere */
        memset(b->gates, 0, sizeof(struct jit_gate) * places);
    b->block->gates = b->gates;
    b->block->local_written = b->local_init;
}

static void
gates_close(struct block_state *b)
{
    uint32_t places = b->launch->facts->place_count + 1;
    for (uint32_t k = 0; b->gates && k < places; k++)
        __atomic_store_n(&b->gates[k].size, 0, __ATOMIC_RELAXED);
}

void
gates_close_all(struct launch *l)
{
    pthread_mutex_lock(&l->lock);
    for (struct block_state *b = l->blocks; b; b = b->next)
        gates_close(b);
    pthread_mutex_unlock(&l->lock);
}

/* Another thread may close the gate meanwhile (gates_close_all): it has written to what was
 * read-shared. A gate that opens after that hides no race: two blocks had read all its words, so
 * that each write to one of them is reported. Only the block's own thread knows the gate's low. */
static void
set_gate(struct jit_gate *g, uint64_t low, uint64_t end)
{
    g->low = low;
    __atomic_store_n(&g->size, end - low + 1, __ATOMIC_RELAXED);
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
    struct jit_gate *g = &b->gates[v->place];
    low = aligned(v, low);
    /* What is only copied has to be looked at when it is. */
    if (b->peers || f != &b->facts[v->place] || f->flags || f->align != v->bytes ||
        (f->used & all) != all || end <= low)
        return;
    uint64_t size = __atomic_load_n(&g->size, __ATOMIC_RELAXED);
    if (size && low <= g->low + size - 1 && end >= g->low) { /* side by side */
        uint64_t own = g->low + size - 1;
        low = low < g->low ? low : g->low;
        end = end > own ? end : own;
    }
    set_gate(g, low, end);
}

void
gate_open_wide(const struct visit *v)
{
    struct block_state *b = v->b;
    const struct place_facts *f = v->facts;
    uint64_t low = aligned(v, v->expect->base);
    if (!b->peers && f == &b->facts[v->place] && !f->flags && f->align == v->bytes &&
        low < v->expect->end)
        set_gate(&b->gates[v->place], low, v->expect->end);
}
