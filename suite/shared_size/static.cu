/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory whose size the compiler knows: an array in the kernel. The third launch parameter
 * is not needed; another size means another compilation.
 *
 * systems: D3, C5
 * title: static shared memory
 * rung: 1
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 */
#include "reverse.h"

__global__ void
reverse(const float *in, float *out, int n)
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x, first = blockIdx.x * BLOCK, count = min(BLOCK, n - first);
    if (t < count)
        s[t] = in[first + t];
    __syncthreads();
    if (t < count)
        out[first + t] = s[count - 1 - t];
}

static void
launch(const float *in, float *out, int n)
{
    reverse<<<suite_div_up(n, BLOCK), BLOCK>>>(in, out, n);
}

int
main(int argc, char **argv)
{
    return reverse_main("shared_size/static", "static shared memory", BLOCK, launch, argc, argv);
}
