/* SPDX-License-Identifier: Apache-2.0
 *
 * Image smoothing from global memory: for every pixel (2 r + 1)^2 pixels and as many weights are
 * loaded.
 *
 * systems: E4
 * title: pixels and weights from global memory
 * rung: 1
 * sizes: 0 1 17 100x33 257x130
 * check: 17 50x33
 * bench: 512
 */
#include "smooth.h"

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
            sum += m.weights[k++] * smooth_pixel(m.in, x + u, y + v, m.width, m.height);
    m.out[(size_t)y * m.width + x] = smooth_round(sum);
}

int
main(int argc, char **argv)
{
    const struct smooth_program p = {"smooth/global", "smoothing, global memory", NULL,
                                     smooth_launch<smooth>};
    return smooth_main(&p, argc, argv);
}
