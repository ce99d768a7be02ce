/* SPDX-License-Identifier: Apache-2.0
 *
 * Product of halves with a role for every warp: one warp asks for copies and does nothing else, two
 * warpgroups multiply and store. They meet at mbarriers alone, two a stage: `full`, when the bytes
 * have come, and `empty`, when all eight warps are done with them. Blocks are as many as
 * multiprocessors; each walks over several tiles, and the copies of the next tile begin while the
 * sums of this one are stored.
 *
 * systems: F2
 * title: a warp copies, two warpgroups multiply; persistent blocks
 * needs: 9.0 tensor copies and wgmma
 * rung: 4
 * sizes: 0 1 17 100 65x300x129 300x700x264 1000x65x520
 * check: 17 50x333x70
 * bench: 512
 * gpu: 4096; 8192
 */
#include "hgemm.h"

enum { HIGH = 128, WIDE = 256, STAGES = 4, WARPS = HIGH / 16, THREADS = (WARPS + 1) * 32 };
typedef tiles<HIGH, WIDE> stage;
enum { SHARED = STAGES * sizeof(stage) };

static __device__ __forceinline__ void
produce(stage *t, barrier *full, barrier *empty, const CUtensorMap *a, const CUtensorMap *b, int m,
        int k, int n)
{
    int tiles_y = (m + HIGH - 1) / HIGH, tiles_x = (n + WIDE - 1) / WIDE, y, x;
    struct walk w = {};
    for (int tile = blockIdx.x; tile < tiles_y * tiles_x; tile += gridDim.x) {
        tiles_place(tile, tiles_y, tiles_x, &y, &x);
        for (int at = 0; at < k; at += DEPTH, walk_on<STAGES>(&w)) {
            barrier_wait(&empty[w.stage], w.phase ^ 1); /* at first: the phase before the first */
            tiles_bring(&t[w.stage], &full[w.stage], a, b, y * HIGH, x * WIDE, at);
        }
    }
}

static __device__ __forceinline__ void
consume(const stage *t, barrier *full, barrier *empty, float *c, int m, int k, int n)
{
    int tiles_y = (m + HIGH - 1) / HIGH, tiles_x = (n + WIDE - 1) / WIDE, y, x;
    int own = threadIdx.x / GROUP * 64;
    bool speaks = threadIdx.x % 32 == 0;
    struct walk w = {};
    for (int tile = blockIdx.x; tile < tiles_y * tiles_x; tile += gridDim.x) {
        float sum[WIDE / 2] = {};
        int last = -1;
        for (int at = 0; at < k; at += DEPTH, walk_on<STAGES>(&w)) {
            barrier_wait(&full[w.stage], w.phase);
            tiles_multiply(sum, &t[w.stage], own);
            wgmma_wait<1>();
            if (speaks && last >= 0)
                barrier_arrive(&empty[last]);
            last = w.stage;
        }
        wgmma_wait<0>();
        if (speaks && last >= 0)
            barrier_arrive(&empty[last]);
        tiles_place(tile, tiles_y, tiles_x, &y, &x);
        tiles_put(sum, c, y * HIGH + own, x * WIDE, m, n);
    }
}

__global__ void
__launch_bounds__(THREADS, 1)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c,
            int m, int k, int n)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ barrier full[STAGES], empty[STAGES];
    stage *t = (stage *)shared;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(&full[s], 1);
            barrier_init(&empty[s], WARPS);
        }
        fence_for_copies();
    }
    __syncthreads();
    if (threadIdx.x < WARPS * 32)
        consume(t, full, empty, c, m, k, n);
    else if (threadIdx.x == WARPS * 32)
        produce(t, full, empty, &a, &b, m, k, n);
}

static void
launch(const struct hgemm *p)
{
    int tiles = suite_div_up(p->n, WIDE) * suite_div_up(p->m, HIGH);
    int sms = hgemm_prepare(product, SHARED), blocks = tiles > sms ? sms : tiles;
    product<<<blocks, THREADS, SHARED>>>(hgemm_map_a(p, HIGH), hgemm_map_b(p), p->c, p->m, p->k,
                                         p->n);
}

int
main(int argc, char **argv)
{
    return hgemm_main("hgemm/roles", "a role for every warp", launch, argc, argv);
}
