/* SPDX-License-Identifier: Apache-2.0
 *
 * race.h: an access against an earlier one at the same memory: does anything order the two? The
 * same for device memory (global.c) and shared memory (shared.c), whose cells say which earlier
 * accesses there are. Findings about the two: race_reports.c, which knows marks, and nothing of how
 * cells keep them.
 */
#ifndef LOCKSTEP_CHECK_RACE_H
#define LOCKSTEP_CHECK_RACE_H

#include "check/check_priv.h"
#include "check/marks.h"
#include "check/transfers.h"

/* One lane's access to one cell: a word of memory, or a byte. */
struct touch {
    const uint64_t *address; /* of all lanes */
    uint64_t at;             /* the cell's first byte, as an address of the host; */
    uint32_t shift;          /*   it has 1 << shift bytes */
    uint32_t lane;
    uint32_t unset; /* bytes of the lane's store that are copies of unset ones */
    bool shared;    /* the block's shared memory, not device memory */
};

enum verdict {
    ORDERED,
    RACE_WORK, /* with work of another stream */
    RACE_BLOCKS,
    RACE_SCOPE,         /* of blocks, by an atomic operation that counts inside of one only */
    RACE_INSIDE,        /* of threads of one block */
    RACE_INSN,          /*   in one instruction */
    RACE_NESTED,        /* of kernels in one tree of launches */
    RACE_UNFENCED,      /* a flag orders them but for a fence */
    RACE_VOLATILE,      /* volatile accesses, */
    RACE_VOLATILE_WARP, /*   of lanes of one warp */
};

/* The access against work other than this launch: is that over? */
enum verdict race_with_work(const struct block_state *b, const struct mark *m);
/* The mark is of this launch, and ordered before what the lane does now. */
bool race_is_before(const struct visit *v, uint32_t lane, const struct mark *m);
/* Both strong: each one's scope has the other's thread. */
bool race_scopes_meet(const struct visit *v, const struct mark *m);
/* The access and the mark's are strong, and each one's scope has the other's thread. */
bool race_is_morally_strong(const struct visit *v, const struct mark *m);
/* The access against the one that the mark tells of, when that may be unordered. */
enum verdict race_judge(const struct visit *v, uint32_t lane, const struct mark *m, bool write);

/* write: the mark's access is one. */
static inline enum verdict
race_with(const struct visit *v, uint32_t lane, const struct mark *m, bool write)
{
    uint32_t work = mark_work(m);
    return !work || work < v->b->launch->floor ? ORDERED : race_judge(v, lane, m, write);
}

/* The access against one of the cell's last writes; what races is reported. */
enum verdict race_with_write(const struct visit *v, const struct touch *t, const struct mark *w);
/* A write, against the cell's last read and the last one by another warp (NULL: there is none): of
 * two races one is told. True: it was. */
bool race_with_reads(const struct visit *v, const struct touch *t, const struct mark *last,
                     const struct mark *other);
/* Bytes that were read and nobody wrote are reported, or, where they are only stored again, noted
 * as copies. by: the store that copied something unwritten there; NULL: none. */
void race_unset_read(const struct visit *v, const struct touch *t, const struct mark *by);

/* What was found of one lane's cell, for lanes of which the same holds (memo.h). */
struct repeats {
    uint32_t count;
    bool more; /* than there is room for */
    struct {
        enum finding_kind kind;
        const struct kernel_facts *other;
        uint32_t other_place;
    } at[2];
};
/* Findings of the place that are known were made so many times more. */
void finding_again(const struct launch *l, uint32_t place, const struct repeats *r, uint64_t times);

/* -- race_reports.c ---------------------------------------------------------------------------- */

void report_race(const struct visit *v, const struct touch *t, const struct mark *other,
                 enum verdict verdict, bool same_value);
void report_unwritten(const struct visit *v, const struct touch *t, const struct mark *by);
/* An asynchronous copy reads what the mark wrote, and no proxy fence is between. */
void race_proxy(const struct visit *v, const struct touch *t, const struct mark *m);
/* m: of a transfer in the background of block `of` that is not over for the lane. */
void report_transfer(const struct visit *v, const struct touch *t, const struct block_state *of,
                     const struct mark *m, enum transfer_state state);
/* What would order an access and other work of the host. */
extern const char race_work_missing[];

#endif
