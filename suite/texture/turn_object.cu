/* SPDX-License-Identifier: Apache-2.0
 *
 * Turning a picture through a texture object on pitched memory: rows begin at multiples of the
 * pitch, which cudaMallocPitch chose so that the texture unit can use them where they are. Bytes
 * are read as floats in 0..1 and mixed by the unit; one instruction is left of the four loads.
 *
 * systems: D4
 * title: a picture turned through a texture object on pitched memory
 * since: 3.0 texture objects
 * rung: 6
 * sizes: 0 1 17 100x33 257x130
 * check: 17 50x33
 * bench: 512
 */
#include "turn.h"

static cudaTextureObject_t texture_object;

__global__ void
turn_texture(struct turn t, cudaTextureObject_t from)
{
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    if (x >= t.width || y >= t.height)
        return;
    float u, v;
    turn_source(&t, x, y, &u, &v);
    t.out[(size_t)y * t.width + x] = 255 * tex2D<float>(from, u, v);
}

static void
begin(const struct turn *t)
{
    struct cudaResourceDesc from = {};
    struct cudaTextureDesc how = {};
    from.resType = cudaResourceTypePitch2D;
    from.res.pitch2D.devPtr = (void *)t->in;
    from.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
    from.res.pitch2D.width = t->width;
    from.res.pitch2D.height = t->height;
    from.res.pitch2D.pitchInBytes = t->pitch;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeNormalizedFloat;
    CHECK(cudaCreateTextureObject(&texture_object, &from, &how, NULL));
}

static void
launch(const struct turn *t, dim3 grid, dim3 block)
{
    turn_texture<<<grid, block>>>(*t, texture_object);
}

static void
end(void)
{
    CHECK(cudaDestroyTextureObject(texture_object));
}

int
main(int argc, char **argv)
{
    const struct turn_program p = {"texture/turn_object", "a picture turned by the texture unit",
                                   begin, launch, end};
    return turn_main(&p, argc, argv);
}
