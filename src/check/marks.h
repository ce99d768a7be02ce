/* SPDX-License-Identifier: Apache-2.0
 *
 * marks.h: a mark: what shadow memory keeps of one access. Device memory has marks of this form
 * (lines.h); those of a block's shared memory are half as long (shared_cells.h), and are unpacked
 * to this form when they are compared (race.c) or told of (race_reports.c).
 */
#ifndef LOCKSTEP_CHECK_MARKS_H
#define LOCKSTEP_CHECK_MARKS_H

#include <stdint.h>

/* who: work (22) | block (32) | warp (5) | lane (5);  when: stamp (24) | place (22) | flags. */
struct mark {
    uint64_t who, when;
};

enum {
    MARK_MANY = 1,      /* other lanes of the warp, too */
    MARK_STRONG = 2,    /* atomic or volatile, */
    MARK_CTA = 4,       /*   but only for the block, */
    MARK_CLUSTER = 128, /* or for the cluster; */
    MARK_NARROW = MARK_CTA | MARK_CLUSTER,
    MARK_VOLATILE = 32,
    MARK_SEEN = 64,           /* the cell's last strong write: a read has seen it; such a read, */
    MARK_SEEN_LOST = 1 << 17, /*   of which the cell has no mark any more; */
    MARK_SEEN_WARP = 1 << 17, /*   of reads: all lanes of its warp come behind */
    MARK_REPORTED = 1 << 15,  /* a strong write that was found to race */
    MARK_FENCED = 1 << 13,    /* behind a fence of its warp for all blocks, */
    MARK_FENCED_BLOCK = 1 << 14,   /*   or for its own, */
    MARK_FENCED_CLUSTER = 1 << 16, /* or for its cluster's */
    MARK_WRITTEN = 8,              /* by whom: see who; 0: by something that was over */
    MARK_UNSET = 16,               /* a copy of what nobody had written */
    LANE2_SHIFT = 8,               /* MANY: another lane */
    LANE_BITS = 5,
    WARP_SHIFT = 5,
    BLOCK_SHIFT = 10,
    WORK_SHIFT = 42,
    PLACE_SHIFT = 18,
    STAMP_SHIFT = 40,
};

static inline uint32_t
mark_work(const struct mark *m)
{
    return (uint32_t)(m->who >> WORK_SHIFT);
}
static inline uint32_t
mark_block(const struct mark *m)
{
    return (uint32_t)(m->who >> BLOCK_SHIFT);
}
static inline uint32_t
mark_warp(const struct mark *m)
{
    return (uint32_t)(m->who >> WARP_SHIFT) & 31;
}
static inline uint32_t
mark_lane(const struct mark *m)
{
    return (uint32_t)m->who & 31;
}
/* Of MARK_MANY: another lane than mark_lane. */
static inline uint32_t
mark_lane2(const struct mark *m)
{
    return (uint32_t)(m->when >> LANE2_SHIFT) & 31;
}
static inline uint32_t
mark_stamp(const struct mark *m)
{
    return (uint32_t)(m->when >> STAMP_SHIFT);
}
static inline uint32_t
mark_place(const struct mark *m)
{
    return (uint32_t)(m->when >> PLACE_SHIFT) & 0x3fffff;
}

#endif
