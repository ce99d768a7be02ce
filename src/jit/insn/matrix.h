/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: warp matrices (PTX ISA 9.7.14). A matrix is spread over the registers of the 32
 * lanes; insn/layout.c says which element is where, insn/mma.c multiplies, insn/matrix.c moves
 * matrices between registers and memory and takes the instructions apart.
 */
#ifndef LOCKSTEP_JIT_MATRIX_H
#define LOCKSTEP_JIT_MATRIX_H

#include "jit/values/values.h"
#include "jit/build/value.h"

enum layout_kind {
    LAYOUT_PLAIN,
    LAYOUT_SWAPPED, /* m8n32k16: as the transposed product would lie */
    LAYOUT_QUADS,   /* m8n8k4 of f16: four products, one by two quads of lanes each */
};

enum { MATRIX_REGISTERS = 8, MATRIX_ELEMENTS = 32 * MATRIX_REGISTERS };

/* One shape and its types: a row of insn/matrix.def, and what the instruction chose. */
struct matrix_shape {
    enum layout_kind layout;
    unsigned m, n, k;
    enum ptx_type a, b, c, d;
    bool a_row, b_row; /* QUADS: where the elements of A and B lie depends on it */
};

/* A place in a matrix: along m or n, and along k. For C and D: row and column. */
struct matrix_place {
    uint16_t x, k;
};

/* How the elements of one operand lie in registers. Bits (.b1) count in words of 32. */
struct matrix_layout {
    unsigned registers, per_register;               /* numbers in a register */
    unsigned bits;                                  /* of a number */
    struct matrix_place at[MATRIX_ELEMENTS][LANES]; /* [register * per_register + number][lane] */
};

/* The row of insn/matrix.def that allows this, into s (m, n, k, layout; types are given in s). */
bool matrix_find(enum ptx_op op, enum ptx_mod shape, struct matrix_shape *s);
/* which: 'a', 'b', 'c', 'd'. */
void matrix_layout_of(const struct matrix_shape *s, enum ptx_op op, char which,
                      struct matrix_layout *out);

/* D = A * B + C: registers of a, b and c to registers of d. `insn`
 * chooses .satfinite, .xor, .and. */
bool matrix_multiply(struct core *c, const struct matrix_shape *s, enum ptx_op op,
                     const struct ptx_insn *insn, const value *a, const value *b, const value *acc,
                     value *d);

/* Whether a type is among the words. */
bool matrix_lists(const char *words, enum ptx_type t);

/* insn/mma_run.c: mma with a sparse A, with .kind or scales */
bool matrix_is_run(const struct ptx_insn *p);
bool matrix_run(struct core *c, const struct wir_insn *i);

/* insn/matrix.c */
bool matrix_insn(struct core *c, const struct wir_insn *i);

#endif
