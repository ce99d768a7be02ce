/* SPDX-License-Identifier: Apache-2.0
 *
 * tmem.h: tensor memory of a block, between tmem.c, tmem_alloc.c, tmem_mma.c and tmem_reads.c.
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
    uint8_t group;        /* .cta_group of the block's instructions; 0: there was none, */
    uint32_t group_place; /*   where the first was */
    /* A warp waits for one of the peer block to allocate, too, or has yet to learn that it has. */
    struct exec_tmem_asked {
        enum { EXEC_TMEM_NOT_ASKED, EXEC_TMEM_ASKED, EXEC_TMEM_GIVEN } state;
        uint32_t warp, columns, place;
        uint32_t unit; /* GIVEN: the first */
    } asked;
};
/* One lane's instruction. */
struct exec_tmem_use {
    struct jit_warp *warp;
    struct exec_slot *slot; /* whose tensor memory it works on: the warp's block's, or its peer's */
    struct exec_tmem *tmem;
    struct exec_slot *peer; /* .cta_group::2: the other of the two; else NULL */
    struct exec_tmem *peer_tmem;
    struct jit_tmem_insn what;
    struct jit_tmem_data *data;
    uint32_t place, lane;
};
_Noreturn void exec_tmem_fail(const struct exec_tmem_use *u, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *exec_tmem_name(const struct exec_tmem_use *u);
/* The same in the peer block. */
struct exec_tmem_use exec_tmem_in_peer(const struct exec_tmem_use *u);
/* Tools hear that the instruction reads, writes or gives back these columns; of the peer block's
 * they do not. */
void exec_tmem_tell(const struct exec_tmem_use *u, uint32_t column, uint32_t columns);
/* Ends the block unless these lanes and columns are there, and allocated. */
void exec_tmem_check(const struct exec_tmem_use *u, const char *what, uint32_t lane, uint32_t lanes,
                     uint32_t column, uint32_t columns);
uint64_t exec_tmem_shared_bytes(const struct exec_tmem_use *u);
/* tmem_alloc.c */
void exec_tmem_allocate(struct exec_tmem_use *u);
void exec_tmem_deallocate(struct exec_tmem_use *u);
/* tmem_reads.c: what a product, or a copy of rows of `chunks` times 16 bytes, reads. */
void exec_tmem_tell_product(const struct exec_tmem_use *u, const struct jit_tmem_product *p);
void exec_tmem_tell_rows(const struct exec_tmem_use *u, uint64_t descriptor, uint32_t rows,
                         uint32_t chunks);
/* tmem_mma.c */
void exec_tmem_multiply(struct exec_tmem_use *u);

#endif
