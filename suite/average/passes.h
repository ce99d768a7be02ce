/* SPDX-License-Identifier: Apache-2.0
 *
 * passes.h: the averaging filter's kernel of several iterations a pass: average/vectors.cu says how
 * it works; devices/filter.cu splits it over GPUs.
 */
#ifndef AVERAGE_PASSES_H
#define AVERAGE_PASSES_H

#include "average.h"

#ifndef EACH
#define EACH 16 /* elements a lane, and the most iterations a pass: a power of two */
#endif
#ifndef WARPS
#define WARPS 4
#endif

enum { PIECE = 32 * EACH, INNER = PIECE - 2 * EACH, PARTS = EACH / 4 };

/* Where vector k of a piece lies: lanes reading their own PARTS vectors, and lanes reading
 * neighbouring ones, both touch all banks. */
static __device__ __forceinline__ int
place(int k)
{
    return k ^ (k / 8 & (PARTS < 8 ? PARTS - 1 : 7));
}

static __device__ __forceinline__ float4
load(const float *in, int i, int n)
{
    if (i >= 0 && i + 4 <= n)
        return *(const float4 *)(in + i);
    float4 v = make_float4(0, 0, 0, 0);
    v.x = i >= 0 && i < n ? in[i] : 0;
    v.y = i + 1 >= 0 && i + 1 < n ? in[i + 1] : 0;
    v.z = i + 2 >= 0 && i + 2 < n ? in[i + 2] : 0;
    v.w = i + 3 >= 0 && i + 3 < n ? in[i + 3] : 0;
    return v;
}

static __device__ __forceinline__ void
store(float *out, int i, int n, float4 v, float scale)
{
    v = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
    if (i + 4 <= n) {
        *(float4 *)(out + i) = v;
        return;
    }
    if (i < n)
        out[i] = v.x;
    if (i + 1 < n)
        out[i + 1] = v.y;
    if (i + 2 < n)
        out[i + 2] = v.z;
}

/* One iteration of sums; ENDS: the piece holds the array's first or last element, which stay (their
 * factor is applied later, so that here they grow like the others). */
template <bool ENDS>
static __device__ __forceinline__ void
iterate(float a[EACH], int first, int n)
{
    float left = __shfl_up_sync(0xffffffff, a[EACH - 1], 1);
    float beyond = __shfl_down_sync(0xffffffff, a[0], 1);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        float right = k + 1 < EACH ? a[k + 1] : beyond, own = a[k];
        a[k] = left + own + right;
        if (ENDS && (first + k <= 0 || first + k >= n - 1))
            a[k] = 3 * own;
        left = own;
    }
}

template <int ITERATIONS, bool ENDS>
static __device__ __forceinline__ void
filter_piece(float4 *piece, int first, int n)
{
    float a[EACH];
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        float4 v = piece[place(lane * PARTS + k)];
        a[4 * k] = v.x, a[4 * k + 1] = v.y, a[4 * k + 2] = v.z, a[4 * k + 3] = v.w;
    }
#pragma unroll
    for (int i = 0; i < ITERATIONS; i++)
        iterate<ENDS>(a, first + lane * EACH, n);
#pragma unroll
    for (int k = 0; k < PARTS; k++)
        piece[place(lane * PARTS + k)] =
            make_float4(a[4 * k], a[4 * k + 1], a[4 * k + 2], a[4 * k + 3]);
}

template <int ITERATIONS>
__global__ void __launch_bounds__(32 * WARPS)
    filter(float *out, const float *in, int n, float scale)
{
    __shared__ float4 pieces[WARPS][PIECE / 4];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int inner = (blockIdx.x * WARPS + warp) * INNER, first = inner - EACH;
    float4 *piece = pieces[warp];
    if (inner >= n)
        return;
#pragma unroll
    for (int k = lane; k < PIECE / 4; k += 32)
        piece[place(k)] = load(in, first + 4 * k, n);
    __syncwarp();
    if (first > 0 && first + PIECE < n)
        filter_piece<ITERATIONS, false>(piece, first, n);
    else
        filter_piece<ITERATIONS, true>(piece, first, n);
    __syncwarp();
#pragma unroll
    for (int k = lane; k < INNER / 4; k += 32)
        store(out, inner + 4 * k, n, piece[place(k + PARTS)], scale);
}

/* As many iterations in one pass as fit, at most `left`; returns how many. */
template <int ITERATIONS>
static int
pass(float *out, const float *in, int n, int left, cudaStream_t stream)
{
    if (left < ITERATIONS)
        return pass < ITERATIONS / 2 ? ITERATIONS / 2 : 1 > (out, in, n, left, stream);
    filter<ITERATIONS><<<suite_div_up(n, INNER * WARPS), 32 * WARPS, 0, stream>>>(
        out, in, n, (float)(1 / pow(3, ITERATIONS)));
    return ITERATIONS;
}

#endif
