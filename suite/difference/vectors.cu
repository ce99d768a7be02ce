/* SPDX-License-Identifier: Apache-2.0
 *
 * Forward difference, the top rung: EACH vectors of four words a thread, all asked for before the
 * first is used; the word behind a vector comes from the next lane's registers, for the last lane
 * from memory (it is in the line that the next warp loads anyway).
 *
 * systems: D2
 * title: vectors of four, neighbours by shuffle
 * since: 3.0 shuffles
 * rung: 5
 * sizes: 0 1 17 128 1000 4096 100003
 * check: 17 300 1024
 * gpu: 268435456
 */
#include "difference.h"

#ifndef EACH
#define EACH 1
#endif
#ifndef THREADS
#define THREADS 256
#endif

static __device__ __forceinline__ void
difference_edge(float *result, const float *input, int i, int n)
{
    for (int k = i; k < i + 4 && k < n; k++)
        result[k] = k + 1 < n ? input[k + 1] - input[k] : 0;
}

__global__ void
__launch_bounds__(THREADS) difference(float *result, const float *input, int n)
{
    int lane = threadIdx.x % 32, first = (blockIdx.x * EACH * THREADS + threadIdx.x) * 4;
    if (blockIdx.x * EACH * THREADS * 4 + EACH * THREADS * 4 >= n) { /* the last block */
        for (int j = 0; j < EACH; j++)
            difference_edge(result, input, first + j * THREADS * 4, n);
        return;
    }
    float4 v[EACH];
    float next[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        v[j] = *(const float4 *)(input + first + j * THREADS * 4);
        next[j] = lane == 31 ? input[first + j * THREADS * 4 + 4] : 0;
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        float from = __shfl_down_sync(0xffffffff, v[j].x, 1);
        float last = lane == 31 ? next[j] : from;
        *(float4 *)(result + first + j * THREADS * 4) =
            make_float4(v[j].y - v[j].x, v[j].z - v[j].y, v[j].w - v[j].z, last - v[j].w);
    }
}

static void
launch(float *result, const float *input, int n)
{
    difference<<<suite_div_up(n, 4 * EACH * THREADS), THREADS>>>(result, input, n);
}

int
main(int argc, char **argv)
{
    return difference_main("difference/vectors", "forward difference, vectors of four",
                           1.25 * BLOCK, launch, argc, argv);
}
