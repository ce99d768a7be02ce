/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 4: different arrays, one iteration, many blocks, global memory: one thread
 * an element, and nothing to wait for.
 *
 * systems: A9
 * title: global memory, many blocks, one iteration, two arrays
 * rung: 5
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 * gpu: 268435456
 */
#include "average.h"

__global__ void
filter(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = i > 0 && i < n - 1 ? mean(a[i - 1], a[i], a[i + 1]) : a[i];
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    (void)iterations;
    filter<<<suite_div_up(n, BLOCK), BLOCK>>>(a, b, n);
    return b;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case04", "global memory, many blocks, one iteration, two arrays", 4, 0, launch};
    return average_main(&c, argc, argv);
}
