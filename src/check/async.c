/* SPDX-License-Identifier: Apache-2.0
 *
 * async.c: transfers in the background (cp.async, cp.async.bulk, st.async; PTX ISA 9.7.9.25) and
 * mbarriers (9.7.13.15).
 *
 * The generated code copies at once; here a transfer lasts until somebody has waited for it:
 *
 *   groups      cp.async of a warp between two commits are one transfer. A thread's wait_group ends its
 *               part; others are ordered after it when they are ordered after that wait.
 *   mbarriers   a transfer that an mbarrier learns of is over for those who were told that the phase is,
 *               and for those who are ordered after one of them.
 *
 * An mbarrier's phase hands on what those who arrived in it did before, to those who see it over, and
 * no more than that: what is done between two phases is not ordered by the first.
 *
 * Cells of shared memory hold a transfer's number in place of a stamp. Of very many transfers the
 * oldest are taken to be over.
 */
#include "check/check_priv.h"

#include <string.h>

enum { KEPT = 1024, NONE = 0, MOST_WAITED = 64 };

struct transfer {
    uint32_t warp;
    uint32_t lanes, committed;      /* that take part; of those, which have committed it */
    bool bulk;
    uint32_t group[JIT_LANES];      /* counted from 1, where committed */
    uint32_t done[JIT_LANES];       /* the stamp of the wait; 0: not waited for */
    uint32_t knows[MOST_WARPS];     /* lanes that were told by an mbarrier */
    uint32_t told, told_warp, told_lane; /* the first of them, and when */
};

struct numbers {
    uint32_t count, at[MOST_WAITED];
};

struct mbarrier {
    uint64_t address;
    uint32_t parity;
    struct known *next, *over;      /* what arrivals of this phase hand on; of those before */
    struct numbers coming, came;    /* transfers */
};

struct transfers {
    uint32_t first, next;           /* numbers of this block's: first .. next - 1 */
    uint32_t groups[MOST_WARPS][JIT_LANES], bulk_groups[MOST_WARPS][JIT_LANES];
    uint32_t open[MOST_WARPS];      /* number of the one that cp.async adds to, */
    uint32_t bulk[MOST_WARPS];      /* of the last bulk transfer; NONE */
    VEC(struct mbarrier) mbarriers;
    struct transfer kept[KEPT];
};

/* -- transfers -------------------------------------------------------------------------------- */

static struct transfers *
need_transfers(struct block_state *b)
{
    if (!b->transfers) {
        b->transfers = ls_alloc(sizeof *b->transfers);
        b->transfers->first = b->transfers->next = 1;
    }
    return b->transfers;
}

static struct transfer *
transfer_at(struct transfers *t, uint32_t number)
{
    bool here = number >= t->first && number < t->next && t->next - number <= KEPT;
    return here ? &t->kept[number % KEPT] : NULL;
}

static uint32_t
new_transfer(struct transfers *t, uint32_t warp, uint32_t lanes, bool bulk)
{
    uint32_t number = t->next++;
    t->kept[number % KEPT] = (struct transfer){.warp = warp, .lanes = lanes, .bulk = bulk};
    return number;
}

uint32_t
transfer_begin(const struct visit *v)
{
    struct transfers *t = need_transfers(v->b);
    if (v->facts->flags & PLACE_BULK) {
        t->bulk[v->warp] = new_transfer(t, v->warp, v->lanes, true);
        return TRANSFER_STAMP + t->bulk[v->warp];
    }
    struct transfer *now = transfer_at(t, t->open[v->warp]);
    if (!now || (now->committed & v->lanes)) {
        t->open[v->warp] = new_transfer(t, v->warp, 0, false);
        now = transfer_at(t, t->open[v->warp]);
    }
    now->lanes |= v->lanes;
    return TRANSFER_STAMP + t->open[v->warp];
}

static bool
knows(const struct visit *v, uint32_t lane, const struct transfer *t)
{
    if (t->knows[v->warp] >> lane & 1)
        return true;
    return t->told && ((v->warp == t->told_warp && lane == t->told_lane) ||
                       !order_unordered(v->b, v->warp, lane, t->told_warp, t->told_lane, false, t->told));
}

