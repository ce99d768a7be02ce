/* SPDX-License-Identifier: Apache-2.0
 *
 * Turning a picture from global memory: four loads, their clamping and the mixing are all
 * instructions of the kernel; and a turned picture is read along slanted lines, which lines of a
 * cache do not like.
 *
 * systems: D4
 * title: a picture turned without textures: four loads, mixed by hand
 * rung: 5
 * sizes: 0 1 17 100x33 257x130
 * check: 17 50x33
 * bench: 512
 */
#include "turn.h"

static __device__ __forceinline__ float
pixel(const struct turn &t, int i, int j)
{
    return t.in[min(max(j, 0), t.height - 1) * t.pitch + min(max(i, 0), t.width - 1)];
}

__global__ void
turn_by_hand(struct turn t)
{
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    if (x >= t.width || y >= t.height)
        return;
    float u, v;
    turn_source(&t, x, y, &u, &v);
    float left = floorf(u - 0.5f), top = floorf(v - 0.5f), fx = u - 0.5f - left,
          fy = v - 0.5f - top;
    int i = (int)left, j = (int)top;
    float upper = (1 - fx) * pixel(t, i, j) + fx * pixel(t, i + 1, j);
    float lower = (1 - fx) * pixel(t, i, j + 1) + fx * pixel(t, i + 1, j + 1);
    t.out[(size_t)y * t.width + x] = (1 - fy) * upper + fy * lower;
}

static void
launch(const struct turn *t, dim3 grid, dim3 block)
{
    turn_by_hand<<<grid, block>>>(*t);
}

int
main(int argc, char **argv)
{
    const struct turn_program p = {"texture/turn_global", "a picture turned by hand", NULL, launch,
                                   NULL};
    return turn_main(&p, argc, argv);
}
