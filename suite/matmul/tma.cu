/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product with tiles that no thread brings: a block's first thread asks the copy unit (TMA)
 * for a box of A and one of B, and an mbarrier learns when their bytes are there. The boxes'
 * addresses, their edges and the zeros beyond are in a tensor map, made by the host. STAGES pairs
 * of tiles are on their way while the block multiplies one.
 *
 * A's tile has rows of 128 bytes; read column by column they would all begin in bank 0. The copy
 * unit swizzles: vector v (16 bytes) of row r lies at v xor (r mod 8).
 *
 *      mbarrier full[s]:   expect 2 tiles ...... bytes come ...... phase over: all threads go on
 *      thread 0:           copies into stage s -------------->
 *      all threads:        multiply stage s - 1               | multiply stage s
 *
 * systems: A4 A6 F1
 * title: tiles by tensor copies (TMA) and mbarriers
 * needs: 9.0 tensor copies
 * rung: 12
 * sizes: 0 1 17 100 65x300x129 128x512x96
 * check: 17 50x33x70
 * bench: 512
 * gpu: 4096
 */
#include "../common/product.h"
#include "../common/tensor.h"

/* A block computes HIGH x WIDE elements; a thread ROWS rows that are THREADS_Y apart, and COLS
 * columns, four side by side. DEPTH of k at a time: rows of 128 bytes. */
enum { HIGH = 128, WIDE = 128, DEPTH = 32, ROWS = 8, COLS = 8, STAGES = 3 };
enum { THREADS_X = WIDE / COLS, THREADS_Y = HIGH / ROWS, THREADS = THREADS_X * THREADS_Y };

struct __align__(1024) stage
{
    float a[HIGH][DEPTH], b[DEPTH][WIDE];
};
enum { SHARED = STAGES * sizeof(struct stage) };

static __device__ __forceinline__ void
bring(struct stage *to, barrier *full, const CUtensorMap *a, const CUtensorMap *b, int row, int col,
      int at)
{
    barrier_expect(full, sizeof *to);
    tensor_load(to->a, a, at, row, full);
    tensor_load(to->b, b, col, at, full);
}

/* Four of k: vector k / 4 of rows of A, four rows of B. */
static __device__ __forceinline__ void
multiply(float sum[ROWS][COLS], const struct stage *tiles, int k, int x, int y)
{
    float4 a[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        int r = y + i * THREADS_Y;
        a[i] = *(const float4 *)&tiles->a[r][4 * (k / 4 ^ r % 8)];
    }
#pragma unroll
    for (int l = 0; l < 4; l++) {
#pragma unroll
        for (int j = 0; j < COLS; j += 4) {
            float4 b = *(const float4 *)&tiles->b[k + l][4 * x + j * THREADS_X];
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                float from_a = l == 0 ? a[i].x : l == 1 ? a[i].y : l == 2 ? a[i].z : a[i].w;
                sum[i][j] += from_a * b.x;
                sum[i][j + 1] += from_a * b.y;
                sum[i][j + 2] += from_a * b.z;
                sum[i][j + 3] += from_a * b.w;
            }
        }
    }
}

__global__ void
__launch_bounds__(THREADS)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c,
            int m, int k, int n)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ barrier full[STAGES];
    struct stage *tiles = (struct stage *)shared;
    int row = blockIdx.y * HIGH, col = blockIdx.x * WIDE;
    int x = threadIdx.x % THREADS_X, y = threadIdx.x / THREADS_X;
    int steps = (k + DEPTH - 1) / DEPTH;
    float sum[ROWS][COLS] = {};

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            barrier_init(&full[s], 1);
        fence_for_copies();
        for (int s = 0; s < STAGES && s < steps; s++)
            bring(&tiles[s], &full[s], &a, &b, row, col, s * DEPTH);
    }
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        int s = step % STAGES, next = step + STAGES;
        barrier_wait(&full[s], step / STAGES % 2);
#pragma unroll
        for (int l = 0; l < DEPTH; l += 4)
            multiply(sum, &tiles[s], l, x, y);
        __syncthreads(); /* all have read: the stage can be filled anew */
        if (threadIdx.x == 0 && next < steps)
            bring(&tiles[s], &full[s], &a, &b, row, col, next * DEPTH);
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int j = 0; j < COLS; j++) {
            int r = row + y + i * THREADS_Y, q = col + 4 * x + j / 4 * 4 * THREADS_X + j % 4;
            if (r < m && q < n)
                c[(size_t)r * n + q] = sum[i][j];
        }
    }
}

static float *room_a, *room_b; /* one each: all launches of a run have the same size */

static void
launch(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    (void)tile;
    size_t pitch_a, pitch_b;
    const float *at_a = suite_pitched(a, m, k, &room_a, &pitch_a);
    const float *at_b = suite_pitched(b, k, n, &room_b, &pitch_b);
    CUtensorMap map_a = suite_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, at_a, m, k, pitch_a, HIGH, DEPTH,
                                  CU_TENSOR_MAP_SWIZZLE_128B);
    CUtensorMap map_b = suite_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, at_b, k, n, pitch_b, DEPTH, WIDE,
                                  CU_TENSOR_MAP_SWIZZLE_NONE);
    dim3 grid(suite_div_up(n, WIDE), suite_div_up(m, HIGH));
    CHECK(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    product<<<grid, THREADS, SHARED>>>(map_a, map_b, c, m, k, n);
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/tma", "product with tensor copies", 0, 0, launch};
    int status = suite_product_main(&p, argc, argv);
    suite_free_device(room_a, room_b);
    return status;
}
