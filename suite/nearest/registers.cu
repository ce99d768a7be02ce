/* SPDX-License-Identifier: Apache-2.0
 *
 * Ten nearest neighbours with all indices known: every new distance passes all ten places, and each
 * place keeps the smaller of the two. Unrolled, each place is a register; no local memory is used.
 * More arithmetic, no branches.
 *
 * systems: D1
 * title: the ten kept in registers
 * rung: 2
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
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        kept[k] = FAR;
    for (int j = 0; j < q_count; j++) {
        float d = distance2(own, q[j]);
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            float smaller = fminf(kept[k], d);
            d = fmaxf(kept[k], d);
            kept[k] = smaller;
        }
    }
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        out[(size_t)i * KEPT + k] = kept[k];
}

int
main(int argc, char **argv)
{
    return nearest_main("nearest/registers", "ten nearest neighbours, registers", argc, argv);
}
