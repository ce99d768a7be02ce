/* SPDX-License-Identifier: Apache-2.0
 *
 * A 3-D texture, through an object: eight texels are mixed.
 *
 * systems: D4
 * title: 3-D texture, every way of reading it
 * since: 3.0 texture objects
 * rung: 3
 * sizes: 1 2 17x5x3 20 33x17x40
 * check: 17
 * bench: 17
 */
#include "texture.h"

__global__ void
sample(cudaTextureObject_t t, const float *x, float *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    out[i] = tex3D<float>(t, x[i], x[PLACES + i], x[2 * PLACES + i]);
}

int
main(int argc, char **argv)
{
    return texture_main("texture/volume", "3-D texture, every way of reading it", 3, sample, argc,
                        argv);
}
