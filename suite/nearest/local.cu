/* SPDX-License-Identifier: Apache-2.0
 *
 * Ten nearest neighbours with a plain insertion: where a distance goes depends on the data, so that
 * the array of ten is indexed by what the compiler cannot know. It lies in local memory: device
 * memory of the thread's own, slow where caches do not help. (The lecture's listing leaves the
 * insertion out.)
 *
 * systems: D1
 * title: the ten kept in local memory
 * rung: 1
 * sizes: 0 1 17x5 100 1000x257 1x1000
 * check: 17x40
 * bench: 1000
 * gpu: 65536
 */
#include "nearest.h"

__global__ void
nearest(const float2 *p, int p_count, const float2 *q, int q_count, float *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= p_count)
        return;
    float2 own = p[i];
    float kept[KEPT];
    int count = 0;
    for (int j = 0; j < q_count; j++) {
        float d = distance2(own, q[j]);
        if (count == KEPT && d >= kept[KEPT - 1])
            continue;
        int at = count < KEPT ? count++ : KEPT - 1;
#pragma unroll 1
        for (; at > 0 && kept[at - 1] > d; at--)
            kept[at] = kept[at - 1];
        kept[at] = d;
    }
#pragma unroll 1
    for (int k = 0; k < KEPT; k++)
        out[(size_t)i * KEPT + k] = k < count ? kept[k] : FAR;
}

int
main(int argc, char **argv)
{
    return nearest_main("nearest/local", "ten nearest neighbours, local memory", argc, argv);
}
