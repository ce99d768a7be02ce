/* SPDX-License-Identifier: Apache-2.0
 *
 * Sum of three neighbours with a halo: the tile has one element more on either side, filled before
 * the barrier (0 outside the array). The sum itself then has no branch: all lanes do the same three
 * loads.
 *
 * systems: C1
 * title: shared memory with a halo, no branches in the sum
 * rung: 3
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 */
#include "sum3.h"

__global__ void
sum3(int *c, const int *a, int n)
{
    __shared__ int s[BLOCK + 2];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t + 1] = i < n ? a[i] : 0;
    if (t < 2) {
        int outer = t == 0 ? i - 1 : i - 1 + BLOCK;
        s[t * (BLOCK + 1)] = outer >= 0 && outer < n ? a[outer] : 0;
    }
    __syncthreads();
    if (i < n)
        c[i] = s[t] + s[t + 1] + s[t + 2];
}

static void
launch(int *c, const int *a, int n)
{
    sum3<<<suite_div_up(n, BLOCK), BLOCK>>>(c, a, n);
}

int
main(int argc, char **argv)
{
    return sum3_main("sum3/halo", "sum of three, shared memory with a halo", BLOCK + 2, launch,
                     argc, argv);
}
