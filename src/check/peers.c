/* SPDX-License-Identifier: Apache-2.0
 *
 * peers.c: shared memory that another block of the cluster accesses.
 *
 *   races      a word that some peer has touched has a cell of its own here, beside the owner's
 *              (shared.c): the last write and the last read by a peer. Accesses of both sides are
 *              held against both.
 *   lifetime   a peer's memory is there from when it is known that the peer has begun until the
 *              peer ends: what touches it has to be ordered before that end.
 *   order      barrier.cluster hands on what its threads did before they arrived; an mbarrier, what
 *              those did who arrived at it, or sent bytes to it (async.c): it is its owner's,
 *              whoever arrives.
 *
 * The blocks of a cluster run on one thread, which makes all calls of this file for them.
 */
#include "check/peers.h"

#include <stdio.h>
#include <string.h>

/* A word of some block's shared memory that a peer has accessed. */
struct peer_cell {
    uint64_t at; /* 0: free */
    struct mark write, read;
    bool has_write, has_read;
};

struct peers {
    struct block_state *block[JIT_CLUSTER_MOST]; /* by rank */
    struct known *arrived, *over;                /* of the cluster's barrier */
    uint32_t joined;                             /* blocks that know of its end */
    struct peer_cell *cell;                      /* open addressing; capacity a power of two */
    uint64_t cells, capacity;
};

/* -- a cluster begins and ends ----------------------------------------------------------------- */

static const struct jit_launch *
launch_of(const struct block_state *b)
{
    return b->block->launch;
}

static void
forget(struct peers *p)
{
    known_put(p->arrived);
    known_put(p->over);
    ls_release(p->cell);
    *p = (struct peers){0};
}

/* The state that the cluster shares, which lies with its first block; that block has begun
 * before. */
static struct peers *
of_first(const struct block_state *b)
{
    struct launch *l = b->launch;
    struct peers *p = NULL;
    pthread_mutex_lock(&l->lock);
    for (const struct block_state *s = l->blocks; s && !p; s = s->next)
        if (s->peers_own && s->block->shared == b->block->window)
            p = s->peers_own;
    pthread_mutex_unlock(&l->lock);
    return p;
}

void
peers_begin(struct block_state *b)
{
    if (!b->block->rank) {
        b->peers_own = b->peers_own ? b->peers_own : ls_alloc(sizeof *b->peers_own);
        forget(b->peers_own);
    }
    b->peers = b->block->rank ? of_first(b) : b->peers_own;
    b->peers->block[b->block->rank] = b;
}

void
peers_free(struct block_state *b)
{
    if (b->peers_own)
        forget(b->peers_own);
    ls_release(b->peers_own);
}

/* -- where addresses lie ----------------------------------------------------------------------- */

enum { STRIDE = 1 << JIT_RANK_BIT };

static bool
is_peers(const struct block_state *b, uint64_t a)
{
    uint64_t at = a - (uint64_t)(uintptr_t)b->block->window;
    return at >> 32 == 0 && at / STRIDE != b->block->rank;
}

struct block_state *
peers_owner(struct block_state *b, uint64_t a)
{
    uint64_t rank = (a - (uint64_t)(uintptr_t)b->block->window) / STRIDE;
    return b->peers && rank < launch_of(b)->cluster_blocks ? b->peers->block[rank] : b;
}

/* -- cells ------------------------------------------------------------------------------------- */

static uint64_t
slot_of(const struct peers *p, uint64_t at)
{
    uint64_t k = at / 4 * 0x9e3779b97f4a7c15ull >> 20 & (p->capacity - 1);
    while (p->cell[k].at && p->cell[k].at != at)
        k = (k + 1) & (p->capacity - 1);
    return k;
}

static struct peer_cell *
find_cell(const struct peers *p, uint64_t at)
{
    struct peer_cell *c = p->cells ? &p->cell[slot_of(p, at)] : NULL;
    return c && c->at ? c : NULL;
}

static struct peer_cell *
need_cell(struct peers *p, uint64_t at)
{
    if (2 * p->cells >= p->capacity) {
        struct peers old = *p;
        p->capacity = old.capacity ? 2 * old.capacity : 1024;
        p->cell = ls_alloc(sizeof *p->cell * p->capacity);
        for (uint64_t k = 0; k < old.capacity; k++)
            if (old.cell[k].at)
                p->cell[slot_of(p, old.cell[k].at)] = old.cell[k];
        ls_release(old.cell);
    }
    struct peer_cell *c = &p->cell[slot_of(p, at)];
    p->cells += !c->at;
    c->at = at;
    return c;
}

