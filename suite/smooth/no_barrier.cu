/* SPDX-License-Identifier: Apache-2.0
 *
 * Image smoothing as one writes it first: the tile is loaded, and used at once. The barrier in
 * between is missing: threads read pixels of the halo that other warps have not brought yet.
 *
 * systems: E4
 * title: the barrier after loading the tile forgotten
 * rung: 10
 * sizes: 0 1 17 100x33 257x130
 * check: 50x33
 * bench: 512
 * expect: shared-race
 * result: either
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
    const struct smooth_program p = {"smooth/no_barrier", "smoothing, barrier forgotten", prepare,
                                     smooth_launch<smooth, true>};
    return smooth_main(&p, argc, argv);
}
