/* SPDX-License-Identifier: Apache-2.0
 *
 * Turning a picture through a texture reference, as the lecture does it: declared at file scope,
 * its modes set as fields on the host, bound to pitched memory before the launch and unbound after
 * it. (Toolkits from 12 on have references no more; objects do the same.)
 *
 * systems: D4
 * title: a picture turned through the older texture reference
 * rung: 7
 * sizes: 0 1 17 100x33 257x130
 * check: 17 50x33
 * bench: 512
 */
#include "turn.h"

static texture<unsigned char, 2, cudaReadModeNormalizedFloat> picture;

__global__ void
turn_texture(struct turn t)
{
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    if (x >= t.width || y >= t.height)
        return;
    float u, v;
    turn_source(&t, x, y, &u, &v);
    t.out[(size_t)y * t.width + x] = 255 * tex2D(picture, u, v);
}

static void
begin(const struct turn *t)
{
    struct cudaChannelFormatDesc desc = cudaCreateChannelDesc<unsigned char>();
    picture.addressMode[0] = picture.addressMode[1] = cudaAddressModeClamp;
    picture.filterMode = cudaFilterModeLinear;
    picture.normalized = false;
    CHECK(cudaBindTexture2D(NULL, &picture, t->in, &desc, t->width, t->height, t->pitch));
}

static void
launch(const struct turn *t, dim3 grid, dim3 block)
{
    turn_texture<<<grid, block>>>(*t);
}

static void
end(void)
{
    CHECK(cudaUnbindTexture(&picture));
}

int
main(int argc, char **argv)
{
    const struct turn_program p = {"texture/turn_reference", "a picture turned, texture reference",
                                   begin, launch, end};
    return turn_main(&p, argc, argv);
}
