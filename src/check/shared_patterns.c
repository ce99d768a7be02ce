/* SPDX-License-Identifier: Apache-2.0
 *
 * shared_patterns.c: accesses to shared memory by a pattern of lanes, the same one again and again
 * (shapes.c): all its cells at once, as long as nothing is wrong with them.
 */
#include "check/shared_cells.h"

static bool
quick_load(struct block_state *b, const struct pattern_shape *s, uint64_t first, uint64_t mark)
{
    if (s->run && !b->shared.any_strong && !b->shared.any_unset && b->launch->check->wide)
        return shared_load_run(b, s->mark, s->words, first + (uint64_t)(int64_t)s->word[0], mark);
    uint64_t low = (uint64_t)b->order.first << STAMP_SHIFT;
    uint64_t floor = (uint64_t)b->order.floor << STAMP_SHIFT;
    uint64_t met = (uint64_t)b->order.warp_floor[pack_warp(mark)] << STAMP_SHIFT;
    const uint64_t *w = b->shared.write + first;
    uint64_t *r = b->shared.read + first, *o = b->shared.other + first;
    const uint64_t warp = 31ull << PACK_WARP, lane = 31ull << PACK_LANE;
    bool bad = false;
    for (uint32_t k = 0; k < s->words; k++) {
        uint64_t last = w[s->word[k]];
        bad |= last < low || (last >= floor && !pack_is_own(last, mark | s->mark[k], met));
    }
    for (uint32_t k = 0; k < s->words && b->shared.any_unset; k++)
        bad |= (w[s->word[k]] & PACK_UNSET) != 0;
    for (uint32_t k = 0; k < s->words && b->shared.any_strong; k++)
        bad |= b->shared.strong[first + (uint64_t)s->word[k]] >= floor;
    if (bad)
        return false;
    for (uint32_t k = 0; k < s->words; k++) {
        int32_t i = s->word[k];
        uint64_t old = r[i], new = mark | s->mark[k];
        if (old >= floor) {
            if ((old ^ new) & warp)
                o[i] = old;
            else if (old >= met && (((old ^ new) & lane) | (old & PACK_MANY)))
                new = (new & ~(31ull << PACK_LANE2)) | pack_second(old, new);
        }
        r[i] = new;
    }
    return true;
}

static bool
quick_store(struct block_state *b, const struct pattern_shape *s, uint64_t first, uint64_t mark)
{
    if (s->run && !b->shared.any_strong && b->launch->check->wide)
        return shared_store_run(b, s->mark, s->words, first + (uint64_t)(int64_t)s->word[0], mark);
    uint64_t floor = (uint64_t)b->order.floor << STAMP_SHIFT;
    uint64_t met = (uint64_t)b->order.warp_floor[pack_warp(mark)] << STAMP_SHIFT;
    uint64_t *w = b->shared.write + first;
    const uint64_t *r = b->shared.read + first, *o = b->shared.other + first;
    bool bad = false;
    for (uint32_t k = 0; k < s->words; k++) {
        int32_t i = s->word[k];
        uint64_t new = mark | s->mark[k];
        bad |= (w[i] >= floor && !pack_is_own(w[i], new, met)) ||
               (r[i] >= floor && !pack_is_own(r[i], new, met)) || o[i] >= floor;
        bad |= b->shared.any_strong && b->shared.strong[first + (uint64_t)i] >= floor;
    }
    if (bad)
        return false;
    for (uint32_t k = 0; k < s->words; k++)
        w[s->word[k]] = mark | s->mark[k];
    return true;
}

/* Offsets that the access has to stay in. */
static struct range
shared_range(const struct launch *l, const struct range *e)
{
    return (struct range){e->base ? e->base & 0xffffffff : 0,
                          e->base ? e->end & 0xffffffff : l->shared_bytes};
}

bool
shared_pattern(const struct visit *v, uint64_t base, const int32_t *offset)
{
    struct block_state *b = v->b;
    uint64_t at = base - (uint64_t)(uintptr_t)b->block->shared;
    if (at >= 1ull << 32 || v->space != PTX_SPACE_SHARED || b->shared.shift != 2 ||
        v->op == JIT_ATOMIC || !b->shared.write || !v->facts->align ||
        (v->facts->flags & (PLACE_STRONG | PLACE_TRANSFER | PLACE_BULK_SOURCE | PLACE_MBARRIER)) ||
        (at & (v->facts->align - 1)))
        return false;
    struct pattern_shape *s = shape_of(v, offset);
    if (!s || (v->op == JIT_STORE && (s->twice || copies_begin(v))))
        return false;
    const struct range in = shared_range(b->launch, v->expect);
    if ((int64_t)at + s->low < (int64_t)in.base || (int64_t)at + s->high > (int64_t)in.end)
        return false;
    uint64_t mark = pack_of(v), first = at / 4, own = (uint64_t)(uintptr_t)b->block->shared;
    b->shared.plain_stamp = b->order.stamp;
    if (v->op == JIT_STORE) {
        b->shared.stamp = b->order.stamp;
        return quick_store(b, s, first, mark);
    }
    gate_open(v, own + in.base, own + in.end);
    return quick_load(b, s, first, mark);
}

bool
shared_written(const struct block_state *b, const struct jit_note *n)
{
    const struct pattern_shape *s = b->shape[n->place];
    while (s && !(s->offset == n->offset && s->lanes == n->lanes))
        s = s->next;
    uint64_t first = (n->base - (uint64_t)(uintptr_t)b->block->shared) / 4;
    const uint64_t low = (uint64_t)b->order.first << STAMP_SHIFT;
    const uint64_t span = ((uint64_t)TRANSFER_STAMP << STAMP_SHIFT) - low;
    if (b->shared.shift != 2 || !s || !s->usable)
        return false;
    const uint64_t *w = b->shared.write + first;
    uint64_t bad = 0;
    for (uint32_t k = 0; k < s->words; k++)
        bad |= w[s->word[k]] - low >= span ? 1 : 0;
    return !bad;
}