/* -- findings ---------------------------------------------------------------------------------- */

static void
report(const struct visit *v, uint32_t lane, enum finding_kind kind, uint64_t offset,
       const char *message, const char *missing)
{
    const struct launch *l = v->b->launch;
    struct finding f = {.kind = kind, .space = "shared"};
    if (!finding_wanted(l, f.kind, f.rank, l->facts, v->place, NULL, 0, v->b->block->ctaid))
        return;
    f.access = side_of(v, lane, offset);
    snprintf(f.message, sizeof f.message, "%s", message);
    snprintf(f.missing, sizeof f.missing, "%s", missing);
    finding_add(l->check, &f);
}

/* False: no block's shared memory is there. */
static bool
inside(const struct visit *v, uint32_t lane, uint64_t a)
{
    const struct launch *l = v->b->launch;
    uint64_t at = a - (uint64_t)(uintptr_t)v->b->block->window, rank = at / STRIDE;
    uint64_t offset = at % STRIDE, blocks = launch_of(v->b)->cluster_blocks;
    char text[300], missing[100];
    if (rank >= blocks) {
        snprintf(text, sizeof text,
                 "%s of %u bytes in shared memory of block %llu of the cluster, which has %llu",
                 access_name(v->op), v->bytes, (unsigned long long)rank,
                 (unsigned long long)blocks);
        report(v, lane, FINDING_OUT_OF_BOUNDS, offset, text, "a rank below cluster.num_blocks()");
        return false;
    }
    uint32_t align = v->facts->align > v->bytes ? v->bytes & -v->bytes : v->facts->align;
    if (offset + v->bytes <= l->shared_bytes && align && offset % align) {
        snprintf(text, sizeof text,
                 "%s of %u bytes at offset 0x%llx of another block's shared memory, which is no "
                 "multiple of %u",
                 access_name(v->op), v->bytes, (unsigned long long)offset, align);
        snprintf(missing, sizeof missing,
                 "an address that is a multiple of %u, or an access for each element", align);
        report(v, lane, FINDING_MISALIGNED, offset, text, missing);
        return false;
    }
    if (offset + v->bytes <= l->shared_bytes)
        return true;
    snprintf(text, sizeof text,
             "%s of %u bytes at offset %llu of shared memory of block %llu of the cluster, which "
             "has %llu bytes",
             access_name(v->op), v->bytes, (unsigned long long)offset, (unsigned long long)rank,
             (unsigned long long)l->shared_bytes);
    report(v, lane, FINDING_OUT_OF_BOUNDS, offset, text,
           "a test of the index before the access, or a larger array in every block");
    return false;
}

/* Whether the warp knows anything that the other block did. */
static bool
has_begun(const struct visit *v, const struct block_state *owner)
{
    const struct known *k = v->b->order.outside[v->warp];
    for (uint32_t i = 0; k && i < k->count; i++)
        if (k->entry[i].key >> 6 == owner->block->index && k->entry[i].stamp >= owner->order.first)
            return true;
    return false;
}

/* -- accesses ---------------------------------------------------------------------------------- */

/* A mark of shared memory, with the scope that counts beyond its block. */
static struct mark
unpack_scoped(const struct block_state *b, uint64_t m)
{
    struct mark mark = unpack(b, m);
    enum scope scope = order_scope(b, b->facts[pack_place(m)].flags);
    if (m & PACK_STRONG)
        mark.when |= scope == SCOPE_BLOCK ? MARK_CTA : scope == SCOPE_CLUSTER ? MARK_CLUSTER : 0;
    return mark;
}

static struct mark
mark_of(const struct visit *v, uint32_t lane)
{
    return unpack_scoped(v->b, pack_at(v, v->b->order.stamp) | (uint64_t)lane << PACK_LANE);
}

/* One word against what its cells say of accesses before, of which `write` says what they were.
 * True: it races. */
static bool
hold_against(const struct visit *v, const struct touch *t, const struct mark *m, bool write)
{
    enum verdict verdict = race_judge(v, t->lane, m, write);
    if (verdict != ORDERED)
        report_race(v, t, m, verdict, false);
    return verdict != ORDERED;
}

/* What the owner's transfer with this stamp reads there: products of its warpgroups alone, else
 * TRANSFER_KNOWN. A lane is ordered behind what one of the four warps did after it had waited. */
