/* SPDX-License-Identifier: Apache-2.0
 *
 * How a wave is played, inside: pages (pages.c), what of the warps' traces is a step's lines
 * (gather.c), and who plays what when (play.c).
 */
#ifndef LOCKSTEP_PLAY_PRIV_H
#define LOCKSTEP_PLAY_PRIV_H

#include "profile/profile_priv.h"

/* PAGE_SHIFT: a word's bits from there on are its page, as a page has 2^14 lines. */
enum { PAGE_SHIFT = 30, TURNS = 64 };
_Static_assert(PAGE_SHIFT - CACHE_LINE_SHIFT == 14 && (2 << 20) / 128 == 1 << 14, "pages");

/* -- pages.c ----------------------------------------------------------------------------------- */

/* Where one warp has got to. */
struct stream {
    const uint64_t *at, *end;
};

/* A page's first use in a wave. */
struct first_use {
    struct page_use use;
    uint64_t block; /* in the order in which a step goes through them */
};

/* Numbers pages of 2 MiB in the order of their first use. The caches are simulated with a page's
 * number in place of its address: addresses differ from run to run, and hits must not. */
struct pages {
    uint64_t *page;   /* open addressing; 0: free, else the page + 1 */
    uint32_t *number; /* from UNNUMBERED on: seen in this wave; which of the uses is its first */
    uint32_t room, count, numbered; /* room: a power of two */
    VEC(struct first_use) uses;
    bool many; /* a block has used more than it noted */
};

/* Of the wave's blocks, in the order in which a step goes through them. */
void pages_add(struct pages *p, const struct played *b, uint32_t warps, uint64_t block,
               struct outline *const *shape);
/* Pages that the wave is the first to use get their numbers. */
void pages_number(struct pages *p, const struct stream *stream, size_t count,
                  struct outline *const *shape);
void pages_free(struct pages *p);

/* Turns of pages: a table of the last ones spares most searches. */
struct turn {
    uint64_t page,
        shift; /* shift: see page_shift(); the first pages are 0, which no device memory has */
};

static inline uint32_t
page_slot(const struct pages *p, uint64_t page)
{
    uint32_t at = (uint32_t)(page * 0x9e3779b97f4a7c15ull >> 32) & (p->room - 1);
    while (p->page[at] && p->page[at] != page + 1)
        at = (at + 1) & (p->room - 1);
    return at;
}

/* What makes the page's number of it, to be added to a word. */
static inline uint64_t
page_shift(const struct pages *p, struct turn turn[TURNS], uint64_t page)
{
    struct turn *t = &turn[page % TURNS];
    if (t->page != page)
        *t = (struct turn){page, (p->number[page_slot(p, page)] - page) << PAGE_SHIFT};
    return t->shift;
}

/* Of accesses that reach so far below and above their lines. */
static inline struct inside
inside_page(uint64_t page, uint64_t below, uint64_t above)
{
    uint64_t first = page << PAGE_SHIFT, last = first + (1ull << PAGE_SHIFT) - 1;
    return (struct inside){first + (below << CACHE_LINE_SHIFT), last - (above << CACHE_LINE_SHIFT)};
}
/* The highest bit is set unless it is one; those of several words can be joined. */
static inline uint64_t
is_outside(struct inside i, uint64_t word)
{
    return (word - i.first) | (i.last - word);
}

/* -- again.c ----------------------------------------------------------------------------------- */

/* A step's lines as an SM's L1 was given them. */
struct past {
    uint64_t *line;
    uint16_t *set; /* of each, */
    bool placed;   /*   if they were asked for */
    size_t count, room;
    bool clean;       /* since then all of them are there, the ones used last, in this order */
    uint64_t sectors; /* that were looked up */
};
enum { HISTORY_STEPS = 3 };
struct history {
    struct past past[HISTORY_STEPS];
    uint32_t now;
    uint64_t touched[1 << 10]; /* a bit for each set; empty while it is not used */
    uint64_t *line;            /* what is left to look up, */
    size_t room;
};
/* Another SM: no past. */
void history_begin(struct history *p);
/* The next step, with room for so many lines. */
struct past *history_next(struct history *p, size_t room);
/* The step, one or two before, that asked for the same lines as `own` and hit in all of them; NULL:
 * there is none. */
struct past *history_same(struct history *p, const struct past *own);
/* Stores in p->line the lines of `own` that must be looked up although `same` hit: steps between
 * the two have touched their sets. Returns their number. */
size_t history_touched(struct history *p, struct past *own, struct past *same,
                       const struct cache_system *s);
void history_free(struct history *p);

/* -- gather.c ---------------------------------------------------------------------------------- */

/* Some steps of an SM's warps, a word for each access: as in a trace; of shape 0, where in the
 * trace it is. */
enum { ROWS = 8 };
struct rows {
    uint64_t *word; /* [ROWS * room] */
    size_t room, count[ROWS];
};
/* The next accesses of each warp; those that are through leave. How many are left. */
size_t gather_rows(struct rows *r, struct stream *stream, size_t count);

/* Makes lines of them. */
struct gather {
    const struct pages *pages;
    struct turn turn[TURNS];
    struct outline *const *shape;
    bool repeats;      /* a load like the one before it hits L1 */
    bool wide;         /* the host has vectors of eight words */
    uint64_t runs;     /* of sectors, so far */
    uint64_t repeated; /* lines of the step in hand that were only counted */
    struct cache_counts *counts;
};
enum { MOST_LINES = JIT_LANES * 8 }; /* of an access */
/* How many lines they are (room: MOST_LINES for each); loads that repeat the one before are only
 * counted. */
size_t gather_lines(struct gather *g, uint64_t *word, size_t count, uint64_t *to);

#endif
