/* SPDX-License-Identifier: Apache-2.0
 *
 * tmem: what generated code asks of exec for tensor memory and the matrix unit that works on it
 * (PTX ISA 9.7.16, compute capability 10.0), and what exec asks of the jit for products. Part of
 * jit.h, which includes it.
 */
#ifndef LOCKSTEP_JIT_TMEM_H
#define LOCKSTEP_JIT_TMEM_H

#include <stdbool.h>
#include <stdint.h>

enum { JIT_TMEM_LANES = 128, JIT_TMEM_COLUMNS = 512, JIT_TMEM_REGISTERS = 128 };

enum jit_tmem_op {
    JIT_TMEM_ALLOC,
    JIT_TMEM_DEALLOC,
    JIT_TMEM_RELINQUISH,
    JIT_TMEM_LD,
    JIT_TMEM_ST,
    JIT_TMEM_CP,
    JIT_TMEM_SHIFT,
    JIT_TMEM_MMA,
    JIT_TMEM_COMMIT, /* with .multicast */
    JIT_TMEM_READ,   /* to tools alone: what CP reads of shared memory comes next, */
    JIT_TMEM_READ_A, /*   or MMA: A, where that is there, then B */
    JIT_TMEM_READ_B,
};
/* Of LD and ST; of CP. */
enum jit_tmem_shape {
    JIT_TMEM_32X32B,
    JIT_TMEM_16X64B,
    JIT_TMEM_16X128B,
    JIT_TMEM_16X256B,
    JIT_TMEM_16X32BX2,
    JIT_TMEM_128X256B,
    JIT_TMEM_4X256B,
    JIT_TMEM_128X128B,
    JIT_TMEM_64X128B_02_13,
    JIT_TMEM_64X128B_01_23,
    JIT_TMEM_32X128B,
};
enum jit_tmem_kind {
    JIT_TMEM_F16,
    JIT_TMEM_TF32,
    JIT_TMEM_F8F6F4,
    JIT_TMEM_I8,
    JIT_TMEM_MXF8F6F4,
    JIT_TMEM_MXF4,
    JIT_TMEM_MXF4NVF4,
};
enum {                      /* flags */
       JIT_TMEM_HALVES = 1, /* LD, ST: .pack::16b, .unpack::16b */
       JIT_TMEM_B6 = 2,     /* CP: numbers of 6 bits, of 4 bits become bytes */
       JIT_TMEM_B4 = 4,
       JIT_TMEM_WS = 8, /* MMA: */
       JIT_TMEM_SPARSE = 16,
       JIT_TMEM_A_INSIDE = 32, /* A is in tensor memory */
       JIT_TMEM_A_SHIFTED = 64,
       JIT_TMEM_BLOCK16 = 128,   /* a scale for 16 numbers, not 32 */
       JIT_TMEM_ANNOUNCED = 256, /* to async; of COMMIT each mbarrier, to access, too */
       JIT_TMEM_PAIR = 512,      /* .cta_group::2: of two blocks of a cluster */
};

/* To jit_services.async, before or instead of it: number is its op, the address a mbarrier's
 * (COMMIT), READ: a descriptor, else the first column, and how many from bit 32 on (LD, ST,
 * DEALLOC; CP, SHIFT and MMA on all lanes: those that they write in the warp's block). */
enum { JIT_ASYNC_TMEM = 64 };

/* (abi) What such an instruction is; travels as a 64-bit number. */
struct jit_tmem_insn {
    uint8_t op, shape; /* shape: MMA: enum jit_tmem_kind */
    uint8_t registers; /* LD, ST */
    uint8_t scale_d;   /* MMA: D counts by 2^-scale_d */
    uint16_t flags;
    uint16_t apart; /* LD, ST of 16X32BX2: columns from the first access to the second */
};

/* (abi) Its operands, one per lane; addresses of shared memory are the host's. */
struct jit_tmem_data {
    uint64_t a[32], b[32]; /* MMA: descriptors; CP: a; ALLOC, COMMIT: b is an address */
    uint64_t zeros[32];    /* MMA: zero-column mask */
    uint32_t at[32];       /* in tensor memory; MMA: D */
    uint32_t number[32];   /* columns; MMA: instruction descriptor; COMMIT: blocks */
    uint32_t metadata[32], scale_a[32], scale_b[32], add[32];
    uint32_t disabled[8][32]; /* MMA: of a pair the even block's lanes, then the odd one's */
    uint32_t done[32];        /* ALLOC: whether it was */
    uint32_t value[JIT_TMEM_REGISTERS][32];
    uint32_t unused[32];
};

