/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor: what generated code asks of exec for copies of boxes of tensors and for their maps (PTX
 * ISA 9.7.9.27, 9.7.9.28). Part of jit.h, which includes it.
 */
#ifndef LOCKSTEP_JIT_TENSOR_H
#define LOCKSTEP_JIT_TENSOR_H

#include "jit/image.h"

#include <stdbool.h>
#include <stdint.h>

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
enum jit_tensor_mode { /* numbered as enum tensor_mode of memory/tensor_map.h */
                       JIT_TENSOR_TILED,
                       JIT_TENSOR_IM2COL,
                       JIT_TENSOR_IM2COL_W,
                       JIT_TENSOR_IM2COL_W128,
};
enum {                           /* flags */
       JIT_TENSOR_MULTICAST = 1, /* to the blocks[] of the cluster */
       JIT_TENSOR_ANNOUNCED = 2, /* accesses are announced: services->access */
       JIT_TENSOR_ROWS = 4,      /* gather4, scatter4: four boxes of a row; at: the column, rows */
       JIT_TENSOR_PAIR = 8,      /* multicast for cta_group::2: mbarriers of one block of a pair */
       JIT_TENSOR_FETCHES = 16,  /* rows are fetched ahead (pass fetched-boxes) */
       JIT_TENSOR_STREAMS = 32,  /* whole lines may go past the caches (pass streaming-copies) */
       JIT_TENSOR_NEXT = 64,     /* the next box is fetched (pass next-boxes) */
       JIT_TENSOR_UNSEEN = 128,  /* no other block looks at what is stored before the launch ends */
};

/* (abi) What such an instruction is; travels as a 64-bit number. */
struct jit_tensor_insn {
    uint8_t op, rank, reduction, flags;
    uint8_t field, ordinal; /* REPLACE: enum tensor_field of memory/tensor_map.h */
    uint8_t mode;           /* enum jit_tensor_mode */
    uint8_t unused;
};

/* (abi) Its operands, one per lane. Addresses are the host's. */
struct jit_tensor_data {
    uint64_t map[JIT_LANES], shared[JIT_LANES], value[JIT_LANES];
    uint64_t barrier[JIT_LANES]; /* LOAD: the mbarrier that learns of the bytes */
    int32_t at[5][JIT_LANES];
    uint32_t shift[3][JIT_LANES]; /* im2colInfo: offsets, or {wHalo, wOffset} */
    uint32_t blocks[JIT_LANES];   /* a bit per rank */
};
/* Elements of a tensor's type (as the driver numbers them) at `to` become themselves with those at
 * `from`; false: the hardware has no such reduction. */
bool jit_reduce(enum jit_reduction op, unsigned type, uint64_t to, uint64_t from, uint64_t bytes);
/* Whole lines, to the start of one, past the caches where the host can; jit_streamed() puts them
 * before the stores to come. */
void jit_stream(uint64_t to, const uint8_t *from, uint64_t bytes);
void jit_streamed(void);

#endif
