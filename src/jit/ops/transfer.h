/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: what generated code calls for asynchronous instructions: mbarriers, bulk copies,
 * copies of a part (ops/transfer.c). Arrays hold one value per lane; lanes outside of the set are
 * left alone. Everything asynchronous is done at once: the manual allows it to complete at any time
 * before it is waited for.
 */
#ifndef LOCKSTEP_JIT_TRANSFER_H
#define LOCKSTEP_JIT_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a bulk transfer does at the destination; the low byte of `what`, the type above it. */
enum transfer_op {
    TRANSFER_COPY,
    TRANSFER_ADD,
    TRANSFER_MIN,
    TRANSFER_MAX,
    TRANSFER_INC,
    TRANSFER_DEC,
    TRANSFER_AND,
    TRANSFER_OR,
    TRANSFER_XOR,
    TRANSFER_FILL
};
enum transfer_type {
    TRANSFER_U32,
    TRANSFER_S32,
    TRANSFER_U64,
    TRANSFER_S64,
    TRANSFER_F16,
    TRANSFER_BF16,
    TRANSFER_F32,
    TRANSFER_F64,
    TRANSFER_F32_FTZ,
    TRANSFER_TYPES
};

struct jit_warp;
/* op: enum jit_mbarrier_op. */
void transfer_barrier(struct jit_warp *w, uint32_t lanes, uint32_t op, const uint64_t *address,
                      const uint64_t *number, uint64_t *out);
/* barrier: the mbarriers that learn of the bytes, or NULL. mask: of .cp_mask, else NULL. */
void transfer_bulk(struct jit_warp *w, uint32_t lanes, uint32_t what, const uint64_t *to,
                   const uint64_t *from, const uint64_t *size, const uint64_t *barrier,
                   const uint64_t *mask);
/* out[16 * lane ...]: the first size[lane] bytes at `from`, zeros up to 16. */
void transfer_part(uint32_t lanes, const uint64_t *from, const uint64_t *size, uint8_t *out);

/* Their names for generated code; false past the end. */
bool transfer_symbol(size_t i, const char **name, void **address);

#endif
