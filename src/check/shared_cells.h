/* SPDX-License-Identifier: Apache-2.0
 *
 * shared_cells.h: the marks of a block's shared memory, inside shared*.c. Half as long as those of
 * device memory (marks.h): block and work are known.
 */
#ifndef LOCKSTEP_CHECK_SHARED_CELLS_H
#define LOCKSTEP_CHECK_SHARED_CELLS_H

#include "check/race.h"

/* stamp (24 bits) | place (22) | warp (5) | lane (5) | flags (8); stamp and place as in struct
 * mark. */
enum {
    PACK_MANY = 1,    /* other lanes of the warp, too */
    PACK_STRONG = 2,  /* atomic or volatile */
    PACK_LANE2 = 2,   /* MANY: another lane */
    PACK_UNSET = 128, /* of plain writes: a copy of what nobody had written */
    PACK_SAW = 128,   /* of reads: comes behind the cell's last strong write, which it saw */
    PACK_LOST = 128, /* of strong writes: one more has seen it, whose read the cell has no longer */
    PACK_PEER = 16,  /* not MANY: a write that others know of (peers.c has those of other blocks);
                        where and whose it was is not kept */
    PACK_SAW_WARP = 4,        /*   and so do all lanes of its warp (not MANY) */
    PACK_SEEN = 4,            /* of strong writes: a strong read has seen it; */
    PACK_FENCED = 8,          /*   behind a fence of its warp for the block, */
    PACK_FENCED_CLUSTER = 32, /* not MANY: or for the cluster */
    PACK_LANE = 8,
    PACK_WARP = 13,
};
_Static_assert((int)PACK_MANY == MARK_MANY && (int)PACK_STRONG == MARK_STRONG &&
                   PACK_WARP - PACK_LANE == WARP_SHIFT,
               "unpack() copies these");

static inline uint32_t
pack_stamp(uint64_t m)
{
    return (uint32_t)(m >> STAMP_SHIFT);
}
static inline uint32_t
pack_place(uint64_t m)
{
    return (uint32_t)(m >> PLACE_SHIFT) & 0x3fffff;
}
static inline uint32_t
pack_warp(uint64_t m)
{
    return (uint32_t)(m >> PACK_WARP) & 31;
}
static inline uint32_t
pack_lane(uint64_t m)
{
    return (uint32_t)(m >> PACK_LANE) & 31;
}

/* The mark as it would stand in device memory. */
static inline struct mark
unpack(const struct block_state *b, uint64_t m)
{
    const uint64_t low = (1ull << PLACE_SHIFT) - 1;
    uint64_t flags = m & (PACK_MANY | PACK_STRONG);
    if (m & PACK_MANY)
        flags |= (m >> PACK_LANE2 & 31) << LANE2_SHIFT;
    else
        flags |= (m & PACK_FENCED ? MARK_FENCED_BLOCK : 0) |
                 (m & PACK_FENCED_CLUSTER ? MARK_FENCED_CLUSTER : 0);
    if (b->facts[pack_place(m)].flags & PLACE_VOLATILE)
        flags |= MARK_VOLATILE;
    return (struct mark){.who = (uint64_t)b->launch->work << WORK_SHIFT |
                                (uint64_t)(uint32_t)b->block->index << BLOCK_SHIFT |
                                (m >> PACK_LANE & 1023),
                         .when = (m & ~low) | flags};
}

/* The flags by which mark `new` says that another lane of its warp accessed the cell before, as
 * `old` has it. */
static inline uint64_t
pack_second(uint64_t old, uint64_t new)
{
    uint64_t lane = (old ^ new) >> PACK_LANE & 31 ? old >> PACK_LANE : old >> PACK_LANE2;
    return PACK_MANY | (lane & 31) << PACK_LANE2;
}

/* Whether the access of mark `old` comes before that of `new` because one warp made both, and
 * either its lanes met in between (met: the stamp of that, shifted by STAMP_SHIFT) or the same
 * single lane made both. False where `old` is a transfer's (bit 63). */
static inline __attribute__((always_inline)) bool
pack_is_own(uint64_t old, uint64_t new, uint64_t met)
{
    uint64_t differ = old ^ new;
    bool warp = !(differ & 31ull << PACK_WARP), lane = !(differ & 31ull << PACK_LANE);
    return !(old >> 63) & warp & ((old < met) | (lane & !((old | new) & PACK_MANY)));
}

/* What is the same for all lanes of an access. */
struct quick {
    uint64_t low, floor, met; /* stamps of the block's first access, ..., in their places */
    bool load, reads, strong;
    bool alike; /* a strong access, and none of the block's was volatile so far */
};

static inline bool
quick_before(const struct quick *q, uint64_t old, uint64_t new)
{
    return old < q->floor || pack_is_own(old, new, q->met);
}

/* -- shared_quick.c: many cells at once; false: something may be wrong, nothing was done ------- */

/* Words one behind the other from `first` on. own: each word's lane, as in a mark. The processor
 * has to have vectors of 512 bits. */
bool shared_load_run(struct block_state *b, const uint64_t *own, uint32_t words, uint64_t first,
                     uint64_t mark);
bool shared_store_run(struct block_state *b, const uint64_t *own, uint32_t words, uint64_t first,
                      uint64_t mark);
/* Atomic operations of lanes on words. */
bool shared_quick_atomics(struct block_state *b, const struct quick *q, uint32_t lanes,
                          const uint64_t *address, uint64_t mark);
/* The largest distance of lanes from a place, and the bits of all their addresses. */
uint64_t shared_farthest(const struct check *c, const uint64_t *address, uint32_t lanes,
                         uint64_t from, uint64_t *out_bits);

/* -- shared.c ---------------------------------------------------------------------------------- */

/* The mark, without lanes, of an access that now is made; the same with a stamp that is known. */
uint64_t pack_of(const struct visit *v);
uint64_t pack_at(const struct visit *v, uint64_t stamp);
/* The word, just written, is a copy of what nobody has written. */
void shared_word_unset(struct block_state *b, uint64_t word);

#endif
