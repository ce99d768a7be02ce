/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 5 done naively: one launch, in place, a barrier between reading and
 * writing. The barrier holds one block; the first and last element of a block are read by its
 * neighbours, and whether they are read before or after they are overwritten nobody knows.
 *
 * systems: A9
 * title: in place across blocks with a barrier only
 * rung: 30
 * sizes: 17 100 200 1000 1537
 * check: 300
 * bench: 1537
 * expect: global-race
 * result: either
 */
#include "average.h"

__global__ void
filter(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool inner = i > 0 && i < n - 1;
    float value = 0;
    if (inner)
        value = mean(a[i - 1], a[i], a[i + 1]);
    __syncthreads();
    if (inner)
        a[i] = value;
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    (void)b;
    (void)iterations;
    filter<<<suite_div_up(n, BLOCK), BLOCK>>>(a, n);
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {"average/case05_wrong",
                                   "in place across blocks with a barrier only", 5, 0, launch};
    return average_main(&c, argc, argv);
}
