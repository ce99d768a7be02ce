/* SPDX-License-Identifier: Apache-2.0
 *
 * A 2-D texture, through an object: four texels are mixed; the cache keeps squares, not lines, so
 * that neighbours in y are as near as those in x.
 *
 * systems: D4
 * title: 2-D texture, every way of reading it
 * since: 3.0 texture objects
 * rung: 2
 * sizes: 1 2 17x5 100 257x130
 * check: 17
 * bench: 17
 */
#include "texture.h"

__global__ void
sample(cudaTextureObject_t t, const float *x, float *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    out[i] = tex2D<float>(t, x[i], x[PLACES + i]);
}

int
main(int argc, char **argv)
{
    return texture_main("texture/plane", "2-D texture, every way of reading it", 2, sample, argc,
                        argv);
}
