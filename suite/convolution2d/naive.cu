/* SPDX-License-Identifier: Apache-2.0
 *
 * 2-D convolution, 5 x 5: a thread an element, 25 loads each; the caches see that most of them are
 * the same words.
 *
 * systems: B12
 * title: 5 x 5, a thread an element
 * rung: 1
 * sizes: 0 1 17 100x33 259x130
 * check: 17 33x50
 * bench: 1000
 * gpu: 8192
 */
#include "convolution2d.h"

__global__ void
convolve(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int v = 0; v < TAPS; v++)
        for (int u = 0; u < TAPS; u++) {
            int from_y = y - SIDE + v, from_x = x - SIDE + u;
            if (from_y >= 0 && from_y < height && from_x >= 0 && from_x < width)
                sum += in[(size_t)from_y * width + from_x] * weights[v * TAPS + u];
        }
    out[(size_t)y * width + x] = sum;
}

static void
launch(const float *in, float *out, int width, int height)
{
    dim3 block(32, 8), grid(suite_div_up(width, 32), suite_div_up(height, 8));
    convolve<<<grid, block>>>(in, out, width, height);
}

int
main(int argc, char **argv)
{
    return convolution2d_main("convolution2d/naive", "5 x 5, a thread an element", launch, argc,
                              argv);
}