static enum transfer_state
state_there(const struct visit *v, uint32_t lane, const struct block_state *owner, uint32_t stamp)
{
    struct transfers *all = owner->transfers;
    uint32_t number = stamp - TRANSFER_STAMP, any = 0;
    const struct transfer *t = all && number >= all->first ? transfer_at(all, number) : NULL;
    if (!t || t->kind != GROUP_WGMMA)
        return TRANSFER_KNOWN;
    for (uint32_t k = 0; k < GROUP_WARPS; k++) {
        uint32_t warp = t->warp / GROUP_WARPS * GROUP_WARPS + k;
        struct mark m = {.who = (uint64_t)v->b->launch->work << WORK_SHIFT |
                                (uint64_t)(uint32_t)owner->block->index << BLOCK_SHIFT |
                                warp << WARP_SHIFT,
                         .when = (uint64_t)t->waited[k] << STAMP_SHIFT};
        any |= t->waited[k];
        if (t->waited[k] && race_is_before(v, lane, &m))
            return TRANSFER_KNOWN;
    }
    return any ? TRANSFER_UNKNOWN : TRANSFER_RUNNING;
}

/* The owner's transfer that has left mark m; true: what it reads is overwritten. */
static bool
against_transfer(const struct visit *v, const struct touch *t, const struct block_state *owner,
                 uint64_t m, bool write)
{
    enum transfer_state state =
        write ? TRANSFER_KNOWN : state_there(v, t->lane, owner, pack_stamp(m));
    struct mark made = unpack(owner, m);
    if (state != TRANSFER_KNOWN)
        report_transfer(v, t, owner, &made, state);
    return state != TRANSFER_KNOWN;
}

/* The owner's own accesses of the word. */
static void
against_owner(const struct visit *v, const struct touch *t, struct block_state *owner)
{
    uint64_t offset = t->at - (uint64_t)(uintptr_t)owner->block->shared;
    uint64_t *const rows[] = {owner->shared.write, owner->shared.strong, owner->shared.read,
                              owner->shared.other};
    for (uint64_t k = 0; owner->shared.write && k < (v->op == JIT_LOAD ? 2 : 4); k++) {
        uint64_t m = rows[k][offset >> owner->shared.shift];
        if (m >> 63 && against_transfer(v, t, owner, m, k < 2))
            return;
        if (m >> 63 || pack_stamp(m) < owner->order.first) /* another block's */
            continue;
        struct mark mark = unpack_scoped(owner, m);
        if (hold_against(v, t, &mark, k < 2))
            return;
    }
}

static void
against_peers(const struct visit *v, const struct touch *t, const struct peer_cell *c)
{
    if (c->has_write && hold_against(v, t, &c->write, true))
        return;
    if (c->has_read && v->op != JIT_LOAD)
        hold_against(v, t, &c->read, false);
}

static void
note(const struct visit *v, uint32_t lane, struct peer_cell *c)
{
    struct mark now = mark_of(v, lane);
    if (v->op == JIT_LOAD)
        c->read = now, c->has_read = true;
    else
        c->write = now, c->has_write = true;
}

/* An access of lane's bytes in another block's memory. */
static void
touch_peer(const struct visit *v, const uint64_t *address, uint32_t lane)
{
    struct block_state *owner = peers_owner(v->b, address[lane]);
    uint64_t a = address[lane];
    struct touch t = {.address = address, .shift = 2, .lane = lane, .shared = true};
    bool at_mbarrier = v->facts->flags & PLACE_MBARRIER;
    if (!has_begun(v, owner))
        report(v, lane, FINDING_PEER, a % STRIDE,
               "shared memory of another block of the cluster is accessed, and nothing says that "
               "the block has begun",
               "cluster.sync() before the first access to another block's shared memory");
    for (t.at = a & ~3ull; t.at < a + v->bytes; t.at += 4) {
        struct peer_cell *c = need_cell(v->b->peers, t.at);
        uint64_t offset = t.at - (uint64_t)(uintptr_t)owner->block->shared;
        if (!at_mbarrier) {
            against_owner(v, &t, owner);
            against_peers(v, &t, c);
        }
        /* Who waits for these bytes cannot have ended before; being relaxed, they say no more. */
        if (!(v->facts->flags & PLACE_BYTES))
            note(v, lane, c);
        for (uint64_t k = 0;
             v->op != JIT_LOAD && owner->shared.write && k < (owner->shared.shift ? 1u : 4u); k++)
            (v->op == JIT_STORE ? shared_word_of_peer : shared_word_was_written)(
                owner, (offset >> owner->shared.shift) + k);
    }
}

