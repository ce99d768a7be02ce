/* SPDX-License-Identifier: Apache-2.0
 *
 * 1-D convolution, a thread an element, mask and elements from global memory. Each multiply-add
 * needs two loads.
 *
 * systems: B12
 * title: mask in global memory
 * rung: 1
 * sizes: 7 0 1 16 100 1000 100003
 * check: 7 300
 * bench: 1000000
 * gpu: 268435456 --mask 9
 */
#include "convolution.h"

__global__ void
convolve(const float *in, const float *mask, float *out, int wide, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, start = i - wide / 2;
    if (i >= n)
        return;
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
    const struct convolution c = {"convolution/basic", "mask in global memory", NULL, launch};
    return convolution_main(&c, argc, argv);
}
