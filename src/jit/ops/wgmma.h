/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: what generated code calls for wgmma.mma_async (PTX ISA 9.7.15): one warp's 16 rows
 * of D = A * B + D. ops/wgmma.c finds the numbers in registers and shared memory, ops/wgmma_float.c
 * multiplies floats.
 *
 * Bit for bit what an H200 gives (tests/data/h200_wgmma.xz: 11,160 tiles). Its sum of products:
 *   - f16, bf16, tf32: all products of a row and column and D at once, aligned to the largest
 *     exponent among them (of a product: the sum of its factors' exponents, before normalising;
 *     zeros do not count; -133 at least), cut off 25 bits below it towards zero, added exactly;
 *     rounded once, to f32 towards zero, to f16 to nearest even.
 *   - e4m3, e5m2: the same with 13 bits, and of the f32 that comes out 13 bits of fraction are
 *     kept. (mma.sync is other arithmetic: insn/mma.c.)
 *   - a result of zero is +0, NaNs are canonical.
 */
#ifndef LOCKSTEP_JIT_WGMMA_H
#define LOCKSTEP_JIT_WGMMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wgmma_type {
    WGMMA_F16,
    WGMMA_BF16,
    WGMMA_TF32,
    WGMMA_E4M3,
    WGMMA_E5M2,
    WGMMA_F32,
    WGMMA_S8,
    WGMMA_U8,
    WGMMA_B1,
    WGMMA_S32,
};

/* (abi) An instruction. */
struct wgmma_form {
    uint16_t n;      /* columns of B and D */
    uint8_t d, a, b; /* enum wgmma_type */
    uint8_t sparse, selector;
    uint8_t in_registers; /* A */
    uint8_t trans_a, trans_b;
    uint8_t negate; /* the products: one of the scales is -1 */
    uint8_t saturate;
};
enum { WGMMA_FORM_BYTES = sizeof(struct wgmma_form) };

/* (abi) What the instruction is executed with, and where its numbers are. */
struct wgmma_operands {
    uint32_t fragment[4][32]; /* A in registers, as lanes have them */
    uint32_t metadata[32];
    uint64_t a, b;         /* descriptors */
    const uint8_t *shared; /* of the block */
    uint32_t row;          /* the warp's first: 0, 16, 32, 48 */
    uint32_t add;          /* scale-d: D counts */
    uint8_t unused[96];    /* D, behind it, is aligned to its registers */
};

struct jit_warp;

/* For generated code; D lies behind the operands. lockstep_wgmma_tell: announces what it reads. */
void wgmma_warp(struct jit_warp *w, uint32_t lanes, const struct wgmma_form *f,
                struct wgmma_operands *o, uint32_t place);
void wgmma_tell(struct jit_warp *w, uint32_t lanes, const struct wgmma_form *f,
                struct wgmma_operands *o, uint32_t place);
/* Their names for generated code; false past the end. */
bool wgmma_symbol(size_t i, const char **name, void **address);

/* d: the registers of D, each of 32 lanes. */
void wgmma_run(const struct wgmma_form *f, const struct wgmma_operands *o, uint32_t (*d)[32]);

/* What it reads of shared memory, in rows of 16 bytes: their offsets into out; how many. */
enum { WGMMA_MOST_READS = 32 + 4 * 256 };
uint32_t wgmma_reads(const struct wgmma_form *f, const struct wgmma_operands *o, uint32_t *out);

/* -- ops/wgmma_float.c ------------------------------------------------------------------------- */

enum { WGMMA_MOST_K = 64, WGMMA_MOST_N = 256 };

/* The factors: rows of bytes along k. */
struct wgmma_factors {
    const struct wgmma_form *form;
    uint32_t k;        /* numbers along it */
    uint64_t kept[16]; /* of a row of A: the k at which it has numbers */
    uint8_t a[16][64];
    uint8_t b[WGMMA_MOST_N][64];
};

void wgmma_float(const struct wgmma_factors *x, bool add, uint32_t (*d)[32]);

#endif
