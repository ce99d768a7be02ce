/* SPDX-License-Identifier: Apache-2.0
 *
 * texture: what a texture or surface handle stands for. The handle that programs pass to kernels is
 * the address of this descriptor; tex and surface instructions read it. Plain data.
 */
#ifndef LOCKSTEP_TEXTURE_H
#define LOCKSTEP_TEXTURE_H

#include "model/texture.h" /* enum texture_address */

enum texture_kind { TEXTURE_SIGNED, TEXTURE_UNSIGNED, TEXTURE_FLOAT };
enum { TEXTURE_LEVELS = 16, TEXTURE_MAGIC = 0x54584554 };

struct texture_level {
    uint64_t base, pitch, slice;   /* address, bytes per row, bytes per slice or layer */
    uint32_t width, height, depth; /* texels; at least 1 */
    uint32_t layers;               /* layered and cubemap textures (6 per cube); else 1 */
};

struct texture {
    uint32_t magic;     /* TEXTURE_MAGIC while the handle lives */
    uint8_t dimensions; /* 1, 2, 3 */
    uint8_t linear;     /* plain memory, read by index (tex1Dfetch) */
    uint8_t pitched;    /* plain memory, rows of texels */
    uint8_t layered, cubemap;
    uint8_t channels, bits, kind; /* of a texel; enum texture_kind */
    uint8_t address[3];           /* enum texture_address */
    uint8_t filter_linear, mipmap_linear;
    uint8_t normalized_coordinates;
    uint8_t normalized_read; /* integers are read as [0, 1] or [-1, 1] */
    uint8_t srgb;
    uint8_t levels;
    uint8_t surface;
    uint32_t anisotropy;
    float border[4];
    float level_bias, level_least, level_most;
    struct texture_level level[TEXTURE_LEVELS];
};

#endif
