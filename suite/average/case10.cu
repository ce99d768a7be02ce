/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 10: different arrays, many iterations, one block, with shared memory. Each
 * element comes from global memory once and goes back once, however many iterations there are. The
 * barrier stands where all threads pass: a listing of this case has it inside a branch
 * (case10_lecture).
 *
 * systems: A9
 * title: shared memory, one block, many iterations, two arrays
 * rung: 11
 * sizes: 0 1 17 100 1000 1537
 * check: 17 300
 * bench: 1537
 */
#include "average.h"

/* The whole array in shared memory, twice: read from one half, written to the other. */
__global__ void
filter(const float *a, float *b, int n, int iterations)
{
    extern __shared__ float shared[];
    float *from = shared, *to = shared + n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        from[i] = a[i];
    __syncthreads();
    for (int j = 0; j < iterations; j++) {
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            to[i] = i > 0 && i < n - 1 ? mean(from[i - 1], from[i], from[i + 1]) : from[i];
        __syncthreads();
        float *swap = from;
        from = to;
        to = swap;
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        b[i] = from[i];
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    filter<<<1, BLOCK, 2 * n * sizeof(float)>>>(a, b, n, iterations);
    return b;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {"average/case10",
                                   "shared memory, one block, many iterations, two arrays", 10,
                                   2000, launch};
    return average_main(&c, argc, argv);
}
