/* SPDX-License-Identifier: Apache-2.0
 *
 * 2-D convolution, the top rung: a thread walks down a strip four columns wide and RUN rows long.
 * Each row it loads (a vector and two words on either side) is used for all five results it belongs
 * to: their sums wait in registers. RUN + 4 rows are loaded for RUN results; what neighbouring
 * threads share comes out of L1. Results are stored past the caches (they are not read again).
 *
 * systems: B12
 * title: 5 x 5, strips of four columns in registers
 * since: 2.0 loads and stores with hints to the caches
 * rung: 2
 * sizes: 0 1 17 100x33 259x130 260x132
 * check: 17 33x52
 * bench: 1000
 * gpu: 8192
 */
#include "convolution2d.h"

#ifndef PER_SM
#define PER_SM 4 /* blocks, for which registers are kept: 0.138 ms on an H200 instead of 0.172 */
#endif
#ifndef RUN
#define RUN 4
#endif
#ifndef LANES
#define LANES 32
#endif
#ifndef HIGH
#define HIGH 8
#endif

enum { HAVE = 4 + 2 * SIDE };

/* INNER: all of it is inside. WIDE: the width is a multiple of 4, so that a vector is inside the
 * row or outside of it as a whole. What is outside is read from the nearest place inside and then
 * counted as 0: a load that is always done can be done early. */
template <bool WIDE, bool INNER>
static __device__ __forceinline__ void
load(float have[HAVE], const float *__restrict__ in, int x, int y, int width, int height)
{
    bool inside = y >= 0 && y < height;
    const float *row = in + (size_t)min(max(y, 0), height - 1) * width;
    if (INNER) {
        row = in + (size_t)y * width;
        float2 a = *(const float2 *)(row + x - 2);
        float4 b = *(const float4 *)(row + x);
        float2 c = *(const float2 *)(row + x + 4);
        have[0] = a.x, have[1] = a.y, have[2] = b.x, have[3] = b.y;
        have[4] = b.z, have[5] = b.w, have[6] = c.x, have[7] = c.y;
        return;
    }
    if (WIDE) {
        bool left = inside && x >= 4, right = inside && x + 4 < width;
        float2 a = *(const float2 *)(row + (x >= 4 ? x - 2 : 0));
        float4 b = *(const float4 *)(row + x);
        float2 c = *(const float2 *)(row + (x + 4 < width ? x + 4 : 0));
        have[0] = left ? a.x : 0, have[1] = left ? a.y : 0;
        have[2] = inside ? b.x : 0, have[3] = inside ? b.y : 0;
        have[4] = inside ? b.z : 0, have[5] = inside ? b.w : 0;
        have[6] = right ? c.x : 0, have[7] = right ? c.y : 0;
        return;
    }
#pragma unroll
    for (int k = 0; k < HAVE; k++) {
        int from = x + k - SIDE;
        have[k] = inside && from >= 0 && from < width ? row[from] : 0;
    }
}

template <bool WIDE>
static __device__ __forceinline__ void
store(float *__restrict__ out, const float sum[4], int x, int y, int width)
{
    float *at = out + (size_t)y * width + x;
    if (WIDE)
        __stcs((float4 *)at, make_float4(sum[0], sum[1], sum[2], sum[3]));
    else
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (x + k < width)
                at[k] = sum[k];
}

template <bool WIDE, bool INNER>
static __device__ __forceinline__ void
strip(const float *__restrict__ in, float *__restrict__ out, int x, int top, int width, int height)
{
    float sum[RUN][4] = {};
#pragma unroll
    for (int r = 0; r < RUN + 2 * SIDE; r++) {
        float have[HAVE];
        load<WIDE, INNER>(have, in, x, top + r - SIDE, width, height);
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
        if (r >= 2 * SIDE && (INNER || top + r - 2 * SIDE < height))
            store<WIDE>(out, sum[r - 2 * SIDE], x, top + r - 2 * SIDE, width);
    }
}

template <bool WIDE>
__global__ void
__launch_bounds__(LANES *HIGH, PER_SM)
    convolve(const float *__restrict__ in, float *__restrict__ out, int width, int height)
{
    int x = (blockIdx.x * LANES + threadIdx.x) * 4, top = (blockIdx.y * HIGH + threadIdx.y) * RUN;
    if (x >= width)
        return;
    int left = blockIdx.x * LANES * 4;
    if (WIDE && left >= 4 && left + LANES * 4 + 4 <= width && top >= SIDE &&
        top + RUN + SIDE <= height)
        strip<WIDE, true>(in, out, x, top, width, height);
    else
        strip<WIDE, false>(in, out, x, top, width, height);
}

static void
launch(const float *in, float *out, int width, int height)
{
    dim3 block(LANES, HIGH);
    dim3 grid(suite_div_up(width, 4 * LANES), suite_div_up(height, RUN * HIGH));
    if (width % 4 == 0)
        convolve<true><<<grid, block>>>(in, out, width, height);
    else
        convolve<false><<<grid, block>>>(in, out, width, height);
}

int
main(int argc, char **argv)
{
    return convolution2d_main("convolution2d/strips", "5 x 5, strips of four columns", launch, argc,
                              argv);
}
