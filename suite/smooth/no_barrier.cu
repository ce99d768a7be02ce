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
#include "smooth.h"

__constant__ float constant_weights[MOST_WEIGHTS];

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

static void
prepare(const float *weights, const float *line, int radius)
{
    int count = (2 * radius + 1) * (2 * radius + 1);
    (void)line;
    CHECK(cudaMemcpyToSymbol(constant_weights, weights, count * sizeof *weights));
}

static void
launch(const struct smooth *m)
{
    dim3 grid(suite_div_up(m->width, TILE), suite_div_up(m->height, TILE)), block(TILE, TILE);
    smooth<<<grid, block, (size_t)(TILE + 2 * m->radius) * (TILE + 2 * m->radius)>>>(*m);
}

int
main(int argc, char **argv)
{
    const struct smooth_program p = {"smooth/no_barrier", "smoothing, barrier forgotten", prepare,
                                     launch};
    return smooth_main(&p, argc, argv);
}
