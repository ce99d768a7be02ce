/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 9: the same array, one iteration, one block, with shared memory: the chunk
 * is complete in shared memory before anything is written back. The element before the chunk has
 * been overwritten by then, and is taken from the chunk before.
 *
 * systems: A9
 * title: shared memory, one block, one iteration, in place
 * rung: 10
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 */
#include "average.h"

__global__ void
filter(float *a, int n)
{
    __shared__ float at[BLOCK + 2], before;
    int t = threadIdx.x;
    if (t == 0)
        before = 0;
    for (int first = 0; first < n; first += BLOCK) {
        int i = first + t;
        if (i < n)
            at[t + 1] = a[i];
        if (t == 0)
            at[0] = before;
        if (t == BLOCK - 1)
            at[BLOCK + 1] = i + 1 < n ? a[i + 1] : 0;
        __syncthreads();
        if (i > 0 && i < n - 1)
            a[i] = mean(at[t], at[t + 1], at[t + 2]);
        if (t == 0)
            before = at[BLOCK];
        __syncthreads();
    }
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    (void)b;
    (void)iterations;
    filter<<<1, BLOCK>>>(a, n);
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case09", "shared memory, one block, one iteration, in place", 9, 0, launch};
    return average_main(&c, argc, argv);
}
