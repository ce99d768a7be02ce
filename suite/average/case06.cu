/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 6: different arrays, many iterations, many blocks, global memory: one
 * launch an iteration, the arrays changing places. (A slide shows this case as "case 5".)
 *
 * systems: A9
 * title: global memory, many blocks, many iterations, two arrays
 * rung: 7
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 * gpu: 268435456 --iterations 4
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
    for (int j = 0; j < iterations; j++) {
        filter<<<suite_div_up(n, BLOCK), BLOCK>>>(a, b, n);
        float *swap = a;
        a = b;
        b = swap;
    }
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case06", "global memory, many blocks, many iterations, two arrays", 6, 0, launch};
    return average_main(&c, argc, argv);
}
