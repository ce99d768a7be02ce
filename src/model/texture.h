/* SPDX-License-Identifier: Apache-2.0
 *
 * The texture unit: what a texture read returns, bit for bit as the hardware's fixed-point filter
 * does it. Pure functions over a view: one level of a texture, with how it is read (what a handle
 * stands for is memory/texture.h's). docs/model.md, "Textures", says what was measured and what is
 * extrapolated.
 *
 *     struct texture_view t = { .data = p, .dims = 2, .width = 64, .height = 48, .pitch = 256,
 *                          .element = TEXEL_F32, .channels = 1, .linear = true };
 *     uint32_t bits[4];
 *     texture_sample(&t, (float[3]){ 3.5f, 7.25f }, bits);
 */
#ifndef LOCKSTEP_MODEL_TEXTURE_H
#define LOCKSTEP_MODEL_TEXTURE_H

#include "base/base.h"

enum texel_kind {
    TEXEL_F32,
    TEXEL_F16,
    TEXEL_U8,
    TEXEL_S8,
    TEXEL_U16,
    TEXEL_S16,
    TEXEL_U32,
    TEXEL_S32
};

/* In the order of CUDA's cudaTextureAddressMode. */
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

struct texture_view {
    const void *data;
    uint32_t dims;                 /* 1, 2, 3 */
    uint32_t width, height, depth; /* in texels; those above dims are ignored */
    size_t pitch, slice;           /* bytes from row to row, from slice to slice (or layer) */
    enum texel_kind element;
    uint32_t channels; /* 1, 2, 4 */
    enum texture_address address[3];
    float border[4];
    bool linear;                 /* filter; else point */
    bool normalized_coordinates; /* 0..1 instead of 0..size */
    bool normalized_read;        /* 8 and 16 bit integers as floats in 0..1 or -1..1 */
    bool srgb;                   /* 8 bit unsigned with normalized_read: the first three channels */
    int32_t offset[3];           /* added to the coordinates, in texels */
};

uint32_t texture_element_bytes(enum texel_kind kind);

/* Does out hold floats (true) or integers? */
bool texture_reads_floats(const struct texture_view *t);

/* tex.1d/.2d/.3d with float coordinates; 32 bits per channel, missing channels 0, 0, 0, 1. */
void texture_sample(const struct texture_view *t, const float coordinate[3], uint32_t out[4]);

/* The same for a warp: coordinate[axis][lane] as bits of floats; channel k into out[k][lane]. */
void texture_sample_lanes(const struct texture_view *t, uint32_t lanes,
                          const uint32_t (*coordinate)[32], uint32_t (*out)[32]);

/* The face of a cube that a direction meets (0: +x, -x, +y, -y, +z, -z) and the place on it,
 * normalised (out[2] is 0); and how fast the place moves when the direction moves by `by`. */
uint32_t texture_cube_face(const float direction[3], float out[3]);
void texture_cube_gradient(const float direction[3], const float by[3], float out[3]);

/* A float's bits to a half's, rounded to nearest even. */
uint16_t texture_half_of(uint32_t bits);

/* tex with integer coordinates (tex1Dfetch and the .s32 forms): no filter, texels by number;
 * outside: zero. */
void texture_fetch(const struct texture_view *t, const int32_t index[3], uint32_t out[4]);

/* The same for a warp: index[axis][lane]; channel k into out[k][lane]. */
void texture_fetch_lanes(const struct texture_view *t, uint32_t lanes, const uint32_t (*index)[32],
                         uint32_t (*out)[32]);

/* tld4: one component of the four texels that a linear read of a 2-D texture would use, in the
 * order (0,1), (1,1), (1,0), (0,0). */
void texture_gather(const struct texture_view *t, const float coordinate[2], uint32_t component,
                    uint32_t out[4]);

/* Where the texels lie that texture_sample reads, or, gather, texture_gather; returns how many. */
uint32_t texture_texels(const struct texture_view *t, const float coordinate[3], bool gather,
                        const uint8_t *out[8]);

#endif
