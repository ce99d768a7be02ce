/* SPDX-License-Identifier: Apache-2.0
 *
 * The lecture's basic kernel: it tests what it reads, not what it writes. Threads behind the last
 * element write their sums behind the array.
 *
 * systems: B12
 * title: listing: no test before the store
 * rung: 30
 * sizes: 7 1 16 100 1000
 * check: 7 300
 * bench: 1000000
 * expect: out-of-bounds
 * result: either
 */
#include "convolution.h"

__global__ void
convolve(const float *in, const float *mask, float *out, int wide, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, start = i - wide / 2;
    float sum = 0;
    for (int j = 0; j < wide; j++)
        if (start + j >= 0 && start + j < n)
            sum += in[start + j] * mask[j];
    out[i] = sum;
}

static void
launch(const float *in, const float *mask, float *out, int wide, int n)
{
    convolve<<<suite_div_up(n, TILE), TILE>>>(in, mask, out, wide, n);
}

int
main(int argc, char **argv)
{
    const struct convolution c = {"convolution/basic_lecture", "listing: no test before the store",
                                  NULL, launch};
    return convolution_main(&c, argc, argv);
}
