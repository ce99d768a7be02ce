/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster.c: where blocks of a cluster lie in the grid. Blocks are handed out cluster by cluster,
 * those of a cluster by rank: a block's number is its place in that order, which without clusters
 * is that of the grid.
 */
#include "exec/exec_priv.h"

_Static_assert(MEMORY_WINDOW_STRIDE == 1 << JIT_RANK_BIT, "a rank is bits of an address");

uint32_t
exec_block_place(const struct exec_run *run, uint64_t number, uint32_t out[3])
{
    const struct exec_request *r = run->request;
    if (run->cluster == 1) {
        exec_coordinates(r->grid, number, out);
        return 0;
    }
    uint32_t rank = (uint32_t)(number % run->cluster), own[3], clusters[3];
    for (int d = 0; d < 3; d++)
        clusters[d] = r->grid[d] / r->cluster[d];
    exec_coordinates(clusters, number / run->cluster, out);
    exec_coordinates(r->cluster, rank, own);
    for (int d = 0; d < 3; d++)
        out[d] = out[d] * r->cluster[d] + own[d];
    return rank;
}
