/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 0: different arrays, one iteration, one block, global memory. One block
 * walks the array in strides of its threads; nothing is written that is read: no barrier.
 *
 * systems: A9
 * title: global memory, one block, one iteration, two arrays
 * rung: 1
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 */
#include "average.h"

__global__ void
filter(const float *a, float *b, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        b[i] = i > 0 && i < n - 1 ? mean(a[i - 1], a[i], a[i + 1]) : a[i];
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    (void)iterations;
    filter<<<1, BLOCK>>>(a, b, n);
    return b;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case00", "global memory, one block, one iteration, two arrays", 0, 0, launch};
    return average_main(&c, argc, argv);
}
