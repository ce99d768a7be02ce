/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel has one dynamic array, however many extern __shared__ names it declares: they all begin
 * at the same place. Two arrays are cut from it by hand, the one with the stricter alignment first.
 * Here indices (shorts) lie behind values (floats).
 *
 * systems: C5
 * title: two arrays in one piece of dynamic shared memory
 * rung: 3
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 */
#include "reverse.h"

__global__ void
reverse(const float *in, float *out, int n)
{
    extern __shared__ float values[];
    short *from = (short *)(values + blockDim.x);
    int t = threadIdx.x, first = blockIdx.x * BLOCK, count = min(BLOCK, n - first);
    if (t < count) {
        values[t] = in[first + t];
        from[count - 1 - t] = (short)t;
    }
    __syncthreads();
    if (t < count)
        out[first + t] = values[from[t]];
}

static void
launch(const float *in, float *out, int n)
{
    size_t bytes = BLOCK * (sizeof(float) + sizeof(short));
    reverse<<<suite_div_up(n, BLOCK), BLOCK, bytes>>>(in, out, n);
}

int
main(int argc, char **argv)
{
    return reverse_main("shared_size/two_arrays", "two arrays in dynamic shared memory", BLOCK,
                        launch, argc, argv);
}
