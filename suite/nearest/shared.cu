/* SPDX-License-Identifier: Apache-2.0
 *
 * Ten nearest neighbours, the ten in registers and the candidates brought into shared memory a
 * block's worth at a time: each is loaded once a block instead of once a thread, and all lanes read
 * the same one: a broadcast.
 *
 * systems: D1
 * title: the ten in registers, candidates through shared memory
 * rung: 3
 * sizes: 0 1 17x5 100 1000x257 1x1000
 * check: 17x40
 * bench: 1000
 * gpu: 65536
 */
#include "nearest.h"

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
        if (threadIdx.x < count)
            s[threadIdx.x] = q[at + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < count; j++) {
            float d = distance2(own, s[j]);
#pragma unroll
            for (int k = 0; k < KEPT; k++) {
                float smaller = fminf(kept[k], d);
                d = fmaxf(kept[k], d);
                kept[k] = smaller;
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
    return nearest_main("nearest/shared", "ten nearest neighbours, registers and shared memory",
                        argc, argv);
}
