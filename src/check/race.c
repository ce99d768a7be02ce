/* SPDX-License-Identifier: Apache-2.0
 *
 * race.c: whether an access races with an earlier one, of which a mark tells: other work of the
 * host (streams, work.c), other launches of the same tree (nested.c), other blocks and warps
 * (order.c), volatile and scoped accesses. docs/memory-model.md has the model.
 */
#include "check/race.h"
#include "check/transfers.h"

#include <string.h>

enum verdict
race_with_work(const struct block_state *b, const struct mark *m)
{
    const struct launch *l = b->launch;
    uint32_t work = mark_work(m);
    if (work < l->floor)
        return ORDERED;
    struct job w = work_job(l->check, work);
    switch (nested_relation(b, &w, work, mark_block(m), mark_warp(m), mark_stamp(m))) {
    case RELATION_ORDERED: return ORDERED;
    case RELATION_RACE: return RACE_NESTED;
    case RELATION_NONE: break;
    }
    return w.stream >= STREAMS || l->after[w.stream] >= w.seq ? ORDERED : RACE_WORK;
}

/* Volatile accesses of one word, one of them a write, that nothing orders. A volatile store behind
 * a fence is a flag's; volatile loads read memory anew, and so need no fence behind the flag that
 * they follow. */
static enum verdict
judge_volatile(const struct visit *v, const struct mark *m, bool inside, bool write)
{
    static const uint32_t fenced[SCOPES] = {MARK_FENCED_BLOCK, MARK_FENCED_CLUSTER, MARK_FENCED};
    const struct block_state *b = v->b;
    enum scope between = order_scope_to(b, mark_block(m));
    bool mine = v->op == JIT_LOAD || order_fenced(b, v->warp, between);
    bool theirs = !write || m->when & fenced[between];
    bool both = m->when & MARK_VOLATILE && v->facts->flags & PLACE_VOLATILE;
    bool warp = both && inside && mark_warp(m) == v->warp;
    if (order_seen(b, v->warp, mark_block(m), mark_warp(m), mark_stamp(m)))
        return ORDERED;
    if (warp && (v->lanes & (v->lanes - 1) || !(mine && theirs)))
        return RACE_VOLATILE_WARP;
    return mine && theirs ? ORDERED : RACE_VOLATILE;
}

bool
race_is_before(const struct visit *v, uint32_t lane, const struct mark *m)
{
    const struct block_state *b = v->b;
    if (mark_block(m) == (uint32_t)b->block->index)
        return warpgroup_met(v, mark_warp(m), mark_stamp(m)) ||
               !order_unordered(b, v->warp, lane, mark_warp(m), mark_lane(m), m->when & MARK_MANY,
                                mark_stamp(m));
    return known_of(b->order.outside[v->warp], mark_block(m), mark_warp(m)) >=
           (int64_t)mark_stamp(m);
}

bool
race_scopes_meet(const struct visit *v, const struct mark *m)
{
    const struct block_state *b = v->b;
    enum scope theirs = m->when & MARK_CTA       ? SCOPE_BLOCK
                        : m->when & MARK_CLUSTER ? SCOPE_CLUSTER
                                                 : SCOPE_DEVICE;
    enum scope mine = order_scope(b, v->facts->flags), least = mine < theirs ? mine : theirs;
    if (least == SCOPE_DEVICE)
        return true;
    return mark_work(m) == b->launch->work && order_scope_to(b, mark_block(m)) <= least;
}

bool
race_is_morally_strong(const struct visit *v, const struct mark *m)
{
    return (m->when & MARK_STRONG) && (v->facts->flags & PLACE_STRONG) && race_scopes_meet(v, m);
}

