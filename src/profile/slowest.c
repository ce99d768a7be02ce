/* SPDX-License-Identifier: Apache-2.0
 *
 * slowest.c: how much longer a block's slowest warp takes than its warps in the mean, where they go
 * different ways (`if (threadIdx.x == 0) for ...`, the last rounds of a tree, searches). What each
 * warp executes is counted for a few blocks of a launch; chain.c knows how long each superblock
 * takes. Warps meet at barriers: between two of them the slowest one counts.
 */
#include "profile/profile_priv.h"

enum {
    MOST_BLOCKS = 8,         /* counted, evenly spread over the grid */
    MOST_COUNTERS = 1 << 22, /* of all of them: 16 MiB */
    MOST_LOOKS = 1 << 22     /* at counters, for each block: some 3 ms; later it is not counted */
};

struct slowest {
    uint64_t apart; /* blocks from one that is counted to the next */
    uint32_t blocks, warps, places;
    /* [blocks][warps][places]: as JIT_COUNT_WARPS, differences from the place before */
    int32_t *count;
};

void
slowest_begin(struct watch *w)
{
    const struct kernel *k = w->kernel;
    uint64_t grid = (uint64_t)k->size.grid[0] * k->size.grid[1] * k->size.grid[2];
    uint32_t warps = w->launch.launch->warps;
    uint64_t fit = MOST_COUNTERS / ((uint64_t)warps * w->places + 1);
    uint32_t blocks = (uint32_t)(grid < MOST_BLOCKS ? grid : MOST_BLOCKS);
    blocks = (uint32_t)(fit < blocks ? fit : blocks);
    /* Before 7.0 latencies are papers': by them a K40's first reduction would beat its second. */
    bool known = w->profile->device->cc_major >= 7 && model_has(k->without, MODEL_SLOWEST);
    if (k->launches || warps < 2 || !blocks || !known)
        return;
    w->slowest = ls_alloc(sizeof *w->slowest);
    *w->slowest = (struct slowest){.apart = grid / blocks,
                                   .blocks = blocks,
                                   .warps = warps,
                                   .places = w->places,
                                   .count = ls_alloc(sizeof(int32_t) * blocks * warps * w->places)};
}

void
slowest_end(struct watch *w)
{
    if (w->slowest)
        ls_release(w->slowest->count);
    ls_release(w->slowest);
    w->slowest = NULL;
}

bool
slowest_block(struct sheet *s, uint64_t block)
{
    const struct slowest *x = s->watch->slowest;
    uint32_t k = 0;
    while (x && k < x->blocks && sampling_stand_in(s->watch->sampling, k * x->apart) != block)
        k++;
    if (!x || k == x->blocks)
        return false;
    s->slowest.counts = x->count + (size_t)k * x->warps * x->places;
    s->slowest.looks = 0;
    if (!s->slowest.last)
        s->slowest.last = ARENA_ARRAY(&s->arena, uint64_t, x->places);
    for (uint32_t p = 0; p < x->places; p++)
        s->slowest.last[p] = s->counts[(size_t)JIT_COUNTS * p + JIT_COUNT_WARPS];
    return true;
}

void
slowest_ran(struct jit_warp *w)
{
    struct sheet *s = w->block->tool;
    if (s->slowest.looks > MOST_LOOKS)
        return;
    uint32_t places = s->watch->places;
    int32_t *count = s->slowest.counts + (size_t)w->warp * places;
    s->slowest.looks += places;
    for (uint32_t p = 0; p < places; p++) {
        uint64_t now = s->counts[(size_t)JIT_COUNTS * p + JIT_COUNT_WARPS];
        count[p] += (int32_t)(now - s->slowest.last[p]);
        s->slowest.last[p] = now;
    }
}

/* Adds what a block's warps need for superblocks [first, end), between which none waits for others:
 * the slowest one, and all of them in the mean. */
static void
add_part(const struct slowest *x, const int32_t *count, const struct superblock *first,
         const struct superblock *end, double *slowest, double *mean)
{
    double most = 0, sum = 0;
    for (uint32_t w = 0; w < x->warps; w++) {
        double clocks = 0;
        for (const struct superblock *s = first; s < end; s++)
            clocks += s->clocks * count[(size_t)w * x->places + s->place];
        most = clocks > most ? clocks : most;
        sum += clocks;
    }
    *slowest += most;
    *mean += sum / x->warps;
}

double
slowest_share(struct slowest *x, const struct superblock *superblock, size_t count)
{
    double slowest = 0, mean = 0;
    for (uint32_t b = 0; x && b < x->blocks; b++) {
        int32_t *of_block = x->count + (size_t)b * x->warps * x->places;
        for (uint32_t w = 0; w < x->warps; w++)
            for (uint32_t p = 1; p < x->places; p++)
                of_block[(size_t)w * x->places + p] += of_block[(size_t)w * x->places + p - 1];
        for (size_t first = 0, n = 0; n < count; n++)
            if (superblock[n].meets || n + 1 == count) {
                add_part(x, of_block, &superblock[first], &superblock[n + 1], &slowest, &mean);
                first = n + 1;
            }
    }
    return mean > 0 ? slowest / mean : 1;
}
