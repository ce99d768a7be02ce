/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: what generated code calls for wgmma.mma_async (PTX ISA 9.7.15): one warp's 16 rows
 * of D = A * B + D. ops/wgmma.c finds the numbers in registers and shared memory, ops/wgmma_float.c
 * multiplies floats, those that it leaves out ops/wgmma_element.c. The same do tcgen05.mma
 * (ops/tcgen05.c).
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
#include <string.h>

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
    WGMMA_E2M3, /* tcgen05.mma alone, from here on; in bytes whose highest bit is the sign */
    WGMMA_E3M2,
    WGMMA_E2M1,
    WGMMA_PAIR, /* two e2m1 */
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
    uint8_t plain; /* without the pass half-products */
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

/* What generated code calls, by name; false past the end. */
enum { WGMMA_SYMBOLS = 5 };
bool wgmma_symbol(size_t i, const char **name, void **address);

/* -- descriptors ------------------------------------------------------------------------------- */

/* Where the core matrices are of which a matrix in shared memory is made. */
struct wgmma_place {
    uint32_t start, leading, stride;
    uint32_t shift; /* 1 << shift chunks are swizzled together: 1, 2, 4, 8 */
    uint32_t base;
    bool pairs; /* tcgen05: of chunks, and four k make a pattern: 32-byte atoms */
};

/* Offset of a chunk of 16 bytes. Along k: chunk `chunk` of row `row`; transposed: the numbers of k
 * `chunk` in chunk `row` along m or n. */
static inline uint32_t
wgmma_chunk_at(const struct wgmma_place *p, bool transposed, uint32_t row, uint32_t chunk)
{
    enum { CHUNK = 16 };
    uint32_t at = p->start, s = p->shift, low = (1u << s) - 1, deep = p->pairs ? 4 : 8;
    if (!transposed)
        at += (row % 8 * CHUNK << s) + row / 8 * p->stride + (chunk & low) * CHUNK +
              (chunk >> s) * p->leading;
    else if (!s)
        at += row * p->stride + chunk % 8 * CHUNK + chunk / 8 * p->leading;
    else
        at += (row & low) * CHUNK + (row >> s) * p->leading + (chunk % deep * CHUNK << s) +
              chunk / deep * p->stride;
    if (p->pairs)
        return at ^ (((at >> 7) - p->base) & 3) << 5;
    return at ^ (((at >> 7) - p->base) & low) << 4;
}

/* -- ops/wgmma_float.c, ops/wgmma_element.c ------------------------------------------------------
 */

enum { WGMMA_MOST_K = 64, WGMMA_MOST_N = 256, WGMMA_NO_NUMBER = -1000 };

/* The factors: rows of bytes along k. */
struct wgmma_factors {
    const struct wgmma_form *form;
    uint32_t k;      /* numbers along it */
    int32_t bits;    /* that count below the largest exponent of a sum: 25, 13 */
    int32_t scale_d; /* D counts by 2^-scale_d */
    bool scaled;     /* each row counts by 2^scale; WGMMA_NO_NUMBER: it is NaN */
    int16_t scale_a[16], scale_b[WGMMA_MOST_N];
    uint64_t kept[16]; /* of a row of A: the k at which it has numbers */
    uint8_t a[16][64];
    uint8_t b[WGMMA_MOST_N][64];
};

/* Of a number as it lies in a row of factors; below 8 bits it has a byte of its own. */
static inline uint32_t
wgmma_bytes_of(uint8_t type)
{
    return type == WGMMA_TF32 ? 4 : type <= WGMMA_BF16 ? 2 : 1;
}

/* Numbers of 4 and 6 bits in bytes: the sign becomes the highest bit. */
static inline void
wgmma_raise_bits(uint8_t type, uint32_t rows, uint8_t (*out)[64])
{
    for (uint32_t r = 0; type >= WGMMA_E2M3 && type <= WGMMA_E2M1 && r < rows; r++)
        for (uint32_t k = 0; k < 64; k++)
            out[r][k] = (uint8_t)(out[r][k] << 2);
}

/* Row r of a sparse A, `count` numbers, becomes one of twice as many with zeros in between.
 * group[g]: the four bits of the metadata for group g. Of tf32 a group has one number: 0b1110 says
 * that it is the second of two (9.7.15.6.1); else two, of four. */
static inline void
wgmma_spread(struct wgmma_factors *x, uint32_t r, uint8_t type, uint32_t count,
             const uint8_t *group)
{
    uint32_t size = wgmma_bytes_of(type);
    uint8_t packed[64];
    memcpy(packed, x->a[r], sizeof packed);
    memset(x->a[r], 0, sizeof x->a[r]);
    x->kept[r] = 0;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t k =
            size == 4 ? 2 * n + (group[n] >> 1 & 1) : n / 2 * 4 + (group[n / 2] >> 2 * (n % 2) & 3);
        memcpy(x->a[r] + size * k, packed + size * n, size);
        x->kept[r] |= 1ull << k;
    }
}

struct wgmma_format {
    uint8_t bytes, below, fraction, left; /* left: the magnitude's way to a float's place */
    int16_t bias, limit_field;            /* from this field on, or */
    uint32_t limit;                       /* from this magnitude on it is infinite or NaN */
    float scale;                          /* of the float made like that */
    bool wide;                            /* exponents of products do not fit in a byte */
    bool infinite;
};
extern const struct wgmma_format wgmma_formats[]; /* by enum wgmma_type */
/* The formats that have vector code of their own, in which their rows are constants. */
#define WGMMA_FORMAT_F16                                                                           \
    {                                                                                              \
        2, 0, 10, 13, 15, 31, 0x7c00, 0x1p112f, false, true                                        \
    }
#define WGMMA_FORMAT_BF16                                                                          \
    {                                                                                              \
        2, 0, 7, 16, 127, 255, 0x7f80, 1, true, true                                               \
    }
#define WGMMA_FORMAT_TF32                                                                          \
    {                                                                                              \
        4, 13, 10, 13, 127, 255, 0x3fc00, 1, true, true                                            \
    }

enum { WGMMA_LOWEST = -133 }; /* sums are not aligned to less (-132, -134 fit the readings, too) */

/* Of numbers and of D as a row of A and a column of B have them: one element of D. */
uint32_t wgmma_element(const struct wgmma_factors *x, uint32_t row, uint32_t column,
                       uint32_t before);

/* Of pairs of e2m1: 16 products at a time are one addend, with the scales' exponent. */
struct wgmma_scales {
    const uint8_t *a, *b; /* of the row, of the column: ue8m0 or ue4m3 */
    bool ue4m3;
    uint32_t blocks, each; /* of 16 numbers; how many a scale is for */
};
uint32_t wgmma_pair_element(const struct wgmma_factors *x, uint32_t row, uint32_t column,
                            uint32_t before, const struct wgmma_scales *scales);
static inline int16_t
wgmma_exponent_of(uint8_t ue8m0)
{
    return (int16_t)(ue8m0 == 255 ? WGMMA_NO_NUMBER : ue8m0 - 127);
}

/* ops/wgmma_half.c: of f16, A in x, B in shared memory at `place`; false: not on this host, or for
 * this form. */
bool wgmma_half(struct jit_warp *w, struct wgmma_factors *x, const struct wgmma_place *place,
                const struct wgmma_operands *o, uint32_t (*d)[32]);

void wgmma_float(const struct wgmma_factors *x, bool add, uint32_t (*d)[32]);

#endif