enum transfer_state
transfer_state(const struct visit *v, uint32_t lane, uint32_t stamp, uint32_t from_lane,
               uint32_t *out_stamp)
{
    struct transfers *all = v->b->transfers;
    uint32_t number = stamp - TRANSFER_STAMP;
    if (!all || number < all->first)
        return TRANSFER_PAST;
    const struct transfer *t = transfer_at(all, number);
    if (!t)
        return TRANSFER_KNOWN;
    *out_stamp = t->done[from_lane];
    if (*out_stamp)
        return TRANSFER_DONE;
    return knows(v, lane, t) ? TRANSFER_KNOWN : t->told ? TRANSFER_UNKNOWN : TRANSFER_RUNNING;
}

/* -- groups ------------------------------------------------------------------------------------ */

static void
commit(struct transfers *t, uint32_t warp, uint32_t lanes, bool bulk)
{
    uint32_t *count = bulk ? t->bulk_groups[warp] : t->groups[warp];
    for (uint32_t left = lanes; left; left &= left - 1)
        count[__builtin_ctz(left)]++;
    uint32_t oldest = t->next - t->first > KEPT ? t->next - KEPT : t->first;
    for (uint32_t n = t->next; n-- > oldest;) {
        struct transfer *one = transfer_at(t, n);
        uint32_t some = one->lanes & lanes & ~one->committed;
        if (one->warp != warp || one->bulk != bulk)
            continue;
        for (uint32_t left = some; left; left &= left - 1)
            one->group[__builtin_ctz(left)] = count[__builtin_ctz(left)];
        one->committed |= some;
        if (!some) /* what is older was committed before */
            break;
    }
}

/* Waits until at most `left` groups are not over; all: and what was not committed. */
static void
wait(struct block_state *b, uint32_t warp, uint32_t lanes, uint32_t left, bool bulk, bool all)
{
    struct transfers *t = b->transfers;
    const uint32_t *count = bulk ? t->bulk_groups[warp] : t->groups[warp];
    uint32_t oldest = t->next - t->first > KEPT ? t->next - KEPT : t->first;
    for (uint32_t n = t->next; n-- > oldest;) {
        struct transfer *one = transfer_at(t, n);
        if (one->warp != warp || one->bulk != bulk)
            continue;
        uint32_t over = 0, before = 0;
        for (uint32_t some = one->lanes & lanes; some; some &= some - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(some);
            bool mine = one->committed >> lane & 1 ? one->group[lane] + left <= count[lane] : all;
            before += one->done[lane] != 0;
            if (mine && !one->done[lane])
                one->done[lane] = b->stamp, over++;
        }
        if (before && !over) /* what is older was waited for before */
            break;
    }
}

/* -- mbarriers ----------------------------------------------------------------------------------- */

static struct mbarrier *
mbarrier_at(struct transfers *t, uint64_t address)
{
    for (size_t k = 0; k < t->mbarriers.count; k++)
        if (t->mbarriers.at[k].address == address)
            return &t->mbarriers.at[k];
    VEC_PUSH(&t->mbarriers, (struct mbarrier){.address = address});
    return &t->mbarriers.at[t->mbarriers.count - 1];
}

static uint64_t
word_at(uint64_t address)
{
    uint64_t w;
    memcpy(&w, (const void *)(uintptr_t)address, sizeof w);
    return w;
}

static void
add_number(struct numbers *n, uint32_t number)
{
    for (uint32_t k = 0; k < n->count; k++)
        if (n->at[k] == number)
            return;
    if (n->count == MOST_WAITED) {
        memmove(n->at, n->at + 1, sizeof n->at - sizeof n->at[0]);
        n->count--;
    }
    n->at[n->count++] = number;
}

static void
arrive(struct block_state *b, uint32_t warp, struct mbarrier *m)
{
    struct known *what = order_now(b, warp);
    m->parity = (uint32_t)(word_at(m->address) >> 63);
    m->next = known_join(m->next, what);
    known_put(what);
}

/* The warp's copies that are under way. */
static void
add_copies(struct transfers *t, uint32_t warp, uint32_t lanes, struct mbarrier *m)
{
    uint32_t oldest = t->next - t->first > KEPT ? t->next - KEPT : t->first, seen = 0;
    for (uint32_t n = t->next; n-- > oldest && seen < MOST_WAITED;) {
        struct transfer *one = transfer_at(t, n);
        if (one->warp != warp || one->bulk || !(one->lanes & lanes))
            continue;
        seen++;
        add_number(&m->coming, n);
    }
    m->parity = (uint32_t)(word_at(m->address) >> 63);
}

