/* SPDX-License-Identifier: Apache-2.0
 *
 * order.c: who happens before whom (PTX ISA 8, the memory consistency model, in the part that
 * programs use).
 *
 *   in a block    barriers order the warps that wait after those that arrive; __syncwarp the lanes
 *                 in its mask. Before 7.0 the lanes of a warp run in lock-step: program order is
 *                 theirs.
 *   fences        what a warp knows at a fence is what its strong stores and atomics hand on from
 *                 then on (flags.c); what its strong loads and atomics saw before the fence it
 *                 knows from then on. A fence of block scope counts among the threads of the block.
 *
 * docs/memory-model.md has the model, and what this file does otherwise.
 */
#include "check/check_priv.h"

#include <stdlib.h>
#include <string.h>

/* -- sets of what is known --------------------------------------------------------------------- */

struct known *
known_get(struct known *k)
{
    if (k)
        k->users++;
    return k;
}

void
known_put(struct known *k)
{
    if (k && --k->users == 0)
        ls_release(k);
}

static struct known *
known_new(uint32_t room)
{
    struct known *k = ls_alloc(sizeof *k + sizeof k->entry[0] * room);
    k->users = 1;
    return k;
}

struct known *
known_join(struct known *a, struct known *b)
{
    if (!b || a == b)
        return a;
    if (!a)
        return known_get(b);
    struct known *k = known_new(a->count + b->count);
    uint32_t i = 0, j = 0;
    bool same = a->count >= b->count; /* b says nothing new */
    while (i < a->count || j < b->count) {
        const struct known_entry *x = i < a->count ? &a->entry[i] : NULL;
        const struct known_entry *y = j < b->count ? &b->entry[j] : NULL;
        struct known_entry e;
        if (x && (!y || x->key < y->key)) {
            e = *x;
            i++;
        } else if (y && (!x || y->key < x->key)) {
            e = *y;
            j++;
            same = false;
        } else {
            e = x->stamp >= y->stamp ? *x : *y;
            same = same && x->stamp >= y->stamp;
            i++;
            j++;
        }
        k->entry[k->count++] = e;
    }
    if (same) {
        known_put(k);
        return a;
    }
    known_put(a);
    return k;
}

