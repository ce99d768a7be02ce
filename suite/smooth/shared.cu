/* SPDX-License-Identifier: Apache-2.0
 *
 * Image smoothing with a tile and its halo in shared memory: the block brings (TILE + 2 r)^2
 * pixels, some threads several, and reads each of them up to (2 r + 1)^2 times from there. The
 * larger the radius, the more halo a tile drags along: the figures say how much of the reuse is
 * left.
 *
 * systems: E4, D5
 * title: tile with halo in shared memory, weights in constant memory
 * rung: 3
 * sizes: 0 1 17 100x33 257x130
 * check: 17 50x33
 * bench: 512
 */
#include "constant_weights.h"

__global__ void
smooth(struct smooth m)
{
    extern __shared__ unsigned char tile[];
    int tx = threadIdx.x, ty = threadIdx.y, wide = TILE + 2 * m.radius;
    int first_x = blockIdx.x * TILE - m.radius, first_y = blockIdx.y * TILE - m.radius;
    for (int v = ty; v < wide; v += TILE)
        for (int u = tx; u < wide; u += TILE)
            tile[v * wide + u] =
                (unsigned char)smooth_pixel(m.in, first_x + u, first_y + v, m.width, m.height);
    __syncthreads();
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    if (x >= m.width || y >= m.height)
        return;
    float sum = 0;
    int k = 0;
    for (int v = 0; v <= 2 * m.radius; v++)
        for (int u = 0; u <= 2 * m.radius; u++)
            sum += constant_weights[k++] * tile[(ty + v) * wide + tx + u];
    m.out[(size_t)y * m.width + x] = smooth_round(sum);
}

int
main(int argc, char **argv)
{
    const struct smooth_program p = {"smooth/shared", "smoothing, tile with halo", prepare,
                                     smooth_launch<smooth, true>};
    return smooth_main(&p, argc, argv);
}
