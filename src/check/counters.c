/* SPDX-License-Identifier: Apache-2.0
 *
 * counters.c: atomic operations of many threads on few words of device memory: histograms, sums,
 * queues.
 *
 * Of atomic operations on a word only the last one's mark is kept. Until the block does something
 * else that could ask for it, that mark may lie with the block: the first operation on a word is
 * noted in the word's cell, as ever; further ones are kept here, and the last of them goes to the
 * cell when the block comes to a barrier, accesses device memory some other way that leaves marks,
 * or ends. What the cell tells about others is looked at then, too: of two accesses that race the
 * later one finds it.
 *
 * Workers that count in the same places would otherwise take every cell from each other for each
 * operation. Only in kernels in which atomic operations hand nothing on (no fence, no .release),
 * and on memory where no worker's block can see them and then go there otherwise (strong_observed).
 */
#include "check/strong.h"

#include <string.h>

enum { COUNTER_BITS = 10, COUNTERS = 1 << COUNTER_BITS };

/* An atomic operation that some cell does not know of yet (with `newer`), or does. */
struct counter {
    uint64_t address; /* 0: none */
    uint32_t place;
    uint8_t warp, lane;
    bool newer, listed;
};

struct counters {
    uint32_t used; /* of list */
    uint16_t list[COUNTERS];
    struct counter kept[COUNTERS];
};

static bool
may_keep(const struct visit *v)
{
    const struct range *e = v->expect;
    const struct kernel_facts *k = v->b->launch->facts;
    return v->op == JIT_ATOMIC && v->space == PTX_SPACE_GLOBAL && v->bytes == 4 &&
           v->facts->align == 4 &&
           (v->facts->flags & ~(PLACE_ACQUIRE | PLACE_SYSTEM)) == (PLACE_STRONG | PLACE_ATOMIC) &&
           e->base && !(e->base >> 62) && !k->releases && !k->opaque && !strong_observed(v) &&
           (v->b->launch->check->groups & (CHECK_RACE | CHECK_INIT));
}

/* The last operation on the word is noted in its cell. */
static void
flush_one(struct block_state *b, struct counter *c)
{
    uint64_t address[JIT_LANES];
    struct visit v = {.b = b,
                      .facts = &b->facts[c->place],
                      .expect = &b->expect[c->place],
                      .lanes = 1u << c->lane,
                      .bytes = 4,
                      .space = PTX_SPACE_GLOBAL,
                      .op = JIT_ATOMIC,
                      .place = c->place,
                      .warp = c->warp};
    address[c->lane] = c->address;
    c->newer = false;
    global_access(&v, v.lanes, address);
}

void
counters_access(const struct visit *v, uint32_t lanes, const uint64_t *address)
{
    if (!global_is_watched(v))
        return;
    counters_before(v->b);
    global_access(v, lanes, address);
}

void
counters_over(struct block_state *b)
{
    struct counters *all = b->counters;
    b->shared.counting = false;
    for (uint32_t n = 0; n < all->used; n++) {
        struct counter *c = &all->kept[all->list[n]];
        if (c->newer)
            flush_one(b, c);
        c->address = 0;
        c->listed = false;
    }
    all->used = 0;
}

static struct counter *
counter_at(struct counters *all, uint64_t address)
{
    return &all->kept[(address >> 2) & (COUNTERS - 1)];
}

/* Lanes `fresh` are looked at by their cells. Where that has more to say than the mark, nothing is
 * kept, and lanes of `seen` with the same word are looked at, too. */
static void
look_at(struct block_state *b, const struct visit *v, uint32_t fresh, uint32_t seen,
        const uint64_t *address)
{
    uint32_t again = 0;
    b->shared.rough = 0;
    if (fresh)
        global_access(v, fresh, address);
    for (uint32_t left = b->shared.rough; left; left &= left - 1) {
        uint64_t a = address[__builtin_ctz(left)];
        struct counter *c = counter_at(b->counters, a);
        if (c->address != a)
            continue;
        c->address = 0;
        c->newer = false;
        for (uint32_t some = seen & ~fresh; some; some &= some - 1)
            again |= address[__builtin_ctz(some)] == a ? some & -some : 0;
    }
    if (again)
        global_access(v, again, address);
}

static void
keep_all(struct block_state *b, const struct visit *v, const uint64_t *address)
{
    struct counters *all = b->counters;
    uint32_t fresh = 0, seen = 0; /* fresh: the first lane of those at a word that is not here */
    for (uint32_t left = v->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct counter *c = counter_at(all, address[lane]);
        if (c->address == address[lane]) {
            c->newer = true;
        } else {
            if (c->newer) { /* it has to go, and may be one of them */
                look_at(b, v, fresh, seen, address);
                fresh = seen = 0;
            }
            if (c->newer)
                flush_one(b, c);
            if (!c->listed)
                all->list[all->used++] = (uint16_t)(c - all->kept);
            c->listed = true;
            c->address = address[lane];
            c->newer = false;
            fresh |= 1u << lane;
        }
        seen |= 1u << lane;
        c->place = v->place;
        c->warp = (uint8_t)v->warp;
        c->lane = (uint8_t)lane;
    }
    if (fresh)
        look_at(b, v, fresh, seen, address);
}

static bool
in_bounds(const struct visit *v, const uint64_t *address)
{
    uint64_t low = v->expect->base, room = v->expect->end - low, most = 0, bits = 0;
    for (uint32_t l = 0; l < JIT_LANES; l++) {
        uint64_t on = -(uint64_t)(v->lanes >> l & 1), at = (address[l] - low) & on;
        bits |= address[l] & on;
        most = most > at ? most : at;
    }
    return room >= 4 && most <= room - 4 && !(bits & 3);
}

bool
counters_lanes(const struct visit *v, const uint64_t *address)
{
    struct block_state *b = v->b;
    if (!may_keep(v) || !in_bounds(v, address))
        return false;
    if (!b->counters)
        b->counters = ls_alloc(sizeof *b->counters);
    b->shared.counting = false;
    keep_all(b, v, address);
    b->shared.counting = true;
    return true;
}
