/* SPDX-License-Identifier: Apache-2.0
 *
 * Image smoothing with its weights in constant memory: all lanes of a warp want the same weight at
 * the same time, which the constant cache hands to all of them at once. The host writes them with
 * cudaMemcpyToSymbol; the kernel's parameters have one pointer less.
 *
 * systems: D5, E4
 * title: weights in constant memory
 * rung: 2
 * sizes: 0 1 17 100x33 257x130
 * check: 17 50x33
 * bench: 512
 */
#include "constant_weights.h"

__global__ void
smooth(struct smooth m)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= m.width || y >= m.height)
        return;
    float sum = 0;
    int k = 0;
    for (int v = -m.radius; v <= m.radius; v++)
        for (int u = -m.radius; u <= m.radius; u++)
            sum += constant_weights[k++] * smooth_pixel(m.in, x + u, y + v, m.width, m.height);
    m.out[(size_t)y * m.width + x] = smooth_round(sum);
}

int
main(int argc, char **argv)
{
    const struct smooth_program p = {"smooth/constant", "smoothing, weights in constant memory",
                                     prepare, smooth_launch<smooth>};
    return smooth_main(&p, argc, argv);
}
