/* SPDX-License-Identifier: Apache-2.0
 *
 * transfers.c: transfers in the background, by number, and who knows that they are over (async.c
 * says when). Cells of shared memory hold a transfer's number in place of a stamp. Of very many
 * transfers the oldest are taken to be over.
 */
#include "check/shared_cells.h"
#include "check/transfers.h"

#include <string.h>

struct transfers *
transfers_need(struct block_state *b)
{
    if (!b->transfers) {
        b->transfers = ls_alloc(sizeof *b->transfers);
        b->transfers->first = b->transfers->next = 1;
    }
    return b->transfers;
}

struct transfer *
transfer_at(struct transfers *t, uint32_t number)
{
    bool here = number >= t->first && number < t->next && t->next - number <= KEPT;
    return here ? &t->kept[number % KEPT] : NULL;
}

static uint32_t
new_transfer(struct transfers *t, uint32_t warp, uint32_t lanes, enum transfer_kind kind)
{
    uint32_t number = t->next++;
    t->kept[number % KEPT] = (struct transfer){.warp = warp, .lanes = lanes, .kind = kind};
    return number;
}

uint32_t
transfer_begin(const struct visit *v)
{
    struct transfers *t = transfers_need(v->b);
    if (v->facts->flags & PLACE_BULK && t->tensor[v->warp] != NONE)
        return TRANSFER_STAMP + t->tensor[v->warp];
    if (v->facts->flags & PLACE_BULK) {
        t->bulk[v->warp] = new_transfer(t, v->warp, v->lanes, GROUP_BULK);
        transfer_at(t, t->bulk[v->warp])->place = v->place;
        return TRANSFER_STAMP + t->bulk[v->warp];
    }
    enum transfer_kind kind = v->facts->flags & PLACE_WGMMA     ? GROUP_WGMMA
                              : v->facts->flags & PLACE_TCGEN05 ? GROUP_TCGEN05
                                                                : GROUP_COPY;
    uint32_t *open = &t->open[kind][v->warp];
    struct transfer *now = transfer_at(t, *open);
    bool others = now && kind == GROUP_TCGEN05 && now->lanes != v->lanes; /* which commit alone */
    if (!now || (now->committed & v->lanes) || others) {
        *open = new_transfer(t, v->warp, 0, kind);
        now = transfer_at(t, *open);
    }
    now->lanes |= v->lanes;
    return TRANSFER_STAMP + *open;
}

void
transfer_whole(struct block_state *b, uint32_t warp, uint32_t lanes, uint32_t place)
{
    struct transfers *t = transfers_need(b);
    t->bulk[warp] = t->tensor[warp] = new_transfer(t, warp, lanes, GROUP_BULK);
    struct transfer *one = transfer_at(t, t->bulk[warp]);
    one->box = true;
    one->swizzle = t->swizzle;
    one->place = place;
}

void
transfer_source(const struct visit *v, uint32_t lanes, const uint64_t *address)
{
    struct transfers *t = transfers_need(v->b);
    t->source_place = v->place + 1;
    for (; lanes; lanes &= lanes - 1)
        t->source[__builtin_ctz(lanes)] = address[__builtin_ctz(lanes)];
}

const uint8_t *
transfer_value(const struct visit *v, uint32_t lane)
{
    const struct transfers *t = v->b->transfers;
    bool own = t && t->source_place == v->place + 1 && t->tensor[v->warp] == NONE;
    return own ? (const uint8_t *)(uintptr_t)t->source[lane] : NULL;
}

const struct transfer *
transfer_of(const struct block_state *b, uint64_t offset)
{
    uint64_t cell = offset >> b->shared.shift;
    uint32_t stamp =
        b->shared.write && cell < b->shared.cells ? pack_stamp(b->shared.write[cell]) : 0;
    return stamp >= TRANSFER_STAMP && b->transfers
               ? transfer_at(b->transfers, stamp - TRANSFER_STAMP)
               : NULL;
}

void
proxy_fence(struct block_state *b, uint32_t warp)
{
    order_arrive(b);
    transfers_need(b)->fenced[warp] = b->order.stamp;
}

/* -- warpgroups -------------------------------------------------------------------------------- */

void
transfers_come(struct block_state *b, const struct jit_warp *w)
{
    struct coming *c = transfers_need(b)->coming[w->warp];
    uint32_t product = w->block->wgmma[w->warp].done + 1;
    if (c->product == product)
        return;
    c[1] = c[0];
    c[0] = (struct coming){product, order_arrive(b)};
}

bool
warpgroup_met(const struct visit *v, uint32_t warp, uint32_t stamp)
{
    const struct transfers *t = v->b->transfers;
    if (!t || !(v->facts->flags & PLACE_WGMMA) || warp / GROUP_WARPS != v->warp / GROUP_WARPS)
        return false;
    for (uint32_t k = 0; k < COMINGS; k++)
        if (t->coming[warp][k].product == t->coming[v->warp][0].product)
            return stamp <= t->coming[warp][k].stamp;
    return false;
}

