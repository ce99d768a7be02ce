/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.h: the shadow of device memory, inside shadow.c and lines.c. A chunk of 16 KiB is kept in
 * one of two forms that say the same: as cells, 64 bytes a word, or, as long as warps access it in
 * whole runs of words, as lines: a line of 32 words has a few records, each of which stands for all
 * words that carry the same mark. Lines that need more records, and whatever is no plain access of
 * words, turn the chunk into cells.
 *
 * A line is 64 bytes, two records among them, which is all that most need: 376 bytes a line, with
 * room for 15 in each, made avg_global wait for memory (docs/performance-log.md). Others have
 * theirs elsewhere.
 */
#ifndef LOCKSTEP_CHECK_LINES_H
#define LOCKSTEP_CHECK_LINES_H

#include "check/check_priv.h"
#include "check/marks.h"

#include <stdatomic.h>

enum {
    CHUNK_BITS = 14,
    CHUNK = 1 << CHUNK_BITS,
    LINE_BITS = 7,
    LINE_COUNT = CHUNK >> LINE_BITS,
    LINE_OWN = 2,    /* records inside a line, */
    LINE_MARKS = 15, /*   and at most */
};

struct cell {
    struct mark write, strong; /* the last plain write; the last atomic or volatile one */
    struct mark read, other;   /* other: the last read by another warp than read's */
};

/* Which lane accessed a word of the line: ((word >> shift) + add) % 32. */
struct lane_map {
    uint8_t shift : 3, add : 5;
};

enum line_kind { LINE_READ, LINE_OTHER, LINE_WRITE }; /* as in struct cell */

struct line_mark {
    struct mark mark; /* without lanes */
    uint32_t words;   /* that it stands for */
    uint8_t kind;
    struct lane_map lane, lane2; /* lane2: of MARK_MANY */
    uint8_t spread; /* writes; not 0: by threads of several warps, so far apart from word to word:
                     * mark has the one of word 0, lane nothing */
};

struct line {
    uint32_t written;     /* words */
    uint32_t read_shared; /* words that work read_shared_work has read enough (cell_read_enough) */
    uint32_t read_shared_work;
    uint16_t count, room; /* records; room 0: they are in own */
    union {
        struct line_mark own[LINE_OWN];
        struct line_mark *more;
    };
};
_Static_assert(sizeof(struct line) == 64, "one line of the processor's cache");

static inline struct line_mark *
line_marks(struct line *l)
{
    return l->room ? l->more : l->own;
}
static inline const struct line_mark *
line_records(const struct line *l)
{
    return l->room ? l->more : l->own;
}

/* An access of one warp to words of one line, each by one lane or (MARK_MANY in mark) one word by
 * all. */
struct line_touch {
    const struct visit *v;
    struct mark mark; /* without lanes */
    uint32_t words;
    struct lane_map lane, lane2;
    bool lone; /* a load, where nothing orders blocks */
};

/* How much memory shadows may take and do take. */
struct shadow_room {
    uint64_t limit;
    _Atomic uint64_t used;
};

/* False: there is none left. */
static inline bool
shadow_take(struct shadow_room *r, uint64_t bytes)
{
    if (atomic_fetch_add(&r->used, bytes) + bytes <= r->limit)
        return true;
    atomic_fetch_sub(&r->used, bytes);
    return false;
}
static inline void
shadow_give(struct shadow_room *r, uint64_t bytes)
{
    atomic_fetch_sub(&r->used, bytes);
}

enum {
    TABLE_BITS = 14, /* chunks per table */
    TABLE = 1 << TABLE_BITS,
    TOP = 1 << (47 - CHUNK_BITS - TABLE_BITS),
};

struct global_shadow {
    struct shadow_room room;
    _Atomic bool thinned; /* some chunk found no room */
    _Atomic(struct table *) top[TOP];
};

/* global.c: the chunk in hand, locked. */
struct held {
    struct chunk *chunk;
    uint64_t base; /* 1: none */
};
void held_release(struct held *h);
/* The lines of the chunk in hand; NULL: it has none, or its words were found to be read enough. */
struct line *held_lines(struct held *h, struct block_state *b, uint64_t address);
/* False: the chunk has cells, or it is no plain case; nothing was noted. */
bool held_touch(struct held *h, uint64_t address, const struct line_touch *t);

/* False: not a plain case; nothing was changed. *out_read_shared: of all its words it held that
 * they were read enough, so that nothing was noted. */
bool line_load(struct line *l, const struct line_touch *t, bool *out_read_shared);
bool line_store(struct line *l, const struct line_touch *t);
/* The same for the plainest cases, without a visit. */
struct line_stamp {
    struct mark mark;           /* of the warp, without lanes; MARK_WRITTEN */
    uint32_t work_floor, floor; /* of the launch, and of the block */
};
bool line_renew(struct line *l, const struct line_stamp *s, uint32_t words, struct lane_map lane);
/* One word, which continues a column of the block's. */
bool line_continue(struct line *l, const struct line_stamp *s, uint32_t word, uint32_t lane);
/* A copy or a fill, or new memory, takes these words. False: there is no room for its record. */
bool line_range(struct shadow_room *r, struct line *l, uint32_t words, uint32_t work, bool known);
/* Its records outside are given back. */
void line_free(struct shadow_room *r, struct line *l);
struct cell line_cell(const struct line *l, uint32_t word);

#endif
