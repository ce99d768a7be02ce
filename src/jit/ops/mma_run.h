/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: what generated code calls for mma with a sparse A, with .kind or with scales (PTX
 * ISA 9.7.14.3, 9.7.14.6): D = A * B + C of 16 by 8 numbers (ops/mma_run.c, on top of ops/wgmma.h).
 */
#ifndef LOCKSTEP_JIT_MMA_RUN_H
#define LOCKSTEP_JIT_MMA_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mma_kind {
    MMA_KIND_NONE,
    MMA_KIND_F8F6F4,
    MMA_KIND_MXF8F6F4,
    MMA_KIND_MXF4,
    MMA_KIND_MXF4NVF4,
};

/* (abi) An instruction. */
struct mma_form {
    uint8_t a, b, d;     /* enum wgmma_type; numbers of 4 bits: WGMMA_PAIR, or S8, U8 and nibbles */
    uint8_t kind;        /* enum mma_kind */
    uint8_t registers_a; /* of 16 bytes of 8 rows each */
    uint8_t registers_b;
    uint8_t sparse, selector;
    uint8_t nibbles; /* whole numbers of 4 bits */
    uint8_t saturate;
    uint8_t scales; /* of a row: 1, 2, 4 */
    uint8_t ue4m3;
    uint8_t unused[4];
};

/* (abi) What it is executed with. */
struct mma_operands {
    uint32_t a[4][32], b[4][32];
    uint32_t d[4][32]; /* C before */
    uint32_t metadata[32];
    uint32_t scale_a[32], scale_b[32];
    uint32_t byte_a[32], thread_a[32], byte_b[32], thread_b[32];
};

/* What generated code calls, by name; false past the end. */
bool mma_symbol(size_t i, const char **name, void **address);

#endif
