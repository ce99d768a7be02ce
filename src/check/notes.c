/* SPDX-License-Identifier: Apache-2.0
 *
 * notes.c: loads from shared memory that generated code does not announce (gates.c): they leave
 * notes, which are looked at before the next thing that could make a difference: a store to shared
 * memory, whatever orders threads, the end of the block. What a note finds then is what the load
 * would have found at once. At a barrier of the whole block with no store since the one before
 * nothing can race with the loads in between, nor need anybody know of them: all that is left to
 * ask is whether the words were written.
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

struct notes {
    struct jit_note note[NOTES_ROOM];
    struct seen seen[SEEN];
};

void
notes_begin(struct block_state *b)
{
    if (!b->notes)
        b->notes = ls_alloc(sizeof *b->notes);
    b->block->note = b->notes->note;
    b->block->note_end = b->notes->note + NOTES_ROOM;
    if (b->order.first <= 1) /* stamps begin anew */
        memset(b->notes->seen, 0, sizeof b->notes->seen);
}

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
        order_flush(b, v.warp);
    if (shared_pattern(&v, n->base, n->offset))
        return;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        address[l] = n->base + (uint64_t)(int64_t)(n->offset ? n->offset[l] : 0);
    shared_access(&v, n->lanes, address);
}

void
notes_flush(struct block_state *b)
{
    const struct jit_note *end = b->block->note;
    b->block->note = b->notes->note;
    if (b->recording)
        region_add_notes(b, b->notes->note, end);
    for (const struct jit_note *n = b->notes->note; n < end; n++)
        look_at(b, n);
    region_copies(b);
}

static bool
is_written(struct block_state *b, const struct jit_note *n)
{
    uint64_t mixed = (n->base + (uint64_t)n->place * 0x10001) * 0x9e3779b97f4a7c15ull;
    struct seen *s = &b->notes->seen[mixed >> (64 - SEEN_BITS)];
    if (s->base == n->base && s->offset == n->offset && s->lanes == n->lanes &&
        s->first == b->order.first)
        return true;
    if (!shared_written(b, n))
        return false;
    *s = (struct seen){n->base, n->offset, n->lanes, b->order.first};
    return true;
}

void
notes_over(struct block_state *b)
{
    const struct jit_note *end = b->block->note;
    if (b->shared.stamp >= b->order.floor || b->shared.any_strong || b->shared.any_unset) {
        notes_flush(b);
        return;
    }
    b->block->note = b->notes->note;
    if (b->recording)
        region_add_notes(b, b->notes->note, end);
    for (const struct jit_note *n = b->notes->note; n < end; n++)
        if (!is_written(b, n))
            look_at(b, n);
    region_copies(b);
}
