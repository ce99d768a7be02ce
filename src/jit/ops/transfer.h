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

/* What a bulk transfer does at the destination; the low byte of `what`, the type in the byte above
 * it, then TRANSFER_STREAMS and its like. */
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

enum {
    TRANSFER_STREAMS = 1 << 16, /* COPY: whole lines may go past the caches, */
    TRANSFER_UNSEEN = 1 << 17,  /*   at which no other block looks before the launch ends */
};

/* What generated code calls, by name; false past the end. */
bool transfer_symbol(size_t i, const char **name, void **address);

#endif
