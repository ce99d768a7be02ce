/* SPDX-License-Identifier: Apache-2.0
 *
 * 1-D convolution with the mask in constant memory: all lanes of a warp read the same word, which
 * the constant cache gives to all of them at once. Half of the global loads are gone.
 *
 * systems: B12, B13
 * title: mask in constant memory
 * rung: 2
 * sizes: 7 0 1 16 100 1000 100003
 * check: 7 300
 * bench: 1000000
 * gpu: 268435456 --mask 9
 */
#include "constant_mask.h"

__global__ void
convolve(const float *in, float *out, int wide, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, start = i - wide / 2;
    if (i >= n)
        return;
    float sum = 0;
    for (int j = 0; j < wide; j++)
        if (start + j >= 0 && start + j < n)
            sum += in[start + j] * mask_constant[j];
    out[i] = sum;
}

int
main(int argc, char **argv)
{
    const struct convolution c = {"convolution/constant", "mask in constant memory", set_mask,
                                  launch<convolve>};
    return convolution_main(&c, argc, argv);
}
