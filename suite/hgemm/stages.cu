/* SPDX-License-Identifier: Apache-2.0
 *
 * Product of halves by wgmma with copies ahead: two warpgroups multiply a tile of 128 x 128, STAGES
 * pairs of tiles are on their way. A group of wgmma is begun before the one before it is waited
 * for, so that the matrix unit always has work.
 *
 * systems: F2
 * title: two warpgroups, copies in stages
 * needs: 9.0 tensor copies and wgmma
 * rung: 3
 * sizes: 0 1 17 100 65x300x129 256x700x264
 * check: 17 50x333x70
 * bench: 512
 * gpu: 4096
 */
#include "hgemm.h"

enum { HIGH = 128, WIDE = 128, STAGES = 4, THREADS = HIGH / 64 * GROUP };
typedef tiles<HIGH, WIDE> stage;
enum { SHARED = STAGES * sizeof(stage) };

__global__ void
__launch_bounds__(THREADS)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c,
            int m, int k, int n)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ barrier full[STAGES];
    stage *t = (stage *)shared;
    int row = blockIdx.y * HIGH, col = blockIdx.x * WIDE, own = threadIdx.x / GROUP * 64;
    int steps = (k + DEPTH - 1) / DEPTH;
    float sum[WIDE / 2] = {};

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            barrier_init(&full[s], 1);
        fence_for_copies();
        for (int s = 0; s < STAGES && s < steps; s++)
            tiles_bring(&t[s], &full[s], &a, &b, row, col, s * DEPTH);
    }
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        barrier_wait(&full[step % STAGES], step / STAGES % 2);
        tiles_multiply(sum, &t[step % STAGES], own);
        wgmma_wait<1>(); /* all but the group just begun */
        __syncthreads(); /* nobody reads the tiles of the step before */
        int next = step - 1 + STAGES, s = next % STAGES;
        if (threadIdx.x == 0 && step > 0 && next < steps)
            tiles_bring(&t[s], &full[s], &a, &b, row, col, next * DEPTH);
    }
    wgmma_wait<0>();
    tiles_put(sum, c, row + own, col, m, n);
}

static void
launch(const struct hgemm *p)
{
    dim3 grid(suite_div_up(p->n, WIDE), suite_div_up(p->m, HIGH));
    hgemm_prepare(product, SHARED);
    product<<<grid, THREADS, SHARED>>>(hgemm_map_a(p, HIGH), hgemm_map_b(p), p->c, p->m, p->k,
                                       p->n);
}

int
main(int argc, char **argv)
{
    return hgemm_main("hgemm/stages", "copies in stages", launch, argc, argv);
}
