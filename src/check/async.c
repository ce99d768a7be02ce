/* SPDX-License-Identifier: Apache-2.0
 *
 * async.c: transfers in the background (cp.async, cp.async.bulk, st.async; PTX ISA 9.7.9.25) and
 * mbarriers (9.7.13.15).
 *
 * The generated code copies at once; here a transfer lasts until somebody has waited for it:
 *
 *   groups      cp.async of a warp between two commits are one transfer. A thread's wait_group ends
 *               its part; others are ordered after it when they are ordered after that wait.
 *   mbarriers   a transfer that an mbarrier learns of is over for those who were notified that the
 *               phase is, and for those who are ordered after one of them. So are reads of the
 *               matrix unit, of which an mbarrier learns by tcgen05.commit.
 *
 * An mbarrier's phase hands on what those who arrived in it did before, to those who see it over,
 * and no more than that: what is done between two phases is not ordered by the first.
 */
#include "check/maps.h"
#include "check/peers.h"
#include "check/transfers.h"
#include "check/warpgroup.h"

#include <string.h>

/* -- groups ------------------------------------------------------------------------------------ */

/* Of bulk transfers only those of which no mbarrier learns are in groups (PTX ISA, completion
 * mechanisms): a thread that commits and waits while its loads are under way says nothing of
 * them. */
static bool
in_groups(const struct transfer *t, uint32_t warp, enum transfer_kind kind)
{
    return t->warp == warp && t->kind == kind && !(kind == GROUP_BULK && (t->mbarrier || t->away));
}

static void
commit(struct transfers *t, uint32_t warp, uint32_t lanes, enum transfer_kind kind)
{
    uint32_t *count = t->groups[kind][warp];
    for (uint32_t left = lanes; left; left &= left - 1)
        count[__builtin_ctz(left)]++;
    uint32_t oldest = t->next - t->first > KEPT ? t->next - KEPT : t->first;
    for (uint32_t n = t->next; n-- > oldest;) {
        struct transfer *one = transfer_at(t, n);
        uint32_t some = one->lanes & lanes & ~one->committed;
        if (!in_groups(one, warp, kind))
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
wait(struct block_state *b, uint32_t warp, uint32_t lanes, uint32_t left, enum transfer_kind kind,
     bool all)
{
    struct transfers *t = b->transfers;
    const uint32_t *count = t->groups[kind][warp];
    uint32_t oldest = t->next - t->first > KEPT ? t->next - KEPT : t->first;
    for (uint32_t n = t->next; n-- > oldest;) {
        struct transfer *one = transfer_at(t, n);
        if (!in_groups(one, warp, kind))
            continue;
        uint32_t over = 0, before = 0;
        for (uint32_t some = one->lanes & lanes; some; some &= some - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(some);
            bool mine = one->committed >> lane & 1 ? one->group[lane] + left <= count[lane] : all;
            before += one->done[lane] != 0;
            if (mine && !one->done[lane])
                one->done[lane] = b->order.stamp, over++;
        }
        if (before && !over) /* what is older was waited for before */
            break;
    }
}

/* -- mbarriers --------------------------------------------------------------------------------- */

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
    m->parity = jit_mbarrier_of(mbarrier_word(m->address)).parity;
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
        if (one->warp != warp || one->kind != GROUP_COPY || !(one->lanes & lanes))
            continue;
        seen++;
        add_number(&m->coming, n);
    }
    m->parity = jit_mbarrier_of(mbarrier_word(m->address)).parity;
}

/* tcgen05.commit: the mbarrier learns when all was read that the thread's products and copies read,
 * also those that a commit before it was about (PTX ISA 9.7.16.12). Of very many the latest: from
 * the oldest of them on, since an mbarrier forgets the first. */
static void
add_reads(struct block_state *b, uint32_t warp, uint32_t lane, uint64_t mbarrier)
{
    struct transfers *t = b->transfers;
    uint32_t oldest = t->next - t->first > KEPT ? t->next - KEPT : t->first, count = 0;
    uint32_t number[MOST_WAITED / 2];
    bool away = peers_owner(b, mbarrier) != b;
    for (uint32_t n = t->next; n-- > oldest && count < MOST_WAITED / 2;) {
        struct transfer *one = transfer_at(t, n);
        if (one->kind != GROUP_TCGEN05 || one->warp != warp || !(one->lanes >> lane & 1))
            continue;
        one->committed |= 1u << lane;
        one->away |= away;
        one->mbarrier = away || one->mbarrier ? one->mbarrier : mbarrier;
        number[count++] = n;
    }
    while (!away && count--)
        add_number(&mbarrier_at(t, mbarrier)->coming, number[count]);
}

static void
add_bulk(struct transfers *t, uint32_t number, struct mbarrier *m)
{
    struct transfer *one = transfer_at(t, number);
    m->parity = jit_mbarrier_of(mbarrier_word(m->address)).parity;
    add_number(&m->coming, number);
    if (one)
        one->mbarrier = m->address;
}

/* A copy to another block, whose mbarrier learns of it: that it has been read here they know who
 * were told by someone that has waited there. */
static void
add_source(struct block_state *b, uint32_t warp, struct mbarrier *m, uint32_t place)
{
    uint32_t number = b->transfers->bulk[warp];
    struct transfer *one = transfer_at(b->transfers, number);
    if (!one || one->box || one->mbarrier || one->place != place) /* no copy, or no longer it */
        return;
    one->away = true;
    m->next = known_sent(m->next, b->block->index, number);
}

