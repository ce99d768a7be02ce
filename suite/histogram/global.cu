/* SPDX-License-Identifier: Apache-2.0
 *
 * Histogram of bytes with atomics in global memory: as many as bytes, on 256 words.
 *
 * systems: D7
 * title: atomics in global memory
 * since: 1.1 atomics in global memory
 * rung: 1
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 * gpu: 268435456
 */
#include "histogram.h"

enum { BLOCK = 256 };

__global__ void
count(const unsigned char *in, unsigned *bins, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i]], 1u);
}

static void
launch(const unsigned char *in, unsigned *bins, int n)
{
    count<<<suite_div_up(n, BLOCK), BLOCK>>>(in, bins, n);
}

int
main(int argc, char **argv)
{
    return histogram_main("histogram/global", "atomics in global memory", launch, argc, argv);
}
