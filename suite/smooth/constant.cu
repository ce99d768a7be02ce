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
#include "smooth.h"

__constant__ float constant_weights[MOST_WEIGHTS];

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
    smooth<<<grid, block>>>(*m);
}

int
main(int argc, char **argv)
{
    const struct smooth_program p = {"smooth/constant", "smoothing, weights in constant memory",
                                     prepare, launch};
    return smooth_main(&p, argc, argv);
}