/* A product, taken out of its descriptors. Types are enum wgmma_type of jit/ops/wgmma.h. */
enum jit_tmem_type {
    JIT_TMEM_TYPE_F16,
    JIT_TMEM_TYPE_BF16,
    JIT_TMEM_TYPE_TF32,
    JIT_TMEM_TYPE_E4M3,
    JIT_TMEM_TYPE_E5M2,
    JIT_TMEM_TYPE_F32,
    JIT_TMEM_TYPE_S8,
    JIT_TMEM_TYPE_U8,
    JIT_TMEM_TYPE_S32 = 9,
    JIT_TMEM_TYPE_E2M3,
    JIT_TMEM_TYPE_E3M2,
    JIT_TMEM_TYPE_E2M1, /* in bytes */
    JIT_TMEM_TYPE_PAIR, /* two e2m1 in a byte */
};
struct jit_tmem_product {
    uint32_t (*memory)[JIT_TMEM_COLUMNS]; /* [lane][column] */
    const uint8_t *shared[2]; /* of a pair: the even block's, the odd one's; each has half of B */
    uint32_t shared_bytes;
    uint8_t half; /* of a pair: the block that has these rows of A and D */
    struct jit_tmem_insn what;
    uint8_t a, b, d;
    bool add, negate, trans_a, trans_b, saturate, unsigned_scale; /* scales are ue4m3 */
    uint16_t m, n; /* rows in this tensor memory; columns of D */
    uint8_t selector;
    uint8_t scale_a_id, scale_b_id;
    uint64_t descriptor_a, descriptor_b;
    uint32_t at_a, at_d, at_metadata, at_scale_a, at_scale_b; /* in tensor memory */
    uint32_t disabled[4];
    uint64_t zeros[4]; /* columns of B that count as zeros */
    uint32_t shift;    /* B begins at this column */
    uint32_t wrong;    /* set: the first byte of shared memory beyond it that would be read */
};
/* Where there are fewer rows than lanes, parts of the lanes have other columns of D (9.7.16.10.5:
 * layouts B, E, G); else lanes are free. */
static inline bool
jit_tmem_is_folded(const struct jit_tmem_product *p)
{
    uint32_t flags = p->what.flags;
    return flags & JIT_TMEM_WS || (flags & (JIT_TMEM_PAIR | JIT_TMEM_SPARSE)) == JIT_TMEM_PAIR;
}
/* False: a descriptor leads past shared memory; D is written in part. */
bool jit_tmem_multiply(struct jit_tmem_product *p);
/* `rows` rows of `chunks` times 16 bytes as a descriptor of shared memory has them, not transposed;
 * false: *wrong, as above. */
bool jit_tmem_rows(const uint8_t *shared, uint32_t shared_bytes, uint64_t descriptor, uint32_t rows,
                   uint32_t chunks, uint8_t *out, uint32_t *wrong);
/* The bytes of shared memory that a product, or such rows with `bytes` of each 16, are made of;
 * those beyond shared memory are left out. */
typedef void jit_tmem_read(void *context, uint32_t at, uint32_t bytes);
void jit_tmem_reads(const struct jit_tmem_product *p, jit_tmem_read *read, void *context);
void jit_tmem_row_reads(uint32_t shared_bytes, uint64_t descriptor, uint32_t rows, uint32_t chunks,
                        uint32_t bytes, jit_tmem_read *read, void *context);
/* NULL, or what is wrong with a descriptor of shared memory. */
const char *jit_tmem_descriptor_fault(uint64_t descriptor);
/* Sixteen numbers of 6 or 4 bits at the start of 16 bytes become bytes (9.7.16.9.1). */
void jit_tmem_unpack(unsigned bits, uint8_t chunk[16]);

/* Matrices that a wgmma has prepared: for its block alone, which forgets them when it begins. */
struct jit_wgmma_tiles;
void jit_wgmma_forget(struct jit_wgmma_tiles *t);

#endif
