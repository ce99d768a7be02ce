/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/jit_units.h: instructions that generated code hands to services whole: textures and surfaces,
 * tensors. jit.h includes it.
 */
#ifndef LOCKSTEP_JIT_UNITS_H
#define LOCKSTEP_JIT_UNITS_H

#include <stdbool.h>
#include <stdint.h>

enum { JIT_LANES = 32 };

/* -- textures and surfaces (PTX ISA 9.7.10, 9.7.11) -------------------------------------------- */

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

/* -- tensors (PTX ISA 9.7.9.27, 9.7.9.28) ------------------------------------------------------ */

enum jit_tensor_op {
    JIT_TENSOR_LOAD,   /* cp.async.bulk.tensor from global to shared memory */
    JIT_TENSOR_STORE,  /* and back */
    JIT_TENSOR_REDUCE, /* cp.reduce.async.bulk.tensor */
    JIT_TENSOR_REPLACE,
    JIT_TENSOR_COPY_MAP, /* tensormap.cp_fenceproxy: from `shared` to `map` */
};
enum jit_reduction {
    JIT_REDUCE_ADD,
    JIT_REDUCE_MIN,
    JIT_REDUCE_MAX,
    JIT_REDUCE_INC,
    JIT_REDUCE_DEC,
    JIT_REDUCE_AND,
    JIT_REDUCE_OR,
    JIT_REDUCE_XOR,
};
enum { /* flags */
       JIT_TENSOR_IM2COL = 1,
       JIT_TENSOR_MULTICAST = 2, /* to the blocks[] of the cluster */
       JIT_TENSOR_TOLD = 4,      /* accesses are announced: services->access */
};

/* (abi) What such an instruction is; travels as a 64-bit number. */
struct jit_tensor_insn {
    uint8_t op, rank, reduction, flags;
    uint8_t field, ordinal; /* REPLACE: enum tensor_field of memory/tensor_map.h */
    uint8_t unused[2];
};

/* (abi) Its operands, one per lane. Addresses are the host's. */
struct jit_tensor_data {
    uint64_t map[JIT_LANES], shared[JIT_LANES], value[JIT_LANES];
    uint64_t barrier[JIT_LANES]; /* LOAD: the mbarrier that learns of the bytes */
    int32_t at[5][JIT_LANES];
    uint32_t shift[3][JIT_LANES]; /* im2col */
    uint32_t blocks[JIT_LANES];   /* a bit per rank */
};
/* Bytes of a copy have arrived: tells the mbarrier. */
void jit_barrier_complete(uint64_t address, uint64_t bytes);
/* Elements of a tensor's type (as the driver numbers them) at `to` become themselves with those at
 * `from`; false: the hardware has no such reduction. */
bool jit_reduce(enum jit_reduction op, unsigned type, uint64_t to, uint64_t from, uint64_t bytes);

#endif
