/* SPDX-License-Identifier: Apache-2.0
 *
 * A 1-D texture, through an object: a table with a filter. Between two texels the hardware mixes
 * them, and beyond the ends it does what the address mode says, both at no cost.
 *
 * systems: D4
 * title: 1-D texture, every way of reading it
 * since: 3.0 texture objects
 * rung: 1
 * sizes: 1 2 17 1000 1537
 * check: 17
 * bench: 17
 */
#include "texture.h"

__global__ void
sample(cudaTextureObject_t t, const float *x, float *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    out[i] = tex1D<float>(t, x[i]);
}

int
main(int argc, char **argv)
{
    return texture_main("texture/line", "1-D texture, every way of reading it", 1, sample, argc,
                        argv);
}
