/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 10 as a lecture's listing has it: the barriers stand inside the branch
 * that the first and the last thread do not take. These threads arrive at the barrier behind the
 * loop, the others at the first one inside: threads of one block wait at different barriers. And
 * the mean leaves out the centre.
 *
 * systems: A9
 * title: listing: barriers inside a branch, the centre left out
 * rung: 32
 * sizes: 17 33 100 200 256
 * check: 100
 * bench: 256
 * expect: barrier-divergence
 * result: either
 */
#include "average.h"

__global__ void
filter(float *a, float *b, int n, int iterations)
{
    __shared__ float first[256], second[256];
    int i = threadIdx.x;
    first[i] = a[i];
    second[i] = b[i];
    __syncthreads();
    for (int j = 0; j < iterations; j += 2) {
        if (i > 0 && i < n - 1) {
            second[i] = (first[i - 1] + first[i + 1]) / 3;
            __syncthreads();
            first[i] = (second[i - 1] + second[i + 1]) / 3;
            __syncthreads();
        }
    }
    __syncthreads();
    a[i] = first[i];
    b[i] = second[i];
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    CHECK(cudaMemcpy(b, a, n * sizeof *a, cudaMemcpyDeviceToDevice));
    filter<<<1, n>>>(a, b, n, iterations);
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {"average/case10_lecture",
                                   "listing: barriers inside a branch, the centre left out", 10,
                                   256, launch};
    return average_main(&c, argc, argv);
}
