/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 8: different arrays, one iteration, one block, with shared memory. A
 * lecture calls this a useless copy. It is one where a cache serves the three reads of an element
 * anyway (from 2.0 on); before, it spares two of three loads from global memory.
 *
 * systems: A9
 * title: shared memory, one block, one iteration, two arrays
 * rung: 9
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 */
#include "average.h"

__global__ void
filter(const float *a, float *b, int n)
{
    __shared__ float at[BLOCK + 2]; /* a chunk and its two neighbours */
    for (int first = 0; first < n; first += BLOCK) {
        int t = threadIdx.x, i = first + t;
        if (i < n)
            at[t + 1] = a[i];
        if (t == 0)
            at[0] = first > 0 ? a[first - 1] : 0;
        if (t == BLOCK - 1)
            at[BLOCK + 1] = i + 1 < n ? a[i + 1] : 0;
        __syncthreads();
        if (i < n)
            b[i] = i > 0 && i < n - 1 ? mean(at[t], at[t + 1], at[t + 2]) : at[t + 1];
        __syncthreads();
    }
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
        "average/case08", "shared memory, one block, one iteration, two arrays", 8, 0, launch};
    return average_main(&c, argc, argv);
}
