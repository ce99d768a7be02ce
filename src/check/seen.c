/* SPDX-License-Identifier: Apache-2.0
 *
 * seen.c: reads of device memory in its cells (seen.h). A read's mark says whether it has seen the
 * cell's last strong write.
 */
#include "check/seen.h"

/* A strong access's, in a mark. */
static uint64_t
strong_flags(const struct visit *v)
{
    const struct block_state *b = v->b;
    uint32_t flags = v->facts->flags;
    bool marked = v->op != JIT_LOAD && b->handing;
    enum scope scope = order_scope(b, flags);
    return MARK_STRONG |
           (scope == SCOPE_BLOCK     ? MARK_CTA
            : scope == SCOPE_CLUSTER ? MARK_CLUSTER
                                     : 0) |
           (flags & PLACE_VOLATILE ? MARK_VOLATILE : 0) |
           (marked && order_fenced(b, v->warp, SCOPE_BLOCK) ? MARK_FENCED_BLOCK : 0) |
           (marked && order_fenced(b, v->warp, SCOPE_CLUSTER) ? MARK_FENCED_CLUSTER : 0) |
           (marked && order_fenced(b, v->warp, SCOPE_DEVICE) ? MARK_FENCED : 0);
}

struct mark
seen_mark(const struct visit *v, uint32_t lane, uint32_t stamp)
{
    const struct block_state *b = v->b;
    return (struct mark){
        (uint64_t)b->launch->work << WORK_SHIFT |
            (uint64_t)(uint32_t)b->block->index << BLOCK_SHIFT | v->warp << WARP_SHIFT | lane,
        (uint64_t)stamp << STAMP_SHIFT | (uint64_t)(v->place & 0x3fffff) << PLACE_SHIFT |
            (v->facts->flags & PLACE_STRONG ? strong_flags(v) : 0)};
}

/* An earlier read of the same warp that races with more than this one does. */
static bool
is_weaker(const struct mark *old, const struct mark *new)
{
    uint64_t lacks = new->when &MARK_STRONG & ~old->when;
    uint64_t has = old->when & (MARK_NARROW | MARK_VOLATILE) & ~new->when;
    return !((old->who ^ new->who) >> LANE_BITS) && new->when &MARK_STRONG && (lacks | has);
}

/* The other read may go: it is over, or races with less than r does. */
static bool
makes_room(const struct visit *v, uint32_t lane, const struct mark *other, const struct mark *r)
{
    if (mark_work(other) != v->b->launch->work ||
        (other->when & (MARK_STRONG | MARK_NARROW | MARK_VOLATILE)) == MARK_STRONG)
        return true;
    return race_is_before(v, lane, other) && !(r->when & ~other->when & MARK_STRONG);
}

/* A plain read that nothing orders before the lane stays, where a strong one would take its place:
 * it races with more. */
static bool
is_kept(const struct visit *v, uint32_t lane, const struct mark *other, const struct mark *r)
{
    return r->when & ~other->when & MARK_STRONG && mark_work(other) == v->b->launch->work &&
           !race_is_before(v, lane, other);
}

static void
note_read(const struct visit *v, const struct global_touch *t, struct cell *c)
{
    struct mark *r = &c->read, mark = t->mark;
    uint32_t lane = mark_lane(&mark);
    enum strong_stays stays = strong_log_stays(v, t->log, &t->marks, &mark);
    if (stays == STAYS_BOTH)
        return;
    if (mark_work(r) == v->b->launch->work && stays == STAYS_NONE) {
        if ((r->who ^ mark.who) >> LANE_BITS)
            c->other = is_weaker(&c->other, r) || is_kept(v, lane, &c->other, r) ? c->other : *r;
        else if (is_weaker(r, &mark) && makes_room(v, lane, &c->other, r))
            c->other = *r;
        else if (mark_stamp(r) >= v->b->order.floor &&
                 mark_stamp(r) >= v->b->order.warp_floor[v->warp] &&
                 (r->who != mark.who || (r->when & MARK_MANY)))
            mark.when |= MARK_MANY | (r->who != mark.who ? (uint64_t)mark_lane(r) << LANE2_SHIFT
                                                         : r->when & 31 << LANE2_SHIFT);
    } else if (stays == STAYS_NONE && mark_work(r) && race_with_work(v->b, r) != ORDERED) {
        c->other = *r;
    }
    *r = mark;
}

/* -- who has seen the last strong write ---------------------------------------------------------
 */

/* Of several lanes of a warp one has the mark: then it counts for the warp. */
static bool
is_warps(const struct mark *m)
{
    return m->when & (MARK_MANY | MARK_SEEN_WARP);
}

static bool
is_own(const struct visit *v, const struct mark *m)
{
    return mark_block(m) == (uint32_t)v->b->block->index && mark_warp(m) == v->warp;
}

