/* SPDX-License-Identifier: Apache-2.0
 *
 * read_shared.c: memory that a kernel only reads, in many blocks. Where nothing orders blocks, a
 * word that two of them have read needs no further mark: a later write races with one of the two. A
 * chunk all of whose words are so is read-shared: loads from it go unseen (gates.c) until somebody
 * writes there.
 */
#include "check/shadow.h"

void
read_shared_look(const struct launch *l, struct chunk *k)
{
    uint32_t cells = k->lines ? LINE_COUNT : CHUNK >> k->shift, n = 0;
    k->hits = 0;
    while (n < cells &&
           (k->lines ? k->lines[n].read_shared_work == l->work && k->lines[n].read_shared == ~0u
                     : cell_read_enough(l, &k->cells[n])))
        n++;
    if (n == cells)
        atomic_store_explicit(&k->read_shared, l->work, memory_order_relaxed);
    else
        k->patience = k->patience < UINT32_MAX / 2 ? 2 * k->patience : UINT32_MAX;
}

static bool
is_read_shared(const struct launch *l, uint64_t address)
{
    const struct chunk *k = shadow_chunk(l->check->global, address, false);
    return k && atomic_load_explicit(&k->read_shared, memory_order_relaxed) == l->work;
}

/* Loads whose place has one allocation to stay in, of a kernel in which nothing orders blocks. */
static bool
may_be_read_shared(const struct visit *v)
{
    const struct range *e = v->expect;
    return v->space == PTX_SPACE_GLOBAL && v->op == JIT_LOAD && !v->b->launch->facts->blocks_meet &&
           e->base && !(e->base >> 62) && v->facts->align && !read_only_place(v);
}

bool
global_pattern(const struct visit *v, uint64_t base, const int32_t *offset)
{
    enum { MOST_CHUNKS = 4 };
    if (!may_be_read_shared(v) || (base & (v->facts->align - 1)))
        return false;
    const struct pattern_shape *s = shape_of(v, offset);
    if (!s)
        return false;
    uint64_t low = base + (uint64_t)(int64_t)s->low, end = base + (uint64_t)(int64_t)s->high;
    if (low < v->expect->base || end > v->expect->end || low >= end ||
        end - low > (uint64_t)MOST_CHUNKS << CHUNK_BITS)
        return false;
    for (uint64_t a = low & ~(uint64_t)(CHUNK - 1); a < end; a += CHUNK)
        if (!is_read_shared(v->b->launch, a))
            return false;
    uint64_t from = low & ~(uint64_t)(CHUNK - 1), stop = (end + CHUNK - 1) & ~(uint64_t)(CHUNK - 1);
    gate_open(v, from > v->expect->base ? from : v->expect->base,
              stop < v->expect->end ? stop : v->expect->end);
    return true;
}

bool
global_lanes(const struct visit *v, const uint64_t *address)
{
    if (!may_be_read_shared(v) || v->facts->align != v->bytes)
        return false;
    uint64_t low = v->expect->base, room = v->expect->end - low, held = 1;
    if (room < v->bytes)
        return false;
    for (uint32_t left = v->lanes; left; left &= left - 1) {
        uint64_t a = address[__builtin_ctz(left)];
        if (a - low > room - v->bytes || (a & (v->bytes - 1)))
            return false;
        if (a >> CHUNK_BITS == held)
            continue;
        held = a >> CHUNK_BITS;
        if (!is_read_shared(v->b->launch, a))
            return false;
    }
    return true;
}
