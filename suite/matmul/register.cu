/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product, third rung: each thread computes ROWS x COLS elements of C in registers. What it
 * reads from shared memory now serves several multiply-adds: ROWS + COLS loads for ROWS * COLS of
 * them, where the tiled rung needs two for one. Shared memory stops being the limit.
 *
 * A block is WARPS warps of 32 threads. Warp w owns ROWS rows of the block's tile, lane l the
 * columns l, l + 32, ...: the lanes of a warp read neighbouring words of B's tile (no bank
 * conflict) and the same word of A's tile (a broadcast).
 *
 *            32 * COLS columns
 *          +--------------------+
 *   warp 0 | ROWS rows          |   lane l: columns l, l + 32, ...
 *   warp 1 | ROWS rows          |
 *     ...  |                    |
 *          +--------------------+
 *
 * systems: A6
 * title: register blocking: 8 x 2 elements a thread
 * rung: 9
 * sizes: 0 1 17 100 1000 65x300x129
 * check: 17 50x33x70
 * bench: 512
 * gpu: 4096
 */
#include "../common/product.h"

/* 6 x 2 sums a lane: on a CPU with 32 vector registers a warp's sums, B's words and one of A's stay
 * in registers (24 + 4 + 1); 8 x 2 do not (75 against 55 GFLOP/s). */
#ifndef ROWS
#define ROWS 6
#endif
#ifndef COLS
#define COLS 2
#endif
#ifndef WARPS
#define WARPS 8
#endif
#ifndef DEPTH
#define DEPTH 32
#endif

enum { LANES = 32, THREADS = LANES * WARPS, HIGH = WARPS * ROWS, WIDE = LANES * COLS };

__global__ void
__launch_bounds__(THREADS) product(const float *a, const float *b, float *c, int m, int k, int n)
{
    __shared__ float tile_a[HIGH][DEPTH];
    __shared__ float tile_b[DEPTH][WIDE];
    int lane = threadIdx.x, warp = threadIdx.y;
    int first_row = blockIdx.y * HIGH, first_col = blockIdx.x * WIDE;
    float sum[ROWS][COLS] = {};

    for (int at = 0; at < k; at += DEPTH) {
        /* The tile of A row by row, DEPTH words each; the tile of B likewise, WIDE words each. */
#pragma unroll
        for (int i = 0; i < HIGH * DEPTH; i += THREADS) {
            int y = (i + warp * LANES + lane) / DEPTH, x = lane % DEPTH;
            int row = first_row + y, col = at + x;
            if (y < HIGH)
                tile_a[y][x] = row < m && col < k ? a[(size_t)row * k + col] : 0;
        }
#pragma unroll
        for (int y = warp; y < DEPTH; y += WARPS) {
#pragma unroll
            for (int j = 0; j < COLS; j++) {
                int x = lane + j * LANES, row = at + y, col = first_col + x;
                tile_b[y][x] = row < k && col < n ? b[(size_t)row * n + col] : 0;
            }
        }
        __syncthreads();
#pragma unroll
        for (int l = 0; l < DEPTH; l++) {
            float from_b[COLS];
#pragma unroll
            for (int j = 0; j < COLS; j++)
                from_b[j] = tile_b[l][lane + j * LANES];
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                float from_a = tile_a[warp * ROWS + i][l];
#pragma unroll
                for (int j = 0; j < COLS; j++)
                    sum[i][j] += from_a * from_b[j];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int j = 0; j < COLS; j++) {
            int row = first_row + warp * ROWS + i, col = first_col + lane + j * LANES;
            if (row < m && col < n)
                c[(size_t)row * n + col] = sum[i][j];
        }
    }
}

int
main(int argc, char **argv)
{
    static_assert(LANES % DEPTH == 0, "a warp brings whole rows of the tile of A");
    const struct suite_product p = {"matmul/register", "register-blocked product", 0, 0,
                                    suite_product_blocks<product, LANES, WARPS, WIDE, HIGH>};
    return suite_product_main(&p, argc, argv);
}