/* The read has seen the cell's last strong write, and the lane comes behind it. */
static bool
is_behind(const struct visit *v, uint32_t lane, const struct mark *read)
{
    return read->when & MARK_SEEN && mark_work(read) == v->b->launch->work &&
           ((is_own(v, read) && is_warps(read)) || race_is_before(v, lane, read));
}

/* The lane's mark, about to take the place of one of its warp, has to say that the others come
 * behind, too. */
static bool
has_met(const struct visit *v, const struct mark *read)
{
    const struct block_state *b = v->b;
    return read->when & MARK_SEEN && mark_work(read) == b->launch->work && is_own(v, read) &&
           (is_warps(read) || mark_stamp(read) < b->order.warp_floor[v->warp] ||
            b->order.lanes_met[v->warp]);
}

/* PTX ISA 8.9.5: a strong write comes before all that is ordered behind a read that saw it, or that
 * its thread does next. Of a read that the cell has no longer nothing is known: then nothing is
 * said. */
bool
seen_before(const struct visit *v, uint32_t lane, const struct cell *c)
{
    return c->strong.when & MARK_SEEN && mark_work(&c->strong) == v->b->launch->work &&
           (c->strong.when & MARK_SEEN_LOST || is_behind(v, lane, &c->read) ||
            is_behind(v, lane, &c->other));
}

static bool
can_see(const struct visit *v, const struct mark *read, const struct cell *c)
{
    return read->when & MARK_STRONG && mark_work(&c->strong) == v->b->launch->work &&
           race_scopes_meet(v, &c->strong);
}

static bool
stands_for(const struct mark *m, const struct mark *old)
{
    return m->when & MARK_SEEN && !((m->who ^ old->who) >> LANE_BITS) &&
           (m->who == old->who || is_warps(m));
}

/* A read where somebody has seen the last strong write, or does now. */
static void
note_seen(const struct visit *v, const struct global_touch *t, struct cell *c, bool sees)
{
    struct global_touch now = *t;
    bool all = sees && (has_met(v, &c->read) || has_met(v, &c->other));
    now.mark.when |= (sees ? MARK_SEEN : 0) | (all ? MARK_SEEN_WARP : 0);
    c->strong.when |= MARK_SEEN;
    const struct mark old[3] = {c->read, c->other, now.mark};
    note_read(v, &now, c);
    for (int k = 0; k < 3; k++)
        if (old[k].when & MARK_SEEN && mark_work(&old[k]) == v->b->launch->work &&
            !stands_for(&c->read, &old[k]) && !stands_for(&c->other, &old[k]))
            c->strong.when |= MARK_SEEN_LOST;
}

void
seen_note_read(const struct visit *v, const struct global_touch *t, struct cell *c)
{
    bool sees = can_see(v, &t->mark, c) || seen_before(v, t->touch.lane, c);
    if (sees || c->strong.when & MARK_SEEN)
        note_seen(v, t, c, sees);
    else
        note_read(v, t, c);
}

/* The reader of the mark, a lane of v, has seen the strong write that the cell has now. */
static void
cell_was_read(const struct visit *v, struct global_touch *t, struct cell *c)
{
    uint32_t lane = t->touch.lane;
    if (!((c->strong.who ^ t->mark.who) >> LANE_BITS) || !can_see(v, &t->mark, c))
        return;
    if (t->log && strong_log_holds(t->log, &c->strong))
        strong_log_seen(v, t->log, &t->mark);
    if (!seen_before(v, lane, c))
        seen_note_read(v, t, c);
}

void
seen_read_over(struct block_state *b, uint32_t warp, const struct pending_read *r)
{
    struct visit v = {.b = b,
                      .facts = &b->facts[r->place],
                      .expect = &b->expect[r->place],
                      .lanes = r->lanes,
                      .bytes = r->bytes,
                      .space = PTX_SPACE_GLOBAL,
                      .op = JIT_LOAD,
                      .place = r->place,
                      .warp = warp};
    struct global_touch t = {.uneven = strong_differ(&v)};
    struct chunk *k = shadow_chunk(b->launch->check->global, r->address, false);
    uint32_t first = r->address & (CHUNK - 1);
    if (!k || first + r->bytes > CHUNK) /* strong accesses are aligned */
        return;
    chunk_lock(k);
    for (uint32_t n = first >> k->shift; k->cells && n <= (first + r->bytes - 1) >> k->shift; n++) {
        struct cell *c = &k->cells[n];
        t.marks = (struct strong_marks){c->strong, {c->read, c->other}};
        t.log = t.uneven && strong_differ_at(&v, r->address)
                    ? strong_log_of(&v, &k->logs, n << k->shift, &t.marks, false)
                    : NULL;
        for (uint32_t left = r->lanes; left; left &= left - 1) {
            t.touch.lane = (uint32_t)__builtin_ctz(left);
            t.mark = seen_mark(&v, t.touch.lane, r->stamp);
            cell_was_read(&v, &t, c);
        }
    }
    chunk_unlock(k);
}