static int64_t
look_up(const struct known *k, uint64_t key)
{
    uint32_t low = 0, high = k->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (k->entry[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < k->count && k->entry[low].key == key ? (int64_t)k->entry[low].stamp : -1;
}

int64_t
known_of(const struct known *k, uint64_t block, uint32_t warp)
{
    if (!k)
        return -1;
    int64_t whole = look_up(k, block << 6 | WHOLE), one = look_up(k, block << 6 | warp);
    return whole > one ? whole : one;
}

struct known *
known_sent(struct known *k, uint64_t block, uint32_t number)
{
    struct known *one = known_new(1);
    one->entry[one->count++] = (struct known_entry){block << 6 | SENT, number};
    k = known_join(k, one);
    known_put(one);
    return k;
}

bool
known_is_sent(const struct known *k, uint64_t block, uint32_t number)
{
    return k && look_up(k, block << 6 | SENT) >= (int64_t)number;
}

/* All that the warp did, and what it knows. */
struct known *
order_now(const struct block_state *b, uint32_t warp)
{
    uint64_t key = b->block->index << 6;
    uint32_t whole = b->order.floor - 1;
    struct known *k = known_new(b->warps + 2);
    for (uint32_t v = 0; v < b->warps; v++) {
        uint32_t stamp = v == warp ? b->order.stamp : b->order.partly ? b->order.known[warp][v] : 0;
        if (stamp >= b->order.first && stamp > whole)
            k->entry[k->count++] = (struct known_entry){key | v, stamp};
    }
    if (whole >= b->order.first)
        k->entry[k->count++] = (struct known_entry){key | WHOLE, whole};
    return known_join(k, b->order.outside[warp]);
}

static void
need_lanes(struct block_state *b, uint32_t warp)
{
    if (!b->order.lanes_met[warp])
        b->order.lanes_met[warp] = ls_alloc(sizeof(uint32_t) * JIT_LANES * JIT_LANES);
}

/* What lanes of a warp learn of the warp's other lanes. */
static void
acquire_own(struct block_state *b, uint32_t warp, uint32_t lanes, uint32_t stamp)
{
    need_lanes(b, warp);
    for (; lanes; lanes &= lanes - 1) {
        uint32_t *row = b->order.lanes_met[warp][__builtin_ctz(lanes)];
        for (uint32_t y = 0; y < JIT_LANES; y++)
            if (row[y] < stamp)
                row[y] = stamp;
    }
}

/* What warp `warp` learns. */
void
order_acquire(struct block_state *b, uint32_t warp, uint32_t lanes, struct known *k)
{
    uint64_t here = b->block->index;
    bool others = false;
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t of = k->entry[i].key & 63, stamp = k->entry[i].stamp;
        others = others || k->entry[i].key >> 6 != here;
        if (k->entry[i].key >> 6 != here || of >= SENT || stamp < b->order.floor)
            continue;
        if (of == warp) {
            acquire_own(b, warp, lanes, stamp);
            continue;
        }
        if (!b->order.partly)
            memset(b->order.known, 0, sizeof b->order.known);
        b->order.partly = true;
        if (b->order.known[warp][of] < stamp)
            b->order.known[warp][of] = stamp;
    }
    if (others) {
        b->order.outside[warp] = known_join(b->order.outside[warp], k);
        b->order.any_outside = true;
    }
}

/* -- scopes ------------------------------------------------------------------------------------ */

/* Where there are no clusters each block is one of its own. */
enum scope
order_scope(const struct block_state *b, uint32_t flags)
{
    if (flags & PLACE_SCOPE_CTA || (flags & PLACE_SCOPE_CLUSTER && !b->peers))
        return SCOPE_BLOCK;
    return flags & PLACE_SCOPE_CLUSTER ? SCOPE_CLUSTER : SCOPE_DEVICE;
}

enum scope
order_scope_to(const struct block_state *b, uint64_t block)
{
    const struct jit_launch *l = b->block->launch;
    uint64_t here = b->block->index, there = block;
    if (here == there)
        return SCOPE_BLOCK;
    for (uint32_t d = 0; d < 3 && b->peers; d++) {
        if (here % l->grid[d] / l->cluster[d] != there % l->grid[d] / l->cluster[d])
            return SCOPE_DEVICE;
        here /= l->grid[d];
        there /= l->grid[d];
    }
    return b->peers && here == there ? SCOPE_CLUSTER : SCOPE_DEVICE;
}

/* -- fences ------------------------------------------------------------------------------------ */

static struct handing *
need_handing(struct block_state *b)
{
    if (!b->handing)
        b->handing = ls_alloc(sizeof *b->handing);
    return b->handing;
}

void
order_saw(struct block_state *b, uint32_t warp, uint32_t lanes, enum scope scope, struct known *k)
{
    struct handing *h = need_handing(b);
    h->seen[scope][warp] = known_join(h->seen[scope][warp], k);
    h->seen_lanes[warp] |= lanes;
    h->any_seen = true;
}

/* What the warp saw is known to it from now on, as far as a fence of that scope goes. */
static void
take_seen(struct block_state *b, uint32_t warp, enum scope scope)
{
    struct handing *h = b->handing;
    for (enum scope s = SCOPE_BLOCK; s <= scope; s++) {
        struct known *k = h->seen[s][warp];
        h->seen[s][warp] = NULL;
        if (k)
            order_acquire(b, warp, h->seen_lanes[warp], k);
        known_put(k);
    }
    if (!h->seen[SCOPE_CLUSTER][warp] && !h->seen[SCOPE_DEVICE][warp])
        h->seen_lanes[warp] = 0;
}

bool
order_seen(const struct block_state *b, uint32_t mine, uint64_t block, uint32_t warp,
           uint32_t stamp)
{
    const struct handing *h = b->handing;
    bool seen = false;
    for (enum scope s = SCOPE_BLOCK; h && h->any_seen && s < SCOPES; s++)
        seen = seen || known_of(h->seen[s][mine], block, warp) >= (int64_t)stamp;
    return seen;
}

bool
order_fenced(const struct block_state *b, uint32_t warp, enum scope scope)
{
    return b->handing && b->handing->fenced[scope][warp];
}

static void
next_stamp(struct block_state *b)
{
    if (b->order.stamp < LAST_STAMP)
        b->order.stamp++;
}

void
order_fence(struct block_state *b, uint32_t warp, uint32_t flags)
{
    enum scope scope = order_scope(b, flags);
    struct handing *h = need_handing(b);
    if (flags & PLACE_ACQUIRE && h->any_seen)
        take_seen(b, warp, scope);
    if (!(flags & PLACE_RELEASE))
        return;
    struct known *now = order_now(b, warp);
    for (enum scope s = SCOPE_BLOCK; s <= scope; s++) {
        known_put(h->fenced[s][warp]);
        h->fenced[s][warp] = known_get(now);
    }
    known_put(now);
    h->any_fenced = true;
    next_stamp(b);
}

void
order_forget(struct block_state *b)
{
    struct handing *h = b->handing;
    for (uint32_t w = 0; w < MOST_WARPS && (h->any_fenced || h->any_seen); w++) {
        for (enum scope s = SCOPE_BLOCK; s < SCOPES; s++) {
            known_put(h->fenced[s][w]);
            known_put(h->seen[s][w]);
            h->fenced[s][w] = h->seen[s][w] = NULL;
        }
        h->seen_lanes[w] = 0;
    }
    h->any_fenced = h->any_seen = false;
}

/* Fences reach across barriers of the block: what one thread's fence covered, others hand on behind
 * the barrier, and what a thread saw, all know. */
static void
share_handing(struct block_state *b, const uint32_t *arrived, const uint32_t *waiting)
{
    struct handing *h = b->handing;
    for (uint32_t w = 0; w < b->warps && h->any_seen; w++)
        if (arrived[w])
            take_seen(b, w, SCOPE_DEVICE);
    for (enum scope s = SCOPE_BLOCK; s < SCOPES && h->any_fenced; s++) {
        struct known *all = NULL;
        for (uint32_t w = 0; w < b->warps; w++)
            if (arrived[w])
                all = known_join(all, h->fenced[s][w]);
        for (uint32_t w = 0; w < b->warps && all; w++)
            if (waiting[w] && h->fenced[s][w] != all) {
                known_put(h->fenced[s][w]);
                h->fenced[s][w] = known_get(all);
            }
        known_put(all);
    }
}

/* -- barriers ---------------------------------------------------------------------------------- */

/* Joins what the arrived warps know of other blocks and gives it to the waiting ones. */
static void
share_outside(struct block_state *b, const uint32_t *arrived, const uint32_t *waiting)
{
    struct known *all = NULL;
    for (uint32_t w = 0; w < b->warps; w++)
        if (arrived[w])
            all = known_join(all, b->order.outside[w]);
    if (!all)
        return;
    for (uint32_t w = 0; w < b->warps; w++)
        if (waiting[w]) {
            known_put(b->order.outside[w]);
            b->order.outside[w] = known_get(all);
        }
    known_put(all);
}

/* The warp arrives at a synchronisation: accesses from here on get a later stamp. Returns the stamp
 * of those before. */
uint32_t
order_arrive(struct block_state *b)
{
    uint32_t now = b->order.stamp;
    next_stamp(b);
    return now;
}

void
order_barrier(struct block_state *b, const uint32_t *arrived, const uint32_t *waiting,
              const uint32_t *stamps, bool all)
{
    if (b->handing)
        share_handing(b, arrived, waiting);
    if (b->order.any_outside)
        share_outside(b, arrived, waiting);
    uint32_t now = b->order.stamp;
    next_stamp(b);
    if (all) {
        b->order.floor = b->order.stamp;
        b->order.partly = false;
        return;
    }
    uint32_t row[MOST_WARPS] = {0};
    for (uint32_t w = 0; w < b->warps; w++) {
        if (!arrived[w])
            continue;
        row[w] = waiting[w] ? now : stamps[w];
        for (uint32_t v = 0; v < b->warps && b->order.partly; v++)
            if (v != w && row[v] < b->order.known[w][v])
                row[v] = b->order.known[w][v];
    }
    if (!b->order.partly)
        memset(b->order.known, 0, sizeof b->order.known);
    b->order.partly = true;
    for (uint32_t w = 0; w < b->warps; w++) {
        for (uint32_t v = 0; waiting[w] && v < b->warps; v++)
            if (b->order.known[w][v] < row[v])
                b->order.known[w][v] = row[v];
        if (waiting[w] && waiting[w] == b->exists[w])
            b->order.warp_floor[w] = b->order.stamp;
    }
}

void
order_warp(struct block_state *b, uint32_t warp, uint32_t lanes, uint32_t members)
{
    uint32_t now = b->order.stamp;
    next_stamp(b);
    members &= b->exists[warp];
    if (lanes == members && members == b->exists[warp]) {
        b->order.warp_floor[warp] = b->order.stamp;
        return;
    }
    need_lanes(b, warp);
    for (uint32_t x = 0; x < JIT_LANES; x++)
        for (uint32_t y = 0; y < JIT_LANES && members >> x & 1; y++)
            if ((members >> y & 1) && ((lanes >> x | lanes >> y) & 1))
                b->order.lanes_met[warp][x][y] = now;
}

bool
order_unordered(const struct block_state *b, uint32_t mine, uint32_t my_lane, uint32_t warp,
                uint32_t lane, bool many, uint32_t stamp)
{
    if (stamp < b->order.floor || stamp > b->order.stamp)
        return false;
    if (warp != mine)
        return !b->order.partly || b->order.known[mine][warp] < stamp;
    if (b->launch->facts->lock_step || stamp < b->order.warp_floor[mine] ||
        (lane == my_lane && !many))
        return false;
    return !b->order.lanes_met[mine] || (!many && b->order.lanes_met[mine][my_lane][lane] < stamp);
}