static void
after(struct mbarrier *m, bool several)
{
    struct jit_mbarrier now = jit_mbarrier_of(mbarrier_word(m->address));
    bool fresh = now.pending == now.expected && !now.bytes;
    if (now.parity == m->parity && !(several && fresh))
        return;
    m->parity = now.parity;
    m->phases++;
    m->over = known_join(m->over, m->next);
    known_put(m->next);
    m->next = NULL;
    for (uint32_t k = 0; k < m->coming.count; k++)
        add_number(&m->came, m->coming.at[k]);
    m->coming.count = 0;
}

static void
notify(struct block_state *b, uint32_t warp, uint32_t lanes, struct mbarrier *m)
{
    m->passed[warp]++;
    tensor_memory_over(b->transfers, m);
    if (m->over)
        order_acquire(b, warp, lanes, m->over);
    for (uint32_t k = 0; k < m->came.count; k++) {
        struct transfer *t = transfer_at(b->transfers, m->came.at[k]);
        if (!t)
            continue;
        if (!t->knows[warp]) {
            t->notified[warp].stamp = b->order.stamp;
            t->notified[warp].lane = (uint32_t)__builtin_ctz(lanes);
        }
        t->knows[warp] |= lanes;
        t->is_notified = true;
    }
}

/* Lanes that name one mbarrier, together. */
static void
at_mbarrier(struct block_state *b, uint32_t warp, uint32_t lanes, uint32_t what, uint64_t address,
            uint32_t place)
{
    struct block_state *owner = peers_owner(b, address);
    struct transfers *t = b->transfers;
    struct mbarrier *m = mbarrier_at(transfers_need(owner), address);
    bool several = lanes & (lanes - 1);
    if (what == JIT_ASYNC_ARRIVE)
        arrive(b, warp, m);
    else if (what == JIT_ASYNC_COPIES)
        add_copies(t, warp, lanes, m);
    else if (what == JIT_ASYNC_AFTER)
        after(m, several), mbarrier_bytes(b, warp, (uint32_t)__builtin_ctz(lanes), m, place);
    else if (what == JIT_ASYNC_OVER)
        notify(b, warp, lanes, m);
    else if (owner != b) /* what is sent to another block is handed on like what is done before */
        arrive(b, warp, m), add_source(b, warp, m, place), order_arrive(b);
    else if (t->bulk[warp] != NONE)
        add_bulk(t, t->bulk[warp], m);
}

static enum transfer_kind
kind_of(uint32_t what)
{
    return what == JIT_ASYNC_BULK_COMMIT || what == JIT_ASYNC_BULK_WAIT ? GROUP_BULK
           : what == JIT_ASYNC_WGMMA_COMMIT                             ? GROUP_WGMMA
                                                                        : GROUP_COPY;
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
    region_stop(b);
    notes_before(b);
    counters_before(b);
    struct transfers *t = transfers_need(b);
    if (what == JIT_ASYNC_WGMMA_COME) {
        if (!(w->lanes & ~lanes)) /* else the rest of the warp comes later */
            transfers_come(b, w);
        return;
    }
    if (what == JIT_ASYNC_WGMMA) {
        warpgroup_begin(b, w->warp, barrier, number, place);
        return;
    }
    if (what == JIT_ASYNC_TMEM) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        if (number == JIT_TMEM_COMMIT)
            add_reads(b, w->warp, lane, barrier[lane]);
        tensor_memory_did(b, w->warp * JIT_LANES + lane, (enum jit_tmem_op)number, barrier[lane],
                          place);
        return;
    }
    if (what == JIT_ASYNC_MBARRIER) {
        mbarrier_did(b, w->warp, lanes, number, barrier, barrier + JIT_LANES, place);
        return;
    }
    if (what == JIT_ASYNC_MOVE) {
        for (uint32_t left = lanes; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            moves_unset(b, barrier[lane], barrier[JIT_LANES + lane],
                        number & ((1u << JIT_MOVE_BITS) - 1), number >> JIT_MOVE_BITS);
        }
        return;
    }
    if (what == JIT_ASYNC_MAP || what == JIT_ASYNC_MAP_SET) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), thread = w->warp * JIT_LANES + lane;
        (what == JIT_ASYNC_MAP ? map_used : map_changed)(b, thread, barrier[lane], place);
        t->swizzle = number;
        return;
    }
    if (what == JIT_ASYNC_TENSOR && number)
        transfer_whole(b, w->warp, lanes, place);
    else if (what == JIT_ASYNC_TENSOR || what == JIT_ASYNC_AFTER)
        t->tensor[w->warp] = NONE;
    if (what == JIT_ASYNC_TENSOR)
        return;
    enum transfer_kind kind = kind_of(what);
    if (what == JIT_ASYNC_COMMIT || what == JIT_ASYNC_BULK_COMMIT || what == JIT_ASYNC_WGMMA_COMMIT)
        commit(t, w->warp, lanes, kind);
    else if (what == JIT_ASYNC_WGMMA_WAIT)
        transfers_wait_group(b, w->warp, number);
    else if (!barrier)
        wait(b, w->warp, lanes, number, kind, what == JIT_ASYNC_WAIT_ALL);
    for (uint32_t left = barrier ? lanes : 0; left;) {
        uint64_t at = barrier[__builtin_ctz(left)];
        uint32_t group = 0;
        for (uint32_t some = left; some; some &= some - 1)
            if (barrier[__builtin_ctz(some)] == at)
                group |= some & -some;
        at_mbarrier(b, w->warp, group, what, at, place);
        left &= ~group;
    }
    if (what == JIT_ASYNC_ARRIVE)
        order_arrive(b); /* what comes next is not handed on */
}
