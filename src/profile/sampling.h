/* SPDX-License-Identifier: Apache-2.0
 *
 * sampling.h: launches of which some blocks are counted (sampling.c).
 */
#ifndef LOCKSTEP_PROFILE_SAMPLING_H
#define LOCKSTEP_PROFILE_SAMPLING_H

#include "jit/jit.h"
#include "model/model.h"

struct sheet;
struct watch;

enum sampled_figure {
    SAMPLED_INSTRUCTIONS,
    SAMPLED_L1, /* sectors */
    SAMPLED_L2,
    SAMPLED_DRAM, /* bytes read */
    SAMPLED_FIGURES
};
/* Of all launches of a kernel. */
struct sampled {
    uint64_t blocks, of;           /* counted; of: 0: no sample was asked for */
    uint64_t rounds;               /* of blocks that the last sampled one is known by */
    double error[SAMPLED_FIGURES]; /* relative: 95 % of such samples are off by at most so much */
    const char *why;               /* all blocks of the last one were counted; NULL: not all */
};
double sampled_error(const struct sampled *s); /* the largest */
/* One launch's. Rounds are numbered along the grid. */
struct sampling {
    uint64_t round, blocks, rounds; /* blocks of a round, of the grid */
    uint64_t counted;               /* blocks */
    uint32_t picked;                /* rounds that are counted: */
    uint64_t *pick;                 /*   rising; the first is 0 */
    uint32_t *stratum;              /* per round: the place in pick[] of the one it is known by */
    uint64_t (*figure)[SAMPLED_FIGURES]; /* per picked round */
    uint32_t played;                     /* picked rounds that caches have seen: */
    struct cache_counts first, last;     /*   the sums behind the first one, the last one; */
    uint32_t first_pages;                /*   pages that the first one has used */
};
/* Makes w->sampling where the launch is to be sampled. */
void sampling_begin(struct watch *w);
/* Ends it: what the kernel's figures are known by. */
void sampling_end(struct watch *w);
bool sampling_counts(const struct jit_launch *l, uint64_t block); /* jit_tool.counts */
/* The counted block that stands for this one. x: may be NULL, here and in the next two: all are
 * counted. */
uint64_t sampling_stand_in(const struct sampling *x, uint64_t block);
/* The next round that is counted; the last of so many. */
uint64_t sampling_next(const struct sampling *x, uint64_t round);
uint64_t sampling_last(const struct sampling *x, uint64_t rounds);
/* How many blocks the launch's sheets have counted. */
double sampling_blocks(const struct watch *w);
/* The sheet for a block where jit_block.tool is s: s, or its twin. */
struct sheet *sampling_sheet(struct sheet *s, uint64_t block);
void sampling_block(struct sampling *x, uint64_t block, uint64_t instructions);
/* The caches have seen the next picked round: their counts since the launch began, and how many
 * pages it has used. */
void sampling_played(struct sampling *x, const struct cache_counts *c, uint32_t pages);
/* From the counted rounds but the first to all but the first. */
uint64_t sampling_scale(const struct sampling *x, uint64_t n);
void sampling_scale_caches(const struct sampling *x, struct cache_counts *c);
/* What a launch touches of pages that are known by the page of that number. */
uint64_t sampling_scale_page(const struct sampling *x, uint32_t number, uint64_t bytes);

#endif
