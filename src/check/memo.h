/* SPDX-License-Identifier: Apache-2.0
 *
 * memo.h: the judgement of one lane's cell, memoised for the lanes behind it in the same access
 * (global.c). A lane whose cell says what that one said, its own number in the place of that
 * lane's, has the same findings, and its cell becomes what that one became. So lanes that race are
 * judged once an access, wherever their words lie: a judgement and its finding take 100 ns, a
 * comparison of cells 5.
 */
#ifndef LOCKSTEP_CHECK_MEMO_H
#define LOCKSTEP_CHECK_MEMO_H

#include "check/lines.h"
#include "check/race.h"

enum { CELL_MARKS = sizeof(struct cell) / sizeof(struct mark) };
_Static_assert(CELL_MARKS == 4, "write, strong, read, other");

struct memo {
    bool usable;
    uint32_t lane;                /* whose cell it was */
    uint64_t floor;               /* marks below it are over */
    struct mark from[CELL_MARKS]; /* before; who 0: any mark that is over */
    struct mark to[CELL_MARKS];   /* behind; when 0: the cell keeps its own */
    struct repeats repeats;
    uint32_t again; /* findings of further lanes, not counted yet */
};

static inline uint64_t
memo_moved(uint64_t who, uint32_t by)
{
    const uint64_t lanes = (1u << LANE_BITS) - 1;
    return (who & ~lanes) | ((who + by) & lanes);
}

/* True: the cell is done with. */
static inline bool
memo_apply(struct memo *m, struct cell *c, uint32_t lane)
{
    struct mark *at = &c->write;
    uint32_t by = lane - m->lane;
    uint64_t differ = (at[0].when ^ m->from[0].when) & (MARK_WRITTEN | MARK_UNSET);
    for (uint32_t k = 0; k < CELL_MARKS; k++)
        differ |= m->from[k].who ? (at[k].who ^ memo_moved(m->from[k].who, by)) |
                                       (at[k].when ^ m->from[k].when)
                                 : at[k].who >= m->floor;
    if (differ)
        return false;
    for (uint32_t k = 0; k < CELL_MARKS; k++)
        if (m->to[k].when)
            at[k] = (struct mark){memo_moved(m->to[k].who, by), m->to[k].when};
    m->again += m->repeats.count != 0;
    return true;
}

/* The lane's cell has been judged: it was `from` and is `to`; what was found is m->repeats. */
void memo_learn(struct memo *m, const struct visit *v, uint32_t lane, const struct cell *from,
                const struct cell *to);
/* Findings of further lanes are counted. */
void memo_flush(struct memo *m, const struct visit *v);

#endif