enum verdict
race_judge(const struct visit *v, uint32_t lane, const struct mark *m, bool write)
{
    const struct block_state *b = v->b;
    uint32_t work = mark_work(m);
    bool both = (m->when & MARK_STRONG) && (v->facts->flags & PLACE_STRONG);
    bool strong = race_is_morally_strong(v, m);
    if (work != b->launch->work)
        return strong ? ORDERED : race_with_work(b, m);
    bool inside = mark_block(m) == (uint32_t)b->block->index;
    bool is_volatile = strong && ((m->when & MARK_VOLATILE) || (v->facts->flags & PLACE_VOLATILE));
    if (strong && !is_volatile)
        return ORDERED;
    if (race_is_before(v, lane, m))
        return ORDERED;
    if (is_volatile)
        return judge_volatile(v, m, inside, write);
    if (order_seen(b, v->warp, mark_block(m), mark_warp(m), mark_stamp(m)))
        return RACE_UNFENCED;
    return inside ? RACE_INSIDE : both ? RACE_SCOPE : RACE_BLOCKS;
}

/* Does the lane of the mark write the same cell in this very instruction? */
static bool
in_this_insn(const struct visit *v, const struct touch *t, const struct mark *m)
{
    const struct block_state *b = v->b;
    uint32_t lane = mark_lane(m);
    if (mark_work(m) != b->launch->work || mark_block(m) != (uint32_t)b->block->index ||
        mark_warp(m) != v->warp || mark_place(m) != v->place || mark_stamp(m) != b->order.stamp ||
        lane == t->lane || !(v->lanes >> lane & 1))
        return false;
    return t->at + (1u << t->shift) > t->address[lane] && t->at < t->address[lane] + v->bytes;
}

/* Bytes of the lane's access that lie before the cell. */
static uint32_t
bytes_before(const struct touch *t)
{
    uint64_t own = t->address[t->lane];
    return t->at > own ? (uint32_t)(t->at - own) : 0;
}

enum verdict
race_with_write(const struct visit *v, const struct touch *t, const struct mark *w)
{
    /* Volatile stores of one instruction: the order is open, the values are whole. */
    bool together = v->op == JIT_STORE && v->w->values && !(v->facts->flags & PLACE_STRONG) &&
                    in_this_insn(v, t, w);
    enum verdict verdict = together ? RACE_INSN : race_with(v, t->lane, w, true);
    if (verdict == ORDERED)
        return verdict;
    uint32_t bytes = 1u << t->shift;
    uint8_t theirs[4];
    memcpy(theirs, (const void *)(uintptr_t)t->at, bytes);
    if (together)
        for (uint32_t k = 0; k < bytes; k++)
            theirs[k] =
                *stored_value(v, mark_lane(w), (uint32_t)(t->at - t->address[mark_lane(w)]) + k);
    bool same = stores_same(v, t->lane, bytes_before(t), bytes, theirs);
    const struct kernel_facts *facts = v->b->launch->facts;
    bool copies = facts->uniform || (t->shared && facts->replicated);
    if (!(together && same && copies))
        report_race(v, t, w, verdict, same);
    return verdict;
}

bool
race_with_reads(const struct visit *v, const struct touch *t, const struct mark *last,
                const struct mark *other)
{
    enum verdict verdict = last ? race_with(v, t->lane, last, false) : ORDERED;
    if (other && (verdict == ORDERED || verdict == RACE_VOLATILE)) {
        enum verdict second = race_with(v, t->lane, other, false);
        last = second == ORDERED ? last : other;
        verdict = second == ORDERED ? verdict : second;
    }
    if (verdict != ORDERED)
        report_race(v, t, last, verdict, false);
    return verdict != ORDERED;
}

void
race_unset_read(const struct visit *v, const struct touch *t, const struct mark *by)
{
    uint32_t skip = bytes_before(t), count = 1u << t->shift, bytes = (1u << count) - 1;
    if (bytes_used(v->facts, skip, bytes))
        report_unwritten(v, t, by);
    else
        copies_loaded(v, t->lane, skip, count, (const uint8_t *)(uintptr_t)t->at);
}
