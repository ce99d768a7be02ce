/* SPDX-License-Identifier: Apache-2.0
 *
 * polls.c: what threads wait for that wait in loops: which words they have read again and again
 * lately. Another process executes the last instructions once more, with accesses told, as for the
 * last write (last.c).
 */
#include "debug/debug_priv.h"

#include <string.h>

enum {
    LATELY = 1 << 18, /* instructions: rounds of all warps of some blocks */
    MOST_WORDS = 4,   /* a warp that has read more than these goes on */
    AGAIN = 3,        /* times */
};

bool
debug_polls(struct debug *d, struct text *out, struct ls_error *err)
{
    struct debug_order *o = &d->shared->order;
    const char *why = debug_cannot_go_back(d);
    uint64_t target = d->steps.position, from = target > LATELY ? target - LATELY : 0;
    if (why[0])
        return ls_fail(err, LS_ERR_UNSUPPORTED, "cannot look back: %s", why);
    if (!target)
        return true;
    *o = (struct debug_order){.mode = MODE_LAST, .go = d->go, .polls = true, .target = target};
    o->low = from;
    d->shared->poll_count = 0;
    if (!debug_ask_snapshot(d, debug_snapshot_at(d, from)))
        return ls_fail(err, LS_ERR_INTERNAL, "the process that looked back has ended");
    for (uint32_t k = 0; k < d->shared->poll_count; k++) {
        const struct debug_poll *p = &d->shared->polls[k];
        uint32_t words = 0;
        for (uint32_t n = 0; n < d->shared->poll_count; n++)
            words += !memcmp(p->block, d->shared->polls[n].block, sizeof p->block) &&
                     p->warp == d->shared->polls[n].warp;
        if (words <= MOST_WORDS && p->times >= AGAIN)
            text_add_bytes(out, (const char *)p, sizeof *p);
    }
    return true;
}

static struct debug_poll *
row_of(struct debug_shared *s, const struct debug_poll *like)
{
    for (uint32_t k = 0; k < s->poll_count; k++) {
        struct debug_poll *p = &s->polls[k];
        if (p->address == like->address && p->place == like->place && p->warp == like->warp &&
            !memcmp(p->block, like->block, sizeof p->block))
            return p;
    }
    if (s->poll_count == POLLS)
        return NULL;
    s->polls[s->poll_count] = *like;
    return &s->polls[s->poll_count++];
}

static bool
is_local(const struct jit_block *b, uint64_t address)
{
    uint64_t bytes = (uint64_t)b->launch->local_stride * JIT_LANES * b->launch->warps;
    return b->local && address - (uint64_t)(uintptr_t)b->local < bytes;
}

void
debug_poll_note(struct debug *d, const struct jit_warp *w, uint32_t lanes, const uint64_t *address,
                uint32_t bytes, uint32_t place)
{
    struct debug_poll like = {.warp = w->warp, .place = place, .bytes = bytes};
    memcpy(like.block, w->block->ctaid, sizeof like.block);
    if (d->steps.position < d->shared->order.low)
        return;
    while (lanes) {
        uint64_t first = address[__builtin_ctz(lanes)];
        uint32_t same = 0;
        for (uint32_t left = lanes; left; left &= left - 1)
            if (address[__builtin_ctz(left)] == first)
                same |= left & -left;
        lanes &= ~same;
        /* In shared memory it lies in the block's window: one that is right modulo 2^32 alone has
         * the window mapped twice, and then no process can look back. */
        like.address = first;
        struct debug_poll *p = is_local(w->block, like.address) ? NULL : row_of(d->shared, &like);
        if (!p)
            continue;
        p->lanes = same; /* the last time */
        p->times++;
    }
}
