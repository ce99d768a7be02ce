/* SPDX-License-Identifier: Apache-2.0
 *
 * order.c: who happens before whom (PTX ISA 8, the memory consistency model, in the part that
 * programs use).
 *
 *   in a block    barriers order the warps that wait after those that arrive; __syncwarp the lanes
 *                 in its mask. Before 7.0 the lanes of a warp run in lock-step: program order is theirs.
 *   flags, locks, counters (in global or shared memory): a strong store or atomic hands on what its
 *                 warp did before its last fence, and what that warp knew; a strong load or atomic
 *                 of the same place takes it over. Without a fence nothing is handed on.
 *
 * A strong access is announced before it is made: what it releases is put down then, what it
 * acquires is taken at the warp's next event, when the value that it saw has surely been released.
 * So a program that is ordered is never called unordered, whatever the workers' timing.
 */
#include "check/check_priv.h"

#include <stdlib.h>
#include <string.h>

enum { LAST_STAMP = TRANSFER_STAMP - 16 };

/* -- sets of what is known ------------------------------------------------------------------------- */

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

/* -- places where something was released -------------------------------------------------------------- */

struct released {
    uint64_t address; /* 0: free */
    struct known *what;
    uint32_t work;    /* the launch whose blocks it speaks of */
};

struct sync_table {
    uint64_t room, count;
    struct released *at;
};

struct sync_table *
sync_new(void)
{
    return ls_alloc(sizeof(struct sync_table));
}

void
sync_clear(struct sync_table *t)
{
    for (uint64_t k = 0; k < t->room && t->count; k++) {
        known_put(t->at[k].what);
        t->at[k] = (struct released){0};
    }
    t->count = 0;
}

void
sync_free(struct sync_table *t)
{
    if (!t)
        return;
    sync_clear(t);
    ls_release(t->at);
    ls_release(t);
}

static struct released *
find_released(struct sync_table *t, uint64_t address)
{
    uint64_t k = (address * 0x9e3779b97f4a7c15ull) >> 20;
    for (k &= t->room - 1; t->at[k].address && t->at[k].address != address; k = (k + 1) & (t->room - 1))
        ;
    return &t->at[k];
}

static struct released *
need_released(struct sync_table *t, uint64_t address)
{
    if (2 * (t->count + 1) > t->room) {
        struct sync_table old = *t;
        t->room = old.room ? 2 * old.room : 64;
        t->at = ls_alloc(sizeof *t->at * t->room);
        for (uint64_t k = 0; k < old.room; k++)
            if (old.at[k].address)
                *find_released(t, old.at[k].address) = old.at[k];
        ls_release(old.at);
    }
    struct released *r = find_released(t, address);
    t->count += !r->address;
    r->address = address;
    return r;
}

/* NULL: nothing. */
struct known *
order_release(const struct block_state *b, uint32_t warp, bool with_fence, bool shared)
{
    uint64_t key = b->block->index << 6;
    uint32_t own = shared ? b->warp_fence_block[warp] : b->warp_fence[warp];
    uint32_t whole = shared ? own : b->fence;
    if (with_fence)
        own = whole = b->stamp;
    if (whole >= b->floor)
        whole = b->floor - 1;
    if (own < b->first && whole < b->first && !b->outside[warp])
        return NULL;
    struct known *k = known_new(b->warps + 2);
    for (uint32_t v = 0; v < b->warps; v++) {
        uint32_t stamp = v == warp ? own : b->partly && own >= b->first ? b->known[warp][v] : 0;
        if (stamp >= b->first && stamp > whole)
            k->entry[k->count++] = (struct known_entry){key | v, stamp};
    }
    if (whole >= b->first)
        k->entry[k->count++] = (struct known_entry){key | WHOLE, whole};
    return own >= b->first ? known_join(k, b->outside[warp]) : k;
}

static void
need_lanes(struct block_state *b, uint32_t warp)
{
    if (!b->lanes_met[warp])
        b->lanes_met[warp] = ls_alloc(sizeof(uint32_t) * JIT_LANES * JIT_LANES);
}

