/* SPDX-License-Identifier: Apache-2.0
 *
 * tmem.h: tensor memory of a block, between tmem.c and tmem_mma.c.
 */
#ifndef LOCKSTEP_EXEC_TMEM_H
#define LOCKSTEP_EXEC_TMEM_H

#include "exec/exec_priv.h"

/* A block's tensor memory (PTX ISA 9.7.16.1), in units of 32 columns; those of other blocks
 * on the same multiprocessor are not counted. */
enum { EXEC_TMEM_UNIT = 32, EXEC_TMEM_UNITS = JIT_TMEM_COLUMNS / EXEC_TMEM_UNIT };
struct exec_tmem {
    uint32_t at[JIT_TMEM_LANES][JIT_TMEM_COLUMNS];
    uint32_t used;                   /* a bit per unit */
    uint8_t units[EXEC_TMEM_UNITS];  /* by the first of an allocation: how many; 0: none begins */
    uint32_t place[EXEC_TMEM_UNITS]; /* and where it was made */
    uint32_t last;                   /* columns of the allocation before; 0: none was made */
    bool relinquished;
};
/* One lane's instruction. */
struct exec_tmem_use {
    struct jit_warp *warp;
    struct exec_slot *slot;
    struct exec_tmem *tmem;
    struct jit_tmem_insn what;
    struct jit_tmem_data *data;
    uint32_t place, lane;
};
_Noreturn void exec_tmem_fail(const struct exec_tmem_use *u, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends the block unless these lanes and columns are there, and allocated. */
/* Tools hear that the instruction reads, writes or gives back these columns. */
void exec_tmem_tell(const struct exec_tmem_use *u, uint32_t column, uint32_t columns);
void exec_tmem_check(const struct exec_tmem_use *u, const char *what, uint32_t lane, uint32_t lanes,
                     uint32_t column, uint32_t columns);
uint64_t exec_tmem_shared_bytes(const struct exec_tmem_use *u);
/* tmem_mma.c */
void exec_tmem_multiply(struct exec_tmem_use *u);

#endif
