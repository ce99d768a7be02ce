/* SPDX-License-Identifier: Apache-2.0
 *
 * flags.c: flags, locks and counters, in global or shared memory: places of strong accesses, and
 * what these hand on (PTX ISA 8.8, release and acquire patterns).
 *
 *   a write   hands on what the warp's last fence covered (a .release itself: what it knows now). A
 *             store ends what others handed on there, an atomic adds to it.
 *   a read    sees what was handed on; a fence behind it makes the warp know it (a .acquire: at
 *             once).
 *
 * For each block that handed something on, a place keeps what its fences of block scope covered,
 * for readers of that block, and what wider ones covered, for all. Where the kernel has nothing of
 * block scope, one for all blocks will do. Two accesses of which one counts in its block only, and
 * that come from different blocks, do not see each other: what was handed on before ends there.
 *
 * A strong access is announced before it is made: what it hands on is put down then, what it reads
 * is looked up then, and seen at the warp's next event. Other workers may have written to the flag
 * in between: then what it says at that event counts, too, and so does the write itself
 * (seen_read_over). So a program that is ordered is never called unordered, whatever the workers'
 * timing.
 */
#include "check/seen.h"

#include <string.h>

enum { MOST_GIVERS = 64 };
#define ANY_BLOCK UINT64_MAX

/* What the threads of a block (ANY_BLOCK: of any) have published at a flag by releases, for each
 * scope. */
struct giver {
    uint64_t block;
    struct known *what[SCOPES];
};

struct flag {
    uint64_t address;               /* 0: free */
    uint32_t work;                  /* the launch whose blocks it speaks of */
    uint64_t last;                  /* who wrote it: block << 6 | warp */
    enum scope last_scope;          /*   in an access of that scope */
    uint64_t writes, since;         /* writes to it; those from `since` on were made by blocks */
    pthread_t by;                   /*   that this thread runs */
    uint64_t releaser;              /* the same of the last .release there, and */
    struct known *released[SCOPES]; /* what that handed on; NULL: there was none */
    uint32_t count, room;
    struct giver *from;
};

struct sync_table {
    uint64_t room, count;
    struct flag *at;
};

/* -- the table --------------------------------------------------------------------------------- */

struct sync_table *
sync_new(void)
{
    return ls_alloc(sizeof(struct sync_table));
}

static void
drop_givers(struct flag *f)
{
    for (uint32_t k = 0; k < f->count; k++)
        for (enum scope s = SCOPE_BLOCK; s < SCOPES; s++)
            known_put(f->from[k].what[s]);
    f->count = 0;
}

static void
drop_released(struct flag *f)
{
    for (enum scope s = SCOPE_BLOCK; s < SCOPES; s++) {
        known_put(f->released[s]);
        f->released[s] = NULL;
    }
}

static void
flag_clear(struct flag *f)
{
    drop_givers(f);
    drop_released(f);
    ls_release(f->from);
    *f = (struct flag){0};
}

