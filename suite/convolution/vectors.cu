/* SPDX-License-Identifier: Apache-2.0
 *
 * 1-D convolution, the top rung: a lane brings one vector of four words and computes the four
 * results there; what it needs of the vectors on either side comes from the neighbouring lanes by
 * shuffle, for a warp's outermost lanes from memory. No tile, no barrier, each word loaded once
 * (and some a warp twice). The mask's width is known when it is compiled (a kernel for each), so
 * that all loops unroll and the weights are operands in constant memory.
 *
 * systems: B12
 * title: vectors of four, neighbours by shuffle, the mask's width known
 * since: 3.0 shuffles
 * rung: 6
 * sizes: 7 0 1 16 100 1000 100003
 * check: 7 300
 * bench: 1000000
 * gpu: 268435456 --mask 9
 */
#include "constant_mask.h"

#ifndef EACH
#define EACH 1 /* vectors a thread */
#endif

static __device__ __forceinline__ float4
load(const float *in, int i, int n)
{
    if (i >= 0 && i + 4 <= n)
        return *(const float4 *)(in + i);
    float4 v = make_float4(0, 0, 0, 0);
    if (i >= 0 && i < n)
        v.x = in[i];
    if (i >= 0 && i + 1 < n)
        v.y = in[i + 1];
    if (i >= 0 && i + 2 < n)
        v.z = in[i + 2];
    return v;
}

/* The vector `step` lanes away (negative: before); where that is another warp's, from memory. */
static __device__ __forceinline__ float4
beside(float4 v, int step, const float *in, int i, int n)
{
    int lane = threadIdx.x % 32;
    float4 r;
    r.x = __shfl_sync(0xffffffff, v.x, lane + step);
    r.y = __shfl_sync(0xffffffff, v.y, lane + step);
    r.z = __shfl_sync(0xffffffff, v.z, lane + step);
    r.w = __shfl_sync(0xffffffff, v.w, lane + step);
    if (lane + step < 0 || lane + step > 31)
        r = load(in, i + 4 * step, n);
    return r;
}

template <int SIDE>
__global__ void
__launch_bounds__(TILE) convolve(const float *in, float *out, int n)
{
    enum { PARTS = (SIDE + 3) / 4, HALO = 4 * PARTS };
    int first = (blockIdx.x * EACH * TILE + threadIdx.x) * 4;
    float4 own[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        own[e] = load(in, first + e * 4 * TILE, n);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int at = first + e * 4 * TILE;
        float have[4 + 2 * HALO], sum[4] = {};
#pragma unroll
        for (int p = -PARTS; p <= PARTS; p++) {
            float4 v = p ? beside(own[e], p, in, at, n) : own[e];
            float *to = have + HALO + 4 * p;
            to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
        }
#pragma unroll
        for (int j = 0; j <= 2 * SIDE; j++) {
#pragma unroll
            for (int r = 0; r < 4; r++)
                sum[r] += have[HALO - SIDE + r + j] * mask_constant[j];
        }
        if (at + 4 <= n)
            *(float4 *)(out + at) = make_float4(sum[0], sum[1], sum[2], sum[3]);
        else
            for (int r = 0; r < 3; r++)
                if (at + r < n)
                    out[at + r] = sum[r];
    }
}

template <int SIDE>
static void
launch_side(int side, const float *in, float *out, int n)
{
    if (side == SIDE)
        convolve<SIDE><<<suite_div_up(n, 4 * EACH * TILE), TILE>>>(in, out, n);
    else if (SIDE > 0)
        launch_side<SIDE ? SIDE - 1 : 0>(side, in, out, n);
}

static void
launch(const float *in, const float *mask, float *out, int wide, int n)
{
    (void)mask;
    launch_side<MOST_MASK / 2>(wide / 2, in, out, n);
}

int
main(int argc, char **argv)
{
    const struct convolution c = {"convolution/vectors", "vectors of four, neighbours by shuffle",
                                  set_mask, launch};
    return convolution_main(&c, argc, argv);
}
