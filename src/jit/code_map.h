/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/code_map: where code for a debugger keeps a warp's registers, and its lanes.
 */
#ifndef LOCKSTEP_JIT_CODE_MAP_H
#define LOCKSTEP_JIT_CODE_MAP_H

#include "jit/jit.h"
#include "wir/wir.h"

/* Code for a debugger, of one function: a kernel, or one that is really called. Distances are
 * from the struct jit_activation. */
struct jit_code_map {
    const struct ptx_func *func;
    const struct wir *wir; /* wir_new_debug; a site is the number of an instruction */
    uint32_t *reg;         /* per register: where 32 values of its type lie (predicates: 32 bits) */
    uint32_t lanes; /* per block, from there on: lanes that are to run it, lanes that wait for a
                       barrier before it (uint32_t each) */
    uint32_t *held; /* per block: lanes that stand at its first instruction until others of their
                       warp come (uint32_t); UINT32_MAX: none do */
    uint32_t bytes; /* of all of it */
};
/* NULL and an error: it cannot be compiled. The module must outlive it. */
struct jit_code_map *jit_code_map_new(const struct ptx_module *m, const struct ptx_func *f,
                                      struct ls_error *err);
void jit_code_map_free(struct jit_code_map *map);
/* Bytes of a value of a register in its home; 0: a predicate, a bit a lane. */
uint32_t jit_code_map_bytes(const struct jit_code_map *map, uint32_t reg);

#endif
