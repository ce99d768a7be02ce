/* SPDX-License-Identifier: Apache-2.0
 *
 * Ten nearest neighbours, the top rung: candidates through shared memory, four at a time, and the
 * ten touched only when the nearest of the four is nearer than the tenth: after the first few
 * candidates that is rare, so that a candidate costs its distance and a quarter of a comparison
 * instead of twenty minima and maxima.
 *
 * systems: D1
 * title: four candidates at a time, the ten touched only when one is near enough
 * rung: 4
 * sizes: 0 1 17x5 100 1000x257 1x1000
 * check: 17x40
 * bench: 1000
 * gpu: 65536
 */
#include "nearest.h"

enum { GROUP = 4 };

static __device__ __forceinline__ void
insert(float kept[KEPT], float d)
{
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        float smaller = fminf(kept[k], d);
        d = fmaxf(kept[k], d);
        kept[k] = smaller;
    }
}

__global__ void
nearest(const float2 *p, int p_count, const float2 *q, int q_count, float *out)
{
    __shared__ float2 s[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float2 own = i < p_count ? p[i] : make_float2(0, 0);
    float kept[KEPT];
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        kept[k] = FAR;
    for (int at = 0; at < q_count; at += BLOCK) {
        int count = min(BLOCK, q_count - at);
        float2 far = make_float2(FAR, FAR); /* at an infinite distance, which is kept by none */
        s[threadIdx.x] = threadIdx.x < count ? q[at + threadIdx.x] : far;
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < count; j += GROUP) {
            float d[GROUP];
#pragma unroll
            for (int g = 0; g < GROUP; g++)
                d[g] = distance2(own, s[j + g]);
            if (fminf(fminf(d[0], d[1]), fminf(d[2], d[3])) < kept[KEPT - 1]) {
#pragma unroll
                for (int g = 0; g < GROUP; g++)
                    insert(kept, d[g]);
            }
        }
        __syncthreads();
    }
    if (i >= p_count)
        return;
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        out[(size_t)i * KEPT + k] = kept[k];
}

int
main(int argc, char **argv)
{
    return nearest_main("nearest/ahead", "four candidates at a time", argc, argv);
}
