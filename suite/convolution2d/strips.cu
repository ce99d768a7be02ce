/* SPDX-License-Identifier: Apache-2.0
 *
 * 2-D convolution, the top rung: a thread walks down a strip four columns wide and RUN rows long.
 * Each row it loads is used for all five results it belongs to: their sums wait in registers. The
 * two words on either side come from the neighbouring lanes by shuffle. RUN + 4 rows are loaded for
 * RUN results.
 *
 * systems: B12
 * title: 5 x 5, strips of four columns in registers
 * from: 3.0
 * rung: 2
 * sizes: 0 1 17 100x33 259x130 260x132
 * check: 17 33x52
 * bench: 1000
 * gpu: 8192
 */
#include "convolution2d.h"

#ifndef RUN
#define RUN 16
#endif
#ifndef LANES
#define LANES 32
#endif
#ifndef HIGH
#define HIGH 4
#endif

enum { HAVE = 4 + 2 * SIDE };

static __device__ __forceinline__ void
load(float have[HAVE], const float *in, int x, int y, int width, int height)
{
    const float *at = in + (size_t)y * width + x;
    bool inside = y >= 0 && y < height;
    if (width % 4 == 0) { /* then a vector is inside the row or outside of it, as a whole */
        int lane = threadIdx.x % 32;
        float2 none = make_float2(0, 0), a = none, c = none;
        float4 b = inside && x < width ? *(const float4 *)at : make_float4(0, 0, 0, 0);
        if (lane == 0 && inside && x >= 4)
            a = *(const float2 *)(at - 2);
        if (lane == 31 && inside && x + 4 < width)
            c = *(const float2 *)(at + 4);
        float2 before =
            make_float2(__shfl_up_sync(0xffffffff, b.z, 1), __shfl_up_sync(0xffffffff, b.w, 1));
        float2 behind =
            make_float2(__shfl_down_sync(0xffffffff, b.x, 1), __shfl_down_sync(0xffffffff, b.y, 1));
        a = lane == 0 ? a : before;
        c = lane == 31 ? c : behind;
        have[0] = a.x, have[1] = a.y;
        have[2] = b.x, have[3] = b.y, have[4] = b.z, have[5] = b.w;
        have[6] = c.x, have[7] = c.y;
        return;
    }
#pragma unroll
    for (int k = 0; k < HAVE; k++)
        have[k] = inside && x + k >= SIDE && x + k - SIDE < width ? at[k - SIDE] : 0;
}

static __device__ __forceinline__ void
store(float *out, const float sum[4], int x, int y, int width)
{
    float *at = out + (size_t)y * width + x;
    if (width % 4 == 0)
        *(float4 *)at = make_float4(sum[0], sum[1], sum[2], sum[3]);
    else
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (x + k < width)
                at[k] = sum[k];
}

__global__ void
__launch_bounds__(LANES *HIGH) convolve(const float *in, float *out, int width, int height)
{
    int x = (blockIdx.x * LANES + threadIdx.x) * 4, top = (blockIdx.y * HIGH + threadIdx.y) * RUN;
    float sum[RUN][4] = {};
#pragma unroll
    for (int r = 0; r < RUN + 2 * SIDE; r++) {
        float have[HAVE];
        load(have, in, x, top + r - SIDE, width, height);
#pragma unroll
        for (int v = 0; v < WIDE; v++) {
            int to = r - v; /* the result that sees this row with the mask's row v */
            if (to >= 0 && to < RUN) {
#pragma unroll
                for (int u = 0; u < WIDE; u++) {
#pragma unroll
                    for (int k = 0; k < 4; k++)
                        sum[to][k] += have[k + u] * weights[v * WIDE + u];
                }
            }
        }
        if (r >= 2 * SIDE && top + r - 2 * SIDE < height && x < width)
            store(out, sum[r - 2 * SIDE], x, top + r - 2 * SIDE, width);
    }
}

static void
launch(const float *in, float *out, int width, int height)
{
    dim3 block(LANES, HIGH);
    dim3 grid(suite_div_up(width, 4 * LANES), suite_div_up(height, RUN * HIGH));
    convolve<<<grid, block>>>(in, out, width, height);
}

int
main(int argc, char **argv)
{
    return convolution2d_main("convolution2d/strips", "5 x 5, strips of four columns", launch, argc,
                              argv);
}
