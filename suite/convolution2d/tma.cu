/* SPDX-License-Identifier: Apache-2.0
 *
 * 2-D convolution with a tile and its halo as one box of a tensor copy. The box begins two rows
 * above the tile and four columns left of it (boxes begin at multiples of 16 bytes), outside of the
 * picture at its edges: the copy unit puts zeros there, which is what counts outside. So there is
 * no halo to be brought by some of the threads, and no edge. A thread computes RUN rows of four
 * columns.
 *
 * systems: B12 F1
 * title: 5 x 5, a tile with its halo as one tensor copy
 * needs: 9.0 tensor copies
 * rung: 3
 * sizes: 0 1 17 100x33 259x130 260x132
 * check: 17 33x52
 * bench: 1000
 * gpu: 8192
 */
#include "convolution2d.h"

#include "../common/tensor.h"

enum { WIDE = 64, HIGH = 64, RUN = 8, MARGIN = 4, LANES = WIDE / 4, THREADS = LANES * HIGH / RUN };

__global__ void
__launch_bounds__(THREADS)
    convolve(const __grid_constant__ CUtensorMap in, float *out, int width, int height)
{
    __shared__ __align__(128) float tile[HIGH + 2 * SIDE][WIDE + 2 * MARGIN];
    __shared__ barrier full;
    int left = blockIdx.x * WIDE, top = blockIdx.y * HIGH;
    int x = threadIdx.x % LANES * 4, y = threadIdx.x / LANES * RUN;
    float sum[RUN][4] = {};

    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        fence_for_copies();
        barrier_expect(&full, sizeof tile);
        tensor_load(tile, &in, left - MARGIN, top - SIDE, &full);
    }
    __syncthreads();
    barrier_wait(&full, 0);
#pragma unroll
    for (int r = 0; r < RUN + 2 * SIDE; r++) {
        const float *row = &tile[y + r][x + MARGIN];
        float2 p = *(const float2 *)(row - 2), q = *(const float2 *)(row + 4);
        float4 mid = *(const float4 *)row;
        float have[8] = {p.x, p.y, mid.x, mid.y, mid.z, mid.w, q.x, q.y};
#pragma unroll
        for (int v = 0; v < TAPS; v++) {
            int to = r - v; /* the result that sees this row with the mask's row v */
            if (to >= 0 && to < RUN) {
#pragma unroll
                for (int u = 0; u < TAPS; u++) {
#pragma unroll
                    for (int k = 0; k < 4; k++)
                        sum[to][k] += have[k + u] * weights[v * TAPS + u];
                }
            }
        }
    }
#pragma unroll
    for (int r = 0; r < RUN; r++) {
        int column = left + x, row = top + y + r;
        float *to = out + (size_t)row * width + column;
        if (row < height && column + 3 < width && width % 4 == 0)
            __stcs((float4 *)to, make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]));
        else
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (row < height && column + k < width)
                    to[k] = sum[r][k];
    }
}

static float *room; /* one: all launches of a run have the same size */

static void
launch(const float *in, float *out, int width, int height)
{
    size_t pitch;
    const float *from = suite_pitched(in, height, width, &room, &pitch);
    CUtensorMap map = suite_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, from, height, width, pitch,
                                HIGH + 2 * SIDE, WIDE + 2 * MARGIN, CU_TENSOR_MAP_SWIZZLE_NONE);
    dim3 grid(suite_div_up(width, WIDE), suite_div_up(height, HIGH));
    convolve<<<grid, THREADS>>>(map, out, width, height);
}

int
main(int argc, char **argv)
{
    int status = convolution2d_main(
        "convolution2d/tma", "5 x 5, a tile and halo as one tensor copy", launch, argc, argv);
    CHECK(cudaFree(room));
    return status;
}