/* The group that it is or will be in, counted from 1. */
static uint32_t
group_of(const struct transfers *t, const struct transfer *one)
{
    return one->committed ? one->group[0] : t->groups[GROUP_WGMMA][one->warp][0] + 1;
}

void
transfers_wait_group(struct block_state *b, uint32_t warp, uint32_t left)
{
    enum { ENOUGH = 64 }; /* what is older was waited for before */
    struct transfers *t = b->transfers;
    uint32_t oldest = t->next - t->first > KEPT ? t->next - KEPT : t->first, before = 0,
             count = t->groups[GROUP_WGMMA][warp][0];
    for (uint32_t n = t->next; n-- > oldest && before < ENOUGH;) {
        struct transfer *one = transfer_at(t, n);
        if (one->kind != GROUP_WGMMA || one->warp / GROUP_WARPS != warp / GROUP_WARPS ||
            group_of(t, one) + left > count)
            continue;
        uint32_t *waited = &one->waited[warp % GROUP_WARPS];
        before += *waited != 0;
        *waited = *waited ? *waited : b->order.stamp;
    }
}

/* A group of products is over for all four warps when it is for one of them. */
static enum transfer_state
products_state(const struct visit *v, uint32_t lane, const struct transfer *t, uint32_t *out_stamp)
{
    uint32_t first = t->warp / GROUP_WARPS * GROUP_WARPS, any = 0;
    for (uint32_t k = 0; k < GROUP_WARPS; k++) {
        any |= t->waited[k];
        if (t->waited[k] &&
            (v->warp == first + k ||
             !order_unordered(v->b, v->warp, lane, first + k, 0, false, t->waited[k])))
            return TRANSFER_KNOWN;
    }
    *out_stamp = t->waited[t->warp - first];
    return *out_stamp ? TRANSFER_DONE : any ? TRANSFER_UNKNOWN : TRANSFER_RUNNING;
}

/* -- what is over ------------------------------------------------------------------------------ */

/* The lane is ordered after the first lane of the warp that was notified. */
static bool
knows_from(const struct visit *v, uint32_t lane, const struct transfer *t, uint32_t warp)
{
    uint32_t stamp = t->notified[warp].stamp, first = t->notified[warp].lane;
    return warpgroup_met(v, warp, stamp) || (v->warp == warp && lane == first) ||
           !order_unordered(v->b, v->warp, lane, warp, first, false, stamp);
}

/* By its own wait, or by a later word of any warp that waited: in a cluster the threads of a
 * warpgroup that read what was copied say so to the blocks one each. */
static bool
knows(const struct visit *v, uint32_t lane, const struct transfer *t)
{
    bool known = t->knows[v->warp] >> lane & 1;
    for (uint32_t w = 0; t->is_notified && !known && w < MOST_WARPS; w++)
        known = t->knows[w] && knows_from(v, lane, t, w);
    return known;
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
    if (t->kind == GROUP_WGMMA)
        return products_state(v, lane, t, out_stamp);
    *out_stamp = t->done[from_lane];
    if (*out_stamp)
        return TRANSFER_DONE;
    if (t->away && t->kind == GROUP_BULK)
        return known_is_sent(v->b->order.outside[v->warp], v->b->block->index, number)
                   ? TRANSFER_KNOWN
                   : TRANSFER_RUNNING;
    if (t->away && !t->mbarrier) /* who waits there, and whom he tells, is not followed */
        return TRANSFER_KNOWN;
    return knows(v, lane, t) ? TRANSFER_KNOWN
           : t->is_notified  ? TRANSFER_UNKNOWN
                             : TRANSFER_RUNNING;
}

/* -- mbarriers --------------------------------------------------------------------------------- */

struct mbarrier *
mbarrier_at(struct transfers *t, uint64_t address)
{
    for (size_t k = 0; k < t->mbarriers.count; k++)
        if (t->mbarriers.at[k].address == address)
            return &t->mbarriers.at[k];
    VEC_PUSH(&t->mbarriers, (struct mbarrier){.address = address});
    return &t->mbarriers.at[t->mbarriers.count - 1];
}

bool
mbarrier_other_phase(const struct block_state *b, uint32_t warp, uint32_t transfer)
{
    const struct transfer *t = transfer_at(b->transfers, transfer);
    return t && t->mbarrier && mbarrier_at(b->transfers, t->mbarrier)->passed[warp];
}

/* -- a block begins and ends ------------------------------------------------------------------- */

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
    memset(t->open, 0, sizeof t->open);
    memset(t->bulk, 0, sizeof t->bulk);
    memset(t->tensor, 0, sizeof t->tensor);
    memset(t->fenced, 0, sizeof t->fenced);
    memset(t->coming, 0, sizeof t->coming);
    t->map_fence = 0;
    t->in_flight_count = t->commit_count = t->tensor_count = 0;
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