uint32_t
peers_take(struct visit *v, const uint64_t *address)
{
    uint32_t theirs = 0, denied = 0;
    for (uint32_t left = v->lanes; left; left &= left - 1)
        if (is_peers(v->b, address[__builtin_ctz(left)]))
            theirs |= left & -left;
    for (uint32_t left = theirs; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (inside(v, lane, address[lane]))
            touch_peer(v, address, lane);
        else
            denied |= 1u << lane;
    }
    v->lanes &= ~theirs;
    v->w->denied |= denied;
    return denied;
}

void
peers_own(const struct visit *v, const uint64_t *address)
{
    const struct peers *p = v->b->peers;
    struct touch t = {.address = address, .shift = 2, .shared = true};
    if (!p->cells || v->facts->flags & PLACE_MBARRIER)
        return;
    for (uint32_t left = v->lanes; left; left &= left - 1) {
        t.lane = (uint32_t)__builtin_ctz(left);
        uint64_t a = address[t.lane];
        for (t.at = a & ~3ull; t.at < a + v->bytes; t.at += 4) {
            const struct peer_cell *c = find_cell(p, t.at);
            if (c)
                against_peers(v, &t, c);
        }
    }
}

/* -- order ------------------------------------------------------------------------------------- */

void
peers_arrive(struct block_state *b, uint32_t warp)
{
    if (!b->peers)
        return;
    struct known *now = order_now(b, warp);
    b->peers->arrived = known_join(b->peers->arrived, now);
    known_put(now);
}

/* Called for each block of the cluster when the barrier is complete. */
void
peers_barrier(struct block_state *b, const uint32_t *arrived)
{
    struct peers *p = b->peers;
    if (!p)
        return;
    if (p->joined++ == 0) {
        p->over = known_join(p->over, p->arrived);
        known_put(p->arrived);
        p->arrived = NULL;
    }
    if (p->joined == launch_of(b)->cluster_blocks)
        p->joined = 0;
    for (uint32_t w = 0; w < b->warps && p->over; w++)
        if (arrived[w])
            order_acquire(b, w, arrived[w], p->over);
}

/* -- a block ends ------------------------------------------------------------------------------ */

static bool
is_known(const struct block_state *b, const struct mark *m)
{
    for (uint32_t w = 0; w < b->warps; w++)
        if (known_of(b->order.outside[w], mark_block(m), mark_warp(m)) >= (int64_t)mark_stamp(m))
            return true;
    return false;
}

static void
report_exit(const struct block_state *b, const struct mark *m, uint64_t offset)
{
    const struct launch *l = b->launch;
    struct finding f = {.kind = FINDING_PEER, .rank = 1, .space = "shared"};
    uint32_t at[3];
    for (uint32_t d = 0, left = mark_block(m); d < 3; left /= l->launch->grid[d++])
        at[d] = left % l->launch->grid[d];
    if (!finding_wanted(l, f.kind, f.rank, l->facts, mark_place(m), NULL, 0, at))
        return;
    struct job w = {.kernel = l->facts, .what = "kernel", .host = l->host};
    memcpy(w.block, l->launch->block, sizeof w.block);
    memcpy(w.grid, l->launch->grid, sizeof w.grid);
    f.access = side_of_job(&w, mark_place(m), mark_block(m),
                           mark_warp(m) * JIT_LANES + mark_lane(m), offset);
    snprintf(f.message, sizeof f.message,
             "shared memory of block (%u,%u,%u) is accessed by another block of the cluster, and "
             "nothing keeps it from having ended before",
             b->block->ctaid[0], b->block->ctaid[1], b->block->ctaid[2]);
    snprintf(f.missing, sizeof f.missing,
             "cluster.sync() before the end of the kernel, behind the last access");
    finding_add(l->check, &f);
}

void
peers_end(struct block_state *b)
{
    struct peers *p = b->peers;
    uint64_t base = (uint64_t)(uintptr_t)b->block->shared;
    for (uint64_t k = 0; p && k < p->capacity; k++) {
        const struct peer_cell *c = &p->cell[k];
        if (!c->at || c->at - base >= b->launch->shared_bytes)
            continue;
        if (c->has_write && !is_known(b, &c->write))
            report_exit(b, &c->write, c->at - base);
        else if (c->has_read && !is_known(b, &c->read))
            report_exit(b, &c->read, c->at - base);
    }
}