/* What lanes of a warp learn of the warp's other lanes. */
static void
acquire_own(struct block_state *b, uint32_t warp, uint32_t lanes, uint32_t stamp)
{
    need_lanes(b, warp);
    for (; lanes; lanes &= lanes - 1) {
        uint32_t *row = b->lanes_met[warp][__builtin_ctz(lanes)];
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
        if (k->entry[i].key >> 6 != here || of == WHOLE || stamp < b->floor)
            continue;
        if (of == warp) {
            acquire_own(b, warp, lanes, stamp);
            continue;
        }
        if (!b->partly)
            memset(b->known, 0, sizeof b->known);
        b->partly = true;
        if (b->known[warp][of] < stamp)
            b->known[warp][of] = stamp;
    }
    if (others) {
        b->outside[warp] = known_join(b->outside[warp], k);
        b->any_outside = true;
    }
}

void
order_settle(struct block_state *b, uint32_t warp)
{
    struct pending *p = &b->pending[warp];
    struct check *c = b->launch->check;
    for (uint32_t k = 0; k < p->count; k++) {
        struct sync_table *t = p->shared[k] ? b->sync : c->sync;
        if (!t || !__atomic_load_n(&t->count, __ATOMIC_ACQUIRE))
            continue;
        if (!p->shared[k])
            pthread_mutex_lock(&c->sync_lock);
        struct released *r = t->room ? find_released(t, p->address[k]) : NULL;
        struct known *what = known_get(r && r->work == b->launch->work ? r->what : NULL);
        if (!p->shared[k])
            pthread_mutex_unlock(&c->sync_lock);
        if (what)
            order_acquire(b, warp, p->lanes[k], what);
        known_put(what);
    }
    p->count = 0;
}

static void
release_at(struct block_state *b, uint64_t address, struct known *what, bool shared, bool keep)
{
    struct check *c = b->launch->check;
    struct sync_table *t = shared ? b->sync : c->sync;
    if (!what && (keep || !__atomic_load_n(&t->count, __ATOMIC_RELAXED)))
        return;
    if (!shared)
        pthread_mutex_lock(&c->sync_lock);
    struct released *r = need_released(t, address);
    keep = keep && r->work == b->launch->work;
    r->work = b->launch->work;
    if (keep) {
        r->what = known_join(r->what, what);
    } else {
        known_put(r->what);
        r->what = known_get(what);
    }
    if (!shared)
        pthread_mutex_unlock(&c->sync_lock);
}

void
order_strong(const struct visit *v, uint32_t lanes, const uint64_t *address, bool shared)
{
    struct block_state *b = v->b;
    uint16_t flags = v->facts->flags;
    if (flags & PLACE_MBARRIER || !b->launch->facts->releases)
        return;
    if (shared && !b->sync)
        b->sync = sync_new();
    if (v->op != JIT_LOAD) {
        struct known *what = order_release(b, v->warp, flags & PLACE_RELEASE, shared);
        uint64_t before = 0;
        for (uint32_t left = lanes; left; left &= left - 1) {
            uint64_t a = address[__builtin_ctz(left)];
            if (a != before)
                release_at(b, a, what, shared, v->op == JIT_ATOMIC);
            before = a;
        }
        known_put(what);
    }
    if (!(flags & PLACE_ACQUIRE))
        return;
    struct pending *p = &b->pending[v->warp];
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t a = address[__builtin_ctz(left)];
        uint32_t lane = left & -left;
        if (p->count && p->address[p->count - 1] == a) {
            p->lanes[p->count - 1] |= lane;
            continue;
        }
        if (p->count == JIT_LANES)
            order_settle(b, v->warp);
        p->address[p->count] = a;
        p->lanes[p->count] = lane;
        p->shared[p->count++] = shared;
    }
}

/* -- barriers ---------------------------------------------------------------------------------------------- */

static void
next_stamp(struct block_state *b)
{
    if (b->stamp < LAST_STAMP)
        b->stamp++;
}

/* Joins what the arrived warps know of other blocks and gives it to the waiting ones. */
static void
share_outside(struct block_state *b, const uint32_t *arrived, const uint32_t *waiting)
{
    struct known *all = NULL;
    for (uint32_t w = 0; w < b->warps; w++)
        if (arrived[w])
            all = known_join(all, b->outside[w]);
    if (!all)
        return;
    for (uint32_t w = 0; w < b->warps; w++)
        if (waiting[w]) {
            known_put(b->outside[w]);
            b->outside[w] = known_get(all);
        }
    known_put(all);
}

/* What a warp does after bar.arrive is not ordered by that barrier. */
uint32_t
order_arrive(struct block_state *b)
{
    uint32_t now = b->stamp;
    next_stamp(b);
    return now;
}

