/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 6 as a lecture's listing has it ("case 5" there). The mean leaves out the
 * element itself, (left + right) / 3, and the kernels write inner elements only: the first and last
 * element of the second array are read in the second launch, but nobody has ever set them.
 *
 * systems: A9
 * title: listing: the centre left out, edges of the second array never set
 * rung: 31
 * sizes: 17 100 200 1000 1537
 * check: 300
 * bench: 1537
 * expect: uninitialized leak
 * result: wrong
 */
#include "average.h"

__global__ void
filter(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        b[i] = (a[i - 1] + a[i + 1]) / 3;
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    static float *second; /* as cudaMalloc gives it: nothing in it is set */
    int blocks = suite_div_up(n, BLOCK);
    (void)b;
    if (!second)
        CHECK(cudaMalloc((void **)&second, n * sizeof *second));
    for (int j = 0; j < iterations; j += 2) {
        filter<<<blocks, BLOCK>>>(a, second, n);
        filter<<<blocks, BLOCK>>>(second, a, n);
    }
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case06_lecture",
        "listing: the centre left out, edges of the second array never set", 6, 0, launch};
    return average_main(&c, argc, argv);
}