static void
after(struct mbarrier *m, bool several)
{
    uint64_t word = word_at(m->address);
    bool fresh = (word & 0xfffff) == (word >> 20 & 0xfffff) && !(word >> 40 & 0x7fffff);
    if ((uint32_t)(word >> 63) == m->parity && !(several && fresh))
        return;
    m->parity = (uint32_t)(word >> 63);
    m->over = known_join(m->over, m->next);
    known_put(m->next);
    m->next = NULL;
    for (uint32_t k = 0; k < m->coming.count; k++)
        add_number(&m->came, m->coming.at[k]);
    m->coming.count = 0;
}

static void
told(struct block_state *b, uint32_t warp, uint32_t lanes, struct mbarrier *m)
{
    if (m->over)
        order_acquire(b, warp, lanes, m->over);
    for (uint32_t k = 0; k < m->came.count; k++) {
        struct transfer *t = transfer_at(b->transfers, m->came.at[k]);
        if (!t)
            continue;
        t->knows[warp] |= lanes;
        if (!t->told) {
            t->told = b->stamp;
            t->told_warp = warp;
            t->told_lane = (uint32_t)__builtin_ctz(lanes);
        }
    }
}

/* Lanes that name one mbarrier, together. */
static void
at_mbarrier(struct block_state *b, uint32_t warp, uint32_t lanes, uint32_t what, uint64_t address)
{
    struct transfers *t = b->transfers;
    struct mbarrier *m = mbarrier_at(t, address);
    bool several = lanes & (lanes - 1);
    if (what == JIT_ASYNC_ARRIVE)
        arrive(b, warp, m);
    else if (what == JIT_ASYNC_COPIES)
        add_copies(t, warp, lanes, m);
    else if (what == JIT_ASYNC_AFTER)
        after(m, several);
    else if (what == JIT_ASYNC_OVER)
        told(b, warp, lanes, m);
    else if (t->bulk[warp] != NONE)
        m->parity = (uint32_t)(word_at(address) >> 63), add_number(&m->coming, t->bulk[warp]);
}

void
check_async(struct jit_warp *w, uint32_t lanes, uint32_t what, const uint64_t *barrier,
            uint32_t number, uint32_t place)
{
    struct block_state *b = w->block->tool;
    if (!b || !lanes)
        return;
    if (what == JIT_ASYNC_ABSENT) {
        check_absent(w, lanes, number, place);
        return;
    }
    stretch_stop(b);
    notes_before(b);
    counters_before(b);
    struct transfers *t = need_transfers(b);
    bool bulk = what == JIT_ASYNC_BULK_COMMIT || what == JIT_ASYNC_BULK_WAIT;
    if (what == JIT_ASYNC_COMMIT || what == JIT_ASYNC_BULK_COMMIT)
        commit(t, w->warp, lanes, bulk);
    else if (!barrier)
        wait(b, w->warp, lanes, number, bulk, what == JIT_ASYNC_WAIT_ALL);
    for (uint32_t left = barrier ? lanes : 0; left;) {
        uint64_t at = barrier[__builtin_ctz(left)];
        uint32_t group = 0;
        for (uint32_t some = left; some; some &= some - 1)
            if (barrier[__builtin_ctz(some)] == at)
                group |= some & -some;
        at_mbarrier(b, w->warp, group, what, at);
        left &= ~group;
    }
    if (what == JIT_ASYNC_ARRIVE)
        order_arrive(b); /* what comes next is not handed on */
}

/* -- a block begins and ends --------------------------------------------------------------------- */

static void
forget_mbarriers(struct transfers *t)
{
    for (size_t k = 0; k < t->mbarriers.count; k++) {
        known_put(t->mbarriers.at[k].next);
        known_put(t->mbarriers.at[k].over);
    }
    t->mbarriers.count = 0;
}

bool
transfers_full(const struct block_state *b)
{
    return b->transfers && b->transfers->next > TRANSFER_STAMP / 2;
}

void
transfers_begin(struct block_state *b, bool again)
{
    struct transfers *t = b->transfers;
    if (!t)
        return;
    forget_mbarriers(t);
    if (again)
        t->next = 1;
    t->first = t->next;
    memset(t->groups, 0, sizeof t->groups);
    memset(t->bulk_groups, 0, sizeof t->bulk_groups);
    memset(t->open, 0, sizeof t->open);
    memset(t->bulk, 0, sizeof t->bulk);
}

void
transfers_free(struct block_state *b)
{
    if (!b->transfers)
        return;
    forget_mbarriers(b->transfers);
    VEC_FREE(&b->transfers->mbarriers);
    ls_release(b->transfers);
}