void
order_barrier(struct block_state *b, const uint32_t *arrived, const uint32_t *waiting,
              const uint32_t *stamps, bool all)
{
    for (uint32_t w = 0; w < b->warps && b->launch->facts->releases; w++)
        if (b->pending[w].count)
            order_settle(b, w);
    if (b->any_outside)
        share_outside(b, arrived, waiting);
    uint32_t now = b->stamp;
    next_stamp(b);
    if (all) {
        b->floor = b->stamp;
        b->partly = false;
        return;
    }
    uint32_t row[MOST_WARPS] = {0};
    for (uint32_t w = 0; w < b->warps; w++) {
        if (!arrived[w])
            continue;
        row[w] = waiting[w] ? now : stamps[w];
        for (uint32_t v = 0; v < b->warps && b->partly; v++)
            if (v != w && row[v] < b->known[w][v])
                row[v] = b->known[w][v];
    }
    if (!b->partly)
        memset(b->known, 0, sizeof b->known);
    b->partly = true;
    for (uint32_t w = 0; w < b->warps; w++) {
        for (uint32_t v = 0; waiting[w] && v < b->warps; v++)
            if (b->known[w][v] < row[v])
                b->known[w][v] = row[v];
        if (waiting[w] && waiting[w] == b->exists[w])
            b->warp_floor[w] = b->stamp;
    }
}

void
order_warp(struct block_state *b, uint32_t warp, uint32_t lanes, uint32_t members)
{
    uint32_t now = b->stamp;
    next_stamp(b);
    members &= b->exists[warp];
    if (lanes == members && members == b->exists[warp]) {
        b->warp_floor[warp] = b->stamp;
        return;
    }
    need_lanes(b, warp);
    for (uint32_t x = 0; x < JIT_LANES; x++)
        for (uint32_t y = 0; y < JIT_LANES && members >> x & 1; y++)
            if ((members >> y & 1) && ((lanes >> x | lanes >> y) & 1))
                b->lanes_met[warp][x][y] = now;
}

void
order_fence(struct block_state *b, uint32_t warp, bool block_only)
{
    b->warp_fence_block[warp] = b->stamp;
    if (!block_only)
        b->warp_fence[warp] = b->fence = b->stamp;
    next_stamp(b);
}

bool
order_unordered(const struct block_state *b, uint32_t mine, uint32_t my_lane, uint32_t warp,
                uint32_t lane, bool many, uint32_t stamp)
{
    if (stamp < b->floor || stamp > b->stamp)
        return false;
    if (warp != mine)
        return !b->partly || b->known[mine][warp] < stamp;
    if (b->launch->check->lock_step || stamp < b->warp_floor[mine] || (lane == my_lane && !many))
        return false;
    return !b->lanes_met[mine] || (!many && b->lanes_met[mine][my_lane][lane] < stamp);
}

/* -- a block begins and ends ------------------------------------------------------------------------------ */

void
order_begin(struct block_state *b)
{
    bool again = b->stamp > LAST_STAMP / 2 || transfers_full(b);
    if (again) { /* numbers run out: old marks in shared memory must go */
        if (b->write)
            memset(b->write, 0, b->room * sizeof *b->write);
        if (b->read)
            memset(b->read, 0, b->room * sizeof *b->read);
        if (b->other)
            memset(b->other, 0, b->room * sizeof *b->other);
        if (b->strong)
            memset(b->strong, 0, b->room * sizeof *b->strong);
        b->stamp = 0;
    }
    transfers_begin(b, again);
    b->stamp++;
    b->first = b->floor = b->stamp;
    b->fence = b->waited = 0;
    b->partly = false;
    memset(b->warp_fence, 0, sizeof b->warp_fence);
    memset(b->warp_fence_block, 0, sizeof b->warp_fence_block);
    memset(b->warp_floor, 0, sizeof b->warp_floor);
    for (uint32_t w = 0; w < b->warps; w++) {
        if (b->launch->facts->releases)
            b->pending[w].count = 0;
        if (b->any_outside) {
            known_put(b->outside[w]);
            b->outside[w] = NULL;
        }
        if (b->lanes_met[w])
            memset(b->lanes_met[w], 0, sizeof(uint32_t) * JIT_LANES * JIT_LANES);
    }
    b->any_outside = false;
    if (b->sync)
        sync_clear(b->sync);
}

void
order_end(struct block_state *b)
{
    for (uint32_t w = 0; w < MOST_WARPS; w++) {
        known_put(b->outside[w]);
        ls_release(b->lanes_met[w]);
    }
    sync_free(b->sync);
    transfers_free(b);
}