void
sync_clear(struct sync_table *t)
{
    for (uint64_t k = 0; k < t->room && t->count; k++)
        flag_clear(&t->at[k]);
    __atomic_store_n(&t->count, 0, __ATOMIC_RELEASE);
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

static struct flag *
find_flag(struct sync_table *t, uint64_t address)
{
    uint64_t k = (address * 0x9e3779b97f4a7c15ull) >> 20;
    for (k &= t->room - 1; t->at[k].address && t->at[k].address != address;
         k = (k + 1) & (t->room - 1))
        ;
    return &t->at[k];
}

static struct flag *
need_flag(struct sync_table *t, uint64_t address)
{
    if (2 * (t->count + 1) > t->room) {
        struct sync_table old = *t;
        t->room = old.room ? 2 * old.room : 64;
        t->at = ls_alloc(sizeof *t->at * t->room);
        for (uint64_t k = 0; k < old.room; k++)
            if (old.at[k].address)
                *find_flag(t, old.at[k].address) = old.at[k];
        ls_release(old.at);
    }
    struct flag *f = find_flag(t, address);
    if (!f->address) /* others look at the count without the lock */
        __atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
    f->address = address;
    return f;
}

/* -- handing on -------------------------------------------------------------------------------- */

static void
join_in(struct known **to, struct known *what)
{
    *to = known_join(*to, what);
}

/* Too many: those that came first are for readers of all blocks alone. */
static void
merge_first(struct flag *f)
{
    struct giver *any = &f->from[0], *first = &f->from[1];
    if (any->block != ANY_BLOCK) {
        join_in(&first->what[SCOPE_DEVICE], any->what[SCOPE_DEVICE]);
        known_put(any->what[SCOPE_BLOCK]);
        known_put(any->what[SCOPE_DEVICE]);
        memmove(any, first, sizeof *any * --f->count);
        any->block = ANY_BLOCK;
    } else {
        join_in(&any->what[SCOPE_DEVICE], first->what[SCOPE_DEVICE]);
        known_put(first->what[SCOPE_BLOCK]);
        known_put(first->what[SCOPE_DEVICE]);
        f->count--;
        memmove(first, first + 1, sizeof *first * (f->count - 1));
    }
    known_put(f->from[0].what[SCOPE_BLOCK]);
    f->from[0].what[SCOPE_BLOCK] = NULL;
}

static struct giver *
giver_of(struct flag *f, uint64_t block)
{
    for (uint32_t k = f->count; k-- > 0;)
        if (f->from[k].block == block)
            return &f->from[k];
    if (f->count == MOST_GIVERS)
        merge_first(f);
    if (f->count == f->room) {
        uint32_t room = f->room ? 2 * f->room : 1;
        struct giver *more = ls_alloc(sizeof *more * room);
        if (f->count)
            memcpy(more, f->from, sizeof *more * f->count);
        ls_release(f->from);
        f->from = more;
        f->room = room;
    }
    f->from[f->count] = (struct giver){.block = block};
    return &f->from[f->count++];
}

/* The access sees the last write to the flag, and is seen by it. */
static bool
sees(const struct flag *f, const struct block_state *b, enum scope scope)
{
    enum scope least = scope < f->last_scope ? scope : f->last_scope;
    return least == SCOPE_DEVICE || order_scope_to(b, f->last >> 6) <= least;
}

struct gift {
    struct known *what[SCOPES];
    struct known *itself; /* a .release's what and the access, for later writes to hand on */
    uint64_t who;         /* block << 6 | warp */
    uint32_t work;
    enum scope scope;
    bool release, atomic, apart; /* apart: blocks have to be told apart */
};

/* PTX ISA 8.8: a .release, and later strong writes of the same thread to the same place. */
static void
note_release(struct flag *f, const struct gift *g)
{
    if (!g->release) {
        for (enum scope s = SCOPE_BLOCK; s < SCOPES && f->releaser == g->who; s++)
            if (f->released[s])
                join_in(&giver_of(f, g->apart ? g->who >> 6 : ANY_BLOCK)->what[s], f->released[s]);
        return;
    }
    drop_released(f);
    f->releaser = g->who;
    for (enum scope s = SCOPE_BLOCK; s < SCOPES; s++)
        f->released[s] = known_get(g->what[s] && s <= g->scope ? g->itself : g->what[s]);
}

static void
hand_on(struct block_state *b, uint64_t address, const struct gift *g, bool shared)
{
    struct check *c = b->launch->check;
    struct sync_table *t = shared ? b->sync : c->sync;
    bool nothing = !g->what[SCOPE_BLOCK] && !g->what[SCOPE_DEVICE];
    if (nothing && !__atomic_load_n(&t->count, __ATOMIC_RELAXED))
        return;
    if (!shared)
        pthread_mutex_lock(&c->sync_lock);
    struct flag *f = t->room ? find_flag(t, address) : NULL;
    if (!nothing || (f && f->address)) {
        f = need_flag(t, address);
        if (f->work != g->work)
            drop_released(f);
        if (f->work != g->work || !g->atomic || !sees(f, b, g->scope))
            drop_givers(f);
        if (!f->writes++ || !pthread_equal(f->by, pthread_self()))
            f->since = f->writes;
        f->by = pthread_self();
        f->work = g->work;
        f->last = g->who;
        f->last_scope = g->scope;
        struct giver *own = nothing ? NULL : giver_of(f, g->apart ? g->who >> 6 : ANY_BLOCK);
        for (enum scope s = SCOPE_BLOCK; s < SCOPES && own; s++)
            join_in(&own->what[s], g->what[s]);
        note_release(f, g);
    }
    if (!shared)
        pthread_mutex_unlock(&c->sync_lock);
}

static void
write_strong(const struct visit *v, uint32_t lanes, const uint64_t *address, bool shared)
{
    struct block_state *b = v->b;
    uint32_t flags = v->facts->flags;
    const struct handing *h = b->handing;
    struct gift g = {.who = b->block->index << 6 | v->warp,
                     .work = b->launch->work,
                     .release = flags & PLACE_RELEASE,
                     .scope = order_scope(b, flags),
                     .atomic = v->op == JIT_ATOMIC,
                     .apart = b->launch->facts->narrow};
    struct known *now = g.release ? order_now(b, v->warp) : NULL;
    if (g.release) {
        order_arrive(b);
        g.itself = order_now(b, v->warp);
    }
    for (enum scope s = g.apart ? SCOPE_BLOCK : SCOPE_DEVICE; s < SCOPES; s++)
        g.what[s] = now && s <= g.scope ? now : h ? h->fenced[s][v->warp] : NULL;
    uint64_t before = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t a = address[__builtin_ctz(left)];
        if (a != before)
            hand_on(b, a, &g, shared);
        before = a;
    }
    known_put(now);
    known_put(g.itself);
}

/* -- reading ----------------------------------------------------------------------------------- */

/* What a read by the block sees there, by the scope of the fence that it takes: joined to out. */
static void
look(struct block_state *b, const struct flag *f, enum scope scope, struct known **out)
{
    if (!f->address || f->work != b->launch->work || !sees(f, b, scope))
        return;
    for (uint32_t k = 0; k < f->count; k++) {
        enum scope s = order_scope_to(b, f->from[k].block);
        join_in(&out[s], f->from[k].what[s]);
    }
}

