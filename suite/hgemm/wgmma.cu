/* SPDX-License-Identifier: Apache-2.0
 *
 * Product of halves by wgmma, the plainest form: a block is one warpgroup, its tile 64 x 128. The
 * copy unit brings a tile of A and one of B, the matrix unit multiplies what lies in shared memory,
 * the sums stay in registers: 64 a thread. Everything waits for everything: bring, multiply, bring.
 *
 * systems: F2
 * title: a warpgroup, one pair of tiles at a time
 * needs: 9.0 tensor copies and wgmma
 * rung: 2
 * sizes: 0 1 17 100 65x300x129 256
 * check: 17 50x33x70
 * bench: 512
 * gpu: 4096
 */
#include "hgemm.h"

enum { HIGH = 64, WIDE = 128 };

__global__ void
__launch_bounds__(GROUP)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c,
            int m, int k, int n)
{
    __shared__ tiles<HIGH, WIDE> t;
    __shared__ barrier full;
    int row = blockIdx.y * HIGH, col = blockIdx.x * WIDE;
    float sum[WIDE / 2] = {};

    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        fence_for_copies();
    }
    __syncthreads();
    for (int at = 0, phase = 0; at < k; at += DEPTH, phase ^= 1) {
        if (threadIdx.x == 0)
            tiles_bring(&t, &full, &a, &b, row, col, at);
        barrier_wait(&full, phase);
        tiles_multiply(sum, &t, 0);
        wgmma_wait<0>();
        __syncthreads(); /* all four warps are done with the tiles */
    }
    tiles_put(sum, c, row, col, m, n);
}

static void
launch(const struct hgemm *p)
{
    dim3 grid(suite_div_up(p->n, WIDE), suite_div_up(p->m, HIGH));
    product<<<grid, GROUP>>>(hgemm_map_a(p, HIGH), hgemm_map_b(p), p->c, p->m, p->k, p->n);
}

int
main(int argc, char **argv)
{
    return hgemm_main("hgemm/wgmma", "one pair of tiles at a time", launch, argc, argv);
}
