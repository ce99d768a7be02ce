/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.h: the shadow of device memory, inside global.c and lines.c. A chunk of 16 KiB is kept in one
 * of two forms that say the same: as cells, 64 bytes a word, or, as long as warps access it in whole
 * runs of words, as lines: a line of 32 words has a few records, each of which stands for all words
 * that carry the same mark. Lines that need more records, and whatever is no plain access of words,
 * turn the chunk into cells.
 *
 * A line is 64 bytes, two records among them, which is all that most need: 376 bytes a line, with room
 * for 15 in each, made avg_global wait for memory (docs/decisions/0009). Others have theirs elsewhere.
 */
#ifndef LOCKSTEP_CHECK_LINES_H
#define LOCKSTEP_CHECK_LINES_H

#include "check/check_priv.h"

#include <stdatomic.h>

enum {
    CHUNK_BITS = 14,
    CHUNK = 1 << CHUNK_BITS,
    LINE_BITS = 7,
    LINE_COUNT = CHUNK >> LINE_BITS,
    LINE_OWN = 2,   /* records inside a line, */
    LINE_MARKS = 15, /*   and at most */
};

/* who: work (22) | block (32) | warp (5) | lane (5);  when: stamp (24) | place (22) | flags. */
struct mark {
    uint64_t who, when;
};
enum {
    MARK_MANY = 1,    /* other lanes of the warp, too */
    MARK_STRONG = 2,  /* atomic or volatile, */
    MARK_CTA = 4,     /*   but only for the block; */
    MARK_VOLATILE = 32,
    MARK_SEEN = 64,   /*   a strong read has seen it: the cell's last one */
    MARK_TOLD = 1 << 15,         /* a strong write that was found to race */
    MARK_FENCED = 1 << 13,       /* behind a fence of its warp for all blocks, */
    MARK_FENCED_BLOCK = 1 << 14, /*   or for its own */
    MARK_WRITTEN = 8, /* by whom: see who; 0: by something that was over */
    MARK_UNSET = 16,  /* a copy of what nobody had written */
    LANE2_SHIFT = 8,  /* MANY: another lane */
    LANE_BITS = 5, WARP_SHIFT = 5, BLOCK_SHIFT = 10, WORK_SHIFT = 42,
    PLACE_SHIFT = 18, STAMP_SHIFT = 40,
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
    uint8_t spread;   /* writes; not 0: by threads of several warps, so far apart from word to word: mark
                       * has the one of word 0, lane nothing */
};

struct line {
    uint32_t written;   /* words */
    uint32_t calm;      /* words that work calm_work has read enough (global.c, read_enough) */
    uint32_t calm_work;
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

/* An access of one warp to words of one line, each by one lane or (MARK_MANY in mark) one word by all. */
struct line_touch {
    const struct visit *v;
    struct mark mark;  /* without lanes */
    uint32_t words;
    struct lane_map lane, lane2;
    bool lone;         /* a load, where nothing orders blocks */
};

struct chunk {
    atomic_flag busy;
    uint8_t shift;    /* of cells: 2 or 0 */
    bool thin;        /* no memory for cells */
    bool whole;       /* all of it was found written */
    uint32_t hole;    /* the first word or line that lately was not */
    struct cell *cells;
    struct line *lines; /* at most one of both */
    uint8_t *written; /* neither: a bit per byte; NULL: see all_written */
    bool all_written;
    uint32_t by;      /* neither: the work that wrote all of it; 0: over */
    uint32_t last_work; /* that accessed it */
    _Atomic uint32_t calm; /* the work for which read_enough holds of all its words; 0: none known */
    uint32_t hits, patience; /* words of which it held since the last look at all of them */
};

static inline uint32_t
mark_work(const struct mark *m)
{
    return (uint32_t)(m->who >> WORK_SHIFT);
}

/* The chunk in hand, locked. */
struct held {
    struct chunk *chunk;
    uint64_t base; /* 1: none */
};
void held_release(struct held *h);
/* Memory for shadows: false: there is none left. */
bool global_take(struct global_shadow *g, uint64_t bytes);
void global_give(struct global_shadow *g, uint64_t bytes);
/* The lines of the chunk in hand; NULL: it has none, or its words were found to be read enough. */
struct line *held_lines(struct held *h, struct block_state *b, uint64_t address);
/* False: the chunk has cells, or it is no plain case; nothing was noted. */
bool held_touch(struct held *h, uint64_t address, const struct line_touch *t);

/* False: not a plain case; nothing was changed. *out_calm: of all its words it held that they were read
 * enough, so that nothing was noted. */
bool line_load(struct line *l, const struct line_touch *t, bool *out_calm);
bool line_store(struct line *l, const struct line_touch *t);
/* The same for the plainest cases, without a visit. */
struct line_stamp {
    struct mark mark;          /* of the warp, without lanes; MARK_WRITTEN */
    uint32_t work_floor, floor; /* of the launch, and of the block */
};
bool line_renew(struct line *l, const struct line_stamp *s, uint32_t words, struct lane_map lane);
/* One word, which continues a column of the block's. */
bool line_continue(struct line *l, const struct line_stamp *s, uint32_t word, uint32_t lane);
/* A copy or a fill, or new memory, takes these words. False: there is no room for its record. */
bool line_range(struct global_shadow *g, struct line *l, uint32_t words, uint32_t work, bool known);
/* Its records outside are given back. */
void line_free(struct global_shadow *g, struct line *l);
struct cell line_cell(const struct line *l, uint32_t word);

#endif
