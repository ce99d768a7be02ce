/* SPDX-License-Identifier: Apache-2.0
 *
 * memo.c: which judgements of a lane's cell hold for lanes behind it (memo.h): those in which only
 * "the same lane" and "another warp" were asked of lanes. Not so: other lanes of the own warp, or
 * such that met in parts; a value that a store finds there; memory that nothing wrote.
 */
#include "check/memo.h"

#include <string.h>

/* Nothing in race.c's rules and global.c's asks more of the mark's lane than whether it is the
 * lane's own. */
static bool
tells_no_lanes(const struct visit *v, uint32_t lane, const struct mark *m)
{
    bool own = mark_work(m) == v->b->launch->work &&
               mark_block(m) == (uint32_t)v->b->block->index && mark_warp(m) == v->warp;
    return mark_stamp(m) && (!own || (mark_lane(m) == lane && !v->b->order.lanes_met[v->warp]));
}

void
memo_learn(struct memo *m, const struct visit *v, uint32_t lane, const struct cell *from,
           const struct cell *to)
{
    const struct mark *was = &from->write, *is = &to->write;
    m->usable = !m->repeats.more &&
                (v->op == JIT_STORE || (was->when & (MARK_WRITTEN | MARK_UNSET)) == MARK_WRITTEN);
    m->lane = lane;
    m->floor = (uint64_t)v->b->launch->floor << WORK_SHIFT;
    for (uint32_t k = 0; k < CELL_MARKS && m->usable; k++) {
        bool over = was[k].who < m->floor;
        bool kept = was[k].who == is[k].who && (over || was[k].when == is[k].when);
        m->usable = over || tells_no_lanes(v, lane, &was[k]);
        m->from[k] = (struct mark){over ? 0 : was[k].who, was[k].when};
        m->to[k] = kept ? (struct mark){0} : is[k];
    }
}

void
memo_flush(struct memo *m, const struct visit *v)
{
    if (m->again)
        finding_again(v->b->launch, v->place, &m->repeats, m->again);
    m->again = 0;
}