static struct sync_table *
lock_table(struct block_state *b, bool shared)
{
    struct check *c = b->launch->check;
    struct sync_table *t = shared ? b->sync : c->sync;
    if (!t || !__atomic_load_n(&t->count, __ATOMIC_ACQUIRE))
        return NULL;
    if (!shared)
        pthread_mutex_lock(&c->sync_lock);
    return t;
}

static void
unlock_table(struct block_state *b, bool shared)
{
    if (!shared)
        pthread_mutex_unlock(&b->launch->check->sync_lock);
}

/* What is there when the access is announced (first), and at the warp's next event, unless nobody
 * else can have written between. */
static void
look_pending(struct block_state *b, struct pending_read *p, bool first)
{
    struct sync_table *t = lock_table(b, p->shared);
    if (!t)
        return;
    const struct flag *f = find_flag(t, p->address);
    bool alone = !first && (f->writes == p->writes ||
                            (f->since <= p->writes + 1 && pthread_equal(f->by, pthread_self())));
    if (!alone)
        look(b, f, order_scope(b, p->flags), p->what);
    if (first)
        p->writes = f->writes;
    unlock_table(b, p->shared);
}

static bool
is_at_once(const struct block_state *b, const struct pending_read *r, enum scope s)
{
    return r->flags & PLACE_AT_ONCE && s <= order_scope(b, r->flags);
}

static void
read_strong(const struct visit *v, uint32_t lanes, const uint64_t *address, bool shared)
{
    struct pending *p = &v->b->pending[v->warp];
    if (!p->read)
        p->read = ls_alloc(sizeof *p->read * JIT_LANES);
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t a = address[__builtin_ctz(left)];
        uint32_t lane = left & -left;
        if (p->count && p->read[p->count - 1].address == a) {
            p->read[p->count - 1].lanes |= lane;
            continue;
        }
        if (p->count == JIT_LANES)
            order_flush(v->b, v->warp);
        struct pending_read *r = &p->read[p->count++];
        *r = (struct pending_read){.address = a,
                                   .lanes = lane,
                                   .flags = v->facts->flags,
                                   .shared = shared,
                                   .observes = !shared && strong_observed(v),
                                   .stamp = v->b->order.stamp,
                                   .place = v->place,
                                   .bytes = v->bytes};
        look_pending(v->b, r, true);
        for (enum scope s = SCOPE_BLOCK; s < SCOPES; s++)
            if (r->what[s] && is_at_once(v->b, r, s)) /* it comes itself behind what it acquires */
                order_acquire(v->b, v->warp, lane, r->what[s]);
    }
}

void
order_flush(struct block_state *b, uint32_t warp)
{
    struct pending *p = &b->pending[warp];
    for (uint32_t k = 0; k < p->count; k++) {
        struct pending_read *r = &p->read[k];
        look_pending(b, r, false);
        if (r->observes)
            seen_read_over(b, warp, r);
        for (enum scope s = SCOPE_BLOCK; s < SCOPES; s++) {
            if (r->what[s] && is_at_once(b, r, s))
                order_acquire(b, warp, r->lanes, r->what[s]);
            else if (r->what[s])
                order_saw(b, warp, r->lanes, s, r->what[s]);
            known_put(r->what[s]);
        }
    }
    p->count = 0;
}

void
order_flush_all(struct block_state *b)
{
    for (uint32_t w = 0; w < b->warps; w++)
        if (b->pending[w].count)
            order_flush(b, w);
}

void
order_drop(struct block_state *b, uint32_t warp)
{
    struct pending *p = &b->pending[warp];
    for (uint32_t k = 0; k < p->count; k++)
        for (enum scope s = SCOPE_BLOCK; s < SCOPES; s++)
            known_put(p->read[k].what[s]);
    p->count = 0;
}

void
order_strong(const struct visit *v, uint32_t lanes, const uint64_t *address, bool shared)
{
    struct block_state *b = v->b;
    uint32_t flags = v->facts->flags;
    bool observes = !shared && flags & PLACE_ACQUIRE && strong_observed(v);
    if (flags & PLACE_MBARRIER || !(b->launch->facts->releases || observes))
        return;
    if (shared && !b->sync)
        b->sync = sync_new();
    /* An .acq_rel hands on what it acquires, too. */
    bool first = flags & PLACE_AT_ONCE && flags & PLACE_ACQUIRE && flags & PLACE_RELEASE;
    if (first)
        read_strong(v, lanes, address, shared);
    if (v->op != JIT_LOAD)
        write_strong(v, lanes, address, shared);
    if (flags & PLACE_ACQUIRE && !first)
        read_strong(v, lanes, address, shared);
}

void
order_released(const struct visit *v)
{
    if (v->op != JIT_LOAD && v->facts->flags & PLACE_RELEASE && v->b->launch->facts->releases)
        order_arrive(v->b);
}
