/* SPDX-License-Identifier: Apache-2.0
 *
 * uneven.c: how unlike the work of a launch's blocks is: instructions of each, by what was counted
 * when it ended.
 */
#include "profile/profile_priv.h"

enum { MOST_BLOCKS = 1 << 22 };

void
uneven_begin(struct watch *w)
{
    const struct kernel *k = w->kernel;
    uint64_t blocks = (uint64_t)k->size.grid[0] * k->size.grid[1] * k->size.grid[2];
    if (!k->launches && blocks <= MOST_BLOCKS) /* of the first launch, as its waiting */
        w->block_work = ls_alloc(sizeof *w->block_work * blocks);
}

void
uneven_block(struct sheet *s, uint64_t block)
{
    const struct watch *w = s->watch;
    uint64_t all = 0;
    if (!w->block_work && !w->sampling)
        return;
    for (uint32_t p = 0; p < w->places; p++) /* what is counted from a place on: jit_counts_sum() */
        all += s->counts[(size_t)JIT_COUNTS * p + JIT_COUNT_WARPS] * (w->places - p);
    if (w->block_work)
        w->block_work[block] = (uint32_t)(all - s->counted);
    if (w->sampling)
        sampling_block(w->sampling, block, all - s->counted);
    s->counted = all;
}

void
uneven_end(struct watch *w)
{
    struct kernel *k = w->kernel;
    if (!w->block_work)
        return;
    uint64_t blocks = (uint64_t)k->size.grid[0] * k->size.grid[1] * k->size.grid[2];
    for (uint64_t b = 0; w->sampling && b < blocks; b++)
        w->block_work[b] = w->block_work[sampling_stand_in(w->sampling, b)];
    k->uneven =
        model_unevenness(w->profile->device, k->occupancy.blocks_per_sm, w->block_work, blocks);
    ls_release(w->block_work);
    w->block_work = NULL;
}
