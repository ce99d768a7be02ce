/* SPDX-License-Identifier: Apache-2.0
 *
 * image: what generated code asks of exec for textures and surfaces (PTX ISA 9.7.10, 9.7.11). Part
 * of jit.h, which includes it.
 */
#ifndef LOCKSTEP_JIT_IMAGE_H
#define LOCKSTEP_JIT_IMAGE_H

#include <stdint.h>

enum { JIT_LANES = 32 };

enum jit_image_op {
    JIT_TEX,         /* tex: level of detail 0 */
    JIT_TEX_LEVEL,   /* extra[0]: the level of detail, a float */
    JIT_TEX_GRAD,    /* extra[0..2], extra[3..5]: d/dx, d/dy, floats */
    JIT_TEX_GATHER,  /* tld4: component `detail` */
    JIT_TEX_QUERY,   /* txq, suq: `detail` is enum jit_image_query; extra[0]: level */
    JIT_SURF_LOAD,   /* suld: `detail` is enum jit_image_bound, as below */
    JIT_SURF_STORE,  /* sust: extra[] holds the value */
    JIT_SURF_REDUCE, /* sured: `action` is enum jit_image_action */
    JIT_IS_TEXTURE,  /* istypep.texref, .samplerref */
    JIT_IS_SURFACE,
};
enum jit_geometry { JIT_1D, JIT_2D, JIT_3D, JIT_A1D, JIT_A2D, JIT_CUBE, JIT_ACUBE };
enum jit_image_bound { JIT_BOUND_TRAP, JIT_BOUND_CLAMP, JIT_BOUND_ZERO };
enum jit_image_action { JIT_RED_ADD, JIT_RED_MIN, JIT_RED_MAX, JIT_RED_AND, JIT_RED_OR };
enum jit_image_query {
    JIT_QUERY_WIDTH,
    JIT_QUERY_HEIGHT,
    JIT_QUERY_DEPTH,
    JIT_QUERY_CHANNEL_DATA_TYPE,
    JIT_QUERY_CHANNEL_ORDER,
    JIT_QUERY_NORMALIZED,
    JIT_QUERY_UNNORMALIZED,
    JIT_QUERY_FILTER,
    JIT_QUERY_ADDRESS_0,
    JIT_QUERY_ADDRESS_1,
    JIT_QUERY_ADDRESS_2,
    JIT_QUERY_ARRAY_SIZE,
    JIT_QUERY_LEVELS,
    JIT_QUERY_SAMPLES,
    JIT_QUERY_LAYOUT
};
enum {                          /* flags */
       JIT_IMAGE_INTEGER = 1,   /* coordinates are texel numbers */
       JIT_IMAGE_SAMPLER = 2,   /* sampler[] says how to read, not texture[] */
       JIT_IMAGE_FORMATTED = 4, /* .p: x in texels, values converted; else x in bytes */
       JIT_IMAGE_SIGNED = 8,    /* sured on signed numbers */
       JIT_IMAGE_OFFSET = 16,   /* offset[] counts */
};

/* (abi) What such an instruction is; travels as a 64-bit number. */
struct jit_image_insn {
    uint8_t op, geometry, detail, action;
    uint8_t components, bytes; /* of a surface's access: .v4.b16 is 4 and 2 */
    uint8_t flags, unused;
};

/* (abi) Its operands and results, one per lane. */
struct jit_image_data {
    uint64_t texture[JIT_LANES], sampler[JIT_LANES]; /* handles */
    uint32_t coordinate[3][JIT_LANES], layer[JIT_LANES];
    uint32_t extra[8][JIT_LANES]; /* 64-bit components take two rows, the lower half first */
    int32_t offset[3][JIT_LANES]; /* in texels */
    uint32_t result[8][JIT_LANES];
};

#endif
